#: at_once = [tick(v) for v in xs] | vmap(fn v -> tick(v))(xs) | vmap(tick)(xs) | [0.5 * tick(v) + 1.0 for v in xs]
#: in_order = (scan _ = () for v in xs do ((), tick(v))).1 | xs * tick(1.0) | (fold y = xs for v in xs do y + tick(v))
#: pure_clause = resume(2.0 * v) | resume(tanh(v) + 1.0)
#: given = wrapped(each, xs) | wrapped(fn v -> each(v), xs) | handed(each, xs) | wrapped(f=each, xs=xs) | packed({f = each}, xs) | packed_on({f = each}, xs)
#### clause_that_writes_for_a_given_function
effect tick: (v: f32) -> f32
def each(xs: f32[n]) -> f32[n] ! tick = <at_once>
def wrapped(f: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        with handler tick(v) ->
            s := s + v
            resume(s)
        do f(xs)
def handed(g: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> (f32[n], f32) = wrapped(g, xs)
def packed(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> (f32[n], f32) = wrapped(o.f, xs)
def packed_on(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> (f32[n], f32) = packed(o, xs)
def run(xs: f32[n]) -> (f32[n], f32) = <given> #! E0720
#### clause_that_prints_for_a_given_function
effect tick: (v: f32) -> f32
def each(xs: f32[n]) -> f32[n] ! tick = <at_once>
def wrapped(f: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> f32[n] ! io =
    with handler tick(v) ->
        print("{}", v)
        resume(v)
    do f(xs)
def handed(g: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> f32[n] ! io = wrapped(g, xs)
def packed(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> f32[n] ! io = wrapped(o.f, xs)
def packed_on(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> f32[n] ! io = packed(o, xs)
def run(xs: f32[n]) -> f32[n] ! io = <given> #! E0721
#### clause_that_writes_in_order
effect tick: (v: f32) -> f32
def each(xs: f32[n]) -> f32[n] ! tick = <in_order>
def wrapped(f: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        with handler tick(v) ->
            s := s + v
            resume(s)
        do f(xs)
def handed(g: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> (f32[n], f32) = wrapped(g, xs)
def packed(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> (f32[n], f32) = wrapped(o.f, xs)
def packed_on(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> (f32[n], f32) = packed(o, xs)
def run(xs: f32[n]) -> (f32[n], f32) = <given>
#### clause_that_computes_at_once
effect tick: (v: f32) -> f32
def each(xs: f32[n]) -> f32[n] ! tick = <at_once>
def wrapped(f: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> f32[n] =
    with handler tick(v) -> <pure_clause> do f(xs)
def handed(g: (f32[n]) -> f32[n] ! tick, xs: f32[n]) -> f32[n] = wrapped(g, xs)
def packed(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> f32[n] = wrapped(o.f, xs)
def packed_on(o: {f: (f32[n]) -> f32[n] ! tick}, xs: f32[n]) -> f32[n] = packed(o, xs)
def run(xs: f32[n]) -> f32[n] = <given>
