"""E03: calls: what is called, and with which arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, assert_never

from dsl.core.binding import ByPosition, Missing, Mistake, Slot, TooMany, Twice, Unknown
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.foreign_blocks import split_outside
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from typechecker.errors.repairs.other_libraries import elsewhere, extent_of_call, places_where, rewritten_call
from typechecker.errors.repairs.trees import (
    behind,
    call_of,
    enclosing,
    exactly,
    mentions,
    read,
    rewritten,
    tree_of,
    without_argument,
    write,
)
from typechecker.errors.repairs.trees import call as call_node
from typechecker.errors.repairs.trial import first_that_mends, offers, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    count,
    declaration_labels,
    format_type,
    in_library,
    instead,
    is_integer,
    make,
    one_tuple,
    operand,
    replace_with,
    snippet,
    suggestion,
)

if TYPE_CHECKING:
    from typechecker.declarations.entities import Definition
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


def not_callable(ctx: Context, term: Term, span: Span) -> Diagnostic:
    text = snippet(span) or "x"
    before = span.source.text[: span.start].rstrip()
    kind = ctx.resolve(term.type)
    advice = None
    if isinstance(kind, ty.EnumType):
        return make("E0311", f"`{text}` is a variant without fields", span, "called here", help=f"write `{text}`")
    if before.endswith("|>"):
        advice = "`x |> f` is `f(x)`; with more arguments write `x |> fn v -> f(v, y)`"
    elif isinstance(kind, ty.StaticType):
        advice = f"a product is written with `*`: `{text} * (…)`"
    elif isinstance(kind, ty.ArrayType) and kind.shape.rank != 0:
        advice = f"an array is indexed with brackets: `{text}[…]`"
    return make("E0311", f"{format_type(ctx, kind)} is not a function", span, "called here", help=advice)


_no_method = Template("E0201", "there is no function or field `{name}`", "`{base}.{name}(…)` is `{name}({base}, …)`")


def no_method(ctx: Context, base: Term, name: str, known: Collection[str], span: Span) -> Diagnostic:
    """A function called by a dot that is not in scope."""
    call = rewritten_call(ctx, base.span.start, span, known)
    shown = snippet(base.span) or "x"
    if call is not None:
        return _no_method(span, name=name, base=shown, help=instead("write `{}`", call.span, call.written))
    if elsewhere(name) is not None:
        return _no_method(span, name=name, base=shown, help=elsewhere(name))
    return _no_method.misspelled(span, name, known, base=shown)


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
    return make(
        "E0307",
        f"`{name}` takes {count(wanted, 'argument')}, but {given} are given",
        span,
        "too many arguments",
        secondary=_takes(definition, names),
        notes=[f"parameters: {', '.join(names)}"] if definition is not None and in_library(definition) else [],
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
            return by_name(owner, name, args, place)
        case Unknown(name, place):
            named = [slot.name for slot in slots if slot.name.isidentifier()]
            found = unknown_keyword(owner, name, named, args[place])
            moved = () if found.help else first_that_mends(ctx, _without(args[place]))
            whole = rewritten(span, *moved)
            return replace(found, help=(Help(f"write `{whole}`", moved),)) if moved else found
        case Twice(name, place, first):
            return argument_twice(args[place], other=args[first], name=owner, keyword=name)
        case Missing(names):
            axes = _axes_that_check(ctx, span) if names == ("axis",) else ()
            lacking = missing_arguments(owner, names, span, definition, [slot.name for slot in slots], axes)
            where = places_where(ctx, span)
            if where is None:
                return lacking
            words = "the positions where it holds, the first ones of them, are `{}`"
            return replace(lacking, help=tuple(instead(words, where.span, where.written)))
        case _:
            assert_never(mistake)


def _axes_that_check(ctx: Context, call: Span) -> list[str]:
    """A call with each of the first axes that it may have."""
    texts = [f"{call.text[:-1]}, axis={k})".replace("(, ", "(") for k in range(4)]
    return [text for text in texts if type_of(ctx, text, call) is not None]


def by_name(owner: str, name: str, args: Sequence[Span], place: int) -> Diagnostic:
    """One of the arguments is given by position."""
    code, span = "E0306" if name in ("axis", "keepdims") else "E0307", args[place]
    text = snippet(span)
    is_array = name == "axis" and not is_integer(text)
    return make(
        code,
        f"`{name}` of `{owner}` must be given by name",
        span,
        "given by position",
        help=one_tuple(owner, [*map(snippet, args)]) if is_array else f"write `{name}={text}`",
        edits=_by_name(span, name),
    )


def _without(arg: Span) -> Iterator[tuple[Edit, ...]]:
    """A call without one of its arguments: it may be one of the transformation that is called, or of none."""
    found = call_of(arg)
    if found is not None:
        removed, made = without_argument(*found), found[0].function
        if isinstance(made, ast.Call) and made.args:
            yield (behind(made.args[-1].span, f", {arg.text}"), removed)
        yield (removed,)


_unknown_keyword = Template("E0308", "`{owner}` has no parameter `{name}`", "not a parameter", note="{note}")


def unknown_keyword(name: str, keyword: str, known: Sequence[str], span: Span) -> Diagnostic:
    near = {"dim": "axis", "keepdim": "keepdims"}.get(keyword) or suggestion(keyword, known)
    near = near or next((each for each in known if len(keyword) >= 4 and keyword in each), None)
    note = "parameters: " + ", ".join(known) if known else "it takes positional arguments only"
    return _unknown_keyword.misspelled(span, keyword, known, near, owner=name, note=note)


def definitions_of(name: str, every: Iterable[ast.Def]) -> str:
    """A note that lists the definitions that share a name, each without the parameters that may be left out."""
    return f"`{name}` is " + ", or ".join(f"`{_form(node)}`" for node in every)


def _form(node: ast.Def) -> str:
    generics = f"[{', '.join(generic.span.text for generic in node.generics)}]" if node.generics else ""
    needed = [param.span.text for param in node.params if param.default is None]
    rest = ["…"] if len(needed) < len(node.params) else []
    return f"{node.name.name}{generics}({', '.join([*needed, *rest])})"


argument_twice = Template("E0308", "`{keyword}` of `{name}` is given twice", "again here", other="first here")


def missing_arguments(
    name: str,
    missing: Sequence[str],
    span: Span,
    definition: Span | None = None,
    names: Sequence[str] = (),
    checked: Sequence[str] = (),
) -> Diagnostic:
    """`checked` are calls with what lacks that check; one alone is offered."""
    lacking, place = _listed(missing), span
    written, reason = _without_tuple(span.text, len(missing) + 1), "the arguments are not a tuple: "
    if len(checked) == 1:
        written, reason = checked[0], "write "
    whole = extent_of_call(span.source, span.start, span.end) if written is None else None
    behind = "" if whole is None else whole.text[len(span.text) + 1 : -1]
    if whole is not None and len(split_outside(behind, ",")) >= len(missing):
        place, written, reason = whole, f"{span.text[:-1]}, {behind})", "pass all arguments in one call: "
    return make(
        "E0307",
        f"missing {'argument' if len(missing) == 1 else 'arguments'} {lacking} in the call of `{name}`",
        span,
        f"without {lacking}",
        secondary=_takes(definition, names),
        help=instead(f"{reason}`{{}}`", place, written),
    )


def _without_tuple(text: str, count: int) -> str | None:
    """A call of one tuple, which is written out, with its parts as the arguments."""
    match read(text):
        case ast.Call(function, (ast.Argument(None, ast.TupleLit(items)),)) if len(items) == count:
            return write(call_node(function, *items))
        case _:
            return None


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`, each in backquotes."""
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _takes(definition: Span | None, names: Sequence[str]) -> list[Label]:
    """Label the parameters of a user's definition at its name."""
    if definition is None or in_library(definition):
        return []
    return [Label(definition, f"takes {_listed(names)}" if names else "takes no arguments")]


