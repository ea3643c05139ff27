#: e = x[-(<place> + 1)] | x.at[-(<place> + 1)].get() | x.at[-(<place> + 1)].set(1.0)[0]
#: place = i | i // 2 | argmin(x) | (if t then i else 0) | i * i % n
#### one_is_the_last_place
def f(x: f32[n], i: idx[n], t: bool) -> f32 where n >= 1 = <around>
