"""E03: calls: what is called, and with which arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, assert_never

from dsl.core.binding import ByPosition, Missing, Mistake, Slot, TooMany, Twice, Unknown
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from typechecker.errors.repairs.goals import size_by_name
from typechecker.errors.repairs.makers import made_alone
from typechecker.errors.repairs.other_libraries import elsewhere, parameter_meant, places_where, rewritten_call
from typechecker.errors.repairs.trees import (
    behind,
    call_of,
    enclosing,
    exactly,
    is_mentioned,
    mentions,
    operand,
)
from typechecker.errors.repairs.trial import Words, definition_around, first_that_mends, offers, tried
from typechecker.errors.templates import Template
from typechecker.errors.words import declaration_labels, in_library, instead, replace_with, snippet, suggestion

if TYPE_CHECKING:
    from typechecker.declarations.entities import Definition
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


_not_callable = Template("E0311", "{kind:type} is not a function", "called here")


def not_callable(ctx: Context, term: Term, span: Span) -> Diagnostic:
    text, kind = snippet(span) or "x", ctx.resolve(term.type)
    advice = None
    match kind:
        case ty.EnumType():
            advice = f"a variant without fields is written `{text}`"
        case ty.StaticType():
            advice = f"a product is written with `*`: `{text} * (…)`"
        case ty.ArrayType() if kind.shape.rank != 0:
            advice = f"an array is indexed with brackets: `{text}[…]`"
        case _:
            pass
    if span.source.text[: span.start].rstrip().endswith("|>"):
        advice = "`x |> f` is `f(x)`; with more arguments write `x |> fn v -> f(v, y)`"
    return _not_callable(span, ctx, kind=kind, help=advice)


_no_method = Template("E0201", "there is no function or field `{name}`", "`{base}.{name}(…)` is `{name}({base}, …)`")


def no_method(ctx: Context, base: Term, name: str, known: Collection[str], span: Span) -> Diagnostic:
    """A function called by a dot that is not in scope."""
    call, shown = rewritten_call(ctx, base.span.start, span, known), snippet(base.span) or "x"
    if call is not None:
        return _no_method(span, name=name, base=shown, help=instead("write `{}`", call.span, call.written))
    if elsewhere(name) is not None:
        return _no_method(span, name=name, base=shown, help=elsewhere(name))
    return _no_method.misspelled(span, name, known, base=shown)


PARAMETERS = "parameters: "
_too_many = Template(
    "E0307", "`{name}` takes {wanted:argument}, but {given} are given", "too many arguments", note="{takes}"
)


def too_many_arguments(
    name: str,
    wanted: int,
    given: int,
    span: Span,
    definition: Span | None = None,
    names: Sequence[str] = (),
    items: Sequence[Span] = (),
) -> Diagnostic:
    """`items` are those that may be meant as the one list that the last parameter takes."""
    listed = f"[{', '.join(item.text for item in items)}]" if items and all(map(snippet, items)) else None
    return _too_many(
        span,
        secondary=_takes(definition, names),
        name=name,
        wanted=wanted,
        given=given,
        takes=f"{PARAMETERS}{', '.join(names)}" if definition is not None and in_library(definition) else None,
        help=instead(f"`{names[-1]}` is one list: `{{}}`", items[0].to(items[-1]), listed) if items else None,
    )


def misbound(
    ctx: Context,
    owner: str,
    slots: Sequence[Slot],
    mistake: Mistake,
    args: Sequence[Span],
    span: Span,
    definition: Span | None,
) -> Diagnostic:
    """Report wrong arguments, at `args`, of a call; parameters of a function type have no names."""
    match mistake:
        case TooMany(places, given, place):
            positional = [slot for slot in slots if not slot.keyword_only]
            names = [slot.name for slot in positional]
            items = args[place - 1 : place + given - places] if positional and positional[-1].listed else ()
            return too_many_arguments(owner, places, given, args[place], definition, names, items)
        case ByPosition(name, place):
            named = [slot.name for slot in slots if slot.keyword_only]
            return by_name(ctx, owner, [named, *_named_otherwise(ctx, owner, definition)], args, place)
        case Unknown(name, place):
            named = [slot.name for slot in slots if slot.name.isidentifier()]
            found = unknown_keyword(owner, name, named, args[place])
            without = Words("it has no such option: leave `{1}` out", (args[place].text,))
            rules = (f"F(S)(R, {name}=X) => F(S, {name}=X)(R)", without, f"F(R, {name}=X) => F(R)")
            return found if found.help else replace(found, help=tuple(tried(ctx, args[place], rules)))
        case Twice(name, place, first):
            return argument_twice(args[place], other=args[first], name=owner, keyword=name)
        case Missing(names):
            return _missing(ctx, owner, names, span, definition, [slot.name for slot in slots])
        case _:
            assert_never(mistake)


_given_by_place = Template("E0307", "`{name}` of `{owner}` must be given by name", "given by position", help="{advice}")


def by_name(ctx: Context, owner: str, names: Sequence[Sequence[str]], args: Sequence[Span], place: int) -> Diagnostic:
    """Arguments are given by position, from one on; for an axis, an array may be, where several are to be one tuple.
    `names` are those of the parameters that are given by name, of each definition."""
    span, text, name = args[place], snippet(args[place]), names[0][0]
    number, call = text.lstrip("-").isdigit(), call_of(span)
    given = [] if call is None else [arg.value.span for arg in call[0].args[call[1] :] if arg.name is None]
    pairs = [zip(each, given, strict=False) for each in names] if number else []
    every = [tuple([Edit(at, f"{own}={at.text}") for own, at in each]) for each in pairs]
    edits = first_that_mends(ctx, every) or next(iter(every), ())
    advice = f"write {' and '.join([f'`{edit.text}`' for edit in edits]) or f'`{name}={text}`'}"
    if name == "axis" and not number:
        shown = ", ".join([snippet(arg) or "…" for arg in args])
        whole = f"`{owner}` takes its arrays as one tuple: `{owner}(({shown}))`"
        compared = f"`{owner}` compares two arrays: `{owner}({owner}(a, b), c)`"
        advice = compared if owner in ("max", "min") else whole
    row = replace(_given_by_place, code="E0306" if name in ("axis", "keepdims") else "E0307")
    return row(span, edits=edits, name=name, owner=owner, advice=advice)


def _named_otherwise(ctx: Context, owner: str, definition: Span | None) -> list[list[str]]:
    """Return the parameters that are given by name of each definition of a name."""
    homes = [each for each in ctx.program.modules.values() if definition and each.source is definition.source]
    nodes = [info.node for home in homes for info in home.definitions.values() if info.shown == owner]
    return [[param.name.name for param in node.params if param.keyword_only] for node in nodes]


_unknown_keyword = Template("E0308", "`{owner}` has no parameter `{name}`", "not a parameter", note="{note}")


def unknown_keyword(name: str, keyword: str, known: Sequence[str], span: Span) -> Diagnostic:
    near = parameter_meant(keyword, known) or suggestion(keyword, known)
    near = near or next((each for each in known if len(keyword) >= 4 and keyword in each), None)
    note = PARAMETERS + ", ".join(known) if known else "it takes positional arguments only"
    return _unknown_keyword.misspelled(span, keyword, known, near, owner=name, note=note)


_part_count = Template(
    "E0303", "argument `{param}` of `{owner}` has {given:part}, but {wanted} are expected", "{given:part}"
)


def part_count(span: Span, owner: str, param: str, given: int, taken: Sequence[int]) -> Diagnostic:
    """Report a tuple of more or fewer parts than any definition of a name takes; `taken` are these numbers in order."""
    whole = taken == list(range(taken[0], taken[-1] + 1))
    wanted = f"{taken[0]} to {taken[-1]}" if whole else " or ".join(map(str, taken))
    return _part_count(span, owner=owner, param=param, given=given, wanted=wanted)


def definitions_of(name: str, every: Iterable[ast.Def]) -> str:
    """A note that lists the definitions that share a name, each without the parameters that may be left out."""
    return f"`{name}` is " + ", or ".join(f"`{_form(node)}`" for node in every)


def _form(node: ast.Def) -> str:
    generics = f"[{', '.join(generic.span.text for generic in node.generics)}]" if node.generics else ""
    needed = [param.span.text for param in node.params if param.default is None]
    rest = ["…"] if len(needed) < len(node.params) else []
    return f"{node.name.name}{generics}({', '.join([*needed, *rest])})"


argument_twice = Template("E0308", "`{keyword}` of `{name}` is given twice", "again here", other="first here")
_lacking = Template("E0307", "missing {what} {names} in the call of `{name}`", "without {names}")


def missing_arguments(
    name: str,
    missing: Sequence[str],
    span: Span,
    definition: Span | None = None,
    names: Sequence[str] = (),
    help: Sequence[Help] = (),
) -> Diagnostic:
    """Propose missing arguments in brackets of their own after the call."""
    what, places = "argument" if len(missing) == 1 else "arguments", _takes(definition, names)
    for outer in enclosing(span, ast.Call) if not help else ():
        if outer.function.span == span and len(outer.args) >= len(missing):
            inside = ", ".join([arg.span.text for arg in outer.args])
            help = instead("pass all arguments in one call: `{}`", outer.span, f"{span.text[:-1]}, {inside})")
    return _lacking(span, secondary=places, what=what, names=_listed(missing), name=name, help=help)


_ALONG_AN_AXIS = ("write `{}`", "F(R) => F(R, axis=N)")
_GIVEN_OTHERWISE = (
    "did you mean `{}`?",
    "F(R) => F(R, Z)",
    "the arguments are not a tuple: `{}`",
    "F((R, S)) => F(R, S)",
)


def _missing(
    ctx: Context, name: str, missing: Sequence[str], span: Span, definition: Span | None, names: Sequence[str]
) -> Diagnostic:
    """A call that lacks arguments: an axis, what is bound by their names, what is written in a tuple, or the size of a
    mask's positions."""
    bound = all(ctx.scope.lookup(each) is not None for each in missing)
    named = [", ".join(missing), ", ".join([f"{each}={each}" for each in missing])] if bound else []
    rules = [*(_ALONG_AN_AXIS if missing == ("axis",) else ()), *_GIVEN_OTHERWISE]
    helps, places = tried(ctx, span, rules, {"Z": named}), places_where(ctx, span)
    if not helps and places is not None:
        helps = instead("the positions where it holds are `{}`", places.span, places.written)
    if not helps and len(missing) == 1 and definition is not None:
        helps = made_alone(ctx, definition, missing[0], span)
    return missing_arguments(name, missing, span, definition, names, helps)


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`, each in backquotes."""
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _takes(definition: Span | None, names: Sequence[str]) -> list[Label]:
    """Label the parameters of a user's definition at its name."""
    if definition is None or in_library(definition):
        return []
    return [Label(definition, f"takes {_listed(names)}" if names else "takes no arguments")]


_PAIRS = "`fn (a, b) -> …` takes two arguments, `fn ((a, b)) -> …` takes one pair"
_IN_A_TUPLE = ("the arguments are not a tuple: `{}`", "F(G, (R, S)) => F(G, R, S)")
_by_position = Template("E0308", "a lambda takes positional arguments only", "`{named}=` is given by name")
_lambda_arity = Template("E0307", "this lambda takes {wanted:argument}, but {given} are given", "{given} given")
_function_arity = Template(
    "E0307", "{name} takes {takes:argument}, but is called with {wanted} here", "expected {target:plain}"
)
_clause_arity = Template(
    "E0307",
    "the operation `{name}` has {wanted:parameter}, but this clause has {given}",
    "{given} here",
    help="write `{written} -> …`, with `_` for parameters that are not needed",
)


def lambda_arity(ctx: Context, node: ast.Lambda, given: int, named: str | None, span: Span) -> Diagnostic:
    if named is not None:
        return _by_position(span, named=named)
    wanted, start = len(node.params), node.span.start
    head = Span(node.span.source, start, node.params[-1].span.end if node.params else start + 2)
    places = [] if node.span == span else [Label(head, f"takes {wanted}")]
    pairs = _PAIRS if {wanted, given} == {1, 2} else None
    helps = tried(ctx, span, _IN_A_TUPLE) or pairs
    return _lambda_arity(span, secondary=places, wanted=wanted, given=given, help=helps)


def function_arity(ctx: Context, text: str, takes: int, target: ty.FunctionType, why: Why, span: Span) -> Diagnostic:
    """A function of some of the arguments may be meant as one of all of them."""
    name = f"`{text}`" if text.isidentifier() else "this function"
    wanted, places = len(target.params), declaration_labels(why)
    names = ["a", "b", "c", "d"][:wanted]
    some = combinations(names, takes) if text.isidentifier() and 0 < takes < wanted == len(names) else ()
    heads = [(given, ", ".join([each if each in given else "_" for each in names])) for given in some]
    edits = [replace_with(span, f"fn ({params}) -> {text}({', '.join(given)})") for given, params in heads]
    pairs = _PAIRS if {takes, wanted} == {1, 2} and text.startswith("fn") else None
    help = offers(ctx, "leave out what it does not take: `{}`", *edits) or pairs
    return _function_arity(span, ctx, secondary=places, name=name, takes=takes, wanted=wanted, target=target, help=help)


def clause_arity(clause: ast.HandlerClause, wanted: Sequence[str], place: Span) -> Diagnostic:
    written = f"{'.'.join(part.name for part in clause.path)}({', '.join(wanted)})"
    head = Span(clause.span.source, clause.path[0].span.start, (clause.params or clause.path)[-1].span.end)
    declared = [] if in_library(place) else [Label(place, "declared here")]
    name, given = clause.path[-1].name, len(clause.params)
    return _clause_arity(head, secondary=declared, name=name, wanted=len(wanted), given=given, written=written)


_not_a_function = Template(
    "E0303",
    "argument `{name}` of `{owner}` is {term.type:type}, but a function is expected",
    "expected {wanted:plain}",
    help="pass the function itself, without calling it",
)


def not_a_function(ctx: Context, term: Term, wanted: ty.FunctionType, owner: str | None, name: str) -> Diagnostic:
    """An argument that is no function; the fields of a record that are."""
    type = ctx.resolve(term.type)
    fields = type.fields if isinstance(type, ty.RecordType) else ()
    functions = [field for field, kind in fields if isinstance(ctx.resolve(kind), ty.FunctionType)]
    some = f"a field of it is a function: `{operand(snippet(term.span) or 'p')}.{functions[0]}`" if functions else None
    return _not_a_function(term.span, ctx, term=term, wanted=wanted, owner=owner, name=name, help=some)


splice_argument = Template(
    "E0307",
    "arguments cannot be unpacked",
    "`*` does not unpack arguments",
    help="pass the elements one by one: `f(t.0, t.1)`",
)
_iterator_arguments = Template("E0307", "`{name}` takes {wanted}, but {given} are given", "{given} given")


def iterator_arguments(name: str, wanted: str, args: Sequence[str], span: Span) -> Diagnostic:
    """`range`, `enumerate` and `zip` take their arguments by position."""
    advice = None
    match name, args:
        case "range", [_, _, "-1"]:
            advice = "loops go backwards by `reverse`: `for i in range(…) reverse do …`"
        case "range", [start, stop, step]:
            first = "" if start == "0" else f"{start} + "
            count = f"range(({stop} - {operand(start)} + {step} - 1) // {step})"
            advice = f"count the steps: `for i in {count}`, and write `{first}{step} * i` for `i`"
        case "enumerate", [array, start]:
            advice = f"it counts from 0: write `enumerate({array})`, and add `{start}` to the number where it is used"
    return _iterator_arguments(span, name=name, wanted=wanted, given=len(args), help=advice)


_cast_arity = Template("E0307", "a cast takes one argument: `{name}(x)`", "{given} given")


def cast_arity(ctx: Context, name: str, given: int, span: Span) -> Diagnostic:
    """A dtype called with another number of arguments than one, as with a real and an imaginary part."""
    return _cast_arity(span, name=name, given=given, help=tried(ctx, span, ["F(X, Y) => F(X) + 1j * F(Y)"]))


_missing_type = Template("E0318", "parameter `{name}` of `{owner}` has no type", "missing type")


def missing_type(owner: str, name: str, span: Span) -> Diagnostic:
    found = exactly(span, ast.Param)
    number = found.default if found is not None else None
    value = number.operand if isinstance(number, ast.Unary) else number
    if number is not None and isinstance(value, ast.NumberLit):
        kind = "f32" if isinstance(value.value, float) else "i32"
        written = f"{name}: {kind} = {number.span.text}"
        return _missing_type(span, name=name, owner=owner, help=instead("write `{}`", span, written))
    called = [call for call in nodes(enclosing(span, ast.Def)) if isinstance(call, ast.Call)]
    kind = "(f32) -> f32" if any(call.function.span.text == name for call in called) else "f32[n]"
    advice = f"`{name}` is a type: name the parameter, `x: {name}`"
    advice = advice if name in BY_NAME else f"write, for example, `{name}: {kind}`"
    return _missing_type(span, name=name, owner=owner, help=advice)


recursive_result = Template(
    "E0320",
    "recursive function `{name}` needs a result type",
    "missing result type",
    help="write `-> TYPE` after its parameters",
)
undetermined_dtype = Template(
    "E0323",
    "dtype `{name}` cannot be inferred from the arguments",
    "not inferable",
    help="pass it: a parameter `static {name}: dtype` in place of the generic",
)
undetermined_type = Template(
    "E0323",
    "type `{name}` cannot be inferred from the arguments",
    "not inferable",
    note="a type is inferred from data, and from the result of a function whose parameters are known",
    help="add a parameter of that type, such as `x: {name}`",
)
several_shapes = Template(
    "E0405",
    "the shape of `{name}` has two shape variables",
    "the split between them is ambiguous",
    help="a shape can contain at most one `*s`; pass the other as a parameter `static t: shape`",
)
_undetermined = Template(
    "E0405",
    "{what} `{names}` of `{owner}` cannot be inferred from the arguments",
    "not inferable",
    note="a size can be inferred from an argument axis of the form `n` or `a * n + b`",
)
_known_at_run_time = Template(
    "E0405",
    "{what} `{names}` of `{owner}` cannot be inferred from the arguments",
    "sizes must be known at compile time",
    other="this parameter is only known at run time",
    help="make the parameter static: `static {name}: size`",
)


def undetermined(ctx: Context, names: Sequence[str], span: Span, owner: str, traced: Span | None = None) -> Diagnostic:
    what, shown = "size" if len(names) == 1 else "sizes", "`, `".join(names)
    if traced is not None:
        helps = size_by_name(ctx, span)
        return _known_at_run_time(span, other=traced, what=what, names=shown, owner=owner, name=names[0], help=helps)
    kind = "shape" if names[0].startswith("*") else "size"
    advice = f"pass it: `static {names[0].lstrip('*')}: {kind}`"
    if len(names) == 2 and kind == "size":
        first, second = names
        advice = f"pass one of them, `static {first}: size` or `static {second}: size`; the other one follows from it"
    node = definition_around(ctx, span)
    edits: tuple[Edit, ...] = ()
    if node is not None and node.params and len(names) == 1 and not is_mentioned(node):
        edits = (behind(node.params[-1].span, f", static {names[0].lstrip('*')}: {kind}"),)
    return _undetermined(span, what=what, names=shown, owner=owner, help=advice, edits=edits)


_undetermined_at_call = Template(
    "E0404", "size `{name}` of `{owner}` cannot be inferred from this call", "ambiguous size"
)


def undetermined_at_call(info: Definition, name: str, span: Span) -> Diagnostic:
    """A size that the arguments would fix if their types stated it, as those of indices state their bounds."""
    stated = [f"`{param.span.text}`" for param in info.node.params if mentions(param.type, name)]
    advice = f"`{name}` is fixed by an argument whose type states it, for {' or '.join(stated)}"
    help = advice if stated and not info.in_library else None
    return _undetermined_at_call(span, name=name, owner=info.shown, help=help)


no_value = Template("E0407", "`{name}` has no value for these arguments", "stops here", note="{reason}")
