#### assignment
def f(x: f32) -> f32 =
    let y = x
    y = y + 1.0 #! E06
    y
#### assignment_of_parameter
def f(x: f32) -> f32 =
    x = 3.0 #! E06
    x
#### augmented_assignment
def f(x: f32) -> f32 =
    let y = 0.0
    y += x #! E06
    y
#### augmented_multiplication
def f(x: f32) -> f32 =
    x *= 2.0 #! E06|E01
    x
#### item_assignment
def f(x: f32[n]) -> f32[n] =
    x[0] = 10.0 #! E06
    x
#### item_augmented
def f(x: f32[n], ids: idx[n][k]) -> f32[n] =
    x[ids] += 1.0 #! E06
    x
#### slice_assignment
def f(u: f32[n]) -> f32[n] =
    u[1:-1] = 0.0 #! E06
    u
#### mask_assignment
def relu(x: f32[n]) -> f32[n] =
    x[x < 0.0] = 0.0 #! E06
    x
#### field_assignment
type P[d] = {w: f32[d], b: f32}
def step(p: P[d], g: P[d], lr: f32) -> P[d] =
    p.w = p.w - lr * g.w #! E06
    p
#### field_augmented
type P[d] = {w: f32[d], b: f32}
def step(p: P[d], g: P[d], lr: f32) -> P[d] =
    p.w -= lr * g.w #! E06|E01
    p
#### assignment_in_a_loop
def f(xs: f32[n]) -> f32 =
    fold total = 0.0 for x in xs do
        total = total + x #! E06
        total
#### assignment_in_a_branch
def f(x: f32, c: bool) -> f32 =
    let y = x
    if c then
        y = 0.0 #! E06
        y
    else
        y
#### tuple_assignment
def f(a: f32, b: f32) -> f32 =
    (a, b) = (b, a) #! E06|E01
    a
#### walrus_cell_without_handler
def f(x: f32) -> f32 =
    let s = 0.0
    s := x #! E06
    s
#### accumulate_into_a_let
def f(xs: f32[n]) -> f32 =
    let total = 0.0
    let ys = [x * 2.0 for x in xs]
    total += sum(ys) #! E06
    total
#### two_mutations_two_errors
def f(x: f32[n]) -> f32[n] =
    let y = x
    y[0] = 1.0 #! E06
    y[1] = 2.0 #! E06
    y
#### assignment_to_top_level
let rate = 0.1
def f(x: f32) -> f32 =
    rate = 0.2 #! E06
    x * rate
#### transpose_attribute_assignment
def f(x: f32[n, n]) -> f32[n, n] =
    x.T = x #! E06
    x
#### update_of_wrong_shape
def f(x: f32[n, d], v: f32[n]) -> f32[n, d] = x.at[0].set(v) #! E04
#### update_of_wrong_dtype
def f(x: f32[n], i: i32) -> f32[n] = x.at[0].set(i) #! E03
#### update_region_shape
def f(u: f32[n, m], v: f32[n, m]) -> f32[n, m] = u.at[1:-1, 1:-1].set(v) #! E04
#### update_method_unknown
def f(x: f32[n]) -> f32[n] = x.at[0].subtract(1.0) #! E02|E03
#### update_without_at
def f(x: f32[n]) -> f32[n] = x[0].set(1.0) #! E02|E03
#### update_mode_unknown
def f(x: f32[n], i: i32) -> f32[n] = x.at[i].set(1.0, mode="ignore") #! E03|E04
#### key_used_twice
from random import normal
def f(k: key) -> f32[3] =
    let a = normal(k, [3])
    let b = normal(k, [3]) #! E0610
    a + b
#### key_used_twice_in_one_expression
from random import normal, uniform
def f(k: key) -> f32 = normal(k) + uniform(k) #! E0610
#### key_used_after_split
from random import split, normal
def f(k: key) -> f32 =
    let (a, b) = split(k)
    normal(a) + normal(b) + normal(k) #! E0610
