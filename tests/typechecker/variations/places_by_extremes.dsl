#: magnitude = x[abs(i)] | x[i32(abs(i))] | x[abs(i) + 0] | (if abs(i) >= 0 then x[i32(abs(i))] else 0.0) | sum([x[abs(i)] for _ in range(2)])
#: near = abs(i - j) | maximum(i - j, j - i) | minimum(i, j) | min(i, n - 1 - j) | clip(i - j, 0, n - 1) | abs(j - i) | (i + j) // 2 | abs(i - j) // 2 * 2 | max(i, j) - min(i, j)
#: far = abs(i - j) + 1 | maximum(i - j, j - i + 1) | (i + j + 2) // 2 | abs(i - 2 * j)
#: middle = (lo + hi) // 2 | lo // 4 * 4 | hi // 3 | min(lo, hi)
#: beyond = (lo + hi + 2) // 2 | lo // 4 * 4 + 4 | (3 * lo + hi) // 3 | max(lo, hi) + 1
#: kept = where(c, <middle>, lo) | (if c then <middle> else hi) | max(<middle>, lo) | [lo, <middle>][1] | (hi, <middle>).1
#: lost = where(c, <beyond>, lo) | (if c then <beyond> else hi) | max(<beyond>, lo) | [lo, <beyond>][1] | (hi, <beyond>).1
#### places_within
def f(x: f32[n]) -> f32[n, n] = [[x[<near>] for j in range(n)] for i in range(n)]
#### places_of_a_literal_range_within
def f(x: f32[3]) -> f32[5] = [x[minimum(i, 4 - i)] + x[abs(2 - i)] for i in range(5)]
#### places_beyond
def f(x: f32[n]) -> f32[n, n] = [[x[<far>] for j in range(n)] for i in range(n)] #! E0701
#### places_that_reach_beyond
def f(x: f32[n]) -> f32[n, n] = [[x[min(i + 1, n + j)] for j in range(n)] for i in range(n)] #! E0421
#### bounds_of_a_middle
def f(lo: idx[n], hi: idx[n], c: bool, static n: size) -> idx[n] = <kept>
#### bounds_beyond_a_middle
def f(lo: idx[n], hi: idx[n], c: bool, static n: size) -> idx[n] = <lost> #! E0701
#### magnitudes_that_wrap_around
def f(x: f32[256], i: i8) -> f32 = <magnitude> #! E0701
