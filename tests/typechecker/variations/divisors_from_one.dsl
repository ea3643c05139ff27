#: signature = f(x: f32[n], static k: int) -> f32 where <stated> | f(x: f32[n], static k: int, h: (f32[n // k]) -> f32 = fn y -> sum(y)) -> f32 | f(x: f32[n], static k: int, static j: int = n % k) -> f32 | f(x: f32[n], static k: int, h: (f32) -> Part[n, k] = fn v -> zeros([n // k])) -> f32
#: stated = n % k == 0 | n // k <= 9 | n % k == 0 and k <= n | k <= n and n % k == 0 else "k divides n" | k == 3 or n % k == 0 | n % (2 * k) == 0 | n // (n // k) <= 9
#: call = f(x, <k>) | (fn v -> f(v, <k>))(x) | grad(fn v -> f(v, <k>))(x) | handed(x, <k>)
#: k = 1 | 2
#### divisor_of_a_signature_from_one
type Part[n, k] = f32[n // k]
def <signature> = sum(x)
def handed(x: f32[m], static k: int) = f(x, k)
def g(x: f32[4]) = <call>
