"""E03: dtypes, numbers that meet them, and what operators need of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Element, Type, TypeClass
from typechecker.errors.repairs.goals import of_one_dtype, sides_of
from typechecker.errors.repairs.trees import bare, declarations
from typechecker.errors.repairs.trial import definition_around, first_that_mends, mends, tried
from typechecker.errors.templates import Template
from typechecker.errors.types import Mismatch
from typechecker.errors.words import (
    declaration_labels,
    describe_term,
    instead,
    make,
    plain_type,
    reason,
    replace_with,
    snippet,
)

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Known, Term
    from typechecker.relations.coercion import Why
    from typechecker.relations.numeric_literals import Unfit


_REALS = tuple(dtype for dtype in dt.ALL if not dtype.is_complex)
_dtypes_differ = Template(
    "E0301",
    "dtypes differ in `{op}`: {x} and {y}",
    "{left:described}, {right:described}",
    note="dtypes are not promoted implicitly",
)


def dtypes_differ(ctx: Context, op: str, left: Term, right: Term, a: Element, b: Element, span: Span) -> Diagnostic:
    sides, x, y = sides_of(ctx, span, (left, right)), _named(ctx, a), _named(ctx, b)
    helps = of_one_dtype(ctx, op, sides, (left, right), span)
    return _dtypes_differ(span, ctx, op=op, left=left, right=right, x=x, y=y, help=helps)


def dtype_of_leaves_differs(
    ctx: Context, op: str, scalar: Term, tree: Term, of_scalar: Element, of_leaf: Element, span: Span
) -> Diagnostic:
    """A scalar that meets each leaf of a tree, cast to the dtype of all, or of each."""
    first, x, leaf = scalar.span.start < tree.span.start, _named(ctx, of_scalar), _named(ctx, of_leaf)
    rules = [f"A {op} B => D(A) {op} B", f"A {op} B => tree_map(fn leaf -> cast(A, leaf.dtype) {op} leaf, B)"]
    if not first:
        rules = [f"A {op} B => A {op} D(B)", f"A {op} B => tree_map(fn leaf -> leaf {op} cast(B, leaf.dtype), A)"]
    helps = tried(ctx, span, ["convert the scalar: `{}`", *rules], {"D": [leaf]})
    return _dtypes_differ(span, ctx, op=op, left=scalar, right=tree, x=x, y=leaf, help=helps)


def _named(ctx: Context, element: Element) -> str:
    """A dtype's name; of a number that no dtype was found for, the one that it would take."""
    return ctx.body.solver.usual(ctx.body.solver.element(element)).name


def wrong_dtype(found: Mismatch, actual: Element, wanted: Element) -> Diagnostic:
    ctx = found.ctx
    x, y = ctx.body.solver.element(actual), ctx.body.solver.element(wanted)
    special = found.show_special()
    if special is not None:
        return special
    if isinstance(y, DTypeVar) and ctx.body.solver.is_flexible(y):
        return _outside_class(found, x, dt.class_of(y.allowed))
    fixed = x if isinstance(x, DTypeVar) and not ctx.body.solver.is_flexible(x) else None
    lossy = fixed is not None and any(d.is_complex for d in ctx.body.solver.candidates(fixed))
    helps = narrower_class(ctx, x, _REALS) if lossy and y in _REALS else found.fitted
    return found.show("E0302", f"has dtype {_named(ctx, x)}", _named(ctx, y), help=helps)


def _outside_class(found: Mismatch, element: Element, wanted: str) -> Diagnostic:
    text, advice = snippet(found.span), list[Help]()
    if isinstance(element, DTypeVar):
        advice = narrower_class(found.ctx, element, dt.CLASSES[wanted])
    elif text and (element is dt.BOOL or (wanted in ("Float", "Inexact") and element.is_integer)):
        into = "f32" if wanted in ("Float", "Inexact") else "i32"
        advice = instead("convert it: `{}`", found.span, f"{into}({text})")
    return make(
        "E0332",
        f"{reason(found.why)} has dtype {_named(found.ctx, element)}, which is not in class {wanted}",
        found.span,
        plain_type(found.ctx, found.actual),
        notes=[class_members(wanted), *_leaf_dtype(element)],
        help=advice,
    )


