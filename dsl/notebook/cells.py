"""The cells of a notebook, checked: one program made of the declarations of all cells, and those that have a name.

A declaration that no longer fits after a change is refused: it is left out, with the reason, until it fits again. A
cell that is wrong by itself changes nothing. Knows neither IPython nor the names of Python. Read next: `chunks`,
`magics`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from re import findall
from types import MappingProxyType

from msgspec import Struct

from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.message import Diagnostic, Severity
from dsl.diagnostics.source import Source
from dsl.host.checking.known_checks import Check
from dsl.host.programs.program import Modules, Program, begin_check, checked_program
from dsl.lsp.index import Index
from dsl.notebook.chunks import Chunk, Text, chunks_of, joined
from dsl.records import replace
from dsl.syntax.parse import parse
from dsl.syntax.sources import embedded_source

Reasons = tuple[Diagnostic, ...]
NO_PROGRAMS: Mapping[str, Program] = MappingProxyType({})
NO_REASONS: Mapping[str, Reasons] = MappingProxyType({})


class Outcome(Struct, frozen=True):
    """The effect of a cell. `program` is that of all cells without a name, if it has changed, and `programs` are those
    of named cells. `declared`, `again`, `fits` and `refused` are names: of the cell, of what depends on these and was
    checked again, of what fits again, and of what no longer fits, with the reasons."""

    program: Program | None
    declared: tuple[str, ...]
    programs: Mapping[str, Program] = NO_PROGRAMS
    again: tuple[str, ...] = ()
    fits: tuple[str, ...] = ()
    refused: Mapping[str, Reasons] = NO_REASONS
    warnings: Reasons = ()


class Settled(Struct, frozen=True):
    """A text without errors, its check, and the chunks that were left out."""

    text: Text
    check: Check
    refused: Mapping[Chunk, Reasons]


class Cells:
    """The cells that were run so far; what they import is looked for in `folder` after the named cells."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._settled = Settled(joined(()), begin_check(joined(()).source, folder), {})
        self._order: tuple[Chunk, ...] = ()
        self._named: dict[str, Source] = {}
        self._bad: dict[str, Reasons] = {}

    @property
    def modules(self) -> Mapping[str, Source]:
        """The texts of the named cells."""
        return self._named

    def text_around(self, cell: Source) -> Text:
        """Return the text of the other cells as a cell that declares the same names would leave it."""
        names = _names(chunks_of(parse(cell)[0]))
        return joined([chunk for chunk in self._settled.text.chunks if not names & {*chunk.names}])

    # ------------------------------------------------------------ cells without a name

    def run(self, text: str, title: str) -> Outcome:
        """Declare what a cell declares. Raises `DslError` if it is wrong; then nothing has changed."""
        new = _parsed(text, title)
        names = _names(new)
        kept = _replaced(self._order, new, names)
        settled = self._settle(kept, {*new})
        again = _dependents(settled, names, _changed_modules(self._settled, settled))
        outcome = self._take(kept, settled, [chunk for chunk in again if chunk not in new], {*new})
        warnings = [d.placed for d in settled.check.diagnostics if settled.text.chunk_at(d.primary.span.start) in new]
        declared = tuple([name for chunk in new for name in chunk.names])
        return replace(outcome, declared=declared, warnings=tuple(warnings))

    def _settle(self, chunks: Sequence[Chunk], new: Collection[Chunk]) -> Settled:
        """Leave out the chunks with errors until there are none. Raises `DslError` where they are in new ones."""
        refused: dict[Chunk, Reasons] = {}
        while True:
            text = joined([chunk for chunk in chunks if chunk not in refused])
            check = begin_check(text.source, self.folder, self._modules(self._named))
            errors = _errors(check)
            if not errors:
                return Settled(text, check, refused)
            found = _by_chunk(text, errors)
            own = [error for chunk, reasons in found.items() if chunk in new for error in reasons]
            if own:
                raise error_for([*own, *_behind(refused, new)])
            refused |= found

    def _take(
        self, order: tuple[Chunk, ...], settled: Settled, again: Sequence[Chunk], new: Collection[Chunk]
    ) -> Outcome:
        """Make a settled text that of the notebook, and say what is different."""
        before = self._settled.refused
        fits = [chunk for chunk in before if chunk in order and chunk not in settled.refused]
        refused = {chunk: reasons for chunk, reasons in settled.refused.items() if chunk not in before}
        self._order, self._settled = order, settled
        return Outcome(
            checked_program(settled.check, settled.text.source, self.folder, self._modules(self._named)),
            (),
            NO_PROGRAMS,
            tuple([name for chunk in again if chunk not in fits for name in chunk.names]),
            tuple([name for chunk in fits if chunk not in new for name in chunk.names]),
            {name: tuple([d.placed for d in reasons]) for chunk, reasons in refused.items() for name in chunk.names},
        )

    # ------------------------------------------------------------ cells with a name

    def run_named(self, name: str, text: str) -> Outcome:
        """Make a cell a module of this name, and check what imports it again. Raises `DslError` if it is wrong; then
        nothing has changed."""
        source = embedded_source(f"<{name}>", text, 1)
        program = self._checked(source, {k: s for k, s in self._named.items() if k != name})
        changed = name in self._named
        self._named[name] = source
        programs, bad = {name: program}, dict(self._bad)
        bad.pop(name, None)
        for other in self._importing(name) if changed else ():
            check = begin_check(self._named[other], self.folder, self._modules(self._named, other))
            errors = _errors(check)
            bad |= {other: tuple([d.placed for d in errors])} if errors else {}
            if not errors:
                bad.pop(other, None)
                programs[other] = self._checked(self._named[other], self._named)
        return self._with_named(programs, bad)

    def _with_named(self, programs: dict[str, Program], bad: dict[str, Reasons]) -> Outcome:
        name, *others = programs
        refused = {other: reasons for other, reasons in bad.items() if other not in self._bad}
        fits = [other for other in others if other in self._bad]
        again = [other for other in others if other not in fits]
        self._bad = bad
        if not any(chunk.imports for chunk in self._order):
            return Outcome(None, (name,), programs, tuple(again), tuple(fits), refused)
        settled = self._settle(self._order, ())
        modules = {*refused, *_changed_modules(self._settled, settled)}
        found = self._take(self._order, settled, _dependents(settled, set(), modules), ())
        again, fits = [*again, *found.again], [*fits, *found.fits]
        return Outcome(found.program, (name,), programs, tuple(again), tuple(fits), {**refused, **found.refused})

    def _importing(self, name: str) -> list[str]:
        """The named cells that import one, directly or not."""
        found = [name]
        for module in found:
            texts = ((other, source) for other, source in self._named.items() if other not in found)
            found += [other for other, source in texts if module in _imports(source)]
        return found[1:]

    def _checked(self, source: Source, modules: Mapping[str, Source]) -> Program:
        given = self._modules(modules)
        return checked_program(begin_check(source, self.folder, given), source, self.folder, given)

    def _modules(self, named: Mapping[str, Source], without: str = "") -> Modules:
        return tuple([(name, source) for name, source in sorted(named.items()) if name != without])


