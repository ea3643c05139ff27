"""E03: dtypes, numbers that meet them, and what operators need of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import DTypeVar, Element, Type, TypeClass
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.numbers import as_leaf, holding, number_help, of_narrower, real_numbers
from typechecker.errors.repairs.trees import declarations, exactly, read, rewritten
from typechecker.errors.repairs.trial import (
    definition_around,
    first_that_checks,
    first_that_mends,
    mends,
    type_of,
)
from typechecker.errors.templates import Template
from typechecker.errors.types import Mismatch
from typechecker.errors.words import (
    bare,
    declaration_labels,
    describe_term,
    is_carried,
    make,
    operand,
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

_power = Template(
    "E0301", "dtypes differ in `^`: {x} and {y}", "an exclusive or", help="a power is `{power}`", fix="{power}"
)


def dtypes_differ(ctx: Context, op: str, left: Term, right: Term, a: Element, b: Element, span: Span) -> Diagnostic:
    x, y = ctx.body.solver.element(a), ctx.body.solver.element(b)
    wide = _wider(x, y)
    narrow, other = (right, left) if wide is x else (left, right)
    text = snippet(narrow.span)
    into = _named(ctx, wide) if isinstance(wide, DTypeVar) and ctx.body.solver.is_flexible(wide) else wide and wide.name
    loses = wide is not None and _may_lose(ctx, y if wide is x else x, wide)
    cast = _conversion(into, text, snippet(other.span)) if into and text and not loses else None
    powers = [f"{left.span.text} ** {right.span.text}", f"{left.span.text} ** f32({right.span.text})"]
    power = first_that_checks(ctx, powers, span) if op == "^" else None
    if power is not None:
        return _power(span, power=power, x=_named(ctx, x), y=_named(ctx, y))
    if into and (made := _made(ctx, text, into, wide, narrow.span)) is not None:
        cast = made
    casts = () if cast is None or is_carried(ctx, narrow) else replace_with(narrow.span, cast)
    name = (y if wide is x else x).name
    instead: tuple[Edit, ...] = ()
    loose = isinstance(wide, dt.DType) and wide.is_complex and not mends(ctx, casts)
    real = real_numbers(ctx, other.span) if loose else []
    if isinstance(into, str) and {into, name} <= {*dt.BY_NAME} and not mends(ctx, casts):
        instead = first_that_mends(ctx, of_narrower(ctx, other.span, narrow.span, into, name))
    if not instead and isinstance(wide, DTypeVar) and name in dt.BY_NAME and not mends(ctx, casts):
        instead = first_that_mends(ctx, [replace_with(other.span, f"{name}({bare(other.span.text)})")])
    advice = None if cast is None else f"convert one of them: `{cast}`"
    if instead and other.span.covers(instead[0].span):
        advice = f"`{snippet(narrow.span)}` is {name}: write `{rewritten(other.span, *instead)}`"
    elif not instead and text and (both := _exact(x, y)) is not None:
        casts = (
            *replace_with(left.span, f"{both}({bare(left.span.text)})"),
            *replace_with(right.span, f"{both}({bare(right.span.text)})"),
        )
        advice = f"convert both, so that no digits are lost: `{rewritten(span, *casts)}`"
    elif instead:
        advice = f"let the loop start with {into}: `{narrow.span.text} = {instead[0].text}`"
    return make(
        "E0301",
        f"dtypes differ in `{op}`: {_named(ctx, x)} and {_named(ctx, y)}",
        span,
        f"{describe_term(ctx, left)}, {describe_term(ctx, right)}",
        notes=["dtypes are not promoted implicitly"],
        help=real or advice,
        edits=instead or casts,
    )


_scalar_of_leaves = Template(
    "E0301",
    "dtypes differ in `{op}`: {of_scalar} and {of_leaf}",
    "{scalar:described}, {tree:described}",
    note="a scalar meets each leaf, and dtypes are not promoted implicitly",
    help="convert the scalar: `{converted}`",
    fix="{converted}",
)


def dtype_of_leaves_differs(
    ctx: Context, op: str, scalar: Term, tree: Term, of_scalar: Element, of_leaf: Element, span: Span
) -> Diagnostic:
    k, p, x, leaf = scalar.span.text, tree.span.text, _named(ctx, of_scalar), _named(ctx, of_leaf)
    pairs = [(f"{leaf}({k})", operand(p)), (f"cast({k}, leaf.dtype)", "leaf")]
    first = scalar.span.start < tree.span.start
    whole, each = (f" {op} ".join(pair if first else reversed(pair)) for pair in pairs)
    fixed = first_that_checks(ctx, [whole, f"tree_map(fn leaf -> {each}, {p})"], span)
    error = _scalar_of_leaves
    return error(span, ctx, op=op, scalar=scalar, tree=tree, converted=fixed, of_scalar=x, of_leaf=leaf)


def _conversion(into: str, text: str, other: str) -> str:
    """An expression as one of this dtype, which is that of another one: that of the leaves of a tree has no name."""
    return f"{into}({bare(text)})" if into.isidentifier() else f"cast({text}, {other}.dtype)"


def _made(ctx: Context, text: str, name: str, dtype: Element | None, place: Span) -> str | None:
    """An expression with a dtype given to the call that makes its array, if this gives an array of the dtype."""
    root = read(text)
    call = root if isinstance(root, ast.Call) and not isinstance(root.function, ast.Call) else None
    if call is not None and isinstance(call.function, ast.Field) and isinstance(call.function.base, ast.Index):
        field = call.function.base.base  # the `x.at` of an update `x.at[i].set(v)`
        call = field.base if isinstance(field, ast.Field) and isinstance(field.base, ast.Call) else None
    written = None
    if root is not None and call is not None:
        given = trees.with_args(call, (*call.args, trees.option("dtype", trees.name(name))))
        written = trees.changed(root, trees.change(call, given))
    found = None if written is None else type_of(ctx, written, place)
    return written if isinstance(found, ty.ArrayType) and found.dtype == dtype else None


def _named(ctx: Context, element: Element) -> str:
    """A dtype's name; of a number that no dtype was found for, the one that it would take."""
    return ctx.body.solver.usual(element).name


