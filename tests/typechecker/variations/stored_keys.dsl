#: kind = key | key[2] | {a: key, b: f32} | (f32, key) | S | S[2] | {a: S, b: f32}
#: saved = k | (k, v) | {k = k, v = 2.0 * v}
#: held = (f32) -> f32 | int | str | ((f32) -> f32, f32) | f32?
#: cell = state | accum
#: unsummed = bool | idx[3] | {a: f32, b: bool[2]} | <kind>
#### in_a_cell
def f[S: Move](s: S, k: <kind>, g: (<kind>) -> f32) -> f32 = (with state c = k do g(c)).0 #! E0613
#### in_a_cell_of_a_type
def f[S: Move](s: S, x: f32) -> f32 ! state(c: <kind>) = x #! E0613
#### in_a_cell_of_the_type_of_a_parameter
def f[S: Move](s: S, x: f32, g: (f32) -> f32 ! state(c: <kind>)) -> f32 = x #! E0613
#### saved_for_the_way_back
def f[S: Move](s: S, k: <kind>, x: f32, g: (<kind>) -> f32) -> f32 =
    let h = custom_vjp(fn (v, k) -> v, fn (v, k) -> (v, <saved>), fn (u, ct) -> (ct, ())) #! E0613
    h(x, k)
#### the_same_for_every_element
def f[S: Move](s: S, k: <kind>, x: f32[n], g: (<kind>, f32) -> f32) -> f32[n] = vmap(g, in_axes=(none, 0))(k, x) #! E0612
#### nothing_that_a_cell_holds
def f(x: f32) -> f32 ! <cell>(c: <held>) = x #! E0310
#### nothing_that_is_summed
def f[S: Move](s: S, x: f32) -> f32 ! accum(c: <unsummed>) = x #! E0319
