sys.path.insert(0,'/work/tmp/wt18/proto')
import rowblocks as kb
from sklda._gibbs.kernels import single_site_rows as ss
from sklda._gibbs.blocked_sampler import make_blocks
from sklda._core.corpus import check_corpus
from sklda._core.problem import Problem
from sklda._core.random_streams import RandomStreams, random_topics
X=np.array([[6,1,2],[3,3,4]]); corpus=check_corpus(CollapsedGibbsLDA(),X,reset=True)
p=Problem(corpus,3,np.full(3,.1),.1)
rng=RandomStreams(np.random.SeedSequence(1)); z=random_topics(19,3,rng.kernel)
s=ss.from_topics(p,z)
t=time.perf_counter()
B=make_blocks(corpus,4)
kb.sweep_blocks(B.doc_ptr,B.word,B.first,B.size,s,p.kernel_priors(),rng.kernel)