def _leaf_dtype(element: Element) -> list[str]:
    """Name the dtype of any leaf of a generic tree."""
    if not isinstance(element, DTypeVar) or not element.name.endswith(".dtype"):
        return []
    return [f"`{element.name}` is the dtype of any leaf of the tree: {', '.join(d.name for d in element.allowed)}"]


def narrower_class(ctx: Context, element: Element, fitting: Iterable[dt.DType]) -> list[Help]:
    """The advice to state a class of dtypes that are all among these, where the dtype is that of a parameter: the class
    that other definitions of the module state, or the largest one, with which the definition checks."""
    name, _, of_leaf = element.name.partition(".")
    bound = ctx.scope.lookup(name)
    allowed = {dtype for dtype in ctx.body.solver.candidates(element) if dtype in fitting}
    inside = [name for name, dtypes in dt.CLASSES.items() if allowed.issuperset(dtypes)]
    if bound is None or bound.span is None or not inside or (not of_leaf and bound.term.known != element):
        return []
    node = definition_around(ctx, bound.span)
    generics = [each for each in nodes(declarations(bound.span.source)) if isinstance(each, ast.Generic)]
    stated = [each.constraint.name for each in generics if each.constraint is not None]
    likely = sorted(inside, key=lambda each: (-stated.count(each), -len(dt.CLASSES[each])))
    own = [g.constraint for g in (node.generics if node else ()) if g.name.name == name and g.constraint is not None]
    edits = first_that_mends(ctx, (replace_with(at.span, each) for at in own for each in likely))
    usual = edits[0].text if edits else likely[0]
    shown = f"static {name}: {usual}" if bound.kind in ("static", "param") else f"[{name}: {usual}]"
    if of_leaf and isinstance(bound.term.type, ty.TypeVar):
        shown, edits = f"[{name}: {bound.term.type.constraint.name}[{usual}]]", ()
    return [Help(f"state a narrower class: `{shown}`", edits)]


def class_members(name: str) -> str:
    return f"{name}: " + ", ".join(d.name for d in dt.CLASSES[name]) if name in dt.CLASSES else name


# ---------------------------------------------------------------- numbers


_number_of_kind = Template(
    "E0304", "cannot convert `{value}` to {element.name}", "{a}, but {element.name} is expected", note="{rule}"
)
_number_out_of_range = Template("E0304", "`{value}` does not fit into {element.name}", "{range}")
_number_of_class = Template(
    "E0304", "`{value}` does not fit into every dtype that {element.name} may be", "{element.name} may be {few}"
)
_number_overflows = Template("E0304", "`{value}` overflows in {element.name}", "too large for this dtype")


def number_does_not_fit(
    ctx: Context, unfit: Unfit, kind: str, known: Known | None, element: Element, why: Why, span: Span
) -> Diagnostic:
    value, places = snippet(span) or "the number", declaration_labels(why)
    if unfit.dtypes and isinstance(element, DTypeVar):
        fitting = [dtype for dtype in element.allowed if dtype not in (*unfit.dtypes, *dt.COMPLEXES)]
        few, stated = ", ".join(map(str, unfit.dtypes)), narrower_class(ctx, element, fitting)
        return _number_of_class(span, secondary=places, value=value, element=element, few=few, help=stated)
    match unfit.problem:
        case "kind":
            a = "an int" if kind in ("int", "size") else f"a {kind}"
            rule = "floats are not converted to integers implicitly, nor complex numbers to reals"
            rule = "numbers are not converted to bool implicitly" if element is dt.BOOL else rule
            stated = narrower_class(ctx, element, dt.FLOATS if kind == "float" else dt.COMPLEXES)
            if stated and isinstance(element, DTypeVar):
                integers = any(dtype.is_integer for dtype in ctx.body.solver.candidates(element))
                rule = f"`{element.name}` includes {'integers' if integers else 'floats'}; {rule}"
            helps = stated or _of_kind(ctx, kind, element, value, why, span)
            return _number_of_kind(span, secondary=places, value=value, element=element, a=a, rule=rule, help=helps)
        case "range":
            held, helps = _range(element), _holding(element, known, why)
            return _number_out_of_range(span, secondary=places, value=value, element=element, range=held, help=helps)
        case _:
            return _number_overflows(span, secondary=places, value=value, element=element)


