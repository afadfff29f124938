from typing import NamedTuple
import numpy as np
from numba import njit
from sklda._core.document import Document, enter_document, new_document, count_document
from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._core.rows import Scratch, prefetch_row, weigh, resample_each, pick
from sklda._core.prefetch import AHEAD

ZERO=np.float32(0); TWO=np.float32(2); THREE=np.float32(3)

@njit(cache=True, nogil=True, _nrt=False, forceinline=True, fastmath=True)
def cumulants(p0,p1,p2,p3):
    k2 = p0*(p1-p0)
    k3 = p0*(p1*(p2-3*p0)+2*p0*p0)
    k4 = p0*(p1*(p2*(p3-4*p0)-3*p0*p1+12*p0*p0)-6*p0*p0*p0)
    return p0,k2,k3,k4
@njit(cache=True, nogil=True, _nrt=False, forceinline=True, fastmath=True)
def cumulants32(p0,p1,p2,p3):
    k2 = p0*(p1-p0)
    k3 = p0*(p1*(p2-np.float32(3)*p0)+np.float32(2)*p0*p0)
    k4 = p0*(p1*(p2*(p3-np.float32(4)*p0)-np.float32(3)*p0*p1+np.float32(12)*p0*p0)-np.float32(6)*p0*p0*p0)
    return p0,k2,k3,k4

@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def factors(n,K1,K2,K3,K4):
    H2=K1*K1+K2
    if n==1: return K1,(1.0,0.0,0.0,0.0)
    if n==2: return H2,(K1,1.0,0.0,0.0)
    H3=K1*H2+2*K2*K1+K3
    if n==3: return H3,(H2,2*K1,1.0,0.0)
    return K1*H3+3*K2*H2+3*K3*K1+K4,(H3,3*H2,3*K1,1.0)

@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def sum2(t,row,g,gb):
    s1=ZERO; s2=ZERO
    for k in range(row.size):
        b=np.float32(row[k])*g+gb
        p0=t[0,k]*b; p1=t[1,k]*(b+g)
        s1+=p0; s2+=p0*(p1-p0)
    return np.float64(s1),np.float64(s2),0.0,0.0
@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def sum3(t,row,g,gb):
    s1=ZERO; s2=ZERO; s3=ZERO
    for k in range(row.size):
        b=np.float32(row[k])*g+gb
        a,c,d,_=cumulants32(t[0,k]*b,t[1,k]*(b+g),t[2,k]*(b+TWO*g),ZERO)
        s1+=a; s2+=c; s3+=d
    return np.float64(s1),np.float64(s2),np.float64(s3),0.0
@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def sum4(t,row,g,gb):
    s1=ZERO; s2=ZERO; s3=ZERO; s4=ZERO
    for k in range(row.size):
        b=np.float32(row[k])*g+gb
        a,c,d,e=cumulants32(t[0,k]*b,t[1,k]*(b+g),t[2,k]*(b+TWO*g),t[3,k]*(b+THREE*g))
        s1+=a; s2+=c; s3+=d; s4+=e
    return np.float64(s1),np.float64(s2),np.float64(s3),np.float64(s4)
@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def weights(n,f,t,row,g,gb,weight):
    f1,f2,f3,f4=np.float32(f[0]),np.float32(f[1]),np.float32(f[2]),np.float32(f[3])
    if n==1:
        for k in range(row.size):
            weight[k]=t[0,k]*(np.float32(row[k])*g+gb)
    elif n==2:
        for k in range(row.size):
            b=np.float32(row[k])*g+gb
            p0=t[0,k]*b; p1=t[1,k]*(b+g)
            weight[k]=max(ZERO,p0*(f1+f2*(p1-p0)))
    else:
        for k in range(row.size):
            b=np.float32(row[k])*g+gb
            a,c,d,e=cumulants32(t[0,k]*b,t[1,k]*(b+g),t[2,k]*(b+TWO*g),t[3,k]*(b+THREE*g))
            weight[k]=max(ZERO,f1*a+f2*c+f3*d+f4*e)