def _wider(a: Element, b: Element) -> Element | None:
    """The dtype that both would have after a sensible cast."""
    if not isinstance(a, dt.DType) or not isinstance(b, dt.DType):
        return a if isinstance(b, dt.DType) else b
    rank = {dt.Kind.BOOL: 0, dt.Kind.UNSIGNED: 1, dt.Kind.SIGNED: 1, dt.Kind.FLOAT: 2, dt.Kind.COMPLEX: 3}
    return a if (rank[a.kind], a.bits) >= (rank[b.kind], b.bits) else b


def _exact(a: Element, b: Element) -> dt.DType | None:
    """The dtype that holds all numbers of two inexact ones, where neither does."""
    if not (isinstance(a, dt.DType) and isinstance(b, dt.DType) and a.is_inexact and b.is_inexact):
        return None
    part = dt.F32 if {a, b} == {dt.F16, dt.BF16} else max(a.real, b.real, key=lambda dtype: dtype.bits)
    both = part.complex if a.is_complex or b.is_complex else part
    return None if both in (a, b) else both


def wrong_dtype(found: Mismatch, actual: Element, wanted: Element) -> Diagnostic:
    ctx, span = found.ctx, found.span
    x, y = ctx.body.solver.element(actual), ctx.body.solver.element(wanted)
    special = found.show_special()
    if special is not None:
        return special
    if isinstance(y, DTypeVar) and ctx.body.solver.is_flexible(y):
        return _outside_class(found, x, dt.class_of(y.allowed))
    opened = _opened_otherwise(found, y.name) if found.why.kind == "cell" and found.why.owner else None
    if opened is not None:
        advice = f"open the cell with that dtype, which is that of its last value, too: `with {opened}`"
        return found.show("E0302", f"has dtype {_named(ctx, x)}", _named(ctx, y), help=advice)
    lossy = _may_lose(ctx, x, y)
    function = "real" if lossy and isinstance(x, dt.DType) else None if lossy else y.name
    text = snippet(span, 80)
    leaf = () if y.name.isidentifier() or function is None else as_leaf(ctx, span)
    if leaf:
        return found.show(
            "E0302", f"has dtype {_named(ctx, x)}", y.name, help=f"convert it: `{leaf[0].text}`", edits=leaf
        )
    named = y.name.isidentifier()
    cast = f"{function}({text})" if function and text and named and not found.path else None
    cast = None if _of_function(ctx, span) else cast
    cast = cast and (_made(ctx, text, y.name, y, span) or cast)
    real = real_numbers(ctx, span) if function == "real" and cast else []
    if function is None:
        return found.show("E0302", f"has dtype {_named(ctx, x)}", _named(ctx, y), help=narrower_class(ctx, x, _REALS))
    return found.show(
        "E0302",
        f"has dtype {_named(ctx, x)}",
        _named(ctx, y),
        help=real or (cast and f"convert it: `{cast}`"),
        edits=() if cast is None or found.why.kind == "cell" else replace_with(span, cast),
    )


