#: e = <out>(2.0)
#: out = (with handler ask(v) -> resume(v) do fn y -> ask(y)) | (with handler ask(v) -> resume(v) do (fn y -> ask(y), 1.0)).0 | (with handler ask(v) -> resume(v) do {g = fn y -> ask(y)}).g | (with state c = 5.0 do fn v -> v + c).0 | (with state c = 5.0 do (1.0, fn v -> v + c)).0.1 | (with state c = 5.0 do {g = fn v -> v * c}).0.g | (with accum a: f32 do fn v -> noted(v)).0 | (with checks do fn v -> careful(v)).0 | (with handler ask(v) -> resume(v) do asked) | (with handler ask(v) -> resume(v) do fn y -> asked(asked(y))) | (with handler ask(v) -> resume(v) do [1.0, 2.0] |> fn w -> fn y -> ask(y + w[0])) | (with handler ask(v) -> resume(v) do fn y -> vmap(asked)([y])[0])
#### function_outlives_its_handler
effect ask: (v: f32) -> f32
def asked(v: f32) -> f32 ! ask = ask(v)
def noted(v: f32) -> f32 ! accum(a: f32) =
    a += v
    v
def careful(v: f32) -> f32 ! check =
    assert v > 0.0, "positive"
    v
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around> #! E0701
