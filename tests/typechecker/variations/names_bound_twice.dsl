#: twice = v, v | (v, u), v | v, (u, v) | (v, u), (w, v) | v, (_, (u, v)) | (v, v), u
#: once = v, u | (v, u), w | v, (u, w) | _, _ | (_, v), _
#: body = x | sum(ys) | (if x > 0.0 then x else 1.0)
#### twice_in_a_clause
def f(x: f32, ys: f32[2]) = with handler ask(<twice>) -> resume(<body>) do ask(ys, (ys, ys)) #! E0206
effect ask: (a: f32[2], b: (f32[2], f32[2])) -> f32
#### twice_in_the_pattern_of_a_loop
def folded(x: f32, ys: f32[2]) = fold (a, (<twice>)) = (x, (ys, (ys, ys))) for _ in range(3) do (a + <body>, (ys, (ys, ys))) #! E0206
def tried(x: f32, ys: f32[2]) = iterate (a, (<twice>)) = (x, (ys, (ys, ys))) while a > 0.0 limit 3 do (a + <body>, (ys, (ys, ys))) #! E0206
def items(x: f32, ys: f32[2]) = [x for (<twice>) in zip(ones([3, 2]), zip(ones([3, 2]), ones([3, 2])))] #! E0206
def bound(x: f32, ys: f32[2]) -> f32 =
    let (<twice>) = (ys, (ys, ys)) #! E0206
    <body>
def called(x: f32, ys: f32[2]) -> f32 = (fn (<twice>) -> <body>)(ys, (ys, ys)) #! E0206
#### once
def f(x: f32, ys: f32[2]) = with handler ask(<once>) -> resume(<body>) do ask(ys, (ys, (ys, ys)))
effect ask: (a: f32[2], b: (f32[2], (f32[2], f32[2]))) -> f32
#### carry_and_item
def folded(x: f32, ys: f32[2]) -> f32 = fold v = x for v in ys do v + <body> #! E0206
def scanned(x: f32, ys: f32[2]) = scan (v, u) = (x, x) for (w, v) in zip(ys, ys) do ((v, w), <body>) #! E0206
def unrolled(x: f32, ys: f32[2]) -> f32 = fold v = x for (v, _) in ((x, x), (x, x)) do v + <body> #! E0206
#### carry_and_item_apart
def folded(x: f32, ys: f32[2]) -> f32 = fold v = x for w in ys do v + <body>
def from_outside(x: f32, ys: f32[2]) -> f32 = fold x = x for y in ys do x + y
def shadowing(x: f32, ys: f32[2]) -> f32 = fold y = 0.0 for x in ys do y + x
