#### static_wants_the_chain
def f(x: f32[n], k: i32) -> f32[n] =
    let j = k + 1
    sum(zeros([j])) + x #! E05
#### traced_axis
def f(x: f32[n, m], a: i32) -> f32[n] = sum(x, axis=a) #! E05
#### traced_range
def f(k: i32) -> f32 = fold a = 0.0 for i in range(k) do a + 1.0 #! E05
#### traced_match
def f(k: i32) -> f32 =
    match k with #! E05
        0 -> 1.0
        _ -> 2.0
#### traced_static_parameter
def g(x: f32, static k: int) -> f32 = x ** k
def f(x: f32, k: i32) -> f32 = g(x, k=k) #! E05
#### traced_enum_by_if
enum Act = Relu | Tanh
def f(x: f32, c: bool) -> f32 =
    let a = if c then Relu else Tanh #! E0509
    x
#### traced_function_by_if
def f(x: f32, c: bool) -> f32 =
    let g = if c then fn (v: f32) -> v else fn (v: f32) -> -v #! E0509
    g(x)
#### traced_string_by_if
def f(x: f32) -> f32 ! io =
    let s = if x > 0.0 then "a" else "b" #! E0509
    x
#### carry_is_traced
def f(x: f32[n]) -> f32[3] =
    let k = fold k = 0 for _ in range(3) do k + 1
    zeros([k]) #! E05
#### static_leaf_of_pair
def f(x: f32[n], k: i32) -> f32[n] =
    let (a, b) = (n, k)
    zeros([a]) + sum(zeros([b])) + x #! E05
#### limit_is_static
def f(x: f32, k: i32) -> f32 = iterate y = x while y > 1.0 limit k do y * 0.5 #! E05
#### condition_of_iterate_is_an_array
def f(x: f32[n]) -> f32[n] = iterate y = x while y > 1.0 limit 5 do y * 0.5 #! E03|E05
#### dtype_from_traced
def f(x: f32, c: bool) -> f32 = cast(x, if c then f32 else f64) #! E05
#### assignment
def f(x: f32) -> f32 =
    let y = x
    y = 3.0 #! E06
    y
#### augmented
def f(x: f32) -> f32 =
    let y = x
    y += 1.0 #! E06
    y
#### field_assignment
type P = {w: f32}
def f(p: P) -> P =
    p.w = 2.0 #! E06
    p
#### write_to_no_state
def f(x: f32) -> f32 =
    let y = x
    y := 3.0 #! E06
    y
#### plus_to_a_state
def f(x: f32) -> (f32, f32) =
    with state s = x do
        s += 1.0 #! E06
        s
#### write_to_an_accum
def f(x: f32) -> (f32, f32) =
    with accum a: f32 do
        a := x #! E06
        x
#### read_of_an_accum
def f(x: f32) -> (f32, f32) =
    with accum a: f32 do
        a += x
        a * 2.0 #! E0
#### unknown_field_update
type P = {w: f32, b: f32}
def f(p: P) -> P = {p with v = 2.0} #! E02|E03
#### update_changes_type
type P = {w: f32, b: f32}
def f(p: P, x: f32[n]) -> P = {p with w = x} #! E03|E04
#### mask_in_get
def f(x: f32[n]) -> f32[n] = x.at[x > 0.0].get() #! E0402
#### at_without_method
def f(x: f32[n]) -> f32[n] = x.at[0] #! E0
#### key_used_twice
import random
def f(k: key) -> f32 = random.normal(k, []) + random.uniform(k, []) #! E0610
#### key_used_after_split
import random
def f(k: key) -> f32 =
    let (a, b) = random.split(k, 2)
    random.normal(a, []) + random.normal(k, []) #! E0610
#### key_in_branch_and_after
import random
def f(k: key, c: bool) -> f32 =
    let a = if c then random.normal(k, []) else 0.0
    a + random.normal(k, []) #! E0610
#### key_returned_and_used
import random
def f(k: key) -> (key, f32) = (k, random.normal(k, [])) #! E0610
#### key_renamed
import random
def f(k: key) -> f32 =
    let j = k
    random.normal(k, []) #! E0610
