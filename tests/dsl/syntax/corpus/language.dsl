# The examples of the language's description that are not in the other files.
def zeros(static shape: shape, static dtype: dtype = f32) -> dtype[*shape] = fill(shape, dtype)
def sum[a: Num](x: a[*s], *, static axis: axes = none, static keepdims: bool = false) -> a[*reduced(s, axis, keepdims)] = x
def relu[a: Float](x: a[*s]) -> a[*s] = maximum(x, 0)
def apply(f: (A) -> B ! e, x: A) -> B ! e = f(x)
def own(x: f32) -> ((A) -> B) ! io = x
def labels(x: f32) -> f32 ! {state(s: T), accum(a: T), axis("i": n), axis("i"), m.sample} = x
def update(x: f32[n]) -> f32[n] =
    let y = x.at[0].set(10)
    let z = x.at[mask].set(v, mode="drop")
    let q = {p with w = v, layer.b = u}
    let safe = [if v > 0 then sqrt(v) else 0.0 for v in x]
    let also = where(x > 0, sqrt(x), 0.0)
    let r = concatenate((a, b), axis=0)
    let s = reshape(x, [n * d, -1])
    let t = x[1:-1, ::2] + x[..., 0] + x[None, :] + x[ids] + x[i : i + k] + x[2*i - 1 : 2*i + 2]
    x = 3
    x += 1
    x[0] = 10
    p.w = 3
    y
def loops(xs: f32[n]) -> f32 =
    let a = fold acc = 0.0 for x in xs do acc + x
    let b = scan h = h0 for x in xs do
        let h = tanh(w @ h + u @ x)
        (h, h)
    let c = iterate x = x0 while abs(f(x)) > 1e-6 do x - f(x) / grad(f)(x)
    let d = iterate x = x0 while abs(f(x)) > 1e-6 limit 50 do x
    let e = fold (a, b) = (0, 1) for _ in range(n) do (b, a + b)
    let g = tree_map(fn (a, b) -> a + b, p, q)
    a
def effects(x: f32) -> f32 ! {rand, io} =
    let k = fresh_key()
    print("loss {}", x)
    emit("loss", x)
    let (v, report) = with checks do
        assert x > 0.0, "x must be positive"
        checked(x)
    v
def words(where: f32, limit: f32, reverse: f32, unroll: f32, rng: f32, checks: f32, state: f32) -> f32 =
    where + limit + reverse(state).key + accum(handler, resume=checks)
