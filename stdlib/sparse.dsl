# Sparse matrices as records of arrays, with indices that are checked by type and a number of stored entries that is a
# size. All functions take O(k) operations and memory for k stored entries, and O(k log k) where they sort, but for those
# that return a dense matrix. Derivatives with respect to stored values and dense operands have the same cost.
#
# Entries at one place are added up: a matrix may store an entry in several parts. Entries that fill an array up to its
# size are zeros at a place that exists. The fields are named as in `scipy.sparse`, but for `shape`, which has no elements:
# its first two axes are those of the matrix, so that types and Python know them.

## A matrix of n rows and m columns by coordinates: the entry data[e] in row row[e] and column col[e].
type COO[a: Num, n, m, k] = {data: a[k], row: idx[n][k], col: idx[m][k], shape: bool[n, m, 0]}

## A matrix by compressed rows: row i has the entries e with indptr[i] <= e < indptr[i + 1], the entry data[e] in column
## indices[e]. Entries from indptr[n] on are not part of the matrix.
type CSR[a: Num, n, m, k] = {
    data: a[k],
    indices: idx[m][k],
    indptr: idx[k + 1][n + 1],
    shape: bool[n, m, 0]
}

## A matrix of n by m blocks, each of p rows and q columns: the compressed rows of blocks.
type BSR[a: Num, n, m, k, p, q] = {
    blocks: a[k, p, q],
    indices: idx[m][k],
    indptr: idx[k + 1][n + 1],
    shape: bool[n * p, m * q, 0]
}

## A matrix by coordinates, of n rows and m columns.
def coo[a: Num](
    data: a[k],
    row: idx[n][k],
    col: idx[m][k],
    static n: size,
    static m: size
) -> COO[a, n, m, k] =
    {data = data, row = row, col = col, shape = _shape(n, m)}
## A matrix by compressed rows, of m columns.
def csr[a: Num](
    data: a[k],
    indices: idx[m][k],
    indptr: idx[k + 1][n + 1],
    static m: size
) -> CSR[a, n, m, k] =
    {data = data, indices = indices, indptr = indptr, shape = _shape(n, m)}
## A matrix by compressed rows of blocks, m of them next to each other.
def bsr[a: Num](
    blocks: a[k, p, q],
    indices: idx[m][k],
    indptr: idx[k + 1][n + 1],
    static m: size
) -> BSR[a, n, m, k, p, q] =
    {blocks = blocks, indices = indices, indptr = indptr, shape = _shape(n * p, m * q)}
def _shape(static n: size, static m: size) -> bool[n, m, 0] = zeros([n, m, 0], bool)

# ---------------------------------------------------------------- rows and order

## The row of each stored entry of a matrix by compressed rows; n for entries that are not part of it.
@zero_derivative
def row_of(indptr: idx[k + 1][n + 1], static k: size) -> idx[n + 1][k] =
    clip(_running(zeros([k + 1], i32).at[indptr[1:]].add(1))[:k], 0, n)
# The sums up to each element: those of lanes side by side, then those of the lanes, which is faster than one long sum.
def _running(x: i32[k]) -> i32[k] = if k < 8192 then cumsum(x) else _running_in_lanes(x, 256)
def _running_in_lanes(x: i32[k], static width: size) -> i32[k] where width >= 1 =
    let lanes = (k + width - 1) // width
    let columns = reshape(concatenate((x, zeros([lanes * width - k], i32))), [lanes, width]).T
    let (ends, sums) = scan total = zeros([lanes], i32) for c in columns do (total + c, total + c)
    let before = cumsum(ends) - ends
    reshape((sums + before[None]).T, [lanes * width])[:k]
## The columns and the values of the entries of one row of a matrix by compressed rows. Takes O(k).
def row[a: Num](s: CSR[a, n, m, k], i: idx[n]) -> (idx[m][?r], a[?r]) where ?r <= k =
    let e = iota([k])
    let inside = (e >= s.indptr[i]) & (e < s.indptr[i + 1])
    (s.indices[inside], s.data[inside])
# Where each row starts, of rows in ascending order.
def _starts(row: idx[n + 1][k], static n: size) -> idx[k + 1][n + 1] =
    let counts = zeros([n + 1], i32).at[row].add(1)
    concatenate(([0], clip(cumsum(counts)[:n], 0, k)))
