import time,sys
sys.path.insert(0,sys.argv[1])
import numba.core.event as ev
from numba.core import event
class L(event.Listener):
    def __init__(s): s.t={}; s.d={}
    def on_start(s,e): s.t[id(e.data['dispatcher'])]=time.perf_counter()
    def on_end(s,e):
        d=e.data['dispatcher']; s.d[d.py_func.__module__.split('.')[-1]+'.'+d.py_func.__name__]=s.d.get(d.py_func.__name__,0)+time.perf_counter()-s.t[id(d)]
l=L(); event.register('numba:compile',l)
import numpy as np
from sklda import CollapsedGibbsLDA
import sklda; print(sklda.__file__)
t=time.perf_counter()
kw=eval(sys.argv[2])
exec(open('/work/tmp/wt18/proto/tiny2.py').read())
print('first fit',time.perf_counter()-t)
for k,v in sorted(l.d.items(),key=lambda x:-x[1])[:25]: print('%6.2f %s'%(v,k))
