#### condition_on_a_power_is_asked
def f(x: f32[n], static k: int) -> f32[n] where k >= 1 and n % 2 ** k == 0 = x
def g(x: f32[6]) -> f32[6] = f(x, 2) #! E0407
#### condition_on_bits_is_asked
def f(x: f32[n]) -> f32[n] where n & (n - 1) == 0 = x
def g(x: f32[6]) -> f32[6] = f(x) #! E0407
#### other_axis_than_the_facts_tell
def f(x: f32[n, m], static k: int) -> f32[m] where k == 1 = sum(x, axis=k) #! E0402
#### shift_by_less_than_nothing
def f(static k: int) -> f32[8 >> k] = zeros([8 >> k])
def g() -> f32 = sum(f(-1)) #! E0407
#### loop_that_leaves_its_bound
def f(next: i32[n]) -> idx[n] where n >= 1 =
    let at: idx[n] = fold at = 0 for _ in range(3) do next[at] #! E0701
    at
#### bounds_of_what_is_filled_and_updated
def blank(x: f32[n]) -> f32[3] = x[zeros([3], i32)] #! E0701
def one(x: f32[n]) -> f32[3] where n >= 1 = x[ones([3], i32)] #! E0701
def wider(x: f32[n], i: idx[n][k]) -> f32[k + 2] where n >= 2 = x[pad(i, 1, constant_values=2)] #! E0701
def below(x: f32[n], i: idx[n][k]) -> f32[k + 2] = x[pad(i, 1, constant_values=-1)] #! E0701
def updated(x: f32[n], i: idx[n][k], j: i32) -> f32[k] where k >= 1 = x[i.at[0].set(j)] #! E0701
def added(x: f32[n], i: idx[n][k]) -> f32[k] where k >= 1 = x[i.at[0].add(1)] #! E0701
def masked(x: f32[n], i: idx[n][k]) -> f32[k] where n >= 2 = x[i.at[i > 3].set(3)] #! E0701
def empty(x: f32[0]) -> f32[3] = x[zeros([3], i32)] #! E0421
#### divisors_of_signatures_are_asked
effect parts: (x: f32[n], y: f32[k]) -> f32[n] where n % k == 0
def repeated(x: f32[n], static k: int) -> f32[n] where n % k == 0 and k <= n = [x[i % k] for i in range(n)]
def rows(x: f32[n], static k: int) -> f32[n // k, k] where n % k == 0 = reshape(x, [n // k, k])
def at(x: f32[n], i: idx[n // k], y: f32[k]) -> f32 = x[i]
def a(x: f32[4]) -> f32[4] = repeated(x, -2) #! E0407
def b(x: f32[4]) = rows(x, 0) #! E0407
def c(x: f32[4], i: idx[2], y: f32[0]) -> f32 = at(x, i, y) #! E0407
def d(x: f32[4], y: f32[0]) -> f32[4] ! parts = parts(x, y) #! E0407
#### divisor_in_one_branch_of_a_type
def f(x: f32[n], static k: int, y: f32[if k >= 1 then n // k else 0]) -> f32[n] = [x[i % k] for i in range(n)] #! E0701
#### steps_that_are_no_numbers
def every(x: f32[n], static k: int) = x[::k]
def emptied(x: f32[n], static k: int) = x.at[::k].set(0.0)
def below(x: f32[n, m], static k: int) = x[:, 1::k]
def a(x: f32[4]) = every(x, 0) #! E0407
def b(x: f32[4]) = emptied(x, 0) #! E0407
def c(x: f32[n, 4]) = below(x, -1) #! E0407
def d(x: f32[n], static k: int) = if k < 0 then sum(x[::k]) else 0.0 #! E0424
def e(x: f32[n], i: i32) = x[i : i + 3 : 0] #! E0424
def f(x: f32[n], i: i32) = x[i : i + 3 : -1] #! E0424
#### loop_that_counts_below_its_bound
def f(i: idx[n]) -> idx[n] = iterate j: idx[n] = i while j >= 0 limit 9 do j - 1 #! E0701
def g(i: idx[n]) -> idx[n] = iterate j: idx[n] = i while j > 0 limit 9 do j - 2 #! E0701
#### bounds_of_the_other_part
def f(x: f32[n], y: f32[m], i: idx[n][k], j: idx[m][l]) -> f32[l, k] =
    let (a, b) = meshgrid(i, j)
    y[a] + x[b] #! E0701
def g(x: f32[n], r: {at: idx[n], of: idx[m]}) -> f32 = x[stop_gradient(r).of] #! E0701