def _opened_otherwise(found: Mismatch, dtype: str) -> str | None:
    """The handler of a cell of another dtype, or with a first value of one, where a function asks for this one."""
    place = found.why.declared
    if place is None or place.end > found.span.start:
        return None
    match exactly(place, ast.StateHandler) or exactly(place, ast.AccumHandler):
        case ast.AccumHandler(cell, ast.NamedType()):
            return f"accum {cell.name}: {dtype}"
        case ast.StateHandler(cell, ast.NamedType(), init):
            return f"state {cell.name}: {dtype} = {init.span.text}"
        case ast.StateHandler(cell, None, ast.Call(ast.Name(cast), (value,))) if cast in dt.BY_NAME:
            return f"state {cell.name} = {dtype}({value.span.text})"
        case ast.StateHandler(cell, None, init):
            return f"state {cell.name} = {dtype}({bare(init.span.text)})"
        case _:
            return None


def _outside_class(found: Mismatch, element: Element, wanted: str) -> Diagnostic:
    text = snippet(found.span)
    advice, stated = None, list[Help]()
    if isinstance(element, DTypeVar):
        stated = narrower_class(found.ctx, element, dt.CLASSES[wanted])
    elif text and wanted in ("Float", "Inexact") and (element is dt.BOOL or element.is_integer):
        advice = f"convert it: `f32({text})`"
    return make(
        "E0332",
        f"{reason(found.why)} has dtype {_named(found.ctx, element)}, which is not in class {wanted}",
        found.span,
        plain_type(found.ctx, found.actual),
        notes=[class_members(wanted), *_leaf_dtype(element)],
        help=stated or advice,
        edits=replace_with(found.span, f"f32({text})") if isinstance(found.actual, ty.ArrayType) else (),
    )


def _leaf_dtype(element: Element) -> list[str]:
    """Name the dtype of any leaf of a generic tree."""
    if not isinstance(element, DTypeVar) or not element.name.endswith(".dtype"):
        return []
    return [f"`{element.name}` is the dtype of any leaf of the tree: {', '.join(d.name for d in element.allowed)}"]


def _may_lose(ctx: Context, source: Element, target: Element) -> bool:
    """Return whether a cast may be one of complex numbers to real ones."""
    targets = set(ctx.body.solver.candidates(target)) & set(_REALS)
    return bool(targets - {dt.BOOL}) and any(dtype.is_complex for dtype in ctx.body.solver.candidates(source))


def narrower_class(ctx: Context, element: Element, fitting: Iterable[dt.DType]) -> list[Help]:
    """The advice to state the largest class of dtypes that are all among these, where the dtype is that of a
    parameter."""
    name, _, of_leaf = element.name.partition(".")
    bound = ctx.scope.lookup(name)
    allowed = {dtype for dtype in ctx.body.solver.candidates(element) if dtype in fitting}
    inside = [name for name, dtypes in dt.CLASSES.items() if allowed.issuperset(dtypes)]
    if bound is None or not inside or (not of_leaf and bound.term.known != element):
        return []
    kind, static = bound.term.type, bound.kind in ("static", "param")
    usual, edits = _usual_class(ctx, name, inside, bound.span)
    shown = f"static {name}: {usual}" if static else f"[{name}: {usual}]"
    if of_leaf and isinstance(kind, ty.TypeVar):
        shown, edits = f"[{name}: {kind.constraint.name}[{usual}]]", ()
    where = " where the operation is declared" if bound.kind == "param" else ""
    return [Help(f"state a narrower class{where}: `{shown}`", edits)]


