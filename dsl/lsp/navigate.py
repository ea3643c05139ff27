"""Where a name is bound, who mentions it, and giving it another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from dsl.diagnostics.source import Source, Span
from dsl.lsp.analysis import Analysis, Checked
from dsl.lsp.documents import Part
from dsl.lsp.fields import field_at, fields_named
from dsl.lsp.index import Index
from dsl.lsp.names import Kind, Symbol, declared_names
from dsl.lsp.places import Places, uri_of
from dsl.syntax.words import hard_keywords
from dsl.types.show import show_type
from dsl.types.type import Type


class Refused(Exception):
    """Why a name cannot be given another."""


def definition(checked: Checked, offset: int, places: Places) -> lsp.Location | None:
    """Where the name at an offset is bound; for a module, its beginning; for a field, the type that declares it."""
    mention = checked.index.mention_at(offset)
    if mention is None:
        return _declared_field(checked.index, offset, places)
    index, symbol = checked.index, mention.symbol
    module = index.modules.get(index.module.imports.get(symbol.name, "")) if symbol.kind is Kind.MODULE else None
    return places.location(symbol.span if module is None else Span(module.source, 0, 0))


def _declared_field(index: Index, offset: int, places: Places) -> lsp.Location | None:
    field = field_at(index, offset)
    modules = (index, *(Index(m, index.modules) for m in index.modules.values() if m is not index.module))
    found = (each for other in modules for each in fields_named(other) if field is not None and each.same(field))
    return next((places.location(each.span) for each in found if each.declared), None)


def type_definition(checked: Checked, offset: int, places: Places) -> lsp.Location | None:
    """Where the type of the name or expression at an offset is declared, if it has a name."""
    index = checked.index
    mention, found = index.mention_at(offset), index.expression_at(offset)
    type_ = None if mention is None else index.type_of(mention.symbol)
    if type_ is None:
        type_ = None if found is None else found[1]
    symbol = None if type_ is None else _declared_type(index, type_)
    return None if symbol is None else places.location(symbol.span)


def _declared_type(index: Index, type_: Type) -> Symbol | None:
    """The declaration of the name by which a module shows a type, as `Params[d]` or `model.Params[d]`."""
    *module, name = show_type(type_, index.module.written).partition("[")[0].split(".")
    if not module:
        return index.names.levels[0].find(name)
    target = index.modules.get(index.module.imports.get(".".join(module), ""))
    return None if target is None else declared_names(target).get(name)


def references(
    analysis: Analysis, path: Path, checked: Checked, offset: int, declaration: bool, places: Places
) -> list[lsp.Location]:
    """Every mention of the name or field at an offset, in the files near by."""
    mention = checked.index.mention_at(offset)
    if mention is None:
        field = field_at(checked.index, offset)
        fields = [] if field is None else analysis.fields(path, field)
        return [places.location(each.span) for each in fields if declaration or not each.declared]
    found = analysis.mentions(path, mention.symbol)
    return [places.location(m.span) for m in found if declaration or m.span[1:] != m.symbol.span[1:]]


def occurrences(checked: Checked, offset: int, places: Places) -> list[lsp.DocumentHighlight]:
    """Every mention of the name or field at an offset in its own program."""
    mention = checked.index.mention_at(offset)
    if mention is None:
        field = field_at(checked.index, offset)
        spans = [each.span for each in fields_named(checked.index) if field is not None and each.same(field)]
    else:
        spans = [m.span for m in checked.index.names.mentions if m.symbol == mention.symbol]
    return [lsp.DocumentHighlight(places.range(span)) for span in spans]


def prepare_rename(analysis: Analysis, path: Path, checked: Checked, offset: int, places: Places) -> lsp.Range:
    """Return the place of the name at an offset. Raises `Refused` where it cannot be given another."""
    found = _renamed(analysis, path, checked, offset)
    return next(places.range(span) for span in found if span.start <= offset <= span.end)


def rename(
    analysis: Analysis, path: Path, checked: Checked, offset: int, name: str, places: Places
) -> lsp.WorkspaceEdit:
    """The edits that give the name at an offset another one. Raises `Refused` where programs would not be the same
    with it."""
    found = _renamed(analysis, path, checked, offset)
    if name in hard_keywords() or not name.isidentifier():
        raise Refused(f"`{name}` cannot be a name")
    if not _unchanged(analysis, path, found, name):
        raise Refused(f"`{name}` would mean something else here")
    edits: dict[str, list[lsp.TextEdit]] = {}
    for span in found:
        edits.setdefault(uri_of(span.source), []).append(places.edit(span, name))
    return lsp.WorkspaceEdit(changes={uri: list(each) for uri, each in edits.items()})


def _renamed(analysis: Analysis, path: Path, checked: Checked, offset: int) -> list[Span]:
    """The places that say the name itself, not an alias of it; for a field, those of all records with such fields."""
    mention = checked.index.mention_at(offset)
    if mention is None:
        return _renamed_field(analysis, path, checked, offset)
    symbol = mention.symbol
    if symbol.span.source.in_library:
        raise Refused(f"`{symbol.name}` is a name of the library")
    return [m.span for m in analysis.mentions(path, symbol) if m.span.text == symbol.name]


def _renamed_field(analysis: Analysis, path: Path, checked: Checked, offset: int) -> list[Span]:
    field = field_at(checked.index, offset)
    if field is None:
        raise Refused("there is no name here")
    return [each.span for each in analysis.fields(path, field)]


def _unchanged(analysis: Analysis, path: Path, found: Sequence[Span], name: str) -> bool:
    """Return whether every program means the same with the new name: it has the same errors, and the names that were
    one are still one and no others."""
    texts = dict(_texts(found, name))
    files = {Path(file): text for (file, _), text in texts.items() if file.endswith(".dsl")}
    for checked in analysis.near(path):
        source = checked.part.source
        part = Part(source.with_text(texts.get(_key(source), source.text)), checked.part.folder)
        if _meaning(analysis.check(part, files)) != _meaning(checked):
            return False
    return True


def _key(source: Source) -> tuple[str, int]:
    return source.name, source.line_offset


def _texts(found: Sequence[Span], name: str) -> Iterator[tuple[tuple[str, int], str]]:
    """The texts with the new name."""
    for key in {_key(span.source) for span in found}:
        spans = sorted((span for span in found if _key(span.source) == key), key=lambda span: -span.start)
        text = spans[0].source.text
        for span in spans:
            text = text[: span.start] + name + text[span.end :]
        yield key, text


def _meaning(checked: Checked) -> tuple[list[str], list[int], list[int]]:
    """Return the data that a renaming must preserve: the errors, which names are the same, and which fields."""
    numbers: dict[Symbol, int] = {}
    same = [numbers.setdefault(m.symbol, len(numbers)) for m in checked.index.names.mentions]
    fields: dict[tuple[str, frozenset[str]], int] = {}
    named = [fields.setdefault((f.span.text, f.record), len(fields)) for f in fields_named(checked.index)]
    return [d.code for d in checked.result.diagnostics], same, named
