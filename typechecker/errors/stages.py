"""E05 stages, E06 immutability. Read next: `keys`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types.limits import (
    ATOMS,
    AXES,
    BITS,
    CONDITIONS,
    DEGREE,
    DEPTH,
    ELEMENTS,
    LEVELS,
    PARTS,
    STEPS,
    TERMS,
    Exceeded,
    Growth,
)
from dsl.types.type import (
    ArrayType,
    EnumType,
    FunctionType,
    IndexType,
    OptionalType,
    StaticType,
    TupleType,
    Type,
)
from typechecker.errors.causes import Endless
from typechecker.errors.names import bound_once
from typechecker.errors.repairs.trees import before, behind, enclosing, lets_of, unused
from typechecker.errors.repairs.trial import definition_around, mends, tried
from typechecker.errors.templates import Template
from typechecker.errors.words import chain, instead, make, reason, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


SHOWN_CALLS = 4
"""Of a recursion that does not end."""


_OF_ARRAYS = (
    "write `{}`",
    "int(X) => i32(X)",
    "float(X) => f32(X)",
    "the format comes first: `{}`",
    'print(X) => print("{}", X)',
    "iterate over the array itself: `in {}`",
    "range(X) => X",
)
_DRAWN = (
    "the key comes first, then the shape: `{}`",
    "F.normal(0.0, B, C) => B * F.normal(Z, C)",
    "F.normal(A, B, C) => A + B * F.normal(Z, C)",
    "F.uniform(A, B, C) => A + (B - A) * F.uniform(Z, C)",
)
_traced = Template(
    "E0501",
    "{subject} must be static, but this is only known at run time",
    "{actual:plain} is traced; expected {wanted:type}",
)
_RUN_TIME: Mapping[str, str] = MappingProxyType(
    {"float": "f32", "int": "i32", "size": "i32", "bool": "bool", "complex": "c64"}
)
"""The dtypes of arrays that static numbers are mistaken for."""


def traced_where_static(ctx: Context, span: Span, actual: Type, wanted: Type, why: Why) -> Diagnostic:
    term = ctx.program.last_term(span)
    labels = [] if term is None else chain(ctx, term)
    origin = labels[-1].span if labels else span
    node = definition_around(ctx, span)
    keys = {"Z": [name for name in ([] if node is None else unused(node)) if ctx.scope.lookup(name) is not None]}
    helps = tried(ctx, span, _OF_ARRAYS) or tried(ctx, span, _DRAWN, keys)
    helps = helps or _as_parameter(ctx, wanted, span, origin, why)
    return _traced(span, ctx, secondary=labels, subject=reason(why), actual=actual, wanted=wanted, help=helps)


def _as_parameter(ctx: Context, wanted: Type, span: Span, origin: Span, why: Why) -> list[Help]:
    """Name what is allowed instead: a static parameter, a size, a count in a loop. `origin` is what it is computed
    from."""
    text = snippet(span).removeprefix(f"{why.name}=")
    kind = wanted.kind if isinstance(wanted, StaticType) else "int"
    match why.name:
        case "format":
            return [Help(f'the format comes first: `print("{{}}", {text})`')]
        case "in_axes" | "argnums" | "out_axes":
            return [Help(f"the transformed function takes the arguments: `vmap(f)({text})`, `grad(f)({text})`")]
        case _ if why.kind == "result":
            return [Help(f"what is computed in a run is an array: declare `-> {_RUN_TIME.get(kind, 'f32')}`")]
        case _:
            pass
    bound, scalar = ctx.scope.lookup(text), _array(ctx, text)
    if bound is not None and bound.kind == "loop":
        return [Help(f"`{text}` changes while the loop runs; over a tuple it is static: `for {text} in (0, 1, 2)`")]
    of = _array(ctx, origin.text)
    source = origin.text if of is not None and of.shape.rank == 0 else text
    kind = "int" if kind in ("shape", "axes") and (scalar is not None or source != text) else kind
    if source == text and (taken := _parameter_for_let(ctx, text, kind, span)):
        return taken
    name = source if source.isidentifier() else "k"
    computed = f"`{text}` is computed from `{source}`: " if source != text and text.isidentifier() else ""
    count = f", or count in a loop: `iterate … while i < {text} limit n do …`" if why.name == "range" else ""
    words = f"{computed}make {'that' if computed else 'it'} a parameter `static {name}: {kind}`{count}"
    params = [each for each in enclosing(origin, ast.Param) if each.name.name == name and each.default is None]
    plain = [each for each in params if each.type is not None and each.type.span.text == "i32"]
    return [Help(words, replace_with(plain[0].span, f"static {name}: {kind}") if plain and not computed else ())]


def _parameter_for_let(ctx: Context, name: str, kind: str, place: Span) -> list[Help]:
    """Return a static parameter in place of the `let` of a name whose value the data decide."""
    node = definition_around(ctx, place)
    lets = lets_of(node, name)
    if node is None or not node.params or len(lets) != 1:
        return []
    let, param = lets[0].span, f"static {name}: {kind}"
    line = Span(let.source, let.start - len(before(let)), let.source.text.find("\n", let.end) + 1)
    edits = (Edit(line, ""), behind(node.params[-1].span, f", {param}"))
    words = (
        f"the data decide `{name}`, and the sizes of arrays are known before a run: take it as a parameter `{param}`"
    )
    return [Help(f"{words}, in place of this `let`", edits if mends(ctx, edits) else ())]


def _array(ctx: Context, name: str) -> ArrayType | IndexType | None:
    """The type of an array by its name."""
    binding = ctx.scope.lookup(name)
    kind = None if binding is None else ctx.resolve(binding.term.type)
    return kind if isinstance(kind, ArrayType | IndexType) else None


_array_or_none = Template(
    "E0502",
    "`{name}` is optional, and arrays are never `none`",
    "`?` is for static values",
    fix="{written}",
)
_not_declared_static = Template(
    "E0502", "parameter `{name}` has a static type, but is not declared static", "static type"
)


def needs_static(kind: Type, name: str, span: Span) -> Diagnostic:
    if isinstance(kind, OptionalType) and not isinstance(kind.base, StaticType | EnumType | TupleType | FunctionType):
        written = span.text.rstrip().removesuffix("?")
        advice = f"write `{written}`; a `static has_{name}: bool` beside it can tell whether it is meant"
        return _array_or_none(span, name=name, written=written, help=advice)
    array = _RUN_TIME.get(kind.kind) if isinstance(kind, StaticType) else None
    words = f"write `static {snippet(span) or name}`" + (f", or take an array: `{name}: {array}`" if array else "")
    edits = replace_with(span, f"static {snippet(span)}") if snippet(span) else ()
    return _not_declared_static(span, name=name, help=[Help(words, edits)])


_static_needs_static_type = Template(
    "E0502",
    "`{name}` is {where}, but has a run-time type",
    "not a static type",
    note="static types: int float complex bool str size shape axes dtype, enums, tuples of these, each also with `?`",
)


def static_needs_static_type(name: str, span: Span) -> Diagnostic:
    """A parameter that is declared static, or one of a static function."""
    params = [each for each in enclosing(span, ast.Param) if each.static and each.type and each.type.span == span]
    if params:
        written = f"{name}: {span.text.removesuffix('?')}"
        whole = Span(span.source, params[0].span.start, span.end)
        help = instead("run-time values are not static: write `{}`", whole, written)
        return _static_needs_static_type(span, name=name, where="declared static", help=help)
    heads = [each for each in enclosing(span, ast.Def) if each.static]
    edits = () if not heads else replace_with(Span(span.source, heads[0].span.start, heads[0].name.span.start), "def ")
    advice = "all parameters of a `static def` are static: for run-time values write `def`"
    return _static_needs_static_type(
        span, edits=edits, name=name, where="a parameter of a static function", help=advice
    )


def variant_needs_static_type(name: str, span: Span) -> Diagnostic:
    advice = "keep run-time values in a record or a parameter of their own, beside the enum"
    return _static_needs_static_type(span, name=name, where="a field of a variant, which is static", help=advice)


_GROWTH: Mapping[Growth, tuple[str, str]] = MappingProxyType(
    {
        Growth.INTEGER: ("static integer is too large", f"static integers have at most {BITS:,} bits"),
        Growth.FLOAT: ("static integer is too large for a float", "the largest float is about 1.8e308"),
        Growth.SIZE: (
            "size expression is too large",
            f"as a polynomial, a size has at most {TERMS:,} terms, a degree of {DEGREE:,} and {ATOMS:,} parts",
        ),
        Growth.CONDITION: (
            "condition on sizes is too large to decide",
            f"it has at most {CONDITIONS:,} comparisons when static functions are unfolded",
        ),
        Growth.PARTS: ("value has too many parts", f"tuples and records have at most {PARTS:,} parts in total"),
        Growth.LEVELS: ("type is nested too deeply", f"the limit is {LEVELS:,} tuples and records within one another"),
        Growth.ELEMENTS: ("static list is too long", f"it has at most {ELEMENTS:,} elements"),
        Growth.AXES: ("array has too many axes", f"the limit is {AXES:,}"),
        Growth.STEPS: ("static evaluation takes too many steps", f"the limit is {STEPS:,} for one expression"),
        Growth.DEPTH: (
            "static evaluation is nested too deeply",
            f"the limit is {DEPTH:,} calls within one another",
        ),
    }
)


def exceeded(found: Exceeded, span: Span) -> Diagnostic:
    message, note = _GROWTH[found.growth]
    calls = found.calls
    shown_calls = " -> ".join(calls[:3]) + (" -> … -> " + calls[-1] if len(calls) > 3 else "")
    notes = [text for text in (note, calls and f"call chain: {shown_calls}") if text]
    if found.growth in (Growth.STEPS, Growth.DEPTH):
        return make(
            "E0503",
            message,
            span,
            "the recursion goes on here" if calls else "",
            notes=notes,
            help="check that the recursion reaches its base case, within so many calls" if calls else None,
        )
    return make("E0506", message, span, notes=notes)


_chosen_static = Template(
    "E0509",
    "a run-time `if` cannot return {kind:type}",
    "static value selected at run time",
    help="if it is known before the run, make the condition static; if not, {instead}",
)


def static_leaf(ctx: Context, kind: Type, span: Span) -> Diagnostic:
    """Report a run-time choice between values other than arrays; of functions, choose between their results."""
    calls, arrays = "put the `if` around the calls of the functions", "select between arrays, as `f32(a)` is one"
    return _chosen_static(span, ctx, kind=kind, instead=calls if isinstance(kind, FunctionType) else arrays)


_match_not_static = Template(
    "E0501",
    "`match` requires a static value",
    "{term.type:plain} is traced",
    help="use `if` and `where` for run-time values",
)


def match_not_static(ctx: Context, term: Term, span: Span) -> Diagnostic:
    return _match_not_static(span, ctx, secondary=chain(ctx, term.core), term=term)


_constant_not_static = Template(
    "E0504",
    "constant `{name}` is not static",
    "{kind:plain}, computed at run time by `{own.name}`",
    note="a top-level constant must be built from literals with operators and library functions",
    help="make it a function: `def {name}() = {body}`, called as `{name}()`",
)


def constant_not_static(ctx: Context, name: str, kind: Type, own: core.Global, span: Span) -> Diagnostic:
    body = span.text if len(span.text.splitlines()) == 1 else "…"
    return _constant_not_static(span, ctx, name=name, kind=kind, own=own, body=body)


recursion_not_static = Template(
    "E0505",
    "`{name}` recurses without bound",
    "this call depends only on run-time values",
    other="defined here",
    note="recursion is unrolled at compile time: a static parameter or a size must bound it",
    help="a chain of calls is a loop: `fold`, `scan` or `iterate`; one that branches takes a bound: add a parameter "
    "`static depth: int`, end where `depth == 0`, and hand on `depth - 1`",
)


def endless_recursion(calls: Sequence[tuple[str, Mapping[str, str], Span]], why: Endless) -> Diagnostic:
    """A call that leads to others without an end: each with its name, with what is known of its arguments, and with its
    place."""
    (name, _, span), (_, _, goes_on) = calls[:2]
    shown = [f"{name}({', '.join(f'{n} = {v}' for n, v in known.items())})" for name, known, _ in calls]
    shown = shown if len(shown) <= SHOWN_CALLS else [*shown[:SHOWN_CALLS], "…"]
    return make(
        "E0503",
        f"the recursion of `{name}` {why.value}",
        span,
        "the call that starts it",
        secondary=[] if goes_on == span else [Label(goes_on, "the recursion goes on here")],
        notes=[f"call chain: {' -> '.join(shown)}"],
        help="check that the recursion reaches its base case from these values",
    )


recursive_signature = Template(
    "E0505",
    "the signature of `{name}` calls `{name}` itself",
    "needed before it is known",
    help="leave the call out of its defaults, conditions and types",
)


# ---------------------------------------------------------------- immutability


_cell_assigned = Template(
    "E0601", "`{name}` is a cell", "assignment", help="a cell is written by `:=`: `{rewrite}`", fix="{rewrite}"
)


def assignment(ctx: Context, node: ast.Assignment) -> Diagnostic:
    target, value = node.target.span.text, node.value.span.text
    op = node.op.removesuffix("=") if node.op not in ("=", ":=") else ""
    new = f"{target} {op} {value}" if op else value
    match node.target:
        case ast.Name(name, _):
            bound = ctx.scope.lookup(name)
            if ctx.scope.cell(name) is not None:
                return _cell_assigned(node.span, name=name, rewrite=f"{name} := {new}")
            row, place = replace(bound_once, code="E0602" if op else "E0601"), None if bound is None else bound.span
            return row(node.span, other=place, name=name, label="assignment", note=None, rewrite=f"let {name} = {new}")
        case ast.Index(base, items, _):
            return _index_assignment(node, base, items, op, value)
        case ast.Field(_, field, _) if field.name in ("T", "shape", "dtype", "ndim", "size"):
            advice = "make a new array, for example with `reshape` or `transpose`"
            return make("E0603", f"cannot assign to `{target}`", node.span, "assignment to a property", help=advice)
        case ast.Field() as field:
            anew = instead("make a new record: `{}`", node.span, _update(field, new)) or "make a new record"
            message = "cannot assign to a record field: records are immutable"
            return make("E0603", message, node.span, "assignment to a field", help=anew)
        case _:
            helps = instead("bind new values: `{}`", node.span, None if op else f"let {target} = {value}")
            label = "names are bound once, with `let`"
            return make("E0601", "assignment is not supported", node.span, label, help=helps)


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
    base = base.base if isinstance(base, ast.Field) and base.name.name == "at" else base
    name = base.span.text
    index = ", ".join(i.span.text for i in items)
    calls = {"": "set({})", "+": "add({})", "-": "add(-({}))", "*": "mul({})", "/": "divide({})", "**": "power({})"}
    call = calls.get(op, f"set({name}[{index}] {op} {{}})").replace("{}", value)
    rewrite = _update(base, f"{name}.at[{index}].{call}")
    return make(
        "E0603",
        f"cannot assign to elements of `{name}`: arrays are immutable",
        node.span,
        "assignment to elements",
        help=instead("make a new array: `{}`", node.span, rewrite) or f"make a new array: `{name}.at[{index}].{call}`",
    )


accum_read = Template(
    "E0605",
    "accumulator `{name}` can be added to, but not read",
    "read here",
    help="`with accum {name}: … do` returns its total as second element; a `state` cell can be read",
)
