"""Functions that cannot be differentiated forward: those with only a reverse rule (`custom_vjp`)."""

from __future__ import annotations

from dsl.core import core
from dsl.core.transformation import Kind, Mode, mode_of
from dsl.core.walk import children
from dsl.diagnostics.source import Span
from typechecker.declarations.program_checker import ProgramChecker


def reverse_rule_in(program: ProgramChecker, node: core.Expr) -> Span | None:
    """The place of a `custom_vjp` that an expression applies, itself or through definitions; none of those that are
    differentiated backwards, which are plain functions after that."""
    todo: list[core.Expr] = [node]
    seen: set[tuple[str, str]] = set()
    while todo:
        found = todo.pop()
        match found:
            case core.Transform(kind=Kind.CUSTOM_VJP, span=span):
                return span
            case core.Transform(kind=kind) | core.TransformCall(kind=kind) if mode_of(kind) is Mode.REVERSE:
                continue
            case core.Lambda(instances=instances):
                todo.extend(i.body for i in instances)
            case core.Global(module=module, name=name) if (module, name) not in seen:
                seen.add((module, name))
                todo.extend(_body(program, module, name))
            case _:
                todo.extend(children(found))
    return None


def _body(program: ProgramChecker, module: str, name: str) -> list[core.Expr]:
    owner = program.modules.get(module)
    found = None if owner is None or program.is_library(owner) else program.checked(module, name)
    return [] if found is None else [found.body]
