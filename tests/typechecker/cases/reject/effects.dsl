#### print_in_pure_function
def f(x: f32) -> f32 =
    print("{}", x) #! E07
    x
#### emit_in_pure_function
def loss(p: f32[n], y: f32[n]) -> f32 =
    let l = mean((p - y) ** 2)
    emit("loss", l) #! E07
    l
#### assert_in_pure_function
def f(x: f32) -> f32 =
    assert x > 0.0, "positive" #! E07
    log(x)
#### operation_with_a_default
effect ask: (x: f32, y: f32 = 2.0) -> f32 #! E0125
def f(x: f32) -> f32 ! ask = ask(x, 1.0)
#### effect_of_a_callee
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 = 2.0 * loud(x) #! E07
#### effect_of_a_callee_inferred
def loud(x: f32) =
    print("{}", x)
    x
def f(x: f32) -> f32 = 2.0 * loud(x) #! E07
#### wrong_effect_declared
def f(x: f32) -> f32 ! io =
    assert x > 0.0 #! E07
    x
#### one_of_two_missing
def f(x: f32) -> f32 ! check =
    assert x > 0.0
    print("{}", x) #! E07
    x
#### two_of_two_missing
def f(x: f32) -> f32 =
    assert x > 0.0 #! E07
    print("{}", x) #! E07
    x
#### random_in_pure_function
from random import normal
def f(x: f32[n]) -> f32[n] = x + normal(fresh_key(), [n]) #! E07
#### random_through_two_calls
from random import normal
def draw() -> f32 ! rand = normal(fresh_key())
def noisy(x: f32) = x + draw()
def f(x: f32) -> f32 = noisy(x) #! E07
#### divergence_not_declared
def newton(x: f32) -> f32 = iterate y = x while abs(y * y - x) > 1e-6 do 0.5 * (y + x / y) #! E07
#### effect_in_a_branch
def f(x: f32) -> f32 =
    if x > 0.0 then
        print("up") #! E07
        x
    else
        -x
