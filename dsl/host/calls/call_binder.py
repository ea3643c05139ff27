"""Calls from Python against the parameters of a function: read, told apart from other calls, and bound.

Knows no compiled programs. Read next: `dsl.host.arguments.binding`, `dispatch`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from dsl.core import core
from dsl.host.argument_errors import Problem
from dsl.host.arguments.binding import Default, bind, bind_by_name
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.keys import key_data
from dsl.host.arguments.pytree import flatten, static_key
from dsl.host.arguments.vmap_axes import Cut, Map, Stripping, maps_of
from dsl.host.python_types.kinds import draws
from dsl.host.results.variants import Enums, with_variants
from dsl.staging import errors as staging_errors
from dsl.staging.values import FunctionValue, Transformed, definition_of
from dsl.types.limits import Exceeded


class Callee(Struct, frozen=True, eq=False):
    """A function value as calls know it. One that `draws` needs a key to draw from, given as `key`; `maps` are the maps
    around its definition."""

    value: FunctionValue
    definition: core.Function
    signature: core.Signature
    draws: bool
    maps: tuple[Map | Cut, ...]
    transformed: bool

    @staticmethod
    def of(value: FunctionValue) -> Callee:
        """Return what calls know of a function value."""
        named = definition_of(value)
        assert named is not None
        definition = named.definition
        signature = definition.signature
        maps = maps_of(value, sum(p.counts for p in signature.params))
        return Callee(value, definition, signature, draws(definition), maps, isinstance(value, Transformed))

    @property
    def name(self) -> str:
        """The name as it is written."""
        return self.definition.written_name


class ReadCall(Struct, frozen=True, eq=False):
    """A call by names: its arguments and sizes, the traced leaves in order, and the key of everything else."""

    values: dict[str, Any]
    sizes: dict[str, Any]
    leaves: list[Any]
    key: object


class CallBinder:
    """The arguments of calls of a function against its parameters."""

    def __init__(self, callee: Callee, variants: Enums, default: Default) -> None:
        self.callee = callee
        self.variants = variants
        self._default = default

    def named(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], Any]:
        """The arguments and the sizes of a call by name, and what is given as `key` to draw from."""
        callee, seed = self.callee, None
        if callee.draws:
            kwargs = dict(kwargs)
            seed = kwargs.pop("key", None)
        return *bind_by_name(callee.definition, args, kwargs, callee.transformed), seed

    def read(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ReadCall:
        """Read a call by the names of the parameters."""
        callee = self.callee
        values, sizes, seed = self.named(args, kwargs)
        leaves: list[Any] = []
        key: list[Any] = [static_key(tuple(sizes.items()))]
        for parameter in callee.signature.params:
            if parameter.name not in values:
                key.append(None)
            elif not parameter.counts:
                key.append(static_key(values[parameter.name]))
            else:
                flatten(values[parameter.name], leaves, key)
        if callee.draws:
            leaves.append(key_data(seed, callee.definition))
        return ReadCall(values, sizes, leaves, tuple(key))

    def bind(self, values: Mapping[str, Any], sizes: Mapping[str, Any], keyed: bool = True) -> Binding:
        """Return what the parameters stand for; where it is `keyed`, with the key to draw from."""
        callee = self.callee
        named = {p.name: self._variant(p, values[p.name]) for p in callee.signature.params if p.name in values}
        try:
            binding = bind(callee.definition, named, sizes, Stripping(callee.maps), self._default)
        except Exceeded as growth:
            raise staging_errors.too_large(growth, callee.definition.span, ()) from None
        return binding.with_key() if keyed and callee.draws else binding

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Binding, list[Any]]:
        """Return what the parameters stand for in a call, and its traced leaves in order."""
        call = self.read(args, kwargs)
        return self.bind(call.values, call.sizes), call.leaves

    def _variant(self, parameter: core.Parameter, value: Any) -> Any:
        """A static argument with the variants that are given by their names. Raises `Problem` E0909."""
        if not parameter.static:
            return value
        try:
            return with_variants(value, parameter.type, self.variants, parameter.name)
        except Problem as problem:
            raise Problem(problem.code, problem.message, span=parameter.span) from None