def lambda_arity(node: ast.Lambda, given: int, named: str | None, span: Span) -> Diagnostic:
    if named is not None:
        return make("E0308", "a lambda takes positional arguments only", span, f"`{named}=` is given by name")
    wanted = len(node.params)
    return make(
        "E0307",
        f"this lambda takes {count(wanted, 'argument')}, but {given} are given",
        span,
        f"{given} given",
        secondary=[] if node.span == span else [Label(_head(node), f"takes {wanted}")],
        help=_PAIRS if {wanted, given} == {1, 2} else None,
    )


def _head(node: ast.Lambda) -> Span:
    """A lambda up to its parameters."""
    return Span(node.span.source, node.span.start, node.params[-1].span.end if node.params else node.span.start + 2)


_PAIRS = "`fn (a, b) -> …` takes two arguments, `fn ((a, b)) -> …` takes one pair"


_function_arity = Template(
    "E0307", "{name} takes {takes:argument}, but is called with {wanted} here", "expected {target:plain}"
)


def function_arity(ctx: Context, text: str, takes: int, target: ty.FunctionType, why: Why, span: Span) -> Diagnostic:
    name = f"`{text}`" if text.isidentifier() else "this function"
    wanted = len(target.params)
    advice: str | list[Help] | None = _PAIRS if {takes, wanted} == {1, 2} and text.startswith("fn") else None
    places, some = declaration_labels(why), _of_some(text, takes, wanted, span)
    advice = offers(ctx, "leave out what it does not take: `{}`", *some) or advice
    return _function_arity(
        span, ctx, secondary=places, name=name, takes=takes, wanted=wanted, target=target, help=advice
    )


