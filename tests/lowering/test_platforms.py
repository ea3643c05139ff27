"""Programs for other platforms than the one at hand: XLA's parser accepts each, whose routines differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from dsl.diagnostics.diagnostic import DeviceError
from dsl.ir.build import Builder
from dsl.ir.function import Function, Literal, Tensor
from dsl.ir.op import NONE, NoParams, Op
from dsl.ops.contract import DOT_GENERAL, DotParams
from dsl.ops.decompose import EIG, EIGH, LU, QR, SVD
from dsl.ops.dynamic import DYNAMIC_SLICE, DYNAMIC_UPDATE_SLICE, SizesParams
from dsl.ops.layout import AxesParams
from dsl.ops.linalg import CHOLESKY, TRIANGULAR_SOLVE, SolveParams
from dsl.ops.reduce import REDUCE_MAX
from dsl.ops.table import OPS
from dsl.transforms.expand import expand
from dsl.types.dtype import BF16, C64, F32, F64, I32, DType
from lowering.lowered import calls_library
from lowering.stablehlo.module import lower
from lowering.stablehlo.registry import RULES, rules_for
from lowering.xla import adapter

GPUS = ["cuda", "rocm"]
FACTORS = [CHOLESKY, EIG, EIGH, LU, QR, SVD]
SHAPES = [(3, 3), (2, 5, 5), (40, 40), (1100, 1100)]


def factoring(op: Op[NoParams], type: Tensor) -> Function:
    b = Builder()
    return b.finish(op.name, list(op(b, NONE, b.param(type))))


def product(dtype: DType) -> Function:
    b, type = Builder(), Tensor(dtype, (3, 3))
    params = DotParams((1,), (0,), (), (), dtype)
    return b.finish("product", list(DOT_GENERAL(b, params, b.param(type), b.param(type))))


@pytest.mark.parametrize("platform", ["cuda", "rocm", "tpu"])
def test_each_platform_has_a_rule_for_each_op(platform: str) -> None:
    assert set(rules_for(platform)) == set(RULES)


@pytest.mark.parametrize("op", [op for op in OPS.values() if any(op.samples)], ids=lambda op: op.name)
def test_programs_for_gpus_are_well_formed(op: Any) -> None:
    for sample in list(op.samples)[:3]:
        b = Builder()
        function = b.finish("f", op(b, sample.params, *[b.param(t) for t in sample.inputs]))
        adapter.parse(lower(expand(function), platform="cuda").text)


@pytest.mark.cpu
@pytest.mark.parametrize("start", [-(2**31), -1, 0, 1, 5, 2**31 - 1])
def test_a_window_at_a_literal_is_within_bounds(start: int) -> None:
    b, type = Builder(), Tensor(F32, (4,))
    x, place = b.param(type), Literal(start, Tensor(I32))
    (part,) = DYNAMIC_SLICE(b, SizesParams((2,)), x, place)
    (whole,) = DYNAMIC_UPDATE_SLICE(b, NONE, x, part, place)
    text = lower(b.finish("f", [part, whole]), platform="cuda").text
    places = dict(re.findall(r"(%\d+) = stablehlo.constant dense<(-?\d+)>", text))
    found = [places[name] for name in re.findall(r"dynamic_(?:update_)?slice .*?(%\d+)(?:, sizes.*)? :", text)]
    assert found == [str(min(max(start, 0), 2))] * 2


@pytest.mark.parametrize("platform", GPUS)
@pytest.mark.parametrize("dtype", [F32, C64], ids=str)
@pytest.mark.parametrize("op", FACTORS, ids=lambda op: op.name)
def test_factors_on_gpus_are_computed_by_their_libraries(op: Op[NoParams], dtype: DType, platform: str) -> None:
    wide: Sequence[tuple[int, ...]] = [(4, 7), (7, 4), (1100, 4), (4, 1100)] if op in (QR, SVD) else []
    for shape in [*SHAPES, *wide]:
        text = lower(factoring(op, Tensor(dtype, shape)), platform=platform).text
        adapter.parse(text)
        assert calls_library(text, platform)
        assert not calls_library(text, "cpu")


def test_triangular_systems_on_gpus_are_those_of_xla() -> None:
    for left, lower_, transform in ((True, False, "none"), (False, True, "adjoint"), (True, True, "transpose")):
        b, params = Builder(), SolveParams(left, lower_, transform)
        a = b.param(Tensor(F64, (3, 3)))
        found = lower(b.finish("f", list(TRIANGULAR_SOLVE(b, params, a, a))), platform="cuda").text
        adapter.parse(found)
        assert "stablehlo.triangular_solve" in found


@pytest.mark.parametrize("op", FACTORS, ids=lambda op: op.name)
def test_a_platform_without_a_library_says_so(op: Op[NoParams]) -> None:
    with pytest.raises(DeviceError, match=f"`{op.name}` is not available on `tpu`") as caught:
        lower(factoring(op, Tensor(F32, (3, 3))), platform="tpu")
    assert caught.value.diagnostics[0].code == "E1005"


@pytest.mark.parametrize(("dtype", "is_said"), [(F32, True), (C64, True), (F64, False), (BF16, False)], ids=str)
def test_products_of_single_precision_keep_all_bits(dtype: DType, is_said: bool) -> None:
    assert ("HIGHEST" in lower(product(dtype), platform="cuda").text) == is_said
    assert "HIGHEST" not in lower(product(dtype)).text


def test_extremes_are_plain_reductions_where_these_keep_nan() -> None:
    b = Builder()
    (y,) = REDUCE_MAX(b, AxesParams((0,)), b.param(Tensor(F32, (512,))))
    function = b.finish("f", [y])
    assert "clamp" in lower(function).text
    assert "clamp" not in lower(function, platform="cuda").text
