#: part = 7 // k | 7 % k | 2 ** (k - 1) | 1 << (k - 1) | s[k - 3] | max(s[:k]) | letters("ab")[k - 3] | least(k) | countdown(k) | extent([2, 3], k - 3) | sum([a * b for (a, b) in zip(s[k:], [3])])
#: d = d(2, [1, 2], k) | listed([1, 2], [1, 2], k)
#: use = sum(x) + <d> | (fn v -> v * <d>)(x[0]) | (if <d> > 3 then x[0] else x[1]) | x[min(max(<d>, 0), 1)] | limited(x, k)
#: call = f(x, <k>) | grad(fn v -> f(v, <k>))(x)[0] | sum([f(v, <k>) for v in [x, x]])
#: k = 0
#### call_without_a_value
static def least(k: int) -> int where k > 0 = k
static def countdown(k: int) -> int = if k == 1 then 0 else countdown(k - 1)
static def d(n: int, s: ints, k: int) -> int = if n <= 0 then <part> else d(n - 1, s, k)
static def listed(t: ints, s: ints, k: int) -> int = if len(t) == 0 then <part> else listed(t[1:], s, k)
def limited(x: f32[2], static k: int) -> f32 where <d> < 100 = sum(x)
def f(x: f32[2], static k: int) -> f32 = <use>
def g(x: f32[2]) -> f32 = <call> #! E04
