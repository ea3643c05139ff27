#### record_parameter
def f(p: {x: f32, y: f32}) -> f32 = p.x * p.y
#### record_field_order
def g(p: {x: f32, y: f32}) -> f32 = p.x - p.y
def f(a: f32) -> f32 = g({y = a, x = 1.0})
#### alias_with_parameters
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b
def mlp(p: {first: Dense[d, h], last: Dense[h, c]}, x: f32[n, d]) -> f32[n, c] =
    dense(p.last, tanh(dense(p.first, x)))
#### alias_of_alias
type Vec[n] = f32[n]
type Cloud[n] = {points: Vec[n], weight: f32}
def f(c: Cloud[k]) -> Vec[k] = c.points * c.weight
#### alias_with_dtype_parameter
type Complex[a: Float, n] = {re: a[n], im: a[n]}
def modulus[a: Float](z: Complex[a, n]) -> a[n] = sqrt(z.re ** 2 + z.im ** 2)
def f(z: Complex[f64, 3]) -> f64[3] = modulus(z)
#### alias_with_shape_parameter
type Stats[*s] = {mean: f32[*s], var: f32[*s]}
def stats(x: f32[n, *s]) -> Stats[*s] = {mean = mean(x, axis=0), var = var(x, axis=0)}
#### leading_axes_on_an_alias
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def deep(layers: Dense[d, d][k], x: f32[d]) -> f32[d] =
    fold h = x for layer in layers do tanh(h @ layer.w + layer.b)
#### index_into_many
type P[d] = {w: f32[d], b: f32}
def f(ps: P[d][n], i: idx[n]) -> P[d] = ps[i]
#### field_of_many
type P[d] = {w: f32[d], b: f32}
def f(ps: P[d][n]) -> f32[n, d] = ps.w + ps.b[:, None]
#### leading_axis_of_an_array
def f(x: f32[d][n]) -> f32[n, d] = x
#### tuple_of_layers
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def forward(layers: (Dense[a, b], Dense[b, c], Dense[c, d]), x: f32[a]) -> f32[d] =
    fold h = x for layer in layers do h @ layer.w + layer.b
#### record_update
type P[d] = {w: f32[d], b: f32}
def f(p: P[d]) -> P[d] = {p with w = 2.0 * p.w, b = 0.0}
#### nested_update
type Net = {a: {w: f32, b: f32}, c: f32}
def f(p: Net) -> Net = {p with a.w = p.c, c = p.a.b}
#### vector_space
type P[d] = {w: f32[d], b: f64}
def step(p: P[d], g: P[d], lr: f32) -> P[d] = p - tree_map(fn x -> cast(lr, x.dtype) * x, g)
def momentum(p: P[d], m: P[d], g: P[d]) -> (P[d], P[d]) =
    let v = 0.9 * m + g
    (p - v / 10.0, -v)
#### generic_optimiser
def sgd[P: VSpace[f32]](p: P, g: P, lr: f32) -> P = p - lr * g
def f(p: {w: f32[n], b: f32}, g: {w: f32[n], b: f32}) -> {w: f32[n], b: f32} = sgd(p, g, 0.1)
#### adam
type Adam[d] = {m: f32[d], v: f32[d], t: i32}
def adam(x: f32[d], g: f32[d], s: Adam[d], lr: f32) -> (f32[d], Adam[d]) =
    let t = s.t + 1
    let m = 0.9 * s.m + 0.1 * g
    let v = 0.999 * s.v + 0.001 * g ** 2
    let mhat = m / (1.0 - 0.9 ** f32(t))
    let vhat = v / (1.0 - 0.999 ** f32(t))
    (x - lr * mhat / (sqrt(vhat) + 1e-8), {m = m, v = v, t = t})
#### tree_map_of_two
type P[d] = {w: f32[d], b: f32}
def decay(p: P[d], g: P[d]) -> P[d] = tree_map(fn (a, b) -> a - 0.1 * b, p, g)
#### tree_variable
def second[T: Tree](a: T, b: T) -> T = b
def f(x: f32[n]) -> ((f32[n], i32), f32) = (second((x, 1), (x, 2)), second(1.0, 2.0))
#### record_of_functions
def f(x: f32) -> f32 =
    let ops = {up = fn (v: f32) -> v + 1.0, down = fn (v: f32) -> v - 1.0}
    ops.up(x) * ops.down(x)
#### method_on_record_is_field_first
def gain(p: {w: f32}) -> f32 = p.w
def f(x: f32) -> f32 =
    let p = {w = x, act = fn (v: f32) -> v * 2.0}
    p.act(x) + {w = x}.gain()
#### unit_field
def f(p: {a: (), b: f32}) -> f32 = p.b
#### record_inside_a_fold
def f(xs: f32[n]) -> {sum: f32, count: i32} =
    fold s = {sum = 0.0, count = 0} for x in xs do {sum = s.sum + x, count = s.count + 1}
#### records_in_comprehension
def f(xs: f32[n]) -> {v: f32, w: f32[2]}[n] = [{v = x, w = [x, 2.0 * x]} for x in xs]
#### tuples_in_comprehension
def f(xs: f32[n]) -> (f32[n], f32[n]) = [(sin(x), cos(x)) for x in xs]
#### enum_with_fields_of_kinds
enum Init = Zeros | Constant(v: float) | Named(name: str, size: int)
def f(static i: Init, x: f32[n]) -> f32[n] =
    match i with
        Zeros -> zeros([n])
        Constant(v) -> zeros([n]) + v
        Named(_, k) -> x * k
