#### block_after_eq
def f(x: f32) -> f32 =
    let y =
        let z = x + 1.0
        z * 2.0
    y + 1.0
#= f(1.0) => 5.0
#### header_lines
def f(x: f32[n], y: f32[m])
    -> f32[n]
    where n == m
    = x + y
def g(x: f32)
    -> f32
    ! io
    =
    print("x")
    x
def h(x: f32[n])
  -> f32 ! {check, io}
    where n >= 1 =
    assert x[0] > 0.0,
        "first"
    x[0]
#= f(A(1, 2), A(3, 4)) => A(4, 6)
#= h(A(1, 2)) => 1.0
#### type_enum_blocks
type P[d] =
    {
        w: f32[d],
        b: f32,
    }
enum Act =
    Relu
    | Leaky(slope: float)
    | Id
def act(static a: Act, x: f32[n]) -> f32[n] =
    match a with
        Relu -> maximum(x, 0.0)
        Leaky(s) ->
            let y = s * x
            where(x > 0.0, x, y)
        Id -> x
def f(p: P[d], x: f32[d]) -> f32 =
    p.w
      @ x
      * 2.0
#= act(Leaky(0.5), A(-2, 2)) => A(-1, 2)
#= f({'w': A(1, 2), 'b': 0.0}, A(3, 4)) => 22.0
#= act(Relu, A(-2, 2)) => A(0, 2)
#= act(x=A(-2, 2), a=Id) => A(-2, 2)
#### if_layouts
def a(x: f32) -> f32 = if x > 0.0 then x else -x
def b(x: f32) -> f32 =
    if x > 0.0 then
        x
    else
        -x
def c(x: f32) -> f32 =
    if x > 0.0
    then x
    else -x
def d(x: f32) -> f32 =
    if x > 0.0
        then
            let y = x
            y
        else
            let y = -x
            y
def e(x: f32) -> f32 =
    if x > 1.0 then 1.0
    else if x < -1.0 then
        -1.0
    else x
def g(x: f32) -> f32 =
    if x > 1.0 then 1.0 else
        let y = x * 2.0
        y
def h(x: f32) -> f32 =
    let s = if x > 0.0 then 1.0
        else -1.0
    s * x
def i(x: f32) -> f32 = (if x > 0.0 then x
    else -x) + 1.0
def j(x: f32) -> f32 =
    if if x > 0.0 then x > 1.0 else x < -1.0 then 1.0 else 0.0
#= e(0.5) => 0.5
#= e(-5.0) => -1.0
#= g(0.5) => 1.0
#= i(-3.0) => 4.0
#= j(-3.0) => 1.0
#= j(-0.3) => 0.0
#### bracket_blocks
def apply2(f: (f32) -> f32, x: f32) -> f32 = f(f(x))
def a(x: f32) -> f32 =
    apply2(fn v ->
        let y = v * 2.0
        y + 1.0, x)
def b(x: f32) -> f32 =
    apply2(
        fn v ->
            let y = v * 2.0
            y + 1.0,
        x
    )
def c(x: f32) -> f32 =
    apply2(x=x, f=fn v ->
        let y = v * 2.0
        y + 1.0)
def d(x: f32) -> f32 =
    apply2(f=
        fn v -> v * 2.0 + 1.0, x=
            let y = x
            y)
def e(x: f32[n]) -> f32[n] =
    [if v > 0.0 then
        let y = v * 2.0
        y
     else
        0.0
     for v in x]
def g(x: f32[n]) -> {a: f32[n], b: f32} =
    {a =
        let y = x + 1.0
        y * 2.0, b = 3.0}
def h(x: f32[n]) -> f32 =
    sum([fold acc = 0.0 for j in range(3) do
            let t = acc + v
            t * 1.0
         for v in x])
