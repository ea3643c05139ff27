"""E07: effects, operations that are known by name, and the records that they make; E0820: sums over a named axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.effect import CHECK, DIV, PURE, Axis, Cell, Effect, Row, Site, UserEffect
from dsl.types.facts import Prop
from dsl.types.show import named_effect, named_row
from typechecker.errors.bounds import in_bounds
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.trees import bounded, name_of, tree_of
from typechecker.errors.repairs.trial import tried
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    conditions,
    declaration_labels,
    format_effect,
    plain_type,
    replace_with,
    snippet,
)

if TYPE_CHECKING:
    from typechecker.declarations.entities import Definition
    from typechecker.env.body import Checked
    from typechecker.env.context import Context
    from typechecker.relations.coercion import Why

_undeclared = Template(
    "E0701",
    "`{name}` performs `{effect}`, but its type does not declare it",
    "performs `{effect}` here",
    other="declares {declared}",
    note="{reason}",
)


def undeclared_effect(ctx: Context, effect: Effect, info: Definition, declared: Row, span: Span) -> Diagnostic:
    here, node, checked = ctx.program.module_at(ctx), info.node, ctx.body.guards.get(span) if effect == CHECK else None
    performed, declared = named_effect(effect, here.written), named_row(declared, here.written)
    endless = next((n for n in nodes(node) if isinstance(n, ast.Iterate) and n.span == span), None)
    reason = "a loop without `limit` may not terminate" if effect == DIV and endless is not None else None
    row = sorted({_written(ctx, e) for e in (*declared.effects, performed)})
    others = [*_instead(ctx, effect, checked, endless, span)][:1]
    helps = [*others, _declared(ctx, effect, node, row, checked is not None)]
    if isinstance(effect, UserEffect) and effect.name.startswith("_") and effect.module != here.name:
        helps = [Help(f"it is private to module `{effect.module}`, where a function has to handle it")]
    return _undeclared(
        _head(node, span),
        other=node.effects.span if node.effects else node.name.span,
        name=info.name,
        effect=performed,
        declared=f"! {declared}" if declared else "no effects",
        reason=reason if checked is None else _why_checked(ctx, checked, span),
        help=helps,
    )


def _declared(ctx: Context, effect: Effect, node: ast.Def, names: Sequence[str], bounded: bool) -> Help:
    """The row of effects of a definition, with one more; of a check of bounds, for what it is wanted."""
    row = names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
    here, result = ctx.program.module_at(ctx), node.result
    edits: tuple[Edit, ...] = ()
    if node.effects is not None:
        edits = (Edit(node.effects.span, row),)
    elif result is not None and not isinstance(result, ast.FunctionTypeExpr):
        edits = (trees.behind(result.span, f" ! {row}"),)
    with_import = ""
    if isinstance(effect, UserEffect) and here.lacks(effect.module, effect.name):
        with_import = f", with `import {effect.module}`"
        edits = edits and (*edits, trees.at_top(node.span.source, f"import {effect.module}"))
    header = f"-> {result.span.text} ! {row}" if edits and result is not None else f"! {row}"
    stops = "if an index out of bounds is to stop the run, " if bounded else ""
    advice = (
        f"{stops}declare it after the result: `{header}`{with_import}; who calls `{node.name.name}` declares it, too"
    )
    return Help(f"{advice}, or handles it", edits)


def _why_checked(ctx: Context, checked: Checked, span: Span) -> str:
    """Why there is a check at run time, and what needs none."""
    wraps = [place.text for place in ctx.body.wrapping if span.covers(place)]
    what = "the value is not proved to be an index" if checked.what == "value" else f"the {checked.what} is not proved"
    kind, why = checked.type, f"`{min(wraps)}` may exceed its dtype and wrap around; " if wraps else ""
    if isinstance(kind, ty.IndexType):
        why += f"it is below {kind.bound}, and the axis has {checked.bound} elements; "
    bound = f"`idx[{checked.bound}]`, as a parameter, `range` or `argmax` gives it, needs no check"
    return f"{what} below {checked.bound}, so it is checked at run time: {why}a value of type {bound}"


def _head(node: ast.Def, span: Span) -> Span:
    """Of an expression of several lines that performs an effect as a whole, what says so: the function of a call, the
    head of a loop."""
    for each in nodes(node) if "\n" in span.text else ():
        match each:
            case ast.Call(function=function, span=whole) if whole == span:
                return function.span
            case ast.Iterate(condition=condition, span=whole) if whole == span:
                return Span(span.source, span.start, condition.span.end)
            case _:
                pass
    return span


_CARRIES_INDEX = (
    "say that the loop carries an index: `{}`",
    *[
        f"{loop} P = A for G in X{reverse} do E => {loop} P: Z = A for G in X{reverse} do E"
        for loop in ("fold", "scan")
        for reverse in ("", " reverse")
    ],
)


def _instead(
    ctx: Context, effect: Effect, checked: Checked | None, endless: ast.Iterate | None, span: Span
) -> Iterator[Help]:
    """Yield alternatives to declaring an effect."""
    match effect:
        case Axis():
            yield from tried(ctx, span, _BOUND_HERE, {"Z": [f'"{effect.name}"']})
        case UserEffect():
            yield from _answered(ctx, effect, format_effect(ctx, effect), span)
        case _ if checked is not None:
            yield from tried(ctx, span, _CARRIES_INDEX, {"Z": [f"idx[{checked.bound}]"]})
            yield from in_bounds(ctx, checked, span)
        case _ if effect == DIV and endless is not None:
            head, limit = bounded(endless)
            yield Help(f"if it is to end after some turns in any case, which `grad` needs: `{head}`", (limit,))
        case _:
            pass


def _answered(ctx: Context, effect: UserEffect, name: str, span: Span) -> list[Help]:
    """A handler for an operation around the place."""
    operation = ctx.program.modules[effect.module].effects.get(effect.name)
    performed = tree_of(span)
    if operation is None or (isinstance(performed, ast.Call) and name_of(performed) == effect.name):
        return []
    names = [param.name.name for param in operation.node.params]
    answers = [f"{name}({', '.join(names)}) -> resume({each})" for each in ("()", *names, "0.0", "0", "true")]
    rules = ["A => with handler Z do A", "A => (with handler Z do A)"]
    return tried(ctx, span, ["to answer it here, handle it, with the answer in `resume`: `{}`", *rules], {"Z": answers})


_BOUND_HERE = (
    "if this map is to name the axis: `{}`",
    *[
        rule
        for kind in ("vmap", "pmap")
        for rule in (f"{kind}(R, axis_name=X) => {kind}(R, axis_name=Z)", f"{kind}(R) => {kind}(R, axis_name=Z)")
    ],
)
"""A map whose function uses an axis that the map does not name, or names otherwise."""


outlived_handler = Template(
    "E0701",
    "the function performs `{effect:effect}` after the block that handles it has ended",
    "performs `{effect:effect}`",
    other="called here, outside of that block",
    help="call it inside of the block, and let the block give the value",
)


def _written(ctx: Context, effect: Effect) -> str:
    """An effect as a row declares it: a cell with its type."""
    return f"{effect.kind}({effect.name}: {plain_type(ctx, effect.type)})" if isinstance(effect, Cell) else str(effect)


_LONGEST_TYPE = 100
"""So many characters of a type are read where its effects alone are wrong."""
_function_effects = Template("E0702", "this function performs {extra:effects}, which is not allowed here", "{allowed}")


def function_effects(
    ctx: Context, performed: Iterable[Effect], own: bool, target: ty.FunctionType, why: Why, span: Span
) -> Diagnostic:
    """Effects of a function itself, its `own`, or of the check of its result."""
    info = ctx.program.modules[ctx.body.module].definitions.get(why.owner)
    params = [] if info is None else [param for param in info.node.params if param.name.name == why.name]
    edits = _with_effects(info.node, params[0]) if info is not None and params and own else ()
    advice, node = None, trees.exactly(span, ast.Lambda)
    if node is not None and not node.params:
        advice = "bind what it performs by a `let` in front of the call, and use that name in the function"
    allowed = f"expected {plain_type(ctx, target)}"
    if len(allowed) > _LONGEST_TYPE:
        allowed = "a function without effects is expected" if target.effects == PURE else "other effects are expected"
    if edits:
        advice = f"let `{why.owner}` take functions with effects, `{params[0].span.text} ! e`"
        advice += ", and perform them, too: `! e` behind its result"
    if not own:
        advice = f"what it gives is checked to be an index: let it give what {plain_type(ctx, target.result)} asks"
    labels = declaration_labels(why)
    return _function_effects(span, ctx, secondary=labels, edits=edits, extra=performed, allowed=allowed, help=advice)


def _with_effects(node: ast.Def, param: ast.Param) -> tuple[Edit, ...]:
    """A definition that performs what its parameter, a function, does; nothing where it says something of effects."""
    function, result = param.type, node.result
    if not isinstance(function, ast.FunctionTypeExpr) or function.effects is not None:
        return ()
    if node.effects is not None or result is None or isinstance(result, ast.FunctionTypeExpr):
        return ()
    return (trees.behind(function.span, " ! e"), trees.behind(result.span, " ! e"))


valued_effects = Template(
    "E0702",
    "{performer} performs {effects:effects}, which a derivative by rules knows nothing of",
    "a derivative would lose what this gives or takes",
    help="draw keys, read and write cells and perform operations outside, and pass what they give as arguments",
)
_only_in_a_derivative = Template(
    "E0702",
    "`{name}` performs {effects:effects}, which the function does not",
    "only a derivative would do this",
    help="perform it in the function, too, or in neither",
)
_in_the_way_back = Template(
    "E0702",
    "`{name}` performs {effects:effects}, but the way back has no effects",
    "a derivative performs what its function does, once",
    help="leave it to the function and to `fwd`",
)
effects_that_a_rule_loses = Template(
    "E0702",
    "`{name}` does not perform {effects:effects}, as the function does whose place it takes",
    "a derivative would lose this",
    other="the function is given here",
    help="let `{name}` call the function for the first of its pair",
)


def effects_of_a_rule(ctx: Context, performed: Iterable[Effect], name: str, span: Span) -> Diagnostic:
    return (_in_the_way_back if name == "bwd" else _only_in_a_derivative)(span, ctx, name=name, effects=performed)


effect_in_default = Template("E0703", "the default of `{name}` performs {effects:effects}", "defaults must be pure")
operation_with_default = Template(
    "E0125",
    "`{name}` of the operation `{operation}` has a default",
    "operations have no defaults",
    help="perform it in a function whose parameter has the default",
)
effect_at_top = Template("E0703", "constant `{name}` performs `{effect:effect}`", "constants must be pure")
effect_in_type = Template("E0703", "{what} performs `{effect:effect}`", "types and their conditions must be pure")
_assert_false = Template("E0717", "this assertion always fails", "{why}")


def assert_false(fact: Prop | None, span: Span) -> Diagnostic:
    """An assertion that is false for all sizes, by itself or where this fact holds."""
    why = "false for all sizes" if fact is None else f"contradicts {conditions(fact)}, which holds here"
    return _assert_false(span, why=why)


_ONE_BY_ONE = (
    "compute the elements one after another: `{}`",
    "[E for P in X] => (scan _ = () for P in X do ((), E)).1",
    "[E for P in X, G in Y] => (scan _ = () for P in X do ((), (scan _ = () for G in Y do ((), E)).1)).1",
    "vmap(F)(X) => (scan _ = () for v in X do ((), F(v))).1",
)
_written_in_parallel = Template(
    "E0720",
    "`{name}` is written in a body that runs in parallel",
    "the order of the writes is undefined",
    help="use `fold` or `scan`",
)
io_in_parallel = Template(
    "E0721",
    "cannot print or call Python in a body that runs in parallel: the order is undefined",
    "`io` here",
    help="print the whole array afterwards, use `fold`, or `print(…, ordered=false)`, which promises no order",
    tries=_ONE_BY_ONE,
)


def state_write_in_parallel(ctx: Context, cell: Cell, span: Span) -> Diagnostic:
    name, kind = cell.name, plain_type(ctx, cell.type)
    added = f"if `{name}` is only added to, make it an accumulator: `with accum {name}: {kind} do`, and `{name} += v`"
    return _written_in_parallel(span, name=name, help=[*tried(ctx, span, _ONE_BY_ONE), Help(added)])


_not_tail_resumptive = Template(
    "E0706",
    "the clause of `{name}` must end with `resume(…)` on every path",
    "does not end with `resume(…)`",
    note="handlers are resolved at compile time: a clause computes the answer and resumes",
    help="answer with it: `{written}`",
    fix="{written}",
)


def not_tail_resumptive(name: str, span: Span) -> Diagnostic:
    text = snippet(span, 64)
    alone = text and "resume" not in text and not text.startswith(("if ", "match ", "let "))
    return _not_tail_resumptive(span, name=name, written=f"resume({text})" if alone else None)


resume_place = Template("E0705", "`resume` is only allowed in a handler clause", "no operation to resume")
dtype_of_clause = Template(
    "E0302",
    "a number outside of this clause would take a dtype that only the clause of `{name}` knows",
    "gives it its dtype here",
    help="give it one where it is made, as in `state total = f32(0.0)`, and convert what the clause gives to it",
)
_operation_needs = Template(
    "E0407",
    "this needs {needed}, which `{name}` does not state",
    "not known here",
    other="`{name}` is declared here",
    help="end the declaration with `where {needed}`: whoever performs `{name}` sees to it then",
)


def operation_needs(operation: Definition, prop: Prop, span: Span) -> Diagnostic:
    """Report a requirement on the variables of an operation, by its type or by a clause, that is not stated."""
    node, needed = operation.node, conditions(prop)
    edits = (trees.behind(node.span, f" where {needed}"),)
    return _operation_needs(span, other=node.name.span, edits=edits, needed=needed, name=operation.name)


name_taken = Template(
    "E0722",
    "`{site}` is performed twice",
    "performed again here",
    other="`{taken}` is performed here",
    help='give it another name, or perform each in a scope of its own: `with scope("other") do …`',
)
_not_once = Template("E0723", "`{site}` is not performed exactly once here", "{why}", help="{advice}")


def not_once(span: Span, *, site: Site, chosen: bool) -> Diagnostic:
    """A value with a name that a record would have several times, or only for some sizes."""
    if chosen:
        why = "performed for some values of the static condition around it"
        advice = "perform it in front of the `if`, so that the record has the same fields for all sizes"
    else:
        why = "inside of a loop, a branch, or a function that is transformed"
        advice = "perform it outside, once for all elements, and use its value here"
    return _not_once(span, site=site, why=why, advice=advice)


hidden_by_name = Template(
    "E0723",
    "`{name}` may call the function that performs `{site}` any number of times",
    "its type says nothing of it",
    help="let the type of its parameter state the record, `! {site.name}(P)`, or perform `{site}` outside",
)
names_unknown = Template(
    "E0724", "the names of what performs `{name}` here are not known", "its record has no type", help="{advice}"
)
recursion_by_name = Template(
    "E0724",
    "`{name}` calls itself, and its record of `{effect}` is not stated",
    "calls lead back to it",
    help="state the record: `! {effect}({{…}})`",
)
no_record = Template(
    "E0724",
    "`{name}` has no record of `{what}` whose type is known",
    "not a type",
    help="a definition has the type of its `result`, and that of the record of each operation by name that it performs",
)
record_not_stated = Template(
    "E0724",
    "a function that is given may perform `{name}` with any names",
    "says nothing of the record",
    help="name the record: `! {name}(P)`, with `P: Tree` among the generics of the definition",
)
operation_without_name = Template(
    "E0725",
    "`{name}` has no name to be known by",
    "no `static name: str` among its parameters",
    help="give it one: `(static name: str, …)`",
)
shared_varies = Template(
    "E0725",
    "`{param}` may differ each time that `{name}` is performed, which is to be the same value",
    "a value of the run",
    help="make it `static`, or declare the effect as `named`",
)
shared_key = Template(
    "E0725",
    "`{name}` would give the same key wherever it is performed",
    "gives a key",
    help="pass the key as an argument, or draw one by `fresh_key()`",
)
not_data = Template(
    "E0725",
    "`{name}` is known by name, and gives what is not data",
    "a record of values holds arrays alone",
    help="let it give arrays, or records of arrays",
)
captured_in_shared = Template(
    "E0725",
    "a function that is given to `{name}` depends on `{captured}`, a value of the run",
    "`{captured}` may differ each time that `{name}` is performed",
    help="use sizes and static values alone",
)
field_not_performed = Template(
    "E0724", "nothing here performs `{name}` by the name `{field}`", "a field without an operation"
)
not_by_name = Template(
    "E0725",
    "`{name}` is not known by name: it has no record",
    "states one",
    help="declare it as `effect named {name}: …`, or write `! {name}`",
)
clause_of_shared = Template(
    "E0725",
    "the clause of `{name}` performs `{effect}`, and may be evaluated outside of the loop around the operation",
    "performs `{effect}`",
    help="collect values that depend on sizes and keys alone",
)
one_record = Template("E0725", "`record` collects the values of one operation that is known by name", "{why}")
scope_name = Template("E0724", "the name of a scope is a static text", "not known here")
_sum_of_the_same = Template(
    "E0820",
    "`{name}` over `{axis}` of a value that is the same along `{axis}`",
    "multiplies it by the size of the axis",
    help='{instead}; if the multiple is meant, the size of the axis is `psum(1.0, "{axis}")`',
)
_sum_of_the_repeated = Template(
    "E0820",
    "`{name}` over `{axis}` of the gradient of a value that is the same along `{axis}`",
    "multiplies the gradient by the size of the axis",
    help='take the mean, `pmean(…, "{axis}")`, or the gradient of what each element has before it is summed',
)


def sum_of_the_same(node: core.Intrinsic, axis: str, places: Sequence[Label], called: Span | None) -> Diagnostic:
    """A sum of a value that all elements have alike. `called` is the call that leads to it."""
    value = None if called else _summed_alone(node, axis)
    instead = f"write `{value}`" if value else f"leave `{node.name}` away {'for it' if called else 'here'}"
    edits = () if value is None or node.name != "psum" else replace_with(node.span, value)
    return _sum_of_the_same(
        called or node.span,
        secondary=_with_sum(node, places, called),
        edits=edits,
        name=node.name,
        axis=axis,
        instead=instead if node.name == "psum" else "its slice of it needs no sum",
    )


def sum_of_the_repeated(node: core.Intrinsic, axis: str, places: Sequence[Label], called: Span | None) -> Diagnostic:
    """A sum of gradients of a value that all elements have alike."""
    at, text = node.span, node.span.text
    mean = Edit(Span(at.source, at.start, at.start + len("psum")), "pmean")
    edits = [mean] if called is None and text.startswith("psum(") else []
    secondary = _with_sum(node, places, called)
    return _sum_of_the_repeated(called or at, secondary=secondary, edits=edits, name=node.name, axis=axis)


def _with_sum(node: core.Intrinsic, places: Sequence[Label], called: Span | None) -> list[Label]:
    return [*([Label(node.span, "summed here")] if called else []), *places]


def _summed_alone(node: core.Intrinsic, axis: str) -> str | None:
    """The text of what is summed, over this axis alone."""
    text = node.span.text
    alone = text.startswith(f"{node.name}(") and text.endswith(f', "{axis}")')
    return (snippet(node.args[0].span) or None) if alone else None