@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def fill_t(depth, doc_topic, topic, alpha, beta_sum, t):
    one=np.float32(1)
    total=0.0
    for k in range(alpha.size):
        a=np.float32(doc_topic[k])+alpha[k]; s=np.float32(topic[k])+beta_sum
        q=one/(s*(s+one))
        v=a*(s+one)*q
        t[0,k]=v
        t[1,k]=(a+one)*s*q
        total+=v
    if depth>2:
        for k in range(alpha.size):
            a=np.float32(doc_topic[k])+alpha[k]+TWO; s=np.float32(topic[k])+beta_sum+TWO
            q=one/(s*(s+one))
            t[2,k]=a*(s+one)*q
            t[3,k]=(a+one)*s*q
    return total

@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def now(k,row,t,g,gb):
    b=np.float32(row[k])*g+gb
    return cumulants32(t[0,k]*b,t[1,k]*(b+g),t[2,k]*(b+TWO*g),t[3,k]*(b+THREE*g))


class Table(NamedTuple):
    topic: np.ndarray
    taken: np.ndarray
    p: np.ndarray
    slot: np.ndarray

@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_block(block,row,K,t,g,gb,priors,document,scratch,table,rng):
    n=block.size
    alpha,beta,beta_sum=priors
    topic,taken,p,slot=table
    K1,K2,K3,K4=K
    used=0
    for i in range(n):
        k=np.int64(block[i])
        j=0
        while j<used and topic[j]!=k: j+=1
        slot[i]=j
        if j==used:
            topic[j]=k; taken[j]=0; used+=1
        taken[j]+=1
    own=1.0
    G=np.float64(g)
    for j in range(used):
        k=topic[j]; m=taken[j]
        b=np.float32(row[k])*g+gb
        q0=t[0,k]*b; q1=t[1,k]*(b+g)
        q2=ZERO;q3=ZERO
        if n>2:
            q2=t[2,k]*(b+TWO*g); q3=t[3,k]*(b+THREE*g)
        a,c,e,f=cumulants32(q0,q1,q2,q3)
        p[j,m]=q0; p[j,m+1]=q1; p[j,m+2]=q2; p[j,m+3]=q3
        A=np.float64(document.doc_topic[k]-m)+alpha[k]
        B=np.float64(row[k]-m)+beta
        S=np.float64(document.topic[k]-m)+beta_sum
        for i in range(m):
            v=(A+i)/(S+i)*(B+i)*G
            p[j,i]=v
            own*=v
        a2,c2,e2,f2=cumulants(p[j,0],p[j,1],p[j,2],p[j,3])
        K1+=a2-a;K2+=c2-c;K3+=e2-e;K4+=f2-f
    total,f=factors(n,K1,K2,K3,K4)
    r=uniform(rng)*total
    if r<own: return False
    move(block,used,row,(K1,K2,K3,K4),own,t,g,gb,priors,document,scratch,table,rng)
    return True

@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def value(f,p,j):
    a,c,e,h=cumulants(p[j,0],p[j,1],p[j,2],p[j,3])
    return f[0]*a+f[1]*c+f[2]*e+f[3]*h

@njit(cache=True, nogil=True, _nrt=False)
def move(block,used,row,K,own,t,g,gb,priors,document,scratch,table,rng):
    n=block.size
    topic,taken,p,slot=table
    weight,lane_sum=scratch
    K1,K2,K3,K4=K
    for i in range(n):
        total,f=factors(n-i,K1,K2,K3,K4)
        j=slot[i]
        stay=value(f,p,j)-own
        r=uniform(rng)*(total-own)
        if r>=stay:
            weights(n-i,f,t,row,g,gb,weight)
            for l in range(used):
                weight[topic[l]]=max(0.0,value(f,p,l))
            weight[topic[j]]=0
            k=pick(weight,lane_sum,r-max(stay,0.0))
            own=0.0
            j=0
            while j<used and topic[j]!=k: j+=1
            if j==used:
                used+=1
                topic[j]=k; taken[j]=0
                b=np.float32(row[k])*g+gb
                p[j,0]=t[0,k]*b; p[j,1]=t[1,k]*(b+g)
                p[j,2]=t[2,k]*(b+TWO*g); p[j,3]=t[3,k]*(b+THREE*g)
            block[i]=k
        else:
            own/=p[j,0]
        taken[j]-=1
        if i<n-1:
            a,c,e,h=cumulants(p[j,0],p[j,1],p[j,2],p[j,3])
            p[j,0]=p[j,1];p[j,1]=p[j,2];p[j,2]=p[j,3]
            a2,c2,e2,h2=cumulants(p[j,0],p[j,1],p[j,2],p[j,3])
            K1+=a2-a;K2+=c2-c;K3+=e2-e;K4+=h2-h
    one=np.float32(1)
    for j in range(used):
        d=taken[j]
        if d!=0:
            k=topic[j]
            document.doc_topic[k]-=d; document.topic[k]-=d; row[k]-=d
            A=np.float32(document.doc_topic[k])+priors.doc_topic[k]
            s=np.float32(document.topic[k])+priors.topic_word_sum
            t[0,k]=A/s
            t[1,k]=(A+one)/(s+one)
            if n>2:
                t[2,k]=(A+TWO)/(s+TWO)
                t[3,k]=(A+THREE)/(s+THREE)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def settle(k,d,depth,row,t,priors,document):
    document.doc_topic[k]+=d; document.topic[k]+=d; row[k]+=d
