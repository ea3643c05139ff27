#: cell = state s = 5.0
#: body = v + s | s | (fn w -> w * s)(v) | sum([s, v])
#: asking = ask(v) | v + ask(1.0) | sum([ask(v), 1.0]) | (fn w -> ask(w))(v) | asks(v)
#: pair = g.0(x) | (x |> g.0) | sum(vmap(g.0)([x])) | grad(g.0)(x)
#: record = g.h(x) | (x |> g.h) | grad(g.h)(x)
#### state
def f(x: f32) -> f32 =
    let (g, _) = with <cell> do fn v -> <body> #! E0701
    g(x)
#### state_in_a_tuple
def f(x: f32) -> f32 =
    let (g, _) = with <cell> do (fn v -> <body>, 1.0) #! E0701
    <pair>
#### state_in_a_record
def f(x: f32) -> f32 =
    let (g, _) = with <cell> do {h = fn v -> <body>} #! E0701
    <record>
#### state_of_one_name_around
def f(x: f32) -> (f32, f32) =
    with state s = 1.0 do
        let (g, _) = with <cell> do fn v -> <body> #! E0701
        g(x)
#### accumulated
def f(x: f32) -> f32 =
    let (g, _) = with accum a: f32 do (fn v ->
        a += <plain> #! E0701
        v)
    g(x)
#: plain = v | v + 1.0 | sum([v, x])
#### checked
def f(x: f32) -> f32 =
    let (g, _) = with checks do (fn v ->
        assert <plain> > 0.0 #! E0701
        v)
    g(x)
#### asked
effect ask: (v: f32) -> f32
def asks(v: f32) -> f32 ! ask = ask(v)
def f(x: f32) -> f32 =
    let g = with handler ask(v) -> resume(v + 1.0) do fn v -> <asking> #! E0701
    g(x)
#### asked_in_a_tuple
effect ask: (v: f32) -> f32
def asks(v: f32) -> f32 ! ask = ask(v)
def f(x: f32) -> f32 =
    let g = with handler ask(v) -> resume(v + 1.0) do (fn v -> <asking>, x) #! E0701
    <pair>
#### asked_in_a_record
effect ask: (v: f32) -> f32
def asks(v: f32) -> f32 ! ask = ask(v)
def f(x: f32) -> f32 =
    let g = with handler ask(v) -> resume(v + 1.0) do {h = fn v -> <asking>} #! E0701
    <record>
#### state_inside
def f(x: f32) -> f32 =
    let (y, _) = with <cell> do
        let g = fn v -> <body>
        g(x)
    y
#### value_inside
def f(x: f32) -> f32 =
    let (g, _) = with <cell> do
        let c = (fn v -> <body>)(x)
        (fn v -> v * c, c)
    <pair>
#### asked_inside
effect ask: (v: f32) -> f32
def asks(v: f32) -> f32 ! ask = ask(v)
def f(x: f32) -> f32 =
    with handler ask(v) -> resume(v + 1.0) do
        let g = (fn v -> <asking>, x)
        <pair>
#### answer_kept
effect ask: (v: f32) -> f32
def asks(v: f32) -> f32 ! ask = ask(v)
def f(x: f32) -> f32 =
    let g = with handler ask(v) -> resume(v + 1.0) do
        let v = x
        let c = <asking>
        {h = fn v -> v * c}
    <record>
