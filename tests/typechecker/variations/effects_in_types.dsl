#: label = io | check | div | rand | accum(noted: f32) | state(last: f32) | tick
#: place = def f(y: f32[n], x: f32[<size>]) -> f32 = sum(y) | def f(y: f32[n]) -> f32[<size>] = zeros([<size>]) | def f(y: f32[n], i: idx[<size>]) -> f32 = sum(y) | def f(y: f32[n], t: {a: (f32, f32[2, <size>])}) -> f32 = sum(y) | def f(y: f32[n]) -> f32 where <size> >= 1 = sum(y) | def f(y: f32[n]) -> f32 where n >= 1 where n >= 2 and <size> >= 1 = sum(y) | def f(y: f32[n], h: (f32[<size>]) -> f32) -> f32 = sum(y) | def f(y: f32[n]) -> f32 ! state(s: f32[<size>]) = sum(s) | type T[n] = f32[<size>] | effect tell: (v: f32[<constant>]) -> f32 | def f(y: f32[n]) -> f32 = (fn (z: f32[<constant>]) -> sum(z))(zeros([<constant>])) | def f(y: f32[n]) -> f32 = sum(fold a: f32[<constant>] = zeros([<constant>]) for _ in y do a)
#: quiet = def f(y: f32[n], x: f32[<size>]) -> f32 = sum(y) | def f(y: f32[n], i: idx[<size>]) -> f32 = sum(y) | def f(y: f32[n], t: {a: (f32, f32[2, <size>])}) -> f32 = sum(y) | def f(y: f32[n]) -> f32 where <size> >= 1 = sum(y) | def f(y: f32[n], h: (f32[<size>]) -> f32) -> f32 = sum(y) | type T[n] = f32[<size>] | effect tell: (v: f32[<constant>]) -> f32
#: size = g(n) | g(n) + 1 | 2 * g(g(n)) | max(g(n), 3) | q(n)
#: constant = g(5) | 2 * g(3) + 1 | q(4)
#: pure = n | n + 1 | if n > 3 then n else 3 | n * n | max(n, 2)
#### effects_that_types_would_drop
effect tick: (v: f32) -> f32
static def g(n: int) -> int ! <label> = n
static def q(n: int) -> int ! <label> = g(n)
<quiet> #! E0703
#### effects_that_bodies_would_drop
effect tick: (v: f32) -> f32
static def g(n: int) -> int ! <label> = n
static def q(n: int) -> int ! <label> = n + 1
def f(y: f32[n]) -> f32 ! <label> =
    let z: f32[<constant>] = zeros([<constant>]) #! E0703
    sum(z)
#### functions_of_sizes_alone
effect tick: (v: f32) -> f32
static def g(n: int) -> int = <pure>
static def q(n: int) -> int = g(n)
<place>
