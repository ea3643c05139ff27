#### leading_words_continue
def f(x: f32[n], c: bool) -> f32 =
    let a = sum(x)
        * 2.0
    let b = if c
        then a
        else 2.0
    a
        |> sqrt
        |> fn v -> v + b
#### opener_at_line_end_in_brackets
def f(x: f32[n]) -> (f32, f32) =
    (fold a = 0.0 for v in x do
        let w = v * v
        a + w,
     sum(x))
#### keyword_argument_block
type P = {w: f32, b: f32}
def f(x: f32) -> P =
    {w =
        let y = x * 2.0
        y + 1.0,
     b = x}
#### trailing_comma_continues
def f(x: f32) -> (f32, f32) =
    let (a, b) = (x,
        x)
    (a, b)
#### words_as_names
def f(where: f32[n], limit: f32, key: f32, accum: f32) -> f32 =
    let state = sum(where)
    let reverse = limit + key
    let unroll = state + accum
    let resume = unroll * reverse
    let handler = resume
    let checks = handler
    let rng = checks
    rng
#### word_named_key_as_a_call
def f(key: key) -> f32[3] = random.normal(key, [3])
import random
#### where_as_a_function_at_line_start
def f(x: f32[n]) -> f32[n] =
    let y = x
    where(y > 0.0, y, 0.0)
#### where_clause_indented
def f(x: f32[n], y: f32[m]) -> f32[n]
    where n == m = x + y
#### one_tuple_and_unit
def f(x: f32) -> (f32,) = (x,)
def g() -> () = ()
#### pattern_of_one
def f(x: (f32,)) -> f32 =
    let (a,) = x
    a
#### pattern_of_literal_array
def f(x: f32[3, n]) -> f32[n] =
    let (a, b, c) = x
    a + b + c
#### pattern_of_records_times_k
type P = {w: f32, b: f32}
def f(ps: P[2]) -> f32 =
    let (p, q) = ps
    p.w + q.b
#### nested_tuple_position
def f(t: (f32, (f32, i32))) -> i32 = t.1.1
#### number_underscores
def f(x: i32[n]) -> i32[n] = x + 0x1f + 1_000
#### none_in_index
def f(x: f32[n]) -> f32[1, n] = x[None, :]
def g(x: f32[n]) -> f32[n, 1] = x[:, none]
#### chain_elementwise
def f(x: f32[n]) -> bool[n] = 0.0 < x <= 1.0
#### power_binds_tighter_than_minus
def f(x: f32) -> f32 = -x ** 2 + x ** -1
#### power_right_associative
def f() -> f32[2 ** 3 ** 2] = zeros([512])
#### not_over_comparison
def f(a: i32, b: i32) -> bool = not a == b and a < b or b < a
#### bits_tighter_than_comparison
def f(x: i32[n]) -> bool[n] = x & 1 == 0
def g(x: i32[n]) -> i32[n] = x | 3 ^ 1 & x << 2
#### method_call_is_a_call
def scale(x: f32[n], k: f32) -> f32[n] = x * k
def f(x: f32[n]) -> f32 = x.scale(2.0).mean(axis=0)
#### field_that_is_a_function_wins
def f(x: f32) -> f32 =
    let r = {scale = fn (v: f32) -> v * 2.0, w = x}
    r.scale(r.w)
#### pair_lambda
def f(x: f32[n], y: f32[n]) -> f32[n] = [(fn ((a, b)) -> a * b)((v, w)) for v, w in zip(x, y)]
#### lambda_of_many_sizes
def f(x: f32[n], y: f32[m]) -> f32 =
    let g = fn v -> sum(v * v)
    g(x) + g(y)
#### keyword_named_field
type R = {axis: f32, where: f32, rng: f32}
def f(r: R) -> f32 = r.axis + r.where + r.rng
#### record_field_wins_over_shape
type R = {shape: f32, T: f32}
def f(r: R) -> f32 = r.shape + r.T
#### transposed
def f(x: f32[b, n, m]) -> f32[b, m, n] = x.T
#### effectful_statement
def f(x: f32) -> f32 ! io =
    print("x {}", x)
    x
