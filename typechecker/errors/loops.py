"""E03 and E04: what loops go over, carry and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Type
from dsl.types.walk import leading_axes, named_leaves
from typechecker.errors.repairs.loops import collected_by_scan, shown, whole_turns
from typechecker.errors.repairs.shapes import shorter_concatenations
from typechecker.errors.repairs.trees import enclosing, tree_of
from typechecker.errors.repairs.trial import first_that_mends, offers, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    describe_term,
    format_type,
    instead,
    make,
    plain_type,
    reason,
    replace_with,
    snippet,
)

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.errors.types import Mismatch

_not_iterable = Template(
    "E0325",
    "{term.type:type} cannot be iterated",
    "{what}",
    note="iterables are `range(n)`, arrays, `zip`, `enumerate`, tuples, trees whose leaves share a leading axis",
)


def not_iterable(ctx: Context, term: Term, span: Span) -> Diagnostic:
    kind, what = ctx.resolve(term.type), describe_term(ctx, term)
    if kind in (ty.INT, ty.SIZE) and snippet(span):
        written = instead("write `{}`", span, f"range({snippet(span)})")
        return _not_iterable(span, ctx, term=term, what=what, help=written)
    scalars = [path for path, leaf in named_leaves(kind) if path and leading_axes(leaf) == Shape(())]
    if not scalars:
        return _not_iterable(span, ctx, term=term, what=what)
    what = f"{_quoted(scalars)} {'has' if len(scalars) == 1 else 'have'} no axis"
    return _not_iterable(span, ctx, term=term, what=what, help=_by_leaves(kind, scalars, span))


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join([f"`{path}`" for path in paths])


def _by_leaves(kind: Type, apart: Sequence[str], span: Span) -> str | None:
    """How to iterate over the leaves but some, which are read from the whole."""
    base, paths = snippet(span), [path for path, _ in named_leaves(kind)]
    along = [f"{base}{path}" for path in paths if path not in apart]
    if not base.isidentifier() or not along or len(along) > 6:
        return None
    loop = f"`for ({', '.join([path.rpartition('.')[2] for path in along])}) in zip({', '.join(along)})`"
    if not all(path.rpartition(".")[2].isidentifier() for path in along):
        loop = f"over `zip({', '.join(along)})`"
    loop = f"`for {along[0].rpartition('.')[2]} in {along[0]}`" if len(along) == 1 and "`for" in loop else loop
    return f"iterate over the others, {loop}, and read {', '.join([f'`{base}{path}`' for path in apart])} in the body"


_leaves_disagree = Template("E0418", "the leaves of this tree share no leading axis", "{kind:plain}", note="{sizes}")


def leaves_disagree(ctx: Context, kind: Type, span: Span) -> Diagnostic:
    """The leaves with the size of their first axis; those of the size that most have can be iterated over."""
    by_size: dict[str, list[str]] = {}
    for path, leaf in named_leaves(kind):
        shape = leading_axes(leaf)
        by_size.setdefault(str(shape.dims[0]) if shape is not None and shape.dims else "", []).append(path)
    sizes = "; ".join(
        f"{_quoted(paths)} {'has' if len(paths) == 1 else 'have'} {size or 'no axis'}{' on axis 0' if size else ''}"
        for size, paths in by_size.items()
    )
    most = max(by_size, key=lambda size: (bool(size), len(by_size[size])))
    return _leaves_disagree(span, ctx, kind=kind, sizes=sizes, help=_of_one_size(by_size, most, span))


def _of_one_size(by_size: Mapping[str, Sequence[str]], most: str, span: Span) -> str | None:
    """The leaves that share the size, with as much of the longer ones."""
    base = snippet(span)
    if not base.isidentifier() or not most or len(by_size) > 4:
        return None
    along = [f"{base}{path}" for path in by_size[most]]
    longer = [path for size, paths in by_size.items() if size.startswith(f"{most} + ") for path in paths]
    parts = [f"{base}{path}[:{most}]" for path in longer]
    apart = [f"`{base}{path}`" for size, paths in by_size.items() if not size for path in paths]
    written = f"`zip({', '.join([*along, *parts])})`" if along[1:] or parts else f"`{along[0]}`"
    rest = f", and read {', '.join(apart)} in the body" if apart else ""
    return f"iterate over what has one size, {written}, without the leaves that are not needed{rest}"


zip_tuples = Template("E0325", "`zip` takes tuples of one length, or arrays, not both", "mixed")


_iteration_only = Template("E0326", "`{name}` is only allowed after `in`", "not a value")


def iteration_only(ctx: Context, name: str, span: Span) -> Diagnostic:
    """`range` as a value may be the array of its numbers."""
    if name != "range":
        return _iteration_only(span, name=name)
    for each in enclosing(span, ast.Compare):
        if each.ops[-1] in ("in", "not in") and each.operands[-1].span == span:
            asked = each.operands[-2].span.text
            return _iteration_only(span, name=name, help=f"compare: `0 <= {asked} and {asked} < n`")
    written = f"arange{span.text.removeprefix(name)}"
    if not span.text.startswith(f"{name}(") or type_of(ctx, written, span) is None:
        return _iteration_only(span, name=name, help="`arange(n)` is the array of the numbers from 0 to n - 1")
    of_dtypes = [f"{written[:-1]}, dtype={dtype})" for dtype in ("f32", "f64", "i64")]
    words, edits = "write `{}`, an array", [replace_with(span, text) for text in (written, *of_dtypes)]
    return _iteration_only(span, name=name, help=offers(ctx, words, *edits) or instead(words, span, written))


_without_output = Template(
    "E0310", "the body of a `scan` must return a pair: the new carry and an output", "{kind:plain}, not a pair"
)


def scan_body(ctx: Context, kind: Type, carry: Type, span: Span) -> Diagnostic:
    """A body that gives the carry alone may be that of a `fold`; of more than two parts, some are meant to be one."""
    count = len(carry.parts) if isinstance(carry, ty.TupleType) else 1
    turns = whole_turns(ctx, span, count) if count > 1 else ()
    whole = offers(ctx, "the carry is one value, and what is put out another: `{}`", *turns)
    if whole:
        return _without_output(span, ctx, kind=kind, help=whole)
    text = snippet(span, 64)
    root = tree_of(span) if text else None
    parts = [item.span.text for item in root.items] if isinstance(root, ast.TupleLit) else []
    if isinstance(kind, ty.TupleType) and len(parts) == len(kind.parts) > 2:
        return _without_output(span, ctx, kind=kind, help=_in_pairs(ctx, parts, kind.parts, carry))
    advice = f"if what is carried is the output, too, write `({text}, {text})`; " if text else ""
    return _without_output(span, ctx, kind=kind, help=f"{advice}if there is no output, use `fold` in place of `scan`")


def _in_pairs(ctx: Context, parts: Sequence[str], kinds: Sequence[Type], carry: Type) -> str:
    """Several parts as a carry and an output; as many of them are the carry as this has parts."""
    count = len(carry.parts) if isinstance(carry, ty.TupleType) else 1
    count = count if count < len(parts) else 1
    first, rest = [f"({', '.join(each)})" if len(each) > 1 else each[0] for each in (parts[:count], parts[count:])]
    shown = f"write `({first}, {rest})`: the carry is {format_type(ctx, carry)}"
    return shown + (", and the outputs are one tuple; leave out what is not needed" if len(parts) - count > 1 else "")


carry_not_data = Template(
    "E0310",
    "{term.type:type} cannot be carried",
    "a carry may only contain arrays and keys",
    help="keep it outside the loop: static values are visible inside",
)
cell_not_data = Template(
    "E0310",
    "cell `{name}` cannot hold {kind:type}",
    "a cell holds arrays",
    help="keep it outside: static values are visible inside",
)
not_summable = Template("E0319", "an accumulator may only contain numbers", "cannot be summed")


def carry_changed(found: Mismatch, code: str) -> Diagnostic:
    ctx, declared = found.ctx, found.why.declared
    start, end = format_type(ctx, found.wanted), format_type(ctx, found.actual)
    collected = first_that_mends(ctx, collected_by_scan(ctx, found.span)) if code == "E0417" else ()
    advice, edits = _whole_carry(found)
    shorter = _shorter(found) if code == "E0417" and not collected else []
    if collected:
        advice = f"a loop cannot grow an array; `scan` collects what each turn gives:\n{shown(collected)}"
    return make(
        code,
        f"{reason(found.why)} changes its type{found.at}: it starts as {start} and becomes {end}",
        found.span,
        found.types,
        secondary=[] if declared is None else [Label(declared, f"starts as {plain_type(ctx, found.wanted)}")],
        notes=["a carry must keep its type"],
        help=shorter or advice,
        edits=collected or edits,
    )


def _shorter(found: Mismatch) -> list[Help]:
    """The concatenation that a loop carries, without what is too much in each turn."""
    start, end = leading_axes(found.wanted), leading_axes(found.actual)
    if start is None or end is None or found.path:
        return []
    return [*shorter_concatenations(found.ctx, found.span, end, start)]


def _whole_carry(found: Mismatch) -> tuple[str | None, tuple[Edit, ...]]:
    """Help for a `scan` of several values whose body gives one of them where all are carried."""
    parts = found.wanted.parts if isinstance(found.wanted, ty.TupleType) else ()
    if not parts or isinstance(found.actual, ty.TupleType):
        return None, ()
    options = [*whole_turns(found.ctx, found.span, len(parts))]
    edits = first_that_mends(found.ctx, options)
    likely = edits or next(iter(options), ())
    whole = "all that is carried is one tuple"
    what = f"{whole}, followed by the value collected from each iteration" if found.why.owner == "scan" else whole
    return f"{what}: write `{likely[0].text}`" if likely else None, edits
