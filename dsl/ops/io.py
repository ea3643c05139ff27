"""Ops that act on the host while a program runs, once, in order, and are never dropped: `print`, `emit` and calls of
Python functions.

`lines_of` is what is printed, here and by the compiled program, so that both print the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Any, TypeAlias

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NotDifferentiable, NotLinear, Op, Sample
from dsl.ir.region import CannotTransform, Problem
from dsl.ops import sinks
from dsl.ops.bits import logical_and
from dsl.ops.elementwise import Atoms, Tangents
from dsl.ops.factors import nowhere
from dsl.ops.layout import broadcast_in_dim, move_axis
from dsl.ops.rule_helpers import Array, Arrays, Axes, Batched, fail
from dsl.types.dtype import BOOL, F32, I32
from dsl.types.numpy_dtypes import plain

Sent: TypeAlias = "int | float | complex | bool | str | tuple[Sent, ...] | Fields | None"
Emitted: TypeAlias = tuple[Sent, ...]


@dataclass(frozen=True, slots=True)
class Fields:
    """A record that is sent, by the names of its fields."""

    names: tuple[str, ...]
    values: Emitted


@dataclass(frozen=True, slots=True)
class PrintParams:
    """`format` as of `str.format`, with positional fields only; a newline is added. `emitted` is the tag of an `emit`
    and its values, None for each part that is an operand: they are sent to those who listen to the tag.

    One that is not `ordered` may be mapped: there is a line for each element of `lanes`. `axes` are, for each operand,
    those of the lanes that it has, in front. With `masked` the first operand is a bool: whether there is a line. Of
    several devices the first one prints, or, `everywhere`, each that comes here."""

    format: str
    emitted: Emitted = field(default=(), repr=False)
    ordered: bool = True
    lanes: tuple[int, ...] = ()
    axes: tuple[tuple[int, ...], ...] = ()
    masked: bool = False
    everywhere: bool = False


def lines_of(params: PrintParams, arrays: tuple[Array, ...]) -> Iterator[str]:
    """The lines that a `print` of these arrays writes, those of elements in the order of these."""
    axes = params.axes or ((),) * len(arrays)
    for lane in np.ndindex(params.lanes):
        values = [x[tuple([lane[a] for a in own])] for x, own in zip(arrays, axes, strict=True)]
        shown = values[1:] if params.masked else values
        if not params.masked or values[0]:
            yield params.format.format(*map(plain, map(np.asarray, shown)))


def _print_type(params: PrintParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if params.axes and len(params.axes) != len(types):
        raise fail(f"print: {len(types)} operands, and axes for {len(params.axes)}")
    one = [t.shape[len(own) :] for t, own in zip(types, params.axes or ((),) * len(types), strict=True)]
    shown = [np.zeros(shape, t.dtype.numpy) for t, shape in zip(types, one, strict=True)][params.masked :]
    try:
        params.format.format(*map(plain, shown))
    except (IndexError, KeyError, ValueError, TypeError) as error:
        raise fail(f"print: {params.format!r} does not fit {len(shown)} operands: {error}") from error
    if len(_places(params.format)) != len(shown):
        raise fail(f"print: {params.format!r} has other places than {len(shown)} operands")
    return ()


def _places(format: str) -> set[str]:
    """The operands a format mentions: by number, or the next one where it names none."""
    names = [name for _, name, _, _ in Formatter().parse(format) if name is not None]
    return {name or str(k) for k, name in enumerate(names)}


def _print_eval(params: PrintParams, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
    if not params.emitted or not _sent(params.emitted, xs):
        for line in lines_of(params, xs):
            if params.everywhere:
                print(f"{line}\n", end="")  # in one piece: devices print at the same time
            else:
                print(line)
    return ()


def _sent(emitted: Emitted, xs: tuple[Array, ...]) -> bool:
    """Return whether anyone took the values."""
    tag, *values = emitted
    operands = iter(xs)
    return sinks.send(str(tag), *[_filled(value, operands) for value in values])


def _filled(value: Sent, operands: Iterator[Array]) -> Any:
    """A value with the operands it lacks. They are copied: their memory is reused."""
    match value:
        case None:
            return plain(np.array(next(operands)))
        case tuple():
            return tuple([_filled(part, operands) for part in value])
        case Fields(names, values):
            return dict(zip(names, [_filled(part, operands) for part in values], strict=True))
        case _:
            return value


def _print_jvp(b: Builder, params: PrintParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    return ()


def _print_batch(b: Builder, params: PrintParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    if params.ordered:
        raise CannotTransform(Problem.BATCHED_EFFECT, "print", "the elements of a batch have no order to print in")
    fronted = [x if axis is None else move_axis(b, x, axis, 0) for x, axis in zip(xs, axes, strict=True)]
    before = params.axes or ((),) * len(xs)
    lanes = [
        (*((0,) if axis is not None else ()), *[a + 1 for a in own]) for axis, own in zip(axes, before, strict=True)
    ]
    return PRINT(b, replace(params, lanes=(size, *params.lanes), axes=tuple(lanes)), *fronted), ()


def _print_masked(
    b: Builder, params: PrintParams, xs: tuple[Atom, ...], happens: Atom
) -> tuple[PrintParams, tuple[Atom, ...]]:
    """In a branch for all elements at once, before it is mapped: so the mask has no lanes."""
    if params.masked:
        spread = broadcast_in_dim(b, happens, xs[0].type.shape, ())
        return params, (logical_and(b, xs[0], spread), *xs[1:])
    axes = params.axes or ((),) * len(xs)
    return replace(params, masked=True, axes=((), *axes)), (happens, *xs)


PRINT: Op[PrintParams] = Op(
    name="print",
    params=PrintParams,
    doc="Prints the operands in the places of a format, on a line.",
    type_rule=_print_type,
    evaluate=_print_eval,
    jvp=_print_jvp,
    transpose=NotLinear("it prints"),
    batch=_print_batch,
    sharding=nowhere(lambda params: ()),
    samples=(
        Sample(PrintParams("loss {}, step {}"), (Tensor(F32), Tensor(I32))),
        Sample(PrintParams("{0} and {0}"), (Tensor(F32, (2,)),)),
        Sample(PrintParams("hello"), ()),
        Sample(PrintParams("loss: {}: 3", ("loss", None, 3)), (Tensor(F32),)),
        Sample(PrintParams("loss {}", ordered=False), (Tensor(F32),)),
    ),
    effect="io",
    ordered=lambda params: params.ordered,
    masked=_print_masked,
)


def _returned(*xs: Array) -> Arrays:
    return xs


@dataclass(frozen=True, slots=True)
class CallbackParams:
    """`function` takes arrays of NumPy of the types `operands` and gives such of the types `results`; `name` is what
    the program calls it."""

    name: str
    operands: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    function: Callable[..., Arrays] = field(default=_returned, repr=False)


def _callback_type(params: CallbackParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if types != params.operands:
        raise fail(f"callback: {params.name} takes {params.operands}, not {types}")
    return params.results


def _callback_eval(params: CallbackParams, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
    return params.function(*[np.array(x) for x in xs])


def _callback_batch(b: Builder, params: CallbackParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    raise CannotTransform(Problem.BATCHED_EFFECT, "callback", "the elements of a batch have no order to call Python in")


_VECTOR = (Tensor(F32, (2,)),)
_SCALARS = (Tensor(F32), Tensor(BOOL))

CALLBACK: Op[CallbackParams] = Op(
    name="callback",
    params=CallbackParams,
    doc="Calls a function of Python with the operands. Operands are copies, since their memory is reused.",
    type_rule=_callback_type,
    evaluate=_callback_eval,
    jvp=NotDifferentiable("nobody can look into a function of Python; give it a derivative with custom_jvp"),
    transpose=NotLinear("it calls Python"),
    batch=_callback_batch,
    sharding=nowhere(lambda params: params.results),
    samples=(
        Sample(CallbackParams("f", _VECTOR, _VECTOR), _VECTOR),
        Sample(CallbackParams("f", _SCALARS, _SCALARS), _SCALARS),
    ),
    effect="io",
)

IO = (PRINT, CALLBACK)


def emit_print(b: Builder, format: str, xs: tuple[Atom, ...], emitted: Emitted = (), ordered: bool = True) -> None:
    """Prints the operands into the places of `format`, or sends them to who listens. Raises IRTypeError where they do
    not fit."""
    PRINT(b, PrintParams(format, emitted, ordered), *xs)
