"""Conditions that a signature may state: where one is written, and the first of some that mends the definition; and
those that say that a number fits a dtype."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types.facts import Prop
from typechecker.errors.repairs.trees import behind, in_front
from typechecker.errors.repairs.trial import definition_around, mends
from typechecker.errors.words import conditions

if TYPE_CHECKING:
    from typechecker.env.context import Context


def stating(node: ast.Def, prop: Prop) -> tuple[Edit, ...]:
    """The edit that adds a condition to the signature of a definition; none where the signature ends in no type."""
    text = conditions(prop)
    if node.where:
        last = node.where[-1].condition
        joined = f" and ({text})" if isinstance(prop, fa.Or) else f" and {text}"
        grouped = isinstance(last, ast.Binary) and last.op == "or"
        end = behind(last.span, f"){joined}" if grouped else joined)
        return (in_front(last.span, "("), end) if grouped else (end,)
    if node.result is None:
        return ()
    ends = node.result.span if node.effects is None else node.effects.span
    return (behind(ends, f" where {text}"),)


def first_stated(ctx: Context, place: Span, props: Iterable[Prop]) -> tuple[Prop, tuple[Edit, ...]] | None:
    """The first of some conditions with which the definition around a place has fewer errors and no new one."""
    node = definition_around(ctx, place)
    for prop in dict.fromkeys(props) if node is not None else ():
        edits = stating(node, prop) if node is not None else ()
        if mends(ctx, edits):
            return prop, edits
    return None


def state_it(ctx: Context, place: Span, props: Iterable[Prop], words: str = "state it") -> Iterator[Help]:
    """The help that states the first of some conditions that mends the definition."""
    found = first_stated(ctx, place, props)
    if found is not None:
        yield Help(f"{words}: `where {conditions(found[0])}`", found[1])


def alternatives(prop: Prop) -> Iterator[Prop]:
    """The conditions from each of which a condition follows, the weakest last. Of several of which one has to hold, the
    last is what is needed, and those before it say that a branch around it is not taken: they leave the branch dead."""
    if isinstance(prop, fa.Or):
        yield prop.props[-1]
    yield prop


def weakest_from_which(ctx: Context, prop: Prop, needs: Sequence[Prop]) -> list[Prop]:
    """Conditions from which one follows, among all that are needed: first those that follow from most others."""
    found = dict.fromkeys(next(alternatives(need)) for need in needs)
    enough = [each for each in found if ctx.assuming(each).holds(prop)]
    implied = {each: sum(ctx.assuming(other).holds(each) for other in enough) for each in enough}
    return [*sorted(enough, key=implied.__getitem__, reverse=True), *alternatives(prop)]


class Limit(Struct, frozen=True):
    """A quantity that must fit a dtype, in words, and a wider dtype."""

    said: str
    wider: str | None


def limit_of(prop: Prop) -> Limit | None:
    """The limit that a condition is, if it says that a number is not beyond the greatest of an integer dtype."""
    match prop:
        case fa.Lt(left, right) if right.constant is not None:
            greatest = right.constant - 1
        case fa.Le(left, right) if right.constant is not None:
            greatest = right.constant
        case _:
            return None
    names = {dt.integer_range(d)[1]: d.name for d in dt.ALL if d.is_integer and d.name in ("i32", "u32", "i64")}
    name = names.get(greatest)
    if name is None:
        return None
    return Limit(f"{left} to fit {name} (at most {greatest})", "i64" if name != "i64" else None)
