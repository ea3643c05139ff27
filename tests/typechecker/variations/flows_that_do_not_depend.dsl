#: path = same | stop_gradient(same) + helper(same, 2.0) | (fn q -> same)(y) | {a = y, b = same}.b | ({a = y, b = 1.0} |> fn r -> {r with a = same}).a | (same, y).0 | ((2.0 * {a = y, b = same}).b) | [same, 2.0][1] | <recursive> | <function> | <mapped> | <repeated> | <derived> | <celled> | <chosen>
#: recursive = swapped(y, same, 2) | swapped(same, y, 3) | summed(y, same, 0) | total([same, 1.0]) | associative_scan(fn (a, b) -> a + y * b, [same])[0] | repeated(fn q -> q * y, same, 0) | repeated(fn q -> q * same, 1.0, 2) | even(y, 0) | odd(y, 1) | defaulted(y, k=0) | summed(same, same, 60)
#: function = made(same)(2.0) | {go = made(same), no = made(y)}.go(same) | (made(y), made(same)).1(same) | applied(made(same), same) | given(applied, same) | composed(made(same), made(same))(1.0) | switch(1, (made(same), fn q -> q), same) | (fn g -> same)(made(y)) | <held>
#: held = held(Own(made(same)), same) | held(Id, same) | held(holding(same), same) | held(if 1 < 2 then Own(made(same)) else Own(made(y)), same) | (fn h -> same)(Own(made(y))) | wrapped(In(Own(made(same))), same) | wrapped(Out, same) | optional(same) | optional(same, made(same)) | first_of((made(same), y), same) | field_of({g = made(same)}, same)
#: mapped = vmap(made(same))([same, 1.0])[0] | sum([q * same for q in [same, 1.0]]) | jit(fn q -> (q, y))(same).0 | checkpoint(fn q -> {a = q, b = y})(same).a | tree_map(fn q -> q * same, {a = same, b = y}).a | vmap(fn (a, b) -> (a, b))([same, 1.0], [y, y]).0[0]
#: repeated = fold s = same for _ in range(2) do s + same | (fold (s, u) = (y, same) for _ in range(3) do (s * u, u)).1 | (scan s = y for _ in range(2) do (s + same, same)).1[0] | (iterate (s, u) = (y, same) while u < 3.0 limit 3 do (s + y, u + 1.0)).1
#: derived = grad(fn q -> q * same)(same) | value_and_grad(made(same))(same).0 | applied(linearize(fn q -> q * same, same).1, 1.0) | grad(fn (q, r) -> q * q + r)(same, y)
#: celled = (with state s = same do kept(y)).0 | (with state s = y do kept(same)).1 | (with accum s: f32 do added(same)).1 | (with handler ask(a) -> resume(a * same) do ask(same)) | (with handler ask(a) -> resume(same) do ask(y))
#: chosen = if 1 < 2 then same else y | taken(y, same, false) | taken(same, y, true) | case(same, y, First) | case(y, same, Second(3)) | case(same, y, Second(4)) | sized(same, y, ones([3])) | sized(y, same, ones([2]))
#: second = y | swapped(same, y, 2) | vmap(fn q -> q * y)([same, 1.0])[1]
#### flows
def first(y: f32, same: f32) -> f32 = <path>
def flow(y: f32, same: f32) -> f32 =
    let y = first(y, same)
    <second>
def part(v: f32[n]) -> f32 ! axis("data") =
    let y = sum(v)
    flow(y, psum(y, "data"))
def between_parts(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(part, mesh(data=4), {data = 0}, none)(x)
def between_elements(x: f32[n], w: f32) -> f32 where n >= 1 = vmap(flow, in_axes=(0, none), out_axes=none)(x, w)
def stepped(y: f32, same: f32) -> f32 = nextafter(flow(y, same), 100.0)
def without_derivative(x: f32, w: f32) -> f32 = grad(stepped)(x, w)
def by_rule(y: f32, same: f32) -> f32 =
    let u = flow(y, same)
    custom_jvp(fn v -> v * u, fn (p, t) -> (p.0 * u, t.0 * u))(same)
def captured(x: f32, w: f32) -> f32 = grad(by_rule)(x, w)
def linear(x: f32) -> f32 = custom_jvp(sin, fn (p, t) -> (sin(p.0), first(t.0, p.0) * t.0))(x)
<flows>
