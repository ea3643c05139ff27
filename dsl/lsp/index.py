"""An index of a checked module: the symbol of each name, and the type of each expression.

It is made of what the checker knows of each definition, whatever is wrong elsewhere. Read next: `analysis`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property, partial

from dsl.core import core
from dsl.core.walk import bound_names, subexpressions
from dsl.diagnostics.source import Span
from dsl.lsp.names import Kind, Mention, Names, Symbol, declared_names, resolve
from dsl.types.type import ERROR, ArrayType, DTypeVar, Element, FunctionType, StaticType, Type
from dsl.types.walk import map_children
from typechecker.declarations.entities import Definition, Module

Place = tuple[int, int]


class Index:
    """The places of one module. `modules` are those of its program by name."""

    def __init__(self, module: Module, modules: Mapping[str, Module]) -> None:
        self.module = module
        self.modules = modules

    @cached_property
    def names(self) -> Names:
        """Return the resolved names, methods included."""
        found = resolve(self.module, self.modules)
        methods = [Mention(span, symbol) for span, symbol in self._functions_named() if span not in self._named(found)]
        return Names(tuple(sorted((*found.mentions, *methods), key=lambda m: m.span[1:])), found.levels)

    def _named(self, found: Names) -> set[Span]:
        return {mention.span for mention in found.mentions}

    def _functions_named(self) -> Iterator[tuple[Span, Symbol]]:
        """Definitions where they are named by themselves, as in `x.sum()`."""
        for _, node in self._expressions:
            if isinstance(node, core.Global) and node.module in self.modules:
                symbol = declared_names(self.modules[node.module]).get(core.written_name(node.name))
                if symbol is not None and node.span.text == symbol.name and node.span.source is self.module.source:
                    yield node.span, symbol

    @cached_property
    def _expressions(self) -> list[tuple[Definition, core.Expr]]:
        found = [(info, info.checked) for info in self.module.definitions.values()]
        return [(info, node) for info, body in found if body is not None for node in subexpressions(body.body)]

    @cached_property
    def types(self) -> Mapping[Place, Type]:
        """By place, the type of the expression there; the outermost where several have the same place."""
        kept = {(n.span.start, n.span.end): _solved(info, n.type) for info, n in reversed(self._expressions)}
        return {**kept, **self._inside_refused, **{place: type_ for place, type_ in kept.items() if type_ != ERROR}}

    @property
    def _inside_refused(self) -> Mapping[Place, Type]:
        """The types of the expressions of faulty definitions: a refused expression keeps nothing of what it holds."""
        found = ((info, *each) for info in self.module.definitions.values() for each in info.task.types)
        mine = ((info, span, type_) for info, span, type_ in found if span.source is self.module.source)
        return {(span.start, span.end): _solved(info, type_) for info, span, type_ in mine}

    @cached_property
    def bindings(self) -> Mapping[Place, Type]:
        """By the place where a local name is bound, its type."""
        found: dict[Place, Type] = {}
        for info in self.module.definitions.values():
            for param in () if info.signature is None else info.signature.params:
                found[param.span.start, param.span.end] = _solved(info, param.type)
        for info, node in self._expressions:
            for id, type_ in _local_types(node):
                if id in info.task.origins:
                    span, _ = info.task.origins[id]
                    found.setdefault((span.start, span.end), _solved(info, type_))
        return found

    # ------------------------------------------------------------ places

    def mention_at(self, offset: int) -> Mention | None:
        """The name at an offset, or right before it."""
        starts = [mention.span.start for mention in self.names.mentions]
        at = bisect_right(starts, offset) - 1
        found = self.names.mentions[at] if at >= 0 else None
        return found if found is not None and offset <= found.span.end else None

    def expression_at(self, offset: int) -> tuple[Place, Type] | None:
        """The smallest expression around an offset that has a type."""
        around = [p for p, t in self.types.items() if p[0] <= offset < p[1] and t != ERROR]
        place = min(around, key=lambda p: p[1] - p[0], default=None)
        return None if place is None else (place, self.types[place])

    def type_ending_at(self, offset: int) -> Type | None:
        """The type of the shortest expression that ends at an offset: a postfix there belongs to it."""
        ending = [(start, t) for (start, end), t in (*self.types.items(), *self.bindings.items()) if end == offset]
        return max(ending, key=lambda found: found[0])[1] if ending else None

    def visible_at(self, offset: int) -> Mapping[str, Symbol]:
        """The names that can be used at an offset."""
        around = [level for level in self.names.levels if level.extent.start <= offset <= level.extent.end]
        found: dict[str, Symbol] = {}
        for level in around:
            found |= {} if level.outer is None else level.outer.symbols
            found |= level.symbols
        return found

    def type_of(self, symbol: Symbol) -> Type | None:
        """The type of a local name or a constant of this module."""
        if symbol.kind is Kind.CONSTANT and symbol.name in self.modules[symbol.module].checked_constants:
            return self.modules[symbol.module].checked_constants[symbol.name].type
        return self.bindings.get((symbol.span.start, symbol.span.end))


def _local_types(node: core.Expr) -> Iterator[tuple[int, Type]]:
    match node:
        case core.Local(type=type_, id=id):
            yield id, type_
        case core.Sequence(statements=statements):
            for statement in statements:
                if isinstance(statement, core.Bound):
                    yield from _bound(statement.pattern, statement.value.type)
        case core.Loop(carry=carry, carry_type=type_) | core.Iterate(carry=carry, carry_type=type_):
            yield from _bound(carry, type_)
        case _:
            return


def _bound(pattern: core.Pattern, type_: Type) -> Iterator[tuple[int, Type]]:
    if isinstance(pattern, core.Bind):
        yield from ((name.id, type_) for name in bound_names(pattern))


def _solved(info: Definition, type_: Type) -> Type:
    """A type with what inference found for its variables."""
    return type_ if info.checked is None or not info.checked.solution else _with(info.checked.solution, type_)


def _with(solution: Mapping[DTypeVar, Element], type_: Type) -> Type:
    if isinstance(type_, ArrayType):
        element = type_.dtype
        while isinstance(element, DTypeVar) and element in solution:
            element = solution[element]
        return ArrayType(element, type_.shape)
    return map_children(type_, partial(_with, solution))


def is_static(type_: Type) -> bool:
    """Return whether a value of the type is known before anything runs; functions always are."""
    return isinstance(type_, StaticType) and not isinstance(type_, FunctionType)
