"""What a type rule refuses, and the sentence it says; and the rules that say there is none."""

from __future__ import annotations

from typing import Any

import pytest

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Tensor
from dsl.ir.op import NONE, NotDifferentiable, NotEvaluable, NotLinear, Op
from dsl.ir.region import CannotTransform, Problem
from dsl.ops.contract import DotParams
from dsl.ops.convolve import plain
from dsl.ops.elementwise import CompareParams
from dsl.ops.extent import AxisParams, ConstantParams, IotaParams, PadParams, SliceParams
from dsl.ops.fft import FftParams
from dsl.ops.index import WindowParams
from dsl.ops.io import PrintParams
from dsl.ops.layout import AxesParams, BroadcastParams, PermutationParams, ShapeParams
from dsl.ops.linalg import SolveParams
from dsl.ops.power import ExponentParams
from dsl.ops.random import CipherParams
from dsl.ops.search import ArgParams
from dsl.ops.sort import SortParams, TopParams
from dsl.ops.table import OPS
from dsl.records import replace
from dsl.types.dtype import BOOL, C64, F32, F64, I32, U32
from tests.support.cases import some


def f(*shape: int) -> Tensor:
    return Tensor(F32, shape)


ROWS = WindowParams((1,), (0,), (), (), (0,), (1, 3))
REFUSED: list[tuple[str, Any, tuple[Tensor, ...], str]] = [
    ("add", NONE, (f(2), f(3)), r"add: operands f32\[2\] and f32\[3\] differ"),
    ("add", NONE, (f(2), Tensor(F64, (2,))), "differ"),
    ("add", NONE, (Tensor(BOOL), Tensor(BOOL)), "add is not defined on bool"),
    ("sin", NONE, (Tensor(I32),), "sin is not defined on i32"),
    ("and", NONE, (f(), f()), "and is not defined on f32"),
    ("compare", CompareParams("near"), (f(), f()), "'near' is not a direction"),
    ("compare", CompareParams("lt"), (Tensor(C64), Tensor(C64)), "c64 has no order"),
    ("select", NONE, (f(), f(), f()), "is not a bool"),
    ("select", NONE, (Tensor(BOOL, (2,)), f(3), f(3)), "is not a bool of shape"),
    ("complex", NONE, (f(), Tensor(F64)), "are not parts of complex numbers"),
    ("real", NONE, (f(),), "f32 is not complex"),
    ("broadcast_in_dim", BroadcastParams((2, 3), (0,)), (f(3),), "does not fit dims"),
    ("broadcast_in_dim", BroadcastParams((2, 3), (1, 0)), (f(3, 2),), "must increase"),
    ("reshape", ShapeParams((5,)), (f(2, 3),), "does not have the elements"),
    ("transpose", PermutationParams((0, 0)), (f(2, 3),), "not a permutation"),
    ("reduce_sum", AxesParams((2,)), (f(2, 3),), "do not fit rank 2"),
    ("reduce_sum", AxesParams((0,)), (Tensor(BOOL, (2,)),), "not defined on bool"),
    ("rev", AxesParams((0, 0)), (f(2, 3),), "do not fit rank 2"),
    ("slice", SliceParams((0,), (4,), (1,)), (f(3),), "0:4:1 does not fit an axis of 3"),
    ("slice", SliceParams((0,), (3,), (0,)), (f(3),), "does not fit an axis"),
    ("pad", PadParams((0,), (-4,), (0,)), (f(3), f()), "crops more"),
    ("pad", PadParams((0,), (0,), (0,)), (f(3), f(1)), "not a scalar"),
    ("concatenate", AxisParams(0), (f(2, 3), f(2, 4)), "differ beside axis 0"),
    ("concatenate", AxisParams(0), (), "needs an operand"),
    ("iota", IotaParams(BOOL, (2,), 0), (), "not defined on bool"),
    ("constant", ConstantParams(f(2), b"1234"), (), "4 bytes"),
    ("argmax", ArgParams(0, I32), (f(0),), "is empty"),
    ("dot_general", DotParams((0,), (0,), (), (), F32), (f(2), f(3)), "do not meet"),
    ("dot_general", DotParams((0,), (0,), (), (), I32), (f(2), f(2)), "cannot be summed in i32"),
    ("conv_general", plain(1, F32), (f(1, 2, 5), f(1, 3, 2)), "do not fall into 1 groups"),
    ("conv_general", plain(1, F32), (f(1, 2, 5), f(1, 2, 0)), "is empty"),
    ("fft", FftParams("fft", (4,)), (f(4),), "fft is not defined on f32"),
    ("fft", FftParams("rfft", (5,)), (f(4),), "does not have lengths"),
    ("gather", ROWS, (f(4, 3), f(2, 1)), "not defined on f32"),
    ("gather", ROWS, (f(4, 3), Tensor(I32, (2, 2))), "do not hold vectors of 1"),
    ("gather", replace(ROWS, slice_sizes=(2, 3)), (f(4, 3), Tensor(I32, (2, 1))), "another size than 1"),
    ("scatter_add", ROWS, (f(4, 3), Tensor(I32, (2, 1)), f(2, 2)), r"should be f32\[2, 3\]"),
    ("integer_pow", ExponentParams(-1), (Tensor(I32),), "has no power -1"),
    ("sort", SortParams(0, 2), (f(3),), "2 keys of 1 operands"),
    ("sort", SortParams(0, 1), (Tensor(C64, (3,)),), "not defined on c64"),
    ("top_k", TopParams(4), (f(3),), "has no 4 elements"),
    ("cholesky", NONE, (f(2, 3),), "no square matrices"),
    ("triangular_solve", SolveParams(True, True, "inverse"), (f(2, 2), f(2, 1)), "not a transform"),
    ("triangular_solve", SolveParams(True, True), (f(2, 2), f(3, 1)), "does not fit"),
    ("threefry2x32", CipherParams(keys=False), (Tensor(U32),) * 3, "takes 4 operands, not 3"),
    ("print", PrintParams("{} {}"), (f(),), "does not fit 1 operands"),
    ("print", PrintParams("{}"), (f(), f()), "other places"),
    ("print", PrintParams("{:d}"), (f(),), "does not fit"),
]


@pytest.mark.parametrize(("name", "params", "types", "sentence"), REFUSED, ids=lambda v: str(v)[:40])
def test_refused(name: str, params: Any, types: tuple[Tensor, ...], sentence: str) -> None:
    with pytest.raises(IRTypeError, match=sentence):
        OPS[name].type_rule(params, types)


def test_printing_has_no_batch() -> None:
    op = OPS["print"]
    b = Builder()
    x = b.param(f(3))
    assert isinstance(op, Op)
    with pytest.raises(CannotTransform) as caught:
        op.batch(b, PrintParams("{}"), (x,), (0,), 3)
    assert caught.value.problem is Problem.BATCHED_EFFECT


def test_absence_is_spoken() -> None:
    """Where an op has no evaluation, derivative or transpose, it says why in a clause that fits after a colon."""
    for op in some(OPS.values()):
        for rule in (op.evaluate, op.jvp, op.transpose):
            if isinstance(rule, NotEvaluable | NotDifferentiable | NotLinear):
                assert rule.why and rule.why[0].islower() and not rule.why.endswith("."), op.name