#= e(A(-1, 2)) => A(0, 4)
#= g(A(-1, 2)) => {'a': A(0, 6), 'b': np.float32(3)}
#= h(A(1, 2)) => 9.0
#### assert_in_bracket
def app(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(x)
def a(x: f32) -> f32 ! check =
    app(fn v ->
        assert v > 0.0, "pos"
        let s = fold t = 0.0 for p, q in zip(ones([3]), ones([3])) do
            t + p * q
        v + s, x)
#= a(1.0) => 4.0
#### continuations
def f(x: f32[n], y: f32[n]) -> f32[n] =
    x
    * y
    / 2.0
    |> fn z -> z
    |> abs
def g(x: i32, y: i32) -> i32 =
    x
    // 2
    % 7
    ** 2
    | y
    ^ 3
    & 5
    << 1
    >> 1
def h(x: f32, y: f32, z: f32) -> bool =
    x
    < y
    <= z
    or x
    == y
    and y
    != z
def i(x: f32[n, m]) -> f32 =
    x
    .T
    .sum(axis=0)
    .mean()
def j(x: f32[n], y: f32[n]) -> f32 = x
    @ y
def k(x: f32) -> f32 =
    let a = x
        ** 2
    let b = x
    * 3.0
    a * b
#= f(A(-1, 2), A(2, 2)) => A(1, 2)
#= g(77, 9) => 77 // 2 % 7 ** 2 | 9 ^ 3 & 5 << 1 >> 1
#= h(1.0, 2.0, 3.0) => True
#= i(np.ones((2, 3), 'f4')) => 3.0
#= k(2.0) => 24.0
#### iterate_layout
def f(a: f32) -> f32 =
    iterate x = a
        while abs(x * x - 2.0) > 1e-6
        limit 50
        do
            let y = x - (x * x - 2.0) / (2.0 * x)
            y
def g(a: f32) -> f32 ! div =
    iterate x = a while abs(x * x - 2.0) > 1e-6 do
        x - (x * x - 2.0) / (2.0 * x)
def h(a: f32) -> f32 =
    iterate x = a + 1.0
    while abs(x * x - 2.0) > 1e-6 limit 50 do x - (x * x - 2.0) / (2.0 * x)
def i(a: f32) -> (f32, i32) =
    iterate (x, k) = (a, 0) while k < 4 limit 10 do (x * 2.0, k + 1)
#= i(1.0) => (16.0, 4)
#### limit_where_names
def f(limit: f32, where: f32) -> f32 =
    let reverse = limit + 1.0
    let state = reverse
    let unroll = state
    let rng = unroll
    let checks = rng
    let accum = checks
    let handler = accum
    let resume = handler
    let key = resume
    limit
import random
def g(key: key, state: f32) -> f32 = random.normal(key) * 0.0 + state
def h(limit: f32) -> f32 =
    let x = 1.0
    limit * x
def i(x: f32[n]) -> f32[n] =
    let m = x > 0.0
    where(m, x, 0.0)
type R = {where: f32, limit: f32, key: f32, resume: i32, f32: f32, sum: f32, T: f32, shape: f32}
def j(r: R) -> f32 = r.where + r.limit + r.key + r.f32 + r.sum + r.T + r.shape
def k(x: f32, *, where: f32 = 1.0, limit: f32, state: f32 = 2.0) -> f32 = x + where + limit + state
def l(x: f32) -> f32 = k(x, where=2.0, limit=3.0)
#= f(1.0, 2.0) => 1.0
#= j({'where': 1.0, 'limit': 1.0, 'key': 1.0, 'resume': 1, 'f32': 1.0, 'sum': 1.0, 'T': 1.0, 'shape': 1.0}) => 7.0
#= l(1.0) => 8.0
#= i(A(-1, 2)) => A(0, 2)
#= g(key(0), 3.0) => 3.0
#### pipes
def f(x: f32) -> f32 =
    x |> fn v ->
        let y = v + 1.0
        y * 2.0
    |> fn v -> v + 0.5
def g(x: f32, static c: bool) -> f32 = x |> if c then sin else cos
enum Op = Sq | Cube
def h(x: f32, static o: Op) -> f32 =
    x |> match o with
        Sq -> fn v -> v ** 2
        Cube -> fn v -> v ** 3
def i(x: f32[n]) -> f32[n] = x |> vmap(fn v -> v * 2.0)
def j(x: f32) -> f32 =
    x
    |> sin
    |> cos
def k(x: f32) -> f32 = x |> fn v -> v + 1.0 |> fn w -> w * 2.0
#= f(1.0) => 4.5
#= g(1.0, c=True) => np.sin(1.0)
#= h(2.0, Cube) => 8.0
#= i(A(1, 2)) => A(2, 4)
#= j(1.0) => np.cos(np.sin(1.0))
#= k(1.0) => 4.0
#### newline_paren
def f(x: f32) -> (f32, f32) =
    let y = x + 1.0
    (x, y)
def g(x: f32) -> f32[2] =
    let y = x + 1.0
    [x, y]
def h(x: f32[n]) -> (f32, f32) =
    let t = fold a = 0.0 for v in x do
        a + v
    (t, t)
def i(x: f32[n]) -> f32 =
    let y = if true then
        sum(x)
    else
        0.0
    -y
#= f(1.0) => (1.0, 2.0)
#= g(1.0) => A(1, 2)
#= h(A(1, 2)) => (3.0, 3.0)
#= i(A(1, 2)) => -3.0
#### patterns
def a(x: f32[2]) -> f32 =
    let (p, q) = x
    p - q
def b(x: f32[2, n]) -> f32[n] =
    let (p, q) = x
    p - q
import random
def c(k: key) -> f32 =
    let (k1, k2) = split(k)
    random.normal(k1) + random.normal(k2)
from random import split
def d(t: ((f32, f32), f32)) -> f32 =
    let ((p, q), _) = t
    p * q
def e(t: (f32,)) -> f32 =
    let (p,) = t
    p
def f(x: f32[n, 2]) -> f32[n] = [a - b for a, b in x]
def g(x: f32[n], y: f32[n]) -> f32 = fold s = 0.0 for i, (u, v) in enumerate(zip(x, y)) do s + f32(i) * u * v
def h(x: f32[n], y: f32[n]) -> f32 = fold s = 0.0 for (i, (u, v)) in enumerate(zip(x, y)) do s + f32(i) * u * v
def i(ps: {w: f32, b: f32}[3]) -> f32 =
    let (p, q, r) = ps
    p.w + q.b + r.w
def j(x: f32[1]) -> f32 =
    let (v,) = x
    v
def k(x: f32[n]) -> i32 = fold c = 0 for _ in x do c + 1
def l(x: f32) -> f32 =
    let _ = x + 1.0
    x
#= a(A(5, 3)) => 2.0
#= b(A([1, 2], [3, 4])) => A(-2, -2)
#= d(((2.0, 3.0), 4.0)) => 6.0
#= e((2.0,)) => 2.0
#= f(A([1, 2], [5, 4])) => A(-1, 1)
#= g(A(1, 2), A(3, 4)) => 8.0
#= h(A(1, 2), A(3, 4)) => 8.0
#= i({'w': A(1, 2, 3), 'b': A(10, 20, 30)}) => 24.0
#= j(A(3)) => 3.0
#= k(A(3, 4)) => 2
#### match_patterns
enum Pad = Same | Valid | Explicit(lo: int, hi: int)
enum Tri = Lo | Hi
static def total(p: Pad, k: int) -> int =
    match p with
        Same -> k - 1
        Valid -> 0
        Explicit(lo, hi) -> lo + hi
def a(x: f32[n], static p: Pad) -> f32[n + total(p, 3)] =
    match p with
        Same -> pad(x, (1, 1))
        Valid -> x
        Explicit(a, b) -> pad(x, (a, b))
static def both(p: Pad, q: Tri) -> int =
    match (p, q) with
        (Same, Lo) -> 1
        (Explicit(0, h), _) -> h
        (Explicit(l, _), Hi) -> l
        (_, other) -> 7
def b(x: f32, static k: int) -> f32 =
    match k with
        0 -> 1.0
        1 -> x
        n -> x ** n
def c(x: f32, static s: str) -> f32 =
    match s with
        "sin" -> sin(x)
        "cos" -> cos(x)
        _ -> x
def d(static t: (int, bool)) -> i32 =
    match t with
        (3, true) -> 1
        (k, false) -> k
        _ -> 0
def e(static k: int?) -> i32 =
    match k with
        none -> 0
        v -> v + 1
def z(static p: Pad, static q: Tri) -> i32 = both(p, q)
#= a(A(1, 2), Same) => A(0, 1, 2, 0)
#= a(A(1, 2), Explicit(0, 1)) => A(1, 2, 0)
#= b(2.0, 3) => 8.0
#= c(2.0, 'cos') => np.cos(2.0)
#= d((3, True)) => 1
#= d((4, False)) => 4
#= e(None) => 0
#= e(4) => 5
#= z(Explicit(0, 5), Lo) => 5
#= z(Explicit(4, 5), Hi) => 4
#= z(Valid, Hi) => 7
#### literals
def a() -> i32 = 0x1f + 1_000
def b() -> f32 = 2.5 + 1e-3 + 1e3 + 1_0.0_1
def c() -> c64 = 1.0 + 2.0j
def d() -> (bool, bool) = (true, not true)
def e(x: f32[n]) -> f32[n, 1] = x[:, None]
def f(x: f32[n]) -> f32[1, n] = x[none]
def g() -> () = ()
def h(t: ((f32, (f32, i32)), f32)) -> i32 = t.0.1.1
def i() -> ((i32,), f32) = ((1,), 2.0)
def j() -> f32 = 1E5 + 2.5e+2 + 0xFF
#= a() => 1031
#= b() => 2.5 + 0.001 + 1000 + 10.01
#= c() => np.complex64(1 + 2j)
#= d() => (True, False)
#= e(A(1, 2)) => A([1], [2])
#= h(((1.0, (2.0, 3)), 4.0)) => 3
#= i() => ((1,), 2.0)
#= j() => 100000.0 + 250 + 255
#### operators
def a() -> i32 = 2 ** 3 ** 2
def b(x: f32) -> f32 = -x ** 2
def c(x: f32) -> f32 = x ** -1
def d(x: f32) -> f32 = 2.0 ** -x
def e(x: i32, y: i32) -> bool = x | y == 7
def f(x: bool, y: bool) -> bool = not x == y
def g(x: i32[n]) -> bool[n] = 0 < x <= 5
def h(x: i32[n]) -> bool[n] = 5 > x > 0
def i(x: bool[n], y: bool[n]) -> bool[n] = x & ~y | (x ^ y)
def j(x: i32) -> i32 = ~x + +x - -x
def k(x: i32) -> i32 = 1 + x << 2 - 1
def l(x: i32) -> i32 = -7 // x * 2 % 5
def m(x: f32[n, k], y: f32[k, m]) -> f32[n, m] = -x @ y * 2.0
def n(x: bool, y: f32) -> bool = x or not x and y > 0.0
def o(x: i32, y: i32) -> bool = x == y == 3
def p(x: f32) -> f32 = - - x
def q(x: f32) -> f32 = x ** 2.0 ** 0.5
def r(x: i32) -> bool = x & 1 == 0
#= a() => 512
#= b(3.0) => -9.0
#= c(4.0) => 0.25
#= d(2.0) => 0.25
#= e(3, 4) => True
#= f(True, False) => True
#= g(np.array([0, 3, 5, 6], 'i4')) => np.array([False, True, True, False])
#= h(np.array([0, 3, 5, 6], 'i4')) => np.array([False, True, False, False])
#= i(np.array([True, False]), np.array([True, True])) => np.array([False, True])
#= j(5) => ~5 + 5 + 5
#= k(3) => 1 + 3 << 1
#= l(2) => -7 // 2 * 2 % 5
#= m(A([1, 2]), A([3], [4])) => A([-22])
#= o(3, 3) => True
#= p(3.0) => 3.0
#= q(3.0) => 3.0 ** 2.0 ** 0.5
#= r(4) => True
#### methods
def app(m: {f: (f32) -> f32, k: f32}) -> f32 = m.f(m.k)
def a(x: f32) -> f32 = app({f = fn v -> v * 2.0, k = x})
def b(x: f32[n, m]) -> f32[n] = x.mean(axis=1)
def twice(x: f32) -> f32 = 2.0 * x
def c(x: f32) -> f32 = x.twice().twice().sin()
def d(x: f32[n, m]) -> f32[m, n] = x.T
def e(x: f32[*s, n, m]) -> f32[*s, m, n] = x.T
def f(x: f32[n, m]) -> i32 = x.shape[0] * 100 + x.shape[1] * 10 + x.ndim
def g(x: f32[n, m]) -> i32 = x.size
def h(x: f32[n, m]) -> f32[n, m] = zeros(x.shape, x.dtype)
type Rec = {T: f32, shape: f32}
def i(r: Rec) -> f32 = r.T + r.shape
def j(x: f32[n]) -> f32 = x.reshape([n, 1]).sum()
def k(a: f32[n, n]) -> f32 = linalg.norm(a)
def l(linalg: {norm: (f32) -> f32}) -> f32 = linalg.norm(2.0)
def m() -> f32 = l({norm = fn v -> v + 1.0})
import linalg
#= a(3.0) => 6.0
#= b(A([1, 2], [3, 5])) => A(1.5, 4)
#= c(1.0) => np.sin(4.0)
#= f(np.zeros((2, 3), 'f4')) => 232
#= g(np.zeros((2, 3), 'f4')) => 6
#= i({'T': 1.0, 'shape': 2.0}) => 3.0
#= m() => 3.0
#= e(np.arange(12, dtype='f4').reshape(2, 3, 2)) => np.arange(12, dtype='f4').reshape(2, 3, 2).swapaxes(1, 2)
#### lambdas
def a(x: f32) -> f32 =
    let f = fn v -> v + 1.0
    f(x)
def b(x: f32) -> f32 =
    let f = fn (u, v: f32) -> u * v
    f(x, x)
def c(x: f32) -> f32 =
    let f = fn ((u, v)) -> u - v
    f((x, 1.0))
def d(x: f32) -> f32 =
    let f = fn ((u, v), (w, _)) -> u - v + w
    f((x, 1.0), (2.0, x))
def e(x: f32) -> f32 = (fn v -> v * 2.0)(x)
def f(x: f32) -> f32 =
    let g = fn x -> fn y -> x * 10.0 + y
    g(x)(1.0)
def g(x: f32[n]) -> f32[n] = vmap(fn (v: f32) -> v * 2.0)(x)
def h(x: f32) -> f32 =
    let f = fn () -> x + 1.0
    f()
def i(x: f32) -> f32 =
    let f = fn _ -> x + 1.0
    f(3)
#= d(2.0) => np.float32(3)
#= f(2.0) => np.float32(21)

#### lambda_block_arms
def f(x: f32, static k: int) -> f32 =
    let g = match k with
        0 -> fn v ->
            let w = v + 1.0
            w
        _ ->
            fn v ->
                v * 2.0
    g(x)
def h(x: f32, static k: int) -> f32 =
    match k with
      0 ->
        let a = x
        a
      1 -> if x > 0.0 then
             1.0
           else
             2.0
      2 -> fold a = x for i in range(3) do
               a * 2.0
      _ -> match k with
        3 -> 3.0
        _ -> 4.0
#= f(1.0, 0) => 2.0
#= f(3.0, 1) => 6.0
#### doc_comments
## Adds one.
##
## See *also*.
def f(x: f32) -> f32 = x + 1.0   # trailing
# nothing

   # odd indentation
## a type
type P = {a: f32}  ## hmm

def g(p: P) -> f32 =
    # first

    let y = p.a

      # deeper comment
    y
# end
#= f(1.0) => 2.0
#= g({'a': 1.0}) => 1.0
#### cells
def count(x: f32[n]) -> f32 ! state(total: f32) =
    total :=
        let t = total
        t + sum(x)
    total
def run(x: f32[n]) -> (f32, f32) =
    with state total = 1.0 do
        count(x) + count(x)
def acc(x: f32[n]) -> f32 ! accum(loss: f32) =
    loss += sum(x)
    loss +=
        let y = 2.0
        y
    3.0
def run2(x: f32[n]) -> (f32, f32) =
    with accum loss: f32 do acc(x)
def run3(x: f32[n]) -> ((f32, f32), f32) =
    with accum loss: f32 do
        with state total = 0.0 do
            let a = acc(x)
            let b = count(x)
            total := total + a
            b
#= run(A(1, 2)) => (4.0 + 7.0, 7.0)
#= run2(A(1, 2)) => (3.0, 5.0)
#= run3(A(1, 2)) => ((3.0, 6.0), 5.0)
#### statements_effectful
def log_it(x: f32) -> () ! io = print("v {}", x)
def f(x: f32) -> f32 ! io =
    log_it(x)
    print("x = {:.2f}", x)
    emit("loss", x)
    x
def g(x: f32[n]) -> f32[n] ! {io, check} where n >= 1 =
    log_it(x[0])
    assert all(x > 0.0)
    assert n > 0, "nonempty"
    x
#= f(1.0) => 1.0
#= g(A(1, 2)) => A(1, 2)
#### comma_continues
def f(x: f32[n], y: f32[n]) -> f32 =
    fold s = 0.0 for a,
        b in zip(x, y) do
        s + a * b
def g(x: f32) -> f32 ! check =
    assert x > 0.0,
      "must be positive"
    x
#= f(A(1, 2), A(3, 4)) => 11.0
#= g(1.0) => 1.0
#### free_breaks
def f(
    x: f32[
        n,
        m
    ],
    *,
    static axis
      : int = 0,
) -> f32[
    m
] = sum(
    x
    ,
    axis
    = 0
)
def g(x: f32[n],
      y: f32[n]) -> f32[n] = (x +
  y
    - 1.0
 )
def h(x: f32[n]) -> (f32,
   f32[n]) = (sum(x),
  x
)
def i(x: f32[n, m]) -> f32[m] where (
    n >= 1
    and m >= 1
  ) = x[
    0
    , :]
#= f(np.ones((2, 3), 'f4')) => A(2, 2, 2)
#= g(A(1, 2), A(1, 2)) => A(1, 3)
#= i(A([1, 2], [3, 4])) => A(1, 2)
#### with_do
import random
def f(k: key) -> f32 =
    with rng(k) do
        let a = random.normal(fresh_key())
        let b = random.normal(fresh_key())
        a * 0.0 + b * 0.0 + 1.0
def g(x: f32) -> (f32, {failed: bool, code: i32}) =
    with checks
    do
        assert x > 0.0, "p"
        x
def h(x: f32) -> f32 =
    let (v, status) = with checks do
        assert x > 0.0
        x
    if status.failed then 0.0 else v
def i(x: f32) -> f32 = (with state s = x do
    s := s + 1.0
    s).0 + 1.0
#= f(key(1)) => 1.0
#= h(-1.0) => 0.0
#= h(2.0) => 2.0
#= i(2.0) => 4.0
#### user_effects
type Normal = {loc: f32, scale: f32}
effect sample: (static name: str, d: Normal) -> f32
effect observe: (static name: str, d: Normal, value: f32) -> ()
def model(x: f32) -> f32 ! {sample, observe} =
    let z = sample("z", {loc = x, scale = 1.0})
    observe("y", {loc = z, scale = 1.0}, 3.0)
    z * 2.0
def run(x: f32) -> f32 =
    with handler sample(name, d) -> resume(d.loc), observe(name, d, v) -> resume(()) do model(x)
def logp(x: f32) -> (f32, f32) =
    (with handler
        sample(name, d) ->
            lp := lp - 0.5 * (d.loc - 1.0) ** 2
            resume(1.0),
        observe(name, d, v) ->
            lp := lp - 0.5 * ((v - d.loc) / d.scale) ** 2
            resume(()),
        state lp = 0.0
    do model(x))
#= run(2.0) => 4.0
#= logp(2.0) => (2.0, -0.5 - 2.0)
#### decls
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
type Pair[a: Float, n] = (a[n], a[n])
type Box[*s] = {v: f32[*s], c: i32}
let golden = (1.0 + 5.0 ** 0.5) / 2.0
let N = 3
let dims = (2, 3)
static def out(n: int, k: int, stride: int) -> int = (n - k) // stride + 1
def a(p: Dense[i, o], x: f32[i]) -> f32[o] = x @ p.w + p.b
def b(p: Pair[f64, n]) -> f64[n] = p.0 + p.1
def c[a: Float](p: Pair[a, n]) -> a[n] = p.0 * p.1
def d(p: Box[n, 2]) -> f32[n, 2] = p.v
def e(p: Box[*s]) -> f32[*s] = p.v
def f() -> f32 = golden
def g(x: f32[N]) -> f32[N + 1] = concatenate((x, [1.0]))
def h(x: f32[n], static k: int, static stride: int) -> f32[out(n, k, stride)] where stride >= 1 and n >= k and k >= 1 =
    [sum(x[i * stride : i * stride + k]) for i in range(out(n, k, stride))]
def i() -> Dense[2, 3] = {b = zeros([3]), w = ones([2, 3])}
def j(ps: Dense[2, 3][n]) -> f32[n, 2, 3] = ps.w
#= a({'w': A([1, 2]), 'b': A(1, 1)}, A(3)) => A(4, 7)
#= b((np.ones(2), np.ones(2))) => np.ones(2) * 2
#= d({'v': A([1, 2]), 'c': 3}) => A([1, 2])
#= f() => 1.6180339
#= g(A(1, 2, 3)) => A(1, 2, 3, 1)
#= h(A(1, 2, 3, 4, 5), 2, 2) => A(3, 7)
#= i() => {'w': np.ones((2, 3), 'f4'), 'b': np.zeros(3, 'f4')}
#### params
def a(x: f32[k], static k: int) -> f32[k] = x * f32(k)
def b(x: f32[n], static k: int = n) -> f32[k] where k >= 0 = ones([k]) * sum(x)
def c(x: f32, y: f32 = x + 1.0) -> f32 = x * y
def d(x: f32[n], *, s: f32 = sum(x)) -> f32 = s
def e(x: f32[2 * n + 1]) -> f32[n] = x[:n]
def f(x: f32[n * m], y: f32[n]) -> f32[n, m] = reshape(x, [n, m])
def g(x: f32[n, n * m]) -> f32[m] = zeros([m])
def h(x: f32[*s, n, m], y: f32[*s, m]) -> f32[*s, n] = [0.0 for i in range(1)][0] * sum(x * 0.0, axis=-1)
def i(ix: idx[n]) -> i32 = n
def j(x: f32) ! io =
    print("{}", x)
    x
def k(x: f32[n]) = x + 1.0
def l() -> ((f32) -> f32) = fn v -> v + 1.0
def m(x: f32) -> f32 = l()(x)
def power(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else x * power(x, k - 1)
def n(x: f32) -> f32 = power(x, 5)
def o(x: f32[n], static axis: int = 0, static flag: bool = true, static name: str = "a", static d: dtype = f64, static sh: shape = [2, n], static z: size = n, static ax: axes = none, static q: int? = none, static c: complex = 1.0j, static w: float = 0.5, static tt: (int, float) = (1, 2.0)) -> d[*sh] = zeros(sh, d)
#= a(A(1, 2), 2) => A(2, 4)
#= a(A(1, 2), k=2) => A(2, 4)
#= b(A(1, 2)) => A(3, 3)
#= b(A(1, 2), 3) => A(3, 3, 3)
#= c(2.0) => 6.0
#= d(A(1, 2)) => 3.0
#= d(A(1, 2), s=5.0) => 5.0
#= e(A(1, 2, 3)) => A(1)
#= f(A(1, 2, 3, 4), A(1, 2)) => A([1, 2], [3, 4])
#= g(np.zeros((2, 6), 'f4')) => np.zeros(3, 'f4')
#= i(2, n=5) => 5
#= m(1.0) => 2.0
#= n(2.0) => 32.0
#= o(A(1, 2, 3)) => np.zeros((2, 3))
#= j(2.0) => 2.0
#### local_annot
def a(x: f32[n]) -> f32[n + 1] =
    let k = n + 1
    let y: f32[k] = zeros([k])
    y
def b(x: f32[n]) -> f32[n] =
    let f = fn (v: f32[n]) -> v * 2.0
    f(x)
def c(x: f32) -> f64 =
    let y: f64 = 1.0
    y * f64(x)
def d(x: f32) -> i64 =
    let (p, q): (i64, f32) = (3, x)
    p
#= a(A(1)) => A(0, 0)
#= d(1.0) => 3
#### private
let _c = 2.0
def _h(x: f32) -> f32 = x * _c
def f(x: f32) -> f32 = _h(x)
type _P = {a: f32}
def g(p: _P) -> f32 = p.a
#= f(2.0) => 4.0
#### effects_types
def a[e](f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(x)
def b(f: (f32) -> f32 ! {e, io}, x: f32) -> f32 ! {e, io} =
    print("calling")
    f(x)
def c(x: f32) -> ((f32) -> f32 ! io) = fn v ->
    print("v {}", v)
    v + x
def d(x: f32) -> f32 ! io = c(x)(x)
def e(x: f32) -> ((f32) -> f32) ! io =
    print("now")
    fn v -> v * x
def f(x: f32) -> f32 ! io = e(x)(x)
def g(x: f32) -> f32 ! io = b(fn v -> v, x)
def h(x: f32) -> f32 = a(fn v -> v + 1.0, x)
def i(x: f32) -> f32 ! {io, check} = x
def j(x: f32) -> f32 ! {} = x
def k(x: f32) -> f32 ! check = a(fn v ->
    assert v > 0.0
    v, x)
#= d(2.0) => 4.0
#= f(2.0) => 4.0
#= g(2.0) => 2.0
#= k(2.0) => 2.0
#### blocks_in_comprehensions
def f(x: f32[n], y: f32[m]) -> f32[n, m] = [
    let total = fold s = 0.0 for v in y do
        s + v
    total * a + b
    for a in x, b in y
]
#= f(A(1, 2), A(3, 4, 5)) => A((15, 16, 17), (27, 28, 29))
#### floats_of_a_run_under_a_name
def f(x: f64) -> f64 =
    let s = if x > 0.0 then 0.1 else -0.1
    let t = fold t = 1.0 for _ in range(3) do 0.1 * t
    (s + t) * x
#= f(2.0) => 0.202
