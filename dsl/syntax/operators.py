"""Grouping of a flat chain of operators by precedence. It knows operators alone; `build` calls it.

The chain is what the grammar reads between two looser things: operands, binary operators and prefix
operators in the order in which they were written. The work is done with two stacks, so a chain of any
length costs no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, cast

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast, errors

_Prefix: TypeAlias = Literal["-", "+", "~", "not"]

_COMPARE = 4
_NOT = 3
_UNARY = 12
_POWER = 13
BINARY: Mapping[str, int] = MappingProxyType(
    {
        "or": 1,
        "and": 2,
        "==": _COMPARE,
        "!=": _COMPARE,
        "<": _COMPARE,
        "<=": _COMPARE,
        ">": _COMPARE,
        ">=": _COMPARE,
        "in": _COMPARE,
        "not in": _COMPARE,
        "|": 5,
        "^": 6,
        "&": 7,
        "<<": 8,
        ">>": 8,
        "+": 9,
        "-": 9,
        "*": 10,
        "/": 10,
        "//": 10,
        "%": 10,
        "@": 10,
        "**": _POWER,
    }
)
"""How tightly binary operators bind; those that bind most tightly group to the right, comparisons form chains."""

PREFIXES: Mapping[str, int] = MappingProxyType({"not": _NOT, "-": _UNARY, "+": _UNARY, "~": _UNARY})
"""How tightly prefix operators bind."""

RIGHT = frozenset({"**"})
"""The operators that group to the right."""


class Operator(NamedTuple):
    """One operator of a chain: its spelling, its place, and whether it stands before its operand."""

    sign: str
    start: int
    end: int
    prefix: bool


Item = ast.Expr | Operator


def precedence(sign: str) -> int:
    """How tightly a binary operator binds."""
    return BINARY[sign]


def simple(left: ast.Expr, sign: str, right: ast.Expr, source: Source) -> ast.Expr:
    """A chain of one binary operator."""
    span = Span(source, left.span.start, right.span.end)
    if BINARY[sign] == _COMPARE:
        return ast.Compare((left, right), (cast(ast.CompareOp, sign),), span)
    return ast.Binary(cast(ast.BinaryOp, sign), left, right, span)


def group(items: list[Item], source: Source, report: Callable[[Diagnostic], None]) -> ast.Expr:
    """The tree of a chain; what is wrong with it is reported and grouped all the same."""
    operands: list[ast.Expr] = []
    pending: list[Operator] = []
    for item in items:
        if not isinstance(item, Operator):
            operands.append(item)
        elif item.prefix:
            if item.sign == "not" and pending and _precedence(pending[-1]) > _NOT:
                report(errors.not_as_operand(Span(source, item.start, item.end), pending[-1].sign))
            pending.append(item)
        else:
            _reduce_while(operands, pending, item, source, report)
            pending.append(item)
    while pending:
        _reduce(operands, pending, source, report)
    return operands[0]


def _precedence(operator: Operator) -> int:
    if operator.prefix:
        return PREFIXES[operator.sign]
    return BINARY[operator.sign]


def _reduce_while(
    operands: list[ast.Expr],
    pending: list[Operator],
    incoming: Operator,
    source: Source,
    report: Callable[[Diagnostic], None],
) -> None:
    level = BINARY[incoming.sign]
    # Comparisons wait for each other: they become one chain.
    waits = level == _COMPARE or incoming.sign in RIGHT
    while pending:
        top = _precedence(pending[-1])
        if top < level or (top == level and waits):
            return
        _reduce(operands, pending, source, report)


def _reduce(
    operands: list[ast.Expr], pending: list[Operator], source: Source, report: Callable[[Diagnostic], None]
) -> None:
    operator = pending.pop()
    right = operands.pop()
    if operator.prefix:
        span = Span(source, operator.start, right.span.end)
        operands.append(ast.Unary(cast(_Prefix, operator.sign), right, span))
        return
    if BINARY[operator.sign] != _COMPARE:
        operands.append(simple(operands.pop(), operator.sign, right, source))
        return
    parts, signs = [right], [operator]
    while pending and not pending[-1].prefix and BINARY[pending[-1].sign] == _COMPARE:
        signs.append(pending.pop())
        parts.append(operands.pop())
    parts.append(operands.pop())
    parts.reverse()
    signs.reverse()
    if len(signs) > 1:
        _check_direction(signs, source, report)
    span = Span(source, parts[0].span.start, right.span.end)
    operands.append(ast.Compare(tuple(parts), tuple(cast(ast.CompareOp, s.sign) for s in signs), span))


def _check_direction(signs: list[Operator], source: Source, report: Callable[[Diagnostic], None]) -> None:
    spelled = {s.sign for s in signs}
    if spelled <= {"<", "<=", "=="} or spelled <= {">", ">=", "=="}:
        return
    first = signs[0].sign
    stranger = next((s for s in signs if s.sign[0] not in (first[0], "=") or s.sign == "!="), signs[-1])
    report(errors.mixed_chain(Span(source, stranger.start, stranger.end), [s.sign for s in signs]))
