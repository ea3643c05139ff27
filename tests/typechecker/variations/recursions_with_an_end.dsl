#: e = <call>
#: call = odd(4, t) | past(x[0], -3) | odd(2 * 3, t) | defaulted(x[0]) | handed(sin, 2) | by_pair((3, 1), t) | by_record({b = 1, a = 3}, t) | by_form(Fine(4)) | by_list([1], t) | growing(zeros([3])) | one(3, t) | led(4, t)
#### recursion_with_an_end
enum Form = Coarse | Fine(order: int)
static def longer(s: ints) -> ints = s + [1]
def odd(static k: int, t: bool) -> f32 = if k == 0 then 0.0 else if t then odd(k - 2, t) else 1.0
def past(v: f32, static k: int) -> f32 = if k > 0 then v else past(2.0 * v, k + 1)
def defaulted(v: f32, static k: int = 4) -> f32 = if k == 0 then v else defaulted(v, k - 2)
def handed(g: (f32) -> f32, static k: int) -> f32 = if k == 0 then g(1.0) else handed(fn q -> g(g(q)), k - 2)
def by_pair(static p: (int, int), t: bool) -> f32 = if p.0 == 0 then 1.0 else by_pair((p.0 - p.1, p.1), t)
def by_record(static r: {a: int, b: int}, t: bool) -> f32 =
    if r.a == 0 then 1.0 else by_record({a = r.a - r.b, b = r.b}, t)
def by_form(static form: Form) -> f32 = match form with
    Coarse -> 1.0
    Fine(k) -> by_form(if k == 0 then Coarse else Fine(k - 2))
def by_list(static s: ints, t: bool) -> f32 = if len(s) == 9 then 1.0 else by_list(longer(s), t)
def growing(v: f32[m]) -> f32 = if m > 99 then 0.0 else growing(concatenate((v, v)))
def one(static k: int, t: bool) -> f32 = if k == 0 then 0.0 else 2.0 * other(k - 1, t)
def other(static k: int, t: bool) -> f32 = if k == 0 then 1.0 else one(k - 1, t)
def led(static k: int, t: bool) -> f32 = sin(odd(k, t))
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around>