#### key_split_twice
from random import split, normal
def f(k: key) -> f32 =
    let (a, _) = split(k)
    let (b, _) = split(k) #! E0610
    normal(a) * normal(b)
#### key_used_in_a_branch_and_after
from random import normal
def f(k: key, c: bool) -> f32 =
    let a = if c then normal(k) else 0.0
    a + normal(k) #! E0610
#### key_in_condition_and_branch
from random import normal
def f(k: key) -> f32 =
    if normal(k) > 0.0 then
        normal(k) #! E0610
    else
        0.0
#### key_of_outside_in_a_loop
from random import normal
def f(k: key, x: f32) -> f32 =
    fold x = x for _ in range(10) do x + normal(k) #! E06
#### key_of_outside_in_a_comprehension
from random import normal
def f(k: key) -> f32[10] = [normal(k) for _ in range(10)] #! E06
#### key_split_of_outside_in_a_loop
from random import split, normal
def f(k: key, x: f32) -> f32 =
    fold x = x for _ in range(10) do
        let (a, _) = split(k) #! E06
        x + normal(a)
#### key_of_outside_in_a_lambda
from random import normal
def apply(g: (f32) -> f32, x: f32) -> f32 = g(x) + g(x)
def f(k: key, x: f32) -> f32 = apply(fn v -> v + normal(k), x) #! E06
#### key_of_outside_in_a_mapped_lambda
from random import normal
def f(k: key, x: f32[n]) -> f32[n] = vmap(fn v -> v + normal(k))(x) #! E06
#### key_of_outside_in_while_condition
from random import uniform
def f(k: key, x: f32) -> f32 = iterate x = x while uniform(k) < x limit 9 do x / 2.0 #! E06
#### fold_in_twice_in_the_body
from random import fold_in, normal
def f(k: key) -> f32[10] =
    [normal(fold_in(k, i)) + normal(fold_in(k, i)) for i in range(10)] #! E06
#### fold_in_over_data
from random import fold_in, normal
def f(k: key, ids: i32[n]) -> f32[n] = [normal(fold_in(k, i)) for i in ids] #! E06
#### fold_in_of_a_constant_in_a_loop
from random import fold_in, normal
def f(k: key) -> f32[10] = [normal(fold_in(k, 7)) for i in range(10)] #! E06
#### fold_in_of_the_outer_index
from random import fold_in, normal
def f(k: key) -> f32[4, 5] =
    [[normal(fold_in(k, i)) for j in range(5)] for i in range(4)] #! E06
#### key_after_fold_in_loop
# "`k` is gone after the loop"
from random import fold_in, normal
def f(k: key) -> f32 =
    let xs = [normal(fold_in(k, i)) for i in range(10)]
    sum(xs) + normal(k) #! E0610
#### key_after_iteration
from random import split, normal
def f(k: key) -> f32 =
    let ks = split(k, 4)
    let xs = [normal(q) for q in ks]
    sum(xs) + normal(ks[0]) #! E0610
#### key_element_twice
from random import split, normal
def f(k: key) -> f32 =
    let ks = split(k, 3)
    normal(ks[0]) + normal(ks[1]) + normal(ks[0]) #! E0610
#### key_element_by_traced_index_moves_all
from random import split, normal
def f(k: key, i: idx[3]) -> f32 =
    let ks = split(k, 3)
    let a = normal(ks[i])
    a + normal(ks[1]) #! E0610
#### key_field_twice
from random import normal
type State = {k: key, x: f32}
def f(s: State) -> f32 =
    let a = normal(s.k)
    a + normal(s.k) #! E0610
#### key_record_after_field
from random import normal
type State = {k: key, x: f32}
def f(s: State) -> (State, f32) =
    let a = normal(s.k)
    (s, a) #! E0610
