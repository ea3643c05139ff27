"""The checker's front: a source text in, diagnostics and the checked program out.

Modules are loaded and declared here, the rules are tied together, and every definition is checked, called or not.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import stdlib
from dsl.core import core
from dsl.core.static_math import STATIC
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted, excludes
from dsl.types.facts import Prop
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import (
    applied,
    basics,
    blocks,
    bodies,
    calls,
    closures,
    comprehensions,
    effects,
    errors,
    functions,
    indexing,
    joins,
    loops,
    matching,
    operators,
    relate,
    specials,
    transformations,
    updates,
    values,
    vector_spaces,
)
from typechecker.context import Context
from typechecker.intrinsics import intrinsic_call
from typechecker.knowledge import ranged
from typechecker.program import PRELUDE, Definition, Module, ProgramChecker, Rules
from typechecker.references import mentions, order, references
from typechecker.scope import Scope
from typechecker.typexpr import Alias
from typechecker.values import Closure, Known, Special, Term, Traced

RECURSION = 12_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What checking found: all diagnostics in order of place, and the program if there was no error."""

    diagnostics: tuple[Diagnostic, ...]
    program: core.Program | None

    @property
    def ok(self) -> bool:
        return self.program is not None


# ---------------------------------------------------------------- entry points


def check_source(
    source: Source, modules: Mapping[str, Source] | None = None, folder: Path | None = None
) -> CheckResult:
    """Check a text. `modules` are further modules by name; others are looked for in `folder`, on DSLPATH, and in the
    library."""
    with _deep_recursion():
        return _check(source, _resolver(modules or {}, folder))


def check_file(path: str | os.PathLike[str]) -> CheckResult:
    """Check a file (UTF-8); modules are looked for beside it. Raises OSError or UnicodeDecodeError if it cannot be
    read."""
    place = Path(path)
    return check_source(Source(str(path), place.read_text(encoding="utf-8")), None, place.parent)


Resolver = Callable[[str], Source | None]


def _resolver(modules: Mapping[str, Source], folder: Path | None) -> Resolver:
    folders = [folder] if folder is not None else []
    folders += [Path(p) for p in os.environ.get("DSLPATH", "").split(os.pathsep) if p]

    def resolve(name: str) -> Source | None:
        if name in modules:
            return modules[name]
        relative = Path(*name.split(".")).with_suffix(".dsl")
        for place in folders:
            found = place / relative
            if found.is_file():
                return Source(str(found), found.read_text(encoding="utf-8", errors="replace"))
        return _library(name)

    return resolve


@lru_cache(maxsize=64)
def _parsed_library(source: Source) -> tuple[ast.Module, tuple[Diagnostic, ...]]:
    """The library's texts do not change while a process lives."""
    return parse(source)


