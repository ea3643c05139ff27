"""The programs that are open in an editor, checked: after a change only the modules that it concerns.

What is open takes the place of what is on disk. Read next: `index`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.lsp.documents import Part, parts
from dsl.lsp.fields import FieldMention, fields_named
from dsl.lsp.index import Index
from dsl.lsp.names import Mention, Symbol
from dsl.syntax.versions import Document, Version
from dsl.witnesses import check_source
from typechecker import CheckCache, CheckResult
from typechecker.declarations.entities import Module


class Checked:
    """A program as it was checked."""

    def __init__(self, part: Part, result: CheckResult) -> None:
        self.part = part
        self.result = result
        assert result.main is not None
        self.main = result.main

    @cached_property
    def index(self) -> Index:
        """The index of its text."""
        return Index(self.main, self.result.modules)

    def tried(self, text: str, offset: int) -> Index | None:
        """The index of a text that differs in the definition at an offset. Nothing is known of the types in one that
        cannot be read; None for another declaration, and where others have to be checked first."""
        trial = self.result.trial(text, offset)
        return None if trial is None else self.index.trying(trial.node, trial.info)

    @property
    def imported(self) -> frozenset[str]:
        """The files of the modules it imports, and of those these import."""
        return frozenset([source.name for source in self.result.imported.values() if source is not None])


class Analysis:
    """All that is open, by path. A check ends when `enough` returns true and what was edited is checked; it is not
    `finished` then."""

    def __init__(self) -> None:
        self._cache = CheckCache()
        self._texts: dict[Path, Source] = {}
        self._documents: dict[Path, Document] = {}
        self._checked: dict[Path, tuple[Checked, ...]] = {}
        self._indexed: set[Path] = set()
        self.enough: Callable[[], bool] = bool

    # ------------------------------------------------------------ texts

    def open(self, path: Path, text: str) -> None:
        """The text of a file from now on."""
        document = self._documents.setdefault(path, Document(str(path)))
        self._texts[path] = document.version(text)
        importing = [p for p, programs in self._checked.items() if any(str(path) in c.imported for c in programs)]
        for other in (path, *importing):
            self._checked.pop(other, None)
            self._indexed.discard(other)

    def close(self, path: Path) -> None:
        """Discard the editor's version of a file; the file on disk counts again."""
        self.open(path, "")
        del self._texts[path]

    def text(self, path: Path) -> str:
        """The text of a file, as it is open or on disk."""
        return self._texts[path].text if path in self._texts else path.read_text(encoding="utf-8")

    # ------------------------------------------------------------ programs

    def programs(self, path: Path) -> tuple[Checked, ...]:
        """The programs in a file, checked as the texts are now."""
        if path not in self._checked:
            source = self._texts.get(path) or Source(str(path), self.text(path))
            self._checked[path] = tuple([self.check(part) for part in parts(path, source)])
        return self._checked[path]

    def check(self, part: Part, changed: Mapping[Path, str] | None = None) -> Checked:
        """One program, with the texts that are open or `changed`."""
        texts = {**self._texts, **{path: Source(str(path), text) for path, text in (changed or {}).items()}}
        opened = dict(_modules(texts, part.folder)) if part.folder is not None else {}
        return Checked(part, check_source(part.source, opened, part.folder, self._cache, self.enough))

    @contextmanager
    def instead(self, checked: Checked, text: str, offset: int) -> Iterator[Index]:
        """A program with another text of the declaration at an offset, which is tried: places are those of that text
        inside. Of a definition nothing else is checked; any other declaration concerns those that name it."""
        part, source, tried = checked.part, checked.part.source, checked.tried(text, offset)
        if tried is not None:
            yield tried
        elif not isinstance(source, Version):
            yield self.check(Part(source.with_text(text), part.folder)).index
        else:
            try:
                yield self.check(Part(source.document.version(text), part.folder)).index
            finally:
                source.document.restore(source)

    def diagnostics(self, path: Path) -> list[Diagnostic]:
        """Return the diagnostics of a file itself."""
        found = (d for checked in self.programs(path) for d in checked.result.diagnostics)
        return [d for d in found if d.primary.span.source.name == str(path)]

    def finished(self, path: Path) -> bool:
        """Return whether nothing is left to be checked in a file."""
        return path in self._checked and not any(checked.main.waiting for checked in self._checked[path])

    def go_on(self, path: Path) -> None:
        """Take the check of a file up again if it has not finished."""
        if not self.finished(path):
            self._checked.pop(path, None)
            self._indexed.discard(path)

    def stale(self) -> list[Path]:
        """The open files whose programs have to be checked, again or further."""
        return [path for path in self._texts if not self.finished(path)]

    def near(self, path: Path) -> list[Checked]:
        """The programs in a file, in all that are open, and in the files of its folder: where its names may stand."""
        return [checked for other in self._near(path) for checked in self.programs(other)]

    def index_one(self, path: Path) -> bool:
        """Check and index one of the files near a file that has not been; return whether there was one. A file that
        cannot be read is left to the request that needs it."""
        waiting = next((other for other in self._near(path) if other not in self._indexed), None)
        if waiting is None:
            return False
        self._indexed.add(waiting)
        for checked in self._readable(waiting):
            _ = checked.index.names
        return True

    def _near(self, path: Path) -> list[Path]:
        beside = sorted(path.parent.glob("[!.]*.dsl")) if path.suffix == ".dsl" else []
        return list(dict.fromkeys([path, *self._texts, *beside]))

    def mentions(self, path: Path, symbol: Symbol) -> list[Mention]:
        """Every mention of a symbol in the programs near a file and in the modules they import."""
        return [mention for _, mention in self.indexed_mentions(path, symbol)]

    def indexed_mentions(self, path: Path, symbol: Symbol) -> list[tuple[Index, Mention]]:
        """Every mention of a symbol near a file, with the index of the module that it stands in."""
        found: dict[tuple[str, int, int, int], tuple[Index, Mention]] = {}
        seen: set[Module] = set()
        for checked in self.near(path):
            for index in _indices(checked, seen):
                for mention in index.names.mentions:
                    if same(mention.symbol, symbol):
                        found[*_place(mention.span), mention.span.end] = index, mention
        return list(found.values())

    def fields(self, path: Path, field: FieldMention) -> list[FieldMention]:
        """Every place near a file that names a field."""
        seen: set[Module] = set()
        indices = (index for checked in self.near(path) for index in _indices(checked, seen))
        found = (each for index in indices for each in fields_named(index) if each.same(field))
        return list({_place(each.span): each for each in found}.values())

    def opened(self) -> list[Checked]:
        """The programs in all open files and in the files of their folders that can be read, each once."""
        near = dict.fromkeys(other for path in self._texts for other in self._near(path))
        return [checked for path in near for checked in self._readable(path)]

    def _readable(self, path: Path) -> tuple[Checked, ...]:
        with suppress(OSError, UnicodeError):
            return self.programs(path)
        return ()


