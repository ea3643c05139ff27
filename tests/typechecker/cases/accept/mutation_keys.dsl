#### functional_update
def f(x: f32[n, 3], v: f32[3], i: idx[n]) -> f32[n, 3] = x.at[i].set(v).at[i, 0].add(1.0).at[:, 1].mul(2.0)
#### update_of_a_slice
def boundary(u: f32[n]) -> f32[n] where n >= 2 = u.at[0].set(0.0).at[-1].set(1.0)
#### update_of_an_inner_region
def f(u: f32[n, m], v: f32[n - 2, m - 2]) -> f32[n, m] = u.at[1:-1, 1:-1].set(v)
#### masked_update
def relu(x: f32[n]) -> f32[n] = x.at[x < 0.0].set(0.0)
#### masks_of_all_forms
def f(x: f32[n], m: bool[n], ms: bool[3, n]) -> f32[n] where n >= 2 =
    let a = x.at[ms[0]].set(0.0)
    let b = a.at[if n > 2 then m else ~m].add(1.0)
    let c = b.at[(m, 1).0].mul(2.0)
    c.at[[v > 0.0 for v in x]].set(1.0)
#### scatter_add
def histogram(ids: idx[k][n], static k: int) -> f32[k] = zeros([k]).at[ids].add(1.0)
#### update_with_static_index
def f(x: f32[4]) -> f32[4] = x.at[2].mul(3.0).at[0].min(0.0).at[1].max(1.0).at[3].power(2.0)
#### get
def f(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="clip") + x.at[i].get(mode="fill", fill=0.0)
#### shadowing_instead_of_assignment
def f(x: f32) -> f32 =
    let y = x
    let y = y + 1.0
    let y = y * 2.0
    y
#### two_keys
from random import split, normal
def f(k: key) -> f32[3] =
    let (a, b) = split(k)
    normal(a, [3]) + normal(b, [3])
#### three_keys
from random import split, normal, uniform
def f(k: key) -> f32[2] =
    let ks = split(k, 3)
    normal(ks[0], [2]) * uniform(ks[1], [2]) + normal(ks[2], [2])
#### key_moved_once_on_each_branch
from random import normal, uniform
def f(k: key, c: bool) -> f32 = if c then normal(k) else uniform(k)
#### key_in_static_branches
from random import normal, uniform
enum Kind = Gauss | Flat
def f(k: key, static kind: Kind) -> f32[3] =
    match kind with
        Gauss -> normal(k, [3])
        Flat -> uniform(k, [3])
#### carried_key
from random import split, normal
def walk(k: key, x: f32, static steps: int) -> f32[steps] =
    let ((k, x), path) = scan (k, x) = (k, x) for _ in range(steps) do
        let (k, now) = split(k)
        let x = x + normal(now)
        ((k, x), x)
    path
#### fold_in_over_a_range
from random import fold_in, normal
def f(k: key) -> f32[10] = [normal(fold_in(k, i)) for i in range(10)]
#### fold_in_over_a_range_in_a_loop
from random import fold_in, normal
def f(k: key, x: f32) -> f32 =
    fold x = x for i in range(10) do x + normal(fold_in(k, i))
#### keys_iterated
from random import split, normal
def f(k: key) -> f32[8] = [normal(q) for q in split(k, 8)]
#### keys_iterated_with_data
from random import split, normal
def f(k: key, x: f32[n]) -> f32[n] = [v + normal(q) for v, q in zip(x, split(k, n))]
#### key_in_a_record
from random import split, normal
type State[d] = {k: key, x: f32[d]}
def step(s: State[d]) -> State[d] =
    let (k, now) = split(s.k)
    {k = k, x = s.x + normal(now, [d])}
#### key_parts_of_a_tuple
from random import normal
def f(t: (key, key, f32)) -> f32 = normal(t.0) + normal(t.1) + t.2
#### record_update_of_a_key
from random import split, normal
def f(s: {k: key, x: f32}) -> {k: key, x: f32} =
    let (next, now) = split(s.k)
    {k = next, x = s.x * normal(now)}
