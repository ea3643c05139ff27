"""A place to check an expression at, without a program of its own: what the rules are given."""

from __future__ import annotations

from dsl.diagnostics.source import Source
from dsl.syntax.parse import parse
from typechecker.builtins import table
from typechecker.declarations.entities import Library, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.context import Context
from typechecker.env.scope import Scope
from typechecker.program.dispatch import rules


def fresh_context(text: str = "") -> Context:
    """Nothing in scope; every declaration of `text` is a name of the module, and is not checked."""
    program = ProgramChecker(rules(), table.table(), Library())
    source = Source("test.dsl", text)
    tree, problems = parse(source)
    scope = Scope(None, module="test")
    program.modules.add(Module("test", source, tree, scope, problems))
    return program.fresh_context("test", "main", scope.child())
