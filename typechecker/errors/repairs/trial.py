"""Trial checks of helps before they are shown: an expression at its location, or the enclosing definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Source, Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.parse import parse, parse_expression
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.rewrites import Site, rewrites
from typechecker.errors.repairs.trees import OFFERED, Imported, clauses_of, declared_at, ends_of, rewritten, unused

if TYPE_CHECKING:
    from typechecker.env.context import Context

TRIALS = 30
"""How often a definition is checked anew for the helps of its errors."""

LAST = 2 * TRIALS
"""How often it is checked at most, with the trials of what is shown at the end."""

UNREAD = "not a definition"
"""The one error of a text that is not read."""

LENGTH = 10_000
"""Characters of a definition; a longer one is not checked anew."""


def type_of(ctx: Context, text: str, place: Span) -> Type | None:
    """The type that an expression would have at a place; None if it does not check there, or is made of a help."""
    if place.source.name == OFFERED:
        return None
    node, problems = parse_expression(Source(OFFERED, text))
    if problems:
        return None
    closures = len(ctx.body.closures)
    ctx = replace(ctx, scope=ctx.program.task.scopes.get(place, ctx.scope))
    type_: Type = ty.ERROR
    with ctx.aside(), ctx.attempt() as attempt:
        type_ = ctx.resolve(ctx.infer(node).type)
    del ctx.body.closures[closures:]
    return None if attempt.discard() or type_ == ty.ERROR else type_


def first_that_checks(ctx: Context, texts: Iterable[str], place: Span) -> str | None:
    """The first of some expressions that checks at a place."""
    return next((text for text in texts if type_of(ctx, text, place) is not None), None)


def definition_around(ctx: Context, place: Span) -> ast.Def | None:
    """The definition that is being checked, if the place lies in it."""
    info = ctx.program.modules[ctx.body.module].definitions.get(ctx.body.owner)
    return info.node if info is not None and info.node.span.covers(place) else None


def mends(ctx: Context, edits: tuple[Edit, ...], but: str = "") -> bool:
    """Return whether the definition around the edits has fewer errors with them, and none that it had not before, `but`
    this one, which edits elsewhere remove."""
    if not edits or any(edit.span.source.name == OFFERED for edit in edits):
        return False
    node = definition_around(ctx, edits[0].span)
    if node is None or not all(node.span.covers(edit.span) for edit in edits):
        return False
    before = _faults(ctx, node.span.text)
    after = None if before is None else _faults(ctx, rewritten(node.span, *edits))
    return before is not None and after is not None and Counter({e: k for e, k in after.items() if e != but}) < before


def keeps_in_use(ctx: Context, edits: tuple[Edit, ...]) -> bool:
    """Return whether the definition around the edits leaves no more of its names unused with them."""
    node = definition_around(ctx, edits[0].span)
    if node is None or not all(node.span.covers(edit.span) for edit in edits):
        return True
    tree, problems = parse(Source(OFFERED, rewritten(node.span, *edits)))
    found = [each for each in tree.declarations if isinstance(each, ast.Def)]
    return bool(problems) or all(len(unused(each)) <= len(unused(node)) for each in found)


def removes(ctx: Context, node: ast.Def, edits: tuple[Edit, ...], error: Diagnostic, before: Mapping[str, int]) -> bool:
    """Return whether a definition has an error less often with these edits, and no new one of its code that speaks of
    what they write; other errors may come to light behind it."""
    after = _faults(ctx, rewritten(node.span, *edits), LAST)
    if after is None or UNREAD in after:
        return False
    new = [key for key in after if key.startswith(error.code) and key not in before]
    told = any(f"`{edit.text}`" in key for edit in edits for key in new)
    return after[key_of(error)] < before[key_of(error)] and not told


def key_of(error: Diagnostic) -> str:
    """Return what tells an error from others of a definition, wherever it is."""
    return f"{error.code} {error.message}"


def is_right(ctx: Context, node: ast.Def, edits: tuple[Edit, ...]) -> bool:
    """Return whether another definition of the module has no errors with these edits."""
    return node.span.source.name != OFFERED and _faults(ctx, rewritten(node.span, *edits)) == Counter()


def first_that_mends(ctx: Context, candidates: Iterable[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """The first of some edits that mends the definition; none, if none does."""
    return next(those_that_mend(ctx, candidates), ())


def offers(ctx: Context, words: str, *candidates: tuple[Edit, ...]) -> list[Help]:
    """Return a help with the first of some edits that mends the definition, `{}` in its words for what it writes; none,
    if none does."""
    edits = first_that_mends(ctx, candidates)
    return [Help(words.replace("{}", edits[0].text), edits)] if edits else []


class Words(Struct, frozen=True):
    """Words of a help in which texts of the program stand: `{0}` is what a rule writes, `{1}` the first text."""

    form: str
    texts: tuple[str, ...] = ()


def tried(
    ctx: Context,
    place: Span,
    rules: Sequence[str | Words],
    open_: Mapping[str, Sequence[str]] = MappingProxyType({}),
    library: Iterable[Imported] = (),
) -> list[Help]:
    """Return a help with the first text that rules make of the expressions around a place or in it, and that mends the
    definition; words of a help stand in front of their rules. `library` are names that the rules may write: their
    imports belong to the help."""
    sites, node = sites_of(place), definition_around(ctx, place)
    for read_alone in (True, False)[: 2 if node is not None else 1]:  # `range(n)` has a type in its place alone
        words = Words("write `{}`")
        for rule in rules:
            if isinstance(rule, Words) or " => " not in rule:
                words = rule if isinstance(rule, Words) else Words(rule)
                continue
            for edit in rewrites(sites if read_alone else sites[:1], [rule], open_):
                own = next((each for each in library if each.edits and f"{each.name}(" in edit.text), Imported(""))
                alone = read_alone and not own.edits and not rule.startswith("for ")
                fits = not alone or type_of(ctx, edit.text, edit.span) is not None
                if fits and (node is None or mends(ctx, (edit,), own.lacking)):
                    said = words.form.format(ends_of(edit.text), *words.texts)
                    return [Help(said + own.said, (*own.edits, edit))]
    return []


def sites_of(place: Span) -> list[Site]:
    """Return what rules may change around a place, the innermost first, and what they may change in it."""
    found = sorted(
        [each for each in nodes(declared_at(place)) if isinstance(each, ast.Expr | ast.ForClause)],
        key=lambda each: (each.span.start, -each.span.end),
    )
    around = [each for each in found if each.span.covers(place)][::-1]
    clauses = [clause for each in around for clause in clauses_of(each)[::-1]]
    return [*around, *clauses, *(each for each in found if place.covers(each.span) and each.span != place)]


def those_that_mend(ctx: Context, candidates: Iterable[tuple[Edit, ...]]) -> Iterator[tuple[Edit, ...]]:
    return (edits for edits in candidates if mends(ctx, edits))


def _faults(ctx: Context, text: str, most: int = TRIALS) -> Counter[str] | None:
    """The errors of a definition by its text; None where enough were tried."""
    tried = ctx.program.task.tried
    if text not in tried:
        if len(tried) >= most or len(text) > LENGTH:
            return None
        tree, problems = parse(Source(OFFERED, text))
        node = tree.declarations[0] if len(tree.declarations) == 1 and not problems else None
        if not isinstance(node, ast.Def):
            return Counter((UNREAD,))
        with ctx.aside():
            tried[text] = ctx.program.rules.faults(ctx.program, ctx.body.module, node)
    return tried[text]
