"""Name resolution of a module: where each name is bound, and its uses.

Names of the program follow its tree, since what the checker builds has no sizes of types and no names of arguments any
more. Knows nothing of types. Read next: `index`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import assert_never

from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import parts, pattern_names
from dsl.types.dtype import BY_NAME
from typechecker.declarations.entities import PRELUDE, Module


class Kind(Enum):
    """The kinds of symbols."""

    FUNCTION = "function"
    PARAMETER = "parameter"
    VARIABLE = "variable"
    SIZE = "size"
    TYPE = "type"
    ENUM = "enum"
    VARIANT = "variant"
    EFFECT = "effect"
    CELL = "cell"
    CONSTANT = "constant"
    MODULE = "module"


class Symbol(Struct, frozen=True):
    """A name where it is bound: `module` has the place, `owner` is the definition whose parameter it is. All places are
    those of the newest version of a text."""

    kind: Kind
    name: str
    module: str
    span: Span
    owner: str = ""


class Mention(Struct, frozen=True):
    """A place where a symbol is named; where it is bound is one too."""

    span: Span
    symbol: Symbol


class Level(Struct, frozen=True, eq=False):
    """Names that are bound for one stretch of a text, inside of another."""

    extent: Span
    outer: Level | None
    symbols: dict[str, Symbol]

    def find(self, name: str) -> Symbol | None:
        """Return the symbol of the name here."""
        return self.symbols.get(name) or (None if self.outer is None else self.outer.find(name))


class Names(Struct, frozen=True):
    """All mentions of a module in order of place, and its levels, each before those inside it."""

    mentions: tuple[Mention, ...]
    levels: tuple[Level, ...]


@lru_cache(maxsize=64)
def declared_names(module: Module) -> Mapping[str, Symbol]:
    """Return the top-level symbols of a module."""
    found = [symbol for declaration in module.tree.declarations for symbol in _symbols(module, declaration)]
    for info in module.definitions.values():
        if not isinstance(info.written, ast.Def):
            start, name = info.written.rest - len(info.written.name), info.written.name
            found.append(Symbol(Kind.FUNCTION, name, module.name, Span(module.source, start, info.written.rest)))
    return {symbol.name: symbol for symbol in reversed(found)}


def _symbols(module: Module, declaration: ast.Declaration) -> Iterator[Symbol]:
    def symbol(kind: Kind, name: ast.Ident | ast.NamePattern) -> Symbol:
        return Symbol(kind, name.name, module.name, name.span.placed)

    match declaration:
        case ast.Def(name=name):
            yield symbol(Kind.FUNCTION, name)
        case ast.TypeAliasDecl(name=name):
            yield symbol(Kind.TYPE, name)
        case ast.EffectDecl(name=name):
            yield symbol(Kind.EFFECT, name)
        case ast.EnumDecl(name=name, variants=variants):
            yield symbol(Kind.ENUM, name)
            yield from (symbol(Kind.VARIANT, variant.name) for variant in variants)
        case ast.Let(pattern=pattern):
            yield from (symbol(Kind.CONSTANT, name) for name in pattern_names(pattern))
        case ast.Import(path=path, alias=alias):
            yield symbol(Kind.MODULE, alias or path[-1])
        case ast.FromImport():
            return
        case _:
            assert_never(declaration)


def resolve(
    module: Module, modules: Mapping[str, Module], declarations: Sequence[ast.Declaration] | None = None
) -> Names:
    """The names of a module, or of some of its declarations alone; `modules` are those it can import."""
    return _Resolver(module, modules).resolved(module.tree.declarations if declarations is None else declarations)


class _Resolver:
    def __init__(self, module: Module, modules: Mapping[str, Module]) -> None:
        self._module = module
        self._modules = modules
        self._mentions: list[Mention] = []
        whole = Span(module.source, 0, len(module.source.text))
        library = Level(whole, None, dict(declared_names(modules[PRELUDE])))
        self._top = Level(whole, library, dict(declared_names(module)) | self._borrowed())
        self._levels = [self._top]
        self._sizes: Level | None = None

    def resolved(self, declarations: Sequence[ast.Declaration]) -> Names:
        for declaration in declarations:
            self._declaration(declaration, self._top)
        unique = {mention.span: mention for mention in self._mentions}
        return Names(tuple(sorted(unique.values(), key=lambda m: m.span[1:])), tuple(self._levels))

    def _borrowed(self) -> dict[str, Symbol]:
        """Return the symbols imported by `from m import f as g`, by their local names."""
        found = {
            here: declared_names(self._modules[m]).get(there) for here, (m, there) in self._module.borrowed.items()
        }
        return {name: symbol for name, symbol in found.items() if symbol is not None}

    # ------------------------------------------------------------ binding and mentioning

    def _mention(self, name: ast.Ident | ast.Name | ast.NamePattern, level: Level) -> Symbol | None:
        symbol = level.find(name.name)
        if symbol is not None:
            self._mentions.append(Mention(name.span.placed, symbol))
        return symbol

    def _bind(self, kind: Kind, name: ast.Ident | ast.NamePattern, level: Level, owner: str = "") -> None:
        symbol = Symbol(kind, name.name, self._module.name, name.span.placed, owner)
        level.symbols[name.name] = symbol
        self._mentions.append(Mention(symbol.span, symbol))

    def _inner(self, outer: Level, extent: Span, patterns: Iterable[ast.Pattern] = ()) -> Level:
        level = Level(extent.placed, outer, {})
        self._levels.append(level)
        for pattern in patterns:
            self._pattern(pattern, level)
        return level

    def _pattern(self, pattern: ast.Pattern, level: Level) -> None:
        """Bind what a pattern binds; a bare name in an arm may be a variant."""
        match pattern:
            case ast.NamePattern(name=name):
                found = level.find(name)
                if found is not None and found.kind is Kind.VARIANT:
                    self._mention(pattern, level)
                else:
                    self._bind(Kind.VARIABLE, pattern, level)
            case ast.TuplePattern(parts=inside, types=types):
                self._walk(types, level)
                for part in inside:
                    self._pattern(part, level)
            case ast.VariantPattern(path=path, parts=inside):
                self._path(path, level)
                for part in inside:
                    self._pattern(part, level)
            case _:
                return

    def _path(self, path: tuple[ast.Ident, ...], level: Level) -> Symbol | None:
        """`name`, or `module.name`."""
        symbol = self._mention(path[0], level)
        return symbol if len(path) == 1 else self._member(symbol, path[-1])

    def _member(self, of: Symbol | None, name: ast.Ident) -> Symbol | None:
        target = None if of is None or of.kind is not Kind.MODULE else self._imported(of)
        symbol = None if target is None else declared_names(target).get(name.name)
        if symbol is not None:
            self._mentions.append(Mention(name.span.placed, symbol))
        return symbol

    def _imported(self, symbol: Symbol) -> Module | None:
        return self._modules.get(self._module.imports.get(symbol.name, ""))

    # ------------------------------------------------------------ declarations

    def _declaration(self, node: ast.Declaration, level: Level) -> None:
        for symbol in () if isinstance(node, ast.FromImport) else _symbols(self._module, node):
            self._mentions.append(Mention(symbol.span, symbol))
        match node:
            case ast.Def():
                self._definition(node, level)
            case ast.TypeAliasDecl(params=params, value=value):
                inner = self._inner(level, node.span)
                self._generics(params, inner)
                self._walk(value, inner)
            case ast.EnumDecl(variants=variants):
                self._walk([type_ for variant in variants for _, type_ in variant.fields], level)
            case ast.Let(type=type_, value=value):
                self._walk((type_, value), level)
            case ast.EffectDecl():
                inner = self._inner(level, node.span)
                self._generics(node.generics, inner)
                self._signature(node, node.name.name, inner)
                self._walk(node.where, inner)
            case ast.FromImport():
                self._from_import(node, level)
            case ast.Import():
                return
            case _:
                assert_never(node)

    def _from_import(self, node: ast.FromImport, level: Level) -> None:
        for there, alias in node.names:
            symbol = level.find((alias or there).name)
            if symbol is not None and symbol.module != self._module.name:
                head = Span(self._modules[symbol.module].source, 0, 0)
                module = Symbol(Kind.MODULE, node.path[-1].name, symbol.module, head)
                self._mentions += [Mention(node.path[-1].span.placed, module), Mention(there.span.placed, symbol)]

    def _definition(self, node: ast.Def, level: Level) -> None:
        inner = self._inner(level, node.span)
        self._generics(node.generics, inner)
        self._signature(node, node.name.name, inner)
        for label in () if node.effects is None else node.effects.labels:
            if isinstance(label.cell, ast.Ident):
                self._bind(Kind.CELL, label.cell, inner)
            self._mention(label.path[0], inner)
            self._size_types(label.type, inner)
        self._walk((node.where, node.body), inner)

    def _signature(self, node: ast.Def | ast.EffectDecl, owner: str, level: Level) -> None:
        """Types may mention static parameters, wherever these stand, and no others."""
        all_static = isinstance(node, ast.Def) and node.static
        statics = [param for param in node.params if param.static or all_static]
        for param in statics:
            self._bind(Kind.PARAMETER, param.name, level, owner)
        self._size_types((tuple([p.type for p in node.params]), node.result), level)
        for param in node.params:
            if param not in statics:
                self._bind(Kind.PARAMETER, param.name, level, owner)
        self._walk([param.default for param in node.params], level)

    def _generics(self, generics: tuple[ast.Generic, ...], level: Level) -> None:
        for generic in generics:
            bare = generic.constraint is None or generic.star
            self._bind(Kind.SIZE if bare else Kind.TYPE, generic.name, level)

    def _size_types(self, node: object, level: Level) -> None:
        """Types of a signature, or of a parameter of a lambda, whose sizes are bound in a level."""
        before, self._sizes = self._sizes, level
        self._walk(node, level)
        self._sizes = before

    def _name(self, node: ast.Name, level: Level) -> None:
        """A name that types of a signature mention first is a size, unless it is a dtype, or its module keeps it for
        something else."""
        is_new = level.find(node.name) is self._top.find(node.name)
        if self._sizes is None or not is_new or self._module.keeps_in_signatures(node.name):
            self._mention(node, level)
        elif node.name not in BY_NAME:
            self._bind(Kind.SIZE, ast.Ident(node.name, node.span), self._sizes)

    # ------------------------------------------------------------ expressions and types

    def _walk(self, node: object, level: Level) -> None:
        match node:
            case None | str() | int() | float() | complex() | Span() | ast.Ident():
                return
            case tuple() | list():
                for each in node:
                    self._walk(each, level)
            case ast.Name():
                self._name(node, level)
            case ast.NamedType(path=path):
                self._path(path, level)
            case ast.Field(base=ast.Name() as base, name=name):
                self._member(self._mention(base, level), name)
            case ast.Call():
                self._call(node, level)
            case ast.CellWrite(cell=cell, value=value):
                self._mention(cell, level)
                self._walk(value, level)
            case _:
                self._binder(node, level)

    def _call(self, node: ast.Call, level: Level) -> None:
        if isinstance(node.function, ast.Name):
            self._mention(node.function, level)
        else:
            self._walk(node.function, level)
        owner = self._callee(node.function, level)
        for argument in node.args:
            if argument.name is not None and owner is not None:
                self._argument_name(owner, argument.name)
            self._walk(argument.value, level)

    def _callee(self, function: ast.Expr, level: Level) -> Symbol | None:
        """The definition that is called: by its name, as `m.f`, or inside a transformation, `grad(f)`."""
        match function:
            case ast.Name(name=name):
                return level.find(name)
            case ast.Field(base=ast.Name(name=base), name=name):
                of = level.find(base)
                target = None if of is None or of.kind is not Kind.MODULE else self._imported(of)
                return None if target is None else declared_names(target).get(name.name)
            case ast.Call(args=(ast.Argument(value=inside), *_)) if not isinstance(inside, ast.Splice):
                return self._callee(inside, level)
            case _:
                return None

    def _argument_name(self, owner: Symbol, name: ast.Ident) -> None:
        info = self._modules[owner.module].definitions.get(owner.name)
        for param in () if info is None else info.node.params:
            if param.name.name == name.name:
                symbol = Symbol(Kind.PARAMETER, name.name, owner.module, param.name.span.placed, owner.name)
                self._mentions.append(Mention(name.span.placed, symbol))

    def _binder(self, node: object, level: Level) -> None:
        match node:
            case ast.Block(statements=statements, result=result, span=span):
                for statement in statements:
                    self._walk(parts(statement), level)
                    rest = Span(span.source, statement.span.end, span.end)
                    match statement:
                        case ast.Let(pattern=pattern):
                            level = self._inner(level, rest, [pattern])
                        case ast.Assignment(target=ast.Name(name=name, span=place)):
                            level = self._inner(level, rest, [ast.NamePattern(name, place)])
                self._walk(result, level)
            case ast.Lambda(params=params, body=body, span=span):
                inner = self._inner(level, span)
                self._size_types([param.type for param in params], inner)
                for param in params:
                    self._pattern(param.pattern, inner)
                self._walk(body, inner)
            case ast.Comprehension(body=body, clauses=clauses, span=span):
                for clause in clauses:
                    self._walk(clause.iterable, level)
                    level = self._inner(level, span, [clause.pattern])
                self._walk(body, level)
            case ast.Loop(carry=carry, clause=clause, body=body):
                self._walk((node.carry_type, node.init, clause.iterable, node.unroll), level)
                self._walk(body, self._inner(level, body.span, [carry, clause.pattern]))
            case ast.Iterate(carry=carry, condition=condition, body=body):
                self._walk((node.carry_type, node.init, node.limit), level)
                self._walk((condition, body), self._inner(level, condition.span.to(body.span), [carry]))
            case ast.Match(subject=subject, arms=arms):
                self._walk(subject, level)
                for arm in arms:
                    self._walk(arm.body, self._inner(level, arm.span, [arm.pattern]))
            case ast.With(handler=handler, body=body):
                self._walk(body, self._handler(handler, self._inner(level, node.span)))
            case _:
                self._walk(parts(node), level)

    def _handler(self, handler: ast.Handler, level: Level) -> Level:
        """The level of the body: a handler's cells are known there and in its clauses."""
        match handler:
            case ast.StateHandler(cell=cell) | ast.AccumHandler(cell=cell):
                self._walk(parts(handler), level)
                self._bind(Kind.CELL, cell, level)
            case ast.UserHandler(clauses=clauses, state=state):
                if state is not None:
                    self._handler(state, level)
                for clause in clauses:
                    self._path(clause.path, level)
                    inner = self._inner(level, clause.span, clause.params)
                    if clause.source is not None:
                        self._walk(clause.source.record, level)
                        self._bind(Kind.VARIABLE, clause.source.name, inner)
                    self._walk(clause.body, inner)
            case _:
                self._walk(parts(handler), level)
        return level
