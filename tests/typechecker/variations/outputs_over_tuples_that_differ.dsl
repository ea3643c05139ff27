#: parts = (f32[2], f32[3]) | (f32[2], f16[2]) | (f32[2], f32[2, 2]) | (f32[n], f32[m]) | (f32[n], f32[n], f32[n + 1])
#: over = x | zip(x, x) | enumerate(x) | same(x)
#: put = v | (v, 1.0) | {out = v} | again(v) | (if true then v else v)
#### collected
def again[P: Tree](p: P) = p
def same[P: Tree](p: P) = p
def scanned(x: <parts>, y: f32) =
    scan s = y for v in same(x) do
        (s, <put>) #! E0412|E0302
def reversed(x: <parts>, y: f32) =
    scan s = y for v in same(x) reverse do
        let t = s + 1.0
        (t, <put>) #! E0412|E0302
def mapped(x: <parts>) =
    [<put> for v in same(x)] #! E0412|E0302
#### of_other_iterables
def same[P: Tree](p: P) = p
def scanned(x: <parts>, y: f32) = scan s = y for v in <over> do (s, v) #! E0412|E0302
def mapped(x: <parts>) = [v for v in <over>] #! E0412|E0302
#### of_lists
def of_lists(y: f32) =
    scan s = y for i in (1, 2) do
        (s * i, zeros([i])) #! E0412
def hidden(ws: (f32[3, 2], f32[4, 3]), x: f32[2]) =
    scan h = x for w in ws do
        (w @ h, w @ h) #! E0412
#### static
enum Mode = Same | Other
def functions(x: (f32, f32)) = scan s = 0.0 for v in x do (s + v, fn y -> y + v) #! E0313
def texts(x: (f32, f32)) = scan s = 0.0 for v in x do (s + v, ("same", v)) #! E0313
def variants(x: (f32, f32)) = scan s = 0.0 for v in (Same, Other) do (s + x.0, v) #! E0313
def mapped(x: (f32, f32)) = [fn y -> y + v for v in x] #! E0313
def mapped_texts(x: (f32, f32)) = ["same" for v in x] #! E0313
