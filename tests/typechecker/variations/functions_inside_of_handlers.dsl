#: e = <inside>
#: inside = (with handler ask(v) -> resume(v) do (fn y -> ask(y))(2.0)) | (with handler ask(v) -> resume(v) do (fn y -> ask(y), 1.0).0(2.0)) | (with handler ask(v) -> resume(v) do {g = fn y -> ask(y)}.g(2.0)) | (with state c = 5.0 do (fn v -> v + c)(1.0)).0 | (with state c = 5.0 do {g = fn v -> v * c}.g(1.0)).0 | (with accum a: f32 do noted(2.0)).0 | (with checks do careful(2.0)).0 | (with handler ask(v) -> resume(v) do asked(asked(1.0))) | (with handler ask(v) -> resume(v) do fn y -> y + 1.0)(2.0) | (with state c = 5.0 do fn y -> y + 1.0).0(2.0) | (with handler ask(v) -> resume(v) do (fn r -> fn y -> y + r)(ask(1.0)))(2.0) | (with handler ask(v) -> resume(v) do vmap(asked)([2.0])[0])
#### function_stays_inside
effect ask: (v: f32) -> f32
def asked(v: f32) -> f32 ! ask = ask(v)
def noted(v: f32) -> f32 ! accum(a: f32) =
    a += v
    v
def careful(v: f32) -> f32 ! check =
    assert v > 0.0, "positive"
    v
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around>
