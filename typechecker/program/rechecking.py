"""Checking an edited text again: of its declarations, only what an edit concerns.

A declaration keeps its check if it was not edited and nothing that this check looked at is different now (`Reads`).
Declarations are taken in the order in which they mention each other, those that mention each other in a circle
together; once one has been checked again, what others see of it is compared with what they saw before. Read next:
`loading`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.versions import Slot, Version
from dsl.syntax.walk import pattern_names
from typechecker.declarations.cache import digest_of, seen_of
from typechecker.declarations.dependencies import components
from typechecker.declarations.entities import Analysed, Definition, Mentioned, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.reads import WHOLE, Read
from typechecker.env.known_parts import is_written_in_place
from typechecker.types.type_expressions import Alias

Check = Callable[[ProgramChecker, Module, str], None]
"""How a declaration with a name is checked."""

INPUTS = ("definitions", "constants", "aliases", "enums", "variants", "effects", "imports", "borrowed")
"""The tables of a module that hold what is written; the others hold what was found out."""

TABLES = (*INPUTS, "overloads", "values", "checked_constants", "enum_infos", "alias_types")
"""The tables of a module whose readers are noted."""


class Rechecking:
    """The check of a version of a text. `before` is the module as an earlier version was checked, if that can be used.
    `checked` are the names of the declarations that were checked, in order. When `enough` says so, the check ends with
    some declarations `waiting`, which keep what was known of them: the next check goes on with them."""

    def __init__(
        self,
        program: ProgramChecker,
        module: Module,
        before: Module | None,
        check: Check,
        enough: Callable[[], bool] = bool,
    ) -> None:
        assert isinstance(module.source, Version)
        self._program = program
        self._module = module
        self._version = module.source
        self._before = before
        self._check = check
        self._enough = enough
        self._slots = _declaring(self._version)
        self._fresh = dict(module.definitions)
        self._changed: set[Read] = set()
        self.checked: list[str] = []

    def check(self, order: Callable[[Module], Sequence[str]]) -> None:
        """Check all declarations, those that mention each other in a certain order."""
        program, module = self._program, self._module
        begun = len(program.reports)
        program.apart = True
        kept = self._keep()
        for names in components(self._mentioned()):
            if names <= kept and not self._concerned(names):
                continue
            if names <= kept and self._enough():
                module.waiting |= names
            else:
                self._again(sorted(names, key=order(module).index) if len(names) > 1 else [*names])
        program.apart = False
        self._note_reports(program.reports.all[begun:])
        module.unknown = dict(module.scope.names)
        written = (is_written_in_place(term.known) for term in module.values.values())
        module.repeatable = not program.memo.exploding and not any(written)

    def _keep(self) -> set[str]:
        """Put what was known of declarations that were not edited in place, and note which names mean something else.
        Return the names of these declarations."""
        module, before = self._module, self._before
        if before is None:
            return set()
        for kind in INPUTS:
            self._changed.update(_differing(kind, getattr(before, kind), getattr(module, kind)))
        self._changed.update(_differing("names", before.unknown, module.scope.names))
        infos = dict(before.definitions)
        kept = {name for name, info in self._fresh.items() if name in infos and same_definition(infos[name], info)}
        module.definitions.update((name, infos[name]) for name in kept)
        return kept | {name for name in self._slots if name not in self._fresh and self._restored(before, name)}

    def _restored(self, before: Module, name: str) -> bool:
        module = self._module
        if name in module.effects:
            old = before.effects.get(name)
            if old is None or old.head.place != module.effects[name].head.place:
                return False
            module.effects[name] = old
        elif name not in before.tasks or any((kind, name) in self._changed for kind in INPUTS):
            return False
        else:
            module.tasks[name] = before.tasks[name]
            for table in ("values", "checked_constants", "enum_infos", "alias_types"):
                if name in getattr(before, table):
                    getattr(module, table)[name] = getattr(before, table)[name]
        return True

    def _mentioned(self) -> Mapping[str, Sequence[str]]:
        """By declared name, the declared names that occur in its declaration."""
        module, before = self._module, self._before
        declared = {**dict(module.variants), **{name: name for name in self._slots}}
        known = before.mentioned if before is not None and before.mentioned.declared == declared else Mentioned()
        for slot in self._slots.values():
            module.mentioned.by_slot[slot] = known.by_slot.get(slot) or tuple(
                dict.fromkeys([declared[word] for word in slot.words if word in declared])
            )
        module.mentioned.declared = declared
        return {name: module.mentioned.by_slot[slot] for name, slot in self._slots.items()}

    def _reads(self, name: str) -> set[Read]:
        module = self._module
        info = (self._fresh.get(name) and module.definitions[name]) or module.effects.get(name)
        task = module.tasks[name] if info is None else info.task
        return task.reads or set()

    def _concerned(self, names: Iterable[str]) -> bool:
        waiting = frozenset() if self._before is None else self._before.waiting
        return not all(name not in waiting and self._reads(name).isdisjoint(self._changed) for name in names)

    def _again(self, names: Iterable[str]) -> None:
        """Check declarations, and note what others see of them now that they did not see before."""
        module = self._module
        for name in names:
            if name in self._fresh:
                module.definitions[name] = self._fresh[name]
            for table in (module.tasks, module.values, module.checked_constants, module.enum_infos, module.alias_types):
                table.pop(name, None)
        for name in names:
            self.checked.append(name)
            self._check(self._program, module, name)
        if self._before is not None:
            for name in names:
                self._changed.update(self._seen_to_differ(self._before, name))

    def _seen_to_differ(self, before: Module, name: str) -> Iterator[Read]:
        module = self._module
        yield WHOLE, name
        yield "checked_constants", name
        old, new = before.definitions.get(name), module.definitions.get(name)
        if new is not None:
            if old is None or seen_of(old) != seen_of(new) or (old.cycle, old.faulty) != (new.cycle, new.faulty):
                yield "definitions", name
        elif name in module.constants:
            if name not in before.values or digest_of(before.values[name]) != digest_of(module.values.get(name)):
                yield from (("constants", name), ("values", name))
        elif name in module.enums:
            if before.enum_infos.get(name) != module.enum_infos.get(name):
                yield from (("enums", name), ("enum_infos", name))
        else:
            yield from ((table, name) for table in ("aliases", "alias_types", "effects"))

    # ------------------------------------------------------------ analyses of all definitions

    def findings(
        self, analysis: Callable[[ProgramChecker, core.Function], Iterable[Diagnostic]]
    ) -> Iterator[Diagnostic]:
        """Yield the findings of an analysis in every definition."""
        module = self._module
        for name, info in module.definitions.items():
            key = analysis.__name__, name
            known = None if self._before is None else self._before.analysed.get(key)
            if known is None or known.info is not info or not known.reads.isdisjoint(self._changed):
                if known is not None and known.info is info and self._enough():
                    module.waiting.add(name)
                else:
                    known = self._analysed(info, analysis)
            module.analysed[key] = known
            yield from known.found

    def _analysed(
        self, info: Definition, analysis: Callable[[ProgramChecker, core.Function], Iterable[Diagnostic]]
    ) -> Analysed:
        reads: set[Read] = set()
        with self._program.library.reads.noted_in(reads):
            found = () if info.checked is None else tuple(analysis(self._program, info.checked))
        return Analysed(info, reads, found)

    # ------------------------------------------------------------ what was reported

    def _note_reports(self, found: Sequence[Diagnostic]) -> None:
        """File what was reported under the declaration that it is in, and report again what was kept."""
        module, before = self._module, self._before
        again = [self._slots[name] for name in self.checked]
        for slot in self._slots.values():
            known = [] if before is None or slot in again else before.reports.get(slot, [])
            module.reports[slot] = [d for d in known if not any(self._is_new(p, again) for p in _places(d))]
        for diagnostic in [each for reports in module.reports.values() for each in reports]:
            self._program.reports.add(diagnostic)
        for diagnostic in found:
            place = self._slot_of(diagnostic.primary.span)
            if place is not None and diagnostic not in module.reports.setdefault(place, []):
                module.reports[place].append(diagnostic)
        for slot, reports in module.reports.items():
            for diagnostic in reports:
                self._depend_on_places(slot, diagnostic)

    def _is_new(self, place: Span, again: Sequence[Slot]) -> bool:
        """Return whether a place is in a declaration that was edited or checked again: a report that shows it may
        be the report of that declaration, in another."""
        slot = self._slot_of(place)
        return slot is not None and (slot.now is None or slot in again)

    def _depend_on_places(self, slot: Slot, diagnostic: Diagnostic) -> None:
        """A report that shows a place in another declaration holds as long as that place does."""
        own = [name for name, other in self._slots.items() if other is slot]
        for place in _places(diagnostic):
            other = self._slot_of(place)
            if other is not None and other is not slot:
                shown = {(WHOLE, name) for name, each in self._slots.items() if each is other}
                for name in own:
                    self._reads(name).update(shown)

    def _slot_of(self, span: Span) -> Slot | None:
        source = span.source
        if not isinstance(source, Version) or source.document is not self._version.document:
            return None
        return source.slot_at(span.start)[0]


def _declaring(version: Version) -> dict[str, Slot]:
    """The declarations of a version by the names that they declare, each name at its first declaration."""
    found: dict[str, Slot] = {}
    for slot in version.contents.slots:
        for name in declared(slot.node):
            found.setdefault(name, slot)
    return found


def declared(node: ast.Declaration | None) -> Sequence[str]:
    """The names that a declaration declares and that are checked by themselves."""
    match node:
        case ast.Def(name=name) | ast.TypeAliasDecl(name=name) | ast.EnumDecl(name=name) | ast.EffectDecl(name=name):
            return (name.name,)
        case ast.Let(pattern=pattern):
            return tuple([name.name for name in pattern_names(pattern)])
        case _:
            return ()


def same_definition(old: Definition, new: Definition) -> bool:
    """Return whether a definition was not edited, and calls lead back to it as before."""
    return old.written is new.written and old.cycle == new.cycle


def _differing(kind: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[Read]:
    """The names that mean something else than before, as far as that is said by what is written."""
    names = dict(old).keys() ^ dict(new).keys()
    if names:
        yield kind, None
    yield from ((table, name) for name in names for table in (kind, WHOLE))
    if kind not in ("definitions", "effects", "names"):
        before = dict(old)
        yield from ((kind, name) for name, value in dict(new).items() if not _same(before.get(name), value))


def _same(old: object, new: object) -> bool:
    if isinstance(old, Alias) and isinstance(new, Alias):
        return old.value is new.value and old.cyclic == new.cyclic
    return old is new if isinstance(new, ast.EnumDecl | ast.Let) else old == new


def _places(diagnostic: Diagnostic) -> Iterator[Span]:
    yield from (label.span for label in diagnostic.secondary)
    yield from (edit.span for advice in diagnostic.help for fix in advice.fixes for edit in fix.edits)
