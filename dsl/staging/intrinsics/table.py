"""All intrinsics by name: the one list. Nothing registers itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.staging.env.stager import Intrinsic, Stager
from dsl.staging.intrinsics.collectives import COLLECTIVES
from dsl.staging.intrinsics.elementwise import ELEMENTWISE, Pure
from dsl.staging.intrinsics.foreign import stablehlo
from dsl.staging.intrinsics.linear import LINEAR
from dsl.staging.intrinsics.lists import LISTS
from dsl.staging.intrinsics.ordering import ORDERING
from dsl.staging.intrinsics.random import RANDOM
from dsl.staging.intrinsics.reductions import REDUCTIONS
from dsl.staging.intrinsics.shapes import SHAPES
from dsl.staging.intrinsics.trees import TREES
from dsl.staging.values import Value

PURE: Mapping[str, Pure] = MappingProxyType(
    {**ELEMENTWISE, **REDUCTIONS, **SHAPES, **ORDERING, **LINEAR, **RANDOM, **LISTS}
)


def _of_builder(function: Pure) -> Intrinsic:
    def call(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
        return function(s.b, *args, **statics)

    return call


TABLE: Mapping[str, Intrinsic] = MappingProxyType(
    {**{name: _of_builder(f) for name, f in PURE.items()}, **TREES, **COLLECTIVES}
)
"""Those of the library."""

EVERY: Mapping[str, Intrinsic] = MappingProxyType({**TABLE, "stablehlo": _of_builder(stablehlo)})
"""And that of modules of another compiler."""
