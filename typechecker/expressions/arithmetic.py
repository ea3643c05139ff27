"""Operators of arrays: one dtype, shapes that meet, and what is known of integers computed from integers.

Of tuples, records and stacks whose every leaf is inexact, the vector spaces of the language, there are sums and
multiples. A multiple is one of each leaf, and the scalar meets its dtype as it would that of an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Shape, Substitution
from dsl.types.size import Size
from dsl.types.type import Element, Type
from dsl.types.walk import leaves
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.generic_dtypes import dtype_of_leaves
from typechecker.env.outcomes import keep, question, recall
from typechecker.env.reports import Reported
from typechecker.env.static_values import OF_SIZES
from typechecker.env.value_facts import array_known, as_size, held, only_ranges, without_wrap
from typechecker.env.values import Elementwise, Known, Term, Traced
from typechecker.expressions.static_numbers import require_natural
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array, require_number
from typechecker.relations.shapes import broadcast, matmul
from typechecker.types.predicates import is_number, is_scalar
from typechecker.types.type_classes import is_vector_space

CLASS_OF: Mapping[str, str] = MappingProxyType(
    {
        "+": "Num",
        "-": "Num",
        "*": "Num",
        "/": "Inexact",
        "//": "Real",
        "%": "Real",
        "**": "Num",
        "@": "Num",
        "<<": "Int",
        ">>": "Int",
        "<": "Real",
        "<=": "Real",
        ">": "Real",
        ">=": "Real",
    }
)


# ---------------------------------------------------------------- binary


def of_arrays(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    """`left op right`, one of them an array at least."""
    asked = question(ctx, op, (left, right))
    found = recall(ctx, asked)
    if found is not None:
        return Term(core.Binary(span, found.type, op, left.core, right.core), found.type)
    before = ctx.traces()
    element, left_shape, right_shape = meet(ctx, op, left, right, span)
    _allow(ctx, op, element, left, right, span)
    if op == "@":
        shape = matmul(ctx, left, right, left_shape, right_shape, span)
    else:
        shape = broadcast(ctx, op, left, right, left_shape, right_shape, span)
    type_ = ty.ArrayType(element, shape)
    known = held(ctx, combine(ctx, op, left.known, right.known, element), type_) if _is_integer(ctx, element) else None
    term = Term(core.Binary(span, type_, op, left.core, right.core), type_, known)
    keep(ctx, asked, before, term)
    return term


def meet(ctx: Context, op: str, left: Term, right: Term, span: Span) -> tuple[Element, Shape, Shape]:
    """The common dtype of two operands, numbers adapted, with both shapes."""
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    x, y = array_of(a), array_of(b)
    if x is None or y is None:
        if is_number(a) and y is not None:
            return _adapt(ctx, op, left, a, right, y, swapped=False)
        if is_number(b) and x is not None:
            return _adapt(ctx, op, right, b, left, x, swapped=True)
        culprit = left if x is None and not is_number(a) else right
        ctx.refuse(errors.types.not_an_operand(ctx, op, culprit, span))
    if not ctx.unify(x.dtype, y.dtype):
        ctx.refuse(errors.dtypes.dtypes_differ(ctx, op, left, right, x.dtype, y.dtype, span))
    return ctx.body.solver.element(x.dtype), x.shape, y.shape


def array_of(type_: Type) -> ty.ArrayType | None:
    """The type as an array, `idx` as `i32`."""
    match type_:
        case ty.ArrayType():
            return type_
        case ty.IndexType(_, shape):
            return ty.ArrayType(dt.I32, shape)
        case _:
            return None


def _adapt(
    ctx: Context, op: str, number: Term, type_: Type, other: Term, array: ty.ArrayType, swapped: bool
) -> tuple[Element, Shape, Shape]:
    if not (op == "**" and swapped and type_ in (ty.INT, ty.SIZE)):
        adapt_number(ctx, op, number, type_, other, array.dtype)
    element = ctx.body.solver.element(array.dtype)
    return (element, array.shape, Shape(())) if swapped else (element, Shape(()), array.shape)


def adapt_number(ctx: Context, op: str, number: Term, type_: Type, other: Term, element: Element) -> None:
    """Demand that a static number fits the dtype of what it meets."""
    assert isinstance(type_, ty.StaticType)
    why = Why("operand", op, declared=other.span)
    require_number(ctx, type_.kind, number.known, element, why, number.span)


def _allow(ctx: Context, op: str, element: Element, left: Term, right: Term, span: Span) -> None:
    """Demand a dtype that the operator has."""
    wanted = CLASS_OF.get(op, "integers or bools")
    allowed = dt.CLASSES[wanted] if op in CLASS_OF else (*dt.INTEGERS, dt.BOOL)
    if op == "/" and _is_integer(ctx, element):
        ctx.refuse(errors.dtypes.integer_division(ctx, left, span))
    if not ctx.body.solver.restrict(element, allowed):
        if op == "/" and element != dt.BOOL:
            ctx.refuse(errors.dtypes.integer_division(ctx, left, span))
        ctx.refuse(errors.dtypes.operator_needs(ctx, op, wanted, element, left, right, span))
    allow_natural(ctx, op, element, left, right, span)


def require_class(
    ctx: Context, op: str, wanted: str, element: Element, left: Term, right: Term | None, span: Span
) -> None:
    """Demand a dtype of a class."""
    if not ctx.body.solver.restrict(element, dt.CLASSES[wanted]):
        ctx.refuse(errors.dtypes.operator_needs(ctx, op, wanted, element, left, right, span))


def allow_natural(ctx: Context, op: str, element: Element, left: Term, right: Term, span: Span) -> None:
    """Demand what integers need of a static power or shift, where the dtype may be one of integers; of one that is not
    decided yet as soon as it is."""
    solver = ctx.body.solver
    element = solver.element(element)
    if op == "**" and isinstance(right.known, Size) and solver.is_flexible(element):
        ctx.body.numbers.append(partial(_natural_when_decided, ctx, op, element, left, right, span))
    elif any(dtype.is_integer for dtype in solver.candidates(element)):
        require_natural(ctx, op, left, right, span)


def _natural_when_decided(ctx: Context, op: str, element: Element, left: Term, right: Term, span: Span) -> None:
    with suppress(Reported):
        allow_natural(ctx, op, element, left, right, span)


def _is_integer(ctx: Context, element: Element) -> bool:
    return all(dtype.is_integer for dtype in ctx.body.solver.candidates(element))


# ---------------------------------------------------------------- knowledge of integers


def combine(ctx: Context, op: str, left: Known | None, right: Known | None, element: Element) -> Known | None:
    """Return the facts about an operation on traced integers of a dtype."""
    whole = left
    if op in ("//", "%"):
        left, right = without_wrap(ctx, left, element), without_wrap(ctx, right, element)
    a, b = as_size(left), as_size(right)
    if op == "%" and isinstance(whole, Traced) and a is None and b is not None:
        return _remainder(ctx, whole.value, b)
    if a is not None and b is not None:
        if not (isinstance(left, Traced) or isinstance(right, Traced)):
            return None
        size = _size_op(ctx, op, a, b)
        return None if size is None or _may_wrap(size) else Traced(size)
    if op == "%" and left is None:
        left = Elementwise(None, None)
    if isinstance(left, Elementwise) or isinstance(right, Elementwise):
        x, y = array_known(left, ctx), array_known(right, ctx)
        if isinstance(x, Elementwise) and isinstance(y, Elementwise):
            found = _elementwise(ctx, op, x, y)
            return found if op in ("//", "%") else _without_wrap(ctx, found, element)
    return None


def _remainder(ctx: Context, value: Size, divisor: Size) -> Known | None:
    """Return the facts about a remainder of a value that may have wrapped around."""
    if not ctx.holds_when_run(fa.ge(divisor, 1)):
        return None
    if only_ranges(ctx, value) and only_ranges(ctx, divisor):
        return Traced(ctx.range_atom("i", Size.of(0), divisor, value.vars() | divisor.vars()))
    return Traced(ctx.traced_atom("i", Size.of(0), divisor))


def _without_wrap(ctx: Context, known: Elementwise | None, element: Element) -> Elementwise | None:
    ends = () if known is None or known.low is None or known.high is None else (known.low, known.high - 1)
    return known if ends and all(without_wrap(ctx, Traced(end), element) for end in ends) else None


def _elementwise(ctx: Context, op: str, x: Elementwise, y: Elementwise) -> Elementwise | None:
    """Where `a op b` lies for each a between `x.low` and `x.high`, each b between `y.low` and `y.high`."""
    bottom, top = _last(x), _last(y)
    match op:
        case "+":
            return _range(_sum(x.low, y.low), _sum(bottom, top))
        case "-":
            return _range(_sum(x.low, _negative(top)), _sum(bottom, _negative(y.low)))
        case "*" if (
            x.low is not None and y.low is not None and ctx.holds_when_run(fa.And((fa.ge(x.low, 0), fa.ge(y.low, 0))))
        ):
            return _range(x.low * y.low, None if bottom is None or top is None else bottom * top)
        case "%" if y.low is not None and ctx.holds_when_run(fa.ge(y.low, 1)):
            return _range(Size.of(0), None if top is None else top - 1)
        case "//" if y.low is not None and y.low == top and ctx.holds_when_run(fa.ge(y.low, 1)):
            return _range(None if x.low is None else x.low // y.low, None if bottom is None else bottom // y.low)
        case _:
            return None


def _last(known: Elementwise) -> Size | None:
    return None if known.high is None else known.high - 1


def _sum(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else a + b


def _negative(a: Size | None) -> Size | None:
    return None if a is None else -a


def _range(low: Size | None, last: Size | None) -> Elementwise | None:
    if (low is not None and _may_wrap(low)) or (last is not None and _may_wrap(last)):
        return None
    return Elementwise(low, None if last is None else last + 1)


def _size_op(ctx: Context, op: str, a: Size, b: Size) -> Size | None:
    if op in OF_SIZES:
        return OF_SIZES[op](a, b)
    holds = ctx.holds_when_run if ctx.is_traced(a) else ctx.holds
    if op not in ("//", "%") or not holds(fa.ge(b, 1)):
        return None
    return a // b if op == "//" else a % b


def _may_wrap(size: Size) -> bool:
    """Return whether an i32 computation of this size is not plainly free of wrap-around: a large factor is enough."""
    return any(abs(coefficient) > 1 << 15 for monomial, coefficient in size.terms if monomial)


# ---------------------------------------------------------------- vector spaces


def is_tree(type_: Type) -> bool:
    """Return whether a type is made of leaves, or may be."""
    return isinstance(type_, ty.TupleType | ty.RecordType | ty.StackedType | ty.TypeVar)


def of_trees(ctx: Context, op: str, left: Term, right: Term, a: Type, b: Type, span: Span) -> Term:
    """A sum of two trees, or a multiple of one."""
    if op in ("+", "-") and is_tree(a) and is_tree(b):
        if not is_vector_space(ctx, a):
            ctx.refuse(errors.types.not_a_vector_space(ctx, op, left, span))
        other = coerce(ctx, right, a, Why("operand", op, declared=left.span))
        kind = as_array(ctx, a)
        return Term(core.Binary(span, kind, op, left.core, other.core), kind)
    scalar, tree, kind = (left, right, b) if is_tree(b) else (right, left, a)
    if (op == "*" or (op == "/" and tree is left)) and is_scalar(ctx.resolve(scalar.type)):
        if not is_vector_space(ctx, kind):
            ctx.refuse(errors.types.not_a_vector_space(ctx, op, tree, span))
        kind = as_array(ctx, kind)
        for leaf in dict.fromkeys(leaves(kind)):
            _meet_leaf(ctx, op, scalar, tree, leaf, span)
        return Term(core.Binary(span, kind, op, left.core, right.core), kind)
    ctx.refuse(errors.types.no_tree_operator(ctx, op, left, right, span))


def _meet_leaf(ctx: Context, op: str, scalar: Term, tree: Term, leaf: Type, span: Span) -> None:
    """Demand that a scalar has the dtype of a leaf, or of all that a tree which is not known may have."""
    match leaf:
        case ty.ArrayType(element, _):
            _meet(ctx, op, scalar, tree, element, span)
        case ty.TypeVar(_, name, constraint):
            own, element = dtype_of_leaves(ctx.fresh_id(), name, constraint)
            with ctx.collecting_constraints() as asked:
                _meet(ctx, op, scalar, tree, element, span)
            ctx.require_of_all(asked, [own], Substitution(), errors.types.not_of_all_leaves)


def _meet(ctx: Context, op: str, scalar: Term, tree: Term, element: Element, span: Span) -> None:
    type_ = ctx.resolve(scalar.type)
    if is_number(type_):
        adapt_number(ctx, op, scalar, type_, tree, element)
    elif isinstance(type_, ty.ArrayType) and not ctx.unify(type_.dtype, element):
        ctx.refuse(errors.dtypes.dtype_of_leaves_differs(ctx, op, scalar, tree, type_.dtype, element, span))
