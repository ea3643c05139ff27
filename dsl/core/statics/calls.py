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

from dsl.core import core
from dsl.core.statics.evaluate import Evaluator, NoValue, Replay, Value, Variant
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.facts import Known, OpaqueProp, Prop
from dsl.types.limits import SEARCHED, Exceeded, Growth
from dsl.types.process_settings import deep_recursion
from dsl.types.shape import PRESENT, Shape, ShapeCall, Splice, StaticArg, StaticVariant, Written
from dsl.types.size import Opaque, Size
from dsl.types.type import Type

RECURSION = 20_000
"""Python frames for a call that is not known to end: its budget ends it."""

Result: TypeAlias = "Shape | Size | Prop"


@dataclass(frozen=True, slots=True)
class StaticCall:
    """What computes the calls of a definition whose result is of type `result`; `shown` is their name in types.

    `compute` gives what is known of a result for the arguments it gets; it is not written with the rest.
    """

    module: str
    name: str
    shown: str
    result: Type
    compute: Callable[..., object] = field(kw_only=True, compare=False, repr=False)

    def on(self, args: tuple[StaticArg, ...]) -> Result | None:
        """The call itself; none where types do not speak of such a result."""
        if self.result in (ty.INT, ty.SIZE):
            return Size.of(Opaque(self.shown, args, self.result == ty.SIZE, self))
        if self.result == ty.BOOLEAN:
            return OpaqueProp(self.shown, args, self)
        return Shape((Splice(ShapeCall(self.shown, args, self)),)) if self.result in (ty.SHAPE, ty.INTS) else None

    def __call__(self, *args: Any) -> Any:
        """What the call gives: for a list the call itself where that is not known, else none."""
        with deep_recursion(RECURSION):
            known = self.compute(*args)
        if self.result in (ty.SHAPE, ty.INTS):
            return known if isinstance(known, Shape) else self.on(args)
        if self.result == ty.BOOLEAN:
            return known if isinstance(known, Prop) else None
        return known if isinstance(known, Size) and not self._is_same(known.as_atom()) else None

    def _is_same(self, atom: object) -> bool:
        return isinstance(atom, Opaque) and atom.name == self.shown

    @staticmethod
    def reader(whole: Sequence[core.Program]) -> Callable[[str, str, str, Type], StaticCall]:
        """What makes the calls of a program that is being read, the only item of `whole` when it has been."""
        computed = _OverCore(whole).computed
        return lambda module, name, *rest: StaticCall(module, name, *rest, compute=partial(computed, module, name))


class _OverCore:
    """Computes calls over the Core of a program."""

    def __init__(self, whole: Sequence[core.Program]) -> None:
        self._whole = whole
        self._done: dict[Hashable, Any] = {}

    def computed(self, module: str, name: str, *args: StaticArg) -> Result | None:
        """What a definition gives; none if it takes too long, or if too little is known of the arguments."""
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
            return _known(evaluator.call(function, self._values(args, [p.type for p in function.signature.params])))
        except NoValue:
            return None
        except Exceeded as found:
            if found.growth not in (Growth.STEPS, Growth.DEPTH):
                raise
            return None

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


def _known(value: Value) -> Result | None:
    """A value as types speak of it."""
    match value:
        case bool():
            return Known(value)
        case int():
            return Size.of(value)
        case tuple():
            return Shape.of(*[item for item in value if isinstance(item, int)])
        case _:
            return None
