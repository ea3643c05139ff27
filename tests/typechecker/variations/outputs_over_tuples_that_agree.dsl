#: parts = (f32[2], f32[2])) | (f32[n], f32[m], f32[n])) where n == m | (f32, f32)) | (idx[3], i32))
#: put = v | (v, 1.0) | {out = v} | again(v) | (if true then v else v) | 3
#### collected
def again[P: Tree](p: P) = p
def scanned(y: f32, x: <parts> =
    scan s = y for v in again(x) do
        (s, <put>)
def mapped(x: <parts> =
    [<put> for v in again(x)]
#### numbers
def joined(y: f32) -> (f32, f32[2]) = scan s = y for v in (1, 2.5) do (s, v)
def layers(ws: (f32[n, n], f32[n, n]), x: f32[n]) -> f32[2, n] =
    let (_, hidden) = scan h = x for w in ws do
        let next = w @ h
        (next, next)
    hidden
def functions(x: (f32, f32)) =
    let (g, seen) = scan g = (fn z -> z) for v in x do (fn z -> g(z) + v, g(v))
    (g(1.0), seen)
def steps(x: f32) -> (f32, f32[2]) = scan s = x for i in [1, 2] do (s * i, i)
