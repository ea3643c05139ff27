"""An index of a checked module: the symbol of each name, and the type of each expression.

It is made of what the checker knows of each definition, whatever is wrong elsewhere. Read next: `analysis`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import itemgetter

from dsl.core import core
from dsl.core.walk import bound_names, subexpressions
from dsl.diagnostics.source import Source, Span
from dsl.lsp.names import Kind, Mention, Names, Symbol, declared_names, resolve
from dsl.syntax import ast
from dsl.types.type import ERROR, ArrayType, DTypeVar, Element, FunctionType, StaticType, Type
from dsl.types.walk import map_children
from typechecker.declarations.entities import Definition, Module

Place = tuple[int, int]


class Index:
    """The places of one module, as they are in the newest version of its text. `modules` are those of its program by
    name. What is asked of one place looks at its declaration alone; that is `tried` if another text of it is."""

    def __init__(self, module: Module, modules: Mapping[str, Module], tried: Part | None = None) -> None:
        self.module = module
        self.modules = modules
        self._tried = tried
        self._part_of: dict[int, Part] = {}

    def trying(self, node: ast.Def, info: Definition | None) -> Index:
        """Return the index of a text with another definition, and what is known of it, if anything."""
        part = Part(self.module, self.modules, [node], node.span.source, [] if info is None else [info])
        return Index(self.module, self.modules, part)

    @cached_property
    def names(self) -> Names:
        """Return the resolved names, methods included."""
        return self._whole.names

    @cached_property
    def types(self) -> Mapping[Span, Type]:
        """By place, the type of the expression there; the outermost where several have the same place."""
        return self._whole.types

    @cached_property
    def bindings(self) -> Mapping[Span, Type]:
        """By the place where a local name is bound, its type."""
        return self._whole.bindings

    @property
    def expressions(self) -> Sequence[tuple[Definition, core.Expr]]:
        """Return every expression with the definition that it is in."""
        return self._whole.expressions

    @cached_property
    def _whole(self) -> Part:
        return Part(self.module, self.modules, self.module.tree.declarations)

    @cached_property
    def _begins(self) -> list[tuple[int, ast.Declaration]]:
        return [(node.span.placed.start, node) for node in self.module.tree.declarations]

    def _at(self, offset: int) -> Part:
        """The declaration at an offset, or the last one before it."""
        if self._tried is not None:
            return self._tried
        at = bisect_right(self._begins, offset, key=itemgetter(0)) - 1
        if at not in self._part_of:
            self._part_of[at] = Part(self.module, self.modules, [self._begins[at][1]] if at >= 0 else [])
        return self._part_of[at]

    # ------------------------------------------------------------ places

    def mention_at(self, offset: int) -> Mention | None:
        """The name at an offset, or right before it."""
        mentions = self._at(offset).names.mentions
        at = bisect_right(mentions, offset, key=lambda mention: mention.span.start) - 1
        found = mentions[at] if at >= 0 else None
        return found if found is not None and offset <= found.span.end else None

    def expression_at(self, offset: int) -> tuple[Place, Type] | None:
        """The smallest expression around an offset that has a type."""
        types = self._at(offset).types
        around = [p for p, t in types.items() if p.start <= offset < p.end and t != ERROR]
        place = min(around, key=lambda p: p.end - p.start, default=None)
        return None if place is None else ((place.start, place.end), types[place])

    def type_ending_at(self, offset: int) -> Type | None:
        """The type of the shortest expression that ends at an offset: a postfix there belongs to it."""
        part = self._at(offset)
        ending = [(p.start, t) for p, t in (*part.types.items(), *part.bindings.items()) if p.end == offset]
        return max(ending, key=lambda found: found[0])[1] if ending else None

    def visible_at(self, offset: int) -> Mapping[str, Symbol]:
        """The names that can be used at an offset."""
        levels = self._at(offset).names.levels
        around = [level for level in levels if level.extent.start <= offset <= level.extent.end]
        found: dict[str, Symbol] = {}
        for level in around:
            found |= {} if level.outer is None else level.outer.symbols
            found |= level.symbols
        return found

    def type_of(self, symbol: Symbol) -> Type | None:
        """The type of a local name or a constant of this module."""
        if symbol.kind is Kind.CONSTANT and symbol.name in self.modules[symbol.module].checked_constants:
            return self.modules[symbol.module].checked_constants[symbol.name].type
        part = self._at(symbol.span.start)
        return part.bindings.get(symbol.span) if part.has(symbol.span) else None


class Part:
    """Some declarations of a module: their names, and the types of the expressions in them. They are in the module's
    text, and its definitions are those that the module knows by their names, unless others are given."""

    def __init__(
        self,
        module: Module,
        modules: Mapping[str, Module],
        declarations: Sequence[ast.Declaration],
        source: Source | None = None,
        definitions: Sequence[Definition] | None = None,
    ) -> None:
        self._module = module
        self._modules = modules
        self._declarations = declarations
        self._source = source or module.source
        self._given = definitions

    def has(self, span: Span) -> bool:
        """Return whether a place is in the text of these declarations."""
        return span.source is self._source.placed

    @cached_property
    def _definitions(self) -> Sequence[Definition]:
        """The definitions among the declarations; those of the library are known by their texts."""
        if self._given is not None:
            return self._given
        table = self._module.definitions
        if self._module.source.in_library:
            return [*table.values()]
        found = (table.get(node.name.name) for node in self._declarations if isinstance(node, ast.Def))
        return [info for info in found if info is not None]

    @cached_property
    def names(self) -> Names:
        """Return the resolved names, methods included."""
        found = resolve(self._module, self._modules, self._declarations)
        named = {mention.span for mention in found.mentions}
        methods = [Mention(span, symbol) for span, symbol in self._functions_named() if span not in named]
        return Names(tuple(sorted((*found.mentions, *methods), key=lambda m: m.span[1:])), found.levels)

    def _functions_named(self) -> Iterator[tuple[Span, Symbol]]:
        """Definitions where they are named by themselves, as in `x.sum()`."""
        for _, node in self.expressions:
            if isinstance(node, core.Global) and node.module in self._modules:
                symbol = declared_names(self._modules[node.module]).get(core.written_name(node.name))
                if symbol is not None and node.span.text == symbol.name and self.has(node.span.placed):
                    yield node.span.placed, symbol

    @cached_property
    def expressions(self) -> list[tuple[Definition, core.Expr]]:
        """Return every expression with the definition that it is in."""
        found = [(info, info.checked) for info in self._definitions]
        return [(info, node) for info, body in found if body is not None for node in subexpressions(body.body)]

    @cached_property
    def types(self) -> Mapping[Span, Type]:
        """By place, the type of the expression there; the outermost where several have the same place."""
        placed = ((n.span.placed, info, n) for info, n in reversed(self.expressions))
        kept = {place: _solved(info, n.type) for place, info, n in placed if self.has(place)}
        return {**kept, **self._inside_refused, **{place: type_ for place, type_ in kept.items() if type_ != ERROR}}

    @property
    def _inside_refused(self) -> Mapping[Span, Type]:
        """The types of the expressions of faulty definitions: a refused expression keeps nothing of what it holds."""
        found = ((info, span.placed, type_) for info in self._definitions for span, type_ in info.task.types)
        return {span: _solved(info, type_) for info, span, type_ in found if self.has(span)}

    @cached_property
    def bindings(self) -> Mapping[Span, Type]:
        """By the place where a local name is bound, its type."""
        found: dict[Span, Type] = {}
        for info in self._definitions:
            for param in () if info.signature is None else info.signature.params:
                found[param.span.placed] = _solved(info, param.type)
        for info, node in self.expressions:
            for id, type_ in _local_types(node):
                if id in info.task.origins:
                    span, _ = info.task.origins[id]
                    found.setdefault(span.placed, _solved(info, type_))
        return found


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
