#: function = sin | fn v -> 2.0 * v | grad(sin) | jit(cos) | checkpoint(fn v -> v * v) | custom_jvp(fn v -> v, fn (p, t) -> (p.0, t.0)) | own | grad(own) | constant | held.f | made(3.0) | if 1 > 0 then sin else cos
#### functions_as_defaults
enum Held = Empty | Of(f: (f32) -> f32)
let constant = fn v -> 3.0 * v
let held = {f = constant}
let variant = Of(<function>)
def own(x: f32) -> f32 = x
def made(k: f32) = fn v -> k * v
def apply(x: f32, f: (f32) -> f32 = <function>) -> f32 = f(x)
def first(x: f32, f: ((f32) -> f32, f32) = (<function>, 1.0)) -> f32 = f.0(x)
def field(x: f32, r: {f: (f32) -> f32} = {f = <function>}) -> f32 = r.f(x)
def variant_of(x: f32, static h: Held = variant) -> f32 = match h with
    Empty -> x
    Of(f) -> f(x)