# The order of entries by row, and in a row by column; equals keep their order.
def _order(row: i32[k], col: i32[k]) -> idx[k][k] = lexsort([col, row])

## The number of entries of a dense matrix that are not zero.
def count[a: Any](x: a[n, m]) -> i32 = count_nonzero(x)

# ---------------------------------------------------------------- conversion

## The stored entries of a dense matrix by rows, at most `size`, then zeros; fails its check if more are not zero.
def from_dense[a: Num](x: a[n, m], *, static size: size) -> COO[a, n, m, size] ! check
    where n >= 1 and m >= 1 =
    assert count(x) <= i32(size), "from_dense: more entries that are not zero than `size`"
    _from_dense(x, size)
## The same; with overflow="drop" more entries are left out.
def from_dense[a: Num](x: a[n, m], *, static size: size, static overflow: str) -> COO[a, n, m, size]
    where n >= 1 and m >= 1
    where overflow == "drop" else "the overflow is \"drop\"; without it more entries than `size` fail a check" =
    _from_dense(x, size)
## The entries of a dense matrix that are not zero by rows, as many as there are.
def from_dense[a: Num](x: a[n, m]) -> COO[a, n, m, ?k] where ?k <= n * m where n >= 1 and m >= 1 =
    let flat = reshape(x, [n * m])
    let place = flatnonzero(stop_gradient(flat))
    {
        data = flat[place],
        row = clip(place // m, 0, n - 1),
        col = clip(place % m, 0, m - 1),
        shape = _shape(n, m)
    }
def _from_dense[a: Num](x: a[n, m], static size: size) -> COO[a, n, m, size]
    where n >= 1 and m >= 1 =
    let flat = reshape(x, [n * m])
    let place = flatnonzero(stop_gradient(flat), size=size, fill_value=n * m)
    let data = flat.at[place].get(mode="fill", fill=0)
    {
        data = data,
        row = clip(place // m, 0, n - 1),
        col = clip(place % m, 0, m - 1),
        shape = _shape(n, m)
    }
## By compressed rows.
def to_csr[a: Num](s: COO[a, n, m, k]) -> CSR[a, n, m, k] =
    let order = _order(s.row, s.col)
    {
        data = s.data[order],
        indices = s.col[order],
        indptr = _starts(s.row[order], n),
        shape = s.shape
    }
## The same of blocks.
def to_csr[a: Num](s: BSR[a, n, m, k, p, q]) -> CSR[a, n * p, m * q, k * p * q] where n * p >= 1 =
    to_csr(to_coo(s))
## By coordinates.
def to_coo[a: Num](s: CSR[a, n, m, k]) -> COO[a, n, m, k] where n >= 1 =
    let row = row_of(s.indptr, k)
    {data = where(row < n, s.data, 0), row = clip(row, 0, n - 1), col = s.indices, shape = s.shape}
## The same of blocks.
def to_coo[a: Num](s: BSR[a, n, m, k, p, q]) -> COO[a, n * p, m * q, k * p * q] where n >= 1 =
    let block = row_of(s.indptr, k)
    let row = reshape(arange(n * p), [n, p])[clip(block, 0, n - 1)]
    let col = reshape(arange(m * q), [m, q])[s.indices]
    let inside = block < n
    {
        data = reshape(where(inside[:, None, None], s.blocks, 0), [k * p * q]),
        row = reshape(broadcast_to(row[:, :, None], [k, p, q]), [k * p * q]),
        col = reshape(broadcast_to(col[:, None, :], [k, p, q]), [k * p * q]),
        shape = s.shape,
    }
## A dense matrix, in O(n m).
def to_dense[a: Num](s: COO[a, n, m, k]) -> a[n, m] = zeros([n, m], a).at[s.row, s.col].add(s.data)
## The same by compressed rows.
def to_dense[a: Num](s: CSR[a, n, m, k]) -> a[n, m] =
    zeros([n, m], a).at[row_of(s.indptr, k), s.indices].add(s.data, mode="drop")
## The same of blocks.
def to_dense[a: Num](s: BSR[a, n, m, k, p, q]) -> a[n * p, m * q] =
    let blocks = zeros([n, m, p, q], a).at[
        row_of(s.indptr, k),
        s.indices
    ].add(s.blocks, mode="drop")
    reshape(swapaxes(blocks, 1, 2), [n * p, m * q])
## The blocks of p rows and q columns that have entries, then zeros; fails its check if there are more than `size`.
def to_bsr[a: Num](
    s: COO[a, n, m, k],
    static p: size,
    static q: size,
    *,
    static size: size
) -> BSR[a, n // p, m // q, size, p, q] ! check
    where p >= 1 and q >= 1 and n % p == 0 and m % q == 0 and m >= q =
    let (rows, cols) = (_digits(n // p, p)[s.row], _digits(m // q, q)[s.col])
    let order = _order(rows, cols)
    let (row, col) = (rows[order], cols[order])
    let group = _groups(row, col)
    assert _last(group) <= i32(size), "to_bsr: more blocks than `size`"
    let blocks = zeros([size, p, q], a).at[
        group,
        (s.row % p)[order],
        (s.col % q)[order]
    ].add(s.data[order], mode="drop")
    let ends = zeros([n // p], i32).at[row].max(group + 1)
    {
        blocks = blocks,
        indices = zeros([size], i32).at[group].set(col, mode="drop"),
        indptr = concatenate(([0], clip(cummax(ends), 0, size))),
        shape = s.shape,
    }
# The number of the part of n parts of p elements that each element is in.
def _digits(static n: size, static p: size) -> idx[n][n * p] =
    reshape(broadcast_to(arange(n)[:, None], [n, p]), [n * p])
# The number of the group that each entry belongs to, of entries in order: equal ones are a group.
def _groups(row: i32[k], col: i32[k]) -> i32[k] =
    let first = (iota([k]) > 0) & ((row != roll(row, 1)) | (col != roll(col, 1)))
    cumsum(i32(first))
# How many groups there are.
def _last(group: i32[k]) -> i32 = if k == 0 then 0 else group[k - 1] + 1
## Each place at most once and in order of rows, then columns, with the sum of the values stored for it; then zeros.
def sum_duplicates[a: Num](s: COO[a, n, m, k]) -> COO[a, n, m, k] =
    let order = _order(s.row, s.col)
    let (row, col) = (s.row[order], s.col[order])
    let group = _groups(row, col)
    {
        data = zeros([k], a).at[group].add(s.data[order], mode="drop"),
        row = row.at[group].set(row, mode="drop"),
        col = col.at[group].set(col, mode="drop"),
        shape = s.shape,
    }
## The number of places that are stored, each counted once.
def distinct[a: Num](s: COO[a, n, m, k]) -> i32 =
    let order = _order(s.row, s.col)
    _last(_groups(s.row[order], s.col[order]))
## The same matrix with `size` stored entries: those that are not zero, then zeros. Fails its check if there are more.
def resized[a: Num](s: COO[a, n, m, k], *, static size: size) -> COO[a, n, m, size] ! check
    where n >= 1 and m >= 1 =
    let (order, kept) = _nonzero_first(s.data, size)
    assert count_nonzero(s.data) <= i32(size), "resized: more entries that are not zero than `size`"
    {
        data = where(kept, s.data.at[order].get(mode="clip"), 0),
        row = s.row.at[order].get(mode="fill", fill=0),
        col = s.col.at[order].get(mode="fill", fill=0),
        shape = s.shape,
    }
def _nonzero_first[a: Num](data: a[k], static size: size) -> (i32[size], bool[size]) =
    let order = flatnonzero(stop_gradient(data), size=size, fill_value=k)
    (order, order < k)

# ---------------------------------------------------------------- making matrices

## The identity matrix.
def eye(static n: size, static dtype: Num = f32) -> COO[dtype, n, n, n] =
    coo(ones([n], dtype), arange(n), arange(n), n, n)
## The square matrix with this diagonal.
def diag[a: Num](x: a[n]) -> COO[a, n, n, n] = coo(x, arange(n), arange(n), n, n)
## The square matrix with values on a diagonal, `offset` columns to the right of the main one.
def diag[a: Num](x: a[k], static offset: int) -> COO[a, k + abs(offset), k + abs(offset), k] =
    let size = k + abs(offset)
    let (down, right) = (max(-offset, 0), max(offset, 0))
    coo(x, arange(size)[down : down + k], arange(size)[right : right + k], size, size)
## Two matrices along the diagonal of a larger one, zeros elsewhere.
def block_diag[a: Num](s: COO[a, n, m, k], t: COO[a, p, q, l]) -> COO[a, n + p, m + q, k + l] =
    {
        data = concatenate((s.data, t.data)),
        row = concatenate((arange(n + p)[s.row], arange(n + p)[n:][t.row])),
        col = concatenate((arange(m + q)[s.col], arange(m + q)[m:][t.col])),
        shape = _shape(n + p, m + q),
    }
## One matrix above the other.
def vstack[a: Num](s: COO[a, n, m, k], t: COO[a, p, m, l]) -> COO[a, n + p, m, k + l] =
    {
        data = concatenate((s.data, t.data)),
        row = concatenate((arange(n + p)[s.row], arange(n + p)[n:][t.row])),
        col = concatenate((s.col, t.col)),
        shape = _shape(n + p, m),
    }
## One matrix to the left of the other.
def hstack[a: Num](s: COO[a, n, m, k], t: COO[a, n, q, l]) -> COO[a, n, m + q, k + l] =
    transpose(vstack(transpose(s), transpose(t)))
## Every product of an entry of s with the whole of t.
def kron[a: Num](s: COO[a, n, m, k], t: COO[a, p, q, l]) -> COO[a, n * p, m * q, k * l] =
    let row = reshape(arange(n * p), [n, p])
    let col = reshape(arange(m * q), [m, q])
    {
        data = reshape(s.data[:, None] * t.data[None, :], [k * l]),
        row = reshape(row[s.row][:, t.row], [k * l]),
        col = reshape(col[s.col][:, t.col], [k * l]),
        shape = _shape(n * p, m * q),
    }

# ---------------------------------------------------------------- arithmetic

## The matrix with rows and columns exchanged; nothing is moved.
def transpose[a: Num](s: COO[a, n, m, k]) -> COO[a, m, n, k] =
    {data = s.data, row = s.col, col = s.row, shape = swapaxes(s.shape, 0, 1)}
## The same by compressed rows, which are sorted.
def transpose[a: Num](s: CSR[a, n, m, k]) -> CSR[a, m, n, k] where n >= 1 =
    let row = row_of(s.indptr, k)
    let order = _order(where(row < n, s.indices, m), row)
    let (row, col) = (row[order], where(row < n, s.indices, m)[order])
    {
        data = where(row < n, s.data[order], 0),
        indices = clip(row, 0, n - 1),
        indptr = _starts(col, m),
        shape = swapaxes(s.shape, 0, 1),
    }
## The same of blocks.
def transpose[a: Num](s: BSR[a, n, m, k, p, q]) -> BSR[a, m, n, k, q, p] where n >= 1 =
    let places = transpose(csr(arange(k), s.indices, s.indptr, m))
    bsr(swapaxes(s.blocks, 1, 2).at[places.data].get(mode="clip"), places.indices, places.indptr, n)
## The product with a vector, or with each column of a matrix.
def matmul[a: Num](s: COO[a, n, m, k], x: a[m, *t]) -> a[n, *t] =
    _added(zeros([n, *t], a), s.row, _times(s.data, x[s.col]))
## The same by compressed rows.
def matmul[a: Num](s: CSR[a, n, m, k], x: a[m, *t]) -> a[n, *t] =
    _added(zeros([n, *t], a), row_of(s.indptr, k), _times(s.data, x[s.indices]))
## The same of blocks.
def matmul[a: Num](s: BSR[a, n, m, k, p, q], x: a[m * q, *t]) -> a[n * p, *t] =
    let parts = reshape(x, [m, q, prod(t)])[s.indices]
    let products = vmap(fn (b, v) -> b @ v)(s.blocks, parts)
    reshape(_added(zeros([n, p, prod(t)], a), row_of(s.indptr, k), products), [n * p, *t])
## The product of a vector, or of each row of a matrix, with a sparse matrix.
def matmul[a: Num](x: a[*t, n], s: COO[a, n, m, k]) -> a[*t, m] =
    let columns = matmul(transpose(s), reshape(x, [prod(t), n]).T)
    reshape(columns.T, [*t, m])
## The same by compressed rows.
def matmul[a: Num](x: a[*t, n], s: CSR[a, n, m, k]) -> a[*t, m] =
    let row = row_of(s.indptr, k)
    let x = reshape(x, [prod(t), n]).T
    let columns = _added(
        zeros([m, prod(t)], a),
        s.indices,
        _times(s.data, x.at[row].get(mode="fill", fill=0))
    )
    reshape(columns.T, [*t, m])
## The same of blocks.
def matmul[a: Num](x: a[*t, n * p], s: BSR[a, n, m, k, p, q]) -> a[*t, m * q] =
    let parts = reshape(x, [prod(t), n, p]).swapaxes(0, 1).at[
        row_of(s.indptr, k)
    ].get(mode="fill", fill=0)
    let products = vmap(fn (v, b) -> v @ b)(parts, s.blocks)
    let columns = zeros([m, prod(t), q], a).at[s.indices].add(products)
    reshape(swapaxes(columns, 0, 1), [*t, m * q])
def _times[a: Num](data: a[k], x: a[k, *t]) -> a[k, *t] = vmap(fn (d, v) -> d * v)(data, x)
def _added[a: Num](x: a[n, *t], row: i32[k], values: a[k, *t]) -> a[n, *t] =
    x.at[row].add(values, mode="drop")
## The product of two sparse matrices. It takes one product for each pair of a stored entry (i, j) and a stored entry
## (j, l); fails its check if there are more than `size`. `sum_duplicates` adds up those at one place.
def matmul[a: Num](
    s: COO[a, n, m, k],
    t: CSR[a, m, p, l],
    *,
    static size: size
) -> COO[a, n, p, size] ! check where n >= 1 and p >= 1 and k >= 1 and l >= 1 =
    let counts = (t.indptr[1:] - t.indptr[:-1])[s.col]
    let ends = cumsum(i64(counts))
    assert ends[k - 1] <= i64(size), "matmul: more products of entries than `size`"
    let place = iota([size], dtype=i64)
    let left = clip(searchsorted(ends, place, side="right"), 0, k - 1)
    let within = place - (ends[left] - i64(counts[left]))
    let right = clip(i32(i64(t.indptr.at[s.col[left]].get(mode="clip")) + within), 0, l - 1)
    let inside = place < ends[k - 1]
    coo(where(inside, s.data[left] * t.data[right], 0), s.row[left], t.indices[right], n, p)
## The same of two matrices by compressed rows.
def matmul[a: Num](
    s: CSR[a, n, m, k],
    t: CSR[a, m, p, l],
    *,
    static size: size
) -> COO[a, n, p, size] ! check where n >= 1 and p >= 1 and k >= 1 and l >= 1 =
    matmul(to_coo(s), t, size=size)
## The sum; entries at one place are added up where it is used.
def add[a: Num](s: COO[a, n, m, k], t: COO[a, n, m, l]) -> COO[a, n, m, k + l] =
    coo(
        concatenate((s.data, t.data)),
        concatenate((s.row, t.row)),
        concatenate((s.col, t.col)),
        n,
        m
    )
## The same by compressed rows.
def add[a: Num](s: CSR[a, n, m, k], t: CSR[a, n, m, l]) -> CSR[a, n, m, k + l] where n >= 1 =
    to_csr(add(to_coo(s), to_coo(t)))
## The difference.
def subtract[a: Num](s: COO[a, n, m, k], t: COO[a, n, m, l]) -> COO[a, n, m, k + l] =
    add(s, {t with data = -t.data})
## The same by compressed rows.
def subtract[a: Num](s: CSR[a, n, m, k], t: CSR[a, n, m, l]) -> CSR[a, n, m, k + l] where n >= 1 =
    add(s, {t with data = -t.data})
## Every entry times one number.
def scale[a: Num](s: COO[a, n, m, k], c: a) -> COO[a, n, m, k] = {s with data = c * s.data}
## The same by compressed rows.
def scale[a: Num](s: CSR[a, n, m, k], c: a) -> CSR[a, n, m, k] = {s with data = c * s.data}
## The same of blocks.
def scale[a: Num](s: BSR[a, n, m, k, p, q], c: a) -> BSR[a, n, m, k, p, q] =
    {s with blocks = c * s.blocks}
## Row i times c[i].
def scale_rows[a: Num](s: COO[a, n, m, k], c: a[n]) -> COO[a, n, m, k] =
    {s with data = c[s.row] * s.data}
## The same by compressed rows.
def scale_rows[a: Num](s: CSR[a, n, m, k], c: a[n]) -> CSR[a, n, m, k] =
    {s with data = c.at[row_of(s.indptr, k)].get(mode="fill", fill=0) * s.data}
## Column j times c[j].
def scale_columns[a: Num](s: COO[a, n, m, k], c: a[m]) -> COO[a, n, m, k] =
    {s with data = c[s.col] * s.data}
## The same by compressed rows.
def scale_columns[a: Num](s: CSR[a, n, m, k], c: a[m]) -> CSR[a, n, m, k] =
    {s with data = c[s.indices] * s.data}
## Every entry times that of a dense matrix at its place.
def multiply[a: Num](s: COO[a, n, m, k], x: a[n, m]) -> COO[a, n, m, k] =
    {s with data = s.data * x[s.row, s.col]}
## The same by compressed rows.
def multiply[a: Num](s: CSR[a, n, m, k], x: a[n, m]) -> CSR[a, n, m, k] =
    {s with data = s.data * x.at[row_of(s.indptr, k), s.indices].get(mode="fill", fill=0)}
## The elements of the dense product x @ y at the places of the stored entries, times these. Takes O(k d).
def sampled_matmul[a: Num](s: COO[a, n, m, k], x: a[n, d], y: a[d, m]) -> COO[a, n, m, k] =
    {s with data = s.data * sum(x[s.row] * y.T[s.col], axis=1)}

# ---------------------------------------------------------------- reductions

## The sum of each row.
def row_sums[a: Num](s: COO[a, n, m, k]) -> a[n] = zeros([n], a).at[s.row].add(s.data)
## The same by compressed rows.
def row_sums[a: Num](s: CSR[a, n, m, k]) -> a[n] =
    zeros([n], a).at[row_of(s.indptr, k)].add(s.data, mode="drop")
## The sum of each column.
def column_sums[a: Num](s: COO[a, n, m, k]) -> a[m] = zeros([m], a).at[s.col].add(s.data)
## The same by compressed rows.
def column_sums[a: Num](s: CSR[a, n, m, k]) -> a[m] =
    zeros([m], a).at[s.indices].add(where(row_of(s.indptr, k) < n, s.data, 0))
## The diagonal of a square matrix.
def diagonal[a: Num](s: COO[a, n, n, k]) -> a[n] =
    zeros([n], a).at[s.row].add(where(s.row == s.col, s.data, 0))
## The same by compressed rows.
def diagonal[a: Num](s: CSR[a, n, n, k]) -> a[n] =
    zeros([n], a).at[s.indices].add(where(row_of(s.indptr, k) == s.indices, s.data, 0))
## The sum of the diagonal.
def trace[a: Num](s: COO[a, n, n, k]) -> a = sum(where(s.row == s.col, s.data, 0))
## The same by compressed rows.
def trace[a: Num](s: CSR[a, n, n, k]) -> a = sum(diagonal(s))
## The entries on and below a diagonal, `offset` columns to the right of the main one; zeros in place of the others.
def tril[a: Num](s: COO[a, n, m, k], static offset: int = 0) -> COO[a, n, m, k] =
    {s with data = where(s.col - s.row <= offset, s.data, 0)}
## The same by compressed rows.
def tril[a: Num](s: CSR[a, n, m, k], static offset: int = 0) -> CSR[a, n, m, k] =
    {s with data = where(s.indices - row_of(s.indptr, k) <= offset, s.data, 0)}
## The entries on and above a diagonal, `offset` columns to the right of the main one; zeros in place of the others.
def triu[a: Num](s: COO[a, n, m, k], static offset: int = 0) -> COO[a, n, m, k] =
    {s with data = where(s.col - s.row >= offset, s.data, 0)}
## The same by compressed rows.
def triu[a: Num](s: CSR[a, n, m, k], static offset: int = 0) -> CSR[a, n, m, k] =
    {s with data = where(s.indices - row_of(s.indptr, k) >= offset, s.data, 0)}

# ---------------------------------------------------------------- equations

# One entry after the other, by columns: an entry in column j is read when x[j] is known.
## The x with t x = b for the lower triangle t of s, or for its upper triangle. It reads no other entry, and takes k steps
## that follow each other; so does its derivative.
def solve_triangular[a: Inexact](
    s: COO[a, n, n, k],
    b: a[n],
    *,
    static lower: bool = true
) -> a[n] =
    custom_jvp(_substituted, _substituted_along)(s, b, lower=lower)
## The same by compressed rows.
def solve_triangular[a: Inexact](s: CSR[a, n, n, k], b: a[n], *, static lower: bool = true) -> a[n]
    where n >= 1 =
    solve_triangular(to_coo(s), b, lower=lower)
## The incomplete factors of a square matrix without fill-in, ILU(0) (Meijerink and van der Vorst 1977): a matrix with the
## places of s that holds the lower factor, whose diagonal of ones is not stored, and the upper one. No row has more than
## `width` entries. It takes k steps of `width` products each, for k stored entries. It fails its check where a row has more,
## a place is stored twice, or an entry of the diagonal is missing or becomes 0.
def ilu[F: Float](s: CSR[F, n, n, k], *, static width: size) -> COO[F, n, n, k] ! check
    where n >= 1 and k >= 1 and width >= 1 =
    let found = row_of(s.indptr, k)
    let order = _order(found, s.indices)
    let (row, col) = (found[order], s.indices[order])
    let inside = row < n
    let key = i64(row) * i64(n) + i64(col)
    let last = roll(key, 1)
    assert all((last < key) | ~inside | (iota([k]) == 0)), "ilu: a place is stored twice"
    assert all(
        s.indptr[1:] - s.indptr[:-1] <= i32(width)
    ), "ilu: a row has more than `width` entries"
    let factors = _incomplete(where(inside, s.data[order], 0.0), row, col, key, s.indptr, width)
    let at = _places(key, i64(iota([n])) * i64(n + 1))
    assert all(at < k) and all(
        factors.at[at].get(mode="fill", fill=0.0) != 0.0
    ), "ilu: an entry of the diagonal is missing or becomes 0"
    coo(factors, clip(row, 0, n - 1), col, n, n)
# Where the keys are, which are in order, or k.
def _places(keys: i64[k], wanted: i64[*t]) -> i32[*t] where k >= 1 =
    let at = searchsorted(keys, wanted)
    where((at < k) & (keys.at[at].get(mode="clip") == wanted), i32(at), k)
def _incomplete[F: Float](
    data: F[k],
    row: i32[k],
    col: i32[k],
    key: i64[k],
    indptr: i32[n + 1],
    static width: size
) -> F[k] where k >= 1 =
    let n64 = i64(n)
    let pivots = _places(key, i64(col) * (n64 + 1))
    let left = indptr.at[row].get(mode="clip")[:, None] + iota([width])[None, :]
    let through = col.at[left].get(mode="clip")
    let here = (
        (left < indptr.at[row + 1].get(mode="clip")[:, None])
        & (through < minimum(row, col)[:, None])
    )
    let above = where(here, _places(key, i64(through) * n64 + i64(col)[:, None]), k)
    fold lu = data for (e, i, j, p, l, u) in zip(iota([k]), row, col, pivots, left, above) do
        let rest = lu.at[e].get(mode="clip") - sum(
            lu.at[l].get(mode="clip") * lu.at[u].get(mode="fill", fill=0.0)
        )
        lu.at[e].set(if j < i then rest / lu.at[p].get(mode="clip") else rest, mode="drop")
def _substituted_along[a: Inexact](
    primals: (COO[a, n, n, k], a[n]),
    tangents: ({data: a[k], row: (), col: (), shape: ()}, a[n]),
    *,
    static lower: bool
) -> (a[n], a[n]) =
    let (s, b) = primals
    let x = _substituted(s, b, lower=lower)
    let changed = {s with data = tangents.0.data}
    let part = if lower then tril(changed) else triu(changed)
    (x, _substituted(s, tangents.1 - matmul(part, x), lower=lower))
def _substituted[a: Inexact](s: COO[a, n, n, k], b: a[n], *, static lower: bool) -> a[n] =
    let d = diagonal(s)
    let order = argsort(s.col, descending=not lower)
    let (row, col, data) = (s.row[order], s.col[order], s.data[order])
    let inside = if lower then row > col else row < col
    let y = fold y = b for (i, j, v) in zip(row, col, where(inside, data, 0)) do
        y.at[i].add(-v * y[j] / d[j])
    y / d
