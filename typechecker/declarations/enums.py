"""Enums: their variants, with the types of the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.core import core
from dsl.syntax import ast
from dsl.types import type as ty
from typechecker import errors
from typechecker.declarations.entities import Module
from typechecker.env.context import Context
from typechecker.env.scope import DistinctNames
from typechecker.types.predicates import is_traced
from typechecker.types.type_expressions import elaborate

if TYPE_CHECKING:
    from typechecker.declarations.program_checker import ProgramChecker


def enum_of(program: ProgramChecker, module: Module, name: str) -> core.Enum:
    """The variants of an enum with the types of their fields."""
    found = module.enum_infos.get(name)
    if found is not None:
        return found
    with program.checking(module.task(name)):
        ctx = program.fresh_context(module.name, name, module.scope.child())
        module.enum_infos[name] = core.Enum(ty.EnumType(module.name, name), _variants(ctx, module.enums[name]))
    return module.enum_infos[name]


def _variants(ctx: Context, node: ast.EnumDecl) -> tuple[core.Variant, ...]:
    variants: dict[str, core.Variant] = {}
    for variant in node.variants:
        if variant.name.name in variants:
            continue
        distinct = DistinctNames("field", ctx.report)
        fields = []
        for ident, written in variant.fields:
            distinct.add(ident)
            field_type = elaborate(ctx, written, static=True)
            if is_traced(field_type):
                ctx.report(errors.stages.variant_needs_static_type(ident.name, written.span))
                field_type = ty.ERROR
            fields.append((ident.name, field_type))
        variants[variant.name.name] = core.Variant(variant.name.name, tuple(fields))
    return tuple(variants.values())
