#: call = bare(x, <function>) | optional(x, <function>) | optional(f = <function>, x = x) | matched(x, <function>) | open(x, <function>) | tuple(x, (<function>, 1)) | record(x, {f = <function>, k = 1}) | maybe(x, {f = <function>, k = 1}) | within(x, {f = <function>, k = 1}) | optional_tuple(x, (1, <function>)) | traced(x, (<function>, x)) | twice(x, <function>) | (with handler go(v, f) -> resume(if f == none then 0.0 else f(v)) do go(x, <function>))
#: function = first | window | fn v -> v[4] | fn v -> first(v) | last | tail | over | exactly | halved | jit(first) | (if x.size > 1 then first else second)
#: rightly = bare(x, <fitting>) | optional(x, <fitting>) | optional(f = <fitting>, x = x) | optional(x) | optional(x, if x.size > 1 then <fitting> else none) | matched(x, <fitting>) | matched(x, none) | open(x, <fitting>) | tuple(x, (<fitting>, 1)) | record(x, {f = <fitting>, k = 1}) | maybe(x, {f = <fitting>, k = 1}) | maybe(x) | within(x, {f = <fitting>, k = 1}) | within(x, {f = none, k = 1}) | optional_tuple(x, (1, <fitting>)) | traced(x, (<fitting>, x)) | twice(x, <fitting>) | twice(x) | (with handler go(v, f) -> resume(if f == none then 0.0 else f(v)) do go(x, <fitting>))
#: fitting = first | sum | fn v -> v[2] | fn v -> sum(v * x) | exactly | jit(first) | fn v -> sum(tail(v)) | grown
#: results = bare(x, y, <shorter>) | optional(x, y, <shorter>) | tuple(x, y, (<shorter>, 1)) | record(x, y, {f = <shorter>, k = 1}) | maybe(x, y, {f = <shorter>, k = 1})
#: shorter = tail | fn v -> v[1:] | fn v -> y | grad(fn v -> sum(v)) |> fn g -> fn v -> g(v)[:2]
#: silent = optional(x) | optional(x, sin) | optional(x, fn v -> v) | tuple(x, (sin, 1)) | optional_tuple(x, (none, 1)) | within(x, {f = none}) | within(x, {f = sin}) | maybe(x) | maybe(x, {f = sin})
#: loud = optional(x, shout) | tuple(x, (shout, 1)) | optional_tuple(x, (shout, 1)) | within(x, {f = shout})
#### wrong
type W[n] = {f: (f32[n]) -> f32, k: int}
type V[n] = {f: ((f32[n]) -> f32)?, k: int}
effect go: (v: f32[n], static f: ((f32[n]) -> f32)?) -> f32
def first(x: f32[n]) -> f32 where n >= 4 = x[3]
def second(x: f32[n]) -> f32 where n >= 5 = x[4]
def window(x: f32[n]) -> f32 = sum([x[i + 2] for i in range(3)])
def last(x: f32[n]) -> f32 where n == 2 = x[1]
def tail(x: f32[n]) -> f32[n - 1] = x[1:]
def over(x: f32[*s]) -> f32 = sum(sum(x, axis=1))
def exactly(x: f32[5]) -> f32 = x[4]
def halved(x: f32[2 * n]) -> f32 = sum(x)
def bare(x: f32[n], f: (f32[n]) -> f32) -> f32 = f(x)
def optional(x: f32[n], static f: ((f32[n]) -> f32)? = none) -> f32 = if f == none then sum(x) else f(x)
def matched(x: f32[n], static f: ((f32[n]) -> f32)?) -> f32 = match f with
    none -> sum(x)
    h -> h(x)
def open(x: f32[*s], static f: ((f32[*s]) -> f32)? = none) -> f32 = if f == none then sum(x) else f(x)
def tuple(x: f32[n], static w: ((f32[n]) -> f32, int)) -> f32 = f32(w.1) * w.0(x)
def record(x: f32[n], static w: W[n]) -> f32 = f32(w.k) * w.f(x)
def maybe(x: f32[n], static w: W[n]? = none) -> f32 = if w == none then sum(x) else w.f(x)
def within(x: f32[n], static w: V[n]) -> f32 =
    let f = w.f
    if f == none then sum(x) else f(x)
def optional_tuple(x: f32[n], static w: (int, ((f32[n]) -> f32)?)) -> f32 =
    let f = w.1
    if f == none then sum(x) else f(x)
def traced(x: f32[n], w: ((f32[n]) -> f32, f32[n])) -> f32 = w.0(w.1)
def twice(x: f32[n], static f: ((f32[n]) -> f32)? = none) -> f32 = optional(x, f)
def g(x: f32[3]) -> f32 = <call> #! E04