def _modules(texts: Mapping[Path, Source], folder: Path) -> Iterator[tuple[str, Source]]:
    """The open files in a folder, under the names by which programs there import them."""
    for path, source in texts.items():
        name = _name(path, folder)
        if name is not None:
            yield name, source


@lru_cache(maxsize=4096)
def _name(path: Path, folder: Path) -> str | None:
    """The name by which programs in a folder import a file."""
    if path.suffix != ".dsl" or not path.is_relative_to(folder):
        return None
    return ".".join(path.relative_to(folder).with_suffix("").parts)


def _indices(checked: Checked, seen: set[Module]) -> Iterator[Index]:
    """Yield the indexes of a program and of its imports that are not yet among `seen`, and mark them as seen."""
    modules, todo = checked.result.modules, [checked.main]
    while todo:
        module = todo.pop()
        if module not in seen and not module.source.in_library:
            seen.add(module)
            todo += [modules[name] for name in module.used if name in modules]
            yield checked.index if module is checked.main else Index(module, modules)


def same(one: Symbol, other: Symbol) -> bool:
    """Return whether two symbols are one: modules that were checked at different times have texts of their own."""
    return one.name == other.name and _place(one.span) == _place(other.span)


def _place(span: Span) -> tuple[str, int, int]:
    return span.source.name, span.source.line_offset, span.start
