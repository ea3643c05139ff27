"""A checked program as its functions see it: Core, what its stagings share, and what the checker says of
transformations. Read next: `program`, its face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from dsl.core.application import Actual, Applicable, Application
from dsl.core.core import Module, Program
from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.message import Diagnostic
from dsl.host.checking.function_terms import argument_term, term_of
from dsl.staging.env.environment import Variables
from dsl.staging.values import FunctionValue, RecordValue, Slot, TupleValue, Value
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import NONE, ArrayType, RecordType, TupleType, Type

if TYPE_CHECKING:
    from dsl.staging.env.stager import Session


class Memory(Protocol):
    """Answers to questions about a program, kept between processes. All of it is data."""

    def recalled(self, *question: object) -> Any: ...

    def keep(self, answer: object, *question: object) -> None: ...


NOTHING: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class CheckedProgram:
    """`applicable` checks what Python makes of a definition; pickle makes it of `again`; `memory` has what other
    processes have made of it."""

    core: Program
    warnings: tuple[Diagnostic, ...] = ()
    applicable: Applicable | None = None
    again: tuple[Any, ...] = ()
    memory: Memory | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return self.again

    def __deepcopy__(self, memo: Any) -> CheckedProgram:
        return self

    @cached_property
    def session(self) -> Session:
        """Return the staging session that the specialisations of this program share."""
        made: Session = import_module("dsl.staging.stage").session(self.core)
        return made

    @cached_property
    def marked_session(self) -> Session:
        """Return the session of what is staged for debuggers, with marks of the text."""
        made: Session = import_module("dsl.staging.stage").session(self.core, marked=True)
        return made

    @property
    def module(self) -> Module:
        return self.core.modules[self.core.main]

    def check(
        self, value: FunctionValue, given: Mapping[str, Value] = NOTHING, variables: Variables | None = None
    ) -> Application:
        """Check a call of a definition with these static values and functions under this solution of its variables.
        Raises the checker's errors about the arguments and about transformations that no call could use."""
        function = term_of(value)
        terms = {name: argument_term(argument, function.span) for name, argument in given.items()}
        actual = None if variables is None else _actual(variables)
        found = Application() if self.applicable is None else self.applicable(function, terms, actual)
        if found.diagnostics:
            raise error_for(found.diagnostics)
        return found


def _actual(variables: Variables) -> Actual:
    return Actual(
        {var: Size.of(size) for var, size in variables.sizes.items()},
        {var: Shape.of(*shape) for var, shape in variables.shapes.items()},
        variables.dtypes,
        {var: _type_of(tree) for var, tree in variables.types.items()},
    )


def _type_of(tree: Value) -> Type:
    """The type of a skeleton of data."""
    match tree:
        case TupleValue(parts):
            return TupleType(tuple([_type_of(part) for part in parts]))
        case RecordValue(fields):
            return RecordType(tuple([(name, _type_of(part)) for name, part in fields]))
        case Slot(leaf):
            return ArrayType(leaf.dtype, Shape.of(*leaf.shape))
        case _:
            return NONE
