"""E05 stages, E06 immutability and keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types.limits import ATOMS, AXES, BITS, CONDITIONS, DEGREE, PARTS, STEPS, TERMS, Exceeded, Growth
from dsl.types.type import KeyType, StaticType, Type, TypeVar
from typechecker.errors.words import chain, make, plain_type, reason, replace_with, shown, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


def traced_where_static(ctx: Context, span: Span, actual: Type, wanted: Type, why: Why) -> Diagnostic:
    term = ctx.program.last_term(span)
    labels = [] if term is None else chain(ctx, term)
    return make(
        "E0501",
        f"{reason(why)} must be static, and this is known at run time alone",
        span,
        f"{plain_type(ctx, actual)} is traced; expected {shown(ctx, wanted)}",
        secondary=labels,
        help=_static_help(wanted, why, span),
    )


def _static_help(wanted: Type, why: Why, span: Span) -> str:
    text = snippet(span)
    match why.name:
        case "format":
            return f'the format comes first: `print("{{}}", {text})`'
        case "range":
            return "go over a static number of places, and choose with `where` or `if` what counts"
    kind = wanted.kind if isinstance(wanted, StaticType) else "int"
    name = text if text.isidentifier() else "k"
    return f"make it a parameter `static {name}: {kind}`" + (", or take it from a shape" if kind == "int" else "")


def needs_static(kind: Type, name: str, span: Span) -> Diagnostic:
    return make(
        "E0502",
        f"the parameter `{name}` has a static type and is not declared static",
        span,
        "static values alone",
        help=f"write `static {snippet(span) or name}`, or take an array such as `i32`",
        edits=replace_with(span, f"static {snippet(span)}") if snippet(span) else (),
    )


def static_needs_static_type(kind: Type, name: str, span: Span) -> Diagnostic:
    return make(
        "E0502",
        f"`{name}` is static, and this is a type of run-time arrays",
        span,
        "not a static type",
        notes=["static types: int float complex bool str size shape axes dtype, enums, tuples of these, `T?`"],
        help=f"drop the word `static` before `{name}`",
    )


_GROWTH: Mapping[Growth, tuple[str, str]] = MappingProxyType(
    {
        Growth.INTEGER: ("a static integer gets too large", f"static integers have at most {BITS:,} bits"),
        Growth.FLOAT: ("a static integer is too large for a float", "floats reach up to some 10 ** 308"),
        Growth.SIZE: (
            "a size gets too large to compute with",
            f"as a polynomial, a size has at most {TERMS:,} terms, a degree of {DEGREE:,} and {ATOMS:,} parts",
        ),
        Growth.CONDITION: (
            "a condition on sizes gets too large to decide",
            f"it has at most {CONDITIONS:,} comparisons when static functions are unfolded",
        ),
        Growth.PARTS: ("a value has too many parts", f"tuples and records have at most {PARTS:,}, all counted"),
        Growth.AXES: ("an array has too many axes", f"at most {AXES:,} are possible"),
        Growth.STEPS: ("static evaluation takes too many steps", f"more than {STEPS:,} for this expression alone"),
        Growth.DEPTH: ("static evaluation does not come to an end", ""),
    }
)


def exceeded(found: Exceeded, span: Span) -> Diagnostic:
    message, note = _GROWTH[found.growth]
    calls = found.calls
    shown_calls = " -> ".join(calls[:3]) + (" -> … -> " + calls[-1] if len(calls) > 3 else "")
    notes = [text for text in (note, calls and f"the calls: {shown_calls}") if text]
    if found.growth in (Growth.STEPS, Growth.DEPTH):
        return make(
            "E0503",
            message,
            span,
            "called again and again" if calls else "",
            notes=notes,
            help="is the case that ends the recursion reached?" if calls else None,
        )
    return make("E0506", message, span, notes=notes)


def static_leaf(ctx: Context, kind: Type, span: Span) -> Diagnostic:
    return make(
        "E0509",
        f"the result of a run-time `if` cannot hold {shown(ctx, kind)}",
        span,
        "a static value, chosen at run time",
        help="make the condition static, or choose between arrays",
    )


def match_not_static(ctx: Context, term: Term, span: Span) -> Diagnostic:
    return make(
        "E0501",
        "`match` works on static values",
        span,
        f"{plain_type(ctx, term.type)} is traced",
        secondary=chain(ctx, term.core),
        help="use `if` and `where` for run-time values",
    )


def constant_not_static(ctx: Context, name: str, kind: Type, span: Span) -> Diagnostic:
    return make(
        "E0504",
        f"the constant `{name}` would be computed at run time",
        span,
        plain_type(ctx, kind),
        notes=["top-level constants are static"],
        help="make it a function, or a parameter",
    )


def recursion_not_static(name: str, span: Span, definition: Span) -> Diagnostic:
    return make(
        "E0505",
        f"the recursion of `{name}` would never end",
        span,
        "calls itself on run-time values alone",
        secondary=[Label(definition, "defined here")],
        notes=["recursion unrolls at compile time: a static parameter or a size must decide it"],
        help="use `fold`, `scan` or `iterate`",
    )


def key_in_default(name: str, span: Span) -> Diagnostic:
    return make(
        "E0613",
        f"the default of `{name}` makes a key",
        span,
        "every call would draw the same numbers",
        help="let the caller pass the key",
    )


# ---------------------------------------------------------------- immutability


def assignment(ctx: Context, node: ast.Assignment) -> Diagnostic:
    target, value = node.target.span.text, node.value.span.text
    op = node.op.removesuffix("=") if node.op not in ("=", ":=") else ""
    match node.target:
        case ast.Name(name, _):
            bound = ctx.scope.lookup(name)
            rewrite = f"let {name} = {name} {op} {value}" if op else f"let {name} = {value}"
            labels = [] if bound is None or bound.span is None else [Label(bound.span, f"`{name}` is bound here")]
            return make(
                "E0602" if op else "E0601",
                f"`{name}` cannot be changed: names are bound once",
                node.span,
                "an assignment",
                secondary=labels,
                help=f"bind a new value: `{rewrite}`",
                edits=replace_with(node.span, rewrite),
            )
        case ast.Index(base, items, _):
            return _index_assignment(node, base, items, op, value)
        case ast.Field(base, field, _) if field.name in ("T", "shape", "dtype", "ndim", "size"):
            return make(
                "E0603",
                f"`{target}` cannot be changed",
                node.span,
                "an assignment to a property",
                help="make a new array, for instance with `reshape` or `transpose`",
            )
        case ast.Field() as field:
            anew = _update(field, f"{target} {op} {value}" if op else value)
            advice = "" if anew is None else f": `{anew}`"
            return make(
                "E0603",
                "a field of a record cannot be changed",
                node.span,
                "an assignment to a field",
                help=f"make a new record{advice}",
                edits=() if anew is None else replace_with(node.span, anew),
            )
        case _:
            return make(
                "E0601",
                "there is no assignment",
                node.span,
                "names are bound once, with `let`",
                help=f"bind new values: `let {target} = {value}`",
                edits=replace_with(node.span, f"let {target} = {value}") if not op else (),
            )


def _update(target: ast.Expr, value: str) -> str | None:
    """The `let` that binds a name anew, with `value` in the place of one of its parts."""
    fields: list[str] = []
    while isinstance(target, ast.Field):
        fields.append(target.name.name)
        target = target.base
    if not isinstance(target, ast.Name):
        return None
    name = target.name
    return f"let {name} = {{{name} with {'.'.join(reversed(fields))} = {value}}}" if fields else f"let {name} = {value}"


def _index_assignment(
    node: ast.Assignment, base: ast.Expr, items: tuple[ast.IndexItem, ...], op: str, value: str
) -> Diagnostic:
    name = base.span.text
    index = ", ".join(i.span.text for i in items)
    names = {"": "set", "+": "add", "*": "mul", "/": "divide", "**": "power"}
    if op in names:
        call = f"{names[op]}({value})"
    elif op == "-":
        call = f"add(-({value}))"
    else:
        call = f"set({name}[{index}] {op} {value})"
    rewrite = _update(base, f"{name}.at[{index}].{call}")
    return make(
        "E0603",
        f"the elements of `{name}` cannot be changed: arrays are immutable",
        node.span,
        "an assignment to elements",
        help=f"make a new array: `{rewrite or f'{name}.at[{index}].{call}'}`",
        edits=() if rewrite is None else replace_with(node.span, rewrite),
    )


def accum_read(name: str, span: Span) -> Diagnostic:
    return make(
        "E0605",
        f"the accumulator `{name}` can be added to, and not read",
        span,
        "read here",
        help=f"its total is the second part of `with accum {name}: … do`; a `state` is read",
    )


def key_used_twice(name: str, span: Span, first: Span, kind: Type, by: Span | None) -> Diagnostic:
    single = isinstance(kind, KeyType)
    labels = [Label(first, "first used here: the key is gone after this")]
    return make(
        "E0610",
        f"the key{'' if single else ' in'} `{name}` is used twice",
        span,
        "used again here",
        secondary=labels + _moved_by(by),
        notes=[f"`{name}` may hold a key: its type is any `Move`"] if isinstance(kind, TypeVar) else [],
        help=f"split it first: `let (k1, k2) = split({name}, 2)`"
        if single
        else "use every part once; `split` makes new keys from one",
    )


def key_in_loop(name: str, span: Span, bound: Span | None, by: Span | None = None) -> Diagnostic:
    labels = [] if bound is None else [Label(bound, f"`{name}` is bound outside")]
    return make(
        "E0611",
        f"the key `{name}` would be used many times",
        span,
        "this runs many times",
        secondary=labels + _moved_by(by),
        help=f"give each turn a key of its own: iterate over `split({name}, n)`, or `fold_in({name}, i)` over a range",
    )


def _moved_by(by: Span | None) -> list[Label]:
    return [] if by is None else [Label(by, "by the function bound here")]


def key_in_condition(name: str, span: Span) -> Diagnostic:
    return make(
        "E0611",
        f"the carried key `{name}` is used by the condition",
        span,
        "the key is gone after this, and the carry still holds it",
        help="draw in the body, and carry what is drawn",
    )


def unmapped_key(span: Span) -> Diagnostic:
    return make(
        "E0612",
        "a key is passed to every element unmapped",
        span,
        "each element would draw the same numbers",
        help="map over keys: `split(k, n)` with axis 0",
    )


def key_in_state(name: str, span: Span) -> Diagnostic:
    return make(
        "E0613",
        f"the state cell `{name}` holds a key",
        span,
        "keys are not kept in state",
        help="use `with rng(key) do` and `fresh_key()`",
    )


def key_at_top(name: str, span: Span) -> Diagnostic:
    return make(
        "E0613",
        f"the constant `{name}` is a key",
        span,
        "a key is used once; a constant, any number of times",
        help="make the key where it is used: `random.key(0)`",
    )
