#### one_line
def double(x: f32[n]) -> f32[n] = x * 2.0
#### block
def norm2(x: f32[n]) -> f32 =
    let squares = x * x
    sum(squares)
#### nested_blocks
def f(x: f32, y: f32) -> f32 =
    let a =
        let b = x + y
        let c = x - y
        b * c
    a + 1.0
#### let_with_type
def f(x: f32[n]) -> f32[n] =
    let y: f32[n] = x + 1.0
    y
#### let_destructures
def f(x: f32, y: f32) -> f32 =
    let (a, (b, _)) = (x, (y, x))
    let (c,) = (a,)
    a * b + c
#### pattern_takes_array_apart
def cross(a: f32[3], b: f32[3]) -> f32[3] =
    let (a0, a1, a2) = a
    let (b0, b1, b2) = b
    [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
#### tuple_positions
def f(t: ((f32, f32[n]), i32)) -> f32 = t.0.0 * sum(t.0.1) + f32(t.1)
#### unit_and_one_tuple
def f(x: f32) -> ((), (f32,)) = ((), (x,))
#### number_forms
def f(x: f32, i: i32) -> (f32, i32, c64) =
    (x * 2.5 + 1e-3 - 1000.5, i + 0x1f + 1_000, c64(x) * 2.0j)
#### comments
# a comment
def f(x: f32) -> f32 =      # behind an opener
    # alone in a block
    let y = x + 1.0         # behind a statement
# at the wrong column, which is of no importance

    y * 2.0
#### documentation
## Adds one.
##
## Works for *any* shape.
def inc(x: f32[*s]) -> f32[*s] = x + 1.0

## What a cell is.
type Cell[n] = {
    ## weights
    w: f32[n],
    b: f32,
}
#### line_breaks_in_brackets
def f(
    x: f32[n],
    y: f32[
        n
    ],
) -> (
    f32[n],
    f32,
) = (
    x
    + y,
    sum(
        x,
    ),
)
#### continuation_by_operator
def f(a: f32, b: f32, c: f32) -> f32 =
    let s = a
        * b
        / c
    s
        / 2.0
#### continuation_by_operator_same_column
def f(a: f32, b: f32) -> f32 =
    a
    * b
    / 2.0
#### continuation_by_pipe
def f(x: f32[n], y: f32[n]) -> f32 =
    x
        |> tanh
        |> fn v -> v * y
        |> sum
#### continuation_by_and_or
def inside(x: f32, y: f32) -> bool =
    x > 0.0
        and x < 1.0
        and y > 0.0
        or not y < 1.0
#### continuation_by_comma
def f(x: f32, y: f32) -> (f32, f32) =
    let p = (x,
        y)
    p
#### if_on_lines
def f(x: f32) -> f32 =
    if x > 0.0
    then sqrt(x)
    else 0.0
#### if_with_blocks
def f(x: f32) -> f32 =
    if x > 0.0 then
        let r = sqrt(x)
        r + 1.0
    else
        0.0
#### if_chain
def sgn(x: f32) -> f32 =
    if x > 0.0 then 1.0
    else if x < 0.0 then
        -1.0
    else
        0.0
#### if_as_operand_in_parentheses
def f(x: f32) -> f32 = 1.0 + (if x > 0.0 then x else -x) * 2.0
#### if_in_brackets
def f(x: f32, y: f32) -> (f32, f32) =
    (if x > y then x else y, if x > y then
        let z = y
        z
    else
        x)
#### lambda_forms
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def two(f: (f32, f32) -> f32, x: f32) -> f32 = f(x, x)
def pair(f: ((f32, f32)) -> f32, x: f32) -> f32 = f((x, x))
def main(x: f32) -> f32 =
    let one = apply(fn v -> v * 2.0, x)
    let both = two(fn (a, b: f32) -> a - b, x)
    one + both + pair(fn ((a, b)) -> a * b, x)
#### lambda_block_in_brackets
def f(x: f32[n]) -> f32[n] =
    tree_map(fn a ->
        let b = a * 2.0
        b + 1.0, x)
#### lambda_with_block_last_in_brackets
def apply(x: f32, f: (f32) -> f32) -> f32 = f(x)
def main(x: f32) -> f32 =
    apply(x, fn v ->
        let w = v * v
        w + v
    )
#### local_function
def f(x: f32, y: f32) -> f32 =
    let square = fn (v: f32) -> v * v
    let hyp = fn (a: f32, b: f32) ->
        let s = square(a) + square(b)
        sqrt(s)
    hyp(x, y)
#### pipe_with_calls
def shift(x: f32[n], by: f32) -> f32[n] = x + by
def f(x: f32[n]) -> f32 = x |> fn v -> shift(v, 2.0) |> sum
#### method_calls
def f(x: f32[n, d]) -> f32[d] = x.mean(axis=0).tanh().maximum(0.0)
#### method_of_own_function
def scaled(x: f32[*s], by: f32) -> f32[*s] = x * by
def f(x: f32[n]) -> f32[n] = x.scaled(3.0).scaled(by=0.5)
#### comparison_chain
def inside(x: f32, lo: f32, hi: f32) -> bool = lo <= x < hi
def flags(x: f32[n]) -> bool[n] = 0.0 < x < 1.0
#### comparison_chain_equalities
def f(a: i32, b: i32, c: i32) -> bool = a == b == c
#### precedence
def f(x: f32, y: f32) -> f32 = -x ** 2 + 3.0 * y ** -1 - x / y
def g(a: i32, b: i32) -> i32 = a + b << 2 & 0xff | a ^ b
def h(p: bool, q: bool) -> bool = not p and q or p == q
#### power_is_right_associative
def f(x: f32) -> f32 = x ** 2 ** 3
#### soft_words_are_names
def f(limit: f32, state: f32, key: f32, rng: f32, where: f32) -> f32 =
    let resume = limit + state
    let reverse = key * rng
    let unroll = where - 1.0
    let checks = resume + reverse
    let accum = checks + unroll
    let handler = accum
    handler
#### soft_words_as_fields
def f(p: {limit: f32, key: f32, state: {rng: f32}}) -> f32 = p.limit * p.key + p.state.rng
#### trailing_commas
def f(x: f32, y: f32,) -> {a: f32, b: (f32, f32,),} =
    {a = maximum(x, y,), b = (x, y,),}
#### record_field_blocks
def f(x: f32) -> {a: f32, b: f32} = {
    a =
        let y = x * 2.0
        y,
    b = x,
}
#### keyword_argument_block
def g(x: f32, *, gain: f32) -> f32 = x * gain
def f(x: f32) -> f32 =
    g(x, gain =
        let two = 2.0
        two * x)
#### fold_body_to_the_right
def f(xs: f32[n]) -> f32 = fold acc = 0.0 for x in xs do acc + x
#### fold_in_tuple_ends_at_comma
def f(xs: f32[n], y: f32) -> (f32, f32) =
    (fold acc = 0.0 for x in xs do acc + x, y)
#### fold_after_pipe
def f(xs: f32[n]) -> f32[n] =
    xs |> fn v -> fold acc = v for _ in range(3) do acc * v
#### fold_continued_on_lines
def f(xs: f32[n], ys: f32[n]) -> f32 =
    fold acc = 0.0
        for x, y in zip(xs, ys)
        do acc + x * y
#### iterate_layout
def f(x: f32) -> f32 =
    iterate y = x
        while y > 1.0
        limit 50
        do y / 2.0
#### match_in_let
enum Mode = Fast | Slow(k: int)
def f(static m: Mode, x: f32) -> f32 =
    let gain = match m with
        Fast -> 1.0
        Slow(k) ->
            let base = 2.0
            base * k
    x * gain
#### comprehension_on_lines
def f(x: f32[n], y: f32[m]) -> f32[n, m] =
    [
        x[i] * y[j]
        for i in range(n),
            j in range(m)
    ]
#### index_forms
def f(x: f32[6, 4]) -> (f32[4], f32, f32[4, 2], f32[6], f32[1, 6, 4], f32[6, 1, 4]) =
    (x[0], x[-1, -2], x[1:-1, ::2], x[..., 0], x[None, :], x[:, none])
#### statement_of_unit_effect
def f(x: f32) -> f32 ! io =
    print("x is {}", x)
    x + 1.0
#### asserts
def f(x: f32) -> f32 ! check =
    assert x > 0.0
    assert x < 1e6, "too large"
    log(x)
#### assert_over_lines
def f(x: f32) -> f32 ! check =
    assert x > 0.0 and (
        x < 1e6
    ), "out of range"
    log(x)
#### declarations_in_any_order
def f(x: f32[n]) -> f32 = g(x) * scale
let scale = 2.0 * half
def g(x: Vec[n]) -> f32 = sum(x)
type Vec[n] = f32[n]
let half = 0.5
#### where_on_its_own_line
def halves(x: f32[n]) -> f32[2, n // 2]
    where n % 2 == 0
    = reshape(x, [2, n // 2])
#### nested_records_update
type P = {w: f32, layer: {b: f32, c: f32}}
def f(p: P) -> P = {p with w = 1.0, layer.b = p.w}
#### static_def_and_type_forms
static def out(n: int, k: int, stride: int) -> int = (n - k) // stride + 1
type Pair[a: Float, n] = (a[n], a[n])
enum Activation = Relu | Gelu | Leaky(slope: float)
def swap[a: Float](p: Pair[a, n]) -> Pair[a, n] = (p.1, p.0)
#### enum_on_lines
enum Pad =
    Valid
    | Same
    | Explicit(before: int, after: int)
def f(static p: Pad, x: f32[n]) -> f32[n] = x
#### empty_file

#### only_comments
# nothing here
## nor here
#### match_arms_of_literals
def f(static k: int, x: f32) -> f32 =
    match k with
        0 -> x
        1 -> x * 2.0
        _ -> x ** k
#### unary_signs
def f(x: f32, i: i32) -> (f32, i32, f32) = (-x, ~i, - -x)
#### parenthesised_block_value
def f(x: f32) -> f32 =
    let y = (
        x + 1.0
    )
    (y)
#### line_beginning_with_bracket_is_new
def f(x: f32) -> (f32, f32) =
    let y = x
    (y, x)
#### line_beginning_with_minus_in_brackets
def f(x: f32) -> f32 =
    (x
    - 1.0)
#### blocks_in_comprehensions
def f(x: f32[n]) -> f32[n] =
    [
        let y = x[i] * 2.0
        y + 1.0
        for i in range(n)
    ]
def g(x: f32[n], y: f32[m]) -> f32[n, m] ! check = [
    # a comment
    assert a > 0.0, "not positive"
    let total = fold s = 0.0 for v in y do
        s + v
    fold s = total for v in y do
        s + v * a * b
    for a in x, b in y
]
def h(x: f32[n]) -> f32[n, n] = [
    let a = v
    [
        let (b, c) = (a, w)
        if b > c then
            b
        else
            c for w in x]
    for v in x
]
def over_tuple(x: f32) -> f32[2, 3] = [
    let z = v * x
    (scan s = z for _ in range(3) do (0.5 * s, s)).1
    for v in (1.0, 2.0)
]
static def odd(s: shape) -> shape = [
    let twice = 2 * d
    twice + 1
    for d in s
]
def wide(x: f32[n]) -> f32[2 * n + 1] = zeros(odd(x.shape))
def list_of_lines(x: f32) -> f32[3] = [

    1.0,
    x,
    2.0,
]
