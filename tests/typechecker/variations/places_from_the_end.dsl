#: e = x[-(<place>)] | x.at[-(<place>)].get() | x.at[-(<place>)].set(1.0)[0]
#: place = i | i // 2 | argmin(x) | (if t then i else 0) | i * i % n
#### zero_is_not_the_end
def f(x: f32[n], i: idx[n], t: bool) -> f32 where n >= 1 = <around> #! E0701
