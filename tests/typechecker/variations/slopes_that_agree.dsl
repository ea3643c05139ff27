#: slope = grad(<f>)(same) | value_and_grad(<f>)(same).1 | jacfwd(<f>)(same) | jacrev(<f>)(same) | linearize(<f>, same).1(1.0) | vjp(<f>, same).1(1.0).0 | jvp(<f>, (same,), (1.0,)).1 | grad(<two>)(same, y) | grad(<two>, argnums=(0, 1))(same, y).0 | grad(fn q -> q.a * q.b)({a = y, b = same}).a | (2.0 * {a = y, b = same}).b | ({a = y, b = same} + {a = y, b = same}).b | grad(fn q -> ((<f>)(q), 2.0 * y), has_aux=true)(same).0 | <pushed> | grad(<ruled>)(same)
#: f = fn w -> w + y | fn w -> 2.0 * (w - y) | fn w -> sum([w, y]) | fn w -> w * w + y * y | fn w -> helper(w, y) | fn w -> stop_gradient(w * y) + w | fn w -> fold s = w for _ in range(2) do s + y | fn w -> sin(w) - exp(y) | fn w -> dot([w, w], [same, 1.0]) + y | fn w -> (w, y).0
#: two = fn (w, v) -> w * w + v * v | fn (w, v) -> helper(w, v)
#: pushed = jvp(fn w -> w + y, (same,), (same,)).1 | jvp(fn w -> 2.0 * w, (y,), (same,)).1 | vjp(fn w -> 2.0 * w, y).1(same).0 | linearize(fn w -> w + y, same).1(same) | jvp(fn (a, b) -> a * a + b, (same, y), (1.0, 1.0)).1
#: ruled = custom_jvp(fn w -> w + y, fn (p, s) -> (p.0 + y, 2.0 * s.0)) | custom_vjp(fn w -> w * w + y, fn w -> (w * w + y, ()), fn (s, ct) -> (ct * 2.0,))
#### slopes
def helper(w: f32, y: f32) -> f32 = exp(w) + (y + 1.0)
def slope(y: f32, same: f32) -> f32 = <slope>
def part(v: f32[n]) -> f32 ! axis("data") =
    let y = sum(v)
    let same = psum(y, "data")
    <slope>
def between_parts(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(part, mesh(data=4), {data = 0}, none)(x)
def between_elements(x: f32[n], w: f32) -> f32 where n >= 1 = vmap(slope, in_axes=(0, none), out_axes=none)(x, w)
def stepped(y: f32, same: f32) -> f32 = nextafter(slope(y, same), 100.0)
def without_derivative(x: f32, w: f32) -> f32 = grad(stepped)(x, w)
