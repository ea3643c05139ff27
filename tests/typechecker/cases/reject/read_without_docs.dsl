#### element_of_a_slice_that_is_used_up
from random import split, normal
def f(k: key, x: f32) -> f32 =
    let ks = split(k, 3)
    let a = fold s = x for q in ks[:2] do s + normal(q, [])
    a + normal(ks[1], []) #! E0610
#### product_in_a_recursion_that_lacks_a_case
def mm(a: f32[d, d], b: f32[d, d]) -> f32[d, d] = a @ b
def chain(x: f32[n, d, d]) -> f32[d, d] where n >= 1 =
    if n % 2 == 0 then mm(chain(x[: n // 2]), chain(x[n // 2 :]))
    else mm(x[0], chain(x[1:])) #! E0407
#### loss_that_counts
def errors(w: f32[d], x: f32[n, d], y: bool[n]) -> i32 = sum(i32((x @ w > 0.0) != y))
def step(w: f32[d], x: f32[n, d], y: bool[n]) -> f32[d] =
    w - 0.1 * grad(errors)(w, x, y) #! E0801
#### running_sums_without_the_first
def moving(x: f32[n], static k: size) -> f32[n - k + 1] where k >= 1 and k <= n =
    let c = cumsum(x)
    [(c[i + k] - c[i]) / f32(k) for i in range(n - k + 1)] #! E0421
#### bins_by_a_search
def bins(edges: f32[n], x: f32[m], h: f32[n - 1]) -> f32[m] where n >= 2 =
    [h[searchsorted(edges, v)] for v in x] #! E0701
#### bin_by_a_search
def density(edges: f32[n + 1], h: f32[n], x: f32) -> f32 =
    let b = searchsorted(edges, x)
    h[b] #! E0701
#### axes_that_are_not_joined
def kron2(a: f32[p, q], b: f32[r, s]) -> f32[p * r, q * s] =
    a[:, None, :, None] * b[None, :, None, :] #! E0402
#### axes_that_are_neither_joined_nor_in_order
def kron2(a: f32[p, q], b: f32[r, s]) -> f32[p * r, q * s] =
    [a[i, j] * b for i in range(p), j in range(q)] #! E0402
#### keys_with_a_stride_that_is_too_short
from random import split, normal
def f(k: key, static n: size, static m: size) -> f32[n, m + 1] where m >= 1 =
    let ks = split(k, n * (m + 1))
    [normal(ks[m * i + j], []) for i in range(n), j in range(m + 1)] #! E0611
#### key_of_one_loop_of_two
from random import fold_in, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] =
    [normal(fold_in(k, i), []) for i in range(n), j in range(m)] #! E0611
#### numbers_of_keys_that_meet
from random import fold_in, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] where m >= 2 =
    [normal(fold_in(k, i * (m - 1) + j), []) for i in range(n), j in range(m)] #! E0611
#### numbers_of_keys_that_wrap
from random import fold_in, normal
def f(k: key) -> f32[2] =
    [normal(fold_in(k, i * 65536 * 65536), []) for i in range(2)] #! E0611
#### numbers_of_keys_with_gaps
from random import fold_in, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] =
    [normal(fold_in(k, i * (m + 5) + j), []) for i in range(n), j in range(m)] #! E0611
#### element_of_a_leaf_that_is_not_known
def firsts[P: VSpace[f32]](p: P) -> f32 =
    tree_reduce(fn (a, x) -> a + x[0], p, 0.0) #! E0414
#### number_of_sizes_beyond_a_dtype
def inner(static n: size, static m: size) -> i32 = i32(4096 * n * m)
def g(x: f32[n, m]) -> i32 = inner(n, m)
def h(x: f32[1000000, 1000000]) -> i32 = g(x) #! E0407
#### index_that_needs_an_element
def latest(x: f32[n], i: i32) -> f32 = x[min(max(i, 0), n - 1)] #! E0701
#### update_of_a_slice_of_a_length_of_the_run
def head(x: f32[n], s: i32) -> f32[n] = x.at[:s].set(0.0) #! E0423
#### halves_in_a_recursion_that_may_be_empty
def haar(x: f32[n]) -> f32[n] =
    if n == 1 then x
    else if n % 2 == 1 then x
    else
        let (a, b) = (x[::2], x[1::2]) #! E0407
        concatenate((haar((a + b) / 2.0), (a - b) / 2.0))
#### key_of_a_function_that_is_called_twice
from random import normal
def twice(f: f32 -> f32, x: f32) -> f32 = f(f(x))
def g(k: key, x: f32) -> f32 = twice(fn v -> v + normal(k, []), x) #! E0611
#### key_of_a_function_that_is_given_back
from random import normal
def noisy(k: key) = fn x -> x + normal(k, []) #! E0611
def f(k: key, x: f32) -> f32 = noisy(k)(x)
#### key_of_a_function_in_a_record
from random import normal
type Layer = {apply: f32 -> f32}
def noisy(k: key) -> Layer = {apply = fn x -> x + normal(k, [])} #! E0611
#### condition_that_the_result_contradicts
def f(x: f32[n], static a: int, static b: int) -> f32[b - a] where 0 <= a and b < a = x[a:b] #! E0407
#### conditions_of_a_size_that_contradict
def f(x: f32[n]) -> f32[n - 3] where n <= 2 and n >= 3 = x[3:] #! E0407
#### assertion_that_a_condition_contradicts
def f(x: f32[n]) -> f32 ! check where n >= 3 =
    assert n < 2 #! E0717
    sum(x)
