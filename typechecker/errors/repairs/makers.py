"""Records of a named type, and the functions that make them: `solve.dense(a)` is an `Operator` of a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.rewrites import rewrites
from typechecker.errors.repairs.trees import call_of, imported, name_of, operand, tree_of
from typechecker.errors.repairs.trial import mends, offers, type_of
from typechecker.errors.words import replace_with, suggestion

if TYPE_CHECKING:
    from typechecker.declarations.entities import Module
    from typechecker.env.context import Context

ENOUGH = 2
"""How many ways to make a record are shown."""


class Maker(Struct, frozen=True):
    """A function whose result is a record: how it is written at a place, what imports it there, and its tree."""

    written: str
    edits: tuple[Edit, ...]
    said: str
    node: ast.Def

    @property
    def needed(self) -> list[ast.Param]:
        """Return the parameters without a default."""
        return [param for param in self.node.params if param.default is None]

    @property
    def lacking(self) -> str:
        """Return the error of its name in a text that does not import it yet."""
        return f"E0201 undefined name `{self.written}`" if self.edits else ""


def with_name(ctx: Context, kind: Type) -> Type:
    """Return the type of a record under the name of the alias that has these fields."""
    kind, (home, alias) = ctx.body.solver.expected(kind), next(_aliases(ctx, kind), (None, ""))
    if home is None or not isinstance(kind, ty.RecordType) or kind.name is not None:
        return kind
    return replace(kind, name=alias, home=home.name)


def made_of(ctx: Context, span: Span, actual: Type, wanted: Type) -> list[Help]:
    """Return the calls that make a record of what stands in its place; a function that makes it is called itself."""
    root, call = tree_of(span), call_of(span)
    if root is None or not isinstance(wanted, ty.RecordType):
        return []
    others = [] if call is None else [arg.value.span.text for arg in call[0].args if arg.value.span != span]
    if isinstance(actual, ty.FunctionType):
        for text in (edit.text for edit in rewrites([root], ("X => X()", "X => X(D)"), {"D": ("f32", "f64")})):
            if _makes(ctx, span, text, wanted):
                return [Help(f"call it, which makes the record: `{text}`", replace_with(span, text))]
    found = list[Help]()
    for maker in _makers(ctx, wanted, span):
        if len(maker.needed) > 2 or not _takes(maker.needed, actual):
            continue
        for more in others if len(maker.needed) == 2 else ("",):
            text = f"{maker.written}({', '.join([span.text, *filter(None, [more])])})"
            if _makes(ctx, span, text, wanted) or mends(ctx, replace_with(span, text), maker.lacking):
                first = (maker.node.doc or "").partition(".")[0]
                words = f"`{text}`{maker.said} makes one" + (f": {first[:1].lower()}{first[1:]}" if first else "")
                found.append(Help(words, (*maker.edits, *replace_with(span, text))))
        if len(found) == ENOUGH or (found and isinstance(actual, ty.ArrayType)):
            break
    return found


def _makes(ctx: Context, span: Span, text: str, wanted: ty.RecordType) -> bool:
    """Return whether an expression is a record of the fields that are wanted, whatever is wrong around it."""
    kind = type_of(ctx, text, span)
    fields = [name for name, _ in kind.fields] if isinstance(kind, ty.RecordType) else []
    return fields == [name for name, _ in wanted.fields]


def of_its_module(ctx: Context, span: Span, actual: Type) -> list[Help]:
    """Return the call of a function of like name in the module of a record, where an array is wanted."""
    call = call_of(span)
    for home, _ in _aliases(ctx, actual) if call is not None else ():
        public = [info.head.place.text for info in home.definitions.values()]
        near = suggestion(name_of(call[0]), public) if call is not None else None
        if call is not None and near is not None and near in public:
            text = f"{_prefix(ctx, home)}{near}({span.text})"
            return offers(ctx, f"of these, the module `{home.name}` has `{{}}`", replace_with(call[0].span, text))
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
    for maker in _makers_of(ctx, module, alias, call):
        for given in ("", "f64") if not maker.needed else ():
            text = f"{call.text[:-1]}, {name}={maker.written}({given}))"
            if mends(ctx, replace_with(call, text), maker.lacking):
                return [Help(f"for example `{name}={maker.written}({given})`{maker.said}", replace_with(call, text))]
    return []


def _takes(params: list[ast.Param], kind: Type) -> bool:
    """Return whether the first of some parameters may be given a value of a type."""
    stated = params[0].type if params else None
    if isinstance(kind, ty.FunctionType):
        return isinstance(stated, ast.FunctionTypeExpr)
    rank = kind.shape.rank if isinstance(kind, ty.ArrayType) else None
    return isinstance(stated, ast.IndexedType) and len(stated.args) == rank


def _makers(ctx: Context, kind: Type, place: Span) -> Iterator[Maker]:
    for home, alias in _aliases(ctx, kind):
        yield from _makers_of(ctx, home, alias, place)


def _makers_of(ctx: Context, home: Module, alias: str, place: Span) -> Iterator[Maker]:
    """Yield the public functions of a module whose result is stated by an alias of it, in the order of their text."""
    here = ctx.program.module_at(ctx)
    prefix = _prefix(ctx, home)
    for info in home.definitions.values():
        if info.head.place.text.startswith("_"):
            continue
        node = info.node
        if _alias_in(node.result) == alias:
            name = node.name.name
            known = imported(place.source, home.name, name) if not prefix and home is not here else None
            yield Maker(
                f"{prefix}{operand(name)}" if known is None else known.name,
                () if known is None else known.edits,
                "" if known is None else known.said,
                node,
            )


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
