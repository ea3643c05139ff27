"""A name of the library with several definitions, as Python calls it. Read next: `function`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dsl.core.transformation import Kind
from dsl.diagnostics.diagnostic import DslError
from dsl.host.arguments.inputs import Binding
from dsl.host.calls.cached_call import Entry
from dsl.host.functions.function import Function

if TYPE_CHECKING:
    from dsl.staging.stage import Staged

SIZES = frozenset({"E0903", "E0904", "E0911", "E0913"})
"""What may be wrong with arguments whose number, names and kinds fit."""


class OverloadedFunction(Function):
    """Several definitions of one name: a call is of the first that takes its arguments, as in a program. Sizes and
    conditions have no part in the choice."""

    def __init__(self, definitions: Sequence[Function]) -> None:
        self.definitions = tuple(definitions)
        super().__init__(definitions[0].program, definitions[0].value)

    @property
    def type(self) -> str:
        """The signatures as source text, one a line."""
        return "\n".join([definition.type for definition in self.definitions])

    def each(self, change: Callable[[Function], Function]) -> Function:
        """The definitions that can be changed so. Raises `DslError` where none can."""
        made = []
        for definition in self.definitions:
            with suppress(DslError):
                made.append(change(definition))
        return OverloadedFunction(made) if made else change(self.definitions[0])

    def transformed(self, kind: Kind, **options: Any) -> Function:
        return self.each(lambda definition: definition.transformed(kind, **options))

    def paired(self, kind: Kind, args: Sequence[Any], others: Sequence[Any], statics: Mapping[str, Any]) -> Any:
        return self._chosen(args, statics).paired(kind, args, others, statics)

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        return self._chosen(args, kwargs)(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return OverloadedFunction, (self.definitions,)

    def entry(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Entry, list[Any]]:
        return self._chosen(args, kwargs).entry(args, kwargs)

    def staged(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Staged, Binding, list[Any]]:
        return self._chosen(args, kwargs).staged(args, kwargs)

    def _chosen(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Function:
        """The first definition that takes the arguments; where none does, the first says what is wrong."""
        fitting = (definition for definition in self.definitions if _takes(definition, args, kwargs))
        return next(fitting, self.definitions[0])


def _takes(definition: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    try:
        definition.binder.call(args, kwargs)
    except DslError as refused:
        return all(found.code in SIZES for found in refused.diagnostics)
    return True
