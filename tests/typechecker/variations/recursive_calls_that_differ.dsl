#: again = rec(<v>, 2) | both(<v>, 2) | 2.0 * rec(rec(<v>, 1), 2)
#: v = v | 3.0 * v
#### results_of_maps
def rec(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + rec(x, k - 1)
def both(x: f32, static k: int) -> f32 = if k == 0 then 2.0 * x else other(x, k - 1)
def other(x: f32, static k: int) -> f32 = if k == 0 then x else both(x, k - 1)
def f(x: f32[4]) -> f32 = vmap(fn v -> <again>, out_axes=none)(x) #! E0812
#### results_of_parts
def rec(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + rec(x, k - 1)
def both(x: f32, static k: int) -> f32 = if k == 0 then 2.0 * x else other(x, k - 1)
def other(x: f32, static k: int) -> f32 = if k == 0 then x else both(x, k - 1)
def f(x: f32[4]) -> f32 = shard(fn w -> (fn v -> <again>)(sum(w)), mesh(i=2), {i = 0}, none)(x) #! E1011
#### derivatives
def rec(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + rec(x, k - 1)
def both(x: f32, static k: int) -> f32 = if k == 0 then 2.0 * x else other(x, k - 1)
def other(x: f32, static k: int) -> f32 = if k == 0 then x else both(x, k - 1)
def f(x: f32) -> f32 = grad(fn v -> nextafter(<again>, 1.0))(x) #! E0803
#### captured_in_rules
def rec(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + rec(x, k - 1)
def both(x: f32, static k: int) -> f32 = if k == 0 then 2.0 * x else other(x, k - 1)
def other(x: f32, static k: int) -> f32 = if k == 0 then x else both(x, k - 1)
def inside(v: f32) -> f32 =
    let w = <again>
    custom_jvp(sin, fn (p, d) -> (sin(p.0), w * d.0))(v)
def f(x: f32) -> f32 = grad(inside)(x) #! E0818
#### whole_arrays_in_parts
def deep(x: f32[4], static k: int) -> f32[4] =
    let y = with_sharding(x, mesh(i=2), {i = 0}) #! E1018
    if k == 0 then y else deep(y, k - 1)
def f(x: f32[8]) -> f32[8] = shard(fn v -> deep(v, 2), mesh(i=2), {i = 0}, {i = 0})(x)