@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def refresh(k,depth,t,priors,document):
    one=np.float32(1)
    A=np.float32(document.doc_topic[k])+priors.doc_topic[k]
    s=np.float32(document.topic[k])+priors.topic_word_sum
    t[0,k]=A/s
    t[1,k]=(A+one)/(s+one)
    if depth>2:
        t[2,k]=(A+TWO)/(s+TWO)
        t[3,k]=(A+THREE)/(s+THREE)

@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_pair(z,first,row,K,t,g,gb,depth,priors,document,scratch,rng):
    alpha,beta,beta_sum=priors
    doc_topic,topic,_=document
    W,D,_,_=K
    k1=np.int64(z[first]); k2=np.int64(z[first+1])
    G=np.float64(g)
    same=k1==k2
    m=1+same
    b=np.float32(row[k1])*g+gb
    q0=np.float64(t[0,k1]*b); q1=np.float64(t[1,k1]*(b+g))
    A=np.float64(doc_topic[k1]-m)+alpha[k1]; B=np.float64(row[k1]-m)+beta; S=np.float64(topic[k1]-m)+beta_sum
    p0=A*B/S*G
    if same:
        p1=(A+1)*(B+1)/(S+1)*G
        own=p0*p1
        o0=0.0;o1=0.0
    else:
        p1=q0
        b=np.float32(row[k2])*g+gb
        u0=np.float64(t[0,k2]*b); u1=np.float64(t[1,k2]*(b+g))
        A=np.float64(doc_topic[k2]-1)+alpha[k2]; B=np.float64(row[k2]-1)+beta; S=np.float64(topic[k2]-1)+beta_sum
        o0=A*B/S*G; o1=u0
        own=p0*o0
        W+=o0-u0
        D+=o0*(o1-o0)-u0*(u1-u0)
    W+=p0-q0
    D+=p0*(p1-p0)-q0*(q1-q0)
    total=W*W+D
    r=uniform(rng)*total-own
    if r<0: return False
    move_pair(z,first,row,W,total-own,own,(p0,p1,o0,o1),t,g,gb,depth,priors,document,scratch,rng)
    return True