#### key_of_a_switch_used_again
from random import normal, uniform
def f(k: key, i: idx[2], x: f32) -> f32 =
    switch(i, (fn v -> v + normal(k, []), fn v -> v + uniform(k, [])), x) + normal(k, []) #! E0610
#### key_of_a_switch_in_a_loop
from random import normal, uniform
def f(k: key, i: idx[2], x: f32) -> f32 =
    fold x = x for _ in range(3) do switch(i, (fn v -> v + normal(k, []), fn v -> v + uniform(k, [])), x) #! E0611
#### key_used_twice_in_one_branch
from random import normal, uniform
def f(k: key, i: idx[2], x: f32) -> f32 =
    switch(i, (fn v -> v + normal(k, []) + normal(k, []), fn v -> v + uniform(k, [])), x) #! E0610
#### slices_of_turns_that_meet
from random import split, normal
def f(k: key, static n: size) -> f32[n] =
    let ks = split(k, 2 * n + 1)
    [sum([normal(q, []) for q in ks[2 * i : 2 * i + 3]]) for i in range(n)] #! E0611
#### every_other_key_twice
from random import split, normal
def f(k: key, static n: size) -> f32 where n >= 1=
    let ks = split(k, 2 * n)
    sum([normal(q, []) for q in ks[::2]]) + sum([normal(q, []) for q in ks[::2]]) #! E0610
#### slices_from_the_end_that_meet
from random import split, normal
def f(k: key, x: f32) -> f32 =
    let ks = split(k, 5)
    sum([normal(q, []) for q in ks[-2:]]) + sum([normal(q, []) for q in ks[:-1]]) #! E0610
#### element_of_a_slice_of_keys
from random import split, normal
def f(k: key) -> f32 =
    let ks = split(k, 6)
    sum([normal(q, []) for q in ks[:2]]) + normal(ks[:2][0], []) #! E0610
#### slice_of_keys_in_each_turn
from random import split, normal
def f(k: key) -> f32[3] =
    let ks = split(k, 6)
    [sum([normal(q, []) for q in ks[:2]]) for i in range(3)] #! E0611
#### activation_of_jax
def f(x: f32[n]) -> f32[n] = jax.nn.relu(x) #! E0201
#### type_of_jaxtyping
def f(x: Float32[Array, "n"]) -> f32 = sum(x) #! E0202
#### reduce_of_functools
def f(x: f32[n]) -> f32 = reduce(fn (a, b) -> a + b, x, 0.0) #! E0201
#### index_after_a_let
def f(x: f32[n], i: i32) -> idx[n] =
    let a = i * 2
    let b = a + 1
    b #! E0701
#### index_carried_by_a_block
def f(x: f32[n], j: idx[n]) -> f32 =
    let e = fold i: idx[n] = j for v in x do
        let a = i + 1
        let b = a * 2
        b #! E0701
    x[e]
#### index_bound_by_a_block
def f(x: f32[n], j: i32) -> f32 =
    let k: idx[n] =
        let d = j + 1
        d #! E0701
    x[k]
#### endless_loop_of_several_lines
def f(x: f32) -> f32 =
    let y = x + 1.0
    iterate s = y while s > 0.0 do #! E0701
        let t = s - 1.0
        t
#### call_of_several_lines
def g(x: f32[n], y: f32[n]) -> f32 ! io =
    print("{}", x)
    sum(x)
def f(x: f32[n]) -> f32 =
    g( #! E0701
        x * 2.0,
        x,
    )
#### window_that_gains_an_element
def last(h: f32[n], xs: f32[m]) -> f32[n] where n >= 2 =
    fold s = h for v in xs do concatenate(([0.0], s[1:], [v])) #! E0417
#### window_of_one_element_too_many
def padded(h: f32[n]) -> f32[n] where n >= 2 = concatenate(([0.0], h[1:], [0.0])) #! E0402
#### half_of_a_number_of_any_kind
def half[D: Num](a: D) -> D = a * 0.5 #! E0304
#### half_of_an_array_of_any_kind
def halves[D: Num](a: D[n]) -> D[n] = a * 0.5 #! E0304
#### cell_that_is_not_opened
def f(x: f32) -> f32 =
    s := s + x #! E0601
    s := 2.0 * s
    s + s
#### sum_that_is_not_opened
def f(x: f32) -> f32 =
    s += x #! E0602
    s
#### result_of_a_map_without_its_axis
def f(x: f32[n, m], y: f32[m]) -> (f32[m], f32) =
    vmap(fn (v, w) -> (w, sum(v)), in_axes=(0, none), out_axes=none)(x, y) #! E0812