#### key_array_same_index
import random
def f(ks: key[3]) -> f32 = random.normal(ks[1], []) + random.normal(ks[1], []) #! E0610
#### key_array_traced_index
import random
def f(ks: key[3], i: idx[3]) -> f32 = random.normal(ks[i], []) + random.normal(ks[0], []) #! E0610
#### key_whole_after_part
import random
type S = {k: key, j: key}
def use(s: S) -> f32 = random.normal(s.k, []) + random.normal(s.j, [])
def f(s: S) -> f32 = random.normal(s.k, []) + use(s) #! E0610
#### key_in_comprehension
import random
def f(k: key, x: f32[n]) -> f32[n] = [v + random.normal(k, []) for v in x] #! E06
#### key_in_fold
import random
def f(k: key, x: f32[n]) -> f32 = fold a = 0.0 for v in x do a + random.normal(k, []) #! E06
#### key_in_lambda_passed
import random
def f(k: key, x: f32[n]) -> f32[n] = vmap(fn v -> v + random.normal(k, []))(x) #! E06
#### key_in_stored_lambda
import random
def f(k: key, x: f32) -> f32 =
    let g = fn v -> v + random.normal(k, [])
    sum([g(v) for v in [x, x]]) #! E06
#### fold_in_over_an_element
import random
def f(k: key, x: i32[n]) -> f32[n] = [random.normal(random.fold_in(k, v), []) for v in x] #! E06
#### fold_in_twice_in_the_body
import random
def f(k: key) -> f32[5] =
    [random.normal(random.fold_in(k, i), []) + random.uniform(random.fold_in(k, i), []) for i in range(5)] #! E06