#### default_uses_earlier
def f(x: f32[n], static k: int = n, static j: int = k + 1) -> f32[j] where j >= 0 = zeros([j])
#### static_parameter_stands_later
def f(x: f32[k, n], static k: int) -> f32[k] = sum(x, axis=1)
#### top_level_constant_in_type
let width = 4
def f(x: f32[width]) -> f32[4] = x
#### local_let_in_annotation
def f(x: f32[2 * n]) -> f32[n, 2] =
    let k = x.shape[0] // 2
    let y: f32[k, 2] = reshape(x, [n, 2])
    y
#### affine_size_determines
def f(x: f32[2 * n + 1]) -> f32[n] = x[:n]
#### affine_with_determined_sizes
def f(x: f32[a, b], y: f32[a * v + b]) -> f32[v] = zeros([v])
#### determined_by_order_of_parameters
def f(y: f32[k * v], static k: int) -> f32[v] = zeros([v])
#### keyword_only
def f(x: f32, *, y: f32) -> f32 = x - y
def g(x: f32) -> f32 = f(x, y=2.0)
#### generic_dtype
def relu[a: Float](x: a[*s]) -> a[*s] = maximum(x, 0)
def f(x: bf16[n], y: f64) -> (bf16[n], f64) = (relu(x), relu(y))
#### generic_tree
def same[t: Tree](x: t) -> t = x
def f(x: (f32, i32[n])) -> (f32, i32[n]) = same(x)
#### generic_move_of_a_key
def same[t: Move](x: t) -> t = x
def f(k: key) -> key = same(k)
#### generic_vspace
def axpy[P: VSpace](a: f32, p: P, q: P) -> P = tree_map(fn x -> cast(a, x.dtype) * x, p) + q
type M[n] = {w: f64[n], b: c64}
def f(p: M[n], q: M[n]) -> M[n] = axpy(2.0, p, q)
#### alias_with_dtype_and_shape
type Boxed[a: Float, *s] = {v: a[*s]}
def f(x: Boxed[f32, n, m]) -> f32[n, m] = x.v
#### alias_plus_axes
type Params[d] = {w: f32[d], b: f32}
def f(ps: Params[3][n]) -> (f32[n, 3], f32[n]) = (ps.w, ps.b)
#### alias_index
type Params[d] = {w: f32[d], b: f32}
def f(ps: Params[3][n], i: idx[n]) -> Params[3] = ps[i]
#### alias_iteration
type Params[d] = {w: f32[d], b: f32}
def f(ps: Params[3][n]) -> f32[n] = [sum(p.w) + p.b for p in ps]
#### recursion_on_static
def pow(x: f32, static k: int) -> f32 where k >= 0 =
    if k == 0 then 1.0 else x * pow(x, k=k - 1)
