#: at = i % 4 | (i + 2 * j) % 5 | (i * i) % 4 | max(i, 3) - 3 | if i < 2 then i else 0 | (n - 1 - i) // 2 | max(i, j) - min(i, j)
#### loop_that_may_have_no_turn
def run(x: f32[m], static n: size) -> f32[n, n] = [x[<at>] for i in range(n), j in range(n)]
def empty(x: f32[0]) -> f32[0, 0] = run(x, 0)
def few(x: f32[5]) -> f32[4, 4] = run(x, 4)
#### loop_that_has_a_turn
def run(x: f32[m], static n: size) -> f32[n, n] = [x[<at>] for i in range(n), j in range(n)]
def one(x: f32[0]) -> f32[1, 1] = run(x, 1) #! E0407
#### condition_that_is_the_least
def apart(x: f32[m], static n: size) -> f32[n, n] = [x[max(i, j) - min(i, j)] for i in range(n), j in range(n)]
def two(x: f32[2]) -> f32[2, 2] = apart(x, 2)
def halves(x: f32[m], static n: size) -> f32[n] = [x[(n - 1 - i) // 2] for i in range(n)]
def half(x: f32[1]) -> f32[2] = halves(x, 2)
