"""E07: effects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from string import ascii_letters, digits
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.effect import CHECK, DIV, Cell, Effect, Row, UserEffect
from dsl.types.facts import Prop
from dsl.types.show import named_effect, named_row, show_type
from typechecker.errors.templates import Template
from typechecker.errors.words import conditions, declaration_labels, format_effect, make

if TYPE_CHECKING:
    from typechecker.declarations.entities import Definition
    from typechecker.env.context import Context
    from typechecker.relations.coercion import Why


def undeclared_effect(ctx: Context, effect: Effect, owner: str, declared: Row, span: Span, node: ast.Def) -> Diagnostic:
    here = ctx.program.module_at(ctx)
    performed, declared = named_effect(effect, here.written), named_row(declared, here.written)
    names = sorted({*map(_written, declared.effects), _written(performed)})
    row = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
    edits: tuple[Edit, ...] = ()
    if node.effects is not None:
        edits = (Edit(node.effects.span, row),)
    elif node.result is not None and not isinstance(node.result, ast.FunctionTypeExpr):
        end = node.result.span.end
        edits = (Edit(Span(node.span.source, end, end), f" ! {row}"),)
    with_import = ""
    if isinstance(effect, UserEffect) and here.lacks(effect.module, effect.name):
        with_import = f", with `import {effect.module}`"
        edits = edits and (*edits, Edit(Span(span.source, 0, 0), f"import {effect.module}\n"))
    place = node.effects.span if node.effects else node.name.span
    return make(
        "E0701",
        f"`{owner}` performs `{performed}`, but its type does not declare it",
        span,
        f"performs `{performed}` here",
        secondary=[Label(place, "its type declares no effects" if not declared else f"declares ! {declared}")],
        notes=_performers(effect, span, node),
        help=f"declare it after the result: `! {row}`{with_import}",
        edits=edits,
    )


outlived_handler = Template(
    "E0701",
    "the function performs `{effect:effect}` after the block that handles it has ended",
    "performs `{effect:effect}`",
    other="called here, outside of that block",
    help="call it inside of the block, and let the block give the value",
)


def _written(effect: Effect) -> str:
    """An effect as a row declares it: a cell with its type."""
    return f"{effect.kind}({effect.name}: {show_type(effect.type)})" if isinstance(effect, Cell) else str(effect)


def _performers(effect: Effect, span: Span, around: ast.Def) -> list[str]:
    """Why an expression performs an effect, where its text does not say so; `around` is its definition."""
    if effect == DIV and span.text.startswith("iterate"):
        return ["a loop without `limit` may not terminate"]
    if effect == CHECK and not span.text.startswith(("assert", "checked")) and not span.text.endswith(")"):
        name = span.text
        return [
            "the index is not proved to be in bounds, so it is checked at run time",
            f"to avoid the check: {_spared(span, around)}",
            *_widened_carry(name, around.span.text),
        ]
    return []


_NAME = f"{ascii_letters}{digits}_."


def _spared(span: Span, around: ast.Def) -> str:
    """What spares the check of an index, or of an argument that is one."""
    text = span.source.text
    start, place = _opening(text, span.start)
    while text[start] == "{":
        start, place = _opening(text, start)
    whole = text[len(text[:start].rstrip(_NAME)) : start]
    if text[start] != "[":
        return f"an index of the type that `{whole or '…'}` states"
    update = re.match(r"[^\[\]]*\]\.(\w+)\(", text[span.end :]) if text[:start].endswith(".at") else None
    access = f".{update[1]}(…, " if update is not None else ".get("
    sizes = _parameter(whole, around)
    size = sizes[2].split(",")[place : place + 1] if sizes is not None and sizes[2] else []
    return f'`.at[{span.text}]{access}mode="clip")`, or {_bounded(span.text, size, around)}'


def _opening(text: str, end: int) -> tuple[int, int]:
    """The bracket that is open at a place, and how many commas follow it."""
    depth = commas = 0
    for at in range(end - 1, 0, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth < 0:
            return at, commas
        commas += text[at] == "," and depth == 0
    return 0, commas


def _parameter(name: str, around: ast.Def) -> re.Match[str] | None:
    """The dtype and the sizes of a parameter that is an array."""
    types = {param.name.name: param.type.span.text for param in around.params if param.type is not None}
    return re.fullmatch(r"(?P<dtype>\w+)(?:\[(.*)\])?", types.get(name, ""))


def _bounded(index: str, size: Sequence[str], around: ast.Def) -> str:
    """The type that an index would need, of the parameter that it is or is taken from."""
    name = index.partition("[")[0]
    found = _parameter(name, around)
    if found is None or found["dtype"] != "i32" or not (size or name != index):
        what = f"the field `{index}`" if re.fullmatch(r"\w+\.\w+", index) else "an index"
        return f"{what} of type `idx[{size[0].strip() if size else 'n'}]`"
    axes = f"[{found[2]}]" if found[2] else ""
    return f"the parameter `{name}: idx[{size[0].strip() if size else '…'}]{axes}`"


def _widened_carry(name: str, around: str) -> list[str]:
    """What an index that a loop carries, or gives, would need to keep its bound."""
    if not name.isidentifier():
        return []
    loop = rf"(?:let {name} = )?(fold|scan|iterate) {name} =|let {name} = (fold|scan|iterate) (\w+) ="
    found = re.search(loop, around)
    if found is None:
        return []
    written = f"{found[1] or found[2]} {found[3] or name}: idx[…] = …"
    return [f"a carry of indices is widened to `i32` unless it is annotated: `{written}`"]


_function_effects = Template(
    "E0702", "this function performs {extra:quoted}, which is not allowed here", "expected {target:plain}"
)


def function_effects(
    ctx: Context, performed: Iterable[Effect], target: ty.FunctionType, why: Why, span: Span
) -> Diagnostic:
    extra = _names(ctx, performed)
    return _function_effects(span, ctx, secondary=declaration_labels(why), extra=extra, target=target)


_valued_under_a_rule = Template(
    "E0702",
    "{performer} performs {effects:quoted}, which a derivative by rules knows nothing of",
    "a derivative would lose what this gives or takes",
    help="draw keys, read and write cells and perform operations outside, and pass what they give as arguments",
)
_only_in_a_derivative = Template(
    "E0702",
    "`{name}` performs {effects:quoted}, which the function does not",
    "only a derivative would do this",
    help="perform it in the function, too, or in neither",
)
_in_the_way_back = Template(
    "E0702",
    "`{name}` performs {effects:quoted}, but the way back has no effects",
    "a derivative performs what its function does, once",
    help="leave it to the function and to `fwd`",
)
_lost_by_a_rule = Template(
    "E0702",
    "`{name}` does not perform {effects:quoted}, as the function does whose place it takes",
    "a derivative would lose this",
    other="the function is given here",
    help="let `{name}` call the function for the first of its pair",
)


def valued_effects(ctx: Context, performed: Iterable[Effect], performer: str, span: Span) -> Diagnostic:
    return _valued_under_a_rule(span, performer=performer, effects=_names(ctx, performed))


def effects_of_a_rule(ctx: Context, performed: Iterable[Effect], name: str, span: Span) -> Diagnostic:
    effects = _names(ctx, performed)
    if name == "bwd":
        return _in_the_way_back(span, name=name, effects=effects)
    return _only_in_a_derivative(span, name=name, effects=effects)


def effects_that_a_rule_loses(
    ctx: Context, lost: Iterable[Effect], name: str, function: Span, span: Span
) -> Diagnostic:
    return _lost_by_a_rule(span, other=function, name=name, effects=_names(ctx, lost))


def _names(ctx: Context, effects: Iterable[Effect]) -> list[str]:
    return sorted([format_effect(ctx, effect) for effect in effects])


_effect_in_default = Template("E0703", "the default of `{name}` performs {effects:quoted}", "defaults must be pure")


def effect_in_default(ctx: Context, name: str, performed: Iterable[Effect], span: Span) -> Diagnostic:
    return _effect_in_default(span, name=name, effects=_names(ctx, performed))


operation_with_default = Template(
    "E0125",
    "`{name}` of the operation `{operation}` has a default",
    "operations have no defaults",
    help="perform it in a function whose parameter has the default",
)
effect_at_top = Template("E0703", "constant `{name}` performs `{effect:effect}`", "constants must be pure")
effect_in_type = Template("E0703", "{what} performs `{effect:effect}`", "types and their conditions must be pure")
assert_false = Template("E0717", "this assertion always fails", "false for all sizes")
state_write_in_parallel = Template(
    "E0720",
    "`{name}` is written in a body that runs in parallel",
    "the order of the writes is undefined",
    help="use `fold` or `scan`, or an `accum` cell that adds up",
)
io_in_parallel = Template(
    "E0721",
    "cannot print or call Python in a body that runs in parallel: the order is undefined",
    "`io` here",
    help="print the whole array afterwards, or use `fold`",
)
not_tail_resumptive = Template(
    "E0706",
    "the clause of `{name}` must end with `resume(…)` on every path",
    "does not end with `resume(…)`",
    note="handlers are resolved at compile time: a clause computes the answer and resumes",
)
resume_place = Template("E0705", "`resume` is only allowed in a handler clause", "no operation to resume")
dtype_of_clause = Template(
    "E0302",
    "a number outside of this clause would take a dtype that only the clause of `{name}` knows",
    "gives it its dtype here",
    help="give it one where it is made, as in `state total = f32(0.0)`, and convert what the clause gives to it",
)


def operation_needs(operation: Definition, prop: Prop, span: Span) -> Diagnostic:
    """What is needed of the variables of an operation, by its own type or by a clause, and is not stated."""
    node, needed = operation.node, conditions(prop)
    stated = f"where {needed}"
    return make(
        "E0407",
        f"this needs {needed}, which `{operation.name}` does not state",
        span,
        "not known here",
        secondary=[Label(node.name.span, f"`{operation.name}` is declared here")],
        help=f"end the declaration with `{stated}`: whoever performs `{operation.name}` sees to it then",
        edits=(Edit(Span(node.span.source, node.span.end, node.span.end), f" {stated}"),),
    )
