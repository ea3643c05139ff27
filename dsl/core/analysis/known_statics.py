"""Static values that are known where a program is followed, and what they select. Read next: `interpret`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec import Struct

from dsl.core import core
from dsl.core.analysis.abstract_values import Known, Scope, Value, part, variants
from dsl.core.statics.evaluate import Evaluator, Frame, NoValue, Replay, Variant
from dsl.types import type as ty
from dsl.types.limits import SEARCHED, Exceeded
from dsl.types.type import Type
from dsl.types.walk import leaves


class Statics(Struct, frozen=True):
    """The known values of static expressions; `function` and `constant` find declarations."""

    function: Callable[[str, str], core.Function | None]
    constant: Callable[[str, str], core.Constant | None]

    def value(self, node: core.Expr, scope: Scope) -> Known | None:
        """The value of a static expression, if it is known."""
        if not _is_static(node.type):
            return None
        replay = Replay(SEARCHED)
        evaluator = Evaluator(self.function, self.constant, {}, replay.of, replay.step)
        try:
            return Known(evaluator.eval(node, scope.statics))
        except (NoValue, Exceeded):
            return None

    def bound(
        self,
        callee: core.Function,
        args: Sequence[Value],
        sizes: Frame | None,
        argument: Callable[[core.Expr, Scope], Value],
    ) -> tuple[Scope, list[Value]]:
        """Return the scope of a called definition and its arguments, defaults included. Defaults may mention earlier
        parameters; `argument` returns the known value of an expression."""
        frame, given = (sizes or Frame()).inner(), list(args)
        scope = Scope({}, callee.solution, frame)
        for place, (parameter, arg) in enumerate(zip(callee.signature.params, args, strict=False)):
            if isinstance(arg, Known) and arg.omitted:
                given[place] = 0 if parameter.default is None else argument(parameter.default, scope)
            scope = scope.binding(core.Bind(parameter.id, parameter.name), given[place])
            _bind(frame, parameter, given[place])
        return scope, given


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
    """The arms that may be taken; all of them, where nothing is known of the subject."""
    if isinstance(subject, int):
        return arms
    out: list[tuple[core.Pattern, core.Expr]] = []
    for arm in arms:
        matches = _matches(arm[0], subject)
        out += [] if matches is False else [arm]
        if matches:
            break
    return out


def _matches(pattern: core.Pattern, value: Value) -> bool | None:
    """Return whether a pattern matches; None if that is unknown."""
    match pattern:
        case core.Bind() | core.Ignore():
            return True
        case core.IsLiteral(literal):
            return bool(value.value == literal) if isinstance(value, Known) else None
        case core.IsVariant(variant=variant, parts=parts):
            found = variants(value)
            held = {} if found is None else dict(found.ways)
            if found is not None and variant not in held:
                return False
            inside = _all_match(parts, held.get(variant) or [0] * len(parts))
            return inside if inside is False or len(held) == 1 else None
        case core.Split(parts=parts, axis=axis):
            return _all_match(parts, [value if axis else part(value, place) for place in range(len(parts))])
        case _:
            assert_never(pattern)


def _all_match(patterns: Sequence[core.Pattern], values: Sequence[Value]) -> bool | None:
    found = [_matches(pattern, value) for pattern, value in zip(patterns, values, strict=True)]
    return False if False in found else None if None in found else True


def as_constant(node: core.Local, value: Value) -> core.Const | None:
    """A name as what it stands for, where that is static and no variant; none of a list, which no analysis asks for."""
    if not isinstance(value, Known) or isinstance(value.value, Variant):
        return None
    return core.Const(node.span, node.type, None if isinstance(value.value, tuple) else value.value)
