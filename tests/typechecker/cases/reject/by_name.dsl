#### name_twice
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def f(x: f32[b, 3]) -> f32[b, 3] ! param = dense(dense(x, "a", 3), "a", 3) #! E0722
#### name_twice_in_a_sum
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample = sample("a", x, x) + sample("a", x, x) #! E0722
#### name_inside_of_a_name
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample = sample("a", x, x) + (with scope("a") do sample("b", x, x)) #! E0722
#### name_in_a_lambda_called_twice
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample =
    let g = fn v -> sample("a", v, 1.0)
    g(g(x)) #! E0722
#### name_in_a_comprehension
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32[n]) -> f32[n] ! sample = [sample("a", v, 1.0) for v in x] #! E0723
#### name_in_a_loop
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32[n]) -> f32 ! sample = fold t = 0.0 for v in x do t + sample("a", v, 1.0) #! E0723
#### name_in_a_branch
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample = if x > 0.0 then sample("a", x, x) else 0.0 #! E0723
#### name_in_a_map
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32[n]) -> f32[n] ! sample = vmap(fn v -> sample("a", v, 1.0))(x) #! E0723
#### name_in_what_is_differentiated
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample = grad(fn v -> sample("a", v, 1.0))(x) #! E0723
#### name_behind_any_effects
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def twice(g: (f32) -> f32 ! e, x: f32) -> f32 ! e = g(g(x))
def f(x: f32) -> f32 ! sample = twice(fn v -> sample("a", v, 1.0), x) #! E0723
#### name_by_sizes
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32[n]) -> f32[n] ! param = if n > 2 then x * param("a", fn k -> 1.0) else x #! E0723
#### name_not_declared
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def f(x: f32[b, 3]) -> f32[b, 3] = dense(x, "a", 3) #! E0701
#### name_in_a_recursion
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32, static n: size) -> f32 ! sample =
    let y = sample("a", x, 1.0)
    if n == 0 then y else f(y, n - 1) #! E0724
#### record_without_a_field
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def f(x: f32[b, 3]) -> f32[b, 3] = apply({a = {w = zeros([3, 3])}}, fn () -> dense(x, "a", 3)) #! E0309
#### record_with_a_field_too_many
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def f(x: f32[b, 3]) -> f32[b, 3] = apply({a = {w = zeros([3, 3]), b = zeros([3]), c = 1.0}}, fn () -> dense(x, "a", 3)) #! E0309
#### record_of_another_shape
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def f(x: f32[b, 3]) -> f32[b, 3] = apply({a = {w = zeros([3, 4]), b = zeros([3])}}, fn () -> dense(x, "a", 3)) #! E0402
#### record_of_another_model
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def f(k: key, x: f32[b, 3]) -> f32[b, 3] =
    let p = init(k, fn () -> dense(x, "a", 3))
    apply(p, fn () -> dense(x, "b", 3)) #! E0309
