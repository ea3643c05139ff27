#: e = <call>
#: call = above(0.3) | above(0.5) | above(0.25 + 0.25) | above(0.5 * 0.5) | single(h) | single(i) | pair((1, 3)) | pair((2, 1)) | quick(Slow) | record({a = 2, b = 0.5}) | record({a = 1, b = 0.25}) | long(x[:2]) | long(zeros([1])) | both(0.75, 2) | both(0.25, 3)
#### condition_not_met
enum Speed = Slow | Fast
def above(static a: float) -> f32 where a > 0.5 = 1.0
def single[d: Any](v: d) -> f32 where d == f32 = 1.0
def pair(static p: (int, int)) -> f32 where p == (1, 2) = 1.0
def quick(static s: Speed) -> f32 where s == Fast = 1.0
def record(static r: {a: int, b: float}) -> f32 where r.a == 1 and r.b > 0.25 = 1.0
def long(v: f32[m]) -> f32 where m >= 3 = sum(v)
def both(static a: float, static k: int) -> f32 where a > 0.5 and k > 2 = 1.0
def f(x: f32[n], h: f16, i: i32, t: bool) -> f32 where n >= 2 = <around> #! E04
