"""Suspects: the definitions whose transformations may be refused, asked of Core.

A transformation is refused for what it meets: an operation without a derivative, a rule of the user's, a result without
an axis. A definition is suspect if it leads to both, or to a transformation that its own options can refuse. What is
refused only an instance of the definition tells. Read next: `dsl.witnesses`.
"""

from __future__ import annotations

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind, is_map, mode_of
from dsl.core.walk import subexpressions
from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Span
from dsl.ir.slopes import SLOPES
from dsl.types.type import ERROR
from typechecker.declarations.entities import Attribute, Definition, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.types.predicates import holds_function

_WHOLE = "with_sharding"
"""Speaks of whole arrays, of which a function of one part has none."""


_MAY_REFUSE = frozenset({core.Global, core.Transform, core.Intrinsic})


class _Leads(Struct, frozen=True):
    """Where a definition leads: to a transformation, to what may refuse one, to one that may be refused for itself; and
    whether it leads to a definition with an error."""

    transforms: bool = False
    obstacle: bool = False
    alone: bool = False
    faulty: bool = False

    def joined(self, other: _Leads) -> _Leads:
        return _Leads(
            self.transforms or other.transforms,
            self.obstacle or other.obstacle,
            self.alone or other.alone,
            self.faulty or other.faulty,
        )

    @property
    def suspect(self) -> bool:
        return not self.faulty and (self.alone or (self.transforms and self.obstacle))


def holds_obstacle(program: ProgramChecker, module: Module) -> bool:
    """Return whether something in a module may refuse a transformation."""
    asked = Suspects(program)
    return any(_obstructs(asked, info) for info in module.definitions.values()) or any(
        _holds(asked, constant.value) for constant in module.checked_constants.values()
    )


def _obstructs(asked: Suspects, info: Definition) -> bool:
    """Return whether something in a body may refuse a transformation, which is looked for once: this depends on nothing
    else but the library."""
    if info.obstructs is None:
        found = asked.program.checked(info.module, info.name)
        info.obstructs = found is not None and _holds(asked, found.body)
    return info.obstructs


def _holds(asked: Suspects, body: core.Expr) -> bool:
    return any(asked.refuses(node) for node in subexpressions(body) if type(node) in _MAY_REFUSE)


