#### two_masks_are_two_sizes
def f(x: f32[n], m: bool[n], p: bool[n]) = x[m] + x[p] #! E0401
#### two_calls_are_two_sizes
def g(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]
def f(x: f32[n]) = g(x) + g(x) #! E0401
#### selected_in_a_comprehension
def f(x: f32[n], ms: bool[3, n]) -> f32[3] = [sum(x[m]) for m in ms] #! E0426
#### selected_is_not_the_whole
def f(x: f32[n], m: bool[n]) -> f32[n] = x[m] #! E0402
#### condition_at_compile_time
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    if y.shape[0] >= 1 then 1.0 else 0.0 #! E0425
#### greatest_of_perhaps_none
def f(x: f32[n], m: bool[n]) = max(x[m]) #! E0407
#### first_of_perhaps_none
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    y[0] #! E0421
#### backwards
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    y[::-1] #! E0425
#### joined
def f(x: f32[n], m: bool[n]) = concatenate((x[m], x[m])) #! E0425
#### lambda_that_selects
def f(x: f32[n], m: bool[n]) =
    let g = fn m -> x[m]
    g(m) + g(x > 0.0) #! E0426
#### selected_in_a_branch
def f(x: f32[n], m: bool[n], c: bool) -> f32 = if c then sum(x[m]) else 0.0 #! E0426
#### selected_in_a_loop
def f(x: f32[n], m: bool[n]) -> f32 = fold t = 0.0 for i in range(3) do t + sum(x[m]) #! E0426
#### without_a_bound
def f(x: f32[n]) -> f32[?k] = x[x > 0.0] #! E0427
#### beyond_the_bound
def f(x: f32[n]) -> f32[?k] where ?k <= 3 = x[x > 0.0] #! E0427
#### mapped
def g(x: f32[n]) -> f32 = sum(x[x > 0.0])
def f(x: f32[3, n]) -> f32[3] = vmap(g)(x) #! E0426
#### selected_by_a_callee_in_a_loop
def g(x: f32[n]) -> f32 = sum(x[x > 0.0])
def f(x: f32[3, n]) -> f32[3] = [g(r) for r in x] #! E0426
#### printed
def f(x: f32[n], m: bool[n]) -> () ! io = print("{}", x[m]) #! E0425
#### computed_size
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    zeros([2 * y.shape[0]]) #! E0425
#### constant
let c = [1.0, 2.0, 3.0]
let d = c[c > 1.5] #! E0426
#### passed_to_any_function
def h(g: f32[n] -> f32, x: f32[n]) -> f32 = g(x)
def k(x: f32[n], m: bool[n]) -> f32 = h(fn v -> sum(v), x[m]) #! E0425
#### callee_that_needs_the_size
def last_first(y: f32[n]) -> f32[n] = y[::-1]
def f(x: f32[n], m: bool[n]) = last_first(x[m]) #! E0425
#### callee_of_a_callee
def last_first(y: f32[n]) -> f32[n] = y[::-1]
def g(y: f32[n]) -> f32 = sum(last_first(y))
def f(x: f32[n], m: bool[n]) -> f32 = g(x[m]) #! E0425
#### size_of_what_is_not_kept
def f(x: f32[n], m: bool[n]) -> i32 = x[m].shape[0] #! E0426
#### static_result
def f(x: f32[n], m: bool[n]) =
    let y = x[m] #! E0425
    y.shape[0]
#### index_that_is_not_proved
def f(x: f32[n], m: bool[n], i: i32) -> f32 ! check =
    let y = x[m]
    y[i] #! E0425
#### set_at_a_mask
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    y.at[y > 1.0].set(0.0) #! E0425
#### jacobian_of_selected
def f(x: f32[n], m: bool[n]) = jacfwd(fn y -> y * y)(x[m]) #! E0425
#### linear_function_as_a_result
def f(x: f32[n], m: bool[n]) = vjp(fn x -> sum(x[m]), x) #! E0426
