#### past_the_end
def f(x: f32[3]) -> f32 = x[3] #! E0421
#### before_the_start
def f(x: f32[3]) -> f32 = x[-4] #! E0421
#### past_the_end_of_size
def f(x: f32[n]) -> f32 = x[n] #! E0421
#### past_the_end_in_second_axis
def f(x: f32[n, 2]) -> f32[n] = x[:, 2] #! E0421
#### neighbour_past_the_end
def diff(x: f32[n]) -> f32[n] = [x[i + 1] - x[i] for i in range(n)] #! E0421
#### neighbour_before_the_start
# i - 1 is -1 for the first i; only a written leading minus counts from the end
def diff(x: f32[n]) -> f32[n] = [x[i] - x[i - 1] for i in range(n)] #! E0421
#### reversed_off_by_one
def flipped(x: f32[n]) -> f32[n] = [x[n - i] for i in range(n)] #! E0421
#### stencil_range_from_zero
def heat(u: f32[n]) -> f32[n - 1] = [u[i - 1] - 2.0 * u[i] + u[i + 1] for i in range(n - 1)] #! E0421
#### stencil_range_to_n
def heat(u: f32[n]) -> f32[n - 1] = [u[i - 1] - 2.0 * u[i] + u[i + 1] for i in range(1, n)] #! E0421
#### conv_range_too_long
def conv1(x: f32[n], w: f32[k]) -> f32[n] where 2 <= k and k <= n =
    [sum([x[i + j] * w[j] for j in range(k)]) for i in range(n)] #! E0421
#### stride_past_the_end
def pairs(x: f32[2 * n]) -> f32[n] = [x[2 * i + 1] + x[2 * i + 2] for i in range(n)] #! E0421
#### always_out_by_shift
def f(x: f32[n]) -> f32[n] = [x[i + n] for i in range(n)] #! E0421
#### mask_index
def positive(x: f32[n, m]) -> f32 = sum(x[x < 0.0]) #! E0420
#### mask_index_by_name
def f(x: f32[n, m], mask: bool[n, m]) -> f32 =
    let kept = x[mask] #! E0420
    mean(kept)
#### unproved_index_in_pure_function
def pick(x: f32[n], i: i32) -> f32 = x[i] #! E07
#### unproved_gather_in_pure_function
def embed(table: f32[v, d], ids: i32[n]) -> f32[n, d] = table[ids] #! E07
#### unproved_window_in_pure_function
def window(x: f32[n], start: i32) -> f32[4] = x[start : start + 4] #! E07
#### unproved_update_in_pure_function
def put(x: f32[n], i: i32) -> f32[n] = x.at[i].set(1.0) #! E07
#### check_of_callee_not_declared
def pick(x: f32[n], i: i32) -> f32 ! check = x[i]
def f(x: f32[n], i: i32) -> f32 = pick(x, i) #! E07
#### idx_plus_one_is_not_proved
def next(x: f32[n], i: idx[n]) -> f32 = x[i + 1] #! E07
#### idx_of_other_array
def f(x: f32[n], y: f32[m], i: idx[n]) -> f32 = y[i] #! E07|E04
#### idx_of_larger_bound
def pick(x: f32[n], i: idx[n]) -> f32 = x[i]
def f(x: f32[n], i: idx[n + 1]) -> f32 = pick(x, i) #! E07|E03|E04
#### clip_one_too_far
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[clip(i, 0, n)] #! E07
#### only_upper_bound
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[minimum(i, n - 1)] #! E07
#### branch_fact_one_sided
def f(x: f32[n], i: i32) -> f32 = if i < n then x[i] else 0.0 #! E07
#### branch_fact_too_weak
def f(x: f32[n], i: i32) -> f32 = if 0 <= i <= n then x[i] else 0.0 #! E07
#### fact_in_the_other_branch
def f(x: f32[n], i: i32) -> f32 = if 0 <= i and i < n then 0.0 else x[i] #! E07
#### remainder_of_other_size
def f(x: f32[n], y: f32[m], i: i32) -> f32 where n >= 1 and m >= 1 = x[i % m] #! E07
#### byte_in_a_short_table
def lookup(table: f32[128], code: u8[n]) -> f32[n] = table[code] #! E07
#### signed_byte
def lookup(table: f32[128], code: i8[n]) -> f32[n] = table[code] #! E07
#### argmax_of_the_other_axis
def f(x: f32[n, m], y: f32[n]) -> f32 = y[argmax(x[0])] #! E07
#### argmax_wrong_axis_gather
def best(scores: f32[n, k], values: f32[k]) -> f32[k] = values[argmax(scores, axis=0)] #! E07
#### float_index
def f(x: f32[n], t: f32) -> f32 = x[t] #! E03|E04
#### static_float_index
def f(x: f32[4]) -> f32 = x[1.0] #! E03|E04
#### floor_as_index
def interpolate(x: f32[n], t: f32) -> f32 = x[floor(t)] #! E03|E04
#### slices_of_other_length
def f(x: f32[n]) -> f32[n - 2, 2] where n >= 2 = [x[i - 1 : i + 2] for i in range(1, n - 1)] #! E04
#### windows_one_too_many
def windows(x: f32[n], static k: int) -> f32[n - k + 2, k] where 1 <= k and k <= n =
    [x[i : i + k] for i in range(n - k + 2)] #! E04
