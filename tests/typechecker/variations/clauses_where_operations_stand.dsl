#: clause = s := s + v | s := v
#: at_once = [tick(v) for v in xs] | vmap(tick)(xs) | vmap(fn v -> tick(v) + 1.0)(xs) | each(tick, xs) | each(fn v -> tick(v), xs) | all(xs) | [all([v])[0] for v in xs] | vmap(one)(xs) | [one(v) for v in xs]
#: reverse = grad(fn v -> tick(v))(x) | value_and_grad(one)(x).1 | vjp(one, x).1(1.0).0 | grad(fn v -> sum(all([v])))(x) | slope(tick, x) | slope(fn v -> tick(v), x)
#: in_order = (fold t = 0.0 for v in xs do t + tick(v)) | (scan t = 0.0 for v in xs do (tick(v), v)).0 | tick(xs[0]) + tick(xs[1]) | one(sum(xs))
#: loop = iterate s = v while s < 100.0 do s * 2.0
#: bounded = iterate s = v while s < 100.0 limit 9 do s * 2.0 | fold s = v for _ in range(3) do s * 2.0 | sin(v) | (if v > 0.0 then v else -v)
#### written
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def f(xs: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        with handler tick(v) ->
            <clause>
            resume(s)
        do
            <at_once> #! E0720
#### printed
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def f(xs: f32[n]) -> f32[n] ! io =
    with handler tick(v) ->
        print("{}", v)
        resume(v)
    do
        <at_once> #! E0721
#### printed_by_a_forwarded_operation
effect tick: (v: f32) -> f32
effect tock: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def f(xs: f32[n]) -> f32[n] ! io =
    with handler tock(v) ->
        print("{}", v)
        resume(v)
    do
        with handler tick(v) -> resume(tock(v)) do
            <at_once> #! E0721
#### looped_backwards
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def slope(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = grad(f)(x)
def f(x: f32) -> f32 ! div =
    with handler tick(v) -> resume(<loop>) do
        <reverse> #! E0805
#### at_once_and_pure
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def f(xs: f32[n]) -> f32[n] = with handler tick(v) -> resume(<bounded>) do <at_once>
#### at_once_and_read
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def f(xs: f32[n]) -> (f32[n], f32) = with state s = 2.0 do (with handler tick(v) -> resume(s * v) do <at_once>)
#### backwards_and_bounded
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def slope(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = grad(f)(x)
def f(x: f32) -> f32 = with handler tick(v) -> resume(<bounded>) do <reverse>
#### in_order_and_written
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def f(xs: f32[3]) -> (f32, f32) ! io =
    with state s = 0.0 do
        with handler tick(v) ->
            <clause>
            print("{}", v)
            resume(s)
        do <in_order>
#### at_once_outside_of_the_handler
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def f(xs: f32[n]) -> f32[n] ! {io, tick} =
    let a = <at_once>
    let b = with handler tick(v) ->
        print("{}", v)
        resume(v)
    do tick(1.0)
    a + b
