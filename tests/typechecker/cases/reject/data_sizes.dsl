#### two_masks_are_two_sizes
def f(x: f32[n], m: bool[n], p: bool[n]) = x[m] + x[p] #! E0401
#### two_calls_are_two_sizes
def g(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]
def f(x: f32[n]) = g(x) + g(x) #! E0401
#### selected_is_not_the_whole
def f(x: f32[n], m: bool[n]) -> f32[n] = x[m] #! E0402
#### greatest_of_perhaps_none
def f(x: f32[n], m: bool[n]) = max(x[m]) #! E0407
#### first_of_perhaps_none
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    y[0] #! E0421
#### lambda_that_selects
def f(x: f32[n], m: bool[n]) =
    let g = fn m -> x[m]
    g(m) + g(x > 0.0) #! E0426
#### without_a_bound
def f(x: f32[n]) -> f32[?k] = x[x > 0.0] #! E0427
#### beyond_the_bound
def f(x: f32[n]) -> f32[?k] where ?k <= 3 = x[x > 0.0] #! E0427
#### printed
def f(x: f32[n], m: bool[n]) -> () ! io = print("{}", x[m]) #! E0425
#### constant
let c = [1.0, 2.0, 3.0]
let d = c[c > 1.5] #! E0426
#### passed_to_any_function
static def room(n: size) -> size = if n > 8 then n else 8
def roomy(y: f32[n]) -> f32 = sum(zeros([room(n)])) + sum(y)
def h(g: f32[n] -> f32, x: f32[n]) -> f32 = g(x)
def k(x: f32[n], m: bool[n]) -> f32 = h(roomy, x[m]) #! E0425
#### named_and_passed
static def room(n: size) -> size = if n > 8 then n else 8
def roomy(y: f32[n]) -> f32 = sum(zeros([room(n)])) + sum(y)
def h(g: f32[n] -> f32, x: f32[n]) -> f32 = g(x)
def k(x: f32[n], m: bool[n]) -> f32 =
    let g = roomy #! E0425
    h(g, x[m])
#### linear_function_as_a_result
def f(x: f32[n], m: bool[n]) = vjp(fn x -> sum(x[m]), x) #! E0426
#### shape_chosen_by_a_condition_in_a_callee
static def room(n: size) -> size = if n > 8 then n else 8
def roomy(y: f32[n]) = zeros([room(n)])
def f(x: f32[n], m: bool[n]) = roomy(x[m]) #! E0425
#### callee_of_a_callee
static def room(n: size) -> size = if n > 8 then n else 8
def roomy(y: f32[n]) = zeros([room(n)])
def g(y: f32[n]) -> f32 = sum(y) + sum(roomy(y))
def f(x: f32[n], m: bool[n]) -> f32 = g(x[m]) #! E0425
#### step_of_such_a_size
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    x[::y.shape[0] + 1] #! E0425
#### decomposed
import linalg
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    linalg.cholesky(y[:, None] * y[None, :]) #! E0425
#### window_at_a_place_of_the_run
def f(x: f32[n], m: bool[n], i: i32) =
    let y = x[m]
    y[i : i + 2] #! E0425
#### selected_rows_of_a_comprehension
def f(x: f32[n], ms: bool[3, n]) = [x[m] for m in ms] #! E0426
#### selected_by_a_mapped_function
def f(x: f32[n], ms: bool[3, n]) = vmap(fn m -> x[m])(ms) #! E0426
#### carry_of_another_size
def f(x: f32[n]) = fold y = x for i in range(3) do y[y > 0.0] #! E0417
#### branches_of_two_selections
def f(x: f32[n], c: bool) = if c then x[x > 0.0] else x[x < 0.0] #! E0412
#### joined_and_whole
def f(x: f32[n], m: bool[n]) = concatenate((x[m], x[m])) + x[m] #! E0401
#### bound_of_joined
def f(x: f32[n], m: bool[n]) -> f32[?k] where ?k <= n = concatenate((x[m], x[m])) #! E0427
#### greatest_behind_another_condition
def f(x: f32[n], m: bool[n], p: bool[n]) =
    let (y, z) = (x[m], x[p])
    if y.shape[0] > 0 then max(z) else 0.0 #! E0407
#### beyond_what_a_condition_says
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    if y.shape[0] > 1 then y[2] else 0.0 #! E0421
#### on_devices
def f(x: f32[n], ms: bool[3, n]) = pmap(fn m -> sum(x[m]))(ms) #! E0426
