#: first = k == n | n == k | k - n == 0 | 2 * k == 2 * n | k >= n and k <= n | not (k != n)
#: second = k == m | m == k | k + 1 == m + 1 | m <= k and k <= m | not (k < m or k > m)
#: use = x + y | where(x > 0.0, x, y) | x * 2.0 - y | stack((x, y))[0]
#: meet = x + y | x * 2.0 - y | stack((x, y))[0]
#: fits = 0 <= k and k < n | k >= 0 and n > k | not (k < 0 or k >= n) | 0 <= k < n | k == 0 and n > k
#: index = k | n - 1 - k | k // 2 | k % n
#: last = x[n - 1] | max(x) | x[0] | x[-1] | sum(x[1:])
#: empty = for v in x | for i in range(n)
#### branch
def f(x: f32[n], y: f32[m], k: i32) -> f32[n] = if <first> and <second> then <use> else x #! E04
#### branches
def f(x: f32[n], y: f32[m], k: i32) -> f32[n] =
    if <first> then
        (if <second> then <use> else x) #! E04
    else x
#### otherwise
def f(x: f32[n], y: f32[m], k: i32) -> f32[n] =
    if not (<first> and <second>) then x else <use> #! E04
#### loop
def f(x: f32[n], y: f32[m], k: i32) -> f32[n] =
    iterate x = x while <first> and <second> limit 3 do <use> #! E04
#### assertion
def f(x: f32[n], y: f32[m], k: i32) -> f32[n] ! check =
    assert <first>
    assert <second>
    <use> #! E04
#### interval
def f(x: f32[n], k: i32) -> f32 = if <fits> then x[<index>] else 0.0
#### interval_asserted
def f(x: f32[n], k: i32) -> f32 ! check =
    assert <fits>
    x[<index>]
#### interval_in_a_loop
def f(x: f32[n], k: i32) -> f32 =
    let (s, _) = iterate (s, k) = (0.0, k) while <fits> limit 3 do (s + x[<index>], k + 1)
    s
#### equation_of_sizes
def f(x: f32[n], y: f32[m]) -> f32[n] where n == m = <meet>
#### static_equation
def f(x: f32[n], y: f32[m], static k: int) -> f32[n] = if <first> and <second> then <meet> else x
#### body_of_a_loop_over_nothing
def f(x: f32[n]) -> f32 = fold s = 0.0 <empty> do s + <last>
def g(x: f32[0]) -> f32 = f(x) #! E0407
#### body_of_a_comprehension_over_nothing
def f(x: f32[n]) -> f32[n] = [<last> <empty>]
def g(x: f32[0]) -> f32[0] = f(x) #! E0407
#### body_of_a_loop_over_something
def f(x: f32[n]) -> f32[n] = [<last> <empty>]
def g(x: f32[m + 1]) -> f32[m + 1] = f(x)
