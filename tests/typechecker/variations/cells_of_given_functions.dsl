#: made = <named> | fn v -> use(v)
#: named = use | jit(use) | grad(use) | {f = use, k = 1}.f | (use, 1).0 | if true then use else use
#: around = run(<made>, x) | (with state s = <cell> do run(<named>, x)).0
#: cell = ones([3]) | ones([4]) | true | {a = x}
#: four = state(s: f32[4]) | state(s: f32) | state(s: f32[3, 1])
#### cells_of_given_functions_of_another_type
def use(v: f32) -> f32 ! state(s: f32[4]) = v * sum(s)
def run(f: (f32) -> f32 ! state(s: f32[3]), x: f32) -> (f32, f32[3]) = with state s = ones([3]) do f(x)
def go(x: f32) -> (f32, f32[3]) = <around> #! E0402
#### cells_of_given_functions_of_the_type
def use(v: f32) -> f32 ! state(s: f32[3]) = v * sum(s)
def run(f: (f32) -> f32 ! state(s: f32[3]), x: f32) -> (f32, f32[3]) = with state s = ones([3]) do f(x)
def go(x: f32) -> (f32, f32[3]) = <around>
#### cells_of_given_functions_whose_sizes_calls_tell
def use(v: f32) -> f32 ! state(s: f32[n]) = v * sum(s)
def run(f: (f32) -> f32 ! state(s: f32[m]), x: f32, w: f32[m]) -> (f32, f32[m]) = with state s = w do f(x)
def go(x: f32) -> (f32, f32[3]) = run(<named>, x, ones([3]))
def with_rest(x: f32) -> (f32, f32[2]) = with state s = ones([2]) do run(<named>, x, ones([5])).0
#### indices_in_cells_of_given_functions
def run(f: (f32) -> f32 ! state(at: idx[m]), w: f32[m], first: idx[m]) -> (f32, idx[m]) = with state at: idx[m] = first do f(0.0)
def third(v: f32) -> f32 ! state(at: idx[2]) = [1.0, 2.0][at] + v
def go(w: f32[5]) -> (f32, idx[5]) = run(third, w, 4) #! E0303
def by_lambda(w: f32[5], y: f32[2]) = with state at: idx[2] = 0 do run(fn v -> y[at], w, 4) #! E0303
#### cells_of_functions_that_are_held
type R = {f: (f32) -> f32 ! state(s: f32[3])}
def use(v: f32) -> f32 ! <four> = v
def run(r: R, x: f32) -> (f32, f32[3]) = with state s = ones([3]) do r.f(x)
def go(x: f32) -> (f32, f32[3]) = run({f = use}, x) #! E0402
#### axes_of_given_functions_of_another_size
def mine(w: f32[n]) -> f32 ! axis("i": n) = w[axis_index("i")]
def each(f: (f32[n]) -> f32 ! axis("i": n), ws: f32[n, n]) -> f32[n] = vmap(f, axis_name="i")(ws)
def loose(f: (f32[n]) -> f32 ! axis("i"), ws: f32[m, n]) -> f32[m] = vmap(f, axis_name="i")(ws)
def wide(f: (f32[n]) -> f32 ! axis("i": n), ws: f32[m, n]) -> f32[m] = vmap(f, axis_name="i")(ws) #! E0401
def go(ws: f32[2, 3, 2]) -> f32[2, 3] = vmap(fn w -> loose(mine, w), axis_name="i")(ws) #! E0810
def by_lambda(ws: f32[2, 3, 3]) =
    let g = fn v -> dot(all_gather(sum(v), "i"), ones([2])) #! E0401
    vmap(fn w -> each(g, w), axis_name="i")(ws)
#### axes_of_given_functions_of_the_size
def mine(w: f32[n]) -> f32 ! axis("i": n) = w[axis_index("i")]
def each(f: (f32[n]) -> f32 ! axis("i": n), ws: f32[n, n]) -> f32[n] = vmap(f, axis_name="i")(ws)
def go(ws: f32[2, 2]) -> f32[2] = each(mine, ws)
def inside(ws: f32[4, 3, 3]) -> f32[4, 3] = vmap(fn w -> each(mine, w), axis_name="i")(ws)
def by_lambda(ws: f32[2, 3, 3]) =
    let g = fn v -> dot(all_gather(sum(v), "i"), ones([3]))
    vmap(fn w -> each(g, w), axis_name="i")(ws)