def _of_kind(ctx: Context, kind: str, element: Element, value: str, why: Why, span: Span) -> list[Help]:
    """The other operand as one of a dtype that holds such numbers; or the number as an integer."""
    meets = why.declared if why.kind == "operand" and why.declared is not None else None
    other = "" if meets is None else snippet(meets)
    fitting = ["i32", "f32"] if element is dt.BOOL else ["f32"]
    if kind == "complex" and isinstance(element, dt.DType):
        fitting = [f"c{2 * max(element.bits, 32)}"]
    casts = [replace_with(meets, f"{into}({bare(other)})") for into in fitting] if meets is not None and other else []
    cast = first_that_mends(ctx, casts) or next(iter(casts), ())
    number, _, fraction = value.partition(".")
    whole = kind == "float" and number.isdigit() and "." in value and not fraction.strip("0")
    if cast and mends(ctx, cast):
        return [Help(f"convert the other operand: `{cast[0].text}`", cast)]
    if whole:
        return instead("write an integer: `{}`", span, number)
    return [Help(f"convert the other operand: `{cast[0].text}`")] if cast else []


def _holding(element: Element, known: Known | None, why: Why) -> list[Help]:
    """The numbers that a dtype holds, and the smallest one that holds this number too."""
    number = known.constant if isinstance(known, Size) else None
    if number is None or not isinstance(element, dt.DType) or not element.is_integer:
        return []
    low, high = dt.integer_range(element)
    fits = [d for d in dt.INTEGERS if dt.integer_range(d)[0] <= min(low, number) and high <= dt.integer_range(d)[1]]
    fits = [d for d in fits if number <= dt.integer_range(d)[1]]
    if not fits:
        return [Help(f"choose a number from {low} to {high}: {element.name} is the widest of its kind")]
    dtype, meets = min(fits, key=lambda d: d.bits).name, why.declared if why.kind == "operand" else None
    other = "" if meets is None else snippet(meets)
    convert = f"convert what it meets, `{dtype}({bare(other)})`" if other else f"use `{dtype}`"
    return [Help(f"choose a number from {low} to {high}, or {convert}")]


def _range(element: Element) -> str:
    if not isinstance(element, dt.DType) or not element.is_integer:
        return "out of range"
    low, high = dt.integer_range(element)
    return f"{element.name} holds {low} to {high}"


# ---------------------------------------------------------------- operators and casts


_integer_division = Template(
    "E0305",
    "`/` is not defined for integers",
    "both operands {may} integers",
    help="`//` rounds down{exact}",
    tries=("`{}` rounds down{exact}", "int(A / B) => A // B", "A / B => A // B"),
)


def integer_division(ctx: Context, left: Term, span: Span) -> Diagnostic:
    generic = isinstance(left.type, ty.ArrayType) and isinstance(left.type.dtype, DTypeVar)
    exact = "" if ctx.body.static or ctx.scope.makes_sizes else "; `f32(…)` of both gives a fraction"
    return _integer_division(span, ctx, may="may be" if generic else "are", exact=exact)


_OPERANDS: Mapping[str, str] = MappingProxyType(
    {
        "Num": "numbers",
        "Real": "real numbers",
        "Int": "integers",
        "Inexact": "floats or complex numbers",
        "Float": "floats",
        "Complex": "complex numbers",
    }
)


def operator_needs(
    ctx: Context, op: str, wanted: str, element: Element, left: Term, right: Term | None, span: Span
) -> Diagnostic:
    kind, words = ctx.body.solver.element(element), _OPERANDS.get(wanted, wanted)
    found = _named(ctx, kind)
    places = describe_term(ctx, left) + ("" if right is None else f", {describe_term(ctx, right)}")
    if isinstance(kind, DTypeVar) and not ctx.body.solver.is_flexible(kind):
        narrower = narrower_class(ctx, kind, dt.CLASSES.get(wanted, (*dt.INTEGERS, dt.BOOL)))
        return make("E0315", f"`{op}` needs {words}, but `{found}` may be another dtype", span, places, help=narrower)
    helps = list[Help]()
    if op == "^" and right is not None and found != "bool":
        between = span.text[left.span.end - span.start : right.span.start - span.start].replace("^", "**")
        power = f"{left.span.text}{between}{right.span.text}"
        helps = instead("`^` is exclusive or; a power is `{}`", span, power)
    elif found == "bool" and op not in ("&", "|"):
        helps = [Help("convert first: `i32(…)` maps true to 1")]
    return make("E0315", f"`{op}` needs {words}, not {found}", span, places, help=helps)