#### record_for_another_size
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def net(x: f32[b, d]) -> f32[b, 2] ! param = dense(x, "a", 2)
def f(p: net.param, x: f32[b, d], y: f32[b, e]) -> f32[b, 2] = apply(p, fn () -> net(y)) #! E0402
#### record_of_what_performs_nothing
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def net(x: f32) -> f32 = x
def f(p: net.param) -> f32 = 1.0 #! E0724
#### any_names_of_a_given_function
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(g: (f32) -> f32 ! sample, x: f32) -> f32 = x #! E0724
#### record_of_what_is_not_by_name
effect plain: (x: f32) -> f32
def f(g: (f32) -> f32 ! plain({}), x: f32) -> f32 = x #! E0725
#### operation_without_a_name
effect named bad: (x: f32) -> f32 #! E0725
#### shared_operation_of_a_value
effect shared bad: (static name: str, x: f32) -> f32 #! E0725
#### effect_of_an_unknown_form
effect funny bad: (static name: str, x: f32) -> f32 #! E0128
#### shared_by_what_varies
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(xs: f32[n]) -> f32[n] ! param = [x * param("w", fn k -> x * normal(k)) for x in xs] #! E0725
#### scope_of_a_number
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32, i: i32) -> f32 ! sample = with scope(i) do sample("a", x, x) #! E0501
#### record_of_no_operation_by_name
effect plain: (x: f32) -> f32
def f(x: f32) -> (f32, {}) = with handler plain(v) -> resume(v), record do plain(x) #! E0725
#### field_of_what_is_not_by_name
effect plain: (x: f32) -> f32
def f(x: f32) -> f32 = with handler plain(v) as w from {} -> resume(w) do plain(x) #! E0725
#### field_that_nothing_performs
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample = with handler sample(n, l, s) as v from {b = 1.0} -> resume(v) do sample("a", x, x) #! E0724
#### collected_fields_of_a_result
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def draw[B: Tree, P: Tree](k: key, f: () -> B ! sample(P)) -> P =
    let (_, p) = with rng(k) do (with handler sample(name, loc, scale) -> resume(loc + scale * normal(fresh_key(), loc.shape)), record do f())
    p
def f(k: key, x: f32) -> {a: f32, b: f32} = draw(k, fn () -> sample("a", x, x)) #! E0309
#### model_called_without_a_handler
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def model(x: f32) -> f32 ! sample = sample("a", x, 1.0)
def f(x: f32) -> f32 = model(x) #! E0701
#### collected_with_a_state
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def f(x: f32[n]) -> f32 ! param = fold t = 0.0 for v in x do t + v * param("w", fn k -> 1.0)
def g(k: key, x: f32[n]) -> (f32, {w: f32}) =
    let (found, _) =
        with state s = 0.0 do
            with rng(k) do
                with handler param(name, start) ->
                    s := s + 1.0 #! E0725
                    resume(start(fresh_key()))
                , record do f(x)
    found
#### one_name_from_all
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def two(x: f32) -> f32 ! sample = sample("a", x, 1.0) + sample("b", x, 1.0)
def f(x: f32) -> f32 ! sample =
    with handler sample(name, loc, scale) -> resume(sample("c", loc, scale)) do
        two(x) #! E0722
#### named_from_any_operation
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
effect ask: (x: f32) -> f32
def two(x: f32) -> f32 ! ask = ask(x) + ask(x)
def f(x: f32) -> f32 ! sample =
    with handler ask(x) -> resume(sample("c", x, 1.0)) do two(x) #! E0723
