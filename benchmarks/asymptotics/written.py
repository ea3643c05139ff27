"""Rows whose texts are written out: functions with static parameters, keys or trees, and those of several axes."""

from __future__ import annotations

from types import MappingProxyType

import jax
import jax.numpy as jnp

from benchmarks.asymptotics.row import Table

STATIC: Table = MappingProxyType(
    {
        "zeros": ("def f(x: f32[n]) = zeros([n]) + x", lambda x: jnp.zeros(x.shape) + x),
        "linspace": ("def f(x: f32[n]) -> f32[n] = linspace(x[0], 1.0, n)", lambda x: jnp.linspace(x[0], 1.0, len(x))),
        "reshape": ("def f(x: f32[n]) = reshape(x, [-1, 16]).T", lambda x: x.reshape(-1, 16).T),
        "repeat": ("def f(x: f32[n]) = repeat(x, 3)", lambda x: jnp.repeat(x, 3)),
        "tile": ("def f(x: f32[n]) = tile(x, [3])", lambda x: jnp.tile(x, 3)),
        "roll": ("def f(x: f32[n]) = roll(x, [5])", lambda x: jnp.roll(x, 5)),
        "roll by a number": (
            "def f(x: f32[n]) = roll(x, i32(x[0] * 9.0))",
            lambda x: jnp.roll(x, (x[0] * 9).astype(int)),
        ),
        "pad": ("def f(x: f32[n]) = pad(x, [(3, 4)])", lambda x: jnp.pad(x, (3, 4))),
        "diff": ("def f(x: f32[n]) = diff(x)", jnp.diff),
        "split": ("def f(x: f32[n]) = split(x, 4)", lambda x: jnp.stack(jnp.split(x, 4))),
        "sort": ("def f(x: f32[n]) = sort(x)", jnp.sort),
        "argsort": ("def f(x: f32[n]) = argsort(x)", jnp.argsort),
        "median": ("def f(x: f32[n]) = median(x)", jnp.median),
        "quantile": ("def f(x: f32[n]) = quantile(x, 0.3)", lambda x: jnp.quantile(x, 0.3)),
        "nanquantile": ("def f(x: f32[n]) = nanquantile(x, 0.3)", lambda x: jnp.nanquantile(x, 0.3)),
        "unique": (
            "def f(x: f32[n]) = unique(x, size=16, fill_value=0.0)",
            lambda x: jnp.unique(x, size=16, fill_value=0.0),
        ),
        "flatnonzero": ("def f(x: f32[n]) = flatnonzero(x, size=16)", lambda x: jnp.flatnonzero(x, size=16)),
        "hanning": ("def f(x: f32[n]) = hanning(n) + x", lambda x: jnp.hanning(len(x)) + x),
        "trapezoid": ("def f(x: f32[n]) = trapezoid(x)", jnp.trapezoid),
        "cumulative_trapezoid": ("def f(x: f32[n]) = cumulative_trapezoid(x)", None),
        "nn.glu": (
            "import nn\ndef f(x: f32[n]) = nn.glu(reshape(x, [-1, 16]))",
            lambda x: jax.nn.glu(x.reshape(-1, 16)),
        ),
        "unwrap": ("def f(x: f32[n]) = unwrap(x)", jnp.unwrap),
        "fft.fftfreq": ("import fft\ndef f(x: f32[n]) = fft.fftfreq(n) + x", lambda x: jnp.fft.fftfreq(len(x)) + x),
        "special.polygamma": (
            "import special\ndef f(x: f32[n]) = special.polygamma(2, x)",
            lambda x: jax.scipy.special.polygamma(2, x),
        ),
        "ones": ("def f(x: f32[n]) = ones([n]) + x", lambda x: jnp.ones(x.shape) + x),
        "full": ("def f(x: f32[n]) = full([n], x[0])", lambda x: jnp.full(x.shape, x[0])),
        "zeros_like": ("def f(x: f32[n]) = zeros_like(x) + x", lambda x: jnp.zeros_like(x) + x),
        "ones_like": ("def f(x: f32[n]) = ones_like(x) + x", lambda x: jnp.ones_like(x) + x),
        "optimization_barrier": (
            "def f(x: f32[n]) = optimization_barrier(x) + x",
            lambda x: jax.lax.optimization_barrier(x) + x,
        ),
        "linear_map": ("def f(x: f32[n]) = linear_map(fn v -> 2.0 * v, fn v -> 2.0 * v, x)", lambda x: 2.0 * x),
        "zero_with_derivative": (
            "def f(x: f32[n]) = grad(fn x -> sum(zero_with_derivative(fn v -> 2.0 * v, fn v -> 2.0 * v, x)))(x)",
            lambda x: 0.0 * x + 2.0,
        ),
        "implicit_solution": (
            "def f(x: f32[n]) = grad(fn x -> sum(implicit_solution("
            "fn s -> x - 2.0 * s, fn r -> 0.5 * r, fn r -> 0.5 * r, 0.5 * x, order=1)))(x)",
            lambda x: 0.0 * x + 0.5,
        ),
        "stop_gradient": ("def f(x: f32[n]) = stop_gradient(x) + x", lambda x: jax.lax.stop_gradient(x) + x),
        "checkpoint_name": ('def f(x: f32[n]) = checkpoint_name(x, "a") + x', lambda x: x + x),
        "logspace": (
            "def f(x: f32[n]) -> f32[n] = logspace(x[0], 1.0, n)",
            lambda x: jnp.logspace(x[0], 1.0, len(x)),
        ),
        "geomspace": (
            "def f(x: f32[n]) -> f32[n] = geomspace(x[0], 2.0, n)",
            lambda x: jnp.geomspace(x[0], 2.0, len(x)),
        ),
        "arange": ("def f(x: f32[n]) = f32(arange(n)) + x", lambda x: jnp.arange(len(x)).astype(x.dtype) + x),
        "iota": ("def f(x: f32[n]) = f32(iota([n])) + x", lambda x: jnp.arange(len(x)).astype(x.dtype) + x),
        "hamming": ("def f(x: f32[n]) = hamming(n) + x", lambda x: jnp.hamming(len(x)) + x),
        "blackman": ("def f(x: f32[n]) = blackman(n) + x", lambda x: jnp.blackman(len(x)) + x),
        "bartlett": ("def f(x: f32[n]) = bartlett(n) + x", lambda x: jnp.bartlett(len(x)) + x),
        "broadcast_to": ("def f(x: f32[n]) = broadcast_to(x, [4, n])", lambda x: jnp.broadcast_to(x, (4, len(x)))),
        "expand_dims": ("def f(x: f32[n]) = expand_dims(x, axis=0)", lambda x: jnp.expand_dims(x, 0)),
        "squeeze": ("def f(x: f32[n]) = squeeze(x[None, :], axis=0)", lambda x: jnp.squeeze(x[None, :], 0)),
        "dynamic_slice_in_dim": (
            "def f(x: f32[n]) = dynamic_slice_in_dim(x, i32(x[0] * 9.0), n // 2)",
            lambda x: jax.lax.dynamic_slice_in_dim(x, (x[0] * 9).astype(int), len(x) // 2),
        ),
        "dynamic_slice": (
            "def f(x: f32[n]) = dynamic_slice(x, [i32(x[0] * 9.0)], [n // 2])",
            lambda x: jax.lax.dynamic_slice(x, [(x[0] * 9).astype(int)], [len(x) // 2]),
        ),
        "vstack": ("def f(x: f32[n]) = vstack((x, x))", lambda x: jnp.vstack((x, x))),
        "hstack": ("def f(x: f32[n]) = hstack((x, x))", lambda x: jnp.hstack((x, x))),
        "column_stack": ("def f(x: f32[n]) = column_stack((x, x))", lambda x: jnp.column_stack((x, x))),
        "dstack": ("def f(x: f32[n]) = dstack((x, x))", lambda x: jnp.dstack((x, x))),
        "delete": ("def f(x: f32[n]) where n >= 5 = delete(x, 4)", lambda x: jnp.delete(x, 4)),
        "insert": ("def f(x: f32[n]) where n >= 5 = insert(x, 4, x[0])", lambda x: jnp.insert(x, 4, x[0])),
        "vander": ("def f(x: f32[n]) = vander(x, 8)", lambda x: jnp.vander(x, 8)),
        "top_k": ("def f(x: f32[n]) where n >= 16 = top_k(x, 16)", lambda x: tuple(jax.lax.top_k(x, 16))),
        "top_k of half": ("def f(x: f32[n]) = top_k(x, n // 2)", lambda x: tuple(jax.lax.top_k(x, len(x) // 2))),
        "one_hot": (
            "def f(x: f32[n]) = one_hot(i32(x * 7.0), 8)",
            lambda x: jax.nn.one_hot((x * 7).astype(jnp.int32), 8),
        ),
        "nn.one_hot": (
            "import nn\ndef f(x: f32[n]) = nn.one_hot(i32(x * 7.0), 8)",
            lambda x: jax.nn.one_hot((x * 7).astype(jnp.int32), 8),
        ),
        "compress": (
            'def f(x: f32[n]) = compress(x, x > 0.5, size=n, fill=0.0, overflow="drop")',
            lambda x: jnp.compress(x > 0.5, x, size=len(x), fill_value=0.0),
        ),
        "switch": (
            "def f(x: f32[n]) = switch(i32(x[0] * 2.0), (fn v -> sin(v), fn v -> cos(v), fn v -> v * v), x)",
            lambda x: jax.lax.switch((x[0] * 2).astype(jnp.int32), (jnp.sin, jnp.cos, jnp.square), x),
        ),
        "associative_scan": (
            "def f(x: f32[n]) = associative_scan(fn (a, b) -> a + b - a * b, x)",
            lambda x: jax.lax.associative_scan(lambda a, b: a + b - a * b, x),
        ),
        "associative_scan in reverse": (
            "def f(x: f32[n]) = associative_scan(fn (a, b) -> a + b - a * b, x, reverse=true)",
            lambda x: jax.lax.associative_scan(lambda a, b: a + b - a * b, x, reverse=True),
        ),
        "special.multigammaln": (
            "import special\ndef f(x: f32[n]) = special.multigammaln(x + 2.0, 3)",
            lambda x: jax.scipy.special.multigammaln(x + 2, 3),
        ),
        "fft.rfftfreq": ("import fft\ndef f(x: f32[n]) = fft.rfftfreq(n)", lambda x: jnp.fft.rfftfreq(len(x))),
        "cross": (
            "def f(x: f32[n]) = cross(reshape(x[: n // 4 * 3], [-1, 3]), reshape(x[n // 4 :][: n // 4 * 3], [-1, 3]))",
            lambda x: jnp.cross(x[: len(x) // 4 * 3].reshape(-1, 3), x[len(x) // 4 :].reshape(-1, 3)),
        ),
        "dynamic_update_slice": (
            "def f(x: f32[n]) = dynamic_update_slice(x, x[: n // 2], [i32(x[0] * 9.0)])",
            lambda x: jax.lax.dynamic_update_slice(x, x[: len(x) // 2], [(x[0] * 9).astype(int)]),
        ),
        "comprehension": ("def f(x: f32[n]) = [sin(v) * v for v in x]", jax.vmap(lambda v: jnp.sin(v) * v)),
        "fold": (
            "def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x do s * 0.5 + v",
            lambda x: jax.lax.fori_loop(0, len(x), lambda i, s: s * 0.5 + x[i], 0.0),
        ),
    }
)
RECTANGLES: Table = MappingProxyType(
    {
        "rows of sums": ("def f(x: f32[n, m]) = sum(x, axis=1)", lambda x: x.sum(1)),
        "columns of sums": ("def f(x: f32[n, m]) = sum(x, axis=0)", lambda x: x.sum(0)),
        "cumsum along rows": ("def f(x: f32[n, m]) = cumsum(x, axis=1)", lambda x: jnp.cumsum(x, axis=1)),
        "sort along columns": ("def f(x: f32[n, m]) = sort(x, axis=0)", lambda x: jnp.sort(x, axis=0)),
        "median along rows": ("def f(x: f32[n, m]) = median(x, axis=1)", lambda x: jnp.median(x, axis=1)),
        "argmax along rows": ("def f(x: f32[n, m]) = argmax(x, axis=1)", lambda x: jnp.argmax(x, axis=1)),
        "eye": ("def f(x: f32[n, n]) = eye(n) + x", lambda x: jnp.eye(len(x)) + x),
        "tri": ("def f(x: f32[n, n]) = tri(n, n) + x", lambda x: jnp.tri(len(x), len(x)) + x),
        "triu_indices": ("def f(x: f32[n, n]) where n >= 1 = triu_indices(n)", lambda x: jnp.triu_indices(len(x))),
        "tril_indices": ("def f(x: f32[n, n]) where n >= 1 = tril_indices(n)", lambda x: jnp.tril_indices(len(x))),
        "diag_indices": ("def f(x: f32[n, n]) = diag_indices(n)", lambda x: jnp.diag_indices(len(x))),
        "swapaxes": ("def f(x: f32[n, m]) = swapaxes(x, 0, 1)", lambda x: jnp.swapaxes(x, 0, 1)),
        "moveaxis": ("def f(x: f32[n, m]) = moveaxis(x, [1], [0])", lambda x: jnp.moveaxis(x, 1, 0)),
        "argsort along rows": ("def f(x: f32[n, m]) = argsort(x, axis=1)", lambda x: jnp.argsort(x, axis=1)),
        "softmax along columns": (
            "import nn\ndef f(x: f32[n, m]) where n >= 1 = nn.softmax(x, axis=0)",
            lambda x: jax.nn.softmax(x, axis=0),
        ),
        "cumsum along columns": ("def f(x: f32[n, m]) = cumsum(x, axis=0)", lambda x: jnp.cumsum(x, axis=0)),
        "fft.fft2": (
            "import fft\ndef f(x: f32[n, m]) = fft.fft2(c64(x))",
            lambda x: jnp.fft.fft2(x.astype(jnp.complex64)),
        ),
        "fft.ifft2": (
            "import fft\ndef f(x: f32[n, m]) = fft.ifft2(c64(x))",
            lambda x: jnp.fft.ifft2(x.astype(jnp.complex64)),
        ),
        "fft.rfft2": ("import fft\ndef f(x: f32[n, m]) = fft.rfft2(x)", jnp.fft.rfft2),
        "fft.irfft2": (
            "import fft\ndef f(x: f32[n, m]) = fft.irfft2(c64(x))",
            lambda x: jnp.fft.irfft2(x.astype(jnp.complex64)),
        ),
        "tensordot": ("def f(x: f32[n, n]) = tensordot(x, x, axes=1)", lambda x: jnp.tensordot(x, x, axes=1)),
        "matmul": ("def f(x: f32[n, n]) = x @ x", lambda x: x @ x),
        "cov": ("def f(x: f32[n, n]) = cov(x)", jnp.cov),
        "pairs of rows": (
            "def f(x: f32[n, m]) = [[sum((a - b) ** 2.0) for b in x] for a in x]",
            lambda x: jax.vmap(lambda a: jax.vmap(lambda b: ((a - b) ** 2).sum())(x))(x),
        ),
        "a choice of each row": (
            "def f(x: f32[n, m]) = [if r[0] > 0.5 then sum(sin(r)) else sum(cos(r)) for r in x]",
            jax.vmap(lambda r: jax.lax.cond(r[0] > 0.5, lambda: jnp.sin(r).sum(), lambda: jnp.cos(r).sum())),
        ),
        "linalg.matrix_power": (
            "import linalg\ndef f(x: f32[n, n]) = linalg.matrix_power(x, 5)",
            lambda x: jnp.linalg.matrix_power(x, 5),
        ),
    }
)
INDEXED: Table = MappingProxyType(
    {
        "gather": ("def f(x: f32[n], i: idx[n][n]) = x[i]", lambda x, i: x[i]),
        "take": ("def f(x: f32[n], i: idx[n][n]) = take(x, i)", jnp.take),
        "take_along_axis": (
            "def f(x: f32[n], i: idx[n][n]) = take_along_axis(x, i, axis=0)",
            lambda x, i: jnp.take_along_axis(x, i, axis=0),
        ),
        "segment_sum": (
            "def f(x: f32[n], i: idx[n][n]) = segment_sum(x, i, n)",
            lambda x, i: jax.ops.segment_sum(x, i, len(x)),
        ),
        "segment_max": (
            "def f(x: f32[n], i: idx[n][n]) = segment_max(x, i, n)",
            lambda x, i: jax.ops.segment_max(x, i, len(x)),
        ),
        "segment_prod": (
            "def f(x: f32[n], i: idx[n][n]) = segment_prod(x, i, n)",
            lambda x, i: jax.ops.segment_prod(x, i, len(x)),
        ),
        "segment_mean": ("def f(x: f32[n], i: idx[n][n]) = segment_mean(x, i, n)", None),
        "segment_softmax": ("def f(x: f32[n], i: idx[n][n]) = segment_softmax(x, i, n)", None),
        "segment_logsumexp": ("def f(x: f32[n], i: idx[n][n]) = segment_logsumexp(x, i, n)", None),
        "segment_min": (
            "def f(x: f32[n], i: idx[n][n]) = segment_min(x, i, n)",
            lambda x, i: jax.ops.segment_min(x, i, len(x)),
        ),
        "clamp_index": (
            "def f(x: f32[n], i: i32[n]) where n >= 1 = clamp_index(i, n)",
            lambda x, i: jnp.clip(i, 0, len(x) - 1),
        ),
        "unravel_index": (
            "def f(x: f32[16 * m], i: idx[16 * m][16 * m]) = unravel_index(i, (m, 16))",
            lambda x, i: tuple(jnp.unravel_index(i, (len(x) // 16, 16))),
        ),
        "ravel_multi_index": (
            "def f(x: f32[n], i: idx[n][n]) = ravel_multi_index((i, i), (n, n))",
            lambda x, i: i * len(x) + i,
        ),
        "bincount": (
            "def f(x: f32[n], i: idx[n][n]) = bincount(i, n)",
            lambda x, i: jnp.bincount(i, length=len(x)),
        ),
        "gradient of gather": (
            "def f(x: f32[n], i: idx[n][n]) = grad(fn v -> sum(v[i] ** 2.0))(x)",
            lambda x, i: jax.grad(lambda v: (v[i] ** 2).sum())(x),
        ),
    }
)
SHORT: Table = MappingProxyType(
    {
        "convolve": ("def f(x: f32[n], v: f32[m]) = convolve(x, v)", jnp.convolve),
        "correlate": ("def f(x: f32[n], v: f32[m]) = correlate(x, v)", lambda x, v: jnp.correlate(x, v, "valid")),
        "polyval": ("def f(x: f32[n], v: f32[m]) = polyval(v, x)", lambda x, v: jnp.polyval(v, x)),
        "isin": ("def f(x: f32[n], v: f32[m]) = isin(x, v)", jnp.isin),
        "searchsorted": ("def f(x: f32[n], v: f32[m]) = searchsorted(v, x)", lambda x, v: jnp.searchsorted(v, x)),
        "digitize": (
            "def f(x: f32[n], v: f32[m]) = digitize(x, cumsum(v))",
            lambda x, v: jnp.digitize(x, jnp.cumsum(v)),
        ),
        "interp": (
            "def f(x: f32[n], v: f32[m]) = interp(x, cumsum(v), v)",
            lambda x, v: jnp.interp(x, jnp.cumsum(v), v),
        ),
        "histogram": (
            "def f(x: f32[n], v: f32[m]) = histogram(x, cumsum(v)).0",
            lambda x, v: jnp.histogram(x, jnp.cumsum(v))[0],
        ),
        "histogram2d": (
            "def f(x: f32[n], v: f32[m]) = histogram2d(x, x, (cumsum(v), cumsum(v))).0",
            lambda x, v: jnp.histogram2d(x, x, [jnp.cumsum(v), jnp.cumsum(v)])[0],
        ),
        "outer": ("def f(x: f32[n], v: f32[m]) = outer(x, v)", jnp.outer),
    }
)
IMAGES: Table = MappingProxyType(
    {
        "conv": (
            "def f(x: f32[b, c, h, w], k: f32[o, c, i, j]) where i >= 1 and j >= 1 = conv(x, k)",
            lambda x, k: jax.lax.conv(x, k, (1, 1), "SAME"),
        ),
        "gradient of conv": (
            "def f(x: f32[b, c, h, w], k: f32[o, c, i, j]) where i >= 1 and j >= 1 ="
            " grad(fn (x, k) -> sum(conv(x, k) ** 2.0), argnums=(0, 1))(x, k)",
            jax.grad(lambda x, k: (jax.lax.conv(x, k, (1, 1), "SAME") ** 2).sum(), (0, 1)),
        ),
        "nn.max_pool": (
            "import nn\ndef f(x: f32[b, c, h, w], k: f32[*s]) where h >= 2 and w >= 2 = nn.max_pool(x, [2, 2], [2])",
            lambda x, k: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
        ),
        "nn.avg_pool": (
            "import nn\ndef f(x: f32[b, c, h, w], k: f32[*s]) where h >= 2 and w >= 2 = nn.avg_pool(x, [2, 2], [2])",
            lambda x, k: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4,
        ),
        "nn.windows": (
            "import nn\ndef f(x: f32[b, c, h, w], k: f32[*s]) where h >= 3 and w >= 3 ="
            " sum(nn.windows(x, (3, 3)), axis=0)",
            lambda x, k: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 3, 3), (1, 1, 1, 1), "VALID"),
        ),
        "nn.reduce_window": (
            "import nn\ndef f(x: f32[b, c, h, w], k: f32[*s]) where h >= 3 and w >= 3 ="
            " nn.reduce_window(x, 0.0, fn (a, b) -> a + b, (3, 3))",
            lambda x, k: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 3, 3), (1, 1, 1, 1), "VALID"),
        ),
        "image.resize": (
            "import image\ndef f(x: f32[b, c, h, w], k: f32[*s]) where h >= 1 and w >= 1 ="
            ' image.resize(x, (h, w), "cubic")',
            lambda x, k: jax.image.resize(x, x.shape, "cubic"),
        ),
        "gradient of max_pool": (
            "import nn\ndef f(x: f32[b, c, h, w], k: f32[*s]) where h >= 2 and w >= 2 ="
            " grad(fn v -> sum(nn.max_pool(v, [2, 2], [2]) ** 2.0))(x)",
            jax.grad(
                lambda x, k: (
                    jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") ** 2
                ).sum()
            ),
        ),
    }
)
ATTENTION = "q: f32[b, t, h, d], k: f32[b, t, h, d], v: f32[b, t, h, d]"
HEADS: Table = MappingProxyType(
    {
        "dot_product_attention": (
            f"def f({ATTENTION}) where t >= 1 and d >= 1 = nn.dot_product_attention(q, k, v)",
            jax.nn.dot_product_attention,
        ),
        "dot_product_attention, causal": (
            f"def f({ATTENTION}) where t >= 1 and d >= 1 = nn.dot_product_attention(q, k, v, is_causal=true)",
            lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
        ),
    }
)