def f(x: f32) -> f32 = pow(x, k=5)
#### recursive_static_def
static def fact(n: int) -> int = if n == 0 then 1 else n * fact(n - 1)
def f() -> f32[fact(3)] = zeros([6])
#### static_def_unfolded_in_size
static def out(n: int, k: int, stride: int) -> int = (n - k) // stride + 1
def f(x: f32[n], static k: int) -> f32[out(n, k, 1)] where 1 <= k and k <= n = zeros([n - k + 1])
#### boolean_static_def_in_where
static def even(n: int) -> bool = n % 2 == 0
def f(x: f32[n]) -> f32[n // 2, 2] where even(n) = reshape(x, [n // 2, 2])
#### where_or
def f(x: f32[n]) -> f32 where n == 2 or n == 3 = x[1]
#### idx_body_knows
def f(x: f32[n], i: idx[n]) -> f32 = max(x) + x[0]
#### idx_of_loop_knows
def f(x: f32[n]) -> f32[n] = [x[0] + v for v in x]
#### static_if_normalises
def f(x: f32[n], static half: bool) -> f32[if half then n // 2 else n] = if half then x[:n // 2] else x
#### static_if_decided_drops
def g(x: f32[n], static k: int) -> f32 = if k < n then x[k] else 0.0
def f(x: f32[2]) -> f32 = g(x, k=7)
#### match_static_enum
enum Activation = Relu | Gelu | Leaky(slope: float)
def act(x: f32[*s], static a: Activation) -> f32[*s] =
    match a with
        Relu -> maximum(x, 0)
        Gelu -> x * 0.5
        Leaky(k) -> where(x > 0.0, x, k * x)
def f(x: f32[n]) -> f32[n] = act(x, a=Leaky(0.1))
#### match_static_tuple
def f(x: f32[n], static t: (int, bool)) -> f32[n] =
    match t with
        (0, true) -> x
        (k, false) -> x * k
        _ -> -x
#### static_number_waits
def f(x: f64[n]) -> f64[n] = x * sqrt(2.0) ** 2
def g(x: bf16) -> bf16 = x + 1
#### static_record_stays_static
def f(x: f64) -> f64 =
    let c = {a = 1, b = 2.5}
    x * c.b + c.a
#### static_int_product_is_size
def f(x: f32[n]) -> f32[n * 2 + 1] =
    let k = n * 2
    zeros([k + 1])
#### static_in_traced_if
def f(x: f64, c: bool) -> f64 = x + (if c then 1 else 2.5)
#### int_power_of_traced
def f(x: i32) -> i32 = x ** 3
#### shift
def f(x: u8[n]) -> u8[n] = x >> 2
#### abs_of_complex
def f(x: c128[n]) -> f64[n] = abs(x) + real(x)
#### sum_of_bool
def f(x: bool[n]) -> i32 = sum(x)
def g(x: bool[n]) -> f32 = mean(x)
#### casts
def f(x: f32[n]) -> i8[n] = i8(x)
def g[a: Float](x: i32[n], y: a) -> a[n] = cast(x, a) * y
#### broadcast_shape_variable
def f(x: f32[*s, d], b: f32[d]) -> f32[*s, d] = x + b
def g(x: f32[*s], y: f32) -> f32[*s] = x * y
#### softmax_over_any_axis
def soft(x: f32[*s], static axis: int) -> f32[*s] =
    let m = max(x, axis=axis, keepdims=true)
    let z = exp(x - m)
    z / sum(z, axis=axis, keepdims=true)
#### set_broadcasts
def f(x: f32[n, d], v: f32[d]) -> f32[n, d] = x.at[0:n].set(v)
#### shape_function_with_axes
def f(x: f32[a, b, c]) -> f32[b] = sum(x, axis=(0, -1))
def g(x: f32[a, b, c]) -> f32[a, 1, c] = mean(x, axis=1, keepdims=true)
#### static_leaf_of_result
def dims(x: f32[n, m]) -> (int, f32) = (n * m, sum(x))
def f(x: f32[n, m]) -> f32[n * m] =
    let (k, s) = dims(x)
    zeros([k]) + s
#### static_if_without_else_type
def f(x: f32[n], static c: bool) -> f32[n] = if c then x + 1.0 else -x
#### idx_joins
def f(x: f32[5], i: idx[3], j: idx[5], c: bool) -> f32 = x[if c then i else j]
#### functional_updates
def f(x: f32[n], ids: idx[n][m], v: f32[m]) -> f32[n] = x.at[ids].add(v)
def g(x: f32[n]) -> f32[n] = x.at[x < 0.0].set(0.0)
def h(x: f32[n, m], i: idx[n]) -> f32[n, m] = x.at[i, :].mul(2.0)
#### record_update_path
type L = {w: f32, b: f32}
type M = {layer: L, k: f32}
def f(m: M, u: f32) -> M = {m with layer.b = u, k = 2.0 * m.k}
#### keys_by_static_index
import random
def f(k: key) -> f32 =
    let ks = random.split(k, 3)
    random.normal(ks[0], []) + random.normal(ks[1], []) * random.normal(ks[2], [])
#### keys_branches
import random
def f(k: key, c: bool) -> f32 = if c then random.normal(k, []) else random.uniform(k, [])
#### fold_in_over_range
import random
def f(k: key, x: f32[n]) -> f32[n] = [x[i] + random.normal(random.fold_in(k, i), []) for i in range(n)]
#### carried_key
import random
def f(k: key) -> f32 =
    let (_, t) = fold (k, t) = (k, 0.0) for _ in range(3) do
        let (a, b) = random.split(k, 2)
        (a, t + random.normal(b, []))
    t
#### iterate_key_array
import random
def f(ks: key[n]) -> f32[n] = [random.normal(k, []) for k in ks]
#### shape_of_keys_does_not_move
import random
def f(ks: key[n]) -> f32[n] =
    let m = ks.shape[0]
    [random.normal(k, []) + m for k in ks]
#### record_of_keys
import random
type S = {k: key, j: key, w: f32}
def f(s: S) -> f32 = random.normal(s.k, []) + random.normal(s.j, []) + s.w
#### effects_over_declared
def f(x: f32) -> f32 ! {io, check} = x
#### effect_variable
def twice(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(f(x))
def g(x: f32) -> f32 = twice(fn v -> v * 2.0, x)
def h(x: f32) -> f32 ! io =
    twice(fn v -> (fn _ -> v)(print("{}", v)), x)
#### rng_handler
def draw() -> f32 ! rand = random.normal(fresh_key(), [])
def f(k: key) -> f32 = with rng(k) do draw() + draw()
import random
#### state_handler
def bump() -> f32 ! state(s: f32) =
    s := s + 1.0
    s
def f(x: f32) -> (f32, f32) = with state s = x do bump() * bump()
#### accum_handler
def note(x: f32) -> () ! accum(a: f32) =
    a += x
    ()
def f(x: f32[n]) -> (f32[n], f32) =
    with accum a: f32 do [(fn _ -> v)(note(v)) for v in x]
#### checks_handler
def f(x: f32[n], i: i32) -> (f32, {failed: bool, code: i32}) = with checks do x[i]
#### limit_makes_pure
def f(x: f32) -> f32 = iterate y = x while abs(y) > 1.0 limit 50 do y * 0.5
#### reads_of_state_in_comprehension
def f(x: f32[n]) -> (f32[n], f32) = with state s = 1.0 do [v * s for v in x]
#### axis_effect
def f(x: f32[n]) -> f32[n] = vmap(fn v -> v / psum(v, "i"), axis_name="i")(x)
#### nested_handlers
def f(x: f32) -> ((f32, f32), f32) =
    with state s = x do
        with state t = 0.0 do
            t := s + 1.0
            s := t
            s + t
#### user_effect
type Normal = {loc: f32, scale: f32}
effect sample: (static name: str, d: Normal) -> f32
def model(x: f32) -> f32 ! sample = sample("a", {loc = x, scale = 1.0}) + 1.0
def f(x: f32) -> f32 = with handler sample(name, d) -> resume(d.loc) do model(x)
#### user_effect_with_state
effect tick: (k: f32) -> f32
def model(x: f32) -> f32 ! tick = tick(x) + tick(2.0)
def f(x: f32) -> (f32, f32) =
    (with handler tick(k) ->
        t := t + k
        resume(t),
        state t = 0.0 do model(x))
#### index_with_leading_minus
def f(x: f32[n]) -> f32 where n >= 2 = x[-1] + x[-2]
def g(x: f32[n], static k: int) -> f32[k] where 0 <= k and k <= n = x[-k:]
#### stepped_slice
def f(x: f32[n]) -> f32[(n + 1) // 2] = x[::2]
#### reversed_slice_of_two
def f(x: f32[n, m]) -> f32[n - 2, m] where n >= 2 = x[1:-1, :]
#### dynamic_slice
def f(x: f32[n], i: i32) -> f32[3] ! check = x[i : i + 3]
#### affine_dynamic_slice
def f(x: f32[2 * n + 1]) -> f32[n, 3] = [x[2 * i : 2 * i + 3] for i in range(n)]
#### two_ranges
def f(x: f32[n + m - 1], y: f32[n], z: f32[m]) -> f32[n, m] where n >= 1 and m >= 1 = [x[i + j] for i in range(n), j in range(m)]
#### argmax_is_index
def f(x: f32[n], y: f32[n]) -> f32 where n >= 1 = y[argmax(x)]
#### policy
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x.at[i].get(mode="clip") + x.at[i].get(mode="fill", fill=0.0)
def g(x: f32[n], i: i32) -> f32[n] = x.at[i].set(1.0, mode="drop")
#### eight_bits
def f(t: f32[256], x: u8[n]) -> f32[n] = t[i32(x)]
#### shape_list
def f(x: f32[n, m]) -> f32[n * m] = reshape(x, [-1])
#### bracket_list_of_arrays
def f(x: f32[n], y: f32[m]) -> f32[n + m] = concatenate([x, y], axis=0)
#### literal_stack
def f(a: f32[n], b: f32[n]) -> f32[2, n] = [a, b]
#### clauses
def f(x: f32[n, m], y: f32[m]) -> f32[n, m] = [row[j] * y[j] for row in x, j in range(m)]
#### enumerate_zip
def f(x: f32[n], y: f32[n]) -> f32[n] = [a * b + x[i] for i, (a, b) in enumerate(zip(x, y))]
#### iterate_tree
def f(t: {a: f32[n], r: {w: f32[n, 2]}}) -> f32[n] = [p.a + sum(p.r.w) for p in t]
#### tuple_is_unrolled
def f(x: f32[n], ws: (f32[n, 3], f32[3, 5])) -> f32[5] = fold h = x for w in ws do h @ w
#### scan_reverse
def f(x: f32[n]) -> (f32, f32[n]) = scan a = 0.0 for v in x reverse do (a + v, a)
#### fold_unroll
def f(x: f32[n]) -> f32 = fold a = 0.0 for v in x unroll 4 do a * 0.5 + v
#### carry_annotation
def f(x: i32[n]) -> i64 = fold a: i64 = 0 for v in x do a + i64(v)
#### carry_by_let
def f(x: f64[n]) -> f64 =
    let a: f64 = fold a = 0 for v in x do a + v
    a
#### compute_fibonacci
def f() -> i32 =
    let (a, _) = fold (a, b) = (0, 1) for _ in range(10) do (b, a + b)
    a
#### grads
def loss(w: f32[d], x: f32[d]) -> f32 = sum(w * x)
def f(w: f32[d], x: f32[d]) -> (f32[d], f32[d]) = grad(loss, argnums=(0, 1))(w, x)
def g(w: f32[d], x: f32[n, d]) -> f32[n, d] = vmap(grad(loss), in_axes=(none, 0))(w, x)
def h(w: f32[d], x: f32[d]) -> f32[d, d] = hessian(loss)(w, x)
#### aux
def loss(w: f32, x: f32) -> (f32, i32) = (w * x, 3)
def f(w: f32, x: f32) -> ((f32, i32), f32) = value_and_grad(loss, has_aux=true)(w, x)
#### jvp_vjp
def h(x: f32[n]) -> f32 = sum(x ** 2)
def f(x: f32[n], t: f32[n]) -> (f32, f32) = jvp(h, (x,), (t,))
def g(x: f32[n]) -> f32[n] =
    let (out, pull) = vjp(h, x)
    let (ct,) = pull(out)
    ct
#### custom
def sq(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) =
    let (x,) = primals
    let (t,) = tangents
    (x * x, 2.0 * x * t)
def f(x: f32) -> f32 = grad(custom_jvp(sq, rule))(x)
#### static_through_grad
def p(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = grad(p)(x, k=3)
#### two_argument_max
def f(x: f32[n], y: f32[n]) -> f32[n] = max(x, y)
def g() -> f32[max(2, 3)] = zeros([3])
#### positional_shapes
def f(x: f32[n, m]) -> f32[m, n] = transpose(x, (1, 0))
#### einsum_names
def f(a: f32[n, m], b: f32[m, k]) -> f32[n, k] = einsum("ij,jk->ik", a, b)
#### one_hot_name
import nn
def f(ids: idx[n][m]) -> f32[m, n] = nn.one_hot(ids, n)
#### compressing
def f(x: f32[n]) -> f32[3] ! check = compress(x, x > 0.0, size=3, fill=0.0)
def g(x: f32[n]) -> f32[3] = compress(x, x > 0.0, size=3, fill=0.0, overflow="drop")
#### recursion_that_static_values_end
enum Kind = Leaf | Node
static def all_even(n: int) -> bool = n == 0 or (n % 2 == 0 and all_even(n // 2))
def by_match(x: f32, static k: int) -> f32 =
    match k with
        0 -> x
        _ -> by_match(x * 2.0, k=k - 1)
def by_flag(x: f32, static more: bool) -> f32 = if more then by_flag(x * 2.0, more=false) else x
def by_size(x: f32[n]) -> f32 = if n == 0 then 0.0 else x[0] + by_size(x[1:])
def by_enum(x: f32, static kind: Kind) -> f32 = if kind == Leaf then x else by_enum(x, kind=Leaf)
def inside(x: f32, static k: int) -> f32 =
    if k == 0 then x
    else if x > 0.0 then inside(x - 1.0, k=k - 1)
    else inside(x + 1.0, k=k - 1)
#### statements_that_may_do_nothing
let debug = false
def log_if(x: f32, static on: bool) -> () ! io = if on then print("x {}", x) else ()
def f(x: f32) -> f32 ! io =
    log_if(x, on=false)
    if debug then print("x {}", x) else ()
    x
#### written_parts_meet_their_types
type P[n] = {w: f32[n], i: idx[n], k: i32}
def f(x: f32[n]) -> (P[n], (f64, f32)) where n >= 1 =
    let y = x * 2.0
    ({w = y, i = n - 1, k = 3}, (2, 0.5))
#### proved_indices_in_trees
def g(x: f32[n], t: (f32, idx[n])) -> f32 = x[t.1] * t.0
def f(x: f32[n], i: i32) -> f32 = if 0 <= i and i < n then g(x, (2.0, i)) else 0.0
def h(x: f32[n]) -> f32[n] = [g(x, (2.0, i)) for i in range(n)]
def r(x: f32[n], i: i32, j: i32) -> f32 ! check =
    let t = (f32(i), j)
    g(x, t)
def s(x: f32[n], pick: (f32) -> idx[n] ! check) -> f32 ! check = x[pick(1.0)]
def t(x: f32[n], i: i32) -> f32 ! check = s(x, fn a -> i)
#### write_kept_apart_from_a_loop
def tick(x: f32) -> f32 ! state(s: f32) =
    s := s + x
    s
def f(xs: f32[n]) -> f32 ! state(s: f32) = fold a = 0.0 for x in xs do a + s + (with checks do tick(x)).0
#### functions_in_parallel_may_read_and_draw
from random import normal
def each(g: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = [g(v) for v in x]
def slope(g: (f32) -> f32 ! e, x: f32) -> f32 ! e = grad(g)(x)
def reads(x: f32[n]) -> f32[n] ! state(s: f32) = each(fn v -> v + s, x)
def draws(x: f32[n]) -> f32[n] ! {rand, check} = each(fn v -> checked(v) + normal(fresh_key()), x)
def tells(x: f32) -> f32 ! io =
    print("{}", x)
    x * x
def told(x: f32) -> f32 ! io = slope(tells, x)
def in_turn(g: (f32) -> f32 ! e, x: f32[n]) -> f32 ! e = fold a = 0.0 for v in x do a + g(v)
def listed(x: f32[n]) -> f32 ! io = in_turn(tells, x)
#### recursion_with_stated_conditions
def nth(x: f32[n], static k: int) -> f32 where 0 <= k and k < n = if k == 0 then x[0] else nth(x[1:], k=k - 1)
def total(x: f32[n]) -> f32 = if n == 0 then 0.0 else if n == 1 then x[0] else total(x[: n // 2]) + total(x[n // 2 :])
#### powers_of_integers
def power(a: i32, static k: int) -> i32 = a ** k
def f(a: i32, x: f32) -> (i32, f32, f32) = (power(a, k=3), x ** -2, 2.0 ** -1 * x)
