"""Marks of the text in a program that is debugged: the name of a value, and the line, call or check that comes next.

Only staging for a debugger emits these. They compute nothing. Read next: `dsl.staging.env.marks`,
`dsl.interactive.debugger`.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Factors, Linear, NotLinear, Op, Sample, Tangent, Zero
from dsl.ir.traits import MOVES
from dsl.ops.bits import logical_and
from dsl.ops.layout import broadcast_in_dim, move_axis
from dsl.ops.rule_helpers import Array, Arrays, Axes, Batched, check_arity, fail
from dsl.records import replace
from dsl.types.dtype import ALL, BOOL

VALUE, TANGENT, COTANGENT = "value", "tangent", "cotangent"
LINE, ENTER, LEAVE, CHECK, STATIC = "line", "enter", "leave", "check", "static"


class NamedParams(Struct, frozen=True):
    """The operand is the part at `path` of the value of a name; or, by `what`, the tangent or cotangent of that. It has
    `axes` more in front, for all elements of so many maps."""

    name: str
    path: str = ""
    what: str = VALUE
    axes: int = 0


def _named_type(params: NamedParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("named", types, 1)
    return types


def _named_jvp(
    b: Builder, params: NamedParams, xs: tuple[Atom, ...], ys: tuple[Atom, ...], ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    """Only values have derivatives with a name: those of derivatives would have too long ones."""
    (t,) = ts
    return ts if params.what != VALUE or isinstance(t, Zero) else NAMED(b, replace(params, what=TANGENT), t)


def _named_transpose(
    b: Builder, params: NamedParams, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
) -> tuple[Tangent | None, ...]:
    (ct,) = cts
    return cts if params.what == COTANGENT or isinstance(ct, Zero) else NAMED(b, replace(params, what=COTANGENT), ct)


def _named_batch(b: Builder, params: NamedParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    (x,), (axis,) = xs, axes
    if axis is None:
        return NAMED(b, params, x), axes
    return NAMED(b, replace(params, axes=params.axes + 1), move_axis(b, x, axis, 0)), (0,)


NAMED: Op[NamedParams] = Op(
    name="named",
    params=NamedParams,
    doc="The operand, which is what a name of the text stands for. Only a debugger asks for it.",
    type_rule=_named_type,
    evaluate=lambda params, types, x: (x,),
    jvp=_named_jvp,
    transpose=_named_transpose,
    batch=_named_batch,
    sharding="...->...",
    samples=tuple([Sample(NamedParams("x"), (Tensor(t, (2, 3)),)) for t in ALL]),
    traits=MOVES,
)


class StepParams(Struct, frozen=True):
    """By `what`: a `line` begins; a function of this name is entered (`enter`) or left (`leave`); a `check` fails, its
    message being `text`, where an element of the operand is true; the part at `path` of `name` is `static`, and `text`
    says what it is."""

    what: str
    name: str = ""
    path: str = ""
    text: str = ""


def _step_type(params: StepParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    wanted = (BOOL,) if params.what == CHECK else ()
    if tuple([t.dtype for t in types]) != wanted:
        raise fail(f"step: {params.what} takes {wanted}, not {types}")
    return ()


def _step_eval(params: StepParams, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
    return ()


def _step_jvp(b: Builder, params: StepParams, xs: Any, ys: Any, ts: Any) -> tuple[Tangent, ...]:
    return ()


def _step_batch(b: Builder, params: StepParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    return STEP(b, params, *xs), ()


def _any_part(params: StepParams, types: tuple[Tensor, ...]) -> Factors:
    return Factors(tuple([tuple(range(t.rank)) for t in types]), ())


def _masked(b: Builder, params: StepParams, xs: tuple[Atom, ...], happens: Atom) -> tuple[StepParams, tuple[Atom, ...]]:
    """A line is computed for all elements; a check fails for those alone that come to it."""
    return params, tuple([logical_and(b, x, broadcast_in_dim(b, happens, x.type.shape, ())) for x in xs])


STEP: Op[StepParams] = Op(
    name="step",
    params=StepParams,
    doc="Nothing: the text goes on here, or something is to be said of it. Only a debugger asks for it.",
    type_rule=_step_type,
    evaluate=_step_eval,
    jvp=_step_jvp,
    transpose=NotLinear("it says where the text goes on"),
    batch=_step_batch,
    sharding=_any_part,
    samples=(Sample(StepParams(LINE), ()), Sample(StepParams(CHECK, text="x is positive"), (Tensor(BOOL),))),
    effect="debug",
    ordered=lambda params: False,
    masked=_masked,
)

MARKS = (NAMED, STEP)