#### key_record_twice
type State = {k: key, x: f32}
def f(s: State) -> (State, State) = (s, s) #! E0610
#### key_pair
def f(k: key) -> (key, key) = (k, k) #! E0610
#### key_alias
from random import normal
def f(k: key) -> f32 =
    let q = k
    normal(q) + normal(k) #! E0610
#### key_to_function_twice
from random import normal
def noisy(k: key, x: f32) -> f32 = x + normal(k)
def f(k: key, x: f32) -> f32 = noisy(k, noisy(k, x)) #! E0610
#### key_unmapped
from random import normal
def draw(k: key, x: f32) -> f32 = x + normal(k)
def f(k: key, x: f32[n]) -> f32[n] = vmap(draw, in_axes=(none, 0))(k, x) #! E06|E08
#### key_in_state
from random import normal, split
def f(k: key) -> f32 =
    with state s = k do 1.0 #! E06|E07|E03
#### key_at_top_level
import random
let k = random.key(0) #! E06|E05|E03
def f(x: f32) -> f32 = x
#### key_in_default
import random
def f(x: f32, k: key = random.key(0)) -> f32 = x #! E06|E03|E05
#### key_as_tree
def second[T: Tree](a: T, b: T) -> T = b
def f(j: key, k: key) -> key = second(j, k) #! E03|E06
#### key_in_generic_used_twice
def both[A: Move](a: A) -> (A, A) = (a, a) #! E06
#### key_compared
def f(j: key, k: key) -> bool = j == k #! E03
#### number_as_key
from random import normal
def f(x: f32) -> f32 = normal(x) #! E03
#### seed_as_key
from random import normal
def f() -> f32 = normal(0) #! E03
#### keys_for_one_key
from random import normal, split
def f(k: key) -> f32 = normal(split(k)) #! E03|E04
#### dropout_reuses_key
from random import split, bernoulli
def dropout(k: key, x: f32[d], static rate: float) -> f32[d] =
    where(bernoulli(k, 1.0 - rate, shape=[d]), x / (1.0 - rate), 0.0)
def block(k: key, w: f32[d, d], x: f32[d]) -> f32[d] =
    let h = dropout(k, w @ x, 0.1)
    h + dropout(k, h, 0.1) #! E0610
#### carried_key_not_renewed
from random import normal
def walk(k: key, x: f32) -> f32 =
    let (_, y) = fold (k, x) = (k, x) for _ in range(9) do
        (k, x + normal(k)) #! E0610
    y
#### handler_clause_moves_outside_key
from random import normal
effect noise: (x: f32) -> f32
def model(x: f32) -> f32 ! noise = noise(x)
def f(k: key, x: f32) -> f32 =
    with handler noise(v) -> resume(v + normal(k)) do model(x) #! E06
#### keys_gathered
from random import normal, split
def f(k: key) -> f32[3] =
    let ks = split(k, 2)
    [normal(q) for q in ks[[0, 0, 1]]] #! E0610
#### keys_of_records_gathered
type P = {k: key, x: f32}
def f(ps: P[n], parents: idx[n][n]) -> P[n] = ps[parents] #! E0610
#### key_of_every_leaf
from random import normal
def f(k: key, t: {a: f32, b: f32}) -> {a: f32, b: f32} = tree_map(fn v -> v + normal(k), t) #! E0611
#### key_of_every_handler_of_a_leaf
from random import normal
def f(k: key, t: {a: f32, b: f32}) -> {a: f32, b: f32} =
    tree_map(fn v -> (with rng(k) do v + normal(fresh_key())), t) #! E0611
