## Module doc.

import linalg
import models.attention as attn             # c
from random import normal, split

## A dense layer.
## Second line.
type Dense[i, o] = {w: f32[i, o], b: f32[o]}            # a name
type Pair[a: Float, n] = (a[n], a[n])
type F = (A, B) -> (C) -> D ! {rand, state(s: f32), axis("i": n + 1)}
type G = ((A, B)) -> C
enum Activation = Relu | Gelu | Leaky(slope: float)
enum Act2 =
    | A
    | B
let golden = (1.0 + 5.0 ** 0.5) / 2.0
static def out(n: int, k: int, stride: int) -> int = (n - k) // stride + 1
def name[n, *s, a: Float](x: a[*s], *, static axis: axes? = none) -> a[*s] ! {rand, e} where n % 2 == 0 and n > 0 = x
def f(x: f32) ! io = print("a {}", x)
effect sample: (static name: str, d: Normal) -> f32
def g(x: f32[n]) -> f32
    where n > 3
        and n < 10 =
    let y = if x > 0 then
            a
        else
            b
    let z =
        x
        |> fn y ->
            let q = y
            q + 1
        |> h
    assert y > 0, "msg"
    s := 3
    a += 2
    print("x")
    match act with
        Relu -> x
        m.Leaky(_, (a, b)) ->
            let b = 3
            b
        -1 -> y
        (a, none) -> z
        _ -> w
def h(x: f32) =
    with handler sample(name, d) -> resume(d.loc), state s = 3 do model(x)
def loops(x: f32) =
    let a = fold (a, b): (i32, i32) = (0, 1) for _ in range(n) reverse unroll 4 do (b, a + b)
    let b = iterate x = x0 while abs(f(x)) > 1e-6 limit 50 do
        x - f(x) / grad(f)(x)
    let c = fold acc = 0.0
        for a, b in zip(x, y)
        do acc + x
    let d = [x[i, j] + 1 for i in range(n), j in range(m)]
    let e = f(x, fn y ->
            let z = y
            assert z > 0, "a"
            z, axis=1, key=
            let t = 3
            t
        )
    let f = {w = 3, b =
        let q = 3
        q, c = fn x -> fn (y, z: f32) -> fn ((a, b)) -> fn () -> x}
    let g = {p with w = 3, layer.b = u}
    let h = x.at[0, ..., ::2, 1:-1, None].set(3).0.1
    let i = -x ** -2 ** y < 3 <= not_it == 4
    let j = not a and b or not c < d
    let k = a + 1 in s or not b not in (c, d)
    x.shape
def w(x: f32) = with state s: f32 = 3 do
    s := 4
    with accum a: f32 do with rng(key) do with checks do 3
