#### print_and_emit
def f(x: f32) -> f32 ! io =
    print("x = {}", x)
    emit("x", x)
    x
#### declared_more_than_performed
def f(x: f32) -> f32 ! {io, check, rand} = x * 2.0
#### rows_are_sets
def g(x: f32) -> f32 ! {check, io} =
    assert x > 0.0, "positive"
    print("{}", x)
    x
def f(x: f32) -> f32 ! {io, check} = g(x)
#### checks_handled
def safe_log(x: f32) -> f32 ! check =
    assert x > 0.0, "log of a number that is not positive"
    log(x)
def f(x: f32) -> (f32, bool) =
    let (v, status) = with checks do safe_log(x)
    (v, status.failed)
#### checks_code
def f(x: f32[n], i: i32) -> i32 =
    let (_, s) = with checks do x[i]
    s.code
#### checked_value
def f(x: f32[n]) -> f32[n] ! check = checked(log(x))
#### state_in_a_fold
def tick(x: f32) -> f32 ! state(total: f32) =
    total := total + x
    total
def f(xs: f32[n]) -> (f32, f32) =
    with state total = 0.0 do
        fold acc = 0.0 for x in xs do acc + tick(x)
#### state_read_in_comprehension
def scaled(x: f32) -> f32 ! state(scale: f32) = x * scale
def f(xs: f32[n], s: f32) -> (f32[n], f32) =
    with state scale = s do [scaled(x) for x in xs]
#### state_of_a_record
type Counter = {hits: i32, last: f32}
def touch(x: f32) -> f32 ! state(c: Counter) =
    c := {c with hits = c.hits + 1, last = x}
    x
def f(x: f32) -> (f32, Counter) =
    with state c = {hits = 0, last = 0.0} do touch(x) + touch(2.0 * x)
#### two_states
def f(x: f32) -> ((f32, f32), f32) =
    with state a = x do
        with state b = 2.0 * x do
            a := a + b
            b := a * b
            a - b
#### accum
def penalised(x: f32[n]) -> f32 ! accum(penalty: f32) =
    penalty += sum(x ** 2)
    sum(x)
def f(x: f32[n]) -> (f32, f32) = with accum penalty: f32 do penalised(x)
#### accum_in_comprehension
def f(xs: f32[n]) -> (f32[n], f32) =
    with accum total: f32 do
        [g(x) for x in xs]
def g(x: f32) -> f32 ! accum(total: f32) =
    total += x
    2.0 * x
#### accum_of_an_array
def f(xs: f32[n, d]) -> (f32, f32[d]) =
    with accum grad_sum: f32[d] do
        fold s = 0.0 for x in xs do
            grad_sum += x
            s + sum(x)
#### random_effect
from random import normal
def noisy(x: f32[n]) -> f32[n] ! rand = x + normal(fresh_key(), [n])
def f(x: f32[n], k: key) -> f32[n] = with rng(k) do noisy(noisy(x))
#### random_effect_in_comprehension
from random import normal
def f(x: f32[n]) -> f32[n] ! rand = [v + normal(fresh_key()) for v in x]
#### random_effect_through_vmap
from random import normal
def noisy(x: f32) -> f32 ! rand = x + normal(fresh_key())
def f(x: f32[n]) -> f32[n] ! rand = vmap(noisy)(x)
#### divergence_declared
def f(x: f32) -> f32 ! div = iterate y = x while y > 1.0 do y / 2.0
#### effect_of_a_handled_body_passes
def f(x: f32) -> (f32, {failed: bool, code: i32}) ! io =
    with checks do
        print("{}", x)
        assert x > 0.0
        x
#### user_effect
type Normal = {loc: f32, scale: f32}
effect sample: (static name: str, d: Normal) -> f32
def model(x: f32) -> f32 ! sample =
    let w = sample("w", {loc = 0.0, scale = 1.0})
    let b = sample("b", {loc = 0.0, scale = 1.0})
    w * x + b
def at_the_mean(x: f32) -> f32 = with handler sample(name, d) -> resume(d.loc) do model(x)
#### user_effect_with_state
effect tally: (v: f32) -> f32
def model(x: f32) -> f32 ! tally = tally(x) + tally(2.0 * x)
def f(x: f32) -> (f32, f32) =
    (with handler tally(v) ->
        total := total + v
        resume(v), state total = 0.0 do model(x))
