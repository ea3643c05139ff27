"""How the programs of a function of a program are made: known from another process, or staged, lowered and compiled.

Read next: `specialisation`, which does the latter and takes long to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Devices, Where
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.call_binder import CallBinder, ReadCall
from dsl.host.calls.known_programs import keep, recalled
from dsl.host.checking.checked_program import CheckedProgram
from dsl.late_names import LateModule
from dsl.staging.values import FunctionValue
from lowering.lowered import Lowered as StableHLO
from lowering.xla.compile import Effort

if TYPE_CHECKING:
    from dsl.host.arguments import shares
    from dsl.host.compiling import compile_errors
    from dsl.host.functions import specialisation
    from dsl.staging.stage import Staged
else:  # they take long to import: what makes programs, where a known one runs
    compile_errors = LateModule("dsl.host.compiling.compile_errors")
    shares = LateModule("dsl.host.arguments.shares")
    specialisation = LateModule("dsl.host.functions.specialisation")


class Way:
    """How a staged function becomes a program: as it is, where its arrays lie. Its programs are `kept` for other
    processes; the first for a kind of arguments is compiled with this `effort`."""

    effort: Effort = "full"
    kept = True

    def finished(self, staged: Staged, binding: Binding) -> Staged:
        """The function that is lowered."""
        return staged

    def devices(self, staged: Staged, binding: Binding, places: Where, values: Mapping[str, Any]) -> Devices:
        """The devices it runs on."""
        return shares.devices_for(staged.function, places, values)

    def is_placed(self, staged: Staged) -> bool:
        """Return whether something else than its arrays says where the function runs."""
        return shares.spreads(staged.function)

    def lowered(
        self, staged: Staged, binding: Binding, progress: compile_errors.Progress, devices: Devices
    ) -> StableHLO:
        """The function as StableHLO."""
        return compile_errors.lower_program(staged.function, progress, devices)


class Compiler:
    """Makes the programs of a function, in one way."""

    def __init__(self, program: CheckedProgram, binder: CallBinder, way: Way) -> None:
        self.program = program
        self.callee = binder.callee
        self.way = way
        self._binder = binder

    def entry(self, call: ReadCall, places: Where) -> Entry:
        """The program for calls like one with arrays at these places."""
        binding = self._binder.bind(call.values, call.sizes)
        binding.inputs(call.leaves)  # no index fits an axis without elements, and nothing is compiled for none
        return self.compiled(self.callee.value, binding, places, call.values)

    def compiled(self, value: FunctionValue, binding: Binding, places: Where, values: Mapping[str, Any]) -> Entry:
        """The program of the function, or of a transformation of it, for a kind of arguments; `values` are those of a
        call by name."""
        question, known = recalled(self.program, value, binding, places, values) if self.way.kept else (None, None)
        if known is None:
            staged = self.way.finished(specialisation.staged(self, value, binding), binding)
            known = specialisation.compiled(self, staged, binding, places, values)
            keep(self.program, question, known)
        return known

    def staged(self, binding: Binding) -> Staged:
        """The IR of the function for a kind of arguments."""
        return self.way.finished(specialisation.staged(self, self.callee.value, binding), binding)
