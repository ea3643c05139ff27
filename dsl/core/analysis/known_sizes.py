"""The sizes of a definition that follow from the argument types of a call, where these are numbers.

Read next: `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable

from dsl.core import core
from dsl.core.analysis.abstract_values import Function, Scope, Value
from dsl.core.solving import Equations, Place
from dsl.core.statics.evaluate import Frame
from dsl.core.transformation import takes_parts
from dsl.records import replace
from dsl.types.shape import Shape, ShapeVar, Splice, Substitution
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import has_gap
from dsl.types.type import Type
from dsl.types.walk import children, distribute_axes, is_product, leading_axes, zip_children

_HERE = Place("")


class _Numbers(Equations, eq=False):
    """Only what is a number is taken: another argument may tell it."""

    def put(self, variable: SizeVar | ShapeVar, meaning: Size | Shape, place: Place) -> None:
        if not has_gap(meaning):
            super().put(variable, meaning, place)


def with_sizes(
    function: Value,
    node: core.Apply | core.TransformCall,
    scope: Scope,
    definition: Callable[[str, str], core.Function | None],
) -> Value:
    """A function that is called at a place, with what the variables of its definition stand for there."""
    inner = function.node if isinstance(function, Function) else None
    while isinstance(inner, core.Transform) and not takes_parts(inner.kind):
        inner = inner.function
    callee = definition(inner.module, inner.name) if isinstance(inner, core.Global) else None
    if callee is None or not isinstance(function, Function):
        return function
    found, around = _Numbers(), scope.statics.substitution()
    for parameter, arg in zip(callee.signature.params, node.args, strict=False):
        if arg is not None:
            _match(parameter.type, arg.type, around, found)
    for variable, meaning in node.hidden if isinstance(node, core.Apply) else ():
        match variable, meaning:
            case SizeVar(), Size():
                found.equate(Size.of(variable), around.size(meaning), _HERE)
            case ShapeVar(), Shape():
                found.match(Shape((Splice(variable),)), around.shape(meaning), _HERE)
    found.settle()
    sizes = {variable: size.constant or 0 for variable, size in found.sizes.items()}
    return replace(function, sizes=Frame(sizes=sizes, shapes=found.shapes))


def _match(wanted: Type, given: Type, around: Substitution, found: Equations) -> None:
    pairs = zip_children(distribute_axes(wanted), distribute_axes(given))
    for inner, other in pairs or ():
        _match(inner, other, around, found)
    axes = leading_axes(wanted)
    shape = _front(given) if pairs is None else None
    if axes is not None and shape is not None:
        found.match(axes, around.shape(shape), _HERE)


def _front(type_: Type) -> Shape | None:
    """The axes in front of a type, or of its first leaf, as those of all are what is asked for."""
    first = type_
    while is_product(first) and children(first):
        first = children(distribute_axes(first))[0]
    return leading_axes(first)
