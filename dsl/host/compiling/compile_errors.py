"""Errors between a checked program and its results, as users see them.

A derivative that a program turns out not to have is a `DslError`. Whatever else fails while a checked program is
staged, transformed, lowered or compiled is a bug of the compiler: an `InternalError` with the last IR that was still
right. Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from dsl.diagnostics.diagnostic import DslError, InternalError
from dsl.ir import text
from dsl.ir.function import Function as IRFunction
from dsl.ir.region import CannotTransform
from dsl.staging.transforms.refusals import unnamed
from dsl.transforms.pipeline import LOWERING, over_devices, run
from lowering.lowered import Lowered, Tilings
from lowering.stablehlo.module import lower
from lowering.xla.compile import CompilationFailed
from lowering.xla.foreign import settled


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
            raise unnamed(fault, fault.span) from None
        error = InternalError(f"`{name}` could not be compiled: {type(fault).__name__}: {fault}")
        if isinstance(fault, CompilationFailed):
            error.add_note(f"What XLA refused:\n{fault.text}")
        elif progress.function is not None:
            error.add_note(f"The IR after {progress.step}:\n{text.show(progress.function)}")
        raise error from fault


def lower_program(
    function: IRFunction,
    progress: Progress,
    devices: int = 1,
    donate: Collection[int] = (),
    laid: tuple[Tilings, Tilings] | None = None,
) -> Lowered:
    """The program over so many devices, which may use the memory of the parameters numbered in `donate`; its parameters
    and results lie as `laid` says."""
    progress.reached("staging", function)
    passes = over_devices(LOWERING, devices)
    return lower(
        run(function, passes, watch=progress.reached), devices=devices, donate=donate, laid=laid, settle=settled
    )
