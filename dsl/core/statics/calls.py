"""Calls of static functions that stay calls, in a shape, in a size or in a condition, and what computes them.

While a program is checked, the checker computes them where more becomes known of their arguments. In a program that
was read from its text form they are computed over its Core, where all of their arguments are known. Read next:
`evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.statics.evaluate import Evaluator, NoValue, Replay, Value, Variant, static_argument
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.facts import Known, OpaqueProp, Prop
from dsl.types.limits import SEARCHED, Exceeded, Growth
from dsl.types.process_settings import deep_recursion
from dsl.types.shape import PRESENT, Computed, Shape, ShapeCall, Splice, StaticArg, StaticVariant, Written
from dsl.types.shapefn import StaticFunction
from dsl.types.size import Opaque, Size
from dsl.types.static_parts import has_gap
from dsl.types.type import Type

RECURSION = 20_000
"""Python frames for a call that is not known to end: its budget ends it."""

OF_TYPES = (ty.INT, ty.SIZE, ty.BOOLEAN, ty.SHAPE, ty.INTS)
"""The results that types speak of themselves."""

Result: TypeAlias = "Shape | Size | Prop | Computed"


class Found(Struct, frozen=True):
    """The value of a call, where types do not speak of its result itself, but of what depends on it."""

    value: StaticArg


class Answer(Struct, frozen=True):
    """The result of a static call for known arguments: a shape, a size, a condition, or `Found` for other results; None
    if unknown. Also records if the call has a value, None if unknown."""

    known: object = None
    has_value: bool | None = None


@dataclass(frozen=True, slots=True)
class StaticCall(StaticFunction):
    """Evaluates the calls of a definition whose result has type `result`; `shown` is its name in types.

    `compute` gives the answer for the arguments it gets; it is not written with the rest.
    """

    module: str
    name: str
    shown: str
    result: Type
    compute: Callable[..., Answer] = field(kw_only=True, compare=False, repr=False)

    def on(self, args: tuple[StaticArg, ...]) -> Result | None:
        """The call itself; none where types do not speak of such a result."""
        match self.result:
            case ty.INT | ty.SIZE:
                return Size.of(Opaque(self.shown, args, self.result == ty.SIZE, self))
            case ty.BOOLEAN:
                return OpaqueProp(self.shown, args, self)
            case ty.SHAPE | ty.INTS:
                return Shape((Splice(ShapeCall(self.shown, args, self)),))
            case ty.FLOAT | ty.COMPLEX | ty.STRING | ty.DTYPE | ty.EnumType() | ty.OptionalType() | ty.TupleType():
                return Computed(self.shown, args, self)
            case _:
                return None

    def __call__(self, *args: Any) -> Any:
        """Return the result of the call. An unknown size or condition is None; any other unknown result is the call
        itself."""
        match known := self._answer(args).known:
            case Found(value):
                return value
            case Shape() if self.result in (ty.SHAPE, ty.INTS):
                return known
            case _ if self.result == ty.BOOLEAN:
                return known if isinstance(known, Prop) else None
            case _ if self.result in (ty.INT, ty.SIZE):
                return known if isinstance(known, Size) and not self._is_same(known.as_atom()) else None
            case _:
                return self.on(args)

    def has_value(self, *args: Any) -> bool | None:
        """Return whether the call has a value; None if that is unknown."""
        return self._answer(args).has_value

    def _answer(self, args: tuple[Any, ...]) -> Answer:
        with deep_recursion(RECURSION):
            return self.compute(*args)

    def _is_same(self, atom: object) -> bool:
        return isinstance(atom, Opaque) and atom.name == self.shown

    @staticmethod
    def reader(whole: Sequence[core.Program]) -> Callable[[str, str, str, Type], StaticCall]:
        """Return a factory of `StaticCall` for a program that is being read; `whole` contains that program once it is
        complete."""
        computed = _OverCore(whole).computed
        return lambda module, name, *rest: StaticCall(module, name, *rest, compute=partial(computed, module, name))


def beyond_budget(found: Exceeded) -> Answer:
    """The answer where a budget was exceeded: a call that leads too deep has no value. Raises what is too large by
    itself."""
    if found.growth not in (Growth.STEPS, Growth.DEPTH):
        raise found
    return Answer(has_value=False if found.growth is Growth.DEPTH else None)


class _OverCore:
    """Computes calls over the Core of a program."""

    def __init__(self, whole: Sequence[core.Program]) -> None:
        self._whole = whole
        self._done: dict[Hashable, Any] = {}

    def computed(self, module: str, name: str, *args: StaticArg) -> Answer:
        """Evaluate a definition, if its arguments are known and evaluation stays within the budget."""
        modules, replay = self._whole[0].modules, Replay(SEARCHED)
        evaluator = Evaluator(
            lambda module, name: modules[module].functions.get(name),
            lambda module, name: modules[module].constants.get(name),
            self._done,
            replay.of,
            replay.step,
        )
        function = modules[module].functions[name]
        try:
            value = evaluator.call(function, self._values(args, [p.type for p in function.signature.params]))
            return Answer(_known(value, function.signature.result), True)
        except NoValue:
            return Answer(has_value=None if has_gap(args) else False)
        except Exceeded as found:
            return beyond_budget(found)

    def _values(self, args: Sequence[StaticArg], types: Sequence[Type]) -> tuple[Value, ...]:
        return tuple([self._value(arg, type_) for arg, type_ in zip(args, types, strict=True)])

    def _value(self, arg: StaticArg, type_: Type) -> Value:
        """The value that an argument stands for. Raises `NoValue` if it is not known."""
        base = type_.base if isinstance(type_, ty.OptionalType) else type_
        match arg:
            case Size() if arg.constant is not None:
                return arg.constant
            case Shape() if arg.literal is not None:
                return arg.literal
            case Written(text):
                return dt.BY_NAME[text] if base == ty.DTYPE else complex(text) if base == ty.COMPLEX else float(text)
            case StaticVariant(name, (inner,)) if name == PRESENT:
                return self._value(inner, base)
            case StaticVariant(name, args) if isinstance(base, ty.EnumType):
                return Variant(name, self._values(args, self._fields(base, name)))
            case tuple():
                return self._values(arg, base.parts if isinstance(base, ty.TupleType) else [_item(base)] * len(arg))
            case None | bool() | int() | str():
                return arg
            case _:
                raise NoValue

    def _fields(self, enum: ty.EnumType, variant: str) -> list[Type]:
        variants = self._whole[0].modules[enum.module].enums[enum.name].variants
        return next([type_ for _, type_ in v.fields] for v in variants if v.name == variant)


def _item(type_: Type) -> Type:
    return ty.LISTS.get(type_, ty.ERROR)


def _known(value: Value, type_: Type) -> Result | Found | None:
    """A value as types speak of it."""
    match value:
        case bool() if type_ == ty.BOOLEAN:
            return Known(value)
        case int() if type_ in (ty.INT, ty.SIZE):
            return Size.of(value)
        case tuple() if type_ in (ty.SHAPE, ty.INTS):
            return Shape.of(*[item for item in value if isinstance(item, int)])
        case _:
            return Found(static_argument(value))
