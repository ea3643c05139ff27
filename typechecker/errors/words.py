"""Helpers shared by all families of messages: building diagnostics, showing types, counterexamples and origins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.core import core
from dsl.core.walk import children
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label, Option
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import Effect
from dsl.types.shape import StaticArg, StaticName
from dsl.types.show import named, named_effect, show_type
from dsl.types.size import SizeVar
from dsl.types.static_argument import argument_text
from dsl.types.type import Type
from dsl.types.walk import any_leaf

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


def make(
    code: str,
    message: str,
    span: Span,
    label: str = "",
    *,
    secondary: Iterable[Label] = (),
    notes: Iterable[str] = (),
    help: str | Sequence[Help] | None = None,
    edits: Iterable[Edit] = (),
    options: Iterable[Option] = (),
) -> Diagnostic:
    """`help` is one advice, which the edits or one of the options carry out, or several ones."""
    advice = (Help(help, tuple(edits), tuple(options)),) if isinstance(help, str) else tuple(help or ())
    return Diagnostic(code, message, Label(span, label), tuple(secondary), tuple(notes), advice)


def format_type(ctx: Context, kind: Type) -> str:
    """A type as a user would write it, in backquotes."""
    kind = _as_written(ctx, kind)
    if isinstance(kind, ty.FunctionType) and kind.result == ty.ERROR:
        return show_type(kind)
    if isinstance(kind, ty.StaticType):
        names = {"none": "`none`", "axes": "an axis or several (an int, a tuple of ints, or none)"}
        return names.get(kind.kind, f"a static `{kind.kind}`")
    return f"`{show_type(kind)}`"


def plain_type(ctx: Context, kind: Type) -> str:
    return show_type(_as_written(ctx, kind))


def _as_written(ctx: Context, kind: Type) -> Type:
    return named(ctx.body.solver.expected(kind), ctx.program.module_at(ctx).written)


def format_effect(ctx: Context, effect: Effect) -> str:
    """An effect as it is written where it is told of."""
    return str(named_effect(effect, ctx.program.module_at(ctx).written))


def format_effects(ctx: Context, effects: Iterable[Effect]) -> str:
    """Effects in the order of their names, each in backquotes."""
    return ", ".join([f"`{name}`" for name in sorted([format_effect(ctx, effect) for effect in effects])])


def describe_term(ctx: Context, term: Term) -> str:
    """`x` is `f32[n]`: an expression with its type."""
    text = snippet(term.span)
    return f"{text} is {format_type(ctx, term.type)}" if text else f"this is {format_type(ctx, term.type)}"


def snippet(span: Span, limit: int = 32) -> str:
    """The source of a place, if it is short enough to repeat."""
    text = span.text
    return text if 0 < len(text) <= limit and "\n" not in text else ""


def example(
    found: Mapping[SizeVar, int] | Iterable[tuple[SizeVar, int]] | None,
    statics: Mapping[StaticName, StaticArg] = MappingProxyType({}),
) -> list[str]:
    """`for instance n = 2, m = 3`, without the names of poisoned or internal sizes."""
    pairs = found.items() if isinstance(found, Mapping) else found or ()
    values = [f"{name} = {argument_text(value)}" for name, value in statics.items()]
    values += [f"{var.name} = {value}" for var, value in pairs if not var.poison]
    return ["for instance " + ", ".join(dict.fromkeys(values))] if values else []


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant: written in other cases, with few other letters, or a short ending."""
    known = [*known]
    same = next((other for other in known if other != name and other.lower() == name.lower()), None)
    if same is not None:
        return same
    others = [other for other in known if other != name and other[:1] != "_"]
    alike = [other for other in others if abs(len(other) - len(name)) <= len(name) // 3]
    endings = [
        each for each in others if len(name) > 2 < len(each) and (name.startswith(each) or each.startswith(name))
    ]
    swapped = [other for other in alike if sorted(other) == sorted(name)]
    near = (
        swapped
        or get_close_matches(name, alike, 1, 0.7)
        or [each for each in endings if abs(len(each) - len(name)) <= 3]
    )
    return near[0] if near else None


def replace_with(span: Span, text: str) -> tuple[Edit, ...]:
    return (Edit(span, text),)


def instead(words: str, span: Span, written: str | None) -> list[Help]:
    """Return a help with what may stand at a place, which `{}` in its words shows; none where that is not known."""
    return [] if written is None else [Help(words.replace("{}", written), replace_with(span, written))]


def rename(span: Span, name: str, near: str | None) -> tuple[Edit, ...]:
    """Puts `near` where `name` stands first in the text of a place."""
    text = span.text
    if near is None or name not in text:
        return ()
    start = span.start + text.index(name)
    return (Edit(Span(span.source, start, start + len(name)), near),)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 index`, `2 indices`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def conditions(prop: fa.Prop) -> str:
    """A proposition without the parts that hold by themselves."""
    props = prop.props if isinstance(prop, fa.And) else (prop,)
    telling = [one for one in props if not _evident(one)]
    return str(telling[0]) if len(telling) == 1 else fa.show_all(telling) if telling else str(prop)


def _evident(prop: fa.Prop) -> bool:
    match prop:
        case fa.Le(low, high):
            gap = (high - low).constant
            return gap is not None and gap >= 0
        case fa.Lt(low, high):
            gap = (high - low).constant
            return gap is not None and gap > 0
        case _:
            return prop == fa.Known(True)


def reason(why: Why) -> str:
    """Why a type was expected, as the subject of a sentence."""
    if why.kind == "static":
        return _STATIC.get(why.name, f"`{why.name}`")
    if why.kind == "argument" and why.name:
        return f"argument `{why.name}`" + (f" of `{why.owner}`" if why.owner else "")
    if why.kind == "annotation" and why.name:
        return f"`{why.name}`"
    return _REASONS[why.kind].format(why.name)


_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "argument": "the argument",
        "result": "the result of `{}`",
        "annotation": "the annotation",
        "carry": "the carry `{}`",
        "branch": "the branch",
        "item": "the item",
        "operand": "the operand of `{}`",
        "cell": "the cell `{}`",
        "record": "the record of `{}`",
        "rule": "the rule `{}`",
        "default": "the default of `{}`",
        "cast": "the number that is cast",
    }
)
_STATIC: Mapping[str, str] = MappingProxyType(
    {
        "size": "a size",
        "shape": "a shape",
        "range": "a bound of `range`",
        "step": "the step of a slice",
        "limit": "the `limit` of a loop",
        "unroll": "the `unroll` factor",
        "format": "the format of `print`",
        "tag": "the name given to `emit`",
        "spec": "the specification of `einsum`",
        "message": "the message of `assert`",
        "index": "this index",
    }
)


def declaration_labels(why: Why) -> list[Label]:
    """The place that asks for a type, unless it is in the library, which is not what the user wrote."""
    if why.declared is None or in_library(why.declared):
        return []
    words = {"branch": "the other branch", "item": "another item"}
    return [Label(why.declared, words.get(why.kind, "expected because of this"))]


def in_library(place: Span) -> bool:
    """Return whether a place is in the text of the library, which users do not know."""
    return place.source.in_library


def chain(ctx: Context, node: core.Expr) -> list[Label]:
    """Why an expression is traced, step by step back to a parameter, a loop or an effect."""
    out: list[Label] = []
    seen: set[int] = set()
    while node is not None and len(out) < 8:
        step = _cause(ctx, node)
        if step is None or id(step[0]) in seen:
            break
        node, text = step
        seen.add(id(node))
        if text:
            out.append(Label(node.span, text))
    return out


def _cause(ctx: Context, node: core.Expr) -> tuple[core.Expr, str] | None:
    match node:
        case core.Local(_, _, id, name):
            found = ctx.program.task.origins.get(id)
            if found is None:
                return None
            place, origin = found
            if origin is None or origin is node:
                return core.Local(place, node.type, -1, name), f"`{name}` is traced: it is a run-time value"
            return origin, f"`{name}` is computed from this"
        case core.Local():
            return None
        case _:
            for child in (node.result,) if isinstance(node, core.Sequence) else children(node):
                if _traced(ctx.resolve(child.type)):
                    if isinstance(child, core.Local):
                        return _cause(ctx, child)
                    return child, f"`{snippet(child.span)}` is traced" if snippet(child.span) else ""
            return None


def _traced(type_: Type) -> bool:
    return any_leaf(type_, lambda leaf: isinstance(leaf, ty.ArrayType | ty.IndexType | ty.KeyType | ty.TypeVar))
