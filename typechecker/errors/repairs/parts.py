"""Values of several parts where one is wanted: the parts that fit, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Help, Option
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.library_text import library_text
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.trees import declarations, lets_of, name_of, operand
from typechecker.errors.repairs.trial import definition_around, mends
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


def one_of_parts(ctx: Context, span: Span, root: ast.Expr, actual: Type, wanted: Type) -> list[Help]:
    """Return the parts of a value that fit in its place, where they are several: none of them is the likely one."""
    match actual:
        case ty.RecordType(fields):
            what, parts = "fields", [*fields]
        case ty.TupleType(kinds) if not isinstance(root, ast.TupleLit):
            what, parts = "parts", [(str(k), kind) for k, kind in enumerate(kinds)]
        case _:
            return []
    texts = [(f"{operand(root.span.text)}.{name}", kind == wanted) for name, kind in parts]
    found = [text for text, same in texts if same]
    if not found and isinstance(wanted, ty.ArrayType) and what == "parts":
        found = [text for text, _ in texts if mends(ctx, replace_with(span, text))]
    return [] if len(found) < 2 else _listed(found, span, what, _told(ctx, span, root) if what == "parts" else "")


def _listed(found: Sequence[str], span: Span, what: str, told: str) -> list[Help]:
    words = f"{what} of that type: {', '.join([f'`{text}`' for text in found])}{told}"
    return [Help(words, options=tuple([Option(text, replace_with(span, text)) for text in found]))]


def _told(ctx: Context, span: Span, root: ast.Expr) -> str:
    """Return what the text of a library says of the value that a call gives, or of the field that is called."""
    call = _made_by(ctx, span, root)
    name = "" if call is None else name_of(call)
    texts = list[str]()
    for module in ctx.program.modules.values() if name else ():
        info = module.definitions.get(name)
        if info is not None and info.in_library:
            texts.append(info.node.doc or "")
        for alias in module.aliases.values():
            stated = alias.value
            if isinstance(stated, ast.RecordTypeExpr) and name in [field.name for field, _ in stated.fields]:
                library = ctx.program.is_library(module)
                every = library_text(module.source).tree.declarations if library else declarations(module.source)
                docs = [each.doc or "" for each in every if isinstance(each, ast.TypeAliasDecl)]
                texts += [part for doc in docs for part in _clauses(doc) if part.startswith(f"`{name}`")]
    said = next((clauses[0] for clauses in map(_clauses, texts) if clauses), "")
    said = said if f"`{name}`" in said else f"`{name}`: {said[:1].lower()}{said[1:]}"
    return f"; {said}" if said[-2:] != ": " and name else ""


def _made_by(ctx: Context, span: Span, root: ast.Expr) -> ast.Call | None:
    """Return the call that makes a value, or that its name is bound to."""
    node = definition_around(ctx, span)
    if isinstance(root, ast.Name) and node is not None:
        before = [each for each in lets_of(node, root.name) if each.span.end <= span.start]
        root = max(before, key=lambda let: let.span.start).value if before else root
    return root if isinstance(root, ast.Call) else None


def _clauses(doc: str) -> list[str]:
    """Return the clauses of a text that end in a full stop or a semicolon, each in one line."""
    whole = " ".join(doc.split())
    return [each.strip() for sentence in whole.split(". ") for each in sentence.rstrip(".").split("; ") if each]
