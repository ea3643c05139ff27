"""Errors in a call of a compiled program, as users see them: arguments that do not fit, a device without enough memory.

Read next: `dispatch`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from dsl.core import core
from dsl.diagnostics.diagnostic import DeviceError, Diagnostic, DslError, Help, Label
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem, argument_error
from lowering.xla.execute import OutOfMemory

FAULTS = (Problem, OutOfMemory, RecursionError)
"""What a call of a compiled program may raise for `explain_fault`."""


@contextmanager
def explained_faults(definition: core.Function) -> Iterator[None]:
    """Faults of a call of a function become the errors that users see."""
    try:
        yield
    except FAULTS as fault:
        raise explain_fault(fault, definition) from None


def explain_fault(fault: Problem | OutOfMemory | RecursionError, definition: core.Function) -> DslError:
    match fault:
        case Problem():
            return argument_error([fault], definition)
        case OutOfMemory():
            return too_large(fault, definition.span)
        case RecursionError():
            endless = f"an argument of `{definition.written_name}` contains itself, or is nested too deeply"
            return argument_error([Problem("E0901", endless)], definition)
        case _:
            assert_never(fault)


def too_large(fault: OutOfMemory, place: Span) -> DeviceError:
    help = Help("compute less at a time, or in a smaller dtype")
    return DeviceError([Diagnostic("E1001", str(fault), Label(place), help=(help,))])
