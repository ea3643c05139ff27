"""What the types of the arguments of a call tell of the sizes of a definition, where they are numbers.

Read next: `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable

from dsl.core import core
from dsl.core.analysis.abstract_values import Function, Scope, Value
from dsl.core.statics.evaluate import Frame
from dsl.core.transformation import takes_parts
from dsl.records import replace
from dsl.types.shape import Dim, Shape, ShapeVar, Splice, Substitution
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import children, distribute_axes, is_product, leading_axes, zip_children


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
    found, around = Frame(), scope.statics.substitution()
    for parameter, arg in zip(callee.signature.params, node.args, strict=False):
        if arg is not None:
            _match(parameter.type, arg.type, around, found)
    for variable, meaning in node.hidden if isinstance(node, core.Apply) else ():
        _take(variable, meaning, around, found)
    return replace(function, sizes=found)


def _take(variable: core.Variable, meaning: core.Meaning, around: Substitution, found: Frame) -> None:
    match variable, meaning:
        case SizeVar(), Size():
            _put(Size.of(variable), around.size(meaning), found)
        case ShapeVar(), Shape() if (shape := around.shape(meaning)).literal is not None:
            found.shapes.setdefault(variable, shape)


def _match(wanted: Type, given: Type, around: Substitution, found: Frame) -> None:
    pairs = zip_children(distribute_axes(wanted), distribute_axes(given))
    for inner, other in pairs or ():
        _match(inner, other, around, found)
    axes = leading_axes(wanted)
    shape = _front(given) if pairs is None else None
    if axes is not None and shape is not None:
        _read(axes, around.shape(shape), found)


def _front(type_: Type) -> Shape | None:
    """The axes in front of a type, or of its first leaf, as those of all are what is asked for."""
    first = type_
    while is_product(first) and children(first):
        first = children(distribute_axes(first))[0]
    return leading_axes(first)


def _read(wanted: Shape, given: Shape, found: Frame) -> None:
    """Axes from the front, those behind a list of axes from the back, and that list."""
    lead, trail = wanted.leading, wanted.trailing if wanted.rank is None else 0
    for dim, size in zip(wanted.dims[:lead], given.dims, strict=False):
        _put(dim, size, found)
    for place in range(1, min(trail, len(given.dims)) + 1):
        _put(wanted.dims[-place], given.dims[-place], found)
    rest = Shape(given.dims[lead : len(given.dims) - trail])
    match wanted.dims[lead : len(wanted.dims) - trail]:
        case (Splice(ShapeVar() as variable),) if rest.literal is not None:
            found.shapes.setdefault(variable, rest)


def _put(dim: Dim, size: Dim, found: Frame) -> None:
    variable = dim.as_atom() if isinstance(dim, Size) else None
    if isinstance(variable, SizeVar) and isinstance(size, Size) and size.constant is not None:
        found.sizes.setdefault(variable, size.constant)