#### zero_step
def f(x: f32[n]) -> f32 = sum(x[::0]) #! E04|E03
#### ellipsis_twice
def f(x: f32[n, m]) -> f32[n, m] = x[..., ...] #! E04|E01
#### index_of_scalar
def f(x: f32) -> f32 = x[0] #! E04|E03
#### gather_shapes
def f(x: f32[n, m], r: idx[n][k], c: idx[m][l]) -> f32[k] = x[r, c] #! E04
#### gather_result_rank
def embed(table: f32[v, d], ids: idx[v][n]) -> f32[n] = table[ids] #! E04
#### policy_unknown
def f(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="nearest") #! E03|E04|E02
#### constant_index_refuted_at_the_call
def third(x: f32[n]) -> f32 = x[2]
def f(x: f32[2]) -> f32 = third(x) #! E04
#### stated_bound_refuted
def at(x: f32[n], static i: int) -> f32 where 0 <= i and i < n = x[i]
def f(x: f32[4]) -> f32 = at(x, 4) #! E04
#### range_of_the_other_size
def f(x: f32[n], y: f32[m]) -> f32[m] where m > n = [x[j] for j in range(m)] #! E0421
#### compress_checks
def f(x: f32[n]) -> f32[4] = compress(x, x > 0.0, size=4, fill=0.0) #! E07
#### compress_without_size
def f(x: f32[n]) -> f32[4] = compress(x, x > 0.0) #! E03
#### later_clause_size_depends_on_earlier
# "later clauses may use earlier variables in values, not in sizes"
def f(x: f32[n]) -> f32 = sum([x[j] for i in range(n), j in range(i)]) #! E05
#### idx_loses_its_bound_in_a_generic
# "Dtype variables, Tree and inferred carries never stand for idx[n]"
def same[a: Int](i: a) -> a = i
def f(x: f32[n], i: idx[n]) -> f32 = x[same(i)] #! E07
#### idx_carry_without_annotation
def f(x: f32[n], start: idx[n]) -> f32 =
    let i = fold i = start for _ in range(3) do i
    x[i] #! E07
#### string_index
def f(p: {w: f32}) -> f32 = p["w"] #! E03|E04
#### idx_result_not_proved
def f(i: idx[n]) -> idx[n] = i + 1 #! E07|E03
#### annotated_idx_carry_broken
def f(x: f32[n], start: idx[n]) -> f32 =
    let i: idx[n] = fold i: idx[n] = start for _ in range(3) do i + 1 #! E07|E03|E04
    x[i]
#### gather_of_times_table
def f(x: f32[n], i: idx[n]) -> f32 = x[2 * i] #! E07
#### slice_with_other_stride
def f(x: f32[n], i: idx[n]) -> f32[3] = x[i : i + 3] #! E07
#### unproved_in_a_written_tuple
def g(x: f32[n], t: (f32, idx[n])) -> f32 = x[t.1]
def f(x: f32[n], i: i32) -> f32 = g(x, (1.0, i)) #! E0701
#### unproved_in_a_tuple
def g(x: f32[n], t: (f32, idx[n])) -> f32 = x[t.1]
def f(x: f32[n], t: (f32, i32)) -> f32 = g(x, t) #! E0701
#### unproved_in_a_record
def g(x: f32[n], t: {a: f32, i: idx[n]}) -> f32 = x[t.i]
def f(x: f32[n], i: i32) -> f32 = g(x, {a = 1.0, i = i}) #! E0701
#### unproved_in_a_result
def f(x: f32[n], i: i32) -> (f32, idx[n]) = (1.0, i) #! E0701
#### unproved_in_many_records
type P = {i: idx[4], v: f32}
def f(x: f32[4], ps: {i: i32, v: f32}[m]) -> f32 =
    let qs: P[m] = ps #! E0701
    sum([x[q.i] for q in qs])
#### unproved_in_a_carry
def f(x: f32[n], i: i32) -> f32 =
    let (_, t) = fold (a, j): (f32, idx[n]) = (1.0, 0) for _ in range(3) do
        (a, i) #! E0701
    x[t]
