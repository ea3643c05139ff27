"""Which names a piece of syntax mentions, and the order in which definitions are best checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from typechecker.program import Definition, Module


def references(node: object) -> Iterator[str]:
    """All names mentioned, those of methods and types too; more than are really meant, never fewer."""
    todo = [node]
    while todo:
        found = todo.pop()
        match found:
            case ast.Name(name, _):
                yield name
            case ast.Ident(name, _):
                yield name
            case tuple() | list():
                todo.extend(found) if not isinstance(found, Span) else None
            case _ if is_dataclass(found):
                todo.extend(getattr(found, f.name) for f in fields(found))


def mentions(node: ast.Def) -> Iterator[str]:
    """The names that a definition may call: names and methods, not its own parameters nor primitives."""
    own = {p.name.name for p in node.params}
    todo: list[object] = [node.body, node.result, node.where, *(p.type for p in node.params)]
    while todo:
        found = todo.pop()
        match found:
            case ast.Name(name, _):
                if name not in own:
                    yield name
            case ast.Field(base, name, _):
                todo.append(base)
                if not (isinstance(base, ast.Name) and base.name == "intrinsic"):
                    yield name.name
            case ast.NamedType() | ast.Ident() | Span():
                pass
            case tuple() | list():
                todo.extend(found)
            case _ if is_dataclass(found):
                todo.extend(getattr(found, f.name) for f in fields(found))


def order(module: Module) -> list[Definition]:
    """Definitions with those they mention first, as far as there is no cycle; iterative, for long chains."""
    done: dict[str, bool] = {}
    out: list[Definition] = []
    for start in module.definitions:
        stack: list[tuple[str, Iterator[str]]] = []
        _push(module, start, done, stack)
        while stack:
            name, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                out.append(module.definitions[name])
            else:
                _push(module, following, done, stack)
    return out


def _push(module: Module, name: str, done: dict[str, bool], stack: list[tuple[str, Iterator[str]]]) -> None:
    if name in module.definitions and name not in done:
        done[name] = True
        stack.append((name, references(module.definitions[name].node)))
