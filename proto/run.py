import sys,time,numpy as np
sys.path.insert(0,'/work/tmp/wt18/proto'); sys.path.insert(0,'/work/tmp/wt18')
import rowblocks as rb
from scipy import sparse
from sklda import CollapsedGibbsLDA
from sklda._core.corpus import check_corpus, split_cells, tokens_before
from sklda._core.problem import Problem
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._gibbs.kernels import single_site_rows as ss, single_site_lists as sl
name=sys.argv[1]; K=int(sys.argv[2]); most=int(sys.argv[3]); ns=int(sys.argv[4]) if len(sys.argv)>4 else 40
X=sparse.load_npz(f'/work/tmp/{name}.npz')
corpus=check_corpus(CollapsedGibbsLDA(),X,reset=True)
p=Problem(corpus,X.shape[1],np.full(K,.1),.01)
pieces=split_cells(corpus,most)
sz=np.diff(pieces.token_ptr); doc=np.repeat(np.arange(X.shape[0]),np.diff(pieces.doc_ptr))
cnt=np.repeat(np.diff(corpus.token_ptr), -(-np.diff(corpus.token_ptr)//most)); o=np.lexsort((-np.minimum(cnt,most),doc)); B=(pieces.doc_ptr,pieces.word[o],pieces.token_ptr[:-1][o],sz[o].astype(np.int32))
print('tokens',corpus.token_ptr[-1],'cells',corpus.word.size,'blocks',np.bincount(np.minimum(sz,5)))
def new():
    rng=RandomStreams(np.random.SeedSequence(1)); z=random_topics(int(corpus.token_ptr[-1]),K,rng.kernel)
    return rng,ss.from_topics(p,z)
r1,s1=new(); r2,s2=new(); T1=[];T2=[];T3=[]
from sklda._gibbs.chain import log_doc_likelihood,log_word_likelihood
pr=p.kernel_priors()
for i in range(ns):
    t=time.perf_counter(); z0=s1.z.copy() if i%10==9 else None; ss.sweep(p,s1,r1); T1.append(time.perf_counter()-t)
    t=time.perf_counter(); z2=s2.z.copy() if i%10==9 else None; rb.sweep_blocks(*B,s2,pr,r2.kernel); T2.append(time.perf_counter()-t)
    if i%10==9:
        L=[log_doc_likelihood(p,s.z)+log_word_likelihood(p,ss.counts(s)) for s in (s1,s2)]
        print(i+1,'ratio',np.median(np.array(T2[-8:-1])/np.array(T1[-8:-1])).round(3),'ms',1e3*np.median(T1[-8:]),1e3*np.median(T2[-8:]),'moved',(s1.z!=z0).mean().round(3),(s2.z!=z2).mean().round(3),'lj',np.round(L,0),flush=True)
C=np.zeros_like(s2.word_topic); np.add.at(C,(np.repeat(corpus.word,np.diff(corpus.token_ptr)),s2.z),1); assert (C==s2.word_topic).all()
