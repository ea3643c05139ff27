#: times = k * p | p * k | p / k | p + k * p | p - p / k
#: other = f16 | f64 | i32 | c64 | bool
#: tree = {a: f32} | (f32, f32[3]) | {a: {b: f32[n]}, c: (f32,)} | {a: f32}[n] | ({a: f32[2]}[3], f32)
#: mixed = {a: f32, b: f64} | (f64, {c: f32[n]}) | {a: f32, z: c64} | (f32, {h: f16}[4])
#: class = VSpace | VSpace[Float] | VSpace[Inexact] | VSpace[Complex] | VSpace[f64]
#: far = 1e39 * p | p * (2.0 ** 200) | p / 1e39 | 10 ** 39 * p | -4e38 * p + p
#: known = 2.0 * p | p * 3 | 1e4 * p | p / 0.5 | inf * p
#### scalar_of_another_dtype_than_the_leaves
def f(p: <tree>, k: <other>) -> <tree> = <times> #! E0301
#### scalar_of_the_dtype_of_the_leaves
def f(p: <tree>, k: f32) -> <tree> = <times>
#### scalar_of_one_of_several_dtypes
def f(p: <mixed>, k: f32) -> <mixed> = <times> #! E0301
#### scalar_converted_for_each_leaf
def f(p: <mixed>, k: f32) -> <mixed> = tree_map(fn x -> cast(k, x.dtype) * x, <known>)
#### scalar_of_a_class_of_trees
def f[P: <class>](p: P, k: f32) -> P = <times> #! E0301
#### scalar_of_trees_of_one_dtype
def g[P: VSpace[f32]](p: P, k: f32) -> P = <times>
def f(p: <tree>, k: f32) -> <tree> = g(p, k)
#### scalar_of_complex_trees_of_one_dtype
def g[P: VSpace[c64]](p: P, k: c64) -> P = <times>
def f(p: (c64, c64[n]), k: c64) -> (c64, c64[n]) = g(p, k)
#### number_beyond_the_leaves
def f(p: <tree>) -> <tree> = <far> #! E0304
#### number_beyond_a_leaf
def f(p: <mixed>) -> <mixed> = <far> #! E0304
#### number_beyond_a_dtype_of_leaves
def f[P: VSpace](p: P) -> P = <far> #! E0304
#### number_that_leaves_hold
def f(p: <mixed>) -> <mixed> = <known>
#### number_of_callers_beyond_a_leaf
def g[P: VSpace](p: P, static k: float) -> P = <times>
def f(p: <tree>) -> <tree> = g(p, 1e39) #! E0407
#### number_of_callers_that_leaves_hold
def g[P: VSpace](p: P, static k: float) -> P = <times>
def f(p: <tree>) -> <tree> = g(p, 1e4)
#: list = [1.0, 2.0] | [0.5, 1.0 / 2.0] | [1, 2] | [[1.0, 2.0], [3.0, 4.0]][0]
#### number_beyond_the_dtype_of_a_list
def f() -> f16[2] = <list> * 1e6 #! E0304
#### integer_beyond_the_dtype_of_a_list
def f() -> u8[2] = [1, 2] + 300 #! E0304
