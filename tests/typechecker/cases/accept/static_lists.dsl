#### tile_of_any_rank
static def padded(s: ints, rank: int) -> ints = [*[1 for _ in range(rank - len(s))], *s]
static def tiled(s: shape, reps: ints) -> shape =
    let rank = max(len(s), len(reps))
    [d * r for (d, r) in zip(padded(s, rank), padded(reps, rank))]
def blank(x: f32[*s], static reps: ints) -> f32[*tiled(s, reps)] = zeros(tiled(s, reps))
def f(x: f32[n, 3]) -> f32[2 * n, 6] = blank(x, (2, 2))
def g(x: f32[n, 3], static k: int) -> f32[3, 2 * n, 3 * k] where k >= 0 = blank(x, [3, 2, k])
def h(x: f32[n, 3]) -> f32[n, 6] = blank(x, 2)
def any_rank(x: f32[*s]) -> f32[*tiled(s, (2, 2))] = blank(x, (2, 2))
#### indices_and_slices
static def ends(s: shape) -> shape = [s[0], s[-1]]
static def rest(s: shape) -> shape = s[1:]
static def turned(s: shape) -> shape = s[::-1]
def f(x: f32[a, b, c]) -> (f32[a, c], f32[b, c], f32[c, b, a]) =
    (zeros(ends(x.shape)), zeros(rest(x.shape)), zeros(turned(x.shape)))
def g(x: f32[*s, n]) -> f32[*s] = zeros(x.shape[:-1])
def h(x: f32[n, *s]) -> f32[*s] = zeros(x.shape[1:])
#### joined_lists
static def framed(s: shape, t: shape) -> shape = s + [1] + t
def f(x: f32[n], y: f32[m, k]) -> f32[n, 1, m, k] = zeros(framed(x.shape, y.shape))
def g(x: f32[*s], y: f32[*t]) -> f32[*s, *t] = zeros(x.shape + y.shape)
#### recursion_over_a_list
static def product(s: ints) -> int = if len(s) == 0 then 1 else s[0] * product(s[1:])
def f(x: f32[n, m, 3]) -> f32[3 * n * m] = reshape(x, [product(x.shape)])
#### reductions_of_lists
static def widest(s: shape) -> int = max([d + 1 for d in s])
static def narrow(s: shape) -> bool = all([d <= 4 for d in s]) and any([d == 2 for d in s])
def f(x: f32[n, m]) -> f32[n + m, n * m, 2 * n + 2 * m] =
    zeros([sum(x.shape), prod(x.shape), sum([2 * d for d in x.shape])])
def g(x: f32[n, m]) -> f32[max(n, m) + 1] = zeros([widest(x.shape)])
def h(x: f32[n, m]) -> f32[n] where narrow([n, m]) = zeros([n])
def i(x: f32[2, 3]) -> f32[2] = h(x)
#### enumerated_lists
static def scaled(s: shape, axis: int, k: int) -> shape = [if i == axis then k * d else d for (i, d) in enumerate(s)]
def f(x: f32[n, m]) -> f32[n, 3 * m] = zeros(scaled(x.shape, 1, 3))
#### pairs_of_integers
static def grown(s: shape, width: pairs) -> shape = [low + d + high for (d, (low, high)) in zip(s, width)]
def f(x: f32[n, m]) -> f32[n + 1, m + 5] = zeros(grown(x.shape, [(0, 1), (2, 3)]))
def blank(x: f32[*s], static width: pairs) -> f32[*grown(s, width)] = zeros(grown(s, width))
def g(x: f32[n]) -> f32[n + 3] = blank(x, [(1, 2)])
#### a_shape_taken_apart
def f(x: f32[n, d]) -> f32[d, n] =
    let (a, b) = x.shape
    zeros([b, a])
def g(x: f32[n, d]) -> f32[n, 3] =
    let s = [n, 3]
    zeros(s)
def h(x: f32[n, d]) -> f32[2 * d] =
    let k = x.shape[1]
    zeros([2 * k])
#### a_list_of_numbers_at_the_top
let s = [2, 3]
let c = [0, 1]
def f(x: f32[n]) -> (f32[2, 3], f32[n], i32[2]) = (zeros(s), roll(x, c[1]), 2 * c)
#### a_result_with_its_condition
static def second(s: shape) -> int where len(s) >= 2 = s[1]
def f(x: f32[n, m]) -> f32[m] = zeros([second(x.shape)])
#### lists_of_arrays
def f(x: f32[n, m]) -> f32[2] = [f32(d) for d in x.shape]
def g(x: f32[n, m]) -> f32 = fold y = 0.0 for d in x.shape do y + f32(d)
#### length_of_an_array
def f(x: f32[n, m]) -> f32[n] = zeros([len(x)])
#### members_of_lists_and_tuples
static def kept(s: shape, axes: ints) -> shape = [if i not in axes then d else 1 for (i, d) in enumerate(s)]
def blank(x: f32[*s], static axes: ints) -> f32[*kept(s, axes)] = zeros(kept(s, axes))
def f(x: f32[n, m, 3]) -> f32[1, m, 1] = blank(x, (0, 2))
def any_rank(x: f32[*s], static axes: ints) -> f32[*kept(s, axes)] = blank(x, axes)
def sizes(static k: int) -> f32[k] where k in (1, 2) = ones([k])
def g() -> f32[2] = sizes(2)
def chosen(x: f32, static mode: str) -> f32 where mode in ("mean", "sum") = if mode in ("sum",) then 2.0 * x else x
def wide(static d: dtype) -> bool = d in (f64, c128)
def traced(k: i32, j: i32) -> bool = k in [1, 2] and not (k not in (j, 7)) or k + 1 in [2]
def nowhere(x: f32) -> bool = x in ()
def ungrouped(static a: int, static b: int) -> bool = not a in (1, 2) and b + 1 not in (a, 3)
#### greatest_of_some_sizes
static def widest(s: shape) -> shape = [max(s)]
def g(x: f32[*s]) -> f32[*widest(s)] = zeros(widest(s))
def of_matrix(x: f32[2, 3]) -> f32[3] = g(x)
def of_more(x: f32[n, *s]) -> f32 = sum(g(x))
#### letters_of_a_string
static def place(names: str, letter: str) -> int =
    sum([if c in letters(letter) then i else 0 for (i, c) in enumerate(letters(names))])
static def has_letter(names: str, letter: str) -> bool = letters(letter)[0] in letters(names)
def total(x: f32[*s], static names: str, static over: str) -> f32[*reduced(s, place(names, over), false)]
    where has_letter(names, over) = sum(x, axis=place(names, over))
def f(x: f32[n, h, w, c]) -> f32[n, h, w] = total(x, "nhwc", "c")
def g(x: f32[*s], static names: str) -> f32[*reduced(s, place(names, "n"), false)] where has_letter(names, "n") =
    total(x, names, "n")
def h(x: f32[n, m]) -> f32[m] = g(x, "nm")
