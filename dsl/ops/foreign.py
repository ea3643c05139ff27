"""`stablehlo`: a function that another compiler has written, as text. Only its types are known.

So it has no derivative, no evaluation with NumPy, and a batch of calls is a loop of calls.
"""

from __future__ import annotations

from msgspec import Struct, field

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NotDifferentiable, NotEvaluable, Op, Sample
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.factors import nowhere
from dsl.ops.layout import at_axis
from dsl.ops.rule_helpers import NOT_LINEAR, Axes, Batched, fail
from dsl.types.dtype import F32


class ForeignParams(Struct, frozen=True):
    """`functions`: definitions of StableHLO whose names occur nowhere else; `entry` is the one that is called, and
    takes and gives arrays of these types. If it is `open`, it is for all sizes and lowering settles them."""

    entry: str
    operands: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    functions: str = field(default="")
    open: bool = False


def _type(params: ForeignParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if types != params.operands:
        raise fail(f"stablehlo: {params.entry} takes {params.operands}, not {types}")
    return params.results


def _batch(b: Builder, params: ForeignParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    """One call after the other."""
    inner = Builder()
    fixed = [inner.param(x.type) for x, axis in zip(xs, axes, strict=True) if axis is None]
    each = [inner.param(t) for t, axis in zip(params.operands, axes, strict=True) if axis is not None]
    order = iter(fixed), iter(each)
    found = STABLEHLO(inner, params, *[next(order[axis is not None]) for axis in axes])
    body = inner.finish(params.entry, found)
    constant = [x for x, axis in zip(xs, axes, strict=True) if axis is None]
    mapped = [at_axis(b, x, axis, size, 0) for x, axis in zip(xs, axes, strict=True) if axis is not None]
    outputs = SCAN(b, ScanParams(body, len(fixed), 0, size), *constant, *mapped)
    return outputs, (0,) * len(outputs)


_VECTOR = Tensor(F32, (3,))
_TWICE = """func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.add %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
"""

STABLEHLO: Op[ForeignParams] = Op(
    name="stablehlo",
    params=ForeignParams,
    doc="What a function gives that another compiler has written as StableHLO.",
    type_rule=_type,
    evaluate=NotEvaluable("a function of StableHLO is run by XLA alone, not by the evaluator"),
    jvp=NotDifferentiable("it is StableHLO of another compiler, which came without its derivative"),
    transpose=NOT_LINEAR,
    batch=_batch,
    sharding=nowhere(lambda params: params.results),
    samples=(Sample(ForeignParams("twice", (_VECTOR,), (_VECTOR,), _TWICE), (_VECTOR,)),),
)

FOREIGN = (STABLEHLO,)
