"""Operators of numbers and truths that are known while checking: the result is computed as far as it is known."""

from __future__ import annotations

from functools import partial

from dsl.core import core
from dsl.core.statics.numbers import whole
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop
from dsl.types.size import Opaque, Size
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.static_values import OF_SIZES, apply_numbers
from typechecker.env.values import Known, Term
from typechecker.expressions.logic import negate
from typechecker.types.size_conditions import require

BITWISE = ("&", "|", "^", "<<", ">>")


# ---------------------------------------------------------------- static numbers


def of_numbers(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    """`left op right` of two static numbers or truths."""
    a, b = number_kind(left.type), number_kind(right.type)
    if "bool" in (a, b):
        if a == b and op in ("&", "|", "^"):
            return _static_bool(op, left, right, span)
        ctx.refuse(errors.dtypes.operator_needs(ctx, op, "Num", dt.BOOL, left, right, span))
    if op == "@":
        ctx.refuse(errors.types.not_an_operand(ctx, op, left, span))
    whole = a == b == "int"
    if op == "/" and whole:
        ctx.refuse(errors.dtypes.integer_division(ctx, left, span))
    if op in BITWISE and not whole:
        ctx.refuse(errors.dtypes.operator_needs(ctx, op, "Int", dt.F32, left, right, span))
    if op in ("//", "%") and "complex" in (a, b):
        ctx.refuse(errors.dtypes.operator_needs(ctx, op, "Real", dt.C64, left, right, span))
    kind = ty.INT if whole else ty.COMPLEX if "complex" in (a, b) else ty.FLOAT
    known = _static_value(ctx, op, left, right)
    if whole:
        require_natural(ctx, op, left, right, span)
    return Term(core.Binary(span, kind, op, left.core, right.core), kind, known)


def require_natural(ctx: Context, op: str, left: Term, right: Term, span: Span) -> None:
    """Demand of an operator of integers that a static power, or number of places of a shift, is not negative."""
    known = right.known if op in ("**", "<<", ">>") else None
    if not isinstance(known, Size) or ctx.require(fa.ge(known, 0), span) is None:
        return
    if op == "**":
        ctx.refuse(errors.dtypes.negative_power(span, base=left, exponent=known))
    other_way = None if known.constant is None else -known.constant
    ctx.refuse(errors.dtypes.negative_shift(span, places=known, other_way=other_way))


def number_kind(type_: Type) -> str:
    """The kind of a static number; a size is an int."""
    assert isinstance(type_, ty.StaticType)
    return "int" if type_.kind == "size" else type_.kind


def _static_bool(op: str, left: Term, right: Term, span: Span) -> Term:
    known: Prop | None = None
    if isinstance(left.known, Prop) and isinstance(right.known, Prop) and op != "^":
        known = (fa.conjunction if op == "&" else fa.disjunction)([left.known, right.known])
    return Term(core.Binary(span, ty.BOOLEAN, op, left.core, right.core), ty.BOOLEAN, known)


def _static_value(ctx: Context, op: str, left: Term, right: Term) -> Known | None:
    a, b = left.known, right.known
    if isinstance(a, Size) and isinstance(b, Size):
        return _static_int(ctx, op, a, b, right.span)
    return apply_numbers(op, (a, b))


def _static_int(ctx: Context, op: str, a: Size, b: Size, divisor: Span) -> Known | None:
    x, y = a.constant, b.constant
    by_zero = op in ("//", "%") and y == 0
    if x is not None and y is not None and not by_zero:
        return None if op in ("**", "<<", ">>") and y < 0 else apply_numbers(op, (a, b))
    match op:
        case _ if op in OF_SIZES:
            return OF_SIZES[op](a, b)
        case "//" | "%":
            verdict = require(ctx, fa.ge(b, 1), divisor, "divisor")
            quotient = a // b if op == "//" else a % b
            return quotient if verdict else Size.of(ctx.program.error_size())
        case "**" if y is not None and y >= 0:
            return a**y
        case "**" | "<<" | ">>" | "&" | "|" | "^":
            natural = op != "^" and a.is_nonnegative() and b.is_nonnegative()
            return Size.of(Opaque(op, (a, b), natural, partial(whole, op)))
        case _:
            return None


# ---------------------------------------------------------------- logic and unary


def sign_of_number(ctx: Context, op: str, term: Term, type_: Type, span: Span) -> Term:
    """`-`, `+` or `~` of a static number."""
    name = number_kind(type_)
    if name == "bool" or (op == "~" and name != "int"):
        if op == "~" and name == "bool":
            return negate(term, span)
        ctx.refuse(errors.dtypes.operator_needs(ctx, op, "Num", dt.BOOL, term, None, span))
    if isinstance(term.known, Size):
        known: Known | None = -term.known if op == "-" else term.known if op == "+" else -term.known - 1
    else:
        known = apply_numbers(op, (term.known,))
    result = ty.INT if name == "int" else type_
    return Term(core.Unary(span, result, op, term.core), result, known)
