import sys,numpy as np
sys.path.insert(0,'/work/main')
from scipy import sparse
from sklda import CollapsedGibbsLDA
from sklda._core.corpus import check_corpus
from sklda._core.problem import Problem
from sklda._core.threads import Threads
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._gibbs.rows_then_lists import single_site_sampler, _rows_are_faster
for name in ('nips','kos'):
    X=sparse.load_npz(f'/work/tmp/{name}.npz')
    corpus=check_corpus(CollapsedGibbsLDA(),X,reset=True)
    for K in (400,1024):
        p=Problem(corpus,X.shape[1],np.full(K,.1),.01)
        s=single_site_sampler(p,1,Threads())
        rng=RandomStreams(np.random.SeedSequence(1)); z=random_topics(int(corpus.token_ptr[-1]),K,rng.kernel)
        st=s.from_topics(p,z); out=[]
        for i in range(50):
            st=s.sweep(p,st,rng)
            if i in (0,4,9,19,29,49):
                wt=s.counts(st).word_topic; n=np.count_nonzero(wt,axis=1)
                out.append((i+1,getattr(st,'in_rows','lists'),round(n[corpus.word].mean(),1)))
        print(name,K,out)