#### results_of_a_map_without_their_axes
def f(x: f32[n, m]) -> (f32[n, m], (f32, f32)) =
    vmap(fn v -> (v, (sum(v), 1.0)), out_axes=(0, none))(x) #! E0812
#### halves_of_one_length
def folded(x: f32[n]) -> f32[n // 2] = x[: n // 2] + x[n // 2 :] #! E0401
#### halves_that_make_a_whole
def twice(x: f32[n]) -> f32[n] = concatenate((x[: n // 2], x[: n // 2])) #! E0402
#### every_other_element
def every(x: f32[n]) -> f32[n // 2] = x[::2] #! E0402
#### condition_through_two_callers
def windows(x: f32[n], static w: size) -> f32[n - w + 1] where w <= n =
    [max(x[i : i + w]) for i in range(n - w + 1)]
def smooth(x: f32[n], static w: size) -> f32 where w <= n = sum(windows(x, w))
def h(x: f32[5]) -> f32 = smooth(x, 0) #! E0407
#### last_of_each_part
def lasts(x: f32[n], static m: size, static q: size) -> f32[m] where q >= 1 = [x[i * q + q - 1] for i in range(m)]
def h(x: f32[5]) -> f32[3] = lasts(x, 3, 2) #! E0407
#### parts_in_order_that_need_a_case
def chain(x: f32[n]) -> f32[n] where n >= 1 =
    if n == 1 then x
    else concatenate((chain(x[: n // 2 - 1]), chain(x[n // 2 - 1 :]))) #! E0407
#### recursions_that_lack_a_condition_each
def haar(x: f32[n]) -> f32[n] =
    if n == 1 then x
    else if n % 2 == 1 then x
    else
        let (a, b) = (x[::2], x[1::2]) #! E0407
        concatenate((haar((a + b) / 2.0), (a - b) / 2.0))
def last(x: f32[n]) -> f32 = if n == 1 then x[0] else last(x[1:]) #! E0407
#### recursion_of_two
def evens(x: f32[n]) -> f32 where n >= 1 = if n == 1 then 0.0 else x[0] + odds(x[1:])
def odds(x: f32[n]) -> f32 = if n == 1 then 0.0 else evens(x[1:]) #! E0407
#### axes_behind_the_first
def total(x: f32[*s]) -> f32[*s[1:]] = sum(x, axis=0) #! E0401
#### list_of_all_axes
def doubled(x: f32[*s]) = zeros([2 * d for d in s]) #! E0401
#### recursion_without_an_end_for_none
static def log2i(n: size) -> size = if n == 1 then 0 else 1 + log2i(n // 2)
def tree(x: f32[n]) -> f32[n] = fold s = x for _ in range(log2i(n)) do s * 2.0
def h(x: f32[0]) -> f32[0] = tree(x) #! E0407
#### rule_with_a_number_in_where
def f(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) =
    let unused = tangents.0 + primals.0
    (primals.0 ** 2, where(primals.0 > 0.0, tangents.0, 1.5))
def g(x: f32) -> f32 = custom_jvp(f, rule)(x) #! E0817
#### rule_with_a_value_added
def f(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) =
    let slope = 2.0 * primals.0 * tangents.0 + f(primals.0)
    (primals.0 ** 2, slope)
def g(x: f32) -> f32 = custom_jvp(f, rule)(x) #! E0817
#### rule_without_tangents
def f(x: f32) -> f32 = x * x
def g(x: f32) -> f32 = custom_jvp(f, fn (primals, tangents) -> (f(primals.0), 2.0 * primals.0))(x) #! E0817
#### rule_with_the_tangent_twice
def f(x: f32) -> f32 = x
def g(x: f32) -> f32 = custom_jvp(f, fn (primals, tangents) -> (tangents.0, 1.0 * tangents.0))(x) #! E0817
#### index_of_a_child
def child(x: f32[k], at: idx[k]) -> f32 = x[min(2 * at + 2, k - 1)] #! E0701
#### element_of_a_made_function
def mk(static i: size) = fn x -> x[i] #! E0421
def f(x: f32[3]) -> f32 = mk(5)(x)
#### derivative_in_what_is_called
def clip1(x: f32[n]) -> f32[n] = x
def fwd(x: f32[n]) -> (f32[n], ()) = (x, ())
def bwd(saved: (), ct: f32[n]) -> (f32[n],) = (minimum(ct, 1.0),)
def clipg(x: f32[n]) -> f32 = sum(custom_vjp(clip1, fwd, bwd)(x))
def along(g: f32[n] -> f32, x: f32[n]) -> f32 = jvp(g, (x,), (x,)).1
def f(x: f32[n]) -> f32 = along(clipg, x) #! E0816
#### carry_that_grows_in_a_block_without_a_value
def f(x: f32[n], xs: f32[m]) -> f32[n] =
    let y = fold s = x for v in xs do concatenate((s, [v])) #! E0106 E0417
