#### range_over_own_size
def f(x: f32[n]) -> f32[n] = [x[i] * 2.0 for i in range(n)]
#### reversed_by_index
def flipped(x: f32[n]) -> f32[n] = [x[n - 1 - i] for i in range(n)]
#### neighbours
def diff(x: f32[n]) -> f32[n - 1] = [x[i + 1] - x[i] for i in range(n - 1)]
#### stencil
def heat(u: f32[n]) -> f32[n - 2] = [u[i - 1] - 2.0 * u[i] + u[i + 1] for i in range(1, n - 1)]
#### two_ranges_convolve
def conv1(x: f32[n], w: f32[k]) -> f32[n - k + 1] where 1 <= k and k <= n =
    [sum([x[i + j] * w[j] for j in range(k)]) for i in range(n - k + 1)]
#### conv2_by_hand
def conv2(x: f32[h, w], k: f32[a, b]) -> f32[h - a + 1, w - b + 1] where 1 <= a and a <= h and 1 <= b and b <= w =
    [sum(x[i : i + a, j : j + b] * k) for i in range(h - a + 1), j in range(w - b + 1)]
#### stride_two
def pairs(x: f32[2 * n]) -> f32[n] = [x[2 * i] + x[2 * i + 1] for i in range(n)]
#### windows
def windows(x: f32[n], static k: int) -> f32[n - k + 1, k] where 1 <= k and k <= n =
    [x[i : i + k] for i in range(n - k + 1)]
#### run_time_window
def window(x: f32[n], start: i32) -> f32[4] ! check = x[start : start + 4]
#### window_affine
def f(x: f32[2 * n + 2]) -> f32[n, 3] = [x[2 * i : 2 * i + 3] for i in range(n)]
#### window_around
def f(x: f32[n]) -> f32[n - 2, 3] where n >= 2 = [x[i - 1 : i + 2] for i in range(1, n - 1)]
#### idx_parameter
def pick(x: f32[n], i: idx[n]) -> f32 = x[i]
def f(x: f32[n]) -> f32 = pick(x, argmax(x))
#### idx_array
def take(table: f32[v, d], ids: idx[v][n]) -> f32[n, d] = table[ids]
#### idx_is_i32
def f(i: idx[n], x: f32[n]) -> i32 = i * 3 + 1
#### idx_of_smaller_bound
def pick(x: f32[n], i: idx[n]) -> f32 = x[i]
def f(x: f32[n + 2], i: idx[n]) -> f32 = pick(x, i)
#### unproved_with_check
def pick(x: f32[n], i: i32) -> f32 ! check = x[i]
#### unproved_with_inferred_effect
def pick(x: f32[n], i: i32) = x[i]
def f(x: f32[n]) -> f32 ! check = pick(x, 3)
#### unproved_gather_with_check
def take(table: f32[v, d], ids: i32[n]) -> f32[n, d] ! check = table[ids]
#### policies
def f(x: f32[n], i: i32) -> f32 =
    x.at[i].get(mode="clip") + x.at[i].get(mode="wrap") + x.at[i].get(mode="fill", fill=nan)
