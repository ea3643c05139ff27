#: held = g(v) | (fn w -> g(w))(v) | (g, 1.0).0(v) | {g = g}.g(v) | first_of((g, 1.0), v) | field_of({g = g}, v) | optional(v, g) | held(Own(g), v) | held(made(g), v) | held(if 1 < 2 then Own(g) else Id, v) | {h = Own(g)} |> fn r -> held(r.h, v) | wrapped(In(Own(g)), v) | wrapped(In(made(g)), v)
#: g = twice | fn u -> 2.0 * u | jit(twice) | fn u -> u - v
#### function_that_is_linear_in_a_rule
def slope(v: f32) -> f32 =
    let g = <g>
    <held>
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), slope(d.0)))(x)
def twice(u: f32) -> f32 = 2.0 * u
<values_that_hold_functions>
#: default = g: (f32) -> f32 = twice) -> f32 = g(v) | p: ((f32) -> f32, f32) = (twice, 1.0)) -> f32 = p.0(v) | r: {g: (f32) -> f32} = {g = twice}) -> f32 = r.g(v) | static o: ((f32) -> f32)? = twice) -> f32 = optional(v, o) | static h: Held = Own(twice)) -> f32 = held(h, v) | static h: Held = made(twice)) -> f32 = held(h, v) | static w: Wrapped = In(Own(twice))) -> f32 = wrapped(w, v)
#### default_that_is_linear_in_a_rule
def slope(v: f32, <default>
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), slope(d.0)))(x)
def twice(u: f32) -> f32 = 2.0 * u
<values_that_hold_functions>
#: own_default = g: (f32) -> f32 = twice) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), g(d.0)))(v) | r: {g: (f32) -> f32} = {g = twice}) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), r.g(d.0)))(v) | static o: ((f32) -> f32)? = twice) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), optional(d.0, o)))(v) | static h: Held = Own(twice)) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), held(h, d.0)))(v) | static w: Wrapped = In(Own(twice))) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), wrapped(w, d.0)))(v)
#### default_that_is_linear_in_its_own_rule
def f(v: f32, <own_default>
def twice(u: f32) -> f32 = 2.0 * u
<values_that_hold_functions>
#### static_argument_that_leads_elsewhere
def chosen(z: f32, static k: int = 1) -> f32 where k != 0 = if k == 0 then grad(fn w -> nextafter(w, 2.0))(z) else z
def f(z: f32, static j: int) -> f32 where j != 0 = chosen(z, j) + chosen(z, 2) + chosen(z)
#: kept = g | (g, 1.0) | {g = g} | Own(g) | In(Own(g)) | made(g) | (made(g), 1.0) | {w = In(made(g))}
#### function_that_leaves_what_is_transparent
def holding(v: f32) =
    let g = fn u -> u * v
    <kept>
def f(x: f32) -> f32 =
    let left = jit(holding)(x)
    x
<values_that_hold_functions>
#: compared = h == Id | Id != h | w == Out | h in (Id,) | Id == Id | o == none | o != none and 1 < 2 | n != none
#### variants_without_functions_that_are_compared
def square(u: f32) -> f32 = u * u
def f(x: f32, static h: Held, static w: Wrapped, static o: Held? = none, static n: ((f32) -> f32)? = none) -> f32 = if <compared> then x else 2.0 * x
<values_that_hold_functions>
#: given = g: (f32) -> f32 ! io) -> f32 ! io = custom_jvp(fn v -> g(v), fn (p, d) -> (g(p.0), 2.0 * d.0))(x) | g: (f32) -> f32) -> f32 = custom_jvp(fn v -> g(v), fn (p, d) -> (g(p.0), g(d.0)))(x) | static h: Held) -> f32 = custom_jvp(fn v -> held(h, v), fn (p, d) -> (held(h, p.0), held(h, d.0)))(x)
#### function_that_is_given_to_a_rule
def f(x: f32, <given>
<values_that_hold_functions>
#: captured = custom_jvp(given, rule)(fn v -> 2.0 * v, w) | custom_jvp(fn v -> v * r.k, fn (p, t) -> (p.0 * r.k, t.0 * r.k))(w) | custom_jvp(fn v -> r.c(v), fn (p, t) -> (r.c(p.0), r.c(t.0)))(w) | custom_jvp(given_by_variant, rule_by_variant)(w, h=r.h)
#### what_is_given_to_a_rule_beside_what_is_captured
def given(g: (f32) -> f32, v: f32) -> f32 = g(v)
def rule(p: (f32,), t: (f32,), g: (f32) -> f32) -> (f32, f32) = (g(p.0), t.0 * 2.0)
def given_by_variant(v: f32, static h: Held) -> f32 = held(h, v)
def rule_by_variant(p: (f32,), t: (f32,), static h: Held) -> (f32, f32) = (held(h, p.0), held(h, t.0))
def by_rule(w: f32) -> f32 =
    let r = {g = fn v -> v * w, h = Own(fn v -> 2.0 * v), c = fn v -> 3.0 * v, k = 2.0}
    <captured>
def f(u: f32) -> f32 = grad(by_rule)(u)
<values_that_hold_functions>
#: leaves = tree(0) | tree(3) | Node(tree(1), Leaf(twice)) | chosen
#### function_that_is_linear_in_a_tree
enum Tree = Leaf(g: (f32) -> f32) | Node(l: Tree, r: Tree)
def twice(u: f32) -> f32 = 2.0 * u
static def tree(static k: int) -> Tree = if k == 0 then Leaf(twice) else Node(tree(k - 1), tree(k - 1))
def run(x: f32, static t: Tree) -> f32 =
    match t with
        Leaf(g) -> g(x)
        Node(l, r) -> run(x, l) + run(x, r)
def f(x: f32, static k: size) -> f32 =
    let chosen = if k == 0 then Leaf(twice) else tree(2)
    custom_jvp(sin, fn (p, d) -> (sin(p.0), run(d.0, <leaves>)))(x)
