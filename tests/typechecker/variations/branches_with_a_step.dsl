#: e = <step>
#: step = nextafter(v, 1.0) | sin(2.0 * nextafter(v, 2.0) + v)
#: known = (if 1 > 2 then v else <step>) | by_number(v, 0) | by_number(2.0 * v, 4) | by_size(v, [1.0, 2.0]) | by_form(v, Stepped(2)) | by_flag(v) | by_flag(v, smooth=false) | by_list(v, [1, 3]) | later(v, 3) | one(v, 4) | ends(v, 7) | by_dtype(v, f64) | by_text(v, name="cos") | by_axes(v, a=1) | by_pair(v, (2, true)) | by_pair(v, (deep, false)) | by_rank([v]) | by_oddness(v, deep) | (fold s = v for k in (1, 2) do (if k == 2 then nextafter(s, 1.0) else s))
#: unknown = (if k == 0 then nextafter(v, 1.0) else <step>) | (if k > 2 then nextafter(v, 1.0) else if k > 1 then nextafter(v, 2.0) else <step>) | later(v, k) | one(v, k) | (if k > 5 then later(v, k) else by_number(v, 5))
#### step_that_is_taken
def f(x: f32) -> f32 = grad(fn v -> 2.0 * <known>)(x) #! E0803
<branches>
#### step_on_all_ways
def f(x: f32, static k: int) -> f32 = grad(fn v -> v + <unknown>)(x) #! E0803
<branches>
#: number = 0 | k
#### whole_array_on_all_ways
def f(x: f32[8], static k: int) -> f32[8] = shard(fn v -> parts(v, <number>), mesh(i=2), {i = 0}, {i = 0})(x)
def parts(v: f32[n], static k: int) -> f32[n] where n % 2 == 0 =
    if k == 0 then
        with_sharding(v, mesh(i=2), {i = 0}) #! E1018
    else parts(v, k - 1)
#: some = (if k == 0 then nextafter(v, 1.0) else v) | by_number(v, k + 3) | ends(v, k + 1) | later(if k == 0 then v else 1.0, k)
#: slope = grad(fn v -> v + <some>)(x) | jvp(fn v -> <some>, (x,), (1.0,)).1
#### step_in_a_call
def slope(x: f32, static k: int = 0) -> f32 = <slope> #! E0803
def f(x: f32) -> f32 = <call>
def between(x: f32, static n: int) -> f32 = slope(x, n - 1)
<branches>
#: call = slope(x, 0) | slope(x) | 2.0 * between(x, 1) | (fn z -> slope(z, 0))(x) | vmap(fn z -> slope(z, 0))([x])[0] | jit(slope)(x)
#: sometimes = (if k == 0 then nextafter(v, 1.0) else v) | by_number(v, k) | by_number(v, k - 1) | ends(v, k) | later(v, k) | (if k > 40 and k % 3 == 0 then nextafter(v, 1.0) else v)
#### step_for_some_static_value
def f(x: f32, static k: int) -> f32 where k >= 0 = grad(fn v -> v + <sometimes>)(x) #! E0803
<branches>
#: branch = static form: Form) -> f32 = grad(fn v -> by_form(v, form))(x) | static smooth: bool) -> f32 = grad(fn v -> by_flag(v, smooth))(x) | static s: shape) -> f32 = grad(fn v -> by_list(v, s))(x) | static name: str) -> f32 = grad(fn v -> by_text(v, name))(x) | static p: (int, bool)) -> f32 = grad(fn v -> by_pair(v, p))(x) | static a: axes) -> f32 = grad(fn v -> by_axes(v, a))(x) | y: f32[*s]) -> f32 = grad(fn v -> by_rank(v * y))(x) | y: f32[n]) -> f32 = grad(fn v -> by_size(v, y))(x)
#### step_for_some_value_of_another_type
def f(x: f32, <branch> #! E0803
<branches>
#### step_for_a_size
def slope(x: f32, y: f32[n]) -> f32 = grad(fn v -> v + by_size(v, y))(x) #! E0803
def f(x: f32) -> f32 = slope(x, ones([2]))
<branches>
