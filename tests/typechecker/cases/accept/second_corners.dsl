#### block_in_index
def f(x: f32[n, m], i: idx[n]) -> f32 =
    sum(x[i, :]
        + 0.0)
#### comment_between
def f(x: f32) -> f32 =
    # a comment at another depth
        # and one more
    let y = x

    y
#### match_arm_blocks
def f(x: f32[n], static k: int) -> f32[n] =
    match k with
        0 ->
            let y = x * 2.0
            y
        _ -> x
#### pipe_with_block_lambda
def f(x: f32[n]) -> f32 =
    x
    |> fn v ->
        let w = v * 2.0
        w
    |> sum
#### if_chain_in_lines
def f(x: f32) -> f32 =
    if x > 0.0 then 1.0
    else if x < 0.0 then -1.0
    else 0.0
#### assert_with_message
def f(x: f32[n]) -> f32 ! check =
    assert all(x > 0.0), "positive"
    sum(log(x))
#### unit_function
def show(x: f32) -> () ! io = print("{}", x)
def f(x: f32) -> f32 ! io =
    show(x)
    x
#### pattern_part_ignored
def f(t: (f32, (f32, f32))) -> f32 =
    let (_, (_, c)) = t
    c
#### default_with_sizes
def window(x: f32[n], static w: int = max(n // 2, 1)) -> f32[w] where 1 <= w and w <= n = x[:w]
#### sizes_as_values
def f(x: f32[n, m]) -> f32 = sum(x) / (n * m)
#### static_shape_arithmetic
def f(x: f32[*s, d]) -> f32[*s] = reshape(x, [*s, d]) |> fn v -> sum(v, axis=-1)
#### dtype_of_argument
def f(x: f64[n]) -> f64[3] = zeros([3], dtype=x.dtype)
#### local_shadows_module
import linalg
def f(linalg: {cholesky: f32}) -> f32 = linalg.cholesky
#### local_shadows_prelude
def f(sum: f32[n], mean: f32) -> f32[n] = sum * mean
#### definition_shadows_prelude
def softmax(x: f32[n]) -> f32[n] = exp(x) / sum(exp(x))
def f(x: f32[n]) -> f32[n] = softmax(x)
#### mutual_order
def f(x: f32) -> f32 = g(x) + c
let c = d * 2.0
let d = 3.0
def g(x: f32) -> f32 = x * d
#### mutual_recursion
def even(x: f32, static k: int) -> f32 where k >= 0 = if k == 0 then x else odd(x, k=k - 1)
def odd(x: f32, static k: int) -> f32 where k >= 0 = if k == 0 then -x else even(x, k=k - 1)
def f(x: f32) -> f32 = even(x, k=5)
#### static_def_on_shapes
static def rows(s: shape) -> int = s[0]
def g(x: f32[*s]) -> f32[rows(s)] = zeros([x.shape[0]])
def f(x: f32[n, m]) -> f32[n] = g(x)
#### static_optional
def f(x: f32[n], static k: int? = none) -> f32[n] =
    match k with
        none -> x
        v -> x * v
#### static_optional_by_if
def f(x: f32[n], static k: int? = none) -> f32[n] = if k == none then x else x + 1.0
#### static_optional_by_if_narrows
def f(x: f32[n], static k: int? = none) -> f32[n] = if k == none then x else x * k
def g(x: f32[n], static k: int? = none) -> f32[n] = if k != none then x * k else x
#### static_optional_wildcard
def f(x: f32[n], static k: int? = none) -> f32[n] =
    match k with
        none -> x
        _ -> x * k
#### divisibility_fact
def heads(x: f32[n, d], static h: int) -> f32[n, h, d // h] where h >= 1 and d % h == 0 = reshape(x, [n, h, d // h])
def merge(x: f32[n, h, k]) -> f32[n, h * k] = reshape(x, [n, -1])
def f(x: f32[n, 12]) -> f32[n, 12] = merge(heads(x, h=4))
#### sizes_commute
def f(x: f32[(a + b) * c], y: f32[a], z: f32[b], w: f32[c]) -> f32[c * a + b * c] = x
#### floor_shift
def f(x: f32[(e + 2 * s) // 2], y: f32[e], z: f32[s]) -> f32[e // 2 + s] = x
#### max_under_fact
def f(x: f32[max(n, m)], y: f32[n], z: f32[m]) -> f32[n] where n >= m = x
#### static_if_inside_where
def f(x: f32[n], static k: int) -> f32 where k >= 0 =
    if k < n then
        let y = x[k:]
        y[0]
    else 0.0
#### slice_from_a_range
def f(x: f32[n]) -> f32[n - 2, 3] where n >= 2 = [x[i : i + 3] for i in range(n - 2)]
#### centred_window
def f(x: f32[n]) -> f32[n - 2] where n >= 2 = [sum(x[i - 1 : i + 2]) for i in range(1, n - 1)]
#### nested_ranges
def f(x: f32[n, m]) -> f32[m, n] = [x[i, j] for j in range(m), i in range(n)]
#### reversed_index
def f(x: f32[n]) -> f32[n] = [x[n - 1 - i] for i in range(n)]
#### half_index
def f(x: f32[n]) -> f32[2 * n] = [x[i // 2] for i in range(2 * n)]
#### modulo_of_a_range
def f(x: f32[3], static n: size) -> f32[n] = [x[i % 3] for i in range(n)]
#### index_through_where
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[where(i < 0, 0, clip(i, 0, n - 1))]
#### index_through_max_min
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[max(0, min(i, n - 1))]
#### argsort_gather
def f(x: f32[n], y: f32[n, d]) -> f32[n, d] = y[argsort(x)]
#### top_k_gather
def f(x: f32[n]) -> f32[3] where n >= 3 =
    let (v, i) = top_k(x, 3)
    x[i] - v
#### idx_kept_by_annotation
def f(x: f32[n], i: i32) -> f32 where n >= 1 =
    let j: idx[n] = clip(i, 0, n - 1)
    x[j]
#### carry_idx_annotated
def f(x: f32[n]) -> f32 where n >= 1 =
    let j = fold j: idx[n] = 0 for i in range(n) do if x[i] > x[j] then i else j
    x[j]
#### scan_of_indices
def f(x: f32[n]) -> (f32, f32[n]) where n >= 1 = scan a = 0.0 for i in range(n) do (a + x[i], x[n - 1 - i])
#### scan_over_a_tree
def f(xs: {a: f32[n], b: i32[n, 2]}) -> (f32, f32[n]) = scan s = 0.0 for r in xs do (s + r.a, f32(r.b[0]))
#### scan_carry_record
type S = {h: f32[3], c: f32[3]}
def f(s: S, xs: f32[n, 3]) -> (S, f32[n, 3]) = scan s = s for x in xs do ({s with h = x + s.c}, s.h)
#### scan_carry_and_output_are_patterns
def f(xs: f32[n]) -> ((f32, i32), (f32[n], i32[n])) =
    scan (a, k) = (0.0, 0) for x in xs do ((a + x, k + 1), (a, k))
#### fold_vspace_carry
type P[d] = {w: f32[d], b: f32}
def f(p: P[d], gs: P[d][n]) -> P[d] = fold p = p for g in gs do p - 0.1 * g
#### comprehension_of_records
type P = {w: f32, b: f32}
def f(x: f32[n]) -> P[n] = [{w = v, b = 2.0} for v in x]
#### comprehension_of_tuples
def f(x: f32[n, m]) -> (f32[n], f32[n, m]) = [(sum(r), r * 2.0) for r in x]
#### nested_comprehension
def f(x: f32[n, d], y: f32[m, d]) -> f32[n, m] = [[sum((a - b) ** 2) for b in y] for a in x]
#### tuple_zip_unrolled
def f(x: f32[n], ws: (f32[n, 3], f32[3, 5]), bs: (f32[3], f32[5])) -> f32[5] =
    fold h = x for w, b in zip(ws, bs) do h @ w + b
#### function_without_static
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def g(x: f32, y: f32) -> f32 = apply(fn v -> v * y, x)
#### returns_a_function
def scale(k: f32) -> ((f32) -> f32) = fn v -> v * k
def f(x: f32) -> f32 = scale(2.0)(x)
#### grad_of_a_lambda_that_captures
def f(x: f32[n], y: f32[n]) -> f32[n] = grad(fn v -> sum(v * y))(x)
#### grad_of_record
type P[d] = {w: f32[d], b: f32}
def loss(p: P[d], x: f32[d]) -> f32 = sum(p.w * x) + p.b
def f(p: P[d], x: f32[n, d]) -> P[d][n] = vmap(grad(loss), in_axes=(none, 0))(p, x)
#### vmap_over_record_axes
type P[d] = {w: f32[d], b: f32}
def loss(p: P[d], x: f32[d]) -> f32 = sum(p.w * x) + p.b
def f(p: P[d][n], x: f32[n, d]) -> f32[n] = vmap(loss)(p, x)
#### vmap_negative_axis
def f(x: f32[n, m]) -> f32[m] = vmap(sum, in_axes=-1)(x)
#### vmap_out_axis_pair
def g(x: f32[d]) -> (f32[d], f32) = (x, sum(x))
def f(x: f32[n, d]) -> (f32[d, n], f32[n]) = vmap(g, out_axes=(1, 0))(x)
#### jacobian_shapes
def h(x: f32[4]) -> f32[3, 4] = jacfwd(fn v -> v[:3] ** 2)(x)
#### grad_keeps_check
def g(x: f32[n], i: i32) -> f32 ! check = x[i]
def f(x: f32[n], i: i32) -> f32[n] ! check = grad(g)(x, i)
#### forward_through_iterate
def g(x: f32) -> f32 ! div = iterate y = x while abs(y) > 1.0 do y * 0.5
def f(x: f32) -> (f32, f32) ! div = jvp(g, (x,), (1.0,))
#### grad_through_limit
def g(x: f32) -> f32 = iterate y = x while abs(y) > 1.0 limit 20 do y * 0.5
def f(x: f32) -> f32 = grad(g)(x)
#### linearize_returns_function
def f(x: f32[n], t: f32[n]) -> f32[n] =
    let (y, lin) = linearize(fn v -> v * v, x)
    lin(t) + y
#### has_aux_jac
def g(x: f32) -> (f32, {k: i32}) = (x * x, {k = 3})
def f(x: f32) -> (f32, {k: i32}) = grad(g, has_aux=true)(x)
#### rand_in_comprehension
import random
def f(x: f32[n]) -> f32[n] ! rand = [v + random.normal(fresh_key(), []) for v in x]
#### rand_twice
import random
def f(x: f32) -> f32 ! rand = random.normal(fresh_key(), []) + random.normal(fresh_key(), [])
#### accum_in_fold
def f(x: f32[n]) -> (f32, f32) =
    with accum a: f32 do
        fold s = 0.0 for v in x do
            a += v * v
            s + v
#### accum_of_record
type G = {w: f32[3], b: f32}
def f(x: f32[3]) -> (f32, G) =
    with accum g: G do
        g += {w = x, b = sum(x)}
        1.0
#### state_in_scan
def f(x: f32[n]) -> ((f32, f32[n]), i32) =
    with state k = 0 do
        scan s = 0.0 for v in x do
            k := k + 1
            (s + v, s)
#### state_under_if
def f(x: f32, c: bool) -> (f32, f32) =
    with state s = 0.0 do
        if c then
            s := x
            s
        else x
#### two_states
def swap() -> () ! {state(a: f32), state(b: f32)} =
    let t = a
    a := b
    b := t
    ()
def f(x: f32, y: f32) -> (((), f32), f32) =
    with state a = x do
        with state b = y do swap()
#### effect_row_variable_and_label
def both(f: (f32) -> f32 ! e, x: f32) -> f32 ! {io, e} =
    print("{}", x)
    f(x)
def g(x: f32) -> f32 ! io = both(fn v -> v, x)
#### pure_where_effectful_wanted
def apply(f: (f32) -> f32 ! io, x: f32) -> f32 ! io = f(x)
def g(x: f32) -> f32 ! io = apply(fn v -> v * 2.0, x)
#### psum_with_size
def f(x: f32[n]) -> f32[n] = vmap(fn v -> pmean(v, "i") + v, axis_name="i")(x)
#### short_circuit_guards_index
def f(x: f32[n], i: i32) -> bool = 0 <= i and i < n and x[i] > 0.0
#### keys_in_a_tuple_loop
import random
def f(k: key, xs: (f32[3], f32[5])) -> f32 =
    let (a, b) = random.split(k, 2)
    sum(xs.0 + random.normal(a, [3])) + sum(xs.1 + random.normal(b, [5]))
#### keys_split_over_comprehension
import random
def f(k: key, x: f32[n]) -> f32[n] = [v + random.normal(j, []) for v, j in zip(x, random.split(k, n))]
#### key_moved_into_record_and_out
import random
def f(k: key) -> f32 =
    let r = {k = k, w = 2.0}
    r.w * random.normal(r.k, []) + r.w
#### vmap_over_keys
import random
def g(k: key, x: f32) -> f32 = x + random.normal(k, [])
def f(ks: key[n], x: f32[n]) -> f32[n] = vmap(g)(ks, x)
#### at_get_windows
def f(x: f32[n], i: i32) -> f32[n] where n >= 2 = x.at[1:].add(x[:-1])
#### at_apply
def f(x: f32[n]) -> f32[n] where n >= 1 = x.at[0].apply(fn v -> v * 2.0)
#### gather_two_arrays
def f(x: f32[n, m], i: idx[n][k], j: idx[m][k]) -> f32[k] = x[i, j]
#### gather_broadcast
def f(x: f32[n, m], i: idx[n][k, 1], j: idx[m][l]) -> f32[k, l] = x[i, j[None, :]]
#### gather_then_slice
def f(x: f32[n, m, d], i: idx[n][k]) -> f32[k, m - 1, d] where m >= 1 = x[i, 1:]
#### ellipsis_then_index
def f(x: f32[*s, n]) -> f32[*s] where n >= 1 = x[..., 0]
#### complex_literals
def f(x: c64[n]) -> c64[n] = x * (1 + 2.0j)
#### casts_of_static
def f() -> f16 = f16(1.5)
#### comparisons_of_static
def f(x: f32[n]) -> f32[if n > 3 then 3 else n] = x[: min(n, 3)]
#### known_none_in_a_match
def f(x: f32[n]) -> f32[n] =
    let k = none
    match k with
        none -> x
        j -> x
#### optional_enum
enum Act = Relu | Leaky(slope: float)
def f(x: f32[n], static a: Act? = none) -> f32[n] =
    match a with
        none -> x
        Relu -> maximum(x, 0.0)
        Leaky(s) -> maximum(x, s * x)
#### optional_sizes_of_a_pair
def f(x: f32[n], static p: (int, int)? = none) -> f32[n] = if p == none then x else x * p.0
#### tuples_beside_other_clauses_of_a_comprehension
def f(x: f32[n]) -> f32[n, 2, 3, n] = [y * s * z + f32(i) for y in x, s in (0.5, 2.0), i in range(3), z in x]
def g(x: f32[n]) -> f32[2, 2] = [sum(y) * s for y in (x, x * 2.0), s in (sum(y), 2.0)]
def life(x: bool[h, w]) -> bool[h, w] =
    let n = sum([roll(i32(x), (i, j), axis=(0, 1)) for i in (-1, 0, 1), j in (-1, 0, 1)], axis=(0, 1)) - i32(x)
    (n == 3) | (x & (n == 2))