#### right
type W[n] = {f: (f32[n]) -> f32, k: int}
type V[n] = {f: ((f32[n]) -> f32)?, k: int}
effect go: (v: f32[n], static f: ((f32[n]) -> f32)?) -> f32
def first(x: f32[n]) -> f32 where n >= 3 = x[2]
def tail(x: f32[n]) -> f32[n - 1] = x[1:]
def exactly(x: f32[3]) -> f32 = x[2]
def grown[a: Float](x: a[m + 1]) -> a = sum(x)
def bare(x: f32[n], f: (f32[n]) -> f32) -> f32 = f(x)
def optional(x: f32[n], static f: ((f32[n]) -> f32)? = none) -> f32 = if f == none then sum(x) else f(x)
def matched(x: f32[n], static f: ((f32[n]) -> f32)?) -> f32 = match f with
    none -> sum(x)
    h -> h(x)
def open(x: f32[*s], static f: ((f32[*s]) -> f32)? = none) -> f32 = if f == none then sum(x) else f(x)
def tuple(x: f32[n], static w: ((f32[n]) -> f32, int)) -> f32 = f32(w.1) * w.0(x)
def record(x: f32[n], static w: W[n]) -> f32 = f32(w.k) * w.f(x)
def maybe(x: f32[n], static w: W[n]? = none) -> f32 = if w == none then sum(x) else w.f(x)
def within(x: f32[n], static w: V[n]) -> f32 =
    let f = w.f
    if f == none then sum(x) else f(x)
def optional_tuple(x: f32[n], static w: (int, ((f32[n]) -> f32)?)) -> f32 =
    let f = w.1
    if f == none then sum(x) else f(x)
def traced(x: f32[n], w: ((f32[n]) -> f32, f32[n])) -> f32 = w.0(w.1)
def twice(x: f32[n], static f: ((f32[n]) -> f32)? = none) -> f32 = optional(x, f)
def g(x: f32[3]) -> f32 = <rightly>

#### sizes_of_results
type W[n, m] = {f: (f32[n]) -> f32[m], k: int}
def tail(x: f32[n]) -> f32[n - 1] = x[1:]
def bare(x: f32[n], y: f32[m], f: (f32[n]) -> f32[m]) -> f32[m] = y + f(x)
def optional(x: f32[n], y: f32[m], static f: ((f32[n]) -> f32[m])? = none) -> f32[m] = if f == none then y else y + f(x)
def tuple(x: f32[n], y: f32[m], static w: ((f32[n]) -> f32[m], int)) -> f32[m] = y + w.0(x)
def record(x: f32[n], y: f32[m], static w: W[n, m]) -> f32[m] = y + w.f(x)
def maybe(x: f32[n], y: f32[m], static w: W[n, m]? = none) -> f32[m] = if w == none then y else y + w.f(x)
def g(x: f32[3], y: f32[2]) -> f32[2] = <results>

#### effects
def shout(u: f32) -> f32 ! io =
    print("{}", u)
    u
def optional(x: f32, static f: ((f32) -> f32 ! e)? = none) -> f32 ! e = if f == none then x else f(x)
def tuple(x: f32, static w: ((f32) -> f32 ! e, int)) -> f32 ! e = w.0(x)
def optional_tuple(x: f32, static w: (((f32) -> f32 ! e)?, int)) -> f32 ! e =
    let f = w.0
    if f == none then x else f(x)
def within(x: f32, static w: {f: ((f32) -> f32 ! e)?}) -> f32 ! e =
    let f = w.f
    if f == none then x else f(x)
def maybe(x: f32, static w: {f: (f32) -> f32 ! e}? = none) -> f32 ! e = if w == none then x else w.f(x)
def quiet(x: f32) -> f32 = <silent>
def speaks(x: f32) -> f32 ! io = <loud>

#### effects_not_declared
def shout(u: f32) -> f32 ! io =
    print("{}", u)
    u
def optional(x: f32, static f: ((f32) -> f32 ! e)? = none) -> f32 ! e = if f == none then x else f(x)
def tuple(x: f32, static w: ((f32) -> f32 ! e, int)) -> f32 ! e = w.0(x)
def optional_tuple(x: f32, static w: (((f32) -> f32 ! e)?, int)) -> f32 ! e =
    let f = w.0
    if f == none then x else f(x)
def within(x: f32, static w: {f: ((f32) -> f32 ! e)?}) -> f32 ! e =
    let f = w.f
    if f == none then x else f(x)
def speaks(x: f32) -> f32 = <loud> #! E0701
