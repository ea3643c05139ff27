# Lists of different lengths as records: all elements one after another, and where each list begins. Their number may be
# one that data decide. All functions take O(n + k) operations and memory for n lists of k elements in all, and
# O(k log k) where they sort, unless their comments say otherwise.

## Lists of different lengths: list i has the elements values[e] with offsets[i] <= e < offsets[i + 1]. Elements from
## offsets[n] on are in no list.
type Ragged[a: Any, n, k] = {values: a[k], offsets: idx[k + 1][n + 1]}

# ---------------------------------------------------------------- lists of elements

## Lists of as many elements as `lengths` says, one after another; what is longer than there are elements is cut off.
def with_lengths[a: Any](values: a[k], lengths: i32[n]) -> Ragged[a, n, k] =
    {values = values, offsets = concatenate(([0], clip(cumsum(maximum(lengths, 0)), 0, k)))}
## For each key the list of the elements with that key, in their order.
def split_by_key[a: Any](x: a[k], key: idx[n][k]) -> Ragged[a, n, k] =
    with_lengths(x[argsort(key)], zeros([n], i32).at[key].add(1))
## For each row the list of its elements that a mask selects. Takes O(n m).
def select[a: Any](x: a[n, m], keep: bool[n, m]) -> Ragged[a, n, ?k] where ?k <= n * m =
    let chosen = reshape(keep, [n * m])
    with_lengths(reshape(x, [n * m])[chosen], sum(i32(keep), axis=1))
## The lists without the elements for which a mask does not hold.
def filter[a: Any](r: Ragged[a, n, k], keep: bool[k]) -> Ragged[a, n, ?m]
    where ?m <= k where n >= 1 =
    let real = keep & (iota([k]) < r.offsets[n])
    with_lengths(r.values[real], zeros([n], i32).at[list_of(r)].add(i32(real)))
## The lists of one, each followed by that of the other.
def joined[a: Any](r: Ragged[a, n, k], t: Ragged[a, n, m]) -> Ragged[a, n, k + m] where n >= 1 =
    let key = concatenate((list_of(r), list_of(t)))
    let real = concatenate((iota([k]) < r.offsets[n], iota([m]) < t.offsets[n]))
    let order = argsort(where(real, key, n))
    with_lengths(concatenate((r.values, t.values))[order], lengths(r) + lengths(t))

# ---------------------------------------------------------------- what is in them

## How many elements each list has.
@zero_derivative
def lengths[a: Any](r: Ragged[a, n, k]) -> i32[n] = r.offsets[1:] - r.offsets[:-1]
## The list that each element is in; the last one for those that are in no list.
@zero_derivative
def list_of[a: Any](r: Ragged[a, n, k]) -> idx[n][k] where n >= 1 =
    clip(cumsum(zeros([k + 1], i32).at[r.offsets[1:]].add(1))[:k], 0, n - 1)
## The place of each element in its list.
@zero_derivative
def place_of[a: Any](r: Ragged[a, n, k]) -> i32[k] where n >= 1 = iota([k]) - r.offsets[list_of(r)]
## The elements of a list. Takes O(k).
def item[a: Any](r: Ragged[a, n, k], i: idx[n]) -> a[?m] where ?m <= k =
    let e = iota([k])
    r.values[(e >= r.offsets[i]) & (e < r.offsets[i + 1])]
## The first `size` elements of each list, then `fill`.
def padded[a: Any](r: Ragged[a, n, k], *, static size: size, fill: a) -> a[n, size] =
    let place = r.offsets[:-1][:, None] + iota([size])[None, :]
    where(place < r.offsets[1:][:, None], r.values.at[place].get(mode="fill", fill=fill), fill)

# ---------------------------------------------------------------- reductions

## The sum of each list.
def sums[a: Num](r: Ragged[a, n, k]) -> a[n] where n >= 1 =
    zeros([n], a).at[list_of(r)].add(where(iota([k]) < r.offsets[n], r.values, 0))
## The mean of each list; nan for one without elements.
def means[a: Float](r: Ragged[a, n, k]) -> a[n] where n >= 1 = sums(r) / cast(lengths(r), a)
## The greatest element of each list, and of `initial`.
def maxima[a: Real](r: Ragged[a, n, k], initial: a) -> a[n] where n >= 1 =
    full([n], initial).at[list_of(r)].max(where(iota([k]) < r.offsets[n], r.values, initial))
## The least element of each list, and of `initial`.
def minima[a: Real](r: Ragged[a, n, k], initial: a) -> a[n] where n >= 1 =
    full([n], initial).at[list_of(r)].min(where(iota([k]) < r.offsets[n], r.values, initial))
## The exponentials of the elements, divided by their sum in each list.
def softmax[a: Float](r: Ragged[a, n, k]) -> Ragged[a, n, k] where n >= 1 =
    let shifted = r.values - stop_gradient(maxima(r, -inf))[list_of(r)]
    let e = exp(where(iota([k]) < r.offsets[n], shifted, 0))
    {r with values = e / sums({r with values = e})[list_of(r)]}

# ---------------------------------------------------------------- what stops early

## The values of an iteration as long as `more` holds, the first one among them: start, step(start), … At most `limit`.
def history[a: Any](
    step: a[*s] -> a[*s],
    start: a[*s],
    more: a[*s] -> bool,
    *,
    static limit: size
) -> a[?k, *s] where ?k <= limit =
    let (_, (values, there)) = scan (x, go) = (start, true) for _ in range(limit) do
        let now = go and more(x)
        ((if now then step(x) else x, now), (x, now))
    values[there]
