#: path = y | 2.0 * y + same | helper(same, y) | (fn q -> q * y)(same) | (fn q -> q * same)(y) | let_bound(y, same) | {a = y, b = same}.a | ({a = same, b = 1.0} |> fn r -> {r with a = y}).a | (same, y).1 | [same, y][1] | sum([same, y]) | <recursive> | <function> | <mapped> | <repeated> | <derived> | <celled> | <chosen>
#: recursive = swapped(y, same, 3) | swapped(same, y, 2) | summed(y, same, 3) | summed(y, same, 60) | total([same, y]) | associative_scan(fn (a, b) -> a + y * b, [same, 1.0, same])[2] | associative_scan(fn (a, b) -> a * b, [same, y], reverse=true)[0] | repeated(fn q -> q * y, same, 2) | repeated(fn q -> q * same, y, 2) | even(y, 3) | defaulted(y)
#: function = made(y)(same) | {go = made(y), k = 1.0}.go(same) | (made(y), 1.0).0(same) | applied(made(y), same) | applied(fn q -> q - y, same) | given(applied, y) | composed(made(y), made(same))(1.0) | switch(1, (made(same), made(y)), same) | <held>
#: held = held(Own(made(y)), same) | held(Own(fn q -> q - y), same) | held(holding(y), same) | held(if 1 < 2 then Own(made(y)) else Id, same) | (fn h -> held(h, same))(Own(made(y))) | wrapped(In(Own(made(y))), same) | wrapped(In(holding(y)), same) | optional(same, made(y)) | first_of((made(y), 1.0), same) | field_of({g = made(y)}, same)
#: mapped = vmap(made(y))([same, 1.0])[0] | vmap(fn q -> q * y)([same, 1.0])[1] | sum([q * y for q in [same, 1.0]]) | jit(made(y))(same) | checkpoint(fn q -> q * y)(same) | tree_map(fn q -> q * y, {a = same, b = 1.0}).b
#: repeated = fold s = same for _ in range(2) do s + y | fold s = y for _ in range(2) do s + same | (scan s = same for _ in range(2) do (s + y, s)).0 | (scan s = same for _ in range(2) do (s + same, y)).1[0] | (fold (s, u) = (y, same) for _ in range(3) do (u, s)).1 | (iterate (s, u) = (same, 0.0) while u < 3.0 limit 3 do (s * y, u + 1.0)).0
#: derived = grad(fn q -> q * y)(same) | grad(made(y))(1.5) | vjp(made(y), 1.5).1(1.0).0 | (fn c -> grad(made(y))(c))(1.5) | grad(fn q -> q * q)(y) | jvp(fn q -> q * q, (same,), (y,)).1 | vjp(fn q -> q * q, same).1(y).0 | linearize(fn q -> q * same, y).0 | applied(linearize(fn q -> q * y, same).1, 1.0) | value_and_grad(made(y))(same).1
#: celled = (with state s = same do kept(y)).1 | (with state s = y do kept(same)).0 | (with accum s: f32 do added(y)).1 | (with handler ask(a) -> resume(a * y) do ask(same)) | (with handler ask(a) -> resume(a * same) do ask(y))
#: chosen = if 1 < 2 then y else same | taken(y, same, true) | taken(same, y, false) | case(y, same, First) | case(same, y, Second(3)) | sized(y, same, ones([3])) | if same > 1.0 then y else same | where(same > 1.0, y, same)
#: second = y | associative_scan(fn (a, b) -> a + y * b, [same, 1.0, same])[2] | {go = made(y), k = 1.0}.go(same) | case(same, y, Second(3))
#### flows
def first(y: f32, same: f32) -> f32 = <path>
def flow(y: f32, same: f32) -> f32 =
    let y = first(y, same)
    <second>
def part(v: f32[n]) -> f32 ! axis("data") =
    let y = sum(v)
    flow(y, psum(y, "data"))
def between_parts(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(part, mesh(data=4), {data = 0}, none)(x) #! E1011
def between_elements(x: f32[n], w: f32) -> f32 where n >= 1 = vmap(flow, in_axes=(0, none), out_axes=none)(x, w) #! E0812
def stepped(y: f32, same: f32) -> f32 = nextafter(flow(y, same), 100.0)
def without_derivative(x: f32, w: f32) -> f32 = grad(stepped)(x, w) #! E0803
def by_rule(y: f32, same: f32) -> f32 =
    let u = flow(y, same)
    custom_jvp(fn v -> v * u, fn (p, t) -> (p.0 * u, t.0 * u))(same)
def captured(x: f32, w: f32) -> f32 = grad(by_rule)(x, w) #! E0818
def curved(x: f32) -> f32 = custom_jvp(sin, fn (p, t) -> (sin(p.0), first(t.0, p.0) * t.0))(x) #! E0817
<flows>
