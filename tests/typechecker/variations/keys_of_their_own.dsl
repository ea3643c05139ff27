#: e = <draw>(<key>) | <draw>(<key>, [3])[1]
#: draw = normal | uniform | exponential
#: key = k | split(k)[1] | fold_in(k, 3) | ks[0] | ks[-1] | fold_in(ks[1], i) | p.k | split(p.k, 4)[2]
#### a_key_for_each_draw
from random import normal, uniform, exponential, split, fold_in
def f(x: f32[n], k: key, ks: key[n], p: {k: key, v: f32}, i: i32, t: bool) -> f32 where n >= 2 = <once>
