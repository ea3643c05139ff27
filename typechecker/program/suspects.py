"""Suspects: the definitions whose transformations may be refused, asked of Core.

A transformation is refused for what it meets: an operation without a derivative, a rule of the user's, a result without
an axis. A definition is suspect if it leads to both, or to a transformation that its own options can refuse. What is
refused only an instance of the definition tells. Read next: `dsl.witnesses`.
"""

from __future__ import annotations

from enum import Flag, auto

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


_MAY_REFUSE = frozenset({core.Global, core.Transform, core.TransformCall, core.Intrinsic})


class _Leads(Flag):
    """Where a definition leads: to a transformation, to what may refuse one, to one that may be refused for itself, to
    a definition with an error."""

    NOWHERE = 0
    TRANSFORMS = auto()
    OBSTACLE = auto()
    ALONE = auto()
    FAULTY = auto()

    @property
    def suspect(self) -> bool:
        both = _Leads.TRANSFORMS | _Leads.OBSTACLE
        return _Leads.FAULTY not in self and (_Leads.ALONE in self or both in self)


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
        bodies = [(info, self.program.checked(module.name, info.name)) for info in found]
        return [info for info, body in bodies if body is not None and not body.static]

    def _leads(self, module: str, name: str) -> _Leads:
        """Where all definitions lead that one reaches."""
        whole, seen, todo = _Leads.NOWHERE, set[tuple[str, str]](), [(module, name)]
        while todo:
            each = todo.pop()
            if each not in seen:
                seen.add(each)
                known = self._known.get(each)
                found, following = (known, []) if known is not None else self._own(*each)
                whole |= found
                todo += following
        self._known[module, name] = whole
        return whole

    def is_suspect(self, body: core.Expr) -> bool:
        """Return whether an expression leads where a transformation may be refused."""
        whole, mentioned = self._in(body)
        for module, name in mentioned:
            whole |= self._leads(module, name)
        return whole.suspect

    def _own(self, module: str, name: str) -> tuple[_Leads, list[tuple[str, str]]]:
        """Where a definition leads by itself, and those of the program that it mentions."""
        owner = self.program.modules[module]
        if self.program.is_library(owner):
            return self._library(owner, name), []
        body = self._body(owner, name)
        return (_Leads.FAULTY, []) if body is None else self._in(body)

    def _in(self, body: core.Expr) -> tuple[_Leads, list[tuple[str, str]]]:
        whole, mentioned = _Leads.NOWHERE, list[tuple[str, str]]()
        for node in subexpressions(body):
            if isinstance(node, core.Global):
                mentioned.append((node.module, node.name))
            elif node.type == ERROR:
                whole |= _Leads.FAULTY
            elif type(node) in _MAY_REFUSE:
                whole |= _node(node)
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
            return self.program.is_library(owner) and _Leads.OBSTACLE in self._library(owner, node.name)
        return bool(_node(node) & (_Leads.OBSTACLE | _Leads.ALONE))

    def _library(self, owner: Module, name: str) -> _Leads:
        known = self._known.get((owner.name, name))
        if known is None:
            info = owner.definitions.get(name)
            known = self._known[owner.name, name] = _Leads.NOWHERE if info is None else self._of_library(owner, info)
        return known

    def _of_library(self, owner: Module, info: Definition) -> _Leads:
        without = Attribute.NO_DERIVATIVE in info.attributes or info.name in self._reverse_rules(owner)
        takes = info.signature is None or any(holds_function(p.type) for p in info.signature.params)
        transforms = _Leads.TRANSFORMS if takes else _Leads.NOWHERE
        return transforms | (_Leads.OBSTACLE if without else _Leads.NOWHERE)

    def _reverse_rules(self, owner: Module) -> frozenset[str]:
        """The definitions of a module of the library that have a derivative in reverse mode alone."""
        found = self._reverse.get(owner.name)
        if found is None:
            texts = owner.source.text.split("\ndef ")[1:] if Kind.CUSTOM_VJP in owner.source.text else []
            names = [text.partition("(")[0].partition("[")[0] for text in texts if Kind.CUSTOM_VJP in text]
            found = self._reverse[owner.name] = frozenset(names)
        return found


def _node(node: core.Expr) -> _Leads:
    match node:
        case core.Transform(kind=kind, options=options):
            leads = _Leads.TRANSFORMS if mode_of(kind) is not None or is_map(kind) else _Leads.NOWHERE
            if kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
                leads |= _Leads.OBSTACLE
            if kind in (Kind.CUSTOM_JVP, Kind.SHARD) or (is_map(kind) and _may_lack_axis(dict(options))):
                leads |= _Leads.ALONE
            return leads
        case core.TransformCall():
            return _Leads.TRANSFORMS
        case core.Intrinsic(name=name) if name == _WHOLE or (name in SLOPES and SLOPES[name].without):
            return _Leads.OBSTACLE
        case _:
            return _Leads.NOWHERE


def _may_lack_axis(options: dict[str, core.Expr]) -> bool:
    """Return whether an option may say that a result has no axis."""
    axes = options.get("out_axes")
    leaves = () if axes is None else subexpressions(axes)
    return any(not isinstance(leaf, core.Tuple | core.Record) and not _is_number(leaf) for leaf in leaves)


def _is_number(leaf: core.Expr) -> bool:
    return isinstance(leaf, core.SizeOf) or (isinstance(leaf, core.Const) and leaf.value is not None)
