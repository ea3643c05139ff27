#: slope = grad(<f>)(same) | value_and_grad(<f>)(same).1 | jacfwd(<f>)(same) | jacrev(<f>)(same) | linearize(<f>, same).1(1.0) | vjp(<f>, same).1(1.0).0 | jvp(<f>, (same,), (1.0,)).1 | grad(<two>, argnums=1)(2.0, same) | grad(<two>, argnums=(0, 1))(2.0, same).1 | grad(fn q -> (<f>)(q.a), has_aux=false)({a = same, b = y}).a | <pushed> | grad(<ruled>)(same)
#: f = fn w -> w * y | fn w -> sin(w) * y | fn w -> sin(w + y) | fn w -> w / y | fn w -> (w + y) ** 2 | fn w -> sum([w, 1.0] * y) | fn w -> dot([w, w], [y, 1.0]) | fn w -> helper(w, y) | fn w -> fold s = w for _ in range(2) do s * y | fn w -> (y * w, 1.0).0
#: two = fn (v, w) -> v * w * y | fn (v, w) -> v + helper(w, y)
#: pushed = jvp(fn w -> w * 2.0, (same,), (y,)).1 | jvp(fn w -> w * w, (same,), (y,)).1 | vjp(fn w -> w * 2.0, same).1(y).0 | linearize(fn w -> sin(w), same).1(y) | jvp(sin, (y,), (1.0,)).1 | grad(sin)(y) | grad(fn w -> w * w)(y)
#: ruled = custom_jvp(fn w -> w, fn (p, s) -> (p.0, y * s.0)) | custom_vjp(fn w -> w * w, fn w -> (w * w, ()), fn (s, ct) -> (ct * y,)) | custom_vjp(fn w -> w * w, fn w -> (w * w, y), fn (s, ct) -> (ct * s,))
#: chosen = grad(fn w -> where(y > 1.0, w, 0.0))(same) | grad(fn w -> (if y > 1.0 then w else 2.0 * w))(same) | grad(fn w -> [w, 2.0 * w][argmax([y, 1.0])])(same)
#### slopes
def helper(w: f32, y: f32) -> f32 = exp(w) * (y + 1.0)
def slope(y: f32, same: f32) -> f32 = <slope>
def part(v: f32[n]) -> f32 ! axis("data") =
    let y = sum(v)
    let same = psum(y, "data")
    <slope>
def between_parts(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(part, mesh(data=4), {data = 0}, none)(x) #! E1011
def between_elements(x: f32[n], w: f32) -> f32 where n >= 1 = vmap(slope, in_axes=(0, none), out_axes=none)(x, w) #! E0812
def chosen(x: f32[n], w: f32) -> f32 where n >= 1 =
    vmap(fn (y, same) -> <chosen>, in_axes=(0, none), out_axes=none)(x, w) #! E0812
def stepped(y: f32, same: f32) -> f32 = nextafter(slope(y, same), 100.0)
def without_derivative(x: f32, w: f32) -> f32 = grad(stepped)(x, w) #! E0803
def by_rule(y: f32, same: f32) -> f32 =
    let u = slope(y, same)
    custom_jvp(fn v -> v * u, fn (p, t) -> (p.0 * u, t.0 * u))(same)
def captured(x: f32, w: f32) -> f32 = grad(by_rule)(x, w) #! E0818