def _of_some(text: str, takes: int, wanted: int, span: Span) -> Iterator[tuple[Edit, ...]]:
    """A function of some of the arguments, as one of all of them."""
    names = ["a", "b", "c", "d"][:wanted]
    for given in combinations(names, takes) if text.isidentifier() and 0 < takes < wanted == len(names) else ():
        params = ", ".join([name if name in given else "_" for name in names])
        yield replace_with(span, f"fn ({params}) -> {text}({', '.join(given)})")


def clause_arity(clause: ast.HandlerClause, wanted: Sequence[str], place: Span) -> Diagnostic:
    name = clause.path[-1].name
    given = len(clause.params)
    written = f"{'.'.join(part.name for part in clause.path)}({', '.join(wanted)})"
    whole = f"has {count(len(wanted), 'parameter')}" if wanted else "has no parameters"
    head = Span(clause.span.source, clause.path[0].span.start, (clause.params or clause.path)[-1].span.end)
    return make(
        "E0307",
        f"the operation `{name}` {whole}, but this clause has {given}",
        head,
        f"{given} here",
        secondary=[] if in_library(place) else [Label(place, "declared here")],
        help=f"write `{written} -> …`, with `_` for parameters that are not needed",
    )


_not_a_function = Template(
    "E0303",
    "argument `{name}` of `{owner}` is {term.type:type}, but a function is expected",
    "expected {wanted:plain}",
)


def not_a_function(ctx: Context, term: Term, wanted: ty.FunctionType, owner: str | None, name: str) -> Diagnostic:
    """An argument that is no function, with the function that may be meant: a field of it, or what is called."""
    type = ctx.resolve(term.type)
    fields = type.fields if isinstance(type, ty.RecordType) else ()
    functions = [field for field, kind in fields if isinstance(ctx.resolve(kind), ty.FunctionType)]
    advice = _function_of(term.span, functions) if functions else "pass the function itself, without calling it"
    return _not_a_function(term.span, ctx, term=term, wanted=wanted, owner=owner, name=name, help=advice)


def _function_of(span: Span, functions: Sequence[str]) -> str:
    text = snippet(span) or "…"
    base = text if isinstance(tree_of(span), ast.Call | ast.Name | ast.Field) else f"({text})"
    written, named = f"{base}.{functions[0]}", " and ".join([f"`{field}`" for field in functions])
    if len(functions) == 1:
        return f"its field {named} is a function: `{written}`"
    return f"its fields {named} are functions: pass one of them, as in `{written}`"


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
        case "range", [start, stop, "-1"]:
            count = f"range({start.removesuffix(' - 1')})" if (stop, start[-4:]) == ("-1", " - 1") else "range(…)"
            advice = f"loops go backwards by `reverse`: `for i in {count} reverse do …`"
        case "range", [start, stop, step]:
            whole, first = (stop, "") if start == "0" else (f"{stop} - {operand(start)}", f"{start} + ")
            count = f"range(({whole} + {step} - 1) // {step})"
            advice = f"count the steps: `for i in {count}`, and write `{first}{step} * i` for `i`"
        case "enumerate", [array, start]:
            advice = f"it counts from 0: write `enumerate({array})`, and add `{start}` to the number where it is used"
    return _iterator_arguments(span, name=name, wanted=wanted, given=len(args), help=advice)


