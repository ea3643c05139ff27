"""Sums of shifted products are the convolutions that they replace, and replace no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ir.verify import verify
from dsl.ir.walk import equations
from dsl.ops.convolve import CONV_GENERAL, ConvParams
from dsl.ops.layout import reduce_sum, transpose
from dsl.transforms import stencils
from dsl.transforms.stencils import shift_stencils
from dsl.types.dtype import BF16, C128, F32, F64, I32, DType
from tests.support.cases import some
from tests.support.derivative import grad
from tests.support.op_samples import arrays_of, distinct


def convolution(image: tuple[int, ...], kernel: tuple[int, ...], dtype: DType = F64, **changes: Any) -> Function:
    space = len(image) - 2
    ones, zeros = (1,) * space, (0,) * space
    given = {"strides": ones, "low": zeros, "high": zeros, "image_dilation": ones, "kernel_dilation": ones} | changes
    b = Builder()
    x, k = b.param(Tensor(dtype, image)), b.param(Tensor(dtype, kernel))
    return b.finish("f", CONV_GENERAL(b, ConvParams(**given, groups=image[1] // kernel[1], dtype=dtype), x, k))


def has_convolution(f: Function) -> bool:
    return any(e.op is CONV_GENERAL for e in equations(f))


def agree(f: Function) -> None:
    rng = np.random.default_rng(0)
    values = [rng.normal(size=t.shape).astype(t.dtype.numpy) for t in f.param_types]
    made = shift_stencils(f)
    verify(made)
    assert has_convolution(f) and not has_convolution(made)
    for x, y in zip(evaluate(made, values), evaluate(f, values), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.fixture(autouse=True)
def _any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stencils, "WORK", 1)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_windows_of_all_kinds(data: st.DataObject) -> None:
    space = data.draw(st.integers(0, 3))

    def drawn(low: int, high: int) -> tuple[int, ...]:
        return tuple(data.draw(st.lists(st.integers(low, high), min_size=space, max_size=space)))

    groups, features = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    extents, dilation = drawn(1, 3), drawn(1, 2)
    image = tuple([n + (k - 1) * d + 1 for n, k, d in zip(drawn(1, 4), extents, dilation, strict=True)])
    channels = data.draw(st.integers(1, 3))
    kernel = (groups * features, channels, *extents)
    changes = {"strides": drawn(1, 3), "low": drawn(-1, 2), "high": drawn(-1, 2), "kernel_dilation": dilation}
    f = convolution((2, groups * channels, *image), kernel, data.draw(st.sampled_from((F64, C128))), **changes)
    if f.results[0].type.size:
        agree(f)


def test_images_in_another_order() -> None:
    """With the channels last, as most images have them."""
    b = Builder()
    x, k = b.param(Tensor(F64, (2, 5, 6, 4))), b.param(Tensor(F64, (6, 2, 3, 2)))
    params = ConvParams((1, 2), (1, 0), (0, 1), (1, 1), (1, 1), 2, F64)
    (y,) = CONV_GENERAL(b, params, transpose(b, x, (0, 3, 1, 2)), k)
    agree(b.finish("f", [transpose(b, y, (0, 2, 3, 1))]))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_each_tap_has_zeros_of_its_own_around_an_image_in_memory(data: st.DataObject) -> None:
    """With the channels last, and enough of them."""

    def drawn(low: int, high: int) -> tuple[int, int]:
        return data.draw(st.tuples(st.integers(low, high), st.integers(low, high)))

    extents, dilation, groups, each = drawn(1, 3), drawn(1, 2), data.draw(st.sampled_from((1, 8))), 8
    size = [n + (k - 1) * d + 1 for n, k, d in zip(drawn(1, 4), extents, dilation, strict=True)]
    low, high = drawn(-1, 2), drawn(-1, 2)
    params = ConvParams((1, 1), low, high, (1, 1), dilation, groups, F64)
    b = Builder()
    x, k = b.param(Tensor(F64, (2, *size, 2 * groups))), b.param(Tensor(F64, (groups * each, 2, *extents)))
    (y,) = CONV_GENERAL(b, params, transpose(b, x, (0, 3, 1, 2)), k)
    f = b.finish("f", [transpose(b, y, (0, 2, 3, 1))])
    if f.results[0].type.size:
        agree(f)


CHANNELS_LAST = """
def one(x: f32[n, h, w, c], k: f32[3, 3, 1, c]) -> f32[n, h, w, c] where h >= 1 and w >= 1 and c >= 1 =
    conv(x, k, 1, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=c)
def two(x: f32[n, h, w, c], k: f32[3, 3, 1, c]) -> f32[n, h, w, c] where h >= 1 and w >= 1 and c >= 1 =
    one(one(x, k), k)
"""


def test_an_image_in_memory_is_not_copied() -> None:
    """One that is computed is, as each tap would compute it anew; so is one of few channels."""
    m = dsl.program(CHANNELS_LAST)
    x, k = np.ones((4, 32, 32, 8), np.float32), np.ones((3, 3, 1, 8), np.float32)
    copy = 4 * 34 * 34 * 8 * x.itemsize
    assert m.one.memory(x, k).between < copy / 10
    assert m.two.memory(x, k).between >= copy
    few = x[..., :4], k[..., :4]
    assert m.one.memory(*few).between >= copy / 2


def test_samples_of_the_op() -> None:
    """Each stays what it is, whether it is replaced or not."""
    for sample in some(distinct(CONV_GENERAL)):
        b = Builder()
        f = b.finish("f", CONV_GENERAL(b, sample.params, *[b.param(t) for t in sample.inputs]))
        values = arrays_of(CONV_GENERAL, sample)
        for x, y in zip(evaluate(shift_stencils(f), values), evaluate(f, values), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_the_derivative_in_the_image_is_one_too() -> None:
    params = ConvParams((1, 1), (1, 1), (1, 1), (1, 1), (1, 1), 1, F64)
    b = Builder()
    (y,) = CONV_GENERAL(b, params, b.param(Tensor(F64, (1, 1, 8, 8))), b.param(Tensor(F64, (1, 1, 3, 3))))
    total = b.finish("g", [reduce_sum(b, y, range(y.type.rank))])
    made = shift_stencils(grad(total, (0,)))
    assert not has_convolution(made)


KEPT = {
    "many channels": ((1, 5, 6, 6), (1, 5, 3, 3), F64, {}),
    "many taps": ((1, 1, 20, 20), (1, 1, 10, 10), F64, {}),
    "narrow floats": ((1, 1, 6, 6), (1, 1, 3, 3), BF16, {}),
    "integers": ((1, 1, 6, 6), (1, 1, 3, 3), I32, {}),
    "gaps in the image": ((1, 1, 6, 6), (1, 1, 3, 3), F32, {"image_dilation": (2, 2)}),
}


@pytest.mark.parametrize("name", KEPT)
def test_others_stay(name: str) -> None:
    image, kernel, dtype, changes = KEPT[name]
    f = convolution(image, kernel, dtype, **changes)
    assert shift_stencils(f) is f


def test_little_work_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    f = convolution((1, 1, 6, 6), (1, 1, 3, 3))
    monkeypatch.setattr(stencils, "WORK", 1000)
    assert shift_stencils(f) is f
