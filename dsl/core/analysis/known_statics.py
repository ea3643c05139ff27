"""Static values that are known where a program is followed, and what they select. Read next: `interpret`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from dsl.core import core
from dsl.core.analysis.abstract_values import Known, Scope, Value
from dsl.core.statics.evaluate import Evaluator, Frame, NoValue, Replay, Variant, matches
from dsl.types import type as ty
from dsl.types.limits import SEARCHED, Exceeded
from dsl.types.type import Type
from dsl.types.walk import leaves


class Statics(Struct, frozen=True):
    """What is known of static expressions; `function` and `constant` find declarations."""

    function: Callable[[str, str], core.Function | None]
    constant: Callable[[str, str], core.Constant | None]

    def value(self, node: core.Expr, scope: Scope) -> Known | None:
        """The value of a static expression, if it is known."""
        return self._value(node, scope.statics) if _is_static(node.type) else None

    def _value(self, node: core.Expr, frame: Frame) -> Known | None:
        replay = Replay(SEARCHED)
        evaluator = Evaluator(self.function, self.constant, {}, replay.of, replay.step)
        try:
            return Known(evaluator.eval(node, frame))
        except (NoValue, Exceeded):
            return None

    def bound(self, callee: core.Function, args: Sequence[Value], sizes: Frame | None) -> tuple[Frame, list[Value]]:
        """What the variables of a definition stand for in a call, and the arguments, with its defaults."""
        frame, given = (sizes or Frame()).inner(), list(args)
        for place, (parameter, arg) in enumerate(zip(callee.signature.params, args, strict=False)):
            if isinstance(arg, Known) and arg.omitted:
                default = parameter.default
                given[place] = (None if default is None else self._value(default, frame)) or 0
            _bind(frame, parameter, given[place])
        return frame, given


def _bind(frame: Frame, parameter: core.Parameter, arg: Value) -> None:
    if isinstance(arg, Known):
        frame.locals[parameter.id] = arg.value
        try:
            frame.bind(parameter, arg.value)
        except NoValue:
            return


def _is_static(type_: Type) -> bool:
    kinds = [*leaves(type_)]
    return bool(kinds) and all(isinstance(kind, ty.StaticType | ty.EnumType | ty.OptionalType) for kind in kinds)


def matching(
    arms: Sequence[tuple[core.Pattern, core.Expr]], subject: Value
) -> Sequence[tuple[core.Pattern, core.Expr]]:
    """The arms that may be taken: the first one that matches, where the subject is known."""
    if not isinstance(subject, Known):
        return arms
    return [arm for arm in arms if matches(arm[0], subject.value, Frame())][:1]


def as_constant(node: core.Local, known: Known) -> core.Const:
    """A name as what it stands for; none of a list and of a variant, which no analysis asks for."""
    value = None if isinstance(known.value, tuple | Variant) else known.value
    return core.Const(node.span, node.type, value)
