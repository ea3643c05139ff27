"""Going through types: the types directly inside one, its leaves, two types leaf by leaf, and axes in front of leaves.

The leaves of a type are those of the values that have it: what is left when tuples, records and `T[n]` are opened. A
function and a `T?` are leaves: what they mention is not part of the value. All matches are closed. Knows nothing of
inference: a type is resolved before it is walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import assert_never

from dsl.types.shape import CHOICE, EQUATING, Shape, ShapeCall, Splice, own_calls
from dsl.types.type import (
    ERROR,
    ArrayType,
    EnumType,
    ErrorType,
    FunctionType,
    IndexType,
    KeyType,
    OptionalType,
    RecordType,
    StackedType,
    StaticType,
    TupleType,
    Type,
    TypeVar,
)

# ---------------------------------------------------------------- the types directly inside


def children(type_: Type) -> tuple[Type, ...]:
    """The types directly inside one; of a function, those of its parameters and, last, of its result."""
    match type_:
        case ArrayType() | StaticType():
            return ()  # most of what there is, so it is asked first
        case TupleType(parts):
            return parts
        case RecordType(fields):
            return tuple([part for _, part in fields])
        case IndexType() | KeyType() | EnumType() | TypeVar() | ErrorType():
            return ()
        case StackedType(inner) | OptionalType(inner):
            return (inner,)
        case FunctionType(params, result):
            return (*params, result)
        case _:
            assert_never(type_)


def with_children(type_: Type, new: Sequence[Type]) -> Type:
    """The type with others in the places of `children(type_)`. A record loses its name, which stands for the old one;
    axes in front of what is an array now are its own."""
    match type_:
        case ArrayType() | IndexType() | KeyType() | StaticType() | EnumType() | TypeVar() | ErrorType():
            return type_
        case TupleType():
            return TupleType(tuple(new))
        case RecordType(fields, order=order):
            parts = [(name, part) for (name, _), part in zip(fields, new, strict=True)]
            return RecordType(tuple(parts), order=order)
        case StackedType(_, axes):
            return add_axes(new[0], axes)
        case OptionalType():
            return OptionalType(new[0])
        case FunctionType(_, _, effects):
            return FunctionType(tuple(new[:-1]), new[-1], effects)
        case _:
            assert_never(type_)


def with_field(type_: Type, path: Sequence[str], new: Type) -> Type:
    """A record with another type for a field of it, or of a record inside of it."""
    if not path or not isinstance(type_, RecordType):
        return new if not path else type_
    return with_children(type_, [with_field(t, path[1:], new) if n == path[0] else t for n, t in type_.fields])


def map_children(type_: Type, function: Callable[[Type], Type]) -> Type:
    """The type with `function` of each child in its place; itself where no child changes."""
    old = children(type_)
    if not old:
        return type_
    new = [function(child) for child in old]
    return type_ if all(map(is_, new, old)) else with_children(type_, new)


def subtypes(type_: Type, functions: bool = False) -> Iterator[Type]:
    """A type and those it is made of, outermost first; with `functions`, what these take and give too."""
    if isinstance(type_, ArrayType | StaticType):
        return iter((type_,))
    return _subtypes(type_, functions)


def _subtypes(type_: Type, functions: bool) -> Iterator[Type]:
    todo = [type_]
    while todo:
        found = todo.pop()
        yield found
        if functions or not isinstance(found, FunctionType):
            todo += reversed(children(found))


# ---------------------------------------------------------------- leaves


def is_product(type_: Type) -> bool:
    """Return whether the type is that of tuples or records."""
    return isinstance(type_, TupleType | RecordType)


def has_parts(type_: Type) -> bool:
    """Return whether a type is not a leaf: a tuple, a record, or axes in front of something."""
    return isinstance(type_, TupleType | RecordType | StackedType)


def is_empty(type_: Type) -> bool:
    """Return whether a type has no leaves, such as `()`."""
    return has_parts(type_) and all(map(is_empty, children(type_)))


def leaves(type_: Type) -> Iterator[Type]:
    """The leaves from left to right; axes in front of them are left out."""
    if has_parts(type_):
        for child in children(type_):
            yield from leaves(child)
    else:
        yield type_


def named_leaves(type_: Type, path: str = "") -> Iterator[tuple[str, Type]]:
    """The leaves, each behind its path: `.0.w`."""
    if is_product(type_):
        for name, child in zip(part_names(type_), children(type_), strict=True):
            yield from named_leaves(child, f"{path}.{name}")
    else:
        yield from ((path, leaf) for leaf in leaves(type_))


def any_leaf(type_: Type, holds: Callable[[Type], bool]) -> bool:
    """Return whether something holds of some leaf."""
    if has_parts(type_):
        return any(any_leaf(child, holds) for child in children(type_))
    return holds(type_)


def map_leaves(type_: Type, function: Callable[[Type], Type]) -> Type:
    """The type with `function` of each leaf in its place; itself where no leaf changes."""
    if has_parts(type_):
        return map_children(type_, lambda child: map_leaves(child, function))
    return function(type_)


def with_parts(type_: Type, new: Sequence[Type | None]) -> Type | None:
    """`with_children` of parts that may be missing: the type, or none."""
    found = [child for child in new if child is not None]
    return with_children(type_, found) if len(found) == len(new) else None


def part_names(type_: Type) -> Sequence[int | str]:
    """Return the selectors of the parts of a tuple or record; empty for other types."""
    match type_:
        case TupleType(parts):
            return range(len(parts))
        case RecordType(fields):
            return [name for name, _ in fields]
        case _:
            return ()


def zip_children(a: Type, b: Type) -> list[tuple[Type, Type]] | None:
    """The parts of two tuples, or of two records of the same fields, in pairs; none for any two others."""
    same = is_product(a) and type(a) is type(b) and list(part_names(a)) == list(part_names(b))
    return list(zip(children(a), children(b), strict=True)) if same else None


def zip_leaves(a: Type, b: Type) -> list[tuple[Type, Type]] | None:
    """The leaves of two types of one structure, in pairs; none where their tuples and records differ."""
    a, b = distribute_axes(a), distribute_axes(b)
    pairs = zip_children(a, b)
    if pairs is None:
        return None if is_product(a) or is_product(b) else [(a, b)]
    found = [zip_leaves(x, y) for x, y in pairs]
    return None if None in found else [pair for each in found if each is not None for pair in each]


# ---------------------------------------------------------------- axes in front of leaves


def add_axes(type_: Type, axes: Shape) -> Type:
    """`T[axes]`: the axes in front of every leaf; `ErrorType` for what has no axes."""
    if not axes.dims:
        return type_
    own = leading_axes(type_)
    if own is not None:
        return with_shape(type_, axes + own)
    return StackedType(type_, axes) if isinstance(type_, TupleType | RecordType | TypeVar) else ERROR


def leading_axes(type_: Type) -> Shape | None:
    """The axes of an array, or those in front of a stack; none for what has none of its own."""
    match type_:
        case ArrayType(_, shape) | IndexType(_, shape) | KeyType(shape) | StackedType(_, shape):
            return shape
        case TupleType() | RecordType() | TypeVar() | FunctionType() | OptionalType():
            return None
        case StaticType() | EnumType() | ErrorType():
            return None
        case _:
            assert_never(type_)


def with_shape(type_: Type, shape: Shape) -> Type:
    """The type with other axes; a stack has them in front of every leaf, what has no axes stays."""
    match type_:
        case ArrayType(element, _):
            return ArrayType(element, shape)
        case IndexType(bound, _):
            return IndexType(bound, shape)
        case KeyType():
            return KeyType(shape)
        case StackedType(element, _):
            return add_axes(element, shape)
        case TupleType() | RecordType() | TypeVar() | FunctionType() | OptionalType():
            return type_
        case StaticType() | EnumType() | ErrorType():
            return type_
        case _:
            assert_never(type_)


def distribute_axes(type_: Type) -> Type:
    """A stacked tuple or record with its axes moved onto the parts; other types as they are."""
    if isinstance(type_, StackedType) and is_product(type_.element):
        return with_children(type_.element, [add_axes(part, type_.axes) for part in children(type_.element)])
    return type_


def strip(type_: Type, count: int) -> tuple[Shape, Type] | None:
    """The first `count` axes that every leaf shares, and the type without them; none if there are none such."""
    own = leading_axes(type_)
    if own is not None:
        head = own.dims[:count]
        if len(head) < count or any(isinstance(dim, Splice) for dim in head):
            return None
        return Shape(head), with_shape(type_, Shape(own.dims[count:]))
    if not is_product(type_):
        return None
    found = [strip(child, count) for child in children(type_) if not is_empty(child)]
    heads = [head for head, _ in filter(None, found)]
    inner = iter([None if each is None else each[1] for each in found])
    rest = with_parts(type_, [child if is_empty(child) else next(inner) for child in children(type_)])
    return (heads[0], rest) if heads and rest is not None else None


# ---------------------------------------------------------------- shapes inside


def shapes_in(type_: Type, functions: bool = False) -> Iterator[Shape]:
    """All shapes of a type."""
    for part in subtypes(type_, functions):
        shape = leading_axes(part)
        if shape is not None:
            yield shape


def equating_calls(*types: Type) -> Iterator[ShapeCall]:
    """The stuck calls such as `broadcasted(s, t)` in types, and the choices between shapes, which may be such calls. In
    those of a signature, its callers see to it that they exist, and what a choice chooses."""
    calls = (call for type_ in types for call in own_calls(*_stated_shapes(type_)))
    return filter(_may_equate, (one for call in calls for one in (call, *_inside(call))))


def declared_calls(*types: Type) -> frozenset[ShapeCall]:
    """The calls that exist wherever a signature of these types is met, with those inside of them."""
    return frozenset(inner for call in equating_calls(*types) for inner in Shape((Splice(call),)).calls())


def hidden_calls(type_: Type) -> Iterator[ShapeCall]:
    """Yield the calls inside other calls, which may have a shape without them: `reduced([*broadcasted(s, t)], none,
    false)` is `[]`."""
    return filter(_may_equate, (one for call in own_calls(*shapes_in(type_)) for one in _inside(call)))


def _may_equate(call: ShapeCall) -> bool:
    return call.function == CHOICE or call.function in EQUATING


def _stated_shapes(type_: Type) -> Iterator[Shape]:
    """All shapes of a type, and the bounds of its indices."""
    yield from shapes_in(type_)
    yield from [Shape((part.bound,)) for part in subtypes(type_) if isinstance(part, IndexType)]


def _inside(call: ShapeCall) -> Iterator[ShapeCall]:
    inner = () if call.function == CHOICE else own_calls(*call.args)
    return (one for found in inner for one in (found, *_inside(found)))
