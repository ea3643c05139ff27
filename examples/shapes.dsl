# Twenty functions whose shapes are computed: what a shape becomes is a `static def` on lists of sizes, and the function
# itself is checked against it once, for all sizes.

# ---------------------------------------------------------------- lists of sizes

static def ones(k: int) -> ints = [1 for _ in range(k)]

static def padded_left(s: ints, rank: int) -> ints = ones(max(rank - len(s), 0)) + s

static def interleaved(s: ints, t: ints) -> ints =
    if len(s) == 0 then [] else [s[0], t[0], *interleaved(s[1:], t[1:])]

static def natural(s: ints) -> bool = all([r >= 0 for r in s])

# ---------------------------------------------------------------- copies

static def tiled(s: shape, reps: ints) -> shape =
    [r * d for (r, d) in zip(padded_left(reps, len(s)), padded_left(s, len(reps)))]

## `reps` copies along each of the last axes.
def tile(x: f32[*s], static reps: ints) -> f32[*tiled(s, reps)] where natural(reps) =
    let wide = padded_left(s, len(reps))
    let times = padded_left(reps, len(s))
    reshape(
        broadcast_to(reshape(x, interleaved(ones(len(wide)), wide)), interleaved(times, wide)),
        tiled(s, reps)
    )

## Every pixel `k` times in both directions.
def upsample(image: f32[h, w, c], static k: size) -> f32[h * k, w * k, c] =
    reshape(broadcast_to(image[:, None, :, None, :], [h, k, w, k, c]), [h * k, w * k, c])

## The Kronecker product.
def kron(a: f32[n, m], b: f32[p, q]) -> f32[n * p, m * q] =
    reshape(a[:, None, :, None] * b[None, :, None, :], [n * p, m * q])

# ---------------------------------------------------------------- more around it

static def grown(s: shape, width: pairs) -> shape = [
    low + d + high for (d, (low, high)) in zip(s, width)
]

## Zeros around a matrix.
def pad(
    x: f32[n, m],
    static top: (int, int),
    static side: (int, int)
) -> f32[*grown([n, m], (top, side))]
    where top.0 >= 0 and top.1 >= 0 and side.0 >= 0 and side.1 >= 0 =
    zeros(grown([n, m], (top, side))).at[top.0 : top.0 + n, side.0 : side.0 + m].set(x)

## Two matrices on the diagonal of a larger one.
def block_diagonal(a: f32[n, m], b: f32[p, q]) -> f32[n + p, m + q] =
    zeros([n + p, m + q]).at[:n, :m].set(a).at[n:, m:].set(b)

## Two sequences, element by element in turn.
def interleave(x: f32[n], y: f32[n]) -> f32[2 * n] = reshape(stack((x, y), axis=1), [2 * n])

## A sequence turned round by `k` places.
def roll(x: f32[n, *s], static k: int) -> f32[n, *s] where n >= 1 = concatenate(
    (x[n - k % n :], x[: n - k % n])
)

# ---------------------------------------------------------------- windows

static def places(n: int, k: int, step: int) -> int = (n - k) // step + 1

## All windows of `k`, `step` apart.
def windows(x: f32[n], static k: int, static step: int = 1) -> f32[places(n, k, step), k]
    where k >= 1 and step >= 1 and n >= k =
    [x[i * step : i * step + k] for i in range(places(n, k, step))]

## All windows of a picture.
def windows_2d(
    x: f32[h, w],
    static k: int
) -> f32[h - k + 1, w - k + 1, k, k] where k >= 1 and h >= k and w >= k =
    [x[i : i + k, j : j + k] for i in range(h - k + 1), j in range(w - k + 1)]

static def column_shape(h: int, w: int, c: int, k: int, step: int) -> shape =
    [places(h, k, step) * places(w, k, step), k * k * c]

