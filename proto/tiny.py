import importlib
from sklda._gibbs.blocked_sampler import make_blocks
from sklda._core.corpus import check_corpus
from sklda._core.problem import Problem
from sklda._core.random_streams import RandomStreams, random_topics
kb=importlib.import_module('sklda._gibbs.kernels.blocked.'+kw.get('kind','rows'))
X=np.array([[6,1,2],[3,3,4]]); corpus=check_corpus(CollapsedGibbsLDA(),X,reset=True)
p=Problem(corpus,3,np.full(3,.1),.1)
rng=RandomStreams(np.random.SeedSequence(1)); z=random_topics(19,3,rng.kernel)
s=kb.from_topics(p,z)
t=time.perf_counter()
kb.sweep_blocks(make_blocks(corpus,4),s,p.kernel_priors(),rng.kernel)