#### fold_in_of_an_expression
import random
def f(k: key) -> f32[5] = [random.normal(random.fold_in(k, i // 2), []) for i in range(5)] #! E06
#### key_gone_after_the_loop
import random
def f(k: key) -> f32[5] =
    let a = [random.normal(random.fold_in(k, i), []) for i in range(5)]
    a + random.normal(k, []) #! E0610
#### fold_in_over_outer_index
import random
def f(k: key) -> f32[5, 3] =
    [[random.normal(random.fold_in(k, i), []) for j in range(3)] for i in range(5)] #! E06
#### unmapped_key
import random
def g(k: key, x: f32) -> f32 = x + random.normal(k, [])
def f(k: key, x: f32[n]) -> f32[n] = vmap(g, in_axes=(none, 0))(k, x) #! E06|E08
#### key_in_state
import random
def f(k: key) -> f32 =
    let (v, j) = with state s = k do 1.0 #! E06
    v
#### top_level_key
import random
let k0 = random.key(0) #! E06
def f(x: f32) -> f32 = x
#### key_arithmetic
def f(k: key) -> key = k + 1 #! E03
#### sampler_in_condition
import random
def f(k: key) -> f32 = iterate x = 0.0 while x < random.uniform(k, []) limit 5 do x + 0.1 #! E06
#### undeclared_rand
def f(x: f32) -> f32 =
    x + random.normal(fresh_key(), []) #! E07
import random
#### undeclared_check
def f(x: f32) -> f32 =
    assert x > 0.0, "positive" #! E07
    sqrt(x)
#### undeclared_div
def f(x: f32) -> f32 = iterate y = x while y > 1.0 do y * 0.5 #! E07
#### undeclared_through_a_call
def g(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 ! check = g(x) #! E07
#### undeclared_through_a_lambda
def f(x: f32) -> f32 =
    let g = fn v ->
        print("{}", v) #! E07
        v
    g(x)
#### pure_function_parameter
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def noisy(x: f32) -> f32 ! io =
    print("{}", x)
    x
def g(x: f32) -> f32 ! io = apply(noisy, x) #! E07|E03
#### effect_variable_not_covered
def twice(f: (f32) -> f32 ! e, x: f32) -> f32 = f(f(x)) #! E07
#### misspelled_effect
def f(x: f32) -> f32 ! rnad = x #! E0210
#### effect_of_inner_function
def make(x: f32) -> ((f32) -> f32 ! io) =
    print("{}", x) #! E07
    fn v -> v
#### state_of_another_name
def bump(x: f32) -> f32 ! state(s: f32) =
    t := x #! E06
    s
#### state_of_another_type
def bump(x: f32) -> f32 ! state(s: f32) =
    s := x + s
    s
def f(x: i32) -> (f32, i32) = with state s = x do bump(1.0) #! E07|E03
#### state_write_of_another_type
def f(x: f32) -> (f32, f32) =
    with state s = x do
        s := 1 > 2 #! E03
        x
#### unhandled_state
def bump(x: f32) -> f32 ! state(s: f32) =
    s := x + s
    s
def f(x: f32) -> f32 = bump(x) #! E07
#### state_written_in_comprehension
def f(x: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        [(fn _ -> v)(put(v)) for v in x] #! E0720
def put(v: f32) -> () ! state(s: f32) =
    s := v
    ()
#### state_read_of_what_is_written
def step(v: f32) -> f32 ! state(s: f32) =
    s := s + v
    s
def f(x: f32[n]) -> (f32[n], f32) = with state s = 0.0 do vmap(step)(x) #! E0720
#### io_in_comprehension
def show(v: f32) -> f32 ! io =
    print("{}", v)
    v
def f(x: f32[n]) -> f32[n] ! io = [show(v) for v in x] #! E0721
#### io_in_vmap
def show(v: f32) -> f32 ! io =
    emit("v", v)
    v
def f(x: f32[n]) -> f32[n] ! io = vmap(show)(x) #! E0721
#### assert_of_static_false
def f(x: f32) -> f32 ! check =
    assert 1 > 2, "never" #! E0717
    x
#### handler_of_the_wrong_label
def f(x: f32) -> (f32, f32) =
    with state s = x do
        assert x > 0.0 #! E07
        s
#### rng_wants_a_key
def f(x: f32) -> f32 = with rng(3.0) do x #! E03
#### checks_value_is_a_pair
def f(x: f32[n], i: i32) -> f32 = with checks do x[i] #! E03
#### accum_wants_additive
def f(x: bool) -> (bool, bool) = with accum a: bool do x #! E0
#### print_placeholders
def f(x: f32) -> f32 ! io =
    print("{} {}", x) #! E0
    x
#### user_effect_not_handled
effect ask: (x: f32) -> f32
def f(x: f32) -> f32 = ask(x) #! E07
#### handler_without_resume
effect ask: (x: f32) -> f32
def g(x: f32) -> f32 ! ask = ask(x) + 1.0
def f(x: f32) -> f32 = with handler ask(v) -> v do g(x) #! E07
#### handler_resumes_with_the_wrong_type
effect ask: (x: f32) -> f32
def g(x: f32) -> f32 ! ask = ask(x) + 1.0
def f(x: f32) -> f32 = with handler ask(v) -> resume(v > 0.0) do g(x) #! E03
#### handler_of_no_effect
def f(x: f32) -> f32 = with handler ask(v) -> resume(v) do x #! E02|E07
#### handler_with_two_parameters
effect ask: (x: f32) -> f32
def g(x: f32) -> f32 ! ask = ask(x)
def f(x: f32) -> f32 = with handler ask(v, w) -> resume(v) do g(x) #! E0
#### resume_not_in_tail
effect ask: (x: f32) -> f32
def g(x: f32) -> f32 ! ask = ask(x)
def f(x: f32) -> f32 = with handler ask(v) -> resume(v) * 2.0 do g(x) #! E07
#### resume_twice
effect ask: (x: f32) -> f32
def g(x: f32) -> f32 ! ask = ask(x)
def f(x: f32) -> f32 = with handler ask(v) -> resume(resume(v)) do g(x) #! E07
#### operation_argument
effect sample: (static name: str, d: f32) -> f32
def model(x: f32) -> f32 ! sample = sample(x, x) #! E05|E03
#### handler_passes_a_variable
effect ask: (x: f32) -> f32
def run(g: (f32) -> f32 ! e, x: f32) -> f32 =
    with handler ask(v) -> resume(v) do g(x) #! E07
#### axis_of_another_name
def f(x: f32[n]) -> f32[n] = vmap(fn v -> v / psum(v, "j"), axis_name="i")(x) #! E07
#### axis_in_a_pure_lambda
def norm(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(x: f32[n]) -> f32[n] = vmap(norm)(x) #! E07
#### reverse_through_iterate
def g(x: f32) -> f32 ! div = iterate y = x while abs(y) > 1.0 do y * 0.5
def f(x: f32) -> f32 ! div = grad(g)(x) #! E0805
#### index_not_handled_in_bounds
def f(x: f32[n], ids: i32[m]) -> f32[m] = x[ids] #! E07
#### checked_is_an_effect
def f(x: f32) -> f32 = checked(sqrt(x)) #! E07
#### state_written_for_each_part_of_a_tuple
def g(x: f32) -> f32 ! state(s: f32) =
    s := x
    x
def f(x: f32) -> (f32[2], f32) =
    with state s = 0.0 do
        [g(y) for y in (x, x)] #! E0720
#### print_for_each_part_of_a_tuple
def g(x: f32) -> f32 ! io =
    print("x {}", x)
    x
def f(x: f32) -> f32[2] ! io = [g(y) for y in (x, x)] #! E0721
#### write_through_a_handler_of_something_else
# the read of `s` comes first, the write is inside of the block that handles `check`
def tick(x: f32) -> f32 ! state(s: f32) =
    s := s + x
    s
def f(xs: f32[n]) -> f32[n] ! state(s: f32) =
    [s + (with checks do tick(x)).0 for x in xs] #! E0720
#### two_cells_of_one_name
def f(x: f32) -> f32 ! {state(s: f32), state(s: i32)} = x #! E0206
#### cell_and_accumulator_of_one_name
def f(x: f32) -> f32 ! {state(s: f32), accum(s: f32)} = x #! E0206
#### cell_of_the_name_of_a_parameter
def f(s: f32) -> f32 ! state(s: f32) = s #! E0206
#### effect_of_the_language_declared_again
effect rand: () -> f32 #! E0206
#### clause_written_twice
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = sample(x)
def f(x: f32) -> f32 =
    with handler sample(loc) -> resume(loc),
        sample(loc) -> resume(2.0 * loc) do model(x) #! E0206
#### clause_misspelt
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = sample(x)
def f(x: f32) -> f32 =
    with handler smaple(loc) -> resume(loc) do #! E0211
        model(x)
#### gather_over_an_axis_without_size
def g(x: f32) -> f32 ! axis("i") = sum(all_gather(x, "i")) #! E0810
#### write_through_a_function_in_parallel
def each(g: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = [g(v) for v in x]
def tick(x: f32) -> f32 ! state(s: f32) =
    s := s + x
    s
def f(x: f32[n]) -> f32[n] ! state(s: f32) =
    each(tick, x) #! E0720
#### print_through_a_function_in_parallel
def each(g: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = vmap(g)(x)
def all(g: (f32) -> f32 ! e, x: f32[n, m]) -> f32[n, m] ! e = [each(g, row) for row in x]
def shout(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32[n]) -> f32[n] ! io = each(fn v -> shout(v), x) #! E0721
def h(x: f32[n, m]) -> f32[n, m] ! io = all(shout, x) #! E0721
#### write_of_an_argument_in_parallel
# `apply` writes nothing itself; what it is given does
def apply(g: (f32) -> f32 ! e, x: f32) -> f32 ! e = g(x)
def tick(x: f32) -> f32 ! state(s: f32) =
    s := s + x
    s
def f(x: f32[n]) -> f32[n] ! state(s: f32) = [apply(tick, v) for v in x] #! E0720
def h(x: f32[n]) -> f32[n] ! state(s: f32) = vmap(fn v -> apply(fn a -> tick(a) * 2.0, v))(x) #! E0720
#### unbounded_loop_through_a_function_backwards
def slope(g: (f32) -> f32 ! e, x: f32) -> f32 ! e = grad(g)(x)
def slopes(g: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = [slope(g, v) for v in x]
def halve(x: f32) -> f32 ! div = iterate a = x while a > 1.0 do a * 0.5
def f(x: f32) -> f32 ! div = slope(halve, x) #! E0805
def h(x: f32[n]) -> f32[n] ! div = slopes(halve, x) #! E0805
#### effects_for_each_leaf_of_any_tree
from random import normal
def jitter[P: VSpace](p: P) -> P = tree_map(fn x -> x + cast(normal(fresh_key(), x.shape), x.dtype), p) #! E0701
def sum_up[P: VSpace](ps: P[m], start: i32) -> (P[m], i32) = with state seen = start do
    vmap(fn p -> tree_map(fn x -> #! E0720
        seen := seen + 1
        x, p))(ps)
def twice[P: VSpace](p: P, k: key) -> P = tree_map(fn x -> x + cast(normal(k, x.shape), x.dtype), p) #! E0611
def halve[P: VSpace](p: P) -> P ! div =
    tree_map(fn x -> (iterate (y, k) = (x, 0) while k < 3 do (y / cast(2, x.dtype), k + 1)).0, p)
def slope(p: (f32[n], f32)) -> (f32[n], f32) ! div = grad(fn p -> sum(halve(p).0))(p) #! E0805
#### effects_of_one_name_are_two module=left
effect ask: (x: f32) -> f32
enum Mode = On | Off
type Pair = {a: f32, b: f32}
def use(x: f32) -> f32 ! ask = ask(x)
def mode(static m: Mode) -> f32 = 1.0
def first(p: Pair) -> f32 = p.a
#### effects_of_one_name_are_two module=right
effect ask: (x: f32) -> f32
enum Mode = On | Off
type Pair = {a: i32, b: f32}
def use(x: f32) -> f32 ! ask = ask(x)
def mode(static m: Mode) -> f32 = 1.0
#### effects_of_one_name_are_two module=between
import left
def through(x: f32) -> f32 ! left.ask = left.use(x)
#### effects_of_one_name_are_two
import left
import right as other
effect own: (x: f32) -> f32
def not_declared(x: f32) -> f32 = left.use(x) #! E0701
def neither(x: f32) -> f32 = left.use(x) + other.use(x) #! E0701 #! E0701
def the_other(x: f32) -> f32 ! left.ask = other.use(x) #! E0701
def handled(x: f32) -> f32 = with handler left.ask(x) -> resume(x) do left.use(x) + other.use(x) #! E0701
def clause(x: f32) -> f32 = with handler left.ask(x) -> resume(other.ask(x)) do left.use(x) #! E0701
def given(f: (f32) -> f32 ! left.ask, x: f32) -> f32 = with handler left.ask(x) -> resume(x) do f(x)
def wrong_function(x: f32) -> f32 ! other.ask = given(other.use, x) #! E0702
def outlived(x: f32) -> f32 =
    let f = with handler other.ask(x) -> resume(x) do (fn y -> other.use(y)) #! E0701
    f(x)
def default(x: f32 = other.use(1.0)) -> f32 = x #! E0703
let constant = left.use(1.0) #! E0703
def variant() -> f32 = left.mode(other.On) #! E0303
def compared(static m: left.Mode, static n: other.Mode) -> bool = m == n #! E0315
def record(p: other.Pair) -> f32 = left.first(p) #! E0302
#### effect_of_a_module_that_is_not_imported module=left
effect ask: (x: f32) -> f32
#### effect_of_a_module_that_is_not_imported module=between
import left
def through(x: f32) -> f32 ! left.ask = left.ask(x)
#### effect_of_a_module_that_is_not_imported
import between
def f(x: f32) -> f32 = between.through(x) #! E0701
def g(x: f32) -> f32 ! io = between.through(x) #! E0701
#### sizes_of_one_name_in_a_clause
effect ask: (x: f32[n]) -> f32[n]
def f(x: f32[n], w: f32[n]) -> f32[n] = with handler ask(a) -> resume(a + w) do ask(x) #! E0401
#### match_of_pairs_without_one
enum Scheme = Explicit | Implicit(theta: float)
enum Edge = Fixed | Open
def f(static scheme: Scheme, static edge: Edge, u: f32) -> f32 =
    match (scheme, edge) with #! E0317
        (Explicit, Fixed) -> u
        (Implicit(theta), _) -> u * theta
#### dtype_of_no_argument
def grid[a: Float](static n: size) -> a[n] where n >= 2 = zeros([n], dtype=a) #! E0323
#### field_of_a_variant_that_is_an_array
enum A = P(w: f32[3]) | Q #! E0502
#### leaf_without_an_axis_in_a_loop
type Batch[n] = {x: f32[n], weight: f32}
def f(data: Batch[n]) -> f32 = fold s = 0.0 for row in data do s + row.x #! E0325
#### leaves_of_two_lengths_in_a_loop
type Episode[t] = {reward: f32[t], value: f32[t + 1]}
def f(e: Episode[t]) -> f32 = fold s = 0.0 for row in e do s + row.reward #! E0418