#### unproved_result_of_a_lambda
def g(x: f32[n], h: (f32) -> idx[n]) -> f32 = x[h(1.0)]
def f(x: f32[n], i: i32) -> f32 = g(x, fn a -> i) #! E0702
#### unproved_in_the_result_of_a_function
def g(x: f32[n], h: (f32) -> (f32, idx[n])) -> f32 = x[h(1.0).1]
def pick(a: f32) -> (f32, i32) = (a, i32(a))
def f(x: f32[n]) -> f32 = g(x, pick) #! E0702
#### written_places_outside
def embed(table: f32[v, d], t: idx[v][n]) -> f32[n, d] = table[t]
def f(table: f32[5, 3]) -> f32[3, 3] = embed(table, [1, 5, 9]) #! E0421
#### zero_is_no_place_from_the_end
def f(x: f32[n], i: idx[n]) -> f32 = x[-i] #! E0701
#### fill_outside_of_the_bound
def f(i: idx[n][m], j: i32) -> idx[n] = i.at[j].get(mode="fill", fill=99) #! E0701
#### fill_of_records
type P = {x: f32}
def f(ps: P[n], j: i32) -> P = ps.at[j].get(mode="fill", fill=0.0) #! E0308
#### integers_that_wrap_around
def scaled(x: f32[n], y: f32[m]) -> f32[m] where n >= 1 and m >= 1 = [x[i * n // m] for i in range(m)] #! E0701
def squares(x: f32[n]) -> f32[n] = [x[i * i // n] for i in range(n)] #! E0701
def product(x: f32[n], i: idx[n]) -> f32 = if i * i < n then x[i * i] else -1.0 #! E0701

#### neighbours_that_wrap_around
def next(x: f32[n], i: i32) -> f32 = if 0 <= i and i + 1 < n then x[i + 1] else 0.0 #! E0701
def before(x: f32[n], i: i32) -> f32 = if 0 <= i - 1 and i <= n then x[i - 1] else 0.0 #! E0701
def put(x: f32[n], i: i32) -> f32[n] = if 0 <= i and 4 * i < n then x.at[i].set(9.0) else x #! E0701

#### windows_that_wrap_around
def window(x: f32[n], k: i32) -> f32[3] where n >= 3 = if 0 <= k and k + 3 <= n then x[k : k + 3] else zeros([3]) #! E0701
def sums(x: f32[n], i: i32, j: i32) -> f32 = if 0 <= i and 0 <= j and i + j < n then x[i + j] else 0.0 #! E0701

#### differences_that_wrap_around
def differ(x: f32[n], i: i32, j: i32) -> f32 = if i <= j and j - i < n then x[j - i] else 0.0 #! E0701
def negative(x: f32[n], i: i32) -> f32 = if i <= 0 and 0 - i < n then x[0 - i] else 0.0 #! E0701

#### chosen_indices_that_wrap_around
def least(x: f32[n], i: i32) -> f32 where n >= 1 = if 0 <= i then x[min(i + 1, n - 1)] else 0.0 #! E0701
def chosen(x: f32[n], i: i32) -> f32 = if 0 <= i and i < n then x[if 2 * i + 1 < n then 2 * i + 1 else i] else x[i] #! E0701

#### cast_indices_that_wrap_around
def wide(x: f32[n], i: i64) -> f32 = if 0 <= i and i + 1 < n then x[i32(i + 1)] else 0.0 #! E0701
def widened(x: f32[n], y: f32[m]) -> f32[m] where n >= 1 and m >= 1 = [x[i32(i64(i * n) // m)] for i in range(m)] #! E0701
def of_any[a: Int](x: f32[n], i: a) -> f32 = if 0 <= i and i + 1 < n then x[i32(i + 1)] else 0.0 #! E0701
def several(x: f32[n], ids: idx[n][k]) -> f32[k] where n >= 1 = x[ids * n // n] #! E0701

#### records_whose_leaves_share_no_axis
def f(xs: {w: f32[n, d], b: f32[m]}, i: idx[n]) -> f32[d] = xs[i].w #! E0418
def g(xs: {w: f32[n, d], b: f32}, i: idx[n]) -> f32[d] = xs[i].w #! E0331
def h(xs: {w: f32[n, d], b: f32[n]}) -> f32 = xs[0, 1] #! E0414
def k(xs: {w: f32[n, d], b: f32[n]}, i: idx[m]) -> f32 = xs[i].b #! E0701
def m(xs: {w: f32[n], b: f32[n]}) -> f32[n] = xs["w"] #! E0331
#### none_by_a_name_is_no_index
let nothing = none
def f(x: f32[n]) -> f32 = x[nothing] #! E0331
def g(x: f32[n, m]) -> f32[m] =
    let k = none
    x[k] #! E0331
def h(x: f32[n], static k: int? = none) -> f32 = x[k] #! E0331
#### bounds_in_stacks_of_records
type Step[n] = {at: idx[n], done: bool}
def steps(x: f32, static h: int) -> Step[4][h] = {at = full([h], 1), done = full([h], x > 0.0)}
def read(t: f32[3], s: Step[3][h]) -> f32 = sum(t[s.at])
def outside(t: f32[3], x: f32[n]) -> f32[n] =
    [read(t, s) for s in [steps(v, 4) for v in x]] #! E0303
#### lags_without_abs
def covariance(c: f32[n]) -> f32[n, n] = [[c[i - j] for j in range(n)] for i in range(n)] #! E0421
#### causal_filter_from_the_start
def filtered(x: f32[n], k: f32[m]) -> f32[n] = [sum([k[j] * x[i - j] for j in range(m)]) for i in range(n)] #! E0421
#### shifted_by_a_static
def shifted(x: f32[n], static s: size) -> f32[n] = [x[i + s] for i in range(n)] #! E0421