#### key_of_every_element_under_a_derivative
from random import normal
def f(k: key, x: f32[n]) -> f32[n] = vmap(grad(fn v -> v * normal(k)))(x) #! E0611
#### keys_of_neighbours
from random import split, normal
def f(ks: key[n + 1]) -> f32[n] = [normal(ks[i]) + normal(ks[i + 1]) for i in range(n)] #! E0611
#### keys_by_one_of_two_indices
from random import split, normal
def f(ks: key[n], static m: size) -> f32[n, m] = [normal(ks[i]) for i in range(n), j in range(m)] #! E0611
#### keys_of_neighbours_in_arms
from random import split, normal
def f(ks: key[n], c: bool[n]) -> f32 where n >= 2 = sum([if c[i] then normal(ks[i]) else normal(ks[i + 1]) for i in range(n - 1)]) #! E0611
#### keys_by_a_remainder
from random import split, normal
def f(ks: key[n]) -> f32 = sum([normal(ks[i % n]) for i in range(n)]) #! E0611
#### keys_by_a_quotient
from random import split, normal
def f(ks: key[n]) -> f32 = sum([normal(ks[i // 2]) for i in range(n)]) #! E0611
#### keys_by_no_index
from random import split, normal
def f(ks: key[n]) -> f32 = sum([normal(ks[0 * i]) for i in range(n)]) #! E0611
#### keys_by_a_clipped_index
from random import split, normal
def f(ks: key[n]) -> f32 = sum([normal(ks.at[2 * i].get(mode="clip")) for i in range(n)]) #! E0611
#### keys_by_an_index_that_wraps
from random import split, normal
def f(ks: key[n]) -> f32 ! check = sum([normal(ks[65536 * (65536 * i)]) for i in range(n)]) #! E0611
#### keys_of_one_stream_in_another
from random import split, normal
def f(ks: key[2 * n]) -> f32 = sum([normal(ks[2 * i]) + normal(ks[i]) for i in range(n)]) #! E0610
#### keys_by_index_in_two_loops
from random import split, normal
def f(ks: key[n]) -> f32 = sum([normal(ks[i]) for i in range(n)]) + sum([normal(ks[i]) for i in range(n)]) #! E0610
#### last_key_again
from random import split, normal
def f(ks: key[n]) -> f32 where n >= 1 = sum([normal(ks[i]) for i in range(n)]) + normal(ks[n - 1]) #! E0610
#### keys_by_index_and_themselves
from random import split, normal
def f(ks: key[n]) -> f32 = sum([normal(ks[i]) for i in range(n)]) + sum([normal(k) for k in ks]) #! E0610
#### keys_by_a_step_that_may_be_nothing
from random import split, normal
def f(k: key, static m: size, static n: size) -> f32 =
    let ks = split(k, m * n + 1)
    sum([normal(ks[m * i]) for i in range(n)]) #! E0611
#### rows_that_overlap
from random import split, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] =
    let ks = split(k, 2 * n * m)
    [normal(ks[(m - 1) * i + j]) for i in range(n), j in range(m)] #! E0611
#### fold_in_in_opposite_arms
from random import split, normal
def f(k: key) -> f32[9] = [if i > 3 then normal(fold_in(k, i)) else normal(fold_in(k, 8 - i)) for i in range(9)] #! E0611
#### keys_by_index_of_an_outer_loop
from random import split, normal
def f(ks: key[n]) -> f32 =
    fold s = 0.0 for i in range(n) do
        fold s = s for _ in range(2) do s + normal(ks[i]) #! E0611
#### last_key_by_a_policy
from random import split, normal
def f(k: key, static n: size) -> f32 where n >= 6 =
    let ks = split(k, n)
    normal(ks.at[n + 5].get(mode="clip")) + normal(ks[n - 1]) #! E0610
#### keys_by_column_in_arms_with_loops
from random import normal, uniform
def f(ks: key[m, m], c: bool[m]) -> f32[m, m] =
    [if c[i] then [normal(ks[i, j]) for j in range(m)] else [uniform(ks[j, i]) for j in range(m)] for i in range(m)] #! E0611
#### keys_by_a_remainder_that_are_folded_in_one_arm
from random import normal, fold_in
def f(ks: key[6]) -> f32[6] =
    [if i > 2 then normal(fold_in(ks[i % 3], i)) else normal(ks[i]) for i in range(6)] #! E0611