class Suspects:
    """The suspects of one program; each definition is asked once."""

    def __init__(self, program: ProgramChecker) -> None:
        self.program = program
        self._known: dict[tuple[str, str], _Leads] = {}
        self._reverse: dict[str, frozenset[str]] = {}
        self._errors: dict[str, list[Span]] = {}

    def of(self, module: Module) -> list[Definition]:
        """The suspects among the definitions of a module."""
        found = [info for name, info in module.definitions.items() if self._leads(module.name, name).suspect]
        return [info for info in found if info.checked is not None and not info.checked.static]

    def _leads(self, module: str, name: str) -> _Leads:
        """Where all definitions lead that one reaches."""
        reached: dict[tuple[str, str], _Leads] = {}
        todo = [(module, name)]
        while todo:
            each = todo.pop()
            if each not in reached:
                known = self._known.get(each)
                found, following = (known, []) if known is not None else self._own(*each)
                reached[each] = found
                todo += following
        whole = _Leads()
        for found in reached.values():
            whole = whole.joined(found)
        self._known[module, name] = whole
        return whole

    def is_suspect(self, body: core.Expr) -> bool:
        """Return whether an expression leads where a transformation may be refused."""
        whole, mentioned = self._in(body)
        for module, name in mentioned:
            whole = whole.joined(self._leads(module, name))
        return whole.suspect

    def _own(self, module: str, name: str) -> tuple[_Leads, list[tuple[str, str]]]:
        """Where a definition leads by itself, and those of the program that it mentions."""
        owner = self.program.modules[module]
        if self.program.is_library(owner):
            return self._library(owner, name), []
        body = self._body(owner, name)
        return (_Leads(faulty=True), []) if body is None else self._in(body)

    def _in(self, body: core.Expr) -> tuple[_Leads, list[tuple[str, str]]]:
        whole, mentioned = _NOTHING, list[tuple[str, str]]()
        for node in subexpressions(body):
            if isinstance(node, core.Global):
                mentioned.append((node.module, node.name))
            else:
                found = _FAULTY if node.type == ERROR else _node(node)
                whole = whole if found is _NOTHING else whole.joined(found)
        return whole, mentioned

    def _body(self, owner: Module, name: str) -> core.Expr | None:
        info = owner.definitions.get(name)
        if info is None:
            constant = self.program.checked_constant(owner.name, name)
            return None if constant is None else constant.value
        found = self.program.checked(owner.name, name)
        return None if found is None or info.faulty or self._reported_in(owner, info.head.whole) else found.body

    def _reported_in(self, owner: Module, whole: Span) -> bool:
        """Return whether an error has been reported inside of a declaration."""
        if owner.name not in self._errors:
            found = owner.found or self.program.reports.all
            places = [d.primary.span for d in found if d.severity is Severity.ERROR]
            self._errors[owner.name] = [at for at in places if at.source is owner.source]
        return any(whole.start <= at.start <= whole.end for at in self._errors[owner.name])

    def refuses(self, node: core.Expr) -> bool:
        """Return whether an expression may by itself refuse a transformation."""
        if isinstance(node, core.Global):
            owner = self.program.modules[node.module]
            return self.program.is_library(owner) and self._library(owner, node.name).obstacle
        found = _node(node)
        return found.obstacle or found.alone

    def _library(self, owner: Module, name: str) -> _Leads:
        known = self._known.get((owner.name, name))
        if known is None:
            info = owner.definitions.get(name)
            known = self._known[owner.name, name] = _Leads() if info is None else self._of_library(owner, info)
        return known

    def _of_library(self, owner: Module, info: Definition) -> _Leads:
        without = Attribute.NO_DERIVATIVE in info.attributes or info.name in self._reverse_rules(owner)
        takes = info.signature is None or any(holds_function(p.type) for p in info.signature.params)
        return _Leads(transforms=takes, obstacle=without)

    def _reverse_rules(self, owner: Module) -> frozenset[str]:
        """The definitions of a module of the library that have a derivative in reverse mode alone."""
        found = self._reverse.get(owner.name)
        if found is None:
            texts = owner.source.text.split("\ndef ")[1:] if Kind.CUSTOM_VJP in owner.source.text else []
            names = [text.partition("(")[0].partition("[")[0] for text in texts if Kind.CUSTOM_VJP in text]
            found = self._reverse[owner.name] = frozenset(names)
        return found


_NOTHING, _FAULTY, _TRANSFORMS, _OBSTACLE = (
    _Leads(),
    _Leads(faulty=True),
    _Leads(transforms=True),
    _Leads(obstacle=True),
)


def _node(node: core.Expr) -> _Leads:
    match node:
        case core.Transform(kind=kind, options=options):
            rules = kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP)
            alone = kind in (Kind.CUSTOM_JVP, Kind.SHARD) or (is_map(kind) and _may_lack_axis(dict(options)))
            return _Leads(transforms=mode_of(kind) is not None or is_map(kind), obstacle=rules, alone=alone)
        case core.TransformCall():
            return _TRANSFORMS
        case core.Intrinsic(name=name) if name == _WHOLE or _has_none(name):
            return _OBSTACLE
        case _:
            return _NOTHING


def _has_none(intrinsic: str) -> bool:
    slope = SLOPES.get(intrinsic)
    return slope is not None and bool(slope.without)


def _may_lack_axis(options: dict[str, core.Expr]) -> bool:
    """Return whether an option may say that a result has no axis."""
    axes = options.get("out_axes")
    leaves = () if axes is None else subexpressions(axes)
    return any(not isinstance(leaf, core.Tuple | core.Record) and not _is_number(leaf) for leaf in leaves)


def _is_number(leaf: core.Expr) -> bool:
    return isinstance(leaf, core.SizeOf) or (isinstance(leaf, core.Const) and leaf.value is not None)