def _usual_class(ctx: Context, name: str, inside: Sequence[str], place: Span | None) -> tuple[str, tuple[Edit, ...]]:
    """The class that other definitions of the module state, or the largest one, with which the definition checks."""
    node = None if place is None else definition_around(ctx, place)
    generics = [each for each in nodes(declarations(place.source) if place else ()) if isinstance(each, ast.Generic)]
    stated = [each.constraint.name for each in generics if each.constraint is not None]
    likely = sorted(inside, key=lambda each: (-stated.count(each), -len(dt.CLASSES[each])))
    own = [g.constraint for g in (node.generics if node else ()) if g.name.name == name and g.constraint is not None]
    edits = first_that_mends(ctx, (replace_with(at.span, each) for at in own for each in likely))
    return (edits[0].text if edits else likely[0]), edits


def class_members(name: str) -> str:
    return f"{name}: " + ", ".join(d.name for d in dt.CLASSES[name]) if name in dt.CLASSES else name


def _of_function(ctx: Context, span: Span) -> bool:
    """Return whether a whole function stands at a place, of which a parameter or the result does not fit."""
    if not span.text.isidentifier():
        return span.text.startswith("fn ")
    found = ctx.scope.lookup(span.text)
    return found is None or isinstance(ctx.resolve(found.term.type), ty.FunctionType)


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
        found = _number_of_class(
            span, secondary=places, value=value, element=element, few=", ".join(map(str, unfit.dtypes))
        )
        return replace(found, help=tuple(narrower_class(ctx, element, fitting)))
    match unfit.problem:
        case "kind":
            a = "an int" if kind in ("int", "size") else f"a {kind}"
            rule = "floats are not converted to integers implicitly, nor complex numbers to reals"
            rule = "numbers are not converted to bool implicitly" if element is dt.BOOL else rule
            advice = number_help(ctx, kind, element, value, why, span)
            stated = narrower_class(ctx, element, dt.FLOATS if kind == "float" else dt.COMPLEXES)
            if stated and isinstance(element, DTypeVar):
                integers = any(dtype.is_integer for dtype in ctx.body.solver.candidates(element))
                rule = f"`{element.name}` includes {'integers' if integers else 'floats'}; {rule}"
            found = _number_of_kind(span, secondary=places, value=value, element=element, a=a, rule=rule, help=advice)
            return replace(found, help=tuple(stated)) if stated else found
        case "range":
            held, (advice, edits) = _range(element), holding(ctx, element, known, why)
            return _number_out_of_range(
                span, secondary=places, edits=edits, value=value, element=element, range=held, help=advice
            )
        case _:
            return _number_overflows(span, secondary=places, value=value, element=element)


def _range(element: Element) -> str:
    if not isinstance(element, dt.DType) or not element.is_integer:
        return "out of range"
    if element.kind is dt.Kind.UNSIGNED:
        return f"{element.name} holds 0 to {2**element.bits - 1}"
    return f"{element.name} holds {-(2 ** (element.bits - 1))} to {2 ** (element.bits - 1) - 1}"


_integer_division = Template("E0305", "`/` is not defined for integers", "both operands {may} integers")


def integer_division(ctx: Context, left: Term, right: Term, span: Span) -> Diagnostic:
    a, b = snippet(left.span), snippet(right.span)
    exact = f"{a}.0 / {b}.0" if a.isdecimal() and b.isdecimal() else f"f32({bare(a)}) / f32({bare(b)})"
    generic = isinstance(left.type, ty.ArrayType) and isinstance(left.type.dtype, DTypeVar)
    advice = f"write `{a} // {b}` to round down, or `{exact}`" if a and b else "`//` rounds down"
    if ctx.body.static and a and b:
        float_too = first_that_checks(ctx, [f"{a} / {b}.0", f"float({a}) / float({b})", f"1.0 * {a} / {b}"], span)
        advice = f"write `{a} // {b}` to round down" + ("" if float_too is None else f", or `{float_too}`")
    if ctx.scope.makes_sizes and a and b:
        advice = f"sizes round down: `{a} // {b}`"
    text = span.source.text
    rounded = a and b and text[: span.start].endswith("int(") and text[span.end :].startswith(")")
    edits = replace_with(Span(span.source, span.start - 4, span.end + 1), f"{a} // {b}") if rounded else ()
    return _integer_division(span, may="may be" if generic else "are", help=advice, edits=edits)


