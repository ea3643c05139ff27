"""StableHLO text: every constant bit for bit, places, names; MLIR's own parser and verifier accept it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dsl.diagnostics.source import Source, Span
from dsl.ir.build import Builder, literal
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.elementwise import add, mul
from dsl.ops.extent import CONSTANT, ConstantParams
from dsl.ops.random import fold_in, random_bits
from dsl.ops.table import OPS
from dsl.transforms.expand import expand
from dsl.types import dtype as d
from dsl.types.dtype import ALL, BF16, C64, F16, F32, F64, I8, U64, DType
from dsl.types.numpy_dtypes import BY_NUMPY
from lowering.stablehlo import types
from lowering.stablehlo.context import quote
from lowering.stablehlo.module import lower
from lowering.xla import adapter
from lowering.xla.compile import compile
from tests.support.cases import some

X = Tensor(F32, (2, 3))


def bits(x: np.ndarray[Any, Any]) -> bytes:
    return np.ascontiguousarray(x).tobytes()


def constants(arrays: list[np.ndarray[Any, Any]]) -> Function:
    b = Builder()
    made: list[Atom] = []
    for x in arrays:
        type = Tensor(BY_NUMPY[x.dtype], x.shape)
        made += CONSTANT(b, ConstantParams(type, bits(x)))
    return b.finish("constants", made)


# --- types and constants ---


def test_types() -> None:
    assert types.tensor(X) == "tensor<2x3xf32>"
    assert types.tensor(Tensor(C64)) == "tensor<complex<f32>>"
    assert types.tensor(Tensor(U64, (0,))) == "tensor<0xui64>"
    assert set(types.ELEMENT) == set(ALL)


def test_scalars() -> None:
    assert types.scalar(1.5, F32) == "1.5"
    assert types.scalar(1e-30, F32) == "1.0000000031710769e-30"
    assert types.scalar(1e16, F64) == "1.0e+16"
    assert types.scalar(-0.0, F64) == "-0.0"
    assert types.scalar(float("inf"), F32) == "0x7F800000"
    assert types.scalar(float("-inf"), F16) == "0xFC00"
    assert types.scalar(float("inf"), BF16) == "0x7F80"
    assert types.scalar(1 - 2j, C64) == "(1.0, -2.0)"
    assert types.scalar(-128, I8) == "-128"
    assert types.scalar(2**64 - 1, U64) == "18446744073709551615"
    assert types.scalar(True, d.BOOL) == "true"


AS_FOR_USERS = (("xla_backend_optimization_level", 3),)
"""Without optimisation XLA flushes subnormal numbers of bf16."""

SPECIAL = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-40, 5e-324, 1e38, 1.7e308, 0.1, 65504.0, 6e-8]


@pytest.mark.parametrize("dtype", d.FLOATS + d.COMPLEXES, ids=str)
def test_literals_arrive_bit_for_bit(dtype: DType) -> None:
    b = Builder()
    numbers: list[Any] = list(SPECIAL)
    if dtype.is_complex:
        numbers = [complex(x, y) for x, y in zip(SPECIAL, reversed(SPECIAL), strict=True)]
    with np.errstate(all="ignore"):
        wanted = [np.asarray(x).astype(dtype.numpy) for x in numbers]
    lowered = lower(b.finish("f", [literal(x, Tensor(dtype, (2,))) for x in numbers]))
    got = compile(lowered, options=AS_FOR_USERS)()
    for x, y in zip(some(wanted), got, strict=True):
        assert bits(np.asarray(y)) == 2 * bits(x)


def elements(dtype: DType) -> st.SearchStrategy[Any]:
    """Any bit pattern of a dtype, those of nan left out: they may lose their payload on the way."""
    width = dtype.bits // 8
    raw = hnp.arrays(np.uint8, st.tuples(st.integers(0, 3), st.integers(0, 3), st.just(width)))
    if dtype.is_bool:
        return raw.map(lambda x: (x[..., 0] % 2).astype(bool))
    return raw.map(lambda x: np.ascontiguousarray(x).view(dtype.numpy)[..., 0]).map(
        lambda x: np.where(np.isnan(x), np.zeros_like(x), x) if dtype.is_inexact else x
    )


@settings(max_examples=8, deadline=None)
@given(st.tuples(*map(elements, ALL)))
def test_constant_arrays_arrive_bit_for_bit(arrays: tuple[np.ndarray[Any, Any], ...]) -> None:
    flat = [np.asarray(x) for x in arrays] + [np.asarray(x).reshape(-1)[:1].reshape(()) for x in arrays if x.size]
    for x, y in zip(some(flat), compile(lower(constants(flat)))(), strict=True):
        assert np.asarray(y).shape == x.shape
        assert bits(np.asarray(y)) == bits(x)


def test_a_splat_is_short_and_a_large_constant_is_raw() -> None:
    assert types.dense(np.ones((1000, 1000), np.float32), Tensor(F32, (1000, 1000))).startswith("dense<1.0> :")
    text = types.dense(np.arange(1000, dtype=np.float32), Tensor(F32, (1000,)))
    assert text.startswith('dense<"0x00000000') and len(text) < 8100
    # 0.0 and -0.0 are equal and are not a splat.
    assert '"0x' in types.dense(np.array([0.0, -0.0], np.float32), Tensor(F32, (2,)))


def test_a_constant_is_written_once_in_a_region() -> None:
    b = Builder()
    x = b.param(X)
    y = add(b, add(b, x, literal(2.0, X)), literal(2.0, Tensor(F32, (2, 3))))
    assert lower(b.finish("f", [mul(b, y, literal(3.0, X))])).text.count("stablehlo.constant") == 2


# --- places ---


def placed(name: str) -> Function:
    source = Source(name, "first line\n  x + x\n")
    b = Builder()
    x = b.param(X)
    with b.at(Span(source, 13, 18)):
        y = add(b, add(b, x, x), x)
    return b.finish("f", [mul(b, y, y)])


def test_operations_carry_their_source_place() -> None:
    text = lower(placed("model.dsl")).text
    assert text.count("loc(#l0)") == 2
    assert text.endswith('#l0 = loc("model.dsl":2:3)\n')
    module = adapter.parse(text)
    additions = [op for op in module.body.operations[0].body.blocks[0] if op.name == "stablehlo.add"]
    assert [str(op.location) for op in additions] == ['loc("model.dsl":2:3)'] * 2
    assert "loc(" not in lower(placed("model.dsl"), locations=False).text


@pytest.mark.parametrize("name", ['a "b" c.dsl', "back\\slash", "größe.dsl", "line\nbreak", "tab\t"])
def test_names_of_files_are_escaped(name: str) -> None:
    module = adapter.parse(lower(placed(name)).text)
    location = module.body.operations[0].body.blocks[0].operations[0].location
    assert location.filename == name
    assert quote("plain.dsl") == '"plain.dsl"'


# --- MLIR accepts it ---


@pytest.mark.parametrize("family", sorted({name[0] for name in OPS}))
def test_the_text_of_every_op_is_verified(family: str) -> None:
    """One module for all ops with an initial letter: parsing is what costs."""
    b = Builder()
    results: list[Atom] = []
    for name, op in OPS.items():
        if name[0] == family:
            for sample in op.samples[:3]:
                results += b.emit(op, sample.params, [b.param(t) for t in sample.inputs])
    module = adapter.parse(lower(expand(b.finish("family", results))).text)
    assert module.operation.verify()


def test_ciphers_of_keys_are_loops_and_those_of_bits_are_written_out() -> None:
    """So that XLA does not merge a chain of ciphers into one expression."""
    b = Builder()
    key = b.param(Tensor(d.U32, (2,)))
    drawn = random_bits(b, fold_in(b, fold_in(b, key, literal(1, Tensor(d.U32))), literal(2, Tensor(d.U32))), (8,))
    text = lower(b.finish("f", [drawn])).text
    assert text.count("stablehlo.while") == 2
    assert text.count("stablehlo.shift_left") == 2 * 4 + 20
