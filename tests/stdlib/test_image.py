"""`image`, `nn.windows` and `histogram2d` against JAX and NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import dsl
from tests.support.library import Array, Case, compare, written

RNG = np.random.default_rng(5)
IMAGES = RNG.normal(size=(2, 5, 7)).astype(np.float32)
VOLUME = RNG.normal(size=(4, 3, 6))
XS, YS = RNG.uniform(-0.2, 1.2, (2, 40)).astype(np.float32)
WEIGHTS = RNG.normal(size=40).astype(np.float32)
EDGES, OTHERS = np.array([0.0, 0.1, 0.5, 1.0], np.float32), np.array([0.0, 0.4, 1.0], np.float32)


def resized(x: Array, *, sizes: tuple[int, ...], method: str = "linear", antialias: bool = True) -> Array:
    with jax.enable_x64(True):
        shape = (*x.shape[: x.ndim - len(sizes)], *sizes)
        return np.asarray(jax.image.resize(x, shape, method, antialias=antialias))


def windows(x: Array, *, sizes: Sequence[int], steps: Sequence[int], dilation: Sequence[int], fill: float) -> Array:
    """The windows over the last axes of an array that has been padded by one everywhere along these."""
    outer = x.ndim - len(sizes)
    padded = np.pad(x, [(0, 0)] * outer + [(1, 1)] * len(sizes), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(sizes, dilation, strict=True)]
    seen = sliding_window_view(padded, reach, axis=tuple(range(outer, x.ndim)))
    kept: tuple[Any, ...] = (..., *[slice(None, None, step) for step in [*steps, *dilation]])
    seen = seen[kept]
    return np.moveaxis(seen.reshape(*seen.shape[: x.ndim], -1), -1, 0)


def histogram(*args: Array, bins: Any = None, span: Any = None) -> tuple[Array, ...]:
    x, y, *rest = args
    weights = rest[-1] if len(rest) in (1, 3) else None
    edges = rest[:2] if len(rest) >= 2 else bins
    counts, *found = np.histogram2d(x, y, edges, range=span, weights=weights)
    dtype = np.int32 if weights is None else np.float32
    return counts.astype(dtype), *[each.astype(np.float32) for each in found]


RESIZED = tuple(
    Case(
        f"resize_{method}_{rows}_{columns}_{antialias}".lower(),
        f"(x: f32[b, h, w]) -> f32[b, {rows}, {columns}] where h >= 1 and w >= 1 = "
        f'image.resize(x, ({rows}, {columns}), "{method}", antialias={str(antialias).lower()})',
        (IMAGES,),
        partial(resized, sizes=(rows, columns), method=method, antialias=antialias),
    )
    for rows, columns, antialias in ((10, 3, True), (3, 9, False))
    for method in ("nearest", "linear", "cubic", "lanczos3", "lanczos5")
)
CASES = (
    *RESIZED,
    Case(
        "resize_row",
        "(x: f64[b, h, w]) -> f64[b, h, 4] where w >= 1 = image.resize(x, (4,))",
        (VOLUME,),
        partial(resized, sizes=(4,)),
        1e-13,
    ),
    Case(
        "resize_volume",
        '(x: f64[d, h, w]) -> f64[3, 6, 2] where d >= 1 and h >= 1 and w >= 1 = image.resize(x, (3, 6, 2), "cubic")',
        (VOLUME,),
        partial(resized, sizes=(3, 6, 2), method="cubic"),
        1e-13,
    ),
    Case(
        "windows",
        "(x: f32[b, 5, 7]) -> f32[6, b, 3, 2] = nn.windows(x, (2, 3), (2, 3), padding=1, dilation=(2, 2), fill=-1.0)",
        (IMAGES,),
        partial(windows, sizes=(2, 3), steps=(2, 3), dilation=(2, 2), fill=-1.0),
    ),
    Case(
        "windows_of_all_axes",
        "(x: f64[4, 3, 6]) -> f64[12, 5, 4, 6] = nn.windows(x, (2, 2, 3), padding=(1, 1))",
        (VOLUME,),
        partial(windows, sizes=(2, 2, 3), steps=(1, 1, 1), dilation=(1, 1, 1), fill=0.0),
    ),
    Case(
        "reduced",
        "(x: f32[b, 5, 7]) -> f32[b, 3, 3] = nn.reduce_window(x, inf, minimum, (3, 3), 2, padding=[(1, 1), (1, 0)])",
        (IMAGES,),
        lambda x: jax.lax.reduce_window(x, np.inf, jax.lax.min, (1, 3, 3), (1, 2, 2), padding=((0, 0), (1, 1), (1, 0))),
    ),
    Case(
        "reduced_evenly",
        "(x: f32[b, h, w]) -> f32[b, h, w] where h >= 1 and w >= 1 = "
        'nn.reduce_window(x, 0.0, fn (a, b) -> a + b, (2, 3), padding="SAME", dilation=(1, 2))',
        (IMAGES,),
        lambda x: jax.lax.reduce_window(
            x, 0.0, jax.lax.add, (1, 2, 3), (1, 1, 1), padding="SAME", window_dilation=(1, 1, 2)
        ),
    ),
    Case(
        "median_filter",
        "(x: f32[b, h, w]) -> f32[b, h, w] where h >= 1 and w >= 1 = "
        'median(nn.windows(x, (3, 3), padding="SAME"), axis=0)',
        (IMAGES,),
        lambda x: np.median(windows(x, sizes=(3, 3), steps=(1, 1), dilation=(1, 1), fill=0.0), axis=0),
    ),
    Case(
        "convolved",
        "(x: f32[5, 7], k: f32[3, 3]) -> f32[7, 9] = conv(x[None, None], k[None, None], padding=2)[0, 0]",
        (IMAGES[0], IMAGES[1, :3, :3]),
        lambda x, k: jax.lax.conv(np.pad(x, 2)[None, None], k[None, None], (1, 1), "VALID")[0, 0],
    ),
    Case(
        "pooled",
        "(x: f32[b, 5, 7]) -> f32[b, 7, 9] = nn.avg_pool(x, (3, 3), padding=2)",
        (IMAGES,),
        lambda x: (
            jax.lax.reduce_window(np.pad(x, ((0, 0), (2, 2), (2, 2))), 0.0, jax.lax.add, (1, 3, 3), (1, 1, 1), "VALID")
            / 9
        ),
    ),
    Case(
        "histogram2d_counts",
        "(x: f32[n], y: f32[n], e: f32[4], g: f32[3]) -> (i32[3, 2], f32[4], f32[3]) = histogram2d(x, y, (e, g))",
        (np.append(XS, np.float32(1.0)), np.append(YS, np.float32(1.0)), EDGES, OTHERS),
        histogram,
    ),
    Case(
        "histogram2d_weights",
        "(x: f32[n], y: f32[n], e: f32[4], g: f32[3], w: f32[n]) -> (f32[3, 2], f32[4], f32[3]) = "
        "histogram2d(x, y, (e, g), w)",
        (XS, YS, EDGES, OTHERS, WEIGHTS),
        histogram,
    ),
    Case(
        "histogram2d_between",
        "(x: f32[n], y: f32[n]) -> (i32[4, 3], f32[5], f32[4]) = "
        "histogram2d(x, y, (4, 3), range=((0.0, 1.0), (-0.1, 1.1)))",
        (XS, YS),
        partial(histogram, bins=(4, 3), span=((0.0, 1.0), (-0.1, 1.1))),
    ),
)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program("import image\nimport nn\n" + written(CASES))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_as_others(program: dsl.Program, case: Case) -> None:
    compare(program, case)


def test_the_derivative_of_a_resized_image() -> None:
    head = "import image\ndef f(x: f32[h, w]) -> f32 where h >= 1 and w >= 1 = "
    text = head + 'sum(image.resize(x, (3, 4), "cubic") ** 2)\n'
    found = dsl.grad(dsl.program(text).f)(IMAGES[0])
    wanted = jax.grad(lambda x: jnp.sum(jax.image.resize(x, (3, 4), "cubic") ** 2))(IMAGES[0])
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('(x: f32[h, w]) -> f32[2, 2] where h >= 1 and w >= 1 = image.resize(x, (2, 2), "area")', "E0407"),
        ("(x: f32[0, 4]) -> f32[2, 2] = image.resize(x, (2, 2))", "E0407"),
        ("(x: f32[4, 4]) -> f32[3, 2] = image.resize(x, (2, 3))", "E0402"),
        ("(x: f32[4]) -> f32[2, 2] = image.resize(x, (2, 2))", "E0402"),
        ("(x: f32[4, 4]) -> f32[9, 3, 3] = nn.windows(x, (3, 3))", "E0402"),
        ("(x: f32[4, 4]) -> f32[9, 1, 1] = nn.windows(x, (3, 3), dilation=2)", "E0407"),
        ("(x: f32[4, 4]) -> f32[2, 2] = nn.reduce_window(x, 0, fn (a, b) -> a > b, (3, 3))", "E030"),
        ("(x: f32[n], y: f32[m]) -> i32[2, 2] = histogram2d(x, y, (2, 2), range=((0.0, 1.0), (0.0, 1.0))).0", "E0402"),
    ],
)
def test_refused(text: str, code: str) -> None:
    with pytest.raises(dsl.DslError) as refused:
        dsl.program(f"import image\nimport nn\ndef f{text}\n")
    assert code in str(refused.value)
