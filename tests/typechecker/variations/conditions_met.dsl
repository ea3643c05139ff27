#: e = <call>
#: call = above(0.7) | above(0.5 + 0.25) | above(1.5 * 0.5) | above(1.0) | single(x[0]) | single(2.0 * x[1]) | pair((1, 2)) | pair((3 - 2, 2)) | quick(Fast) | record({a = 1, b = 0.5}) | record({b = 0.75, a = 2 - 1}) | long(x) | long(zeros([3])) | both(0.75, 3)
#### condition_met
enum Speed = Slow | Fast
def above(static a: float) -> f32 where a > 0.5 = 1.0
def single[d: Any](v: d) -> f32 where d == f32 = 1.0
def pair(static p: (int, int)) -> f32 where p == (1, 2) = 1.0
def quick(static s: Speed) -> f32 where s == Fast = 1.0
def record(static r: {a: int, b: float}) -> f32 where r.a == 1 and r.b > 0.25 = 1.0
def long(v: f32[m]) -> f32 where m >= 3 = sum(v)
def both(static a: float, static k: int) -> f32 where a > 0.5 and k > 2 = 1.0
def f(x: f32[n], t: bool) -> f32 where n >= 3 = <around>
