"""Modules: where their texts are found, what each declares, and what its imports mean.

A name that cannot be imported stands for anything, so that nothing more is said of it. Read next: `loading`, which
finds what a program imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, assert_never

from msgspec import Struct

import stdlib
from dsl.core import core
from dsl.core.statics.numbers import STATIC
from dsl.diagnostics.source import Span
from dsl.late_names import LateModule
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.library_text import Written, text_of
from dsl.syntax.sources import library
from dsl.syntax.walk import pattern_names
from dsl.types.effect import KINDS
from typechecker import errors
from typechecker.declarations.dependencies import cyclic_aliases, recursive, type_parameters
from typechecker.declarations.entities import Attribute, Definition, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.records import Outline
from typechecker.env.scope import DistinctNames
from typechecker.env.values import error_term
from typechecker.types.type_expressions import Alias

if TYPE_CHECKING:
    from dsl.syntax import packages
else:
    packages = LateModule("dsl.syntax.packages")

# ---------------------------------------------------------------- entry points


@cache
def library_modules() -> Sequence[str]:
    """The names of the modules of the library."""
    return tuple(stdlib.module_names())


@lru_cache(maxsize=256)
def library_homes(name: str, is_called: bool) -> Sequence[str]:
    """The modules of the library that have a function of this name; or the one of this name, if nothing calls it."""
    if name.startswith("_") or not name.isidentifier():
        return ()
    homes = library_modules()
    if name in homes and not is_called:
        return (name,)
    texts = ((home, library(home)) for home in homes)
    found = tuple(home for home, text in texts if text and re.search(rf"^def {name}\b", text.text, re.MULTILINE))
    return found or ((name,) if name in homes else ())


# ---------------------------------------------------------------- what an import finds


class Cycle(Struct, frozen=True):
    """An import that leads back to a module which is being read: from that one, the names of all on the way."""

    path: tuple[str, ...]


Found: TypeAlias = Module | Cycle | None


def imported_modules(tree: ast.Module) -> list[str]:
    """The modules that a text asks for, in order."""
    asked = [d for d in tree.declarations if isinstance(d, ast.Import | ast.FromImport)]
    return list(dict.fromkeys(_dotted(d) for d in asked))


def _dotted(node: ast.Import | ast.FromImport) -> str:
    return ".".join(i.name for i in node.path)


# ---------------------------------------------------------------- modules


def declare(program: ProgramChecker, module: Module, found: Mapping[str, Found]) -> None:
    """Note what a module declares, and what its imports mean: `found` has what each of them finds."""
    for problem in module.problems:
        program.reports.add(problem)
    declared = DistinctNames("name", program.reports.add)
    for broken in module.tree.broken:
        _unknown(module, broken, Span(module.source, 0, 0))
    for declaration in module.tree.declarations:
        _declaration(program, module, declaration, declared, found)
    for name, cycle in recursive(module).items():
        module.definitions[name].cycle = cycle
    _mark_cyclic_aliases(program, module)


def declare_library(program: ProgramChecker, module: Module, known: Outline, found: Mapping[str, Found]) -> None:
    """Note what a module of the library declares. Its definitions are those of its text, and not read yet."""
    declared = DistinctNames("name", program.reports.add)
    for declaration in module.tree.declarations:
        _declaration(program, module, declaration, declared, found)
    for written in text_of(module.source, known.parts).definitions:
        _library_definition(module, written)
    names = list(module.definitions)
    for places in known.cycles:
        cycle = frozenset([names[place] for place in places])
        for name in cycle:
            module.definitions[name].cycle = cycle


def _mark_cyclic_aliases(program: ProgramChecker, module: Module) -> None:
    for names in cyclic_aliases(module):
        program.reports.add(errors.names.cyclic_alias(module.aliases[names[0]].span, name=names[0]))
        for name in names:
            module.aliases[name] = replace(module.aliases[name], cyclic=True)


def _declaration(
    program: ProgramChecker,
    module: Module,
    node: ast.Declaration,
    declared: DistinctNames,
    found: Mapping[str, Found],
) -> None:
    match node:
        case ast.Import():
            _import(program, module, node, found[_dotted(node)], declared)
        case ast.FromImport():
            _from_import(program, module, node, found[_dotted(node)], declared)
        case ast.TypeAliasDecl(name, params, value):
            if declared.add(name):
                types = type_parameters(params, value)
                module.aliases[name.name] = Alias(name.name, params, value, module.scope, name.span, types)
        case ast.EnumDecl(name, variants):
            first = declared.add(name)
            if first:
                module.enums[name.name] = node
            for variant in variants:
                if declared.add(variant.name) and first:
                    module.variants[variant.name.name] = name.name
                elif not first:
                    _unknown(module, variant.name.name, variant.name.span)
        case ast.Let():
            for bound in pattern_names(node.pattern):
                if declared.add(bound):
                    module.constants[bound.name] = node
        case ast.Def(name=name):
            if not program.is_library(module) and declared.add(name):
                module.definitions[name.name] = Definition(module.name, name.name, node)
        case ast.EffectDecl(name=name):
            if name.name in KINDS:
                program.reports.add(errors.names.builtin_effect(name.span, name=name.name))
            for param in node.params:
                if param.default is not None:
                    place, own = param.default.span, param.name.name
                    program.reports.add(errors.effects.operation_with_default(place, operation=name.name, name=own))
            if declared.add(name):
                module.effects[name.name] = _operation(module.name, node)
        case _:
            assert_never(node)


def _operation(module: str, node: ast.EffectDecl) -> Definition:
    """The operation of an effect: a function that performs it."""
    performs = ast.Row((ast.RowLabel((node.name,), None, None, node.name.span),), node.name.span)
    body = ast.ErrorExpr(node.span)
    params = tuple(replace(param, default=None) for param in node.params)
    head = node.name, False, node.generics, params, node.result, performs, node.where
    form = None if node.form is None else node.form.name
    return Definition(module, node.name.name, ast.Def(*head, body, node.doc, node.span), operation=True, form=form)


def _library_definition(module: Module, written: Written) -> None:
    """Note a definition of the library, which may be a primitive, and may share its name with others."""
    name, primitive = _own_name(module, written.name), written.primitive
    attributes = MappingProxyType({Attribute(a.name): a.parameters for a in written.attributes})
    math = _static_math(written.name, primitive, attributes)
    info = module.definitions[name] = Definition(module.name, name, written, primitive, math, True, attributes)
    if primitive is not None:
        module.primitives.setdefault(primitive, info)


def _own_name(module: Module, name: str) -> str:
    """A name that no other definition has: that which is written, or one with a number for those that share it."""
    if name not in module.definitions:
        return name
    others = module.overloads.get(name, (name,))
    own = f"{name}{core.OVERLOAD}{len(others) + 1}"
    module.overloads[name] = (*others, own)
    return own


def _static_math(name: str, primitive: str | None, attributes: Mapping[Attribute, tuple[str, ...]]) -> str | None:
    """The elementwise function of static numbers that a library definition stands for."""
    if Attribute.STATIC_NUMBERS in attributes:
        return name
    return primitive if primitive in STATIC else None


def _report_missing(program: ProgramChecker, dotted: str, found: Cycle | None, span: Span) -> None:
    if isinstance(found, Cycle):
        program.reports.add(errors.names.import_cycle(span, cycle=" -> ".join(found.path)))
    else:
        package = packages.package_of(dotted)
        if package is None or package.fits:
            program.reports.add(errors.names.module_not_found(dotted, library_modules(), package, span))
        else:
            program.reports.add(errors.names.other_version(span, package=package))


def _import(program: ProgramChecker, module: Module, node: ast.Import, found: Found, declared: DistinctNames) -> None:
    place = node.path[0].span.to(node.path[-1].span)
    alias = node.alias or node.path[-1]
    if not isinstance(found, Module):
        _report_missing(program, _dotted(node), found, place)
        _unknown(module, alias.name, place)
    elif module.imports.get(alias.name) != found.name and declared.add(alias):
        module.imports[alias.name] = found.name


def _unknown(module: Module, name: str, span: Span) -> None:
    """A name whose import failed: its uses are not reported."""
    module.scope.bind(name, error_term(span), span, "global")


def _from_import(
    program: ProgramChecker, module: Module, node: ast.FromImport, found: Found, declared: DistinctNames
) -> None:
    dotted = _dotted(node)
    if not isinstance(found, Module):
        _report_missing(program, dotted, found, node.path[0].span.to(node.path[-1].span))
    for name, alias in node.names:
        local = (alias or name).name
        if not isinstance(found, Module):
            _unknown(module, local, name.span)
            continue
        again = module.borrowed.get(local) == (found.name, name.name)
        if not again and not declared.add(alias or name):
            continue
        owner = program.modules[found.name]
        if name.name.startswith("_") or not program.declares(owner, name.name):
            known = program.public_names(owner)
            program.reports.add(
                errors.names.not_a_member(dotted, name.name, known, owner.declares(name.name), name.span)
            )
            _unknown(module, local, name.span)
        else:
            module.borrowed[local] = (owner.name, name.name)
