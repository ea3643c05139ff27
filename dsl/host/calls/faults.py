"""What goes wrong in a call of a compiled program, as users see it: arguments that do not fit, a device that is full.

Read next: `dispatch`.
"""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.diagnostic import DeviceError, Diagnostic, DslError, Help, Label
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem, argument_error
from lowering.xla.execute import OutOfMemory

FAULTS = (Problem, OutOfMemory)
"""What a call of a compiled program may raise for `explain_fault`."""


def explain_fault(fault: Problem | OutOfMemory, definition: core.Function) -> DslError:
    if isinstance(fault, Problem):
        return argument_error([fault], definition)
    return too_large(fault, definition.span)


def too_large(fault: OutOfMemory, place: Span) -> DeviceError:
    help = Help("compute less at a time, or in a smaller dtype")
    return DeviceError([Diagnostic("E1001", str(fault), Label(place), help=(help,))])
