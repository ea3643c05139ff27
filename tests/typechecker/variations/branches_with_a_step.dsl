#: e = <step>
#: step = nextafter(v, 1.0) | sin(2.0 * nextafter(v, 2.0) + v)
#: known = (if 1 > 2 then v else <step>) | by_number(v, 0) | by_number(2.0 * v, 4) | by_size(v, [1.0, 2.0]) | by_form(v, Stepped(2)) | by_flag(v) | by_flag(v, smooth=false) | by_list(v, [1, 3]) | later(v, 3) | one(v, 4) | ends(v, 7)
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
