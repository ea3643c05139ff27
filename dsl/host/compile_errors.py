"""What goes wrong on the way from a checked program to its results, as users see it.

A device that is full is a `DeviceError`, a derivative that a program turns out not to have a `DslError`. Whatever else
fails while a checked program is staged, transformed, lowered
or compiled is a bug of the compiler: an `InternalError` with the last IR that was still right. Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dsl.core import core
from dsl.diagnostics.diagnostic import (
    DeviceError,
    Diagnostic,
    DslError,
    Help,
    InternalError,
    Label,
)
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem, argument_error
from dsl.ir import text
from dsl.ir.function import Function as IRFunction
from dsl.ir.region import CannotTransform
from dsl.staging.transforms.differentiate import refusal
from dsl.transforms.pipeline import LOWERING, over_devices, run
from lowering.stablehlo.module import Lowered, lower
from lowering.xla.compile import CompilationFailed
from lowering.xla.execute import OutOfMemory

FAULTS = (Problem, OutOfMemory)
"""What a call of a compiled program may raise for `explained`."""


def explained(fault: Problem | OutOfMemory, definition: core.Function) -> DslError:
    if isinstance(fault, Problem):
        return argument_error([fault], definition)
    return too_large(fault, definition.span)


def too_large(fault: OutOfMemory, place: Span) -> DeviceError:
    help = Help("compute less at a time, or in a smaller dtype")
    return DeviceError([Diagnostic("E1001", str(fault), Label(place), help=(help,))])


class Progress:
    """The last IR of one compilation that was right."""

    def __init__(self) -> None:
        self.step = ""
        self.function: IRFunction | None = None

    def reached(self, step: str, function: IRFunction) -> None:
        self.step, self.function = step, function


@contextmanager
def compiling(name: str, progress: Progress) -> Iterator[None]:
    """Turns what must not happen to a checked program into an `InternalError`."""
    try:
        yield
    except (DslError, InternalError, MemoryError):
        raise
    except Exception as fault:
        if isinstance(fault, CannotTransform) and fault.span is not None:
            raise refusal(fault, fault.span) from None
        error = InternalError(f"`{name}` could not be compiled: {type(fault).__name__}: {fault}")
        if isinstance(fault, CompilationFailed):
            error.add_note(f"What XLA refused:\n{fault.text}")
        elif progress.function is not None:
            error.add_note(f"The IR after {progress.step}:\n{text.show(progress.function)}")
        raise error from fault


def lowered(function: IRFunction, progress: Progress, devices: int = 1) -> Lowered:
    """The program over so many devices."""
    progress.reached("staging", function)
    passes = over_devices(LOWERING, devices)
    return lower(run(function, passes, watch=progress.reached), devices=devices)
