"""E07: effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.effect import CHECK, DIV, Axis, Cell, Effect, Row, UserEffect
from dsl.types.facts import Prop
from dsl.types.show import named_effect, named_row
from dsl.types.size import Size
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.edits import argument, name_of
from typechecker.errors.repairs.effects import answered, in_bounds
from typechecker.errors.repairs.loops import bounded, one_by_one, shown
from typechecker.errors.repairs.trees import expressions, innermost, tree_of
from typechecker.errors.repairs.trial import first_that_mends, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    conditions,
    declaration_labels,
    format_effect,
    make,
    plain_type,
    replace_with,
    snippet,
)

if TYPE_CHECKING:
    from typechecker.declarations.entities import Definition
    from typechecker.env.body import Checked
    from typechecker.env.context import Context
    from typechecker.relations.coercion import Why


def undeclared_effect(ctx: Context, effect: Effect, info: Definition, declared: Row, span: Span) -> Diagnostic:
    here, node, checked = ctx.program.module_at(ctx), info.node, ctx.body.guards.get(span) if effect == CHECK else None
    performed, declared = named_effect(effect, here.written), named_row(declared, here.written)
    names = sorted({_written(ctx, each) for each in (*declared.effects, performed)})
    row = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
    edits: tuple[Edit, ...] = ()
    if node.effects is not None:
        edits = (Edit(node.effects.span, row),)
    elif node.result is not None and not isinstance(node.result, ast.FunctionTypeExpr):
        edits = (trees.behind(node.result.span, f" ! {row}"),)
    with_import = ""
    if isinstance(effect, UserEffect) and here.lacks(effect.module, effect.name):
        with_import = f", with `import {effect.module}`"
        edits = edits and (*edits, Edit(Span(span.source, 0, 0), f"import {effect.module}\n"))
    place = node.effects.span if node.effects else node.name.span
    endless = next((n for n in nodes(node) if isinstance(n, ast.Iterate) and n.span == span), None)
    reason = ["a loop without `limit` may not terminate"] if effect == DIV and endless is not None else []
    header = f"-> {node.result.span.text} ! {row}" if edits and node.result is not None else f"! {row}"
    advice = (
        f"declare it after the result: `{header}`{with_import}; who calls `{info.name}` declares it, too, or handles it"
    )
    others = [*_instead(ctx, effect, checked, endless, span)][:1]
    helps = [*others, Help(_if_declared(effect, advice) if others else advice, edits)]
    if isinstance(effect, UserEffect) and effect.name.startswith("_") and effect.module != here.name:
        helps = [Help(f"it is private to module `{effect.module}`, where a function has to handle it")]
    return make(
        "E0701",
        f"`{info.name}` performs `{performed}`, but its type does not declare it",
        _head(node, span),
        f"performs `{performed}` here",
        secondary=[Label(place, "its type declares no effects" if not declared else f"declares ! {declared}")],
        notes=reason if checked is None else _checks(ctx, checked, span, node),
        help=helps,
    )


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


def _instead(
    ctx: Context, effect: Effect, checked: Checked | None, endless: ast.Iterate | None, span: Span
) -> Iterator[Help]:
    """Yield alternatives to declaring an effect."""
    match effect:
        case Axis() if (bound := _bound_here(ctx, effect, span)) is not None:
            yield bound
        case UserEffect():
            yield from answered(ctx, effect, format_effect(ctx, effect), span)
        case _ if checked is not None:
            yield from in_bounds(ctx, checked, span)
        case _ if effect == DIV and endless is not None:
            head, limit = bounded(endless)
            yield Help(f"if it is to end after some turns in any case, which `grad` needs: `{head}`", (limit,))
        case _:
            pass


def _if_declared(effect: Effect, advice: str) -> str:
    """The advice to declare an effect, where something else may be done."""
    match effect:
        case Axis():
            return f"if a caller names the axis, {advice}"
        case UserEffect():
            return f"if a caller is to answer it, {advice}"
        case _ if effect == CHECK:
            return f"if one out of bounds is to stop the run, {advice}"
        case _:
            return f"if it may run as long as it takes, {advice}"


def _bound_here(ctx: Context, effect: Effect, span: Span) -> Help | None:
    """A map whose function uses an axis that the map does not name, or names otherwise."""
    if not isinstance(effect, Axis):
        return None
    root = tree_of(span)
    call = innermost(root)
    if root is None or call is None or name_of(call) not in ("vmap", "pmap"):
        return None
    others = [arg for arg in call.args if arg is not argument(call, "axis_name")]
    option = trees.option("axis_name", ast.StringLit(effect.name, trees.MADE))
    new = trees.with_args(call, (*others, option))
    written = trees.changed(root, trees.change(call, new))
    if type_of(ctx, written, span) is None:
        return None
    advice = f"if this `{name_of(call)}` is to name the axis: `{trees.write(option)}`"
    return Help(advice, replace_with(span, written))


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


def _checks(ctx: Context, checked: Checked, span: Span, around: ast.Def) -> list[str]:
    """Describe the run-time checks at a location and how to avoid them; `around` is the enclosing definition."""
    inside = sorted(place.text for place in ctx.body.wrapping if span.covers(place))
    wraps = [f"`{inside[0]}` may exceed its dtype and wrap around"] if inside else []
    if checked.what == "value":
        return [
            f"the value is not proved to be an index below {checked.bound}, so it is checked at run time",
            *wraps,
            f"to avoid the check: a value of type `idx[{checked.bound}]`, as a parameter, `range` or `argmax` gives it",
            *_widened_carry(span.text, checked.bound, around),
        ]
    kind = checked.type
    below = (
        f"it is below {kind.bound}, and the axis has {checked.bound} elements" if isinstance(kind, ty.IndexType) else ""
    )
    return [
        f"the {checked.what} is not proved to be in bounds, so it is checked at run time",
        *([below] if below else []),
        *wraps,
        *_widened_carry(span.text, checked.bound, around),
    ]


def _widened_carry(name: str, bound: Size, around: ast.Def) -> list[str]:
    """Describe how an index that a loop carries or returns could keep its bound."""
    loops = [each for each in expressions(around) if isinstance(each, ast.Loop | ast.Iterate) and not each.carry_type]
    lets = [each for each in nodes(around) if isinstance(each, ast.Let) and each.pattern.span.text == name]
    given = [loop for loop in loops if any(let.value.span == loop.span for let in lets)]
    found = [loop for loop in loops if loop.carry.span.text == name] or given
    if not found or not isinstance(found[0].carry, ast.NamePattern):
        return []
    kind = found[0].kind if isinstance(found[0], ast.Loop) else "iterate"
    written = f"{kind} {found[0].carry.name}: idx[{bound}] = {found[0].init.span.text}"
    return [f"a carry of indices is widened to `i32` unless it is annotated: `{written}`"]


_function_effects = Template(
    "E0702", "this function performs {extra:effects}, which is not allowed here", "expected {target:plain}"
)


def function_effects(
    ctx: Context, performed: Iterable[Effect], own: bool, target: ty.FunctionType, why: Why, span: Span
) -> Diagnostic:
    """Effects of a function itself, its `own`, or of the check of its result."""
    info = ctx.program.modules[ctx.body.module].definitions.get(why.owner)
    params = [] if info is None else [param for param in info.node.params if param.name.name == why.name]
    edits = _with_effects(info.node, params[0]) if info is not None and params and own else ()
    advice = None
    if edits:
        advice = f"let `{why.owner}` take functions with effects, `{params[0].span.text} ! e`"
        advice += ", and perform them, too: `! e` behind its result"
    if not own:
        advice = f"what it gives is checked to be an index: let it give what {plain_type(ctx, target.result)} asks"
    labels = declaration_labels(why)
    return _function_effects(span, ctx, secondary=labels, edits=edits, extra=performed, target=target, help=advice)


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


def state_write_in_parallel(ctx: Context, cell: Cell, span: Span) -> Diagnostic:
    found = make(
        "E0720",
        f"`{cell.name}` is written in a body that runs in parallel",
        span,
        "the order of the writes is undefined",
        help="use `fold` or `scan`",
    )
    name, kind = cell.name, plain_type(ctx, cell.type)
    added = Help(
        f"or, if `{name}` is only added to, make it an `accum` cell: `with accum {name}: {kind} do` opens it, "
        f"`{name} += v` adds to it, and functions that do so declare `! accum({name}: {kind})`"
    )
    found = _in_turn(ctx, found, span)
    return replace(found, help=(*found.help, added))


def io_in_parallel(ctx: Context, span: Span) -> Diagnostic:
    found = make(
        "E0721",
        "cannot print or call Python in a body that runs in parallel: the order is undefined",
        span,
        "`io` here",
        help="print the whole array afterwards, use `fold`, or `print(…, ordered=false)`, which promises no order",
    )
    return _in_turn(ctx, found, span)


def _in_turn(ctx: Context, found: Diagnostic, span: Span) -> Diagnostic:
    """The error with the elements computed one after another as a help, if that mends it."""
    edits = first_that_mends(ctx, one_by_one(ctx, span))
    if not edits:
        return found
    return replace(found, help=(Help(f"compute the elements one after another:\n{shown(edits)}", edits),))


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


def operation_needs(operation: Definition, prop: Prop, span: Span) -> Diagnostic:
    """Report a requirement on the variables of an operation, by its type or by a clause, that is not stated."""
    node, needed = operation.node, conditions(prop)
    stated = f"where {needed}"
    return make(
        "E0407",
        f"this needs {needed}, which `{operation.name}` does not state",
        span,
        "not known here",
        secondary=[Label(node.name.span, f"`{operation.name}` is declared here")],
        help=f"end the declaration with `{stated}`: whoever performs `{operation.name}` sees to it then",
        edits=(trees.behind(node.span, f" {stated}"),),
    )
