#: params = static d: dtype?, static q: {d: dtype, k: int}, static p: Precision, static t: (dtype?, int), static k: int
#: chosen = if k < 2 then f32 else f64 | if k < 2 then q.d else f16 | picked(k) | repeated(k) | q.d
#: other = if k > 3 then f32 else f64 | picked(k + 1) | repeated(k + 1) | f32 | x.dtype
#: array = cast(x, <of>) | zeros([n], <of>) | full([n], 1, <of>)
#: counted = count_nonzero(cast(x, <of>)) | count_nonzero(zeros([n], <of>)) | count_nonzero(where(true, cast(x, <of>), zeros([n], <of>)))
#: of = d | t.0
#### dtypes_that_are_there
enum Precision = Full | At(d: dtype) | Both(o: (dtype, int))
def optional(x: f32[n], static d: dtype? = none, static t: (dtype?, int) = (none, 1)) -> i32 =
    if d == none or t.0 == none then 0 else <counted>
def stated(x: f32[n], static d: dtype?, static t: (dtype?, int)) -> i32 where d != none and t.0 != none = <counted>
def met(x: f32[n], static p: Precision) -> i32 = match p with
    Full -> n
    At(d) ->
        let y: d[n] = d(x)
        count_nonzero(y)
    Both(o) -> count_nonzero(cast(x, o.0))
def called(x: f32[n]) -> i32 = optional(x, f16) + optional(x) + met(x, At(bool)) + met(x, Both((f64, 1))) + stated(x, i8, (c64, 1))
#### dtypes_that_are_chosen
enum Precision = Full | At(d: dtype)
static def picked(k: int) -> dtype = if k == 0 then f32 else f64
static def repeated(k: int) -> dtype = if k <= 0 then f32 else repeated(k - 1)
def f(x: f32[n], <params>) = where(true, cast(x, <chosen>), zeros([n], <chosen>))
def g(x: f32[n]) -> f32[n] = f(x, none, {d = f32, k = 1}, Full, (none, 1), 0) * 0.0 + x
def h(x: f32[n]) -> f32[n] = f32(f(x, none, {d = f32, k = 1}, Full, (none, 1), 3))
#### dtypes_that_may_differ
enum Precision = Full | At(d: dtype)
static def picked(k: int) -> dtype = if k == 0 then f32 else f64
static def repeated(k: int) -> dtype = if k <= 0 then f32 else repeated(k - 1)
def f(x: f32[n], <params>) = where(true, zeros([n], q.d), cast(x, <other>)) #! E0302
def g(x: f32[n], <params>) -> f32[n] where d != none = where(true, cast(x, d), cast(x, <other>)) #! E0302
#### dtypes_that_may_be_missing
def f(x: f32[n], static d: dtype?, static t: (dtype?, int)) -> i32 = <counted> #! E0303