#### array_of_pairs
def f(ps: (f32, i32)[n]) -> f32 = fold s = 0.0 for (x, k) in ps do s + x * f32(k)
#### record_equality_of_spelling
type A = {x: f32, y: f32[3]}
def f(a: A) -> {y: f32[3], x: f32} = a
#### patterns_inside_patterns_cover_all
enum Act = Relu | Leaky(slope: float, cut: int)
enum Pair = Two(first: Act, second: Act)
def a(x: f32, static p: (Act, bool)) -> f32 = match p with
    (Leaky(1.0, _), _) -> x
    (Relu, _) -> 2.0 * x
    (Leaky(s, _), true) -> s * x
    (_, false) -> x
def b(x: f32, static p: Pair) -> f32 = match p with
    Two(Relu, _) -> x
    Two(Leaky(_, 1), Relu) -> x
    Two(Leaky(_, _), Leaky(_, _)) -> x
    Two(_, Relu) -> x
def c(x: f32, static p: (int, bool)?) -> f32 = match p with
    none -> x
    (1, true) -> x
    (_, false) -> x
    (_, true) -> x
#### numbers_in_a_record_give_way_to_values
type Best = {at: i32, value: f32}
def f(x: f32[n], at: i32) -> Best where n >= 1 =
    let best = {at = 0, value = 0.0}
    {best with at = at, value = x[0]}
def g(x: f64) -> {a: f64, b: f64} =
    let r = {a = 1.0, b = 2.0}
    {r with b = x}
def h(x: f32[n], i: idx[n]) -> f32 =
    let p = {best = {at = 0, found = true}, k = 3}
    let q = {p with best.at = i, best.found = x[0] > 0.0}
    if q.best.found then x[q.best.at] + sum(ones([q.k])) else 0.0
def k(x: f32[n]) -> (f32, f32) where n >= 1 =
    let p = {best = 0.0, least = 0.0}
    let q = if x[0] > 0.0 then {p with best = x[0]} else p
    (q.best, q.least)
#### static_fields_after_an_update
def f() -> f32[4, 2] =
    let c = {width = 3, depth = 2}
    let d = {c with width = 4}
    ones([d.width, d.depth])
#### types_of_types
type Net[h] = {w: f32[h, 3], b: f32[h]}
type Adam[P: VSpace] = {m: P, v: P, t: i32}
type Train[P: VSpace] = {net: P, opt: Adam[P]}
def start[P: VSpace](p: P) -> Train[P] = {net = p, opt = {m = 0.0 * p, v = 0.0 * p, t = 0}}
def update[P: VSpace[f32]](s: Train[P], g: P, lr: f32) -> Train[P] =
    let m = 0.9 * s.opt.m + 0.1 * g
    {s with net = s.net - lr * m, opt.m = m, opt.t = s.opt.t + 1}
def loss(p: Net[h], x: f32[3]) -> f32 = sum(p.w @ x + p.b)
def fit(p: Net[h], xs: f32[k, 3]) -> (Train[Net[h]], f32[k]) =
    scan s: Train[Net[h]] = start(p) for x in xs do
        let (v, g) = value_and_grad(loss)(s.net, x)
        (update(s, g, 0.1), v)
def many(ps: Net[h][e]) -> Train[Net[h]][e] = vmap(fn (p: Net[h]) -> start(p))(ps)
#### types_of_several_types
type Pair[A, B] = {first: A, second: B}
def swap(p: Pair[f32[n], i32]) -> Pair[i32, f32[n]] = {first = p.second, second = p.first}
def nest(p: Pair[(f32, f32[n]), key]) -> f32[n] = p.first.1
#### types_of_vector_spaces
type Vec[P: VSpace] = {x: P, y: P}
def add(p: Vec[f32[n]], q: Vec[f32[n]]) -> Vec[f32[n]] = p + 2.0 * q
def slope(p: Vec[f32[n]]) -> Vec[f32[n]] = grad(fn (p: Vec[f32[n]]) -> sum(p.x * p.y))(p)
#### types_of_types_and_shapes
type Layer[i, o] = {w: f32[i, o]}
type Named[T, *s] = {value: T, at: f32[*s]}
def f(x: Named[Layer[3, 4], 5, 6]) -> f32[5, 6] = x.at + sum(x.value.w)
#### multiples_of_trees_that_are_one_array
def scaled[P: VSpace](p: P, s: f32) -> P = tree_map(fn x -> cast(s, x.dtype) * x, p)
def halved[P: VSpace[f32]](p: P, s: f64) -> P = p / f32(s)
def stepped[P: VSpace[f64]](ps: P[n], gs: P[n], s: f64) -> P[n] = ps - s * gs
def turned[P: VSpace[c64]](p: P, s: c64) -> P = p * s
def f(x: c64[n], s: f32) -> c64[n] = scaled(x, s)
def g(x: f32[n], s: f64) -> (f32[n], {a: f16}) = (halved(x, s), scaled({a = f16(1)}, f32(s)))
def h(x: f64[n], s: f64) -> f64[n] = stepped(x, x, s)
def i(x: c64[n], s: c64) -> c64[n] = turned(x, s)
