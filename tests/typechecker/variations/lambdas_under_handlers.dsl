#: at_once = fn v -> [ask(x) for x in v] | fn v -> vmap(fn x -> ask(x))(v) | fn v -> vmap(ask)(v) | fn v -> [x + ask(x) for x in v]
#: clean = with handler ask(v) -> resume(2.0 * v) do
#: before = let a = <clean> g(xs) | let a = <clean> jit(g)(xs) | let a = xs | let a = <clean> (fn h -> h(xs))(g)
#: call = g(xs) | jit(g)(xs) | (fn h -> h(xs))(g) | {g = g}.g(xs) | (with state t = 0.0 do g(xs)).0
#: back = fn v -> grad(fn u -> ask(u))(v) | fn v -> vjp(fn u -> ask(u), v).1(1.0).0 | fn v -> (fn w -> grad(fn u -> ask(u))(w))(v)
#: apply = vmap(fn y -> g(y), axis_name="i") | vmap(g, axis_name="i") | vmap(fn y -> jit(g)(y), axis_name="i") | vmap(fn y -> (fn h -> h(y))(g), axis_name="i")
#### lambda_whose_second_handler_writes
effect ask: (v: f32) -> f32
def f(xs: f32[n]) -> (f32[n], (f32[n], f32)) =
    let g = <at_once> #! E0720
    <before>
    let b = with state s = 0.0 do
        with handler ask(v) ->
            s := s + v
            resume(s)
        do <call>
    (a, b)
#### lambda_whose_second_handler_prints
effect ask: (v: f32) -> f32
def f(xs: f32[n]) -> (f32[n], f32[n]) ! io =
    let g = <at_once> #! E0721
    <before>
    let b = with handler ask(v) ->
            print("{}", v)
            resume(v)
        do <call>
    (a, b)
#### lambda_whose_second_handler_has_no_way_back
effect ask: (v: f32) -> f32
def f(xs: f32) -> (f32, f32) ! div =
    let g = <back> #! E0805
    <before>
    let b = with handler ask(v) -> resume(iterate x = v while x > 1.0 do 0.5 * x) do <call>
    (a, b)
#### one_of_two_handlers_around_a_given_function
effect ask: (v: f32) -> f32
def wrapped(g: (f32[n]) -> f32[n] ! ask, xs: f32[n]) -> (f32[n], (f32[n], f32)) =
    let b = with state s = 0.0 do
        with handler ask(v) ->
            s := s + v
            resume(s)
        do g(xs)
    let a = <clean> g(xs)
    (a, b)
def f(xs: f32[n]) -> (f32[n], (f32[n], f32)) = wrapped(<at_once>, xs) #! E0720
#### axes_of_the_map_around_a_call
def f(x: f32) -> (f32[2, 2], f32[3, 3]) =
    let g = fn v -> all_gather(v, "i")
    (<apply>([x, x]), <apply>([x, x, x]))
#### nearer_axis_of_a_name
def f(xs: f32[n]) -> (f32[n, 2, 2], f32[n, n]) =
    vmap(fn x -> (fn g -> (<apply>([x, x]), g(x)))(fn v -> all_gather(v, "i")), axis_name="i")(xs)
#### size_of_the_farther_axis
def f(xs: f32[n]) -> f32[n, 2, n] =
    vmap(fn x -> (fn g -> <apply>([x, x]))(fn v -> all_gather(v, "i")), axis_name="i")(xs) #! E0402
