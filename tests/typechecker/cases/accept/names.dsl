#### shadowing_by_let
def f(x: f32) -> f32 =
    let x = x + 1.0
    let x = x * x
    x
#### shadowing_in_inner_block
def f(x: f32) -> f32 =
    let y =
        let x = 2.0 * x
        x + 1.0
    x + y
#### shadowing_a_library_name
def f(x: f32[n]) -> f32 =
    let sum = mean(x)
    sum + 1.0
#### module_member
import geometry
def f(p: geometry.Point) -> f32 = geometry.norm(p) + p.x
#### module_member module=geometry
type Point = {x: f32, y: f32}
def norm(p: Point) -> f32 = sqrt(p.x ** 2 + p.y ** 2)
#### module_alias
import models.attention as attn
def f(q: f32[n, d], k: f32[m, d]) -> f32[n, m] = attn.scores(q, k)
#### module_alias module=models.attention
def scores(q: f32[n, d], k: f32[m, d]) -> f32[n, m] = q @ k.T / sqrt(f32(d))
#### from_import
from shapes import doubled, Square
def f(x: Square[n]) -> Square[n] = doubled(x)
#### from_import module=shapes
type Square[n] = f32[n, n]
def doubled(x: Square[n]) -> Square[n] = x + x
#### enum_of_a_module
import modes
def f(static m: modes.Mode, x: f32) -> f32 =
    match m with
        modes.Fast -> x
        modes.Slow(k) -> x * k
def g(x: f32) -> f32 = f(modes.Slow(3), x)
#### enum_of_a_module module=modes
enum Mode = Fast | Slow(k: int)
#### constants_in_types
let width = 3
def f(x: f32[n, width]) -> f32[n, width + 1] = concatenate((x, zeros([n, 1])), axis=1)
#### imported_constant_in_types
from config import width
def f(x: f32[n, width]) -> f32[width] = sum(x, axis=0)
#### imported_constant_in_types module=config
let width = 2 + 2
#### static_parameter_in_types_before_it
def f(x: f32[k], static k: int) -> f32[k] = x * 2.0
#### private_in_its_own_module
def _half(x: f32) -> f32 = x * 0.5
def f(x: f32) -> f32 = _half(x)
#### underscore_sizes
def f(x: f32[_n, d]) -> f32[d] = sum(x, axis=0)
#### local_shadows_module
import geometry
def f(geometry: {norm: f32}) -> f32 = geometry.norm
#### local_shadows_module module=geometry
def norm(x: f32) -> f32 = x
#### method_of_imported_function
from shapes import doubled
def f(x: f32[n]) -> f32[n] = x.doubled()
#### method_of_imported_function module=shapes
def doubled(x: f32[n]) -> f32[n] = x + x
#### random_module
import random
from random import normal, split
def f(k: key) -> (f32[3], f32[3]) =
    let (a, b) = split(k)
    (normal(a, [3]), random.uniform(b, [3]))
#### linalg_module
import linalg
def f(a: f32[n, n], b: f32[n]) -> f32[n] = linalg.solve(a, b)
#### several_modules_and_chain
import a
def f(x: f32) -> f32 = a.f(x)
#### several_modules_and_chain module=a
import b
def f(x: f32) -> f32 = b.g(x) + b.g(x)
#### several_modules_and_chain module=b
def g(x: f32) -> f32 = x * x
#### recursion_on_a_static_value
def power(x: f32, static k: int) -> f32 =
    if k == 0 then 1.0
    else x * power(x, k=k - 1)
#### mutual_recursion
static def even(n: int) -> bool = if n == 0 then true else odd(n - 1)
static def odd(n: int) -> bool = if n == 0 then false else even(n - 1)
def f(x: f32, static n: int) -> f32 = if even(n) then x else -x
#### size_named_like_a_constant_of_the_prelude
def mix(w: f32[n, m], v: f32[m, e]) -> f32[n, e] = w @ v
#### constants_of_the_library
def f(r: f32) -> f32 = pi * r ** 2 + e
#### size_named_like_a_function
def f(x: f32[sum, mean]) -> f32[mean] = sum_rows(x)
def sum_rows(x: f32[n, d]) -> f32[d] = sum(x, axis=0)
#### builtin_of_the_same_name_as_a_field
def f(p: {sum: f32, mean: f32}) -> f32 = p.sum - p.mean
#### size_named_like_an_array
def dense(x: f32[b, i], w: f32[i, o], b: f32[o]) -> f32[b, o] = x @ w + b
def bound[n](n: f32, y: f32[n]) -> f32 = sum(y) + n
