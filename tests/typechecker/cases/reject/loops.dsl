#### scan_body_without_output
def f(x: f32[n]) -> (f32, f32[n]) = scan s = 0.0 for v in x do s + v #! E03
#### fold_body_with_output
def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x do (s + v, s) #! E03
#### scan_result_used_as_history
def f(x: f32[n]) -> f32[n] = scan s = 0.0 for v in x do (s + v, s) #! E03
#### carry_count
def f(x: f32[n]) -> f32 =
    let (a, b) = fold (a, b) = (0.0, 0.0) for v in x do a + v #! E03
    a + b
#### carry_order
def f(x: f32[n]) -> i32 =
    let (s, k) = fold (s, k) = (f32(0), i32(0)) for v in x do (k + 1, s + v) #! E03
    k
#### carry_pattern_longer_than_start
def f(x: f32[n]) -> f32 =
    let (a, b, c) = fold (a, b, c) = (0.0, 0.0) for v in x do (a, b, c) #! E03
    a
#### carry_shape
def f(h0: f32[d], w: f32[e, d], xs: f32[n, d]) -> f32[d] = fold h = h0 for x in xs do tanh(w @ h) #! E04
#### carry_rank
def f(xs: f32[n, d]) -> f32[n] =
    fold s = zeros([n]) for x in xs do s + x #! E04
#### carry_becomes_scalar
def f(xs: f32[n, d]) -> f32[d] = fold s = zeros([d]) for x in xs do sum(s + x) #! E04|E03
#### history_shape
def f(h0: f32[d], xs: f32[n, d]) -> f32[d, n] =
    let (_, hs) = scan h = h0 for x in xs do (tanh(h + x), h)
    hs #! E04
#### iteration_over_scalar
def f(x: f32) -> f32 = fold s = 0.0 for v in x do s + v #! E03|E04
#### iteration_over_int
def f(x: f32[n]) -> f32 = fold s = 0.0 for i in n do s + x[i] #! E03|E04
#### iteration_over_record_of_two_sizes
def f(p: {a: f32[n], b: f32[m]}) -> f32 = fold s = 0.0 for q in p do s + q.a * q.b #! E04|E03
#### comprehension_over_a_number
def f(x: f32) -> f32[3] = [v for v in 3] #! E03|E04
#### range_of_floats
def f(x: f32) -> f32[3] = [x for _ in range(3.0)] #! E03
#### range_of_three
def f(x: f32) -> f32 = fold s = x for i in range(0, 10, 2) do s + f32(i) #! E03
#### zip_of_one_length_each
def f(x: f32[n], y: f32[n + 1]) -> f32 = fold s = 0.0 for a, b in zip(x, y) do s + a * b #! E04
#### enumerate_pattern
def f(x: f32[n, 3]) -> f32[n] = [v for i, j, v in enumerate(x)] #! E03
#### while_condition_is_a_number
def f(x: f32) -> f32 = iterate y = x while y limit 9 do y / 2.0 #! E03
#### while_condition_is_an_array
def f(x: f32[n]) -> f32[n] = iterate y = x while y > 1.0 limit 9 do y / 2.0 #! E03|E04
#### iterate_carry_dtype
def f(x: f32) -> f32 = iterate y = x while y > 1.0 limit 9 do i32(y) #! E03
#### iterate_two_carries_one_result
def f(x: f32) -> f32 =
    let (y, k) = iterate (y, k) = (x, 0) while y > 1.0 limit 9 do y / 2.0 #! E03
    y
#### annotation_against_start
def f(x: f32[n]) -> f32 =
    let s = fold s: i32 = 0.5 for v in x do s + 1 #! E03
    sum(x) + f32(s)
#### annotation_against_body
def f(x: f32[n]) -> f64 = fold s: f64 = 0 for v in x do s + v #! E03
#### unroll_negative
def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x unroll -1 do s + v #! E01|E03|E04
#### nested_comprehension_ragged
def f(x: f32[n]) -> f32 = sum([sum([x[j] for j in range(i)]) for i in range(n)]) #! E05
#### comprehension_elements_differ_by_branch
def f(x: f32[n], y: f32[n]) -> f32[n] = [if v > 0.0 then v else y for v in x] #! E04
#### comprehension_order_of_clauses
def f(x: f32[n, m]) -> f32[n, m] = [v for v in row, row in x] #! E02
#### cumulative_as_python
def f(x: f32[n]) -> f32 =
    fold s = 0.0 for v in x do
        s + v #! E0110
        s
#### fold_without_start
def f(x: f32[n]) -> f32 = fold s for v in x do s + v #! E01
#### fold_without_do
def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x s + v #! E01
#### horner_shapes
def horner(c: f32[n, d], x: f32[k]) -> f32[k] = fold s = zeros([k]) for a in c reverse do s * x + a #! E04
#### unroll_of_less_than_nothing
def f(x: f32[n]) -> f32 = fold a = 0.0 for v in x unroll -1 do a + v #! E01
#### carry_that_loses_the_bound_that_is_expected
def f(t: i32[n], s: idx[k]) -> idx[k] = fold s = s for v in t do s + v #! E0701
#### types_inside_a_carry
def f(x: f32[n]) -> f32 where n >= 1 =
    let (_, s) = fold (at: idx[n], s) = (0, 0.0) for v in x do (at + 1, s + v) #! E0701
    s
def g(x: f32[n]) -> f32 =
    let (_, s) = fold (at: f32, s): (i32, f32) = (0, 0.0) for v in x do (at, s + v) #! E0302
    s
def h(x: f32[2]) -> f32 =
    let (at: i32, s) = (x, 2.0) #! E0302
    s
def whole(x: f32[3], y: f32[4]) -> f32 = fold s: i32 = 0.0 for v in (x, y) do s + sum(v) #! E0304
def layers(x: f32[3], y: f32[4]) -> f32 =
    let (s, _) = fold (s, k: f32[3]) = (0.0, x) for v in (x, y) do (s + sum(v), v) #! E0402
    s
def rows(x: f32[3], y: f32[4]) -> f32[2] =
    let (_, o) = scan (s: f32, k: f32[3]) = (0.0, x) for v in (x, y) do ((s + sum(v), v), s) #! E0402
    o
#### path_that_grows
def trajectory(start: f32[2], static steps: size) -> f32[steps + 1, 2] =
    fold path = start[None, :] for _ in range(steps) do
        let state = path[-1]
        let state = state + 0.1 * cos(state)
        concatenate((path, state[None, :])) #! E0417
