#: e = sum(vmap(fn q -> <draw>(q))(<keys>)) | sum([<draw>(q) for q in <keys>])
#: draw = normal | uniform | exponential
#: keys = ks[[0, 0]] | ks[[1, 0, 1]] | ks[ids] | ks[[i, 0]] | ks.at[ids].get() | ps[ids].k
#### keys_that_may_be_one_twice
from random import normal, uniform, exponential
def f(x: f32[n], ks: key[n], ps: {k: key, v: f32}[n], ids: idx[n][m], i: idx[n], t: bool) -> f32 where n >= 2 = <once> #! E06