cast_arity = Template("E0307", "a cast takes one argument: `{name}(x)`", "{given} given")


_missing_type = Template("E0318", "parameter `{name}` of `{owner}` has no type", "missing type")


def missing_type(owner: str, name: str, span: Span) -> Diagnostic:
    found = exactly(span, ast.Param)
    number = found.default if found is not None else None
    value = number.operand if isinstance(number, ast.Unary) else number
    if number is not None and isinstance(value, ast.NumberLit):
        kind = "f32" if isinstance(value.value, float) else "i32"
        written = f"{name}: {kind} = {number.span.text}"
        return _missing_type(span, name=name, owner=owner, help=instead("write `{}`", span, written))
    advice = f"`{name}` is a type: name the parameter, `x: {name}`"
    calls = [each for each in nodes(enclosing(span, ast.Def)) if isinstance(each, ast.Call)]
    called = any(isinstance(each.function, ast.Name) and each.function.name == name for each in calls)
    kind = "(f32) -> f32" if called else "f32[n]"
    advice = advice if name in BY_NAME else f"write, for example, `{name}: {kind}`"
    return _missing_type(span, name=name, owner=owner, help=advice)


recursive_result = Template(
    "E0320",
    "recursive function `{name}` needs a result type",
    "missing result type",
    help="write `-> TYPE` after its parameters",
)
_undetermined_dtype = Template("E0323", "dtype `{name}` cannot be inferred from the arguments", "not inferable")


def undetermined_dtype(node: ast.Def, name: str, span: Span) -> Diagnostic:
    """The whole head with a parameter for the dtype, and a call."""
    params = ", ".join([*[param.span.text for param in node.params], f"static {name}: dtype"])
    generics = f"[{', '.join([generic.span.text for generic in node.generics])}]" if node.generics else ""
    call = f"{node.name.name}({', '.join([*[param.name.name for param in node.params], 'f32'])})"
    advice = f"pass it: `def {node.name.name}{generics}({params})`, called as `{call}`"
    return _undetermined_dtype(span, name=name, help=advice)


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


def undetermined(names: Sequence[str], span: Span, owner: str, traced: Span | None = None) -> Diagnostic:
    what, shown = "size" if len(names) == 1 else "sizes", "`, `".join(names)
    if traced is not None:
        return _known_at_run_time(span, other=traced, what=what, names=shown, owner=owner, name=names[0])
    kind = "shape" if names[0].startswith("*") else "size"
    advice = f"pass it: `static {names[0].lstrip('*')}: {kind}`"
    if len(names) == 2 and kind == "size":
        first, second = names
        advice = f"pass one of them, `static {first}: size` or `static {second}: size`; the other one follows from it"
    return _undetermined(span, what=what, names=shown, owner=owner, help=advice)


_undetermined_at_call = Template(
    "E0404", "size `{name}` of `{owner}` cannot be inferred from this call", "ambiguous size"
)


def undetermined_at_call(info: Definition, name: str, span: Span) -> Diagnostic:
    """A size that the arguments would fix if their types stated it, as those of indices state their bounds."""
    stated = [f"`{param.span.text}`" for param in info.node.params if mentions(param.type, name)]
    advice = None
    if stated and not info.in_library:
        advice = f"`{name}` is fixed by an argument whose type states it, for {' or '.join(stated)}"
        advice += (
            f"; an `i32` has no bound: declare it `idx[{name}]` where it comes from" if "idx[" in stated[0] else ""
        )
    return _undetermined_at_call(span, name=name, owner=info.shown, help=advice)


def _by_name(span: Span, name: str) -> tuple[Edit, ...]:
    """The edit that gives a number by name; of anything else it is not certain that it was meant."""
    text = snippet(span)
    return replace_with(span, f"{name}={text}") if text.lstrip("-").isdigit() else ()


no_value = Template("E0407", "`{name}` has no value for these arguments", "stops here", note="{reason}")