#### key_shape_is_no_move
from random import normal
def f(ks: key[n]) -> f32 =
    let size = ks.shape[0]
    sum([normal(k) for k in ks]) / f32(size + ks.ndim)
#### key_returned
from random import split
def next(k: key) -> (key, key) =
    let (a, b) = split(k)
    (a, b)
def f(k: key) -> key = next(k).0
#### vmapped_keys
from random import split, normal
def draw(k: key, x: f32) -> f32 = x + normal(k)
def f(k: key, x: f32[n]) -> f32[n] = vmap(draw)(split(k, n), x)
#### key_passed_through_functions
from random import split, normal, bernoulli
def dropout(k: key, x: f32[*s], static rate: float) -> f32[*s] =
    where(bernoulli(k, 1.0 - rate, shape=x.shape), x / (1.0 - rate), 0.0)
def layer(k: key, w: f32[d, d], x: f32[d]) -> f32[d] =
    let (a, b) = split(k)
    dropout(a, w @ dropout(b, x, 0.1), rate=0.5)
#### lambda_takes_a_key
from random import normal
def f(k: key) -> f32 =
    let draw = fn (q: key) -> normal(q)
    draw(k)
#### move_variable
from random import split
def swap[A: Move, B: Move](p: (A, B)) -> (B, A) = (p.1, p.0)
def f(k: key, x: f32) -> (f32, key) = swap((k, x))
#### data_used_often
def f(x: f32[n]) -> f32[n] = x + x * x - x.at[:].set(x)
#### named_key_shadowed
from random import split, normal
def f(k: key) -> f32 =
    let (k, a) = split(k)
    let (k, b) = split(k)
    normal(a) + normal(b) + normal(k)
#### categorical_sample
from random import categorical
def f(k: key, logits: f32[c]) -> i32 = categorical(k, logits)
#### random_key_of_a_seed
import random
def f(seed: i32) -> f32[3] = random.normal(random.key(seed), [3])
#### empty_shape
from random import normal
def f(k: key) -> f32 = normal(k, [])
#### fold_in_of_the_prelude_makes_a_key_for_each_turn
import random
def f(k: key, x: f32[n]) -> f32[n] = [random.normal(fold_in(k, i)) + v for i, v in enumerate(x)]
def g(k: key, static n: size, static m: size) -> f32[n, m] = [random.normal(fold_in(k, i), [m]) for i in range(n)]
#### keys_at_distinct_places
from random import normal, split
def f(k: key) -> f32[2] =
    let ks = split(k, 3)
    [normal(q) for q in ks[[2, 0]]]
#### key_of_a_transformed_function_that_runs_once
from random import normal
def compiled(k: key, x: f32) -> f32 = jit(fn v -> v * normal(k))(x)
def kept(k: key, x: f32) -> f32 = checkpoint(fn v -> v * normal(k))(x)
def slope(k: key, x: f32) -> f32 = grad(fn v -> v * normal(k))(x)
def pulled(k: key, x: f32) -> f32 =
    let (y, pull) = vjp(fn v -> v * normal(k), x)
    pull(y).0 + pull(x).0
#### keys_by_index_in_a_comprehension
from random import split, normal
def f(k: key, static n: size) -> f32[n] =
    let ks = split(k, n)
    [normal(ks[i]) for i in range(n)]
#### keys_by_index_in_a_loop
from random import split, normal
def f(k: key, static n: size) -> f32 =
    let ks = split(k, n)
    fold s = 0.0 for i in range(n) do s + normal(ks[i])
#### two_streams_of_keys
from random import split, normal
def f(k: key, static n: size) -> f32[n] =
    let ks = split(k, 2 * n)
    [normal(ks[2 * i]) + normal(ks[2 * i + 1]) for i in range(n)]
#### two_halves_of_keys
from random import split, normal
def f(k: key, static n: size) -> f32[n] =
    let ks = split(k, 2 * n)
    [normal(ks[i]) + normal(ks[i + n]) for i in range(n)]