## Windows as rows of a matrix.
def im2col(
    x: f32[h, w, c],
    static k: int,
    static step: int = 1
) -> f32[*column_shape(h, w, c, k, step)]
    where k >= 1 and step >= 1 and h >= k and w >= k =
    let (rows, columns) = (places(h, k, step), places(w, k, step))
    let found = [
        x[i * step : i * step + k, j * step : j * step + k] for i in range(rows),
        j in range(columns)
    ]
    reshape(found, column_shape(h, w, c, k, step))

static def convolved(s: shape, k: shape, step: int) -> shape =
    [places(n, m, step) for (n, m) in zip(s[:-1], k[:-2])] + k[-1:]

## A convolution with a step, as a product of matrices.
def conv(x: f32[h, w, c], kernel: f32[k, k, c, o], static step: int = 1)
    -> f32[
        *convolved([h, w, c], [k, k, c, o], step)
    ] where k >= 1 and step >= 1 and h >= k and w >= k =
    reshape(
        im2col(x, k, step) @ reshape(kernel, [k * k * c, o]),
        convolved([h, w, c], [k, k, c, o], step)
    )

## Pictures as rows of patches that do not overlap.
def patches(x: f32[h, w, c], static p: int) -> f32[(h // p) * (w // p), p * p * c]
    where p >= 1 and h % p == 0 and w % p == 0 =
    reshape(
        transpose(reshape(x, [h // p, p, w // p, p, c]), (0, 2, 1, 3, 4)),
        [(h // p) * (w // p), p * p * c]
    )

# ---------------------------------------------------------------- axes split and joined

## Blocks of a picture become channels.
def space_to_depth(x: f32[h, w, c], static p: int) -> f32[h // p, w // p, p * p * c]
    where p >= 1 and h % p == 0 and w % p == 0 =
    reshape(
        transpose(reshape(x, [h // p, p, w // p, p, c]), (0, 2, 1, 3, 4)),
        [h // p, w // p, p * p * c]
    )

## And back.
def depth_to_space(x: f32[h, w, d], static p: int) -> f32[h * p, w * p, d // (p * p)]
    where p >= 1 and d % (p * p) == 0 =
    reshape(
        transpose(reshape(x, [h, w, p, p, d // (p * p)]), (0, 2, 1, 3, 4)),
        [h * p, w * p, d // (p * p)]
    )

## Every k-th sample, from each of the first k.
def polyphase(x: f32[n], static k: int) -> f32[k, n // k] where k >= 1 and n % k == 0 =
    transpose(reshape(x, [n // k, k]))

## k blocks of rows.
def blocks(
    x: f32[n, *s],
    static k: int
) -> f32[k, n // k, *s] where k >= 1 and n % k == 0 = reshape(x, [k, n // k, *s])

static def moved(rank: int, source: int, target: int) -> ints =
    let rest = [if i < source then i else i + 1 for i in range(rank - 1)]
    [*rest[:target], source, *rest[target:]]

## An axis moved to another place.
def moveaxis(
    x: f32[*s],
    static source: int,
    static target: int
) -> f32[*permuted(s, moved(len(s), source, target))]
    where 0 <= source and source < len(s) and 0 <= target and target < len(s) =
    transpose(x, moved(len(s), source, target))

# ---------------------------------------------------------------- by index, by value

## Rows, by their numbers.
def take(x: f32[n, *s], i: idx[n][k]) -> f32[k, *s] = x[i]

## The matrix whose diagonals are constant: `first` is its column, `row` what follows to the right.
def toeplitz(first: f32[n], row: f32[m]) -> f32[n, m + 1] where n >= 1 =
    let all = concatenate((first[::-1], row))
    [[all[n - 1 - i + j] for j in range(m + 1)] for i in range(n)]

## One row a class.
def one_hot(x: idx[k][n]) -> f32[n, k] = where(x[:, None] == arange(k)[None, :], 1.0, 0.0)

## The outer product of arrays of any rank.
def outer(x: f32[*s], y: f32[*t]) -> f32[*s + t] =
    reshape(reshape(x, [prod(s), 1]) * reshape(y, [1, prod(t)]), s + t)
