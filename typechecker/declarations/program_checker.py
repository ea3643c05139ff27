"""A program while it is checked: its modules, their declarations, and what is known of each so far.

Definitions are elaborated when they are first asked for: the signature when a call needs it, the body when a caller
needs the conditions inferred from it. `check` drives it over all of a module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.core import core
from dsl.core.statics.calls import Answer
from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from dsl.types.effect import EffectVar, Site, UserEffect
from dsl.types.facts import Facts
from dsl.types.limits import Exceeded
from dsl.types.sites import record_of
from dsl.types.size import SizeVar
from dsl.types.type import Type
from typechecker import errors
from typechecker.declarations.entities import PRELUDE, Attribute, Definition, Library, Module, Modules, State, Task
from typechecker.declarations.enums import enum_of
from typechecker.declarations.reads import WHOLE
from typechecker.env.body import Body
from typechecker.env.context import Context
from typechecker.env.known_parts import is_written_in_place
from typechecker.env.outcomes import Memo
from typechecker.env.reports import Reported, Reports
from typechecker.env.scope import Scope
from typechecker.env.solver import Solver
from typechecker.env.values import Definition as DefinitionValue
from typechecker.env.values import (
    Known,
    Operation,
    Overloaded,
    Special,
    Term,
    Transformed,
    VariantFunction,
    VariantValue,
    error_term,
    static_term,
)
from typechecker.types.type_expressions import STATIC_KINDS, Alias

if TYPE_CHECKING:
    from typechecker.env.call_record import Applied, Arg
    from typechecker.relations.coercion import Why
    from typechecker.types.instance import Instance

SpecialRule = Callable[[Context, "list[Arg]", Span, "Type | None"], Term]


class Rules(Struct, frozen=True):
    """The rules that recursion needs: of an expression, of a call, of what a declaration is known to be. All others
    are imported from below."""

    infer: Callable[[Context, ast.Expr | core.Expr, Type | None], Term]
    as_declared: Callable[[Context, ast.Expr | core.Expr, Type | None], Term]
    apply: Callable[[Context, Term, list[Arg], Span, Type | None], Applied]
    apply_transformed: Callable[[Context, Term, Transformed, list[Arg], Span, Type | None], Applied]
    as_function: Callable[[Context, Term, ty.FunctionType, Why, Span], Term]
    unfold: Callable[[Context, Definition, dict[str, Term], Type, Instance, Span], Known | None]
    signature: Callable[[ProgramChecker, Definition], core.Signature | None]
    body: Callable[[ProgramChecker, Definition], None]
    constant: Callable[[ProgramChecker, Module, str], Term | None]
    faults: Callable[[ProgramChecker, str, ast.Def], Counter[str] | None]
    computing: Callable[[ProgramChecker, str, str, Definition, Type], Callable[..., Answer]]


class ProgramChecker:
    """Everything that is shared while one program is checked. `reports` are those of the module, `task` is the
    declaration, that is being checked. Declarations that are checked `apart` share no memo, so that it is known what
    each has looked at."""

    def __init__(self, rules: Rules, specials: Mapping[str, SpecialRule], library: Library) -> None:
        self.rules = rules
        self.specials = specials
        self.library = library
        self.modules = Modules(library)
        self.reports = Reports()
        self.task = Task.of("", "")
        self.memo = Memo()
        self.apart = False

    def fresh_context(self, module: str, owner: str, scope: Scope) -> Context:
        """The place where the check of a declaration begins: nothing is known there but its names."""
        body = Body(module, owner, Solver(self.fresh_id))
        return Context(self, body, scope, Facts(), in_library=self.is_library(self.modules[module]))

    @contextmanager
    def checking(self, task: Task) -> Iterator[None]:
        """The check of one declaration, which may be asked for amid that of another: neither leaves a trace in the
        other."""
        before = self.task, self.memo
        self.task = task
        if self.apart and task.reads is not None:
            task.memo.exploding = self.memo.exploding
            self.memo = task.memo
        try:
            with nullcontext() if task.reads is None else self.library.reads.noted_in(task.reads):
                yield
        finally:
            self.task, self.memo = before

    def fresh_id(self) -> int:
        return next(self.task.ids)

    @contextmanager
    def declaring(self, task: Task, span: Span) -> Iterator[None]:
        """The check of one declaration; what exceeds a budget outside of any expression is reported here, and the
        declaration left."""
        with self.checking(task):
            try:
                yield
            except Reported:
                pass
            except Exceeded as found:
                self.report_exceeded(found, span)

    def report_exceeded(self, found: Exceeded, span: Span) -> None:
        """Report an exceeded budget once per declaration: expressions built from the same parts exceed it too."""
        if found.growth not in self.task.replay.reported:
            self.task.replay.reported.add(found.growth)
            self.reports.add(errors.stages.exceeded(found, span))

    @contextmanager
    def within_budget(self, span: Span) -> Iterator[None]:
        """Reports what exceeds a budget at a place, instead of raising it."""
        try:
            yield
        except Exceeded as found:
            self.report_exceeded(found, span)

    def last_term(self, span: Span) -> core.Expr | None:
        """The expression that was last made to fit a type, if it lies at this place."""
        last = self.task.compared
        return last if last is not None and last.span == span else None

    def has_syntax_error(self, info: Definition) -> bool:
        """Return whether a definition could not be read in full: what else is wrong in it is not said. A block that
        lacks its value is read; of this value nothing is said."""
        span, problems = info.head.whole, self.modules[info.module].problems
        places = (p.primary.span for p in problems if p.severity is Severity.ERROR and p.code != "E0106")
        return any(s.source is span.source and span.start <= s.start <= span.end for s in places)

    def attributes(self, intrinsic: str) -> Mapping[Attribute, tuple[str, ...]]:
        """Return the prelude's attributes of the function that an intrinsic implements."""
        found = self.modules[PRELUDE].primitives.get(intrinsic)
        return {} if found is None else found.attributes

    def error_size(self) -> SizeVar:
        """A size that stands where a poisoned one was written: equal to nothing else, never refuted alone."""
        return SizeVar(self.fresh_id(), "?", poison=True)

    # ---------------------------------------------------------------- names

    def module_at(self, ctx: Context) -> Module:
        return self.modules[ctx.scope.module]

    def _home(self, ctx: Context, path: Sequence[str]) -> tuple[Module, str] | None:
        """The module whose name a path stands for, and the name there: the one before the dot, of which names are
        public, the one that the name is borrowed from, or the module itself."""
        module, name = self.module_at(ctx), path[-1]
        if len(path) > 1:
            owner = self.modules.get(module.imports.get(path[0], ""))
            return None if owner is None or name.startswith("_") else (owner, name)
        if name in module.borrowed:
            owner_name, original = module.borrowed[name]
            return self.modules[owner_name], original
        return module, name

    def _declaring(self, ctx: Context, path: Sequence[str]) -> Iterator[tuple[Module, str]]:
        """Yield the modules that may declare what a path names, with the name there; names of a module itself may be
        those of the prelude."""
        found = self._home(ctx, path)
        if found is not None:
            yield found
            if found[0] is self.module_at(ctx) and PRELUDE in self.modules:
                yield self.modules[PRELUDE], found[1]

    def own_name(self, ctx: Context, name: str, span: Span) -> Term | None:
        """A name of the module or of its imports."""
        module = self.module_at(ctx)
        if ctx.scope.makes_sizes and not module.keeps_in_signatures(name):
            return None
        found = self.lookup(module, name, span)
        if found is not None:
            return found
        if name in module.borrowed:
            owner, original = module.borrowed[name]
            return self.lookup(self.modules[owner], original, span)
        if name in module.imports:
            ctx.report(errors.names.module_as_value(span, name=name))
            return error_term(span)
        return None

    def global_name(self, ctx: Context, name: str, span: Span) -> Term | None:
        """A name of the module, of its imports, or of the prelude."""
        found = self.own_name(ctx, name, span)
        if found is not None:
            return found
        module = self.module_at(ctx)
        if module.name != PRELUDE and PRELUDE in self.modules:
            found = self.lookup(self.modules[PRELUDE], name, span)
            if found is not None and (not name.startswith("_") or self.is_library(module)):
                return found
        return self._builtin(name, span)

    def _builtin(self, name: str, span: Span) -> Term | None:
        if name in BY_NAME:
            return static_term(BY_NAME[name], ty.DTYPE, span)
        if name in self.specials:
            return _function(span, PRELUDE, name, Special(name))
        return None

    def is_library(self, module: Module) -> bool:
        return module.source.in_library

    def lookup(self, module: Module, name: str, span: Span) -> Term | None:
        """A value that a module declares."""
        if name in module.overloads:
            return _function(span, module.name, name, Overloaded(module.name, name))
        if name in module.definitions:
            return self.function(module.definitions[name], span)
        if name in module.constants:
            found = self.rules.constant(self, module, name)
            if found is not None and is_written_in_place(found.known):
                self.modules.share(module)
            return found
        if name in module.variants:
            return self._variant(module, name, span)
        if name in module.effects:
            return _function(span, module.name, name, Operation(module.name, name))
        return self._builtin(f"{module.name}.{name}", span) if self._is_special(module, name) else None

    def of_prelude(self, name: str, span: Span) -> Term:
        """A function of the prelude that rules are written with."""
        found = self.lookup(self.modules[PRELUDE], name, span)
        assert found is not None, name
        return found

    def _is_special(self, module: Module, name: str) -> bool:
        """Return whether a module of the library has a function of this name that no signature can state."""
        return self.is_library(module) and f"{module.name}.{name}" in self.specials

    def declares(self, module: Module, name: str) -> bool:
        """Return whether a module declares a name, public or not."""
        return module.declares(name) or self._is_special(module, name)

    def _variant(self, module: Module, name: str, span: Span) -> Term:
        enum = enum_of(self, module, module.variants[name])
        fields = next(v.fields for v in enum.variants if v.name == name)
        if not fields:
            known = VariantValue((module.name, enum.type.name), name, ())
            return Term(core.EnumValue(span, enum.type, enum.type, name, ()), enum.type, known)
        kind = ty.FunctionType(tuple(t for _, t in fields), enum.type)
        return _function(span, module.name, name, VariantFunction(module.name, enum.type.name, name), kind)

    def variant_named(self, ctx: Context, path: tuple[str, ...]) -> tuple[core.Enum, str] | None:
        """The enum and the variant that a path in a pattern names."""
        named = ((owner, name) for owner, name in self._declaring(ctx, path) if name in owner.variants)
        return next(((enum_of(self, owner, owner.variants[name]), name) for owner, name in named), None)

    def member(self, ctx: Context, module: str, name: str, span: Span) -> Term:
        """A public member of an imported module."""
        owner = self.modules[module]
        found = self.lookup(owner, name, span) if not name.startswith("_") else None
        if found is None:
            known, prelude = self.public_names(owner), self.modules.get(PRELUDE, owner)
            error, in_prelude = errors.names.not_a_member, prelude.declares(name)
            ctx.refuse(error(module, name, known, owner.declares(name), span, in_prelude=in_prelude))
        return found

    def imported_module(self, ctx: Context, name: str) -> str | None:
        module = self.module_at(ctx)
        if module.declares(name) or name in module.borrowed:
            return None
        return module.imports.get(name)

    def public_names(self, module: Module) -> list[str]:
        tables: Iterable[Iterable[str]] = (
            (info.head.place.text for info in module.definitions.values()),
            module.constants,
            module.aliases,
            module.enums,
            module.variants,
            module.effects,
        )
        found = {n for table in tables for n in table if not n.startswith("_")}
        if self.is_library(module):
            prefix = f"{module.name}."
            found |= {n.removeprefix(prefix) for n in self.specials if n.startswith(prefix)}
        return sorted(found)

    def visible_names(self, ctx: Context) -> list[str]:
        module = self.module_at(ctx)
        found = {*ctx.scope.visible(), *self.public_names(module), *module.imports, *module.borrowed}
        if PRELUDE in self.modules:
            found.update(self.public_names(self.modules[PRELUDE]))
        return sorted(found | set(BY_NAME) | {n for n in self.specials if "." not in n})

    # ---------------------------------------------------------------- types

    def is_broken(self, ctx: Context, name: str) -> bool:
        """Return whether a name belongs to a declaration or an import that could not be read: its uses are not
        reported."""
        binding = self.module_at(ctx).scope.lookup(name)
        return binding is not None and binding.term.type == ty.ERROR

    def declared_type(self, ctx: Context, path: tuple[ast.Ident, ...]) -> Alias | ty.EnumType | None:
        """The alias or the enum that a path names: of the module it leads to, or of the prelude."""
        for module, name in self._declaring(ctx, [part.name for part in path]):
            if name in module.aliases:
                return module.aliases[name]
            if name in module.enums:
                return ty.EnumType(module.name, name)
        return None

    def enum_info(self, module: str, name: str) -> core.Enum:
        return enum_of(self, self.modules[module], name)

    def type_names(self, ctx: Context) -> list[str]:
        module = self.module_at(ctx)
        return [
            *module.aliases,
            *module.enums,
            *module.borrowed,
            *BY_NAME,
            *STATIC_KINDS,
            *("key", "idx", "bool"),
            *ctx.scope.visible(),
        ]

    # ---------------------------------------------------------------- effects

    def effect_variable(self, ctx: Context, name: str) -> EffectVar | None:
        binding = ctx.scope.lookup(name)
        known = None if binding is None else binding.term.known
        return known if isinstance(known, EffectVar) else None

    def user_effect(self, ctx: Context, path: tuple[ast.Ident, ...]) -> tuple[str, str] | None:
        found = self._home(ctx, [part.name for part in path])
        return (found[0].name, found[1]) if found is not None and found[1] in found[0].effects else None

    def form_of(self, effect: UserEffect) -> str | None:
        """The word that says that an operation is known by name, if it is."""
        return self.modules[effect.module].effects[effect.name].form

    def definition_at(self, ctx: Context, path: tuple[ast.Ident, ...]) -> Definition | None:
        """The definition that a path names."""
        found = self._home(ctx, [part.name for part in path])
        return None if found is None else found[0].definitions.get(found[1])

    def type_of_definition(self, ctx: Context, path: tuple[ast.Ident, ...]) -> Type | None:
        """The type of the record that a definition performs by name, as in `net.param`, or of its `result`."""
        info = self.definition_at(ctx, path[:-1])
        signature = None if info is None else self.signature(info)
        if signature is None:
            return None if info is None else ty.ERROR
        sites = [e for e in signature.effects.effects if isinstance(e, Site) and e.name == path[-1].name]
        if sites:
            return record_of(sites) if len({site.operation for site in sites}) == 1 else None
        return signature.result if path[-1].name == "result" else None

    def effect_names(self, ctx: Context) -> list[str]:
        return list(self.module_at(ctx).effects)

    # ---------------------------------------------------------------- definitions

    def definition(self, module: str, name: str) -> Definition:
        return self.modules[module].definitions[name]

    def overloads(self, shared: Overloaded) -> list[Definition]:
        """The definitions that share a name, in the order they are written."""
        module = self.modules[shared.module]
        return [module.definitions[name] for name in module.overloads[shared.name]]

    def function(self, info: Definition, span: Span) -> Term:
        """A definition that a program uses, as a value."""
        self.want(info)
        return _function(span, info.module, info.name, DefinitionValue(info.module, info.name))

    def checked(self, module: str, name: str) -> core.Function | None:
        """A definition with its body, for rules that follow calls; which is more than its module shows to others. The
        body of one of the library is checked when it is asked for."""
        owner = self.modules.get(module)
        info = None if owner is None else self.modules.enter(owner).definitions.get(name)
        self.library.reads.now.add((WHOLE, name))
        if info is not None and info.in_library:
            self.rules.body(self, info)
        return None if info is None else info.checked

    def checked_now(self, module: str, name: str) -> core.Function | None:
        """Check the body of a definition for its Core, unless it is being checked already."""
        info = self.modules[module].definitions.get(name)
        if info is not None:
            self.rules.body(self, info)
        return self.checked(module, name)

    def checked_constant(self, module: str, name: str) -> core.Constant | None:
        """A top-level `let` with its value, likewise; None for what is no constant, as its module shows to all."""
        owner = self.modules.get(module)
        found = None if owner is None else owner.checked_constants.get(name)
        if owner is not None and found is not None:
            self.modules.enter(owner)
        return found

    def signature(self, definition: Definition) -> core.Signature | None:
        """The signature, with the conditions inferred from the body where that has been checked before."""
        found = self.rules.signature(self, definition)
        self.want(definition)
        return found

    def want_named(self, module: str, name: str) -> None:
        """Note that a program uses what a module of the library declares under a name."""
        owner = self.modules[module]
        if name in owner.definitions:
            self.want(owner.definitions[name])
        elif name in owner.constants:
            self.rules.constant(self, owner, name)

    def want(self, definition: Definition) -> None:
        """Note that a program uses a definition, which is checked later if it is of the library."""
        if definition.state is not State.DONE and self.is_library(self.modules[definition.module]):
            self.library.wanted[definition.module, definition.name] = definition


def _function(span: Span, module: str, name: str, known: Known, kind: ty.FunctionType | None = None) -> Term:
    """A function by its name; what is `known` says all where it has no type of its own."""
    kind = kind or ty.FunctionType((), ty.ERROR)
    return Term(core.Global(span, kind, module, name), kind, known)
