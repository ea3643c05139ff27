#: e = (if <fits> then x[<index>] else 0.0) | (if t and <fits> then x[<index>] else x[0])
#: fits = 0 <= k and k < n | k >= 0 and n > k | not (k < 0 or k >= n) | 0 <= k < n
#: index = k | n - 1 - k | k // 2
#### index_within_facts
def f(x: f32[n], k: i32, t: bool) -> f32 where n >= 1 = <around>
