"""Functions of the library that follow another rule than that of a call: those of static values, elementwise ones of
numbers and those of one list, are computed while checking; one whose body is an operator of its two parameters is that
operator, and asks of its operands what that asks."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.statics.computations import test_numbers
from dsl.core.statics.numbers import STATIC
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.dtype import BOOL, DType
from dsl.types.size import Size, max_, min_
from dsl.types.type import Type
from typechecker.declarations.entities import Definition as DefinitionInfo
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.static_values import apply_numbers, static_argument
from typechecker.env.values import Known, Term
from typechecker.expressions.arithmetic import array_of
from typechecker.expressions.operators import operate
from typechecker.expressions.static_lists import is_list, reduce_list
from typechecker.relations.coercion import Why, fit
from typechecker.types.predicates import is_number


def fold(
    ctx: Context,
    info: DefinitionInfo,
    function: Term,
    chosen: dict[str, Arg],
    signature: core.Signature,
    span: Span,
) -> Applied | None:
    """A standard elementwise function of static numbers gives a static number; None if some argument is not."""
    terms: list[Term] = []
    for param in signature.params:
        arg = chosen.get(param.name)
        term = ctx.infer(arg.value) if arg is not None else info.defaults[param.name]
        if arg is not None:
            chosen[param.name] = Arg(arg.name, term, arg.span)
        terms.append(term)
    name = info.static_math or ""
    if not all(is_number(ctx.resolve(t.type)) for t in terms) or name not in STATIC:
        return None
    if any(t.type == ty.BOOLEAN for t in terms) and name != "where":
        return None
    if any(t.type == ty.COMPLEX and not _takes_complex(p) for p, t in zip(signature.params, terms, strict=True)):
        return None
    whole = all(t.type in (ty.INT, ty.SIZE) for t in terms if t.type != ty.BOOLEAN)
    type_, known = folded(ctx, name, _result_type(signature, whole, any(t.type == ty.COMPLEX for t in terms)), terms)
    cores = tuple(t.core for t in terms)
    term = Term(core.Intrinsic(span, type_, name, cores), type_, known)
    return Applied(term, function.core, tuple(terms), cores, None)


def _takes_complex(param: core.Parameter) -> bool:
    match param.type:
        case ty.ArrayType(ty.DTypeVar(allowed=allowed)):
            return any(dtype.is_complex for dtype in allowed)
        case ty.ArrayType(DType() as dtype):
            return dtype.is_complex
        case _:
            return False


def of_list(ctx: Context, info: DefinitionInfo, function: Term, chosen: dict[str, Arg], span: Span) -> Applied:
    """A function of one static list, as `sum(s)` of a shape."""
    (name, arg), *_ = chosen.items()
    term = ctx.typed(arg.value, ty.INTS)
    if not is_list(ctx.resolve(term.type)):
        term = fit(ctx, term, ty.INTS, Why("argument", name, info.shown), arg.span)
    result = reduce_list(ctx, info.primitive or "", info.shown, term, span)
    return Applied(result, function.core, (term,), (term.core,), None)


def folded(ctx: Context, name: str, type_: Type, terms: Sequence[Term]) -> tuple[Type, Known | None]:
    """Return the facts about an elementwise function's result, and its type: `type_`, unless the numbers determine
    more."""
    numbers = [t for t in terms if t.type != ty.BOOLEAN]
    whole = all(t.type in (ty.INT, ty.SIZE) for t in numbers)
    sizes = [t.known for t in terms if isinstance(t.known, Size)]
    if name in ("maximum", "minimum") and whole and len(sizes) == 2:
        return ty.INT, (max_ if name == "maximum" else min_)(*sizes)
    if type_ == ty.BOOLEAN:
        return type_, test_numbers(name, *[static_argument(t.known, ctx.fresh_id) for t in terms])
    found = apply_numbers(name, [t.known for t in terms])
    told = {fa.Known: ty.BOOLEAN, Size: ty.INT, float: ty.FLOAT, complex: ty.COMPLEX}
    return told.get(type(found), type_), found


def _result_type(signature: core.Signature, whole: bool, complex_: bool) -> Type:
    """The static type of the result: a number of the class that the function has on arrays, or a truth value."""
    match signature.result:
        case ty.ArrayType(ty.DTypeVar(allowed=allowed)):
            if complex_ and any(d.is_complex for d in allowed):
                return ty.COMPLEX
            return ty.INT if whole and any(d.is_integer for d in allowed) else ty.FLOAT
        case ty.ArrayType(DType() as dtype) if dtype != BOOL:
            return ty.FLOAT
        case _:
            return ty.BOOLEAN


# ---------------------------------------------------------------- operators by name


def apply_operator(
    ctx: Context, info: DefinitionInfo, function: Term, chosen: dict[str, Arg], span: Span
) -> Applied | None:
    """The call as the operator that the function is; None if it is none, or an argument is a list or a tree."""
    op = info.head.operator if info.in_library else None
    if op is None:
        return None
    terms = []
    for name, arg in chosen.items():
        terms.append(ctx.typed(arg.value))
        chosen[name] = Arg(arg.name, terms[-1], arg.span)
    kinds = [ctx.resolve(term.type) for term in terms]
    if not all(is_number(kind) or array_of(kind) is not None for kind in kinds):
        return None
    left, right = [chosen[param.name].value for param in info.head.params]
    assert isinstance(left, Term) and isinstance(right, Term)
    cores = (left.core, right.core)
    return Applied(operate(ctx, op, left, right, span), function.core, (left, right), cores, None, (0, 1))