def g(x: f32[n], i: i32) -> f32[n] = x.at[i].set(1.0, mode="drop")
#### clipped_index_is_proved
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[clip(i, 0, n - 1)]
#### minimum_and_maximum
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[minimum(maximum(i, 0), n - 1)]
#### remainder_index
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[i % n]
#### periodic_neighbours
def laplace(u: f32[n]) -> f32[n] = [u[(i + 1) % n] - 2.0 * u[i] + u[(i - 1) % n] for i in range(n)]
#### branch_fact
def f(x: f32[n], i: i32) -> f32 = if 0 <= i and i < n then x[i] else 0.0
#### branch_fact_chained
def f(x: f32[n], i: i32) -> f32 = if 0 <= i < n then x[i] else 0.0
#### small_dtype_has_a_range
def lookup(table: f32[256], code: u8[n]) -> f32[n] = table[code]
#### argsort_gather
def sorted_by(x: f32[n], y: f32[n]) -> f32[n] = y[argsort(x)]
#### argmax_gather_rows
def best(scores: f32[n, k], values: f32[n, k]) -> f32[n] = [values[i, argmax(scores[i])] for i in range(n)]
#### advanced_two_arrays
def f(x: f32[n, m], r: idx[n][k], c: idx[m][k]) -> f32[k] = x[r, c]
#### constant_index
def f(x: f32[3]) -> f32 = x[0] + x[2] + x[-1] + x[-3]
#### constant_index_inferred
def third(x: f32[n]) -> f32 = x[2]
def f(x: f32[3]) -> f32 = third(x)
#### last_by_minus
def last(x: f32[n]) -> f32 = x[-1]
def f(x: f32[n + 1]) -> f32 = last(x)
#### from_the_end_by_a_size
def tail(x: f32[n], static k: int) -> f32[k] where 0 <= k and k <= n = x[-k:]
#### slice_of_everything
def f(x: f32[n, m]) -> (f32[n, m], f32[n, m], f32[n, m]) = (x[:], x[:, :], x[...])
#### enumerate_index
def f(x: f32[n], w: f32[n]) -> f32 = fold s = 0.0 for i, v in enumerate(x) do s + v * w[i]
#### interval_through_floor
def up(x: f32[n]) -> f32[2 * n] = [x[i // 2] for i in range(2 * n)]
#### flat_index
def unflatten(x: f32[n * m], like: f32[n, m]) -> f32[n, m] = [x[i * m + j] for i in range(n), j in range(m)]
#### flat_index_split
def f(x: f32[n, m]) -> f32[n * m] where m >= 1 = [x[k // m, k % m] for k in range(n * m)]
#### index_keeps_its_interval_in_an_array
def f(x: f32[n]) -> f32[n] =
    let order = [n - 1 - i for i in range(n)]
    x[order]
#### where_of_indices
def f(x: f32[n], c: bool, i: idx[n], j: idx[n]) -> f32 = x[where(c, i, j)]
#### if_of_indices
def f(x: f32[n], c: bool, i: idx[n], j: idx[n]) -> f32 = x[if c then i else j]
#### searchsorted_then_clip
def nearest(grid: f32[n], v: f32) -> f32 where n >= 1 = grid[minimum(searchsorted(grid, v), n - 1)]
#### top_k_indices
def f(x: f32[n], y: f32[n], static k: int) -> f32[k] where 0 <= k and k <= n =
    let (_, ids) = top_k(x, k)
    y[ids]
#### arange_is_idx
def f(x: f32[n]) -> f32[n] = x[arange(n)]
#### compress_of_a_mask
def f(x: f32[n]) -> f32[4] ! check = compress(x, x > 0.0, size=4, fill=0.0)
def g(x: f32[n]) -> f32[4] = compress(x, x > 0.0, size=4, fill=0.0, overflow="drop")
#### mask_by_where
def f(x: f32[n]) -> f32 = sum(where(x > 0.0, x, 0.0))
#### triangle_by_variable_bound_in_values
def lower(x: f32[n, n]) -> f32[n, n] = [if j <= i then x[i, j] else 0.0 for i in range(n), j in range(n)]
#### none_in_several_places
def f(x: f32[n, m]) -> f32[1, n, 1, m] = x[None, :, None]
#### viterbi_backtrace
def trace(back: idx[k][t, k], last: idx[k]) -> idx[k][t] =
    let (_, path) = scan s: idx[k] = last for row in back reverse do
        let before = row[s]
        (before, before)
    path
#### embedding_with_cast
def f(table: f32[10, d], ids: i32[n]) -> f32[n, d] = table[clip(ids, 0, 9)]
#### condition_becomes_the_callers
def at(x: f32[n], static i: int) -> f32 where 0 <= i and i < n = x[i]
def f(x: f32[4]) -> f32 = at(x, 0) + at(x, 3)
#### written_places_are_asked_for
def f(x: f32[n]) -> f32[2] = x[[0, 3]]
def g(x: f32[m + 4]) -> f32[2] = f(x)
#### fill_inside_of_the_bound
def f(i: idx[n][m], j: i32) -> idx[n] where n >= 1 = i.at[j].get(mode="fill", fill=n - 1)
#### bound_through_vmap
def f(x: f32[n], i: idx[n][k]) -> f32[k] = x[vmap(fn j -> j)(i)]
#### integers_that_do_not_wrap_around
def next(x: f32[n], i: idx[n]) -> f32 = if i + 1 < n then x[i + 1] else 0.0
def sums(x: f32[n], i: idx[n], j: idx[n]) -> f32 = if i + j < n then x[i + j] else 0.0
def flat(x: f32[h, w]) -> f32[h * w] = [x[i // w, i % w] for i in range(h * w)]
def deep(x: f32[h, w]) -> f32[h, w] = [ravel(x)[i * w + j] for i in range(h), j in range(w)]
def around(x: f32[n]) -> f32[n] = [x[(3 * i + 7) % n] for i in range(n)]
def circular(x: f32[n], y: f32[n]) -> f32[n] = [sum([x[j] * y[(i - j) % n] for j in range(n)]) for i in range(n)]
def pairs(x: f32[n]) -> f32[n // 2] = [x[2 * i] + x[2 * i + 1] for i in range(n // 2)]
def halved(x: f32[n]) -> f32[n] = [x[i // 2] for i in range(n)]
def before_last(x: f32[n], i: i32) -> f32 = if 0 <= i and i < n - 1 then x[i + 1] else 0.0
def wide(x: f32[n], y: f32[m]) -> f32[m] where n >= 1 and m >= 1 = [x[i32(i64(i) * n // m)] for i in range(m)]
def clipped(x: f32[n], i: i32) -> f32 where n >= 1 = x[clip(i + 1, 0, n - 1)]
def neighbours(x: f32[n]) -> f32[n] where n >= 1 = [x[max(i - 1, 0)] + x[min(i + 1, n - 1)] for i in range(n)]
def narrowed(x: f32[n], i: i64) -> f32 = if 0 <= i and i < n then x[i32(i)] else 0.0
def window(x: f32[n], k: i32) -> f32[3] where n >= 3 = if 0 <= k and k <= n - 3 then x[k : k + 3] else zeros([3])
def shifted(x: f32[n], static k: int) -> f32[n] where k >= 0 = [if i + k < n then x[i + k] else 0.0 for i in range(n)]
def taps(x: f32[n], h: f32[k]) -> f32[n] =
    [sum([if 0 <= i - j and i - j < n then x[i - j] * h[j] else 0.0 for j in range(k)]) for i in range(n)]
#### bounds_beside_derivatives
def best(x: f32[n]) -> (f32, idx[n]) where n >= 1 = (max(x), argmax(x))
def along(x: f32[n]) -> f32 where n >= 1 =
    let ((_, i), _) = jvp(best, (x,), (x,))
    x[i]
def back(x: f32[n]) -> f32 where n >= 1 =
    let ((_, i), _) = vjp(best, x)
    x[i]
def forth(x: f32[n]) -> f32 where n >= 1 =
    let ((_, i), _) = linearize(best, x)
    x[i]
#### items_of_a_list_from_its_end
static def reversed(s: shape) -> shape = [s[-i - 1] for i in range(len(s))]
def turn(x: f32[*s]) -> f32[*reversed(s)] = zeros(reversed(s))
def f(x: f32[n, 3]) -> f32[3, n] = turn(x)
#### records_whose_leaves_share_an_axis
def one(xs: {w: f32[n, d], b: f32[n]}, i: idx[n]) -> {w: f32[d], b: f32} = xs[i]
def last(xs: {w: f32[n, d], b: f32[n]}) -> {w: f32[d], b: f32} where n >= 1 = xs[-1]
def some(xs: {w: f32[n, d], b: f32[n]}, i: idx[n][k]) -> {w: f32[k, d], b: f32[k]} = xs[i]
def rest(xs: {w: f32[n, d], b: f32[n]}) -> {w: f32[n - 1, d], b: f32[n - 1]} where n >= 1 = xs[1:]
def put(xs: {w: f32[n, d], b: f32[n]}, i: idx[n], y: {w: f32[d], b: f32}) -> {w: f32[n, d], b: f32[n]} = xs.at[i].set(y)
def first(x: f32[n], p: {w: f32, b: f32}) -> f32 where n >= 1 =
    let ps = vmap(fn v -> {w = v * p.w, b = v * p.b})(x)
    ps[0].w
def field(p: {at: f32[n], b: f32[n]}) -> f32 where n >= 1 = p.at[0]
#### bounds_in_stacks_of_records
type Step[n] = {at: idx[n], done: bool}
def steps(x: f32, static h: int) -> Step[3][h] = {at = full([h], 1), done = full([h], x > 0.0)}
def read(t: f32[3], s: Step[3][h]) -> f32 = sum(t[s.at])
def by_comprehension(t: f32[3], x: f32[n]) -> f32[n] = [read(t, s) for s in [steps(v, 4) for v in x]]
def by_vmap(t: f32[3], x: f32[n]) -> f32[n] = vmap(read, in_axes=(none, 0))(t, vmap(steps)(x, h=4))
def by_scan(t: f32[3], x: f32[n]) -> f32[n] =
    let (_, all) = scan _ = () for v in x do ((), steps(v, 4))
    [read(t, s) for s in all]

#### indices_in_lists_of_lists
def f(x: f32[n], at: idx[n][1, 2] = [[0, 3]]) -> f32 = sum(x[at]) + sum(x[[[1], [2]]])
def g(x: f32[5]) -> f32 = f(x)
#### axes_that_are_stated_to_have_one_element
def filtered(x: f32[n], k: f32[m]) -> f32[n] where m <= 1 = [sum([k[j] * x[i - j] for j in range(m)]) for i in range(n)]
#### static_place_in_a_small_table
def weighed(c: f32[2], static order: size, x: f32[n]) -> f32[n] = [c[order] * x[i] for i in range(n)]