#### one_name_for_two_parameters
effect named s: (static name: str, l: f32) -> f32
def mm(x: f32, static a: str, static b: str) -> f32 ! s = s(a, x) + 10.0 * s(b, 2.0 * x)
def g(x: f32) = with handler s(name, l) -> resume(l), record do mm(x, "u", "u") #! E0722
#### one_name_for_two_layers
import nn
def two(x: f32[b, n], static a: str, static c: str) -> f32[b, n] ! nn.param = nn.dense(nn.dense(x, a, n), c, n)
def f(x: f32[b, 3]) -> f32[b, 3] ! nn.param = two(x, "a", "a") #! E0722
#### one_name_for_two_shapes
effect named s: (static name: str, static k: int) -> f32[k] where k >= 0
def h(static a: str, static b: str) -> (f32[2], f32[3]) ! s = (s(a, 2), s(b, 3))
def f() = with handler s(name, k) -> resume(ones([k])), record do h("u", "u") #! E0722
#### one_name_for_a_scope_and_a_value
effect named s: (static name: str, l: f32) -> f32
def h(x: f32, static a: str, static b: str) -> f32 ! s = (with scope(a) do s("q", x)) + s(b, 2.0*x)
def f(x: f32) -> f32 ! s = h(x, "u", "u") #! E0722
#### name_in_a_loop_over_a_tuple
effect named s: (static name: str, l: f32) -> f32
def mm(x: f32) -> f32 ! s = fold h = x for i in (1,2,3) do h + s("w", h) #! E0722
#### stated_record_of_another_size
import nn
def net(x: f32[n]) -> f32[n] ! nn.param({w: f32[3]}) = x * nn.param("w", fn k -> ones([n])) #! E0402
#### stated_record_with_a_field_too_many
effect named s: (static name: str, l: f32) -> f32
def f(x: f32) -> f32 ! s({a: f32, b: f32}) = s("a", x) #! E0309
#### stated_record_of_another_dtype
effect named sample[T: Float]: (static name: str, x: T) -> T
def f(x: f32) -> f32 ! sample({a: f64}) = sample("a", x) #! E0302
#### stated_record_of_another_name
effect named s: (static name: str, l: f32) -> f32
def f(x: f32) -> f32 ! s({b: f32}) = s("a", x) #! E0309
#### index_of_a_record_not_checked
effect named choose: (static name: str, p: f32[k]) -> idx[k] where k >= 1
def app[B: Tree, P: Tree](v: P, f: () -> B ! choose(P)) -> B = with handler choose(name, p) as q from v -> resume(q) do f()
def pol(x: f32[n]) -> f32 ! choose where n >= 1 = x[choose("a", x)]
def a(i: i32, x: f32[n]) -> f32 where n >= 1 = app({a = i}, fn () -> pol(x)) #! E0303
#### index_of_a_record_here_not_checked
effect named choose: (static name: str, p: f32[k]) -> idx[k] where k >= 1
def pol(x: f32[n]) -> f32 ! choose where n >= 1 = x[choose("a", x)]
def a(i: i32, x: f32[n]) -> f32 where n >= 1 = with handler choose(name, p) as q from {a = i} -> resume(q) do pol(x) #! E0303
#### shared_by_a_bound_lambda
import nn
def f(x: f32[n]) -> f32[n] ! nn.param =
    let go = fn k -> sum(x) #! E0725
    x * nn.param("s", go)
#### shared_by_a_lambda_in_a_tuple
import nn
def f(x: f32[n]) -> f32[n] ! nn.param =
    let t = ({go = fn k -> sum(x)}, 1.0) #! E0725
    x * nn.param("s", t.0.go)
#### text_by_name
import nn
def f(x: f32) -> f32 ! nn.param =
    let q = nn.param("q", fn k -> "text") #! E0329
    x
#### function_by_name
effect named fun: (static name: str) -> (f32) -> f32 #! E0725
#### record_of_a_function_by_name
import nn
def f(x: f32) -> f32 ! nn.param =
    let q = nn.param("q", fn k -> {f = fn v -> v, w = 1.0}) #! E0329
    x
#### key_by_name
import nn
def f(x: f32) -> f32 ! nn.param =
    let q = nn.param("q", fn k -> k) #! E0329
    x
#### one_key_for_all
import random
effect shared par[P: Move]: (static name: str, start: () -> P) -> P
def net(x: f32) -> f32 ! par = x + random.normal(par("q", fn () -> random.key(0))) #! E0725
#### name_in_a_checkpoint
effect named s: (static name: str, l: f32) -> f32
def f(x: f32) -> f32 ! s = x * s("a", x)
def a(x: f32) -> f32 ! s = checkpoint(f)(x) #! E0723
#### syntax_error_in_a_model
effect named sample[*s]: (static name: str, loc: f32[*s]) -> f32[*s]
def f(x: f32) -> f32 ! sample =
    let a = sample("a", x #! E0102
    a
def g(x: f32) -> f32 = with handler sample(name, loc) as v from {a = 1.0} -> resume(v) do f(x)
def h(v: f.sample, x: f32) -> f32 = v.a
def i(x: f32) -> {a: f32} = (with handler sample(name, loc) -> resume(loc), record do f(x)).1
