#: fits = k < n | n > k | not (k >= n) | k + 1 <= n | k != n | k == 0
#: wide = k <= n | k > 0 | k >= n | k != n - 1
#### narrowed_by_a_condition
def g(x: f32[n], a: idx[n]) -> f32 = x[a]
def argument(x: f32[n], k: idx[n + 1]) -> f32 where n >= 1 = if <fits> then g(x, k) else 0.0
def result(x: f32[n], k: idx[n + 1]) -> idx[n] where n >= 1 = if <fits> then k else 0
def stated(x: f32[n], k: idx[n + 1]) -> f32 where n >= 1 =
    if <fits> then
        let j: idx[n] = k
        x[j]
    else 0.0
def field(x: f32[n], k: idx[n + 1]) -> {at: idx[n], v: f32} where n >= 1 =
    if <fits> then {at = k, v = x[k]} else {at = 0, v = 0.0}
def element(x: f32[n], ks: idx[n + 1][m]) -> f32[m] where n >= 1 = [if <fits> then g(x, k) else 0.0 for k in ks]
#### not_narrowed_enough
def g(x: f32[n], a: idx[n]) -> f32 = x[a]
def argument(x: f32[n], k: idx[n + 1]) -> f32 where n >= 1 = if <wide> then g(x, k) else 0.0 #! E0303
def field(x: f32[n], k: idx[n + 1]) -> {at: idx[n], v: f32} where n >= 1 =
    if <wide> then {at = k, v = 0.0} else {at = 0, v = 0.0} #! E0303
def element(x: f32[n], ks: idx[n + 1][m]) -> f32[m] where n >= 1 = [if <wide> then g(x, k) else 0.0 for k in ks] #! E0303
def listed(x: f32[3]) -> f32[2] =
    let a: idx[5][2] = [0, 4]
    let b: idx[3][2] = a #! E0303
    x[b]
#### moved_and_narrowed
def cell(x: f32[n], q: f32) -> idx[n - 1] where n >= 2 =
    let k = searchsorted(x, q)
    if k == 0 then 0 else if k < n then k - 1 else n - 2
def before(k: idx[n + 1]) -> idx[n] where n >= 1 = if k > 0 then k - 1 else 0
def after(x: f32[n], k: idx[n]) -> idx[n] where n >= 1 = if k < n - 1 then k + 1 else k
#### moved_and_not_narrowed_enough
def cell(x: f32[n], q: f32) -> idx[n - 1] where n >= 2 =
    let k = searchsorted(x, q)
    if k == 0 then 0 else if k <= n then k - 1 else n - 2 #! E0701
def after(x: f32[n], k: idx[n]) -> idx[n] where n >= 1 = if k <= n - 1 then k + 1 else k #! E0701
