"""Output: `print`, the one op with an effect: it happens once, in order, and is never dropped.

`text_of` is what is printed, here and by the compiled program, so that both print the same.
"""

from __future__ import annotations

from string import Formatter
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NotLinear, Op, Sample
from dsl.ir.region import CannotTransform, Problem
from dsl.ops.elementwise import Atoms, Tangents
from dsl.ops.rule_helpers import Array, Arrays, Axes, Batched, fail
from dsl.types.dtype import BF16, F32, I32


class PrintParams(Struct, frozen=True):
    """`format` as of `str.format`, with positional fields only; a newline is added."""

    format: str


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
    print(text_of(params, xs))
    return ()


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
    ),
    effect="io",
)

IO = (PRINT,)


def emit_print(b: Builder, format: str, xs: tuple[Atom, ...]) -> None:
    """Prints the operands into the places of `format`. Performs io. Raises IRTypeError where they do not fit."""
    PRINT(b, PrintParams(format), *xs)
