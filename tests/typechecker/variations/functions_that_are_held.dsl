#: held = g(v) | (fn w -> g(w))(v) | (g, 1.0).0(v) | {g = g}.g(v) | first_of((g, 1.0), v) | field_of({g = g}, v) | optional(v, g) | held(Own(g), v) | held(made(g), v) | held(if 1 < 2 then Own(g) else Id, v) | {h = Own(g)} |> fn r -> held(r.h, v) | wrapped(In(Own(g)), v) | wrapped(In(made(g)), v)
#: g = square | fn u -> u * u | jit(square) | fn u -> u * v | abs | fn u -> u + 1.0
#### function_that_is_not_linear_in_a_rule
def slope(v: f32) -> f32 =
    let g = <g>
    <held>
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), slope(d.0)))(x) #! E0817
def square(u: f32) -> f32 = u * u
<values_that_hold_functions>
#: default = g: (f32) -> f32 = square) -> f32 = g(v) | p: ((f32) -> f32, f32) = (square, 1.0)) -> f32 = p.0(v) | r: {g: (f32) -> f32} = {g = square}) -> f32 = r.g(v) | static o: ((f32) -> f32)? = square) -> f32 = optional(v, o) | static h: Held = Own(square)) -> f32 = held(h, v) | static h: Held = made(square)) -> f32 = held(h, v) | static w: Wrapped = In(Own(square))) -> f32 = wrapped(w, v)
#### default_that_is_not_linear_in_a_rule
def slope(v: f32, <default>
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), slope(d.0)))(x) #! E0817
def square(u: f32) -> f32 = u * u
<values_that_hold_functions>
#: own_default = g: (f32) -> f32 = square) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), g(d.0)))(v) | r: {g: (f32) -> f32} = {g = square}) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), r.g(d.0)))(v) | static o: ((f32) -> f32)? = square) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), optional(d.0, o)))(v) | static h: Held = Own(square)) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), held(h, d.0)))(v) | static w: Wrapped = In(Own(square))) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), wrapped(w, d.0)))(v)
#### default_that_is_not_linear_in_its_own_rule
def f(v: f32, <own_default> #! E0817
def square(u: f32) -> f32 = u * u
<values_that_hold_functions>
#: choice = if k == 0 then grad(fn w -> nextafter(w, 2.0))(z) else z | if 0 < k then z else grad(fn w -> nextafter(w, 2.0))(z)
#: before = 0.0 * chosen(z, j) | 0.0
#### static_argument_that_leads_to_an_operation_without_a_derivative
def chosen(z: f32, static k: int) -> f32 = <choice> #! E0803
def f(z: f32, static j: int) -> f32 = <before> + chosen(z, 0)
#### default_that_leads_to_an_operation_without_a_derivative
def chosen(z: f32, static k: int = 0) -> f32 = <choice> #! E0803
#: kept = g | (g, 1.0) | {g = g} | Own(g) | In(Own(g)) | made(g) | (made(g), 1.0) | {w = In(made(g))}
#: leaving = checkpoint(holding)(x) | vmap(holding, out_axes=none)([x]) | grad(fn v -> (v, holding(v)), has_aux=true)(x) | custom_vjp(fn v -> v, fn v -> (v, holding(v)), fn (s, ct) -> (ct,))(x)
#### function_that_leaves_a_transformation
def holding(v: f32) =
    let g = fn u -> u * v
    <kept>
def f(x: f32) -> f32 =
    let left = <leaving> #! E0819
    x
<values_that_hold_functions>
#: compared = g == square | (g, 1) == (square, 1) | h == Own(square) | Own(square) == h | Own(square) == Own(square) | h != Own(g) | h in (Id, Own(g)) | (h, 1) == (h, 1) | In(h) == w | w == w | w != In(Id)
#### functions_that_are_compared
def square(u: f32) -> f32 = u * u
def f(x: f32, g: (f32) -> f32, static h: Held, static w: Wrapped) -> f32 = if <compared> then x else 2.0 * x #! E0315
<values_that_hold_functions>
#: given = g: (f32) -> f32 ! io) -> f32 ! io = custom_jvp(fn v -> g(v), fn (p, d) -> (g(p.0), g(d.0)))(x) | r: {g: (f32) -> f32 ! io}) -> f32 ! io = custom_jvp(fn v -> r.g(v), fn (p, d) -> (r.g(p.0), r.g(d.0)))(x) | static o: ((f32) -> f32 ! io)? = none) -> f32 ! io = custom_jvp(fn v -> if o != none then o(v) else v, fn (p, d) -> (p.0, if o != none then o(d.0) else d.0))(x) | static h: Printing) -> f32 ! io = custom_jvp(fn v -> printing(v, h), fn (p, d) -> (printing(p.0, h), printing(d.0, h)))(x) | g: (f32) -> f32 ! io) -> f32 ! io = custom_jvp(fn v -> g(v), fn (p, d) -> (g(p.0), jit(fn u -> g(u))(d.0)))(x)
#### function_of_python_in_a_rule
enum Printing = Aloud(g: (f32) -> f32 ! io) | Silent
def printing(v: f32, static h: Printing) -> f32 ! io =
    match h with
        Aloud(g) -> g(v)
        Silent -> v
def f(x: f32, <given> #! E0817
#: captured = custom_jvp(given, rule)(fn v -> v * w, x) | custom_jvp(given, rule)(made_of(w), x) | vmap(fn u -> custom_jvp(given, rule)(fn v -> v * w, u))([x])[0] | custom_jvp(fn v -> r.g(v), fn (p, t) -> (r.g(p.0), 2.0 * t.0))(x) | custom_jvp(fn v -> v * r.k, fn (p, t) -> (p.0, held(r.h, t.0)))(x) | custom_jvp(given_by_variant, rule_by_variant)(x, h=r.h)
#### captured_by_what_is_given_to_a_rule
def given(g: (f32) -> f32, v: f32) -> f32 = g(v)
def rule(p: (f32,), t: (f32,), g: (f32) -> f32) -> (f32, f32) = (g(p.0), t.0 * 2.0)
def given_by_variant(v: f32, static h: Held) -> f32 = held(h, v)
def rule_by_variant(p: (f32,), t: (f32,), static h: Held) -> (f32, f32) = (held(h, p.0), t.0)
def made_of(w: f32) -> (f32) -> f32 = fn v -> v * w
def by_rule(w: f32, x: f32) -> f32 =
    let r = {g = fn v -> v * w, h = Own(fn v -> v * w), k = 2.0}
    <captured>
def f(u: f32, x: f32) -> f32 = grad(by_rule)(u, x) #! E0818
<values_that_hold_functions>
#: leaves = tree(0) | tree(3) | Node(tree(1), Leaf(square)) | Node(Leaf(twice), tree(0)) | Node(Leaf(twice), mirrored(1))
#### function_that_is_not_linear_in_a_tree
enum Tree = Leaf(g: (f32) -> f32) | Node(l: Tree, r: Tree)
def square(u: f32) -> f32 = u * u
def twice(u: f32) -> f32 = 2.0 * u
static def tree(static k: int) -> Tree = if k == 0 then Leaf(square) else Node(Leaf(twice), tree(k - 1))
static def mirrored(static k: int) -> Tree = if k == 0 then Leaf(square) else Node(mirrored(k - 1), mirrored(k - 1))
def run(x: f32, static t: Tree) -> f32 =
    match t with
        Leaf(g) -> g(x)
        Node(l, r) -> run(x, l) + run(x, r)
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), run(d.0, <leaves>)))(x) #! E0817