#### effect_in_a_lambda_of_pure_type
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def g(x: f32) -> f32 ! io =
    apply(fn v -> loud(v), x) #! E07
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
#### effectful_function_for_pure
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def g(x: f32) -> f32 ! io = apply(loud, x) #! E07
#### effect_variable_not_covered
def apply(f: (f32) -> f32 ! e, x: f32) -> f32 = f(x) #! E07
#### effect_variable_instantiated
def twice(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(f(x))
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def g(x: f32) -> f32 = twice(loud, x) #! E07
#### io_in_comprehension
def f(xs: f32[n]) -> f32[n] ! io =
    [loud(x) for x in xs] #! E0721
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
#### io_under_vmap
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(xs: f32[n]) -> f32[n] ! io = vmap(loud)(xs) #! E0721
#### state_write_in_comprehension
def tick(x: f32) -> f32 ! state(total: f32) =
    total := total + x
    total
def f(xs: f32[n]) -> (f32[n], f32) =
    with state total = 0.0 do
        [tick(x) for x in xs] #! E0720
#### state_write_under_vmap
def tick(x: f32) -> f32 ! state(total: f32) =
    total := total + x
    total
def f(xs: f32[n]) -> (f32[n], f32) =
    with state total = 0.0 do
        vmap(tick)(xs) #! E0720
#### state_without_handler
def tick(x: f32) -> f32 ! state(total: f32) =
    total := total + x
    total
def f(x: f32) -> f32 = tick(x) #! E07
#### accum_without_handler
def pen(x: f32) -> f32 ! accum(penalty: f32) =
    penalty += x ** 2
    x
def f(x: f32) -> f32 = pen(x) #! E07
#### state_not_declared_in_row
# without the row `total` is an ordinary name, and it is not one in scope
def tick(x: f32) -> f32 =
    total := x #! E06|E02
    x
#### state_other_name
def tick(x: f32) -> f32 ! state(total: f32) =
    total := total + x
    total
def f(x: f32) -> (f32, f32) =
    with state sum_of = 0.0 do tick(x) #! E07
#### state_type
def tick(x: f32) -> f32 ! state(total: f32) =
    total := total + x
    total
def f(x: f32) -> (f32, f32[2]) =
    with state total = zeros([2]) do tick(x) #! E04|E03|E07
#### state_written_with_other_type
def f(x: f32) -> (f32, f32) =
    with state s = x do
        s := i32(x) #! E03
        x
#### state_written_with_other_shape
def f(x: f32[n]) -> (f32, f32) =
    with state s = f32(0) do
        s := x #! E04
        sum(x)
#### accum_read
# an accum may only be added to
def f(x: f32) -> (f32, f32) =
    with accum a: f32 do
        a += x
        a * 2.0 #! E06|E07|E02
#### accum_of_other_dtype
def f(x: f32, i: i32) -> (f32, f32) =
    with accum a: f32 do
        a += i #! E03
        x
#### accum_assigned
def f(x: f32) -> (f32, f32) =
    with accum a: f32 do
        a := x #! E06|E07
        x
#### state_accumulated
def f(x: f32) -> (f32, f32) =
    with state s = 0.0 do
        s += x #! E06|E07
        x
#### handler_value_is_a_pair
def f(x: f32) -> f32 = with state s = x do s * 2.0 #! E03
#### checks_value_is_a_pair
def safe(x: f32) -> f32 ! check =
    assert x > 0.0
    log(x)
def f(x: f32) -> f32 = with checks do safe(x) #! E03
#### checks_status_field
def f(x: f32[n], i: i32) -> bool =
    let (_, s) = with checks do x[i]
    s.fail #! E03|E02
#### checks_does_not_handle_io
def loud(x: f32) -> f32 ! {io, check} =
    assert x > 0.0
    print("{}", x)
    x
def f(x: f32) -> (f32, {failed: bool, code: i32}) = with checks do loud(x) #! E07
#### rng_does_not_handle_check
from random import normal
def f(k: key, x: f32[n], i: i32) -> f32 = with rng(k) do x[i] + normal(fresh_key()) #! E07
#### rng_wants_a_key
from random import normal
def f(x: f32) -> f32 = with rng(x) do normal(fresh_key()) #! E03
#### rng_seed
from random import normal
def f() -> f32 = with rng(42) do normal(fresh_key()) #! E03
#### assert_of_static_false
def f(x: f32[3]) -> f32 ! check =
    assert 1 > 2, "never" #! E0717
    sum(x)
#### assert_of_static_shape
def f(x: f32[3]) -> f32 ! check =
    assert x.shape[0] == 4, "four wanted" #! E0717
    sum(x)
#### assert_of_a_number
def f(x: f32) -> f32 ! check =
    assert x #! E03
    x
#### assert_of_an_array
def f(x: f32[n]) -> f32 ! check =
    assert x > 0.0 #! E03|E04
    sum(x)
#### assert_message_not_a_string
def f(x: f32) -> f32 ! check =
    assert x > 0.0, 3 #! E03|E01|E05
    x
#### user_effect_not_handled
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = x * sample(0.0)
def f(x: f32) -> f32 = model(x) #! E07
#### user_effect_not_declared
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 = x * sample(0.0) #! E07
#### user_effect_argument
effect sample: (loc: f32) -> f32
def model(x: f32[n]) -> f32 ! sample = sample(x) #! E04
#### user_effect_resume_type
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = x * sample(0.0)
def f(x: f32) -> f32 = with handler sample(loc) -> resume(i32(loc)) do model(x) #! E03
#### user_effect_clause_arity
effect sample: (loc: f32, scale: f32) -> f32
def model(x: f32) -> f32 ! sample = x * sample(0.0, 1.0)
def f(x: f32) -> f32 = with handler sample(loc) -> resume(loc) do model(x) #! E03|E07
#### clause_not_tail_resumptive
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = x * sample(0.0)
def f(x: f32) -> f32 = with handler sample(loc) -> resume(loc) * 2.0 do model(x) #! E07
#### clause_without_resume
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = x * sample(0.0)
def f(x: f32) -> f32 = with handler sample(loc) -> loc do model(x) #! E07
#### resume_outside_a_handler
def f(x: f32) -> f32 = resume(x) #! E02|E07
#### clause_effect_not_covered
effect sample: (loc: f32) -> f32
def model(x: f32) -> f32 ! sample = x * sample(0.0)
def f(x: f32) -> f32 = with handler sample(loc) -> resume(loud(loc)) do model(x) #! E07
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
#### hidden_state_is_not_handled
# "an effect that reaches it inside an effect variable passes through, whatever its name"
def run(f: (f32) -> f32 ! e, x: f32) -> (f32, f32) ! e = with state s = 0.0 do f(x)
def tick(x: f32) -> f32 ! state(s: f32) =
    s := s + x
    s
def g(x: f32) -> (f32, f32) = run(tick, x) #! E07
#### axis_not_bound
def f(x: f32) -> f32 = psum(x, "i") #! E07
#### axis_of_other_name
def normalise(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = vmap(normalise, axis_name="j")(xs) #! E07
#### axis_name_missing
def normalise(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = vmap(normalise)(xs) #! E07
#### print_without_format
def f(x: f32) -> f32 ! io =
    print(x) #! E03|E05
    x
#### print_placeholders
def f(x: f32) -> f32 ! io =
    print("{} {}", x) #! E03|E07|E05
    x
#### recursion_effect
def f(x: f32, static k: int) -> f32 =
    if k == 0 then loud(x) else f(x, k - 1) #! E07
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
#### function_result_effect_is_not_the_defs
# "After a result that is a function type, `!` is the effect of that function"
def make(x: f32) -> (f32) -> f32 ! io =
    print("{}", x) #! E07
    fn y -> y * x
#### let_bound_effectful_result_unused
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 =
    let _ = loud(x) #! E07
    x
#### operation_parameter_that_is_a_type_alone
effect ask: (f32) -> f32 #! E0318
def f(x: f32) -> f32 = with handler ask(a) -> resume(a + 1.0) do ask(x)
#### operation_parameters_of_the_wrong_stage
effect ask: (static a: f32[3], b: int) -> f32 #! E0502 #! E0502
#### operation_parameters_of_one_name
effect ask: (a: f32, a: i32) -> f32 #! E0206
#### function_that_outlives_its_cell
def f(x: f32) -> f32 =
    let (g, last) = with state s = 5.0 do fn v -> v + s #! E0701
    g(x)
#### function_that_outlives_its_handler
effect ask: (v: f32) -> f32
def f(x: f32) -> f32 =
    let g = with handler ask(v) -> resume(v + 1.0) do {h = fn v -> ask(v)} #! E0701
    g.h(x)
#### checked_function
def f(x: f32) -> f32 ! check = checked(fn v -> v)(x) #! E0303
#### clause_that_prints_in_parallel
effect tick: (v: f32) -> f32
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def f(xs: f32[n]) -> f32[n] ! io =
    with handler tick(v) ->
        print("{}", v)
        resume(v)
    do all(xs) #! E0721
#### clause_that_writes_in_parallel
effect tick: (v: f32) -> f32
def f(xs: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        with handler tick(v) ->
            s := s + v
            resume(s)
        do vmap(tick)(xs) #! E0720
#### clause_that_gives_another_size
effect scale: (s: f32[n]) -> f32[n]
def f(x: f32[3]) -> f32[3] = with handler scale(s) -> resume(concatenate((s, s))) do scale(x) #! E0402
#### clause_that_needs_more_than_is_stated
effect choose: (p: f32[k]) -> idx[k]
effect third: (p: f32[k]) -> f32
def f(x: f32[3]) -> f32 = with handler choose(p) -> resume(argmax(p)) do x[choose(x)] #! E0407
def g(x: f32[3]) -> f32 =
    with handler third(p) ->
        let unused = fn v -> p[2] + v
        resume(p[2]) #! E0407
    do third(x)
#### operation_whose_result_needs_more_than_is_stated
effect rest: (x: f32[n]) -> f32[n - 1] #! E0407
#### operation_whose_condition_is_not_met
effect rest: (x: f32[n]) -> f32[n - 1] where n >= 1
def f(x: f32[0]) -> f32 ! rest = sum(rest(x)) #! E0407
def g(x: f32[n]) -> f32 ! rest = sum(rest(x))
def h(x: f32[0]) -> f32 ! rest = g(x) #! E0407
#### variables_of_two_clauses
effect scale: (s: f32[n]) -> f32[n]
def f(x: f32[3]) -> f32[3] =
    with handler scale(s) -> resume(with handler scale(t) -> resume(t + s) do scale(s)) do scale(x) #! E0401
#### variables_of_a_clause_in_a_cell
effect scale[a: Float]: (s: a[n]) -> a[n]
def f(x: f32[3]) -> (f32[3], f32[3]) =
    with handler scale(s) ->
        kept := f32(s) #! E0402
        resume(s)
    , state kept = zeros([3]) do scale(x)
def g(x: f32[3]) -> (f32[3], f32) =
    with handler scale(s) ->
        kept := sum(s) #! E0302
        resume(s)
    , state kept = 0.0 do scale(x)
#### operation_with_a_size_that_nothing_tells
effect draw: () -> f32[n] #! E0405
#### operation_called_with_two_sizes_for_one
effect pair: (x: f32[n], y: f32[n]) -> f32
def f(x: f32[3], y: f32[4]) -> f32 ! pair = pair(x, y) #! E0402
#### number_that_an_operation_does_not_take
effect scale: (x: f32, static k: float) -> f32 where holds(f32, k)
def model(x: f32) -> f32 ! scale = scale(x, 1e40) #! E0407
#### cell_of_an_index_that_a_function_makes_an_integer
def bump() -> f32 ! state(at: i32) =
    at := at - 1
    1.0
def f(x: f32[n]) -> (f32, idx[n]) ! check where n >= 1 =
    with state at: idx[n] = 0 do bump() * x[at] #! E0303
#### cell_of_an_index_that_a_parameter_makes_an_integer
def f(g: (i32) -> f32 ! state(at: i32), x: f32[2]) -> (f32, idx[2]) =
    with state at: idx[2] = 0 do g(7) * x[at] #! E0303
#### cell_in_a_record_that_a_function_makes_an_integer
type S = {at: i32, v: f32}
type T[n] = {at: idx[n], v: f32}
def bump() -> f32 ! state(s: S) =
    s := {at = 7, v = 1.0}
    1.0
def f(x: f32[2]) -> (f32, T[2]) =
    with state s: T[2] = {at = 0, v = 0.0} do bump() * x[s.at] #! E0303
#### cell_of_a_smaller_index_than_a_function_writes
def bump() -> f32 ! state(at: idx[5]) =
    at := 4
    1.0
def f(x: f32[2]) -> (f32, idx[2]) = with state at: idx[2] = 0 do bump() * x[at] #! E0303
#### cells_that_the_type_of_a_function_names
def adder(w: f32) -> (f32) -> f32 ! state(total: f32) = fn x ->
    total := total + w * x
    total
def pure(w: f32) -> (f32) -> f32 = fn x -> total * w * x #! E0201
def of_another_name(w: f32) -> (f32) -> f32 ! state(sum_of: f32) = fn x -> total * w * x #! E0201
def added_to(w: f32) -> (f32) -> f32 ! accum(total: f32) = fn x -> total * w * x #! E0605
def without_a_handler(x: f32) -> f32 = adder(2.0)(x) #! E0701
def of_another_dtype(x: f32) -> (f32, i32) = with state total = i32(1) do adder(2.0)(x) #! E0302
def of_another_kind(x: f32) -> (f32, f32) = with accum total: f32 do adder(2.0)(x) #! E0701
#### keys_of_functions_that_are_called_more_than_once
from random import normal
def once(f: (f32) -> f32, x: f32) -> f32 = f(x)
def twice(f: (f32) -> f32, x: f32) -> f32 = f(f(x))
def renamed(f: (f32) -> f32, x: f32) -> f32 =
    let g = f
    g(x) + g(x)
def looped(f: (f32) -> f32, x: f32) -> f32 = fold s = x for _ in range(3) do once(f, s)
def mapped(f: (f32) -> f32, x: f32) -> f32[2] = vmap(f)([x, x])
def through(f: (f32) -> f32, x: f32) -> f32 = once(f, x) + once(f, x)
def beside(f: (f32) -> f32, x: f32) -> f32 = once(fn v -> f(v) + f(v), x)
def pair(f: (f32) -> f32, g: (f32) -> f32, x: f32) -> f32 = f(x) + g(x)
def again(f: (f32) -> f32, x: f32, static n: int) -> f32 = if n <= 0 then f(x) else f(again(f, x, n - 1))
def a(k: key, x: f32) -> f32 = twice(fn v -> v + normal(k), x) #! E0611
def b(k: key, x: f32) -> f32 = renamed(fn v -> v + normal(k), x) #! E0611
def c(k: key, x: f32) -> f32 = looped(fn v -> v + normal(k), x) #! E0611
def d(k: key, x: f32) -> f32[2] = mapped(fn v -> v + normal(k), x) #! E0611
def e(k: key, x: f32) -> f32 = through(fn v -> v + normal(k), x) #! E0611
def f(k: key, x: f32) -> f32 = beside(fn v -> v + normal(k), x) #! E0611
def g(k: key, x: f32) -> f32 =
    let h = fn v -> v + normal(k)
    once(h, x) + once(h, x) #! E0610
def h(k: key, x: f32) -> f32 =
    let h = fn v -> v + normal(k)
    pair(h, h, x) #! E0610
def i(k: key, x: f32) -> f32 = once(fn v -> v + normal(k), normal(k)) #! E0610
def j(k: key, x: f32[n]) -> f32[n] = [once(fn w -> w + normal(k), v) for v in x] #! E0611
def l(k: key, x: f32) -> f32 = again(fn v -> v + normal(k), x, 2) #! E0611
def m(k: key, static b: bool, x: f32) -> f32 =
    let f = if b then fn v -> v + normal(k) else fn v -> v
    f(x) + f(x) #! E0610
def n(k: key, static b: bool, x: f32[n]) -> f32[n] =
    let f = if b then fn v -> v + normal(k) else fn v -> v
    [f(v) for v in x] #! E0611
def returned(k: key) -> (f32) -> f32 = fn v -> v + normal(k) #! E0611
#### order_that_a_caller_gives
def f(x: f32, static last: bool) -> f32 ! debug =
    print("{}", x, ordered=last) #! E0812
    x
#### order_that_is_no_truth
def f(x: f32) -> f32 ! debug =
    print("{}", x, ordered=0) #! E0812
    x
#### lines_without_an_order_are_no_io
def f(x: f32) -> f32 ! io =
    print("{}", x, ordered=false) #! E0701
    x