def _parsed(text: str, title: str) -> tuple[Chunk, ...]:
    """The declarations of a cell. Raises `DslError` where it cannot be read."""
    tree, problems = parse(embedded_source(f"<{title}>", text, 1))
    if problems:
        raise error_for(problems)
    return chunks_of(tree)


def _imports(source: Source) -> set[str | None]:
    return {chunk.imports for chunk in chunks_of(parse(source)[0])}


def _names(chunks: Iterable[Chunk]) -> set[str]:
    return {name for chunk in chunks for name in chunk.names}


def _replaced(order: Sequence[Chunk], new: Sequence[Chunk], names: Collection[str]) -> tuple[Chunk, ...]:
    """All chunks after a cell: those of its names are gone, its own are the last."""
    return (*[chunk for chunk in order if not {*chunk.names} & {*names}], *new)


def _errors(check: Check) -> list[Diagnostic]:
    return [d for d in check.diagnostics if d.severity is Severity.ERROR]


def _by_chunk(text: Text, errors: Sequence[Diagnostic]) -> dict[Chunk, Reasons]:
    """The errors of each chunk. One in a module that is imported belongs to the imports."""
    found: dict[Chunk, list[Diagnostic]] = {}
    for error in errors:
        span = error.primary.span
        own = span.source.text == text.source.text and span.source.name == text.source.name
        for chunk in [text.chunk_at(span.start)] if own else [each for each in text.chunks if each.imports]:
            found.setdefault(chunk, []).append(error)
    return {chunk: tuple(reasons) for chunk, reasons in found.items()}


def _behind(refused: Mapping[Chunk, Reasons], new: Iterable[Chunk]) -> list[Diagnostic]:
    """Why the declarations are refused whose names new ones mention."""
    texts = [chunk.cell.text[start:end] for chunk in new for start, end in chunk.stretches]
    words = {word for text in texts for word in findall(r"\w+", text)}
    return [reason for chunk, reasons in refused.items() if words & {*chunk.names} for reason in reasons]


def _changed_modules(before: Settled, after: Settled) -> set[str]:
    """The modules whose texts have changed, and those that import them, directly or not."""
    known, result = before.check.result.imported, after.check.result
    edited = [name for name, source in result.imported.items() if name in known and _text(source) != _text(known[name])]
    found = [each for name in edited for each in (name, f"./{name}")]  # the second stands before one of the library
    for name in found:
        others = (other for other, module in result.modules.items() if other not in found and name in module.used)
        found += [*others]
    return {*found}


def _text(source: Source | None) -> str:
    return "" if source is None else source.text


def _dependents(settled: Settled, names: Collection[str], modules: Collection[str]) -> list[Chunk]:
    """The chunks that mention some names or modules, or what mentions them, in order."""
    result, text = settled.check.result, settled.text
    if result.main is None or not (names or modules):
        return []
    uses: dict[Chunk, set[Chunk]] = {chunk: set() for chunk in text.chunks}
    reached = {chunk for chunk in text.chunks if {*chunk.names} & {*names} or chunk.imports in modules}
    for mention in Index(result.main, result.modules).names.mentions:
        if mention.symbol.module == result.main.name:
            uses[text.chunk_of(mention.symbol.span)].add(text.chunk_of(mention.span))
        elif mention.symbol.module in modules:
            reached.add(text.chunk_of(mention.span))
    found = [chunk for chunk in text.chunks if chunk in reached]
    for chunk in found:
        found += [user for user in text.chunks if user in uses[chunk] and user not in found]
    return [chunk for chunk in text.chunks if chunk in found and not chunk.imports and not {*chunk.names} & {*names}]