@lru_cache(maxsize=64)
def _library(name: str) -> Source | None:
    found = Path(stdlib.FOLDER, *name.split(".")).with_suffix(".dsl")
    return Source(f"<stdlib>/{found.name}", found.read_text(encoding="utf-8")) if found.is_file() else None


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Room for deep programs, and no garbage collector walking a tree that only grows."""
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, RECURSION))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()


def _check(source: Source, resolve: Resolver) -> CheckResult:
    program = ProgramChecker(_rules(resolve), specials.table())
    prelude = _library(PRELUDE)
    if prelude is not None:
        _declare(program, PRELUDE, prelude, resolve, ())
    name = Path(source.name).stem if source.name.endswith(".dsl") else "<main>"
    main = _declare(program, name, source, resolve, ())
    for module in [m for m in program.modules.values() if m is main or not program.is_library(m)]:
        _check_module(program, module)
    if not _has_errors(program):
        _check_wanted(program)
    diagnostics = _of_source(program, source)
    failed = any(d.severity is Severity.ERROR for d in diagnostics)
    return CheckResult(diagnostics, None if failed else _assembled(program, main))


def _has_errors(program: ProgramChecker) -> bool:
    return any(d.severity is Severity.ERROR for d in program.reports.sorted())


def _of_source(program: ProgramChecker, source: Source) -> tuple[Diagnostic, ...]:
    """The diagnostics of the text itself first, then of the modules it imports."""
    found = program.reports.sorted()
    own = [d for d in found if d.primary.span.source is source]
    return (*own, *(d for d in found if d.primary.span.source is not source))


# ---------------------------------------------------------------- modules


def _declare(program: ProgramChecker, name: str, source: Source, resolve: Resolver, path: tuple[str, ...]) -> Module:
    tree, problems = _parsed_library(source) if source.name.startswith("<stdlib>") else parse(source)
    for problem in problems:
        program.reports.add(problem)
        if problem.severity is Severity.ERROR:
            program.unreadable.append(problem.primary.span)
    scope = Scope(None)
    scope.module = name
    module = Module(name, source, tree, scope)
    program.modules[name] = module
    seen: dict[str, Span] = {}
    for broken in tree.broken:
        _unknown(module, broken, Span(source, 0, 0))
    for declaration in tree.declarations:
        _declaration(program, module, declaration, seen, resolve, (*path, name))
    if not program.is_library(module):
        for info in module.definitions.values():
            info.recursive = info.name in _reachable(module, info)
    return module


def _declaration(
    program: ProgramChecker,
    module: Module,
    node: ast.Declaration,
    seen: dict[str, Span],
    resolve: Resolver,
    path: tuple[str, ...],
) -> None:
    match node:
        case ast.Import():
            _import(program, module, node, resolve, path)
        case ast.FromImport():
            _from_import(program, module, node, resolve, path)
        case ast.TypeAliasDecl(name, params, value, _, span):
            if _new(program, name, seen):
                module.aliases[name.name] = Alias(name.name, params, value, module.scope, name.span)
        case ast.EnumDecl(name, variants, _, _):
            if _new(program, name, seen):
                module.enums[name.name] = node
            for variant in variants:
                if _new(program, variant.name, seen):
                    module.variants[variant.name.name] = name.name
        case ast.Let():
            for bound in _let_names(node.pattern):
                if _new(program, ast.Ident(bound.name, bound.span), seen):
                    module.constants[bound.name] = node
        case ast.Def(name=name):
            if _new(program, name, seen):
                math = _static_math(program, module, node)
                module.definitions[name.name] = Definition(module.name, name.name, node, math)
        case ast.EffectDecl(name=name):
            if _new(program, name, seen):
                module.effects[name.name] = node


def _new(program: ProgramChecker, name: ast.Ident, seen: dict[str, Span]) -> bool:
    if name.name in seen:
        program.reports.add(errors.duplicate_name("name", name.name, name.span, seen[name.name]))
        return False
    seen[name.name] = name.span
    return True


def _let_names(pattern: ast.Pattern) -> Iterator[ast.NamePattern]:
    if isinstance(pattern, ast.NamePattern):
        yield pattern
    elif isinstance(pattern, ast.TuplePattern):
        for part in pattern.parts:
            yield from _let_names(part)


def _static_math(program: ProgramChecker, module: Module, node: ast.Def) -> str | None:
    """The elementwise primitive that a library definition is, if it is one."""
    body = node.body
    if not program.is_library(module) or not isinstance(body, ast.Call) or not isinstance(body.function, ast.Field):
        return None
    base = body.function.base
    name = body.function.name.name
    return name if isinstance(base, ast.Name) and base.name == "intrinsic" and name in STATIC else None


def _reachable(module: Module, info: Definition) -> set[str]:
    seen: set[str] = set()
    todo = list(mentions(info.node))
    while todo:
        name = todo.pop()
        if name not in seen and name in module.definitions:
            seen.add(name)
            todo.extend(mentions(module.definitions[name].node))
    return seen


def _load(program: ProgramChecker, dotted: str, span: Span, resolve: Resolver, path: tuple[str, ...]) -> Module | None:
    if dotted in path:
        program.reports.add(errors.import_cycle([*path[path.index(dotted) :], dotted], span))
        return None
    if dotted in program.modules:
        return program.modules[dotted]
    source = resolve(dotted)
    if source is None:
        program.reports.add(errors.module_not_found(dotted, (), span))
        return None
    return _declare(program, dotted, source, resolve, path)


def _import(
    program: ProgramChecker, module: Module, node: ast.Import, resolve: Resolver, path: tuple[str, ...]
) -> None:
    dotted = ".".join(i.name for i in node.path)
    place = node.path[0].span.to(node.path[-1].span)
    found = _load(program, dotted, place, resolve, path)
    alias = node.alias.name if node.alias else node.path[-1].name
    if found is not None:
        module.imports[alias] = found.name
    else:
        _unknown(module, alias, place)


def _unknown(module: Module, name: str, span: Span) -> None:
    """A name whose import failed: it stands for anything, in silence."""
    module.scope.bind(name, Term(core.Const(span, ty.ERROR, None), ty.ERROR), span, "global")


def _from_import(
    program: ProgramChecker, module: Module, node: ast.FromImport, resolve: Resolver, path: tuple[str, ...]
) -> None:
    dotted = ".".join(i.name for i in node.path)
    found = _load(program, dotted, node.path[0].span.to(node.path[-1].span), resolve, path)
    for name, alias in node.names:
        local = (alias or name).name
        if found is None:
            _unknown(module, local, name.span)
        elif name.name.startswith("_") or not (found.declares(name.name)):
            known = program.public_names(found)
            program.reports.add(errors.not_a_member(dotted, name.name, known, found.declares(name.name), name.span))
            _unknown(module, local, name.span)
        else:
            module.borrowed[local] = (found.name, name.name)


# ---------------------------------------------------------------- checking all


def _check_module(program: ProgramChecker, module: Module) -> None:
    for alias in module.aliases.values():
        _check_alias(program, module, alias)
    for name in module.enums:
        bodies.enum(program, module, name)
    for name in module.effects:
        ctx = bodies.fresh_context(program, module.name, name, module.scope.child())
        effects.operation_signature(ctx, module.name, name)
    for name in module.constants:
        bodies.constant(program, module, name)
    for info in order(module):
        bodies.check_body(program, info)


def _check_alias(program: ProgramChecker, module: Module, alias: Alias) -> None:
    """An alias is checked with its parameters standing for themselves; each must be used."""
    from_scope = alias.scope.child()
    ctx = bodies.fresh_context(program, module.name, alias.name, from_scope)
    used = set(references(alias.value))
    seen: dict[str, Span] = {}
    for param in alias.params:
        name = param.name.name
        if name in seen:
            program.reports.add(errors.duplicate_name("parameter", name, param.span, seen[name]))
        seen[name] = param.span
        if name not in used:
            program.reports.add(errors.unused_alias_parameter(name, alias.name, param.span))
    if alias.name in _alias_closure(module, alias):
        program.reports.add(errors.cyclic_alias(alias.name, alias.span))
        module.aliases[alias.name] = Alias(
            alias.name,
            alias.params,
            ast.NamedType((ast.Ident("f32", alias.span),), alias.span),
            alias.scope,
            alias.span,
        )
        return
    specials_of = bodies.alias_scope(ctx, alias)
    bodies.elaborate(specials_of, alias.value, static=bodies.static_alias(alias))


def _alias_closure(module: Module, alias: Alias) -> set[str]:
    seen: set[str] = set()
    todo = list(references(alias.value))
    while todo:
        name = todo.pop()
        if name not in seen and name in module.aliases:
            seen.add(name)
            todo.extend(references(module.aliases[name].value))
    return seen


def _check_wanted(program: ProgramChecker) -> None:
    """Bodies of library definitions that the program uses."""
    done = 0
    while done < len(program.wanted):
        bodies.check_body(program, program.wanted[done])
        done += 1


def _assembled(program: ProgramChecker, main: Module) -> core.Program:
    modules = {}
    for name, module in program.modules.items():
        functions = {n: d.checked for n, d in module.definitions.items() if d.checked is not None}
        modules[name] = core.Module(
            name, module.source, functions, module.checked_constants, module.enum_infos, module.tree.doc
        )
    return core.Program(main.name, modules)


# ---------------------------------------------------------------- the rules, tied together


def _rules(resolve: Resolver) -> Rules:
    return Rules(
        infer=infer,
        require=require,
        static_term=basics.static_term,
        as_function=functions.as_function,
        read_cell=effects.read_cell,
        apply_global=apply_global,
        at_method=updates.at_method,
        operation=effects.operation,
        apply_full=calls.apply_full,
        apply_transformed=transformations.apply_transformed,
        unfold=bodies.unfold,
        traced_constant=lambda size: Traced(size),
        ranged=ranged,
        write_cell=effects.write_cell,
        join_branches=matching.join_branches,
        is_vector_space=vector_spaces.is_vector_space,
        parameter_names=parameter_names,
        join_items=lambda ctx, terms: joins.join(ctx, terms, relate.Why("item")),
        merge=matching.merge,
        signature=bodies.signature,
        constant=bodies.constant,
        enum=bodies.enum,
    )


def require(ctx: Context, prop: Prop, span: Span, what: str) -> bool:
    """A range condition on sizes; in a signature it is written down, elsewhere demanded. False after a report."""
    if ctx.written is not None and not excludes(ctx.facts, prop):
        ctx.written.append(prop)
        return True
    verdict = ctx.require(prop, span)
    if not isinstance(verdict, Refuted):
        return True
    found = verdict.counterexample
    match prop:
        case fa.Le(left, right) if what == "divisor" or left.is_literal(1):
            ctx.report(errors.bad_divisor(right, found, span))
        case fa.Le(left, right):
            ctx.report(errors.negative_size(ctx, right - left, found, span))
        case _:
            ctx.report(errors.negative_size(ctx, Size.of(0), found, span))
    return False


def apply_global(ctx: Context, name: str, args: list[Term], span: Span) -> Term:
    """A call of a function of the prelude."""
    function = ctx.program.lookup(ctx.program.modules[PRELUDE], name, span)
    assert function is not None, name
    return calls.apply(ctx, function, [applied.Arg(None, a, a.span) for a in args], span)


def parameter_names(ctx: Context, applied: applied.Applied) -> list[str]:
    """The names of the array parameters of what was applied, as far as it is a definition."""
    function = applied.function
    if isinstance(function, core.Global) and function.module in ctx.program.modules:
        info = ctx.program.modules[function.module].definitions.get(function.name)
        if info is not None and info.signature is not None:
            return [info.signature.params[i].name for i in applied.places]
    return []


def infer(ctx: Context, node: ast.Expr, expected: Type | None) -> Term:
    """The rule for each form of expression."""
    if isinstance(node, ast.Call) and ctx.in_library and intrinsic_call(node):
        return _intrinsic(ctx, node, expected)
    return _RULES[type(node)](ctx, node, expected)


def _intrinsic(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    """`intrinsic.NAME(…)` in the library has the type that its definition states."""
    assert isinstance(node.function, ast.Field)
    args, statics = [], []
    for arg in node.args:
        assert not isinstance(arg.value, ast.Splice)
        term = ctx.infer(arg.value)
        if arg.name is None:
            args.append(term.core)
        else:
            statics.append((arg.name.name, term.core))
    kind = expected if expected is not None else ty.ERROR
    name = node.function.name.name
    return Term(core.Intrinsic(node.span, kind, name, tuple(args), tuple(statics)), kind)


def _error(ctx: Context, node: ast.ErrorExpr, expected: Type | None) -> Term:
    return values.error_term(node.span)


_RULES: Mapping[type, Callable[..., Term]] = {
    ast.NumberLit: basics.number,
    ast.BoolLit: basics.boolean,
    ast.StringLit: basics.string,
    ast.NoneLit: basics.nothing,
    ast.Name: basics.name,
    ast.Field: basics.field,
    ast.TupleItem: basics.tuple_item,
    ast.Call: calls.call,
    ast.Index: indexing.index,
    ast.Unary: operators.unary,
    ast.Binary: operators.binary,
    ast.Compare: operators.compare,
    ast.Pipe: calls.pipe,
    ast.TupleLit: basics.tuple_literal,
    ast.ListLit: basics.list_literal,
    ast.RecordLit: basics.record_literal,
    ast.RecordUpdate: basics.record_update,
    ast.Comprehension: comprehensions.comprehension,
    ast.Lambda: closures.lambda_,
    ast.If: blocks.if_,
    ast.Match: matching.match,
    ast.Loop: loops.loop,
    ast.Iterate: loops.iterate,
    ast.With: effects.with_,
    ast.Block: blocks.block,
    ast.ErrorExpr: _error,
}

__all__ = ["CheckResult", "Closure", "Known", "Special", "check_file", "check_source"]
