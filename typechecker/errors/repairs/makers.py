"""Records of a named type, and the functions that make them: `solve.dense(a)` is an `Operator` of a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.trees import Imported, call_of, imported, name_of
from typechecker.errors.repairs.trial import Words, tried
from typechecker.errors.words import suggestion

if TYPE_CHECKING:
    from typechecker.declarations.entities import Module
    from typechecker.env.context import Context

ENOUGH = 2
"""How many ways to make a record are shown."""


def with_name(ctx: Context, kind: Type) -> Type:
    """Return the type of a record under the name of the alias that has these fields."""
    kind, (home, alias) = ctx.body.solver.expected(kind), next(_aliases(ctx, kind), (None, ""))
    if home is None or not isinstance(kind, ty.RecordType) or kind.name is not None:
        return kind
    return replace(kind, name=alias, home=home.name)


def made_of(ctx: Context, span: Span, actual: Type, wanted: Type) -> list[Help]:
    """Return the calls that make a record of what stands in its place; a function that makes it is called itself."""
    call, found = call_of(span), list[Help]()
    if not isinstance(wanted, ty.RecordType):
        return []
    others = [] if call is None else [arg.value.span.text for arg in call[0].args if arg.value.span != span]
    if isinstance(actual, ty.FunctionType) and (helps := tried(ctx, span, _CALLED, {"D": ("f32", "f64")})):
        return helps
    for home, alias in _aliases(ctx, wanted):
        for maker, node in _makers_of(ctx, home, alias, span):
            needed = [param for param in node.params if param.default is None]
            rule = {1: "X => Z(X)", 2: "X => Z(X, Y)"}.get(len(needed)) if _takes(needed, actual) else None
            first = (node.doc or "").partition(".")[0]
            words = Words("`{0}` makes one: {1}", (f"{first[:1].lower()}{first[1:]}",)) if first else "`{}` makes one"
            found += tried(ctx, span, [words, rule], {"Z": [maker.name], "Y": others}, [maker]) if rule else []
            if len(found) == ENOUGH or (found and isinstance(actual, ty.ArrayType)):
                return found
    return found


_CALLED = ("call it, which makes the record: `{}`", "X => X()", "X => X(D)")


def of_its_module(ctx: Context, span: Span, actual: Type) -> list[Help]:
    """Return the call of a function of like name in the module of a record, where an array is wanted."""
    call = call_of(span)
    for home, _ in _aliases(ctx, actual) if call is not None else ():
        public = [info.head.place.text for info in home.definitions.values()]
        near = suggestion(name_of(call[0]), public) if call is not None else None
        if near is not None:
            rules = (f"of these, the module `{home.name}` has `{{}}`", "F(X, R) => Z(X)")
            return tried(ctx, span, rules, {"Z": [f"{_prefix(ctx, home)}{near}"]})
    return []


def _prefix(ctx: Context, home: Module) -> str:
    """Return what is written before a name of a module that is imported as a whole."""
    imported = ctx.program.module_at(ctx).imports
    return next((f"{name}." for name, path in imported.items() if path == home.name), "")


def made_alone(ctx: Context, definition: Span, name: str, call: Span) -> list[Help]:
    """Return a call with an argument that is missing, made by the first function that needs nothing for it."""
    module = next((each for each in ctx.program.modules.values() if each.source is definition.source), None)
    nodes = [info.node for info in module.definitions.values()] if module is not None else []
    params = [param for node in nodes if node.name.span == definition for param in node.params]
    stated = next((param.type for param in params if param.name.name == name), None)
    alias = _alias_in(stated)
    if module is None or alias is None:
        return []
    for maker, node in _makers_of(ctx, module, alias, call):
        if all(param.default is not None for param in node.params):
            rules = ("for example `{}`", f"F(R) => F(R, {name}=Z())", f"F(R) => F(R, {name}=Z(f64))")
            if found := tried(ctx, call, rules, {"Z": [maker.name]}, [maker]):
                return found
    return []


def _takes(params: list[ast.Param], kind: Type) -> bool:
    """Return whether the first of some parameters may be given a value of a type."""
    stated = params[0].type if params else None
    if isinstance(kind, ty.FunctionType):
        return isinstance(stated, ast.FunctionTypeExpr)
    rank = kind.shape.rank if isinstance(kind, ty.ArrayType) else None
    return isinstance(stated, ast.IndexedType) and len(stated.args) == rank


def _makers_of(ctx: Context, home: Module, alias: str, place: Span) -> Iterator[tuple[Imported, ast.Def]]:
    """Yield the public functions of a module whose result is stated by an alias of it, in the order of their text, each
    as it is written at a place."""
    prefix = _prefix(ctx, home)
    for info in home.definitions.values():
        name = info.node.name.name
        if not info.head.place.text.startswith("_") and _alias_in(info.node.result) == alias:
            written = prefix or home is ctx.program.module_at(ctx)
            yield Imported(f"{prefix}{name}") if written else imported(place.source, home.name, name), info.node


def _alias_in(stated: ast.TypeExpr | None) -> str | None:
    """Return the name of the type that is stated, without its arguments."""
    base = stated.base if isinstance(stated, ast.IndexedType) else stated
    return base.path[-1].name if isinstance(base, ast.NamedType) else None


def _aliases(ctx: Context, kind: Type) -> Iterator[tuple[Module, str]]:
    """Yield the aliases that have the fields of a record, in the modules that are used here."""
    here = ctx.program.module_at(ctx)
    names = dict.fromkeys([here.name, *here.imports.values(), *(home for home, _ in here.borrowed.values())])
    fields = {name for name, _ in kind.fields} if isinstance(kind, ty.RecordType) else set[str]()
    for home in [ctx.program.modules[name] for name in names if name in ctx.program.modules]:
        for alias in home.aliases.values():
            stated = alias.value
            if isinstance(stated, ast.RecordTypeExpr) and fields == {name.name for name, _ in stated.fields}:
                yield home, alias.name
