"""The part of the library that a program reaches. A check may know more of it: everything checked in its process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dsl.core import core
from dsl.core.walk import subexpressions
from dsl.records import replace
from dsl.types.type import ERROR


def reachable(program: core.Program) -> core.Program:
    """The program with those definitions of the library alone that its own modules lead to, and all static ones: types
    mention these, and they are small. The module that a program begins with is its own, also where it is of the
    library. Every expression that is reached has a type, but for primitives of which nothing is said."""
    names: set[tuple[str, str]] = set()
    main = program.modules[program.main]
    todo = [declared for module in program.modules.values() for declared in _kept_anyway(module, main)]
    while todo:
        for expression in expressions_of(todo.pop()):
            for node in subexpressions(expression):
                assert node.type != ERROR or _is_primitive(node), (
                    f"no diagnostic says what is wrong with `{node.span.text}`"
                )
                if isinstance(node, core.Global) and (node.module, node.name) not in names:
                    names.add((node.module, node.name))
                    found = program.modules[node.module].functions.get(node.name)
                    todo += [] if found is None else [found]
    return replace(program, modules={name: _only(module, names, main) for name, module in program.modules.items()})


def _is_primitive(node: core.Expr) -> bool:
    """Return whether the text of the library calls a primitive; one whose result goes to another needs no type."""
    return isinstance(node, core.Intrinsic) and node.span.source.in_library


def _kept_anyway(module: core.Module, main: core.Module) -> Iterator[core.Function | core.Constant]:
    yield from module.constants.values()
    yield from (f for f in module.functions.values() if _is_kept(module, main, f))


def _is_kept(module: core.Module, main: core.Module, function: core.Function) -> bool:
    return function.static or module is main or not module.source.in_library


def expressions_of(declared: core.Function | core.Constant) -> list[core.Expr]:
    """The expressions that a declaration is made of."""
    match declared:
        case core.Constant():
            return [declared.value]
        case core.Function():
            return [declared.body, *(p.default for p in declared.signature.params if p.default is not None)]
        case _:
            assert_never(declared)


def _only(module: core.Module, names: set[tuple[str, str]], main: core.Module) -> core.Module:
    kept = {n: f for n, f in module.functions.items() if _is_kept(module, main, f) or (module.name, n) in names}
    return replace(module, functions=kept)
