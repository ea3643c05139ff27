"""Output: `print` and `emit`, the one op with an effect: it happens once, in order, and is never dropped.

`text_of` is what is printed, here and by the compiled program, so that both print the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from string import Formatter
from typing import Any, TypeAlias

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NotLinear, Op, Sample
from dsl.ir.region import CannotTransform, Problem
from dsl.ops.elementwise import Atoms, Tangents
from dsl.ops.rule_helpers import Array, Arrays, Axes, Batched, fail
from dsl.ops.sinks import SINKS
from dsl.types.dtype import BF16, F32, I32

Emitted: TypeAlias = tuple[int | float | complex | bool | str | None, ...]


@dataclass(frozen=True, slots=True)
class PrintParams:
    """`format` as of `str.format`, with positional fields only; a newline is added. `emitted` is the tag of an `emit`
    and its values, None for each that is an operand: they are sent to those who listen to the tag."""

    format: str
    emitted: Emitted = field(default=(), repr=False)


def text_of(params: PrintParams, arrays: tuple[Array, ...]) -> str:
    """The text that a `print` of these arrays writes."""
    return params.format.format(*[_printable(x) for x in arrays])


def _printable(x: Array) -> Any:
    """A scalar prints as a Python number with the digits its own precision needs, an array as NumPy does."""
    if x.ndim:
        return x
    value = x.astype(np.float32) if x.dtype == BF16.numpy else x
    if value.dtype.kind in "fc":
        return (float if value.dtype.kind == "f" else complex)(str(value[()]))
    return value.item()


def _print_type(params: PrintParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    try:
        text_of(params, tuple(np.zeros(t.shape, t.dtype.numpy) for t in types))
    except (IndexError, KeyError, ValueError, TypeError) as error:
        raise fail(f"print: {params.format!r} does not fit {len(types)} operands: {error}") from error
    if len(_places(params.format)) != len(types):
        raise fail(f"print: {params.format!r} has other places than {len(types)} operands")
    return ()


def _places(format: str) -> set[str]:
    """The operands a format mentions: by number, or the next one where it names none."""
    names = [name for _, name, _, _ in Formatter().parse(format) if name is not None]
    return {name or str(k) for k, name in enumerate(names)}


def _print_eval(params: PrintParams, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
    if not params.emitted or not _sent(params.emitted, xs):
        print(text_of(params, xs))
    return ()


def _sent(emitted: Emitted, xs: tuple[Array, ...]) -> bool:
    """Whether anyone took the values. Arrays are copied: the memory of operands is reused."""
    tag, *values = emitted
    operands = iter(xs)
    given = (next(operands) if value is None else value for value in values)
    return SINKS.send(str(tag), *[_printable(np.array(x)) if isinstance(x, np.ndarray) else x for x in given])


def _print_jvp(b: Builder, params: PrintParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    return ()


def _print_batch(b: Builder, params: PrintParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    raise CannotTransform(Problem.BATCHED_EFFECT, "print", "the elements of a batch have no order to print in")


PRINT: Op[PrintParams] = Op(
    name="print",
    params=PrintParams,
    doc="Prints the operands in the places of a format, on a line.",
    type_rule=_print_type,
    evaluate=_print_eval,
    jvp=_print_jvp,
    transpose=NotLinear("it prints"),
    batch=_print_batch,
    sharding=lambda params, types: ",".join([""] * len(types)) + "->",
    samples=(
        Sample(PrintParams("loss {}, step {}"), (Tensor(F32), Tensor(I32))),
        Sample(PrintParams("{0} and {0}"), (Tensor(F32, (2,)),)),
        Sample(PrintParams("hello"), ()),
        Sample(PrintParams("loss: {}: 3", ("loss", None, 3)), (Tensor(F32),)),
    ),
    effect="io",
)

IO = (PRINT,)


def emit_print(b: Builder, format: str, xs: tuple[Atom, ...], emitted: Emitted = ()) -> None:
    """Prints the operands into the places of `format`, or sends them to who listens. Performs io. Raises IRTypeError
    where they do not fit."""
    PRINT(b, PrintParams(format, emitted), *xs)
