#: again = constant(v, 2) | both(v, 2) | rec(1.0, 2) | constant(rec(v, 2), 2)
#### values_that_do_not_depend
def rec(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + rec(x, k - 1)
def constant(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else 2.0 * constant(x, k - 1)
def both(x: f32, static k: int) -> f32 = if k == 0 then 2.0 else other(x, k - 1)
def other(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else both(x, k - 1)
def f(x: f32[4]) -> f32 = vmap(fn v -> <again>, out_axes=none)(x)
def g(x: f32[4]) -> f32 = shard(fn w -> (fn v -> <again>)(sum(w)), mesh(i=2), {i = 0}, none)(x)
def h(x: f32) -> f32 = grad(fn v -> v * nextafter(<again>, 1.0))(x)