#### handler_with_rand
from random import normal
type Normal = {loc: f32, scale: f32}
effect sample: (static name: str, d: Normal) -> f32
def model(x: f32) -> f32 ! sample = x * sample("w", {loc = 0.0, scale = 2.0})
def prior(x: f32) -> f32 ! rand =
    with handler sample(name, d) -> resume(d.loc + d.scale * normal(fresh_key())) do model(x)
#### handler_in_a_clause
effect ask: (v: f32) -> f32
effect tell: (v: f32) -> f32
def f(x: f32) -> f32 =
    with handler ask(v) -> resume(with handler tell(w) -> resume(w + v) do tell(2.0)) do ask(x)
def g(x: f32) -> f32 =
    with handler ask(v) ->
        let a = with handler tell(w) -> resume(w + v) do tell(2.0)
        resume(a)
    do ask(x)
#### effect_variable_declared
def twice[e](f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(f(x))
def g(x: f32) -> f32 = twice(exp, x)
#### effect_variable_beside_labels
def with_log(f: (f32) -> f32 ! e, x: f32) -> f32 ! {io, e} =
    print("{}", x)
    f(x)
def g(x: f32) -> f32 ! io = with_log(fn v -> v + 1.0, x)
#### handler_leaves_other_effects
def run(f: (f32) -> f32 ! e, x: f32) -> (f32, {failed: bool, code: i32}) ! e = with checks do f(x)
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def g(x: f32) -> (f32, {failed: bool, code: i32}) ! io = run(loud, x)
#### grad_of_checked
def loss(x: f32) -> f32 ! check =
    assert x > 0.0
    log(x)
def f(x: f32) -> f32 ! check = grad(loss)(x)
#### effects_in_both_branches
def f(x: f32) -> f32 ! {io, check} =
    if x > 0.0 then
        print("up")
        x
    else
        assert x < -1.0
        -x
#### io_in_scan
def f(xs: f32[n]) -> (f32, f32[n]) ! io =
    scan s = 0.0 for x in xs do
        print("{} {}", s, x)
        (s + x, s)
#### check_in_comprehension
def f(xs: f32[n]) -> f32[n] ! check =
    [g(x) for x in xs]
def g(x: f32) -> f32 ! check =
    assert x > 0.0
    sqrt(x)
#### axis_collectives
def normalise(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = vmap(normalise, axis_name="i")(xs)
#### def_effect_after_function_result
def make(x: f32) -> ((f32) -> f32) ! io =
    print("{}", x)
    fn y -> y * x
def f(x: f32) -> f32 ! io = make(x)(2.0)
#### lambda_with_effect
def apply(f: (f32) -> f32 ! io, x: f32) -> f32 ! io = f(x)
def g(x: f32) -> f32 ! io =
    apply(fn v ->
        print("{}", v)
        v + 1.0, x)
#### assert_of_sizes
def f(x: f32[n]) -> f32 ! check =
    assert n > 2, "too short"
    sum(x)
#### operations_of_every_stage
effect choose: (static name: str, f: (f32) -> f32, x: f32[3]) -> f32[3]
def model(x: f32[3]) -> f32[3] ! choose = choose("a", fn v -> v * 2.0, x)
def f(x: f32[3]) -> f32[3] = with handler choose(name, g, v) -> resume(vmap(g)(v)) do model(x)
#### function_that_keeps_an_answer
effect ask: (v: f32) -> f32
def f(x: f32) -> f32 =
    let g = with handler ask(v) -> resume(v + 1.0) do
        let c = ask(x)
        fn v -> v + c
    g(x)
#### operation_of_any_size
effect scale: (s: f32[n]) -> f32[n]
def both(x: f32[3], y: f32[4]) -> f32 ! scale = sum(scale(x)) + sum(scale(y))
def f(x: f32[3], y: f32[4]) -> f32 = with handler scale(s) -> resume(s / f32(s.size)) do both(x, y)
def rows(xs: f32[b, n]) -> f32[b, n] = with handler scale(s) -> resume(2.0 * s) do vmap(scale)(xs)
def slope(x: f32[n]) -> f32[n] = with handler scale(s) -> resume(s * s) do grad(fn v -> sum(scale(v)))(x)
#### operation_with_a_condition
effect choose: (p: f32[k]) -> idx[k] where k >= 1
def f(x: f32[a], y: f32[b]) -> f32 where a >= 1 and b >= 1 =
    with handler choose(p) -> resume(argmax(p)) do x[choose(x)] + y[choose(y)]
def last(x: f32[a]) -> f32 where a >= 1 = with handler choose(p) -> resume(p.size - 1) do x[choose(x)]
#### operation_of_any_tree_and_dtype
effect keep[P: VSpace]: (p: P) -> P
effect head[a: Float]: (x: a[*s, n], static k: int) -> a[*s, k] where 0 <= k and k <= n
def f(x: f32[n], w: f64) -> (f32[n], {w: f64, v: f32[2]}) =
    with handler keep(p) -> resume(p + p) do (keep(x), keep({w = w, v = [1.0, 2.0]}))
def g(x: f32[2, 5], y: f64[3]) -> (f32[2, 3], f64[1]) =
    with handler head(x, k) -> resume(x[..., :k]) do (head(x, 3), head(y, k=1))
#### clause_within_a_clause_of_the_same_operation
effect scale: (s: f32[n]) -> f32[n]
def f(x: f32[n]) -> f32[2 * n] =
    with handler scale(s) -> resume(3.0 * s) do
        with handler scale(s) ->
            let twice = with handler scale(t) -> resume(t + t) do scale(concatenate((s, s)))
            resume(scale(twice[: s.size]))
        do concatenate((scale(x), scale(x)))
#### operation_whose_index_tells_a_size
effect look: (i: idx[n], j: idx[n][m]) -> f32[m]
def f(i: idx[7], j: idx[7][3]) -> f32[3] =
    with handler look(i, j) -> resume([if k == i then 1.0 else f32(k) for k in j]) do look(i, j)
#### effects_for_each_leaf_of_any_tree
from random import normal
effect weigh: () -> f32
def jitter[P: VSpace](p: P) -> P ! rand = tree_map(fn x -> x + cast(normal(fresh_key(), x.shape), x.dtype), p)
def seeded[P: VSpace](p: P, k: key) -> P = with rng(k) do jitter(p)
def weighed[P: VSpace](p: P) -> P ! weigh = tree_map(fn x -> cast(weigh(), x.dtype) * x, p)
def count[P: VSpace](p: P) -> (P, i32) = with state seen = 0 do
    tree_map(fn x ->
        seen := seen + 1
        x, p)
def f(p: {w: f32[n], b: f32}, k: key) -> {w: f32[n], b: f32} =
    with handler weigh() -> resume(2.0) do weighed(seeded(p, k))
#### effects_of_one_name module=left
effect ask: (x: f32) -> f32
def use(x: f32) -> f32 ! ask = ask(x)
#### effects_of_one_name module=right
effect ask: (x: f32, y: f32) -> f32
def use(x: f32) -> f32 ! ask = ask(x, x)
#### effects_of_one_name
import left
from right import ask, use as other
def both(x: f32) -> f32 ! {left.ask, ask} = left.use(x) + other(x)
def one(x: f32) -> f32 ! ask = with handler left.ask(x) -> resume(2.0 * x) do both(x)
def none_left(x: f32) -> f32 = with handler left.ask(x) -> resume(x), ask(x, y) -> resume(x * y) do both(x)
def inside(x: f32) -> f32 =
    with handler left.ask(x) -> resume(2.0 * x) do
        with handler ask(x, y) -> resume(left.ask(x + y)) do both(x)
def given(f: (f32) -> f32 ! left.ask, x: f32) -> f32 = with handler left.ask(x) -> resume(x) do f(x)
def of_function(x: f32) -> f32 = given(left.use, x)
#### operation_that_states_what_a_dtype_holds
effect scale: (x: f32, static k: float, static j: int) -> f32 where holds(f32, k) and holds(f32, j)
def model(x: f32) -> f32 ! scale = scale(x, 2.0, 3)
def run(x: f32) -> f32 = with handler scale(x, k, j) -> resume(k * x + j) do model(x)
#### cells_that_the_type_of_a_function_names
enum Held = Own(g: (f32) -> f32 ! state(total: f32)) | Id
def adder(w: f32) -> (f32) -> f32 ! state(total: f32) = fn x ->
    total := total + w * x
    total
def reader(w: f32) -> ((f32) -> f32 ! state(total: f32), f32) = (fn x -> total * w * x, w)
def writer(w: f32) -> {g: (f32) -> f32 ! accum(total: f32)} = {g = fn x ->
    total += w * x
    x}
def held(w: f32) -> Held = Own(fn x -> total * w * x)
def of_the_parameter(total: f32) -> (f32) -> f32 ! state(total: f32) = fn x -> total * x
def of_any_size(w: f32[n]) -> (f32[n]) -> f32[n] ! state(total: f32[n]) = fn x ->
    total := total + w * x
    total
def apply(x: f32, static h: Held) -> f32 ! state(total: f32) =
    match h with
        Own(g) -> g(x)
        Id -> x
def once(x: f32) -> (f32, f32) = with state total = 0.0 do adder(2.0)(x)
def twice(x: f32) -> (f32, f32) =
    let g = adder(2.0)
    with state total = 1.0 do g(x) + g(x)
def parts(x: f32) -> (f32, f32) = with state total = 1.0 do reader(2.0).0(x) + of_the_parameter(x)(x)
def added(x: f32) -> (f32, f32) = with accum total: f32 do writer(2.0).g(x)
def chosen(x: f32) -> (f32, f32) = with state total = 1.0 do apply(x, held(3.0))
def sized(x: f32[m]) -> (f32[m], f32[m]) = with state total = zeros([m]) do of_any_size(x)(x)
#### keys_of_functions_that_are_called_once
import nn
from random import normal
enum Way = Up | Down(by: float)
def once(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(x)
def maybe(f: (f32) -> f32, x: f32) -> f32 = if x > 0.0 then once(f, x) else f(-x)
def first_of(f: (f32) -> f32, g: (f32) -> f32, static b: bool, x: f32) -> f32 = if b then f(x) else g(x)
def handled(f: () -> f32 ! {draw, e}) -> f32 ! e = with handler draw(a) -> resume(a + 1.0) do f()
effect draw: (a: f32) -> f32
def passed(k: key, x: f32) -> f32 = once(fn v -> v + normal(k), x)
def named(k: key, x: f32) -> f32 =
    let h = fn v -> v + normal(k)
    maybe(h, x)
def either(k: key, static b: bool, x: f32) -> f32 = first_of(fn v -> v + normal(k), fn v -> v, b, x)
def under_a_handler(k: key, x: f32) -> f32 = handled(fn () -> draw(x) + normal(k))
def matched(k: key, static way: Way, x: f32) -> f32 =
    let f = match way with
        Up -> fn v -> v + normal(k)
        Down(by) -> fn v -> v - by * normal(k)
    f(x)
def chosen(k: key, static b: bool, x: f32) -> f32 =
    let f = if b then fn v -> v + normal(k) else fn v -> v
    once(f, x)
def at_once(k: key, static b: bool, x: f32) -> f32 = (if b then fn v -> v + normal(k) else fn v -> v - normal(k))(x)
def slope(k: key, x: f32) -> f32 = grad(fn w -> once(fn v -> v * normal(k), w))(x)
def each(ks: key[n], x: f32[n]) -> f32[n] = [once(fn w -> w + normal(k), v) for (k, v) in zip(ks, x)]
def net(x: f32[b, d], k: key) -> f32[b, 2] ! nn.param = nn.dropout(k, nn.dense(x, "out", 2), 0.5)
def loss(p: net.param, x: f32[b, d], k: key) -> f32 = sum(nn.apply(p, fn () -> net(x, k)))
def step(p: net.param, x: f32[b, d], k: key) -> net.param = grad(loss)(p, x, k)
#### lines_without_an_order
def told(x: f32) -> f32 ! debug =
    print("x = {}", x, ordered=false)
    if x > 0.0 then
        print("{} is positive", x, ordered=false)
        x
    else -x
def by_vmap(xs: f32[n]) -> f32[n] ! debug = vmap(told)(xs)
def by_element(xs: f32[n]) -> f32[n] ! debug = [told(x) for x in xs]
def by_step(xs: f32[n]) -> f32 ! debug = fold s = 0.0 for x in xs do s + told(x)
def in_order(x: f32) -> f32 ! io =
    print("x = {}", x, ordered=true)
    x
def of_its_own(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def given(xs: f32[n]) -> f32[n] ! debug = of_its_own(told, xs)
def slope(x: f32) -> f32 ! debug = grad(told)(x)
