import sys,time,numpy as np
sys.path.insert(0,'/work/tmp/wt18')
from typing import NamedTuple
from scipy import sparse
from sklda import CollapsedGibbsLDA
from sklda._core.corpus import check_corpus, split_cells, tokens_before
from sklda._core.problem import Problem
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._gibbs.kernels import single_site_rows as ssr, single_site_lists as ssl
from sklda._gibbs.chain import log_doc_likelihood,log_word_likelihood
import importlib
name=sys.argv[1]; K=int(sys.argv[2]); mosts=[int(x) for x in sys.argv[3].split(',')]; kind=sys.argv[4]; ns=int(sys.argv[5]); warm=int(sys.argv[6]) if len(sys.argv)>6 else 0
ss=ssr if kind=='rows' else ssl
kb=importlib.import_module('sklda._gibbs.kernels.blocked.'+kind)
from sklda._gibbs.blocked_sampler import make_blocks
X=sparse.load_npz(f'/work/tmp/{name}.npz')
corpus=check_corpus(CollapsedGibbsLDA(),X,reset=True)
p=Problem(corpus,X.shape[1],np.full(K,.1),.01); pr=p.kernel_priors()
def new(mod):
    rng=RandomStreams(np.random.SeedSequence(1)); z=random_topics(int(corpus.token_ptr[-1]),K,rng.kernel)
    s=ssr.from_topics(p,z)
    for _ in range(warm): ssr.sweep(p,s,rng)
    return rng,mod.from_topics(p,z.copy())
runs=[('single',)+new(ss)]+[(m,)+new(kb) for m in mosts]
B={m:make_blocks(corpus,m) for m in mosts}
T={r[0]:[] for r in runs}
t=time.perf_counter()
for i in range(ns):
    for m,rng,s in (runs if i%2 else runs[::-1]):
        z0=s.z.copy() if i%10==9 else None
        t=time.perf_counter()
        if m=='single': ss.sweep(p,s,rng)
        else: kb.sweep_blocks(B[m],s,pr,rng.kernel)
        T[m].append(time.perf_counter()-t)
        if i==0: print('first',m,T[m][0])
        if i%10==9:
            L=log_doc_likelihood(p,s.z)+log_word_likelihood(p,ss.counts(s))
            w=np.array(T[m][-9:]); b=np.array(T['single'][-9:][:len(w)]) if len(T['single'])>=len(w) else w
            print(i+1,m,'ms %.1f'%(1e3*np.median(w)),'moved %.3f'%(s.z!=z0).mean(),'lj %.0f'%L,flush=True)
for m in mosts:
    a=np.array(T[m])[ns//2:]/np.array(T['single'])[ns//2:]
    print(name,K,kind,'most',m,'RATIO %.3f'%np.median(a),'of sums %.3f'%(sum(T[m][ns//2:])/sum(T['single'][ns//2:])))
for m,rng,s in runs:
    C=np.zeros((X.shape[1],p.n_lanes),np.int32); np.add.at(C,(np.repeat(corpus.word,np.diff(corpus.token_ptr)),s.z),1); assert (C==ss.counts(s).word_topic).all(),m
