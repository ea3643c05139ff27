#: smooth = (if 1 < 2 then v else nextafter(v, 1.0)) | by_number(v, 1) | by_number(2.0 * v, 2) | by_size(v, [1.0]) | by_form(v, Smooth) | by_form(v, Stepped(3)) | by_flag(v, smooth=true) | by_list(v, [3]) | later(2.0, 3) | ends(v, 6) | by_number(v, k) | (if k == 0 then nextafter(v, 1.0) else v) | ends(v, k) | later(stop_gradient(v), k) | by_dtype(v, f32) | by_text(v) | by_axes(v) | by_pair(v, (2, false)) | by_pair(v, (1, true)) | by_rank([[v]]) | by_oddness(v, deep + 1) | (fold s = v for k in (1, 2) do (if k == 3 then nextafter(s, 1.0) else s))
#### smooth_that_is_taken
def f(x: f32, static k: int) -> f32 where k == 2 = grad(fn v -> 2.0 * v + <smooth>)(x)
<branches>
#: number = 1 | k | 3 - 1
#### parts_that_are_taken
def f(x: f32[8], static k: int) -> f32[8] where k != 0 = shard(fn v -> parts(v, <number>), mesh(i=2), {i = 0}, {i = 0})(x)
def parts(v: f32[n], static k: int) -> f32[n] where n % 2 == 0 = if k == 0 then with_sharding(v, mesh(i=2), {i = 0}) else 2.0 * v
#: some = (if k == 0 then nextafter(v, 1.0) else v) | by_number(v, k) | ends(v, k + 1)
#: call = slope(x, 1) | slope(x) | 2.0 * between(x, 2) | (fn z -> slope(z, 1))(x)
#### no_step_in_a_call
def slope(x: f32, static k: int = 1) -> f32 where k == 1 = grad(fn v -> v + <some>)(x)
def f(x: f32, static k: int) -> f32 = <call>
def between(x: f32, static n: int) -> f32 where n == 2 = slope(x, n - 1)
def g(x: f32) -> f32 = by_sizes(x, ones([3]))
def by_sizes(x: f32, y: f32[n]) -> f32 where n != 2 = grad(fn v -> v + by_size(v, y))(x)
<branches>
