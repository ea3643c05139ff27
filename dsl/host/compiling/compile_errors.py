"""Errors between a checked program and its results, as users see them.

A derivative that a program turns out not to have is a `DslError`. Whatever else fails while a checked program is
staged, transformed, lowered or compiled is a bug of the compiler: an `InternalError` with the last IR that was still
right. Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from dsl.diagnostics.diagnostic import DslError, InternalError
from dsl.ir import text
from dsl.ir.function import Function as IRFunction
from dsl.ir.region import CannotTransform
from dsl.staging.transforms.refusals import unnamed
from dsl.transforms.pipeline import LOWERING, Pass, on_one_cpu, over_devices, run
from lowering.lowered import CPU, Lowered, Tilings
from lowering.stablehlo.module import lower
from lowering.xla.compile import CompilationFailed
from lowering.xla.foreign import settled
from lowering.xla.places import Device


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


def passes_for(passes: tuple[Pass, ...], devices: Sequence[Device]) -> tuple[Pass, ...]:
    """The passes for a program on these devices. A single CPU has passes of its own."""
    if len(devices) == 1 and devices[0].platform == CPU:
        return on_one_cpu(passes)
    return over_devices(passes, len(devices))


def lower_program(
    function: IRFunction,
    progress: Progress,
    devices: Sequence[Device] = (),
    donate: Collection[int] = (),
    laid: tuple[Tilings, Tilings] | None = None,
) -> Lowered:
    """The program for these devices, or for one of any kind. It may use the memory of the parameters numbered in
    `donate`; its parameters and results lie as `laid` says."""
    progress.reached("staging", function)
    made = run(function, passes_for(LOWERING, devices), watch=progress.reached)
    platform = devices[0].platform if devices else CPU
    return lower(made, devices=max(1, len(devices)), donate=donate, laid=laid, settle=settled, platform=platform)
