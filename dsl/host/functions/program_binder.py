"""How calls of a function of a program are bound: other functions among its arguments are of the same program, and the
checker is asked where these or static arguments decide what a call means. Read next: `compiler`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from dsl.core import core
from dsl.core.application import Application
from dsl.host.argument_errors import other_program
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.pytree import functions_within
from dsl.host.calls.call_binder import CallBinder, Callee
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.results.variants import enum_of, variants_of
from dsl.late_names import LateModule
from dsl.records import replace
from dsl.staging.env.environment import Variables
from dsl.staging.values import FUNCTIONS, FunctionValue, Missing, Transformed, Value, is_data

if TYPE_CHECKING:
    from dsl.host.functions import specialisation
else:  # it takes long to import: what stages
    specialisation = LateModule("dsl.host.functions.specialisation")


@runtime_checkable
class Part(Protocol):
    """A function as an argument of another one."""

    @property
    def program(self) -> CheckedProgram: ...

    @property
    def __name__(self) -> str: ...

    def check_inside(self, use: str) -> None:
        """Check that the function can be used inside a program."""


def check_part(program: CheckedProgram, name: str, other: Part) -> None:
    """Check that another function can be part of a program, as what `name` is."""
    if other.program is not program:
        raise other_program(name, other.__name__)
    other.check_inside(name)


class ProgramBinder(CallBinder):
    """The arguments of calls of a function of a program. `any_call` is what the checker says of all calls, where it was
    asked before."""

    def __init__(self, program: CheckedProgram, callee: Callee, any_call: Application | None = None) -> None:
        super().__init__(callee, lambda type: variants_of(enum_of(program.core, type)), self._of_program)
        self._program = program
        self._checked = any_call

    def bind(self, values: Mapping[str, Any], sizes: Mapping[str, Any], keyed: bool = True) -> Binding:
        """Return what the parameters stand for, as the checker says where it depends on the arguments."""
        for name, value in values.items():
            for other in functions_within(value):
                if isinstance(other, Part):
                    check_part(self._program, name, other)
        found, callee = super().bind(values, sizes, keyed), self.callee
        signature = callee.signature
        pairs = [(p, a) for p, a in zip(signature.params, found.args, strict=True) if not isinstance(a, Missing)]
        functions = {p.name: a for p, a in pairs if not is_data(a) and p.name in values}
        decided = len(signature.hidden) == len(signature.extra_sizes) and not _has_rules(callee.value)
        if decided and not functions and not self._any_call.conditional:
            return found
        statics = {p.name: a for p, a in pairs if is_data(a) and not p.counts}
        applied = self._program.check(callee.value, {**statics, **functions}, found.variables)
        hidden = tuple([(variable, Variables({}).meaning(meaning)) for variable, meaning in applied.hidden])
        return replace(found, hidden=hidden or found.hidden, applied=applied if functions else None)

    @cached_property
    def _any_call(self) -> Application:
        """Return the result of checking the function for arbitrary arguments."""
        if self._checked is not None:
            return self._checked
        return self._program.check(self.callee.value) if self.callee.transformed else Application()

    def _of_program(self, parameter: core.Parameter, variables: Variables, given: Mapping[int, Value]) -> Value:
        """Return the default of a static parameter that the call omits."""
        assert parameter.default is not None
        return specialisation.default(self._program.session, parameter.default, variables, given)


def _has_rules(value: FunctionValue) -> bool:
    """Return whether functions are options of its transformations, which are called with the arguments of the
    function."""
    if not isinstance(value, Transformed):
        return False
    return any(isinstance(option, FUNCTIONS) for _, option in value.options) or _has_rules(value.function)
