"""The arguments of a call as far as they are known: fields of records, and the axes that annotations and results tell.

They are held against the parameters of the definition, for all sizes. Read next: `dsl.host.python_types.known_sizes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from msgspec import Struct
from mypy.checker import TypeChecker
from mypy.nodes import DictExpr, Expression, IntExpr, StrExpr, TupleExpr, UnaryExpr
from mypy.types import Instance, LiteralType, TupleType, Type, TypedDictType, get_proper_type

from dsl.core import core
from dsl.core.solving import Place
from dsl.host.arguments.conversions import preserves
from dsl.host.python_types.axes import Malformed, Names, parse_axes
from dsl.host.python_types.kinds import DTYPES, ArrayKind
from dsl.host.python_types.known_sizes import Misfit, Sizes
from dsl.mypy.declarations import annotated
from dsl.mypy.programs import ARRAY, mark
from dsl.mypy.types_of import ANY
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.shape import Shape
from dsl.types.show import show_type
from dsl.types.size import Size


class Argument(Struct, frozen=True):
    """One argument: the expression, if it stands in the call, and its type."""

    expression: Expression | None
    type: Type


class Call:
    """One call of a definition."""

    def __init__(self, function: core.Function, api: TypeChecker) -> None:
        self.signature = function.signature
        self.api = api
        self.names = Names()
        self.sizes = Sizes()

    def misfits(self, given: Mapping[str, Argument]) -> list[Misfit]:
        """Return the mismatches of named arguments."""
        for p in self.signature.params:
            if p.name in given:
                self._static(p, given[p.name])
        for p in self.signature.params:
            if p.name in given and p.counts:
                self._value(p.type, given[p.name], Place(p.name), Shape.of())
        self.sizes.finish(self.signature)
        return self.sizes.misfits

    def _static(self, p: core.Parameter, argument: Argument) -> None:
        value = _integer(argument)
        if p.size is not None and value is not None:
            self.sizes.put(p.size, Size.of(value), Place(p.name))

    def _value(self, wanted: ty.Type, argument: Argument, place: Place, front: Shape) -> None:
        match wanted:
            case ty.ArrayType(dtype, shape):
                self._array(dtype, Shape.of(front, shape), argument, place)
            case ty.IndexType(_, shape):
                self._array(None, Shape.of(front, shape), argument, place)
            case ty.RecordType(fields):
                self._record(wanted, dict(fields), argument, place, front)
            case ty.TupleType(parts):
                self._tuple(wanted, parts, argument, place, front)
            case ty.StackedType(element, axes):
                self._value(element, argument, place, Shape.of(front, axes))
            case _:
                pass

    def _array(self, dtype: object, shape: Shape, argument: Argument, place: Place) -> None:
        kind = array_kind(argument, self.api)
        if kind is None:
            return
        dtypes = DTYPES[kind.dtype]
        if isinstance(dtype, DType) and not any(preserves(given, dtype) for given in dtypes):
            path, given = f"{place.parameter}{place.path}", " or ".join(sorted(map(str, dtypes)))
            message = f"{path} is {given}, but {dtype} is expected: {given} to {dtype} may lose information"
            self.sizes.misfits.append(Misfit("E0902", message))
            return
        try:
            self.sizes.match(shape, parse_axes(kind.axes, self.names), place)
        except Malformed:
            return

    def _record(
        self, wanted: ty.Type, fields: Mapping[str, ty.Type], argument: Argument, place: Place, front: Shape
    ) -> None:
        given = _fields(argument, self.api)
        if given is None:
            return
        path = f"{place.parameter}{place.path}"
        shown = show_type(wanted)
        for name in given.keys() - fields.keys():
            near = get_close_matches(name, fields, n=1)
            help = f"; did you mean `{near[0]}`?" if near else ""
            self.sizes.misfits.append(Misfit("E0908", f"{path} has a field `{name}` that {shown} does not have{help}"))
            return
        for name in fields.keys() - given.keys():
            self.sizes.misfits.append(Misfit("E0908", f"{path} has no field `{name}`; {shown} needs it"))
            return
        for name, inner in fields.items():
            self._value(inner, given[name], Place(place.parameter, f"{place.path}.{name}"), front)

    def _tuple(
        self, wanted: ty.Type, parts: tuple[ty.Type, ...], argument: Argument, place: Place, front: Shape
    ) -> None:
        given = _parts(argument)
        if given is None:
            return
        if len(given) != len(parts):
            path = f"{place.parameter}{place.path}"
            message = f"{path} has {len(given)} parts, {show_type(wanted)} has {len(parts)}"
            self.sizes.misfits.append(Misfit("E0915", message))
            return
        for k, (inner, item) in enumerate(zip(parts, given, strict=True)):
            self._value(inner, item, Place(place.parameter, f"{place.path}.{k}"), front)


def array_kind(argument: Argument, api: TypeChecker) -> ArrayKind | None:
    """Return the known type of an array, from its annotation or as the result of a call."""
    declared = None if argument.expression is None else annotated(argument.expression, api.tree)
    if declared is not None:
        return declared
    text = mark(get_proper_type(argument.type), ARRAY)
    return None if text is None else ArrayKind(*text.split(" ", 1))


def _integer(argument: Argument) -> int | None:
    match argument.expression:
        case IntExpr(value=value):
            return value
        case UnaryExpr(op="-", expr=IntExpr(value=value)):
            return -value
    type_ = get_proper_type(argument.type)
    literal = type_.last_known_value if isinstance(type_, Instance) else type_
    known = literal.value if isinstance(literal, LiteralType) else None
    return known if isinstance(known, int) and not isinstance(known, bool) else None


def _fields(argument: Argument, api: TypeChecker) -> dict[str, Argument] | None:
    """The fields of a record that is written out, or has a class that tells them."""
    if isinstance(argument.expression, DictExpr):
        items = argument.expression.items
        if not all(isinstance(key, StrExpr) for key, _ in items):
            return None
        pairs = [(key.value, value) for key, value in items if isinstance(key, StrExpr)]
        return {name: Argument(value, api.lookup_type_or_none(value) or ANY) for name, value in pairs}
    type_ = get_proper_type(argument.type)
    if isinstance(type_, TypedDictType):
        return {name: Argument(None, of) for name, of in type_.items.items()}
    if isinstance(type_, Instance) and "dataclass" in type_.type.metadata:
        names = [attribute["name"] for attribute in type_.type.metadata["dataclass"]["attributes"]]
        return {name: Argument(None, _attribute(type_, name)) for name in names}
    return None


def _attribute(type_: Instance, name: str) -> Type:
    found = type_.type.get(name)
    return ANY if found is None or found.type is None else found.type


def _parts(argument: Argument) -> list[Argument] | None:
    if isinstance(argument.expression, TupleExpr):
        types = get_proper_type(argument.type)
        inner = types.items if isinstance(types, TupleType) else [ANY] * len(argument.expression.items)
        return [Argument(e, t) for e, t in zip(argument.expression.items, inner, strict=False)]
    type_ = get_proper_type(argument.type)
    return [Argument(None, item) for item in type_.items] if isinstance(type_, TupleType) else None