#### keys_of_a_matrix_in_one_vector
from random import split, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] =
    let ks = split(k, n * m)
    [normal(ks[m * i + j]) for i in range(n), j in range(m)]
#### keys_by_two_indices
from random import split, normal
def f(ks: key[n, m]) -> f32[n, m] = [normal(ks[i, j]) for i in range(n), j in range(m)]
#### keys_by_index_after_index
from random import split, normal
def f(ks: key[n, m]) -> f32[n, m] = [[normal(ks[i][j]) for j in range(m)] for i in range(n)]
#### keys_from_the_end
from random import split, normal
def f(ks: key[n]) -> f32[n] = [normal(ks[n - 1 - i]) for i in range(n)]
#### keys_behind_the_first
from random import split, normal
def f(ks: key[n + 1]) -> f32 = normal(ks[0]) + sum([normal(ks[i + 1]) for i in range(n)])
#### keys_by_index_in_arms
from random import split, normal
def f(ks: key[n], c: bool) -> f32 = sum([if c then normal(ks[i]) else -normal(ks[i]) for i in range(n)])
#### other_keys_in_other_arms
from random import split, normal
def f(ks: key[2 * n], x: f32[n]) -> f32 = sum([if x[i] > 0.0 then normal(ks[2 * i]) else normal(ks[2 * i + 1]) for i in range(n)])
#### keys_by_index_in_records
from random import split, normal
type S = {k: key, x: f32}
def f(s: S[n]) -> f32[n] = [normal(s[i].k) + s[i].x for i in range(n)]
#### keys_by_the_index_of_enumerate
from random import split, normal
def f(ks: key[n], x: f32[n]) -> f32[n] = [v + normal(ks[i]) for i, v in enumerate(x)]
#### keys_of_two_ranges
from random import split, normal
def f(ks: key[n]) -> f32[n] =
    let out = [normal(ks[i]) for i in range(n // 2)]
    concatenate((out, [normal(ks[i]) for i in range(n // 2, n)]))
#### fold_in_of_the_next
from random import split, normal
def f(k: key) -> f32[9] = [normal(fold_in(k, i + 1)) for i in range(9)]
#### keys_by_index_and_column
from random import split, normal
def f(ks: key[n, 2]) -> f32[n] = [normal(ks[i, 0]) + normal(ks[i, 1]) for i in range(n)]
#### keys_by_index_that_are_split
from random import split, normal
def f(ks: key[n]) -> f32[n] =
    [fold s = 0.0 for k in split(ks[i], 3) do s + normal(k) for i in range(n)]
#### last_key_apart
from random import split, normal
def f(ks: key[n + 1]) -> f32[n] =
    [normal(ks[i]) for i in range(n)] + normal(ks[n])
#### fold_in_of_keys_by_index
from random import split, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] =
    let ks = split(k, n)
    [normal(fold_in(ks[i], j)) for i in range(n), j in range(m)]
#### keys_by_a_let_of_an_index
from random import split, normal
def f(k: key, static n: size) -> f32 =
    let ks = split(k, 2 * n)
    let draw = fn x -> x + normal(ks[0])
    fold s = draw(0.0) for i in range(1, n) do
        let j = 2 * i
        s + normal(ks[j]) + normal(ks[j + 1])
#### keys_by_row_in_arms_with_loops
from random import normal, uniform
def f(ks: key[n, m], c: bool[n]) -> f32[n, m] =
    [if c[i] then [normal(ks[i, j]) for j in range(m)] else [uniform(ks[i, j]) for j in range(m)] for i in range(n)]
#### even_and_odd_keys_of_rows
import random
def field(k: key, static n: size, static m: size) -> f32[n, m] =
    let ks = random.split(k, 2 * n * m)
    [random.normal(ks[2 * (i * m + j)]) * random.normal(ks[2 * (i * m + j) + 1]) for i in range(n), j in range(m)]
