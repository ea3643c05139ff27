"""What the words of all families share: making a diagnostic, showing types, counter-examples and origins."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.show import show_type
from dsl.types.size import SizeVar
from dsl.types.type import Type

if TYPE_CHECKING:
    from typechecker.context import Context
    from typechecker.relate import Why
    from typechecker.values import Term


def make(
    code: str,
    message: str,
    span: Span,
    label: str = "",
    *,
    secondary: Iterable[Label] = (),
    notes: Iterable[str] = (),
    help: str | None = None,
    edits: Iterable[Edit] = (),
) -> Diagnostic:
    advice = () if help is None else (Help(help, tuple(edits)),)
    return Diagnostic(code, message, Label(span, label), tuple(secondary), tuple(notes), advice)


def shown(ctx: Context, kind: Type) -> str:
    """A type as a user would write it, in backquotes."""
    kind = ctx.resolve(kind)
    if isinstance(kind, ty.FunctionType) and kind.result == ty.ERROR:
        return "a function"
    if isinstance(kind, ty.StaticType):
        names = {"none": "`none`", "int": "a static `int`", "float": "a static `float`"}
        return names.get(kind.kind, f"a static `{kind.kind}`")
    return f"`{show_type(kind)}`"


def plain_type(ctx: Context, kind: Type) -> str:
    return show_type(ctx.resolve(kind))


def described(ctx: Context, term: Term) -> str:
    """`x` is `f32[n]`: an expression with its type."""
    text = snippet(term.span)
    return f"{text} is {shown(ctx, term.type)}" if text else f"this is {shown(ctx, term.type)}"


def snippet(span: Span, limit: int = 32) -> str:
    """The source of a place, if it is short enough to repeat."""
    text = span.text
    return text if 0 < len(text) <= limit and "\n" not in text else ""


def example(found: Mapping[SizeVar, int] | Iterable[tuple[SizeVar, int]] | None) -> list[str]:
    """`for instance n = 2, m = 3`, without the names of erroneous or internal sizes."""
    if not found:
        return []
    pairs = found.items() if isinstance(found, Mapping) else found
    parts = [f"{var.name} = {value}" for var, value in pairs if not var.name.startswith("?")]
    return ["for instance " + ", ".join(dict.fromkeys(parts))] if parts else []


def suggestion(name: str, known: Iterable[str]) -> str | None:
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def replace_with(span: Span, text: str) -> tuple[Edit, ...]:
    return (Edit(span, text),)


def reason(why: Why) -> str:
    """Why a type was expected, as the beginning of a sentence."""
    match why.kind:
        case "argument":
            owner = f" of `{why.owner}`" if why.owner else ""
            return f"argument `{why.name}`{owner}" if why.name else "the argument"
        case "result":
            return f"the result of `{why.name}`"
        case "annotation":
            return f"`{why.name}`" if why.name else "the annotation"
        case "carry":
            return f"the carry `{why.name}`"
        case "branch":
            return "the branch"
        case "item":
            return "the item"
        case "static":
            return f"`{why.name}`"
        case "operand":
            return f"the operand of `{why.name}`"
        case "cell":
            return f"the cell `{why.name}`"
        case "rule":
            return f"the rule `{why.name}`"
        case "default":
            return f"the default of `{why.name}`"


def declared(why: Why) -> list[Label]:
    return [] if why.declared is None else [Label(why.declared, "expected because of this")]


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
        case core.Local(span, _, id, name):
            found = ctx.program.origins.get(id)
            if found is None:
                return None
            place, origin = found
            if origin is None or origin is node:
                return core.Local(place, node.type, -1, name), f"`{name}` is traced: it is a run-time value"
            return origin, f"`{name}` is computed from this"
        case core.Local():
            return None
        case _:
            for child in children(node):
                if _traced(ctx.resolve(child.type)):
                    if isinstance(child, core.Local):
                        return _cause(ctx, child)
                    return child, f"`{snippet(child.span)}` is traced" if snippet(child.span) else ""
            return None


def _traced(kind: Type) -> bool:
    match kind:
        case ty.ArrayType() | ty.IndexType() | ty.KeyType() | ty.TypeVar() | ty.StackedType():
            return True
        case ty.TupleType(parts):
            return any(map(_traced, parts))
        case ty.RecordType(fields):
            return any(_traced(t) for _, t in fields)
        case _:
            return False


def children(node: core.Expr) -> list[core.Expr]:
    """The operands an expression gets its value from."""
    match node:
        case core.Binary(left=left, right=right) | core.Logical(left=left, right=right):
            return [left, right]
        case core.Unary(operand=value):
            return [value]
        case core.Convert(value=value) | core.Coerce(value=value) | core.CheckIndex(value=value):
            return [value]
        case core.Apply(args=args):
            return [a for a in args if a is not None]
        case core.Intrinsic(args=args):
            return list(args)
        case core.Project(base=base) | core.Select(base=base) | core.Index(base=base):
            return [base]
        case core.Tuple(items=items) | core.Stack(items=items):
            return list(items)
        case core.Sequence(result=result):
            return [result]
        case core.If(condition=condition, then=then, orelse=orelse):
            return [condition, then, orelse]
        case _:
            return []
