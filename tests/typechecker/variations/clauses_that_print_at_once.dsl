#: e = sum(with handler tick(v) -> resume(<clause>) do <at_once>)
#: clause = loud(v) | 2.0 * loud(v) | louder(v)
#: at_once = [tick(v) for v in x] | vmap(tick)(x) | vmap(fn v -> tick(v) + 1.0)(x) | each(tick, x) | each(fn v -> tick(v), x) | all(x) | [all([v])[0] for v in x] | [one(v) for v in x]
#### printed_at_once
effect tick: (v: f32) -> f32
def one(v: f32) -> f32 ! tick = tick(v)
def all(xs: f32[n]) -> f32[n] ! tick = [tick(v) for v in xs]
def each(f: (f32) -> f32 ! e, xs: f32[n]) -> f32[n] ! e = [f(x) for x in xs]
def loud(v: f32) -> f32 ! io =
    print("{}", v)
    v
def louder(v: f32) -> f32 ! io = loud(v + loud(v))
def f(x: f32[n], t: bool) -> f32 ! io where n >= 1 = <once> #! E0721
