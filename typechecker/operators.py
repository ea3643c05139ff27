"""Operators: arithmetic, comparison, logic, on static numbers, arrays and trees."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.core import core
from dsl.core.static_math import OPERATORS, UNARY
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop
from dsl.types.shape import Shape, StaticName
from dsl.types.size import Size
from dsl.types.type import Element, Type
from typechecker import errors
from typechecker.context import Context
from typechecker.relate import NUMBERS, Why, as_array, coerce, is_number, is_traced, number_problem
from typechecker.shapes import broadcast, matmul
from typechecker.values import Condition, Elementwise, Known, Nothing, Term, Traced, VariantValue

ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
BITWISE = ("&", "|", "^", "<<", ">>")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_CLASS_OF: Mapping[str, str] = MappingProxyType(
    {
        "+": "Num", "-": "Num", "*": "Num", "/": "Inexact", "//": "Real", "%": "Real", "**": "Num", "@": "Num",
        "<<": "Int", ">>": "Int", "<": "Real", "<=": "Real", ">": "Real", ">=": "Real",
    }
)  # fmt: skip
_RELATION = MappingProxyType({"==": fa.eq, "!=": fa.ne, "<": fa.lt, "<=": fa.le, ">": fa.gt, ">=": fa.ge})


def error_term(span: Span) -> Term:
    """Stands for an expression that was reported."""
    return Term(core.Const(span, ty.ERROR, None), ty.ERROR)


# ---------------------------------------------------------------- binary


def binary(ctx: Context, node: ast.Binary, expected: Type | None) -> Term:
    if node.op in ("and", "or"):
        return _logical(ctx, node)
    hint = expected if isinstance(expected, ty.ArrayType) and node.op != "@" else None
    left = ctx.infer(node.left, _static_hint(expected))
    right = ctx.infer(node.right, _static_hint(expected))
    del hint
    return operate(ctx, node.op, left, right, node.span)


def _static_hint(expected: Type | None) -> Type | None:
    return expected if isinstance(expected, ty.StaticType) else None


def operate(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    """`left op right` for any operator but `and` and `or`."""
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    if ty.ERROR in (a, b):
        return error_term(span)
    if op in COMPARISONS:
        return _compare(ctx, op, left, right, span)
    if is_number(a) and is_number(b):
        return _static(ctx, op, left, right, span)
    if _is_tree(a) or _is_tree(b):
        return _tree(ctx, op, left, right, a, b, span)
    return _arrays(ctx, op, left, right, span)


def _arrays(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    pair = meet(ctx, op, left, right, span)
    if pair is None:
        return error_term(span)
    element, left_shape, right_shape = pair
    if not _allowed(ctx, op, element, left, right, span):
        return error_term(span)
    if op == "@":
        shape = matmul(ctx, left, right, left_shape, right_shape, span)
    else:
        shape = broadcast(ctx, op, left, right, left_shape, right_shape, span)
    if shape is None:
        return error_term(span)
    kind = ty.ArrayType(element, shape)
    known = combine(ctx, op, left.known, right.known) if not shape.dims or op in ("+", "-", "*", "//", "%") else None
    return Term(core.Binary(span, kind, op, left.core, right.core), kind, known)


def meet(ctx: Context, op: str, left: Term, right: Term, span: Span) -> tuple[Element, Shape, Shape] | None:
    """The common dtype of two operands, numbers adapted, with both shapes; None after a report."""
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    x, y = _array_of(a), _array_of(b)
    if x is None or y is None:
        if is_number(a) and y is not None:
            return _adapt(ctx, op, left, a, y, swapped=False)
        if is_number(b) and x is not None:
            return _adapt(ctx, op, right, b, x, swapped=True)
        culprit = left if x is None and not is_number(a) else right
        ctx.report(errors.not_an_operand(ctx, op, culprit, left, right, span))
        return None
    if not ctx.body.solver.unify(x.dtype, y.dtype):
        ctx.report(errors.dtypes_differ(ctx, op, left, right, x.dtype, y.dtype, span))
        return None
    return ctx.body.solver.element(x.dtype), x.shape, y.shape


def _array_of(kind: Type) -> ty.ArrayType | None:
    match kind:
        case ty.ArrayType():
            return kind
        case ty.IndexType(_, shape):
            return ty.ArrayType(dt.I32, shape)
        case _:
            return None


def _adapt(
    ctx: Context, op: str, number: Term, kind: Type, array: ty.ArrayType, swapped: bool
) -> tuple[Element, Shape, Shape] | None:
    assert isinstance(kind, ty.StaticType)
    if not (op == "**" and swapped and kind.kind in ("int", "size")):
        problem = number_problem(ctx, kind.kind, number.known, array.dtype)
        if problem is not None:
            why = Why("operand", op)
            ctx.report(errors.number_does_not_fit(problem, kind.kind, number.known, array.dtype, why, number.span))
            return None
    element = ctx.body.solver.element(array.dtype)
    return (element, array.shape, Shape(())) if swapped else (element, Shape(()), array.shape)


def _allowed(ctx: Context, op: str, element: Element, left: Term, right: Term, span: Span) -> bool:
    if op in ("&", "|", "^"):
        fits = ctx.body.solver.restrict(element, (*dt.INTEGERS, dt.BOOL))
        if not fits:
            ctx.report(errors.operator_needs(ctx, op, "integers or bools", element, left, right, span))
        return fits
    wanted = _CLASS_OF[op]
    if op == "/" and _is_integer(ctx, element):
        ctx.report(errors.integer_division(left, right, span))
        return False
    if not ctx.body.solver.restrict(element, dt.CLASSES[wanted]):
        if op == "/" and element != dt.BOOL:
            ctx.report(errors.integer_division(left, right, span))
        else:
            ctx.report(errors.operator_needs(ctx, op, wanted, element, left, right, span))
        return False
    if op == "**" and _is_integer(ctx, element) and isinstance(right.known, Size):
        exponent = right.known.constant
        if exponent is not None and exponent < 0:
            ctx.report(errors.negative_power(left, exponent, span))
            return False
    return True


def _is_integer(ctx: Context, element: Element) -> bool:
    element = ctx.body.solver.element(element)
    if isinstance(element, dt.DType):
        return element.is_integer
    return all(d.is_integer for d in element.allowed)


# ---------------------------------------------------------------- knowledge of integers


def _as_size(known: Known | None) -> Size | None:
    match known:
        case Size():
            return known
        case Traced(value):
            return value
        case _:
            return None


def combine(ctx: Context, op: str, left: Known | None, right: Known | None) -> Known | None:
    """What is known of an integer operation on traced integers."""
    a, b = _as_size(left), _as_size(right)
    if a is not None and b is not None:
        if not (isinstance(left, Traced) or isinstance(right, Traced)):
            return None
        size = _size_op(ctx, op, a, b)
        return None if size is None or _may_wrap(size) else Traced(size)
    if isinstance(left, Elementwise) and b is not None:
        return _shift(op, left, b)
    if isinstance(right, Elementwise) and a is not None and op in ("+", "*"):
        return _shift(op, right, a)
    return None


def _shift(op: str, known: Elementwise, by: Size) -> Elementwise | None:
    low, high = known.low, known.high
    match op:
        case "+":
            return Elementwise(None if low is None else low + by, None if high is None else high + by)
        case "-":
            return Elementwise(None if low is None else low - by, None if high is None else high - by)
        case "*" if by.is_nonnegative():
            last = None if high is None else (high - 1) * by + 1
            return Elementwise(None if low is None else low * by, last)
        case "%" if by.constant is not None and by.constant > 0:
            return Elementwise(Size.of(0), by)
        case "//" if by.constant is not None and by.constant > 0 and low is not None and high is not None:
            return Elementwise(low // by, (high - 1) // by + 1)
        case _:
            return None


def _size_op(ctx: Context, op: str, a: Size, b: Size) -> Size | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//" | "%" if ctx.holds(fa.ge(b, 1)):
            return a // b if op == "//" else a % b
        case _:
            return None


def _may_wrap(size: Size) -> bool:
    """Whether an i32 computation of this size is not plainly free of wrap-around: a large factor is enough."""
    return any(abs(coefficient) > 1 << 15 for monomial, coefficient in size.terms if monomial)


# ---------------------------------------------------------------- static numbers


def _static(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    a, b = _kind(left.type), _kind(right.type)
    if "bool" in (a, b):
        if a == b and op in ("&", "|", "^"):
            return _static_bool(op, left, right, span)
        ctx.report(errors.operator_needs(ctx, op, "Num", dt.BOOL, left, right, span))
        return error_term(span)
    if op == "@":
        ctx.report(errors.not_an_operand(ctx, op, left, left, right, span))
        return error_term(span)
    whole = a == b == "int"
    if op == "/" and whole:
        ctx.report(errors.integer_division(left, right, span))
        return error_term(span)
    if op in BITWISE and not whole:
        ctx.report(errors.operator_needs(ctx, op, "Int", dt.F32, left, right, span))
        return error_term(span)
    if op in ("//", "%") and "complex" in (a, b):
        ctx.report(errors.operator_needs(ctx, op, "Real", dt.C64, left, right, span))
        return error_term(span)
    kind = ty.INT if whole else ty.COMPLEX if "complex" in (a, b) else ty.FLOAT
    known = _static_value(ctx, op, left, right, span)
    if whole and op == "**" and isinstance(right.known, Size) and (right.known.constant or 0) < 0:
        ctx.report(errors.negative_power(left, right.known.constant or 0, span))
        return error_term(span)
    return Term(core.Binary(span, kind, op, left.core, right.core), kind, known)


def _kind(kind: Type) -> str:
    assert isinstance(kind, ty.StaticType)
    return "int" if kind.kind == "size" else kind.kind


def _static_bool(op: str, left: Term, right: Term, span: Span) -> Term:
    known: Prop | None = None
    if isinstance(left.known, Prop) and isinstance(right.known, Prop) and op != "^":
        known = (fa.conjunction if op == "&" else fa.disjunction)([left.known, right.known])
    return Term(core.Binary(span, ty.BOOLEAN, op, left.core, right.core), ty.BOOLEAN, known)


def _static_value(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Known | None:
    a, b = left.known, right.known
    if isinstance(a, Size) and isinstance(b, Size):
        return _static_int(ctx, op, a, b, right.span)
    x = _number(a)
    y = _number(b)
    if x is None or y is None:
        return None
    value = OPERATORS[op](x, y)
    return Size.of(value) if isinstance(value, int) else value


def _number(known: Known | None) -> int | float | complex | None:
    if isinstance(known, Size):
        return known.constant
    return known if isinstance(known, float | complex) else None


def _static_int(ctx: Context, op: str, a: Size, b: Size, divisor: Span) -> Known | None:
    x, y = a.constant, b.constant
    if x is not None and y is not None:
        if op == "**" and (y < 0 or y > 10_000 or (abs(x) > 1 and y * x.bit_length() > 100_000)):
            return None
        if op in ("<<", ">>") and not 0 <= y < 100_000:
            return None
        value = OPERATORS[op](x, y)
        return Size.of(value) if isinstance(value, int) else value
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//" | "%":
            verdict = ctx.program.rules.require(ctx, fa.ge(b, 1), divisor, "divisor")
            return None if not verdict else a // b if op == "//" else a % b
        case "**" if y is not None and 0 <= y <= 64:
            return a**y
        case _:
            return None


# ---------------------------------------------------------------- trees


def _is_tree(kind: Type) -> bool:
    return isinstance(kind, ty.TupleType | ty.RecordType | ty.StackedType | ty.TypeVar)


def _tree(ctx: Context, op: str, left: Term, right: Term, a: Type, b: Type, span: Span) -> Term:
    if op in ("+", "-") and _is_tree(a) and _is_tree(b):
        if not _is_space(ctx, a):
            ctx.report(errors.not_a_vector_space(ctx, op, left, span))
            return error_term(span)
        other = coerce(ctx, right, a, Why("operand", op, declared=left.span))
        kind = as_array(ctx, a)
        return Term(core.Binary(span, kind, op, left.core, other.core), kind)
    scalar, tree, kind = (left, right, b) if _is_tree(b) else (right, left, a)
    swapped = tree is left
    if op == "*" or (op == "/" and swapped):
        if not _is_space(ctx, kind):
            ctx.report(errors.not_a_vector_space(ctx, op, tree, span))
            return error_term(span)
        if _is_real_scalar(ctx, scalar):
            kind = as_array(ctx, kind)
            return Term(core.Binary(span, kind, op, left.core, right.core), kind)
    ctx.report(errors.no_tree_operator(ctx, op, left, right, span))
    return error_term(span)


def _is_real_scalar(ctx: Context, term: Term) -> bool:
    match ctx.resolve(term.type):
        case ty.StaticType("int" | "float" | "size"):
            return True
        case ty.ArrayType(element, shape):
            return not shape.dims and ctx.body.solver.restrict(element, dt.CLASSES["Real"])
        case _:
            return False


def _is_space(ctx: Context, kind: Type) -> bool:
    return is_vector_space(ctx, kind)


def is_vector_space(ctx: Context, kind: Type) -> bool:
    """Whether every leaf is inexact."""
    match ctx.resolve(kind):
        case ty.ArrayType(element, _):
            return ctx.body.solver.restrict(element, dt.CLASSES["Inexact"])
        case ty.StaticType("float" | "complex" | "int"):
            return True
        case ty.TupleType(parts):
            return all(is_vector_space(ctx, p) for p in parts)
        case ty.RecordType(fields):
            return all(is_vector_space(ctx, t) for _, t in fields)
        case ty.StackedType(element, _):
            return is_vector_space(ctx, element)
        case ty.TypeVar(_, _, constraint):
            return constraint == "VSpace"
        case ty.ErrorType():
            return True
        case _:
            return False


# ---------------------------------------------------------------- comparison


def compare(ctx: Context, node: ast.Compare, expected: Type | None) -> Term:
    terms = [ctx.infer(operand) for operand in node.operands]
    results = []
    for i, op in enumerate(node.ops):
        span = node.span if len(node.ops) == 1 else terms[i].span.to(terms[i + 1].span)
        results.append(operate(ctx, op, terms[i], terms[i + 1], span))
    result = results[0]
    for other in results[1:]:
        known = _logical_known("and", result, other)
        joined = operate(ctx, "&", result, other, node.span)
        result = Term(joined.core, joined.type, known)
    return result


def _compare(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    if not is_traced(a) and not is_traced(b):
        return _compare_static(ctx, op, left, right, span)
    if (a == ty.BOOLEAN) != (b == ty.BOOLEAN) or ty.ArrayType(dt.BOOL, Shape(())) in (a, b):
        pass
    pair = meet(ctx, op, left, right, span)
    if pair is None:
        return error_term(span)
    element, x, y = pair
    if op in _CLASS_OF and not ctx.body.solver.restrict(element, dt.CLASSES["Real"]):
        ctx.report(errors.operator_needs(ctx, op, "Real", element, left, right, span))
        return error_term(span)
    shape = broadcast(ctx, op, left, right, x, y, span)
    if shape is None:
        return error_term(span)
    kind = ty.ArrayType(dt.BOOL, shape)
    known: Known | None = None
    p, q = _as_size(left.known), _as_size(right.known)
    if not shape.dims and p is not None and q is not None:
        known = Condition(_RELATION[op](p, q))
    return Term(core.Binary(span, kind, op, left.core, right.core), kind, known)


def _compare_static(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    a, b = left.type, right.type
    known: Prop | None = None
    if is_number(a) and is_number(b) and (a == ty.BOOLEAN) == (b == ty.BOOLEAN):
        if op in ("<", "<=", ">", ">=") and ty.COMPLEX in (a, b):
            ctx.report(errors.operator_needs(ctx, op, "Real", dt.C64, left, right, span))
            return error_term(span)
        known = _compare_known(op, left.known, right.known)
    elif op in ("==", "!=") and _comparable(a, b):
        known = _equal_known(op, left.known, right.known)
    else:
        ctx.report(errors.not_comparable(ctx, op, left, right, span))
        return error_term(span)
    core_term = core.Binary(span, ty.BOOLEAN, op, left.core, right.core)
    return Term(core_term, ty.BOOLEAN, known if known is not None else opaque_condition(ctx))


def opaque_condition(ctx: Context) -> Prop:
    """A static truth that nothing is known of but that it equals itself."""
    return fa.OpaqueProp("condition", (StaticName(ctx.fresh_id(), "condition"),))


def _comparable(a: Type, b: Type) -> bool:
    bases = [k.base if isinstance(k, ty.OptionalType) else k for k in (a, b)]
    if ty.NONE in (a, b):
        return True
    if isinstance(bases[0], ty.FunctionType):
        return False
    sizes = (ty.INT, ty.SIZE)
    same = bases[0] == bases[1] or (bases[0] in sizes and bases[1] in sizes)
    lists = (ty.AXES, ty.SHAPE)
    return same or bases[0] in lists or bases[1] in lists


def _compare_known(op: str, a: Known | None, b: Known | None) -> Prop | None:
    if isinstance(a, Size) and isinstance(b, Size):
        return fa.simplified(_RELATION[op](a, b))
    if isinstance(a, Prop) and isinstance(b, Prop):
        return _equal_known(op, a, b)
    x, y = _number(a), _number(b)
    if x is None or y is None:
        return None
    return fa.Known(bool(OPERATORS[op](x, y)))


def _equal_known(op: str, a: Known | None, b: Known | None) -> Prop | None:
    settled = (str, Nothing, VariantValue, dt.DType, fa.Known)
    if isinstance(a, settled) and isinstance(b, settled):
        return fa.Known((a == b) == (op == "=="))
    if a is not None and a == b:
        return fa.Known(op == "==")
    for x, y in ((a, b), (b, a)):
        if isinstance(x, StaticName) and isinstance(y, Nothing | str | VariantValue):
            base: Prop = fa.OpaqueProp("is", (x, repr(y)))
            return base if op == "==" else fa.Not(base)
    return None


# ---------------------------------------------------------------- logic and unary


def _logical(ctx: Context, node: ast.Binary) -> Term:
    left = condition(ctx, ctx.infer(node.left), node.op)
    inner = ctx
    if isinstance(left.known, Prop) and left.type == ty.BOOLEAN:
        inner = ctx.assuming(left.known if node.op == "and" else fa.negation(left.known))
    elif isinstance(left.known, Condition):
        inner = ctx.with_facts(left.known.prop if node.op == "and" else fa.negation(left.known.prop))
    right = inner.infer(node.right)
    right = condition(ctx, right, node.op) if left.type != ty.ERROR else right
    if ty.ERROR in (left.type, right.type):
        return error_term(node.span)
    known = _logical_known(node.op, left, right)
    static = left.type == ty.BOOLEAN and right.type == ty.BOOLEAN
    kind: Type = ty.BOOLEAN if static else ty.ArrayType(dt.BOOL, Shape(()))
    return Term(core.Logical(node.span, kind, node.op, left.core, right.core), kind, known)


def _logical_known(op: str, left: Term, right: Term) -> Known | None:
    join = fa.conjunction if op == "and" else fa.disjunction
    a = left.known.prop if isinstance(left.known, Condition) else left.known
    b = right.known.prop if isinstance(right.known, Condition) else right.known
    if not isinstance(a, Prop) or not isinstance(b, Prop):
        if op == "and" and (isinstance(left.known, Condition) or isinstance(right.known, Condition)):
            only = left.known if isinstance(left.known, Condition) else right.known
            return only if isinstance(only, Condition) else None
        return None
    joined = join([a, b])
    return joined if left.type == right.type == ty.BOOLEAN else Condition(joined)


def condition(ctx: Context, term: Term, what: str) -> Term:
    """A scalar bool, static or traced; reports anything else."""
    kind = ctx.resolve(term.type)
    if kind in (ty.BOOLEAN, ty.ERROR):
        return term
    if isinstance(kind, ty.ArrayType) and ctx.body.solver.unify(kind.dtype, dt.BOOL):
        if not kind.shape.dims:
            return term
        ctx.report(errors.array_condition(ctx, term, what))
    else:
        ctx.report(errors.not_a_condition(ctx, term, what))
    return error_term(term.span)


def unary(ctx: Context, node: ast.Unary, expected: Type | None) -> Term:
    term = ctx.infer(node.operand, _static_hint(expected))
    kind = ctx.resolve(term.type)
    if kind == ty.ERROR:
        return error_term(node.span)
    if node.op == "not":
        return _not(ctx, condition(ctx, term, "not"), node.span)
    if is_number(kind):
        return _unary_static(ctx, node.op, term, kind, node.span)
    if node.op in ("-", "+") and _is_tree(kind):
        if not is_vector_space(ctx, kind):
            ctx.report(errors.not_a_vector_space(ctx, node.op, term, node.span))
            return error_term(node.span)
        return Term(core.Unary(node.span, kind, node.op, term.core), kind)
    array = _array_of(kind)
    if array is None:
        ctx.report(errors.not_an_operand(ctx, node.op, term, term, term, node.span))
        return error_term(node.span)
    allowed = (*dt.INTEGERS, dt.BOOL) if node.op == "~" else dt.CLASSES["Num"]
    if not ctx.body.solver.restrict(array.dtype, allowed):
        wanted = "integers or bools" if node.op == "~" else "Num"
        ctx.report(errors.operator_needs(ctx, node.op, wanted, array.dtype, term, None, node.span))
        return error_term(node.span)
    known = combine(ctx, "-", Traced(Size.of(0)), term.known) if node.op == "-" else None
    return Term(core.Unary(node.span, array, node.op, term.core), array, known)


def _not(ctx: Context, term: Term, span: Span) -> Term:
    if term.type == ty.ERROR:
        return error_term(span)
    known: Known | None = None
    if isinstance(term.known, Condition):
        known = Condition(fa.negation(term.known.prop))
    elif isinstance(term.known, Prop):
        known = fa.negation(term.known)
    return Term(core.Unary(span, term.type, "not", term.core), term.type, known)


def _unary_static(ctx: Context, op: str, term: Term, kind: Type, span: Span) -> Term:
    name = _kind(kind)
    if name == "bool" or (op == "~" and name != "int"):
        if op == "~" and name == "bool":
            return _not(ctx, term, span)
        ctx.report(errors.operator_needs(ctx, op, "Num", dt.BOOL, term, None, span))
        return error_term(span)
    known: Known | None = None
    if isinstance(term.known, Size):
        known = -term.known if op == "-" else term.known if op == "+" else -term.known - 1
    elif isinstance(term.known, float | complex):
        value = UNARY[op](term.known)
        known = value if isinstance(value, float | complex) else None
    result = ty.INT if name == "int" else kind
    return Term(core.Unary(span, result, op, term.core), result, known)


__all__ = ["NUMBERS", "binary", "combine", "compare", "condition", "error_term", "is_vector_space", "meet", "operate", "unary"]