negative_shift = Template(
    "E0316",
    "negative shift: {places}",
    "integers are shifted by at least 0 places",
    help="shift the other way, by {other_way}",
)
negative_power = Template(
    "E0316",
    "negative power of an integer",
    "the exponent is {exponent}",
    help="convert the base: `f32({base.span.text}) ** {exponent}`",
)
_complex_to_real = Template(
    "E0321", "{number} cannot be cast to {target}", "would lose the imaginary part", help="write `real(…)` or `abs(…)`"
)


def complex_to_real(ctx: Context, term: Term, source: Element, element: Element, span: Span) -> Diagnostic:
    narrower = narrower_class(ctx, source, _REALS) or narrower_class(ctx, element, dt.COMPLEXES)
    complex_ = set(ctx.body.solver.candidates(source)) <= set(dt.COMPLEXES)
    number = "a complex number" if complex_ else f"{source.name}, which may be complex,"
    target = element.name if isinstance(element, dt.DType) else f"{element.name}, which may be real"
    return _complex_to_real(span, number=number, target=target, help=narrower)


cannot_cast = Template(
    "E0321",
    "{term.type:type} cannot be cast to {element.name}",
    "{term:described}",
    tries=(
        "cast the part that is meant: `{}`",
        "F(X) => F(X.N)",
    ),
)
_class_not_met = Template(
    "E0329", "argument `{name}` of `{owner}` is not a {wanted}: {kind:type}", "{needed}", help="{advice}"
)
_OF_LEAVES: Mapping[str, str] = MappingProxyType(
    {
        "VSpace": "every leaf must be a float or complex array",
        "Tree": "a tree holds no keys and no static values",
        "Move": "data is needed",
    }
)


def class_not_met(
    ctx: Context, owner: str, name: str, kind: Type, wanted: TypeClass, culprit: tuple[str, Type] | None, span: Span
) -> Diagnostic:
    """`culprit`: the path and type of the first leaf that is not of the class, if it is not the whole."""
    path, leaf = culprit or (None, None)
    over = wanted.over or ""
    members = f"dtype {over}" if over in dt.BY_NAME else f"class {class_members(over)}"
    needed = _OF_LEAVES.get(str(wanted), f"every leaf must be of {members}")
    advice = f"leave out `{path}`, which is {plain_type(ctx, leaf)}" if leaf is not None else None
    if isinstance(kind, ty.TypeVar) and kind.constraint.includes(wanted):
        advice = f"state a narrower class: `[{kind.name}: {wanted}]`"
    return _class_not_met(span, ctx, name=name, owner=owner, wanted=wanted, kind=kind, needed=needed, advice=advice)


_dtype_not_of_class = Template(
    "E0332", "dtype {element.name} is not in class {wanted}", "dtype of another class", note="{members}"
)


def dtype_not_of_class(element: Element, wanted: str, span: Span) -> Diagnostic:
    return _dtype_not_of_class(span, element=element, wanted=wanted, members=class_members(wanted))


not_a_dtype_function = Template(
    "E0302", "only the result of a static function of dtypes is a dtype, as in `complex_of(F)`", "{term.type:plain}"
)
_sizes_in_parentheses = Template("E0101", "the sizes of an array stand in brackets", help="write `{written}`")


def sizes_in_parentheses(value: ast.Call) -> Diagnostic:
    """Report `f32(n)` in the position of a type."""
    place = Span(value.span.source, value.function.span.end, value.span.end)
    written = f"[{place.text[1:-1]}]"
    edits = replace_with(place, written)
    return _sizes_in_parentheses(place, edits=edits, written=value.function.span.text + written)


_no_members = Template(
    "E0315",
    "`{op}` asks a static list or a tuple, not {whole.type:type}",
    "{whole:described}",
)
_no_members_of_array = replace(
    _no_members,
    tries=("ask all elements of an array at once: `{}`", "A in B => any(B == A)", "A not in B => not any(B == A)"),
)


def no_members(ctx: Context, op: str, whole: Term, span: Span) -> Diagnostic:
    array = isinstance(ctx.resolve(whole.type), ty.ArrayType)
    return (_no_members_of_array if array else _no_members)(span, ctx, op=op, whole=whole)


not_one_value = Template("E0315", "`{op}` asks of one value, not of {item.type:type}", "{item:described}")