@njit(cache=True, nogil=True, _nrt=False)
def move_pair(z,first,row,W,total,own,p,t,g,gb,depth,priors,document,scratch,rng):
    p0,p1,o0,o1=p
    weight,lane_sum=scratch
    k1=np.int64(z[first]); k2=np.int64(z[first+1])
    same=k1==k2
    stay=p0*(W+p1-p0)-own
    r=uniform(rng)*total
    if r<stay:
        j1=k1
        weights(1,(1.0,0.0,0.0,0.0),t,row,g,gb,weight)
        if same:
            left=W-p0
        else:
            left=W-p0+p1-o0
            weight[k1]=p1
        weight[k2]=0
        j2=pick(weight,lane_sum,uniform(rng)*left)
    else:
        weights(2,(W,1.0,0.0,0.0),t,row,g,gb,weight)
        weight[k2]=o0*(W+o1-o0)
        weight[k1]=0
        j1=pick(weight,lane_sum,r-max(stay,0.0))
        if same:
            o0=p0
        if j1==k2:
            n0=o0;n1=o1;o0=o1
        else:
            b=np.float32(row[j1])*g+gb
            n0=np.float64(t[0,j1]*b); n1=np.float64(t[1,j1]*(b+g))
        r=uniform(rng)*(W-n0+n1)
        if r<o0: j2=k2
        else:
            weights(1,(1.0,0.0,0.0,0.0),t,row,g,gb,weight)
            weight[k1]=p0
            weight[j1]=n1
            weight[k2]=0
            j2=pick(weight,lane_sum,r-o0)
    z[first]=j1; z[first+1]=j2
    settle(k1,-1,depth,row,t,priors,document)
    settle(k2,-1,depth,row,t,priors,document)
    settle(j1,1,depth,row,t,priors,document)
    settle(j2,1,depth,row,t,priors,document)
    if j1!=k1:
        refresh(k1,depth,t,priors,document)
        refresh(j1,depth,t,priors,document)
    if j2!=k2:
        refresh(k2,depth,t,priors,document)
        refresh(j2,depth,t,priors,document)


@njit(cache=True, nogil=True, _nrt=False)
def resample_one(z,first,row,K,t,g,gb,depth,priors,document,scratch,rng):
    alpha,beta,beta_sum=priors
    doc_topic,topic,_=document
    weight,lane_sum=scratch
    k=np.int64(z[first])
    p=(np.float64(doc_topic[k]-1)+alpha[k])*(np.float64(row[k]-1)+beta)/(np.float64(topic[k]-1)+beta_sum)*g
    others=K[0]-t[0,k]*(np.float32(row[k])*g+gb)
    r=uniform(rng)*(others+p)-p
    if r<0: return False
    weights(1,(1.0,0.0,0.0,0.0),t,row,g,gb,weight)
    weight[k]=0
    j=pick(weight,lane_sum,r)
    z[first]=j
    settle(k,-1,depth,row,t,priors,document)
    settle(j,1,depth,row,t,priors,document)
    refresh(k,depth,t,priors,document)
    refresh(j,depth,t,priors,document)
    return True

@njit(cache=True, nogil=True)
def sweep_blocks(doc_ptr,word,first,size,state,priors,rng):
    z,word_topic,topic=state
    n_lanes,beta=topic.size,priors.topic_word
    t=np.zeros((4,n_lanes),np.float32)
    document=Document(np.zeros(n_lanes,np.int32),topic,t[0])
    table=Table(np.zeros(8,np.int64),np.zeros(8,np.int64),np.zeros((8,8)),np.zeros(8,np.int64))
    weight=np.zeros(n_lanes,np.float32)
    scratch=Scratch(weight,np.zeros(n_lanes+LANES,np.float32))
    for d in range(doc_ptr.size-1):
        begin,end=doc_ptr[d],doc_ptr[d+1]
        if begin==end: continue
        document.doc_topic[:]=0
        for i in range(begin,end):
            for j in range(first[i],first[i]+size[i]):
                document.doc_topic[z[j]]+=1
        depth=size[begin]
        total_t=fill_t(depth,document.doc_topic,topic,priors.doc_topic,priors.topic_word_sum,t)
        g=np.float32(1/((1+beta)*total_t)); gb=g*beta
        weighed=-1
        K=(0.0,0.0,0.0,0.0)
        for i in range(begin,end):
            prefetch_row(word,i,word_topic)
            w=word[i]; row=word_topic[w]; n=size[i]; a=first[i]
            if n==1 and w!=weighed:
                total=weigh(document.ratio,row,beta,weight)
                resample_each(z,a,a+1,row,total,priors,document,scratch,rng)
                continue
            if w!=weighed:
                if n==2: K=sum2(t,row,g,gb)
                elif n==3: K=sum3(t,row,g,gb)
                else: K=sum4(t,row,g,gb)
                weighed=w
            if n==1:
                if resample_one(z,a,row,K,t,g,gb,depth,priors,document,scratch,rng): weighed=-1
            elif n==2:
                if resample_pair(z,a,row,K,t,g,gb,depth,priors,document,scratch,rng): weighed=-1
            elif resample_block(z[a:a+n],row,K,t,g,gb,priors,document,scratch,table,rng):
                weighed=-1
