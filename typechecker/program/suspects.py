"""Suspects: the definitions whose transformations may be refused, asked of Core.

A transformation is refused for what it meets: an operation without a derivative, a rule of the user's, a result without
an axis. A definition is suspect if it leads to both, or to a transformation that its own options can refuse. What is
refused only an instance of the definition tells. Read next: `judgements`; `dsl.witnesses`.
"""

from __future__ import annotations

from itertools import chain

from dsl.core import core
from dsl.core.reachability import expressions_of
from dsl.core.transformation import Kind, is_map, mode_of
from dsl.core.walk import subexpressions
from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Span
from dsl.ir.slopes import SLOPES
from dsl.types.type import ERROR
from typechecker.declarations.entities import Attribute, Key, Leads, Led, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.types.predicates import holds_function

_WHOLE = "with_sharding"
"""Speaks of whole arrays, of which a function of one part has none."""
_MAY_LEAD = frozenset({core.Transform, core.TransformCall, core.Intrinsic})


class Suspects:
    """The suspects of one program, by what has been reported so far."""

    def __init__(self, program: ProgramChecker) -> None:
        self.program = program
        self._reported = program.reports.all
        self._own: dict[Key, Led] = {}
        self._reverse: dict[str, frozenset[str]] = {}
        self._errors: dict[str, list[Span]] = {}

    def has_obstacle(self, module: Module) -> bool:
        """Return whether something in a module may refuse a transformation."""
        names = (*module.definitions, *module.checked_constants)
        own = (self._led(module.name, name) for name in names)
        return any(led.leads & (Leads.OBSTACLE | Leads.ALONE) for led in own if led is not None)

    def is_suspect(self, function: core.Function) -> bool:
        """Return whether a definition, perhaps as Python applies it, leads where a transformation may be refused."""
        own = self._led(function.module, function.name)
        whole, seen = Leads.NOWHERE, set[Key]()
        todo: list[Led | None] = [own if own is not None and own.of is function else self._led_by(function)]
        while todo:
            led = todo.pop()
            whole |= Leads.FAULTY if led is None else led.leads
            new = set() if led is None else {*led.mentioned} - seen
            seen |= new
            todo += [self._led(*key) for key in new]
        seen.add((function.module, function.name))
        return whole.suspect and not any(self._is_faulty(*key) for key in seen)

    def _led(self, module: str, name: str) -> Led | None:
        """Where a declaration leads by itself, which is looked for once; None if it has no Core."""
        info = self.program.modules[module].definitions.get(name)
        constant = self.program.checked_constant(module, name)
        of = self.program.checked(module, name) if constant is None else constant
        known = self._own.get((module, name)) if info is None else info.led
        if of is not None and (known is None or known.of is not of):
            known = self._own[module, name] = self._led_by(of)
            if info is not None:
                info.led = known
        return None if of is None else known

    def _led_by(self, of: core.Function | core.Constant) -> Led:
        leads, mentioned = Leads.NOWHERE, dict[Key, None]()
        for node in chain(*map(subexpressions, expressions_of(of))):
            if isinstance(node, core.Global):
                owner = self.program.modules[node.module]
                if self.program.is_library(owner):
                    leads |= self._library(owner, node.name)
                else:
                    mentioned[node.module, node.name] = None
            elif node.type == ERROR:
                leads |= Leads.FAULTY
            elif type(node) in _MAY_LEAD:
                leads |= _node(node)
        return Led(of, leads, tuple(mentioned))

    def _is_faulty(self, module: str, name: str) -> bool:
        """Return whether an error has been reported inside of a definition."""
        owner = self.program.modules[module]
        info = owner.definitions.get(name)
        if info is None or info.faulty:
            return info is not None
        if module not in self._errors:
            found = owner.found or self._reported
            places = [d.primary.span for d in found if d.severity is Severity.ERROR]
            self._errors[module] = [at for at in places if at.source is owner.source]
        whole = info.head.whole
        return any(whole.start <= at.start <= whole.end for at in self._errors[module])

    def _library(self, owner: Module, name: str) -> Leads:
        info = owner.definitions.get(name)
        if info is None:
            return Leads.NOWHERE
        without = Attribute.NO_DERIVATIVE in info.attributes or name in self._reverse_rules(owner)
        takes = info.signature is None or any(holds_function(p.type) for p in info.signature.params)
        return (Leads.TRANSFORMS if takes else Leads.NOWHERE) | (Leads.OBSTACLE if without else Leads.NOWHERE)

    def _reverse_rules(self, owner: Module) -> frozenset[str]:
        """The definitions of a module of the library that have a derivative in reverse mode alone."""
        found = self._reverse.get(owner.name)
        if found is None:
            texts = owner.source.text.split("\ndef ")[1:] if Kind.CUSTOM_VJP in owner.source.text else []
            names = [text.partition("(")[0].partition("[")[0] for text in texts if Kind.CUSTOM_VJP in text]
            found = self._reverse[owner.name] = frozenset(names)
        return found


def _node(node: core.Expr) -> Leads:
    match node:
        case core.Transform(kind=kind, options=options):
            leads = Leads.TRANSFORMS if mode_of(kind) is not None or is_map(kind) else Leads.NOWHERE
            if kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
                leads |= Leads.OBSTACLE
            if kind in (Kind.CUSTOM_JVP, Kind.SHARD) or (is_map(kind) and _may_lack_axis(dict(options))):
                leads |= Leads.ALONE
            return leads
        case core.TransformCall():
            return Leads.TRANSFORMS
        case core.Intrinsic(name=name) if name == _WHOLE or (name in SLOPES and SLOPES[name].without):
            return Leads.OBSTACLE
        case _:
            return Leads.NOWHERE


def _may_lack_axis(options: dict[str, core.Expr]) -> bool:
    """Return whether an option may say that a result has no axis."""
    axes = options.get("out_axes")
    leaves = () if axes is None else subexpressions(axes)
    return any(not isinstance(leaf, core.Tuple | core.Record) and not _is_number(leaf) for leaf in leaves)


def _is_number(leaf: core.Expr) -> bool:
    return isinstance(leaf, core.SizeOf) or (isinstance(leaf, core.Const) and leaf.value is not None)
