"""Which names a piece of syntax mentions, and the order in which definitions are best checked."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.library_text import words_in
from dsl.syntax.versions import slot_of
from dsl.syntax.walk import nodes, parts
from typechecker.types.type_classes import TYPE_CLASSES

if TYPE_CHECKING:
    from typechecker.declarations.entities import Module


def type_parameters(params: Collection[ast.Generic], value: ast.TypeExpr) -> frozenset[str]:
    """The parameters of a `type` that stand for types: those of a class of types, and those that stand as one."""
    as_types = {n.path[0].name for n in nodes(value) if isinstance(n, ast.NamedType) and len(n.path) == 1}
    return frozenset(
        p.name.name
        for p in params
        if not p.star and (p.name.name in as_types if p.constraint is None else p.constraint.name in TYPE_CLASSES)
    )


def references(node: object, outside: type | None = None) -> Iterator[str]:
    """All names mentioned, those of methods and types too; more than are really meant, never fewer."""
    found = nodes(node, outside)
    return (part.name for part in found if isinstance(part, ast.Name | ast.Ident))


def mentions(node: ast.Def, modules: Collection[str] = ()) -> Iterator[str]:
    """The names that a definition may call: names and methods, not its own parameters and sizes, nor primitives, nor
    what is in these modules."""
    own = {p.name.name for p in node.params} | {name for p in node.params for name in _sizes(p.type)}
    todo: list[object] = [node.body, node.result, node.where, *(p.type for p in node.params)]
    while todo:
        found = todo.pop()
        match found:
            case ast.Name(name, _):
                if name not in own:
                    yield name
            case ast.Call(ast.Field(ast.Name(module), _)) if module in modules and module not in own:
                todo.extend(found.args)
            case ast.Call(ast.Field(base, name)) if not _is_own_syntax(base):
                todo.extend(parts(found))
                yield name.name
            case Span() | str() | None | ast.NamedType() | ast.Ident():
                pass
            case tuple() | list():
                todo.extend(found)
            case _:
                todo.extend(parts(found))


def _sizes(node: ast.TypeExpr | None) -> Iterator[str]:
    """The names that stand alone between the brackets of a type: they are sizes, also where a function has the name."""
    for found in nodes(node):
        if isinstance(found, ast.IndexedType):
            yield from (arg.name for arg in found.args if isinstance(arg, ast.Name))


def _is_own_syntax(base: ast.Expr) -> bool:
    """Return whether what is called on this is no function: a primitive, or an update, `x.at[i].set(v)`."""
    match base:
        case ast.Name("intrinsic") | ast.Index(ast.Field(_, ast.Ident("at"))):
            return True
        case _:
            return False


def intrinsic_call(node: ast.Call) -> bool:
    """Return whether a call is of a primitive of the compiler, in a text that may call them: `intrinsic.NAME(…)`."""
    function = node.function
    return isinstance(function, ast.Field) and isinstance(function.base, ast.Name) and function.base.name == "intrinsic"


_Node = TypeVar("_Node", bound=Hashable)
Graph: TypeAlias = Mapping[_Node, Collection[_Node]]


def order(module: Module) -> list[str]:
    """Constants and definitions, those they mention first, as far as there is no cycle; constants that need themselves
    come before all, in the order of declaration, for the first of them to be named."""
    nodes: dict[str, ast.Def | ast.Let] = {**module.constants, **{n: d.node for n, d in module.definitions.items()}}
    graph = {name: _all_words(node) for name, node in nodes.items()}
    needed = {name: tuple(references(node)) for name, node in module.constants.items()}
    endless = _on_cycles(needed)
    return [name for name in graph if name in endless] + [n for n in _postorder(graph) if n not in endless]


def recursive(module: Module) -> Mapping[str, frozenset[str]]:
    """The definitions from which calls lead back to themselves, each with all that these calls may lead through. Words
    tell which may be; the trees of these tell which are."""
    trees = {name: info.node for name, info in module.definitions.items()}
    suspects = _on_cycles({name: _words(node, node.name.span.end) for name, node in trees.items()})
    graph = {name: tuple(dict.fromkeys(mentions(trees[name], module.imports))) for name in trees if name in suspects}
    return {name: frozenset(cycle) for cycle in cycles_of(graph) for name in cycle}


def _on_cycles(graph: Graph[_Node]) -> frozenset[_Node]:
    return frozenset().union(*cycles_of(graph))


def _words(node: ast.Def | ast.TypeExpr, start: int) -> Collection[str]:
    """Return the names that a definition or a type may mention after its own name."""
    slot = slot_of(node.span)
    return words_in(node.span.source, start, node.span.end) if slot is None else slot.called


def _all_words(node: ast.Def | ast.Let) -> Collection[str]:
    slot = slot_of(node.span)
    return words_in(node.span.source, node.span.start, node.span.end) if slot is None else slot.words


def cyclic_aliases(module: Module) -> Iterator[list[str]]:
    """The names of types that stand for themselves, each group in the order of declaration."""
    aliases = dict(module.aliases)
    suspects = _on_cycles({name: _words(alias.value, alias.value.span.start) for name, alias in aliases.items()})
    graph = {name: tuple(dict.fromkeys(references(aliases[name].value))) for name in aliases if name in suspects}
    for cycle in cycles_of(graph):
        yield [name for name in graph if name in cycle]


def cycles_of(graph: Graph[_Node]) -> Iterator[set[_Node]]:
    """The groups of names from which paths lead back to them, those that lead to others first."""
    for component in _components(graph):
        start = next(iter(component))
        if len(component) > 1 or start in graph[start]:
            yield component


def components(graph: Graph[_Node]) -> list[set[_Node]]:
    """All names, those together that lead to each other, each group after those that it leads to."""
    return [*_components(graph)][::-1]


def _components(graph: Graph[_Node]) -> Iterator[set[_Node]]:
    """The strongly connected components of a graph, by Kosaraju, those that lead to others first."""
    callers: dict[_Node, set[_Node]] = {name: set() for name in graph}
    for name, called in graph.items():
        for other in called:
            if other in graph:
                callers[other].add(name)
    seen: set[_Node] = set()
    for start in reversed(_postorder(graph)):
        component = _reached(callers, start, seen)
        if component:
            yield component


def _reached(graph: Graph[_Node], start: _Node, seen: set[_Node]) -> set[_Node]:
    """Return the newly reachable nodes, and mark them as seen."""
    out: set[_Node] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            out.add(name)
            todo.extend(graph[name])
    return out


def _postorder(graph: Graph[_Node]) -> list[_Node]:
    """Depth first, each name after those it leads to; iterative, for long chains."""
    begun: set[_Node] = set()
    out: list[_Node] = []
    for start in graph:
        stack = [] if start in begun else [(start, iter(graph[start]))]
        begun.add(start)
        while stack:
            name, rest = stack[-1]
            following = next((n for n in rest if n in graph and n not in begun), None)
            if following is None:
                stack.pop()
                out.append(name)
            else:
                begun.add(following)
                stack.append((following, iter(graph[following])))
    return out