def operator_needs(
    ctx: Context, op: str, wanted: str, element: Element, left: Term, right: Term | None, span: Span
) -> Diagnostic:
    kind = ctx.body.solver.element(element)
    found = _named(ctx, kind)
    words = {
        "Num": "numbers",
        "Real": "real numbers",
        "Int": "integers",
        "Inexact": "floats or complex numbers",
        "Float": "floats",
        "Complex": "complex numbers",
    }.get(wanted, wanted)
    places = describe_term(ctx, left) + ("" if right is None else f", {describe_term(ctx, right)}")
    if isinstance(kind, DTypeVar) and not ctx.body.solver.is_flexible(kind):
        narrower = narrower_class(ctx, kind, dt.CLASSES.get(wanted, (*dt.INTEGERS, dt.BOOL)))
        return make("E0315", f"`{op}` needs {words}, but `{found}` may be another dtype", span, places, help=narrower)
    power = f"{operand(left.span.text)} ** {right.span.text}" if op == "^" and right is not None else None
    if power is not None and found != "bool":
        advice: str | None = f"`^` is exclusive or; a power is `{power}`"
        edits = replace_with(span, power)
    else:
        advice, edits = (
            "convert first: `i32(…)` maps true to 1" if found == "bool" and op not in ("&", "|") else None,
            (),
        )
    return make("E0315", f"`{op}` needs {words}, not {found}", span, places, help=advice, edits=edits)


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
    "E0321",
    "a complex number cannot be cast to {element.name}",
    "would lose the imaginary part",
    help="write `real({number})` or `abs({number})`",
)
_may_be_complex = Template("E0321", "{number} cannot be cast to {target}", "would lose the imaginary part")


def complex_to_real(ctx: Context, term: Term, source: Element, element: Element, span: Span) -> Diagnostic:
    if isinstance(source, dt.DType) and isinstance(element, dt.DType):
        return _complex_to_real(span, element=element, number=snippet(term.span) or "z")
    narrower = narrower_class(ctx, source, _REALS) or narrower_class(ctx, element, dt.COMPLEXES)
    complex_ = set(ctx.body.solver.candidates(source)) <= set(dt.COMPLEXES)
    number = "a complex number" if complex_ else f"{source.name}, which may be complex,"
    target = element.name if isinstance(element, dt.DType) else f"{element.name}, which may be real"
    return replace(_may_be_complex(span, number=number, target=target), help=tuple(narrower))


_cannot_cast = Template(
    "E0321",
    "{term.type:type} cannot be cast to {element.name}",
    "{term:described}",
    help="cast {what}: `{written}`",
    fix="{written}",
)


def cannot_cast(ctx: Context, term: Term, element: Element, span: Span) -> Diagnostic:
    """A part of a tuple alone is cast, where that mends; trees leaf by leaf."""
    kind, given = ctx.resolve(term.type), operand(term.span.text)
    parts = [f"{element.name}({given}.{k})" for k in range(len(kind.parts) if isinstance(kind, ty.TupleType) else 0)]
    part = first_that_mends(ctx, [(Edit(span, text),) for text in parts])
    leaves = f"tree_map(fn v -> {element.name}(v), {term.span.text})"
    written = part[0].text if part else first_that_checks(ctx, [leaves], span)
    what = "the part that is meant" if part else "each leaf"
    return _cannot_cast(span, ctx, term=term, element=element, written=written, what=what)


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


_no_members = Template(
    "E0315",
    "`{op}` asks a static list or a tuple, not {whole.type:type}",
    "{whole:described}",
    help="ask all elements of an array at once: `{asked}`",
)
_not_one_value = Template(
    "E0315", "`{op}` asks of one value, not of {item.type:type}", "{item:described}", help="ask each element: `{asked}`"
)


def no_members(ctx: Context, op: str, item: Term, whole: Term, span: Span) -> Diagnostic:
    asked = f"{'' if op == 'in' else 'not '}any({whole.span.text} == {item.span.text})"
    array = isinstance(ctx.resolve(whole.type), ty.ArrayType)
    return _no_members(span, ctx, op=op, whole=whole, asked=asked if array else None)


def not_one_value(ctx: Context, op: str, item: Term, members: Sequence[Term], span: Span) -> Diagnostic:
    asked = " | ".join(f"({item.span.text} == {member.span.text})" for member in members)
    return _not_one_value(span, ctx, op=op, item=item, asked=asked if op == "in" and asked else None)
