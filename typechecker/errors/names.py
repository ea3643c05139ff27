"""E02: names and modules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.other_libraries import ELSEWHERE, PACKAGES, ForeignCall, elsewhere
from typechecker.errors.repairs.rewrites import DTYPES
from typechecker.errors.repairs.trees import (
    at_top,
    declarations,
    enclosing,
    expressions,
    imported,
    lets_of,
    sizes_in,
    unused,
)
from typechecker.errors.repairs.trial import definition_around, first_that_mends, offers
from typechecker.errors.templates import Template
from typechecker.errors.words import instead, plain_type, rename, replace_with, suggestion

if TYPE_CHECKING:
    from dsl.syntax.packages import Package
    from typechecker.env.context import Context

_undefined = Template("E0201", "undefined name `{name}`", "{what}")
_MISSING = "not found in this scope"
newaxis = Template("E0201", "undefined name `{text}`", _MISSING, help="a new axis is written `None`", fix="None")
_not_a_value = Template("E0201", "`{name}` is not a value", "{what}")


def unknown_name(
    ctx: Context, name: str, known: Iterable[str], span: Span, own: str, homes: Sequence[str], call: ForeignCall | None
) -> Diagnostic:
    """`own` is what is meant by the name, `homes` are the modules of the library that have that, or are it; `call` what
    the call is written here."""
    names = list(known)
    if name in names:
        return _type_as_value(name, span)
    what, advice = _MISSING, list[Help]()
    if call is not None:
        reason = f"`{call.name}` is in scope without a module:" if call.name in names else "write"
        advice = instead(f"{reason} `{{}}`", call.span, call.written)
    elif own != name:
        advice = _in_package(name, own, names, homes[0] if homes else "", span)
    elif name in ELSEWHERE:
        advice = [Help(ELSEWHERE[name])]
    elif homes and not _is_bound_later(ctx, name, span):
        what = "a module that is not imported" if name == homes[0] else f"a function of the module `{homes[0]}`"
        lines = [f"import {name}" if name == home else f"from {home} import {name}" for home in homes]
        words = f"import it: {' or '.join([f'`{line}`' for line in lines])}"
        advice = [Help(words, (at_top(span.source, lines[0]),) if len(lines) == 1 else ())]
    near, node = DTYPES.get(name) or suggestion(name, names), definition_around(ctx, span)
    if not advice and any(each.value.span.covers(span) for each in lets_of(node, name)):
        advice = [Help(_OF_ITSELF.format(name))]
    if node is not None and near is None and not advice:
        likely = [each for each in (*sizes_in(node), *unused(node)) if each != name]
        advice = offers(ctx, "did you mean `{}`?", *(replace_with(span, each) for each in likely))
    return _undefined(span, name=name, what=what, help=advice or _renamed(span, name, near))


_OF_ITSELF = (
    "a name is not in scope in its own definition: what depends on the value before it is carried by a `fold`, or by a "
    "`scan`, which has all of them: `let (_, {}) = scan last = … for … do …`"
)


def _type_as_value(name: str, span: Span) -> Diagnostic:
    """The name of a type, or that of an enum with a variant behind it."""
    for field in enclosing(span, ast.Field):
        if field.base.span == span and field.name.name[:1].isupper():
            variant = instead("write `{}`", field.span, field.name.name)
            return _not_a_value(span, name=name, what="an enum", help=variant)
    return _not_a_value(
        span, name=name, what="a type or an effect", help="write a variant without the name of its enum"
    )


def _is_bound_later(ctx: Context, name: str, span: Span) -> bool:
    """Return whether a name is one of the definition's own, which is not yet bound where it is mentioned."""
    return any(isinstance(each, ast.NamePattern) and each.name == name for each in nodes(definition_around(ctx, span)))


def meant(name: str, span: Span) -> Sequence[str]:
    """Return what a name may be here: behind that of a Python package the last two names as one, or the last."""
    if name not in PACKAGES:
        return (name,)
    path = path_of(name, span)
    return ("_".join(path[-2:]), path[-1]) if len(path) > 2 else (path[-1],)


def path_of(name: str, span: Span) -> list[str]:
    """The names that are joined by dots from a place on."""
    return _path(name, span)[0]


def _path(name: str, span: Span) -> tuple[list[str], Span]:
    """The names that are joined by dots from a place on, and the place of them all."""
    for kind in enclosing(span, ast.NamedType):
        return [part.name for part in kind.path], kind.span
    path = [name]
    for field in enclosing(span, ast.Field):
        if field.base.span.end == span.end:
            path.append(field.name.name)
            span = Span(span.source, span.start, field.span.end)
    return path, span


def _in_package(name: str, last: str, names: Sequence[str], home: str, span: Span) -> list[Help]:
    """A name behind that of a package: one of a dtype, of what is in scope, of a module of the library."""
    _, place = _path(name, span)
    if last in DTYPES:
        return instead("the dtype is written `{}`", place, DTYPES[last])
    if last in names:
        return instead(f"`{last}` is in scope without `{name}`: write `{{}}`", place, last)
    if home:
        own = imported(span.source, home, last)
        return [Help(f"write `{own.name}`{own.said}", (*own.edits, *replace_with(place, own.name)))]
    return [Help(ELSEWHERE.get(last) or f"the library has no `{last}`; what it has is in scope without `{name}`")]


def record_type(name: str, fields: Sequence[str], span: Span) -> Diagnostic:
    """The name of a record type where a value is needed."""
    written = ", ".join(f"{field} = …" for field in fields)
    helps = [Help(f"a record is written `{{{written}}}`")]
    for call in enclosing(span, ast.Call):
        if call.function.span == span and len(call.args) == len(fields):
            given = dict(zip(fields, call.args, strict=True)) | {
                a.name.name: a for a in call.args if a.name is not None
            }
            whole = ", ".join([f"{field} = {given[field].value.span.text}" for field in fields])
            helps = instead("a record is written by its fields: `{}`", call.span, f"{{{whole}}}")
    return _not_a_value(span, name=name, what="a type", help=helps)


_outside_alias = Template(
    "E0201",
    "undefined name `{name}`",
    "not a parameter of the type",
    help="make it a parameter: `type {alias}[{missing:listed}] = {value}`, used as `{alias}[{missing:listed}]`",
)


def in_alias(name: str, alias: str, value: Span, known: Iterable[str], span: Span) -> Diagnostic:
    """A name in a type declaration that is not one of its parameters; all that are missing are offered at once."""
    inside = [
        e.name for e in expressions(declarations(span.source)) if isinstance(e, ast.Name) and value.covers(e.span)
    ]
    missing = [each.lstrip("?") for each in dict.fromkeys([*inside, name]) if each not in known]
    return _outside_alias(
        span, name=name, alias=alias, missing=missing, value=" ".join(value.text.split()).replace("?", "")
    )


_value_as_type = Template(
    "E0202",
    "undefined type `{name}`",
    "`{name}` is a size or a value here",
    note="a dtype or a type is declared with its class: `[{name}: Float]` is a dtype, `[{name}: Tree]` a type",
    help="state its class: `[{written}]`",
)
_CLASSES = ("Float", "Num", "Any", "VSpace", "Tree", "Move")
"""Those that a variable without one may be meant to have, the likeliest first."""
_unknown_type = Template(
    "E0202",
    "undefined type `{whole}`",
    "not a type",
    note="types are dtypes such as `f32`, `key`, `idx[n]`, and names declared with `type` or `enum`",
)
_class_as_type = Template(
    "E0202",
    "`{name}` is a class of dtypes, not a dtype",
    "a class",
    help="declare a dtype of it, `[a: {name}]`, and write `a` here; one that callers give is `static d: {name}`",
)


def unknown_type(ctx: Context, name: str, known: Iterable[str], span: Span, is_value: bool) -> Diagnostic:
    if is_value:
        node = definition_around(ctx, span)
        bare = [] if node is None else [g.span for g in node.generics if g.name.name == name and g.constraint is None]
        edits = first_that_mends(ctx, [replace_with(at, f"{name}: {each}") for at in bare for each in _CLASSES])
        return _value_as_type(span, edits=edits, name=name, written=edits[0].text if edits else None)
    last = name.rpartition(".")[2]
    if name in dt.CLASSES:
        return _class_as_type(span, name=name)
    near = DTYPES.get(name) or DTYPES.get(name.lower()) or suggestion(last, known)
    static = [each for each in enclosing(span, ast.Param) if each.static]
    near = "f32" if near == "float" and not static else near
    declared = [] if near or "." in name else _declared(ctx, name, span)
    named = [Help(f"did you mean `{near}`?")] if near and '"' in span.text else _renamed(span, last, near)
    return _unknown_type(span, whole=name, help=declared or named)


def _renamed(span: Span, name: str, near: str | None) -> list[Help]:
    return [] if near is None else [Help(f"did you mean `{near}`?", rename(span, name, near))]


def _declared(ctx: Context, name: str, span: Span) -> list[Help]:
    """The head of the definition with a dtype or a type of this name, of the first class with which it checks."""
    node = definition_around(ctx, span)
    if node is None:
        return []
    old = Span(span.source, node.span.start, (node.generics[-1].span if node.generics else node.name.span).end)
    closed = old.to(Span(span.source, old.end, old.end + 1)) if node.generics else old
    texts = [f"{old.text}{', ' if node.generics else '['}{name}: {each}]" for each in _CLASSES]
    return offers(ctx, "declare it, with its class: `{}(…)`", *(replace_with(closed, text) for text in texts))


_module_not_found = Template(
    "E0203",
    "module `{path}` not found",
    "no such module",
    note="searched beside this file, on DSLPATH, in the library and in installed packages; links out of these folders "
    "are not followed",
)


def module_not_found(path: str, known: Iterable[str], installed: Package | None, span: Span) -> Diagnostic:
    package = path.partition(".")[0]
    near = None if package in _PACKAGES else suggestion(path, known)
    help = _PACKAGES.get(package, "a program imports only `.dsl` files: leave it out, if it is a package of Python")
    if installed is not None:
        help = f"`{installed.distribution}` {installed.version} is installed, and has no such module"
    return _module_not_found.misspelled(span, path, (), near, help, path=path)


other_version = Template(
    "E0203",
    "`{package.distribution}` {package.version} needs puredsl {package.required}; this is {package.own}",
    "a module of this package",
    help="install versions that fit: `pip install --upgrade puredsl {package.distribution}`",
)


_PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "numpy": "a program imports only `.dsl` files; what NumPy offers is in scope without a module",
        "jax": "a program imports only `.dsl` files; the transformations are in scope without a module",
        "torch": "a program imports only `.dsl` files; layers are functions of the module `nn`",
        "math": "`sqrt`, `exp`, `pi` and the like are in scope without a module",
        "scipy": "a program imports only `.dsl` files; see `linalg`, `fft`, `special`, `stats`",
    }
)
"""Packages of Python that someone may want to import."""


import_cycle = Template(
    "E0204", "circular import: {cycle}", "the cycle closes here", help="move the shared definitions into a third module"
)
module_as_value = Template(
    "E0201", "`{name}` is a module, not a value", "a module", help="select one of its names: `{name}.…`"
)
_private = Template(
    "E0205",
    "`{name}` is private to module `{module}`",
    "private",
    note="names that begin with `_` are visible only in their own module",
)
_no_value_of_module = Template(
    "E0205", "`{name}` of module `{module}` is a type or an effect, not a value", "not a value"
)
_no_member = Template("E0205", "module `{module}` has no `{name}`", "no such name")


def not_a_member(
    module: str, name: str, known: Iterable[str], declared: bool, span: Span, *, in_prelude: bool = False
) -> Diagnostic:
    if name.startswith("_"):
        return _private(span, name=name, module=module)
    if declared:
        return _no_value_of_module(span, name=name, module=module)
    path, whole = _path(name, span)
    if len(path) > 1 and (joined := "_".join(path)) in known:
        return _no_member(span, name=name, module=module, help=instead("it is one name: `{}`", whole, joined))
    said = f"`{name}` is in scope without a module: write `{name}`" if in_prelude else elsewhere(name)
    return _no_member.misspelled(span, name, () if in_prelude else known, None, said, module=module)


builtin_effect = Template("E0206", "`{name}` is a built-in effect", "declared again here", help="choose another name")
_duplicate = Template("E0206", "duplicate {what} `{name}`", "again here", other="first here")


def duplicate_name(what: str, name: str, span: Span, first: Span) -> Diagnostic:
    advice = "remove one of them" if what in ("clause", "field") else "give one of them another name"
    return _duplicate(span, other=first, what=what, name=name, help=advice)


alias_arity = Template(
    "E0207",
    "`{name}` takes {wanted:type argument}, not {given}",
    "{given} given",
    other="declared here",
    help="write `{name}[{params:listed}]`",
)


def alias_arguments(
    name: str,
    params: Sequence[ast.Generic],
    types: Collection[str],
    args: Sequence[ast.Expr | ast.Splice],
    span: Span,
    declared: Span,
) -> Diagnostic:
    """`types` are the parameters that stand for types: no size may be put in place of these."""
    names = [f"*{param.name.name}" if param.star else param.name.name for param in params]
    shown = [arg.span.text for arg in args[: len(params)]] + names[len(args) :]
    sizes = not any(param.constraint or param.name.name in types for param in params[len(args) :])
    edits = replace_with(span, f"{name}[{', '.join(shown)}]") if sizes else ()
    return alias_arity(span, other=declared, edits=edits, name=name, wanted=len(params), given=len(args), params=shown)


unused_alias_parameter = Template(
    "E0208", "type parameter `{name}` of `{alias}` is not used", "unused", help="remove it, or use it in the type"
)
_unknown_variant = Template("E0209", "undefined variant `{name}`", "not a variant")


def unknown_variant(name: str, known: Iterable[str], home: str, span: Span) -> Diagnostic:
    """`home` is what the variants of the enum are written behind."""
    last, names = name.rpartition(".")[2], list(known)
    near = last if last in names else suggestion(last, names)
    return _unknown_variant.misspelled(span, name, (), None if near is None else f"{home}{near}")


def bound_variant(name: str, variants: Sequence[str], home: str, span: Span) -> Diagnostic:
    """A name that looks like a variant and would match every value; `home` is what the enum's variants are behind."""
    near = name if name in variants else suggestion(name, variants)
    other = f"for every other value write `_`, or a name that does not begin like a variant: `{name.lower()}`"
    return _unknown_variant.misspelled(span, name, (), None if near is None else f"{home}{near}", help=other)


unknown_effect = Template(
    "E0210",
    "undefined effect `{name}`",
    "not an effect",
    note="an effect variable is declared in the generics, or occurs in the function type of a parameter",
)
unknown_operation = Template(
    "E0211",
    "undefined effect operation `{name}`",
    "not declared with `effect`",
    help="declare it: `effect {name}: (x: f32) -> f32`",
)


def unknown_operation_of(
    ctx: Context, path: Sequence[ast.Ident], unknown: Template, known: Iterable[str], span: Span
) -> Diagnostic:
    """An effect that a path does not lead to: in a module that is imported, it is private or is not there."""
    name = path[-1]
    owner = ctx.program.imported_module(ctx, path[0].name) if len(path) > 1 else None
    if owner is None:
        return unknown.misspelled(span, name.name, known)
    module = ctx.program.modules[owner]
    declared, public = ctx.program.declares(module, name.name), [n for n in module.effects if not n.startswith("_")]
    if declared and not name.name.startswith("_"):
        return unknown.misspelled(name.span, name.name, public)
    return not_a_member(owner, name.name, public, declared, name.span)


_unknown_class = Template(
    "E0212", "`{name}` is not a class of dtypes or types", "not a class", note="classes: {classes}"
)


def unknown_class(ctx: Context, name: str, known: Sequence[str], span: Span) -> Diagnostic:
    """The class of a similar name, or one of a tree, with which the definition checks."""
    near = suggestion(name, known)
    likely = [] if near is None else [near, *(other for other in known[::-1] if other not in dt.CLASSES)]
    found = first_that_mends(ctx, [rename(span, name, other) for other in likely])
    near = found[0].text if found else near
    return _unknown_class.misspelled(span, name, known, near, classes=" ".join(known))


cyclic_constant = Template("E0213", "constant `{name}` is defined in terms of itself", "its value depends on itself")
cyclic_alias = Template(
    "E0214", "type `{name}` is defined in terms of itself", "recursive type", note="recursive types are not supported"
)
_other_cell = Template(
    "E0604", "`{name}` is {kind} cell", "written with `{op}`", help="write `{rewrite}`", fix="{rewrite}"
)
_no_cell = Template(
    "E0601",
    "undefined cell `{name}`",
    "not found in this scope",
    help="open one around this, `{opened}`, or require it of the caller: `! {wanted}({name}: {kind})`",
)
bound_once = Template(
    "E0601",
    "cannot assign to `{name}`: names are bound once",
    "{label}",
    other="`{name}` is bound here",
    note="{note}",
    help="bind a new value: `{rewrite}`",
    fix="{rewrite}",
)


def not_a_cell(ctx: Context, node: ast.CellWrite, wanted: str, other: str | None, kind: Type) -> Diagnostic:
    """`other` is the kind of the cell that has the name, `kind` the type of what is written."""
    binding = ctx.scope.lookup(node.cell.name)
    name, span, value = node.cell.name, node.span, node.value.span.text
    if other is not None:
        what, op = ("a state", ":=") if other == "state" else ("an accumulator", "+=")
        rewrite = f"{name} := {name} + {value}" if other == "state" else f"{name} += {value}"
        return _other_cell(span, name=name, kind=what, op=op, rewrite=rewrite)
    code = "E0602" if node.op == "+=" else "E0601"
    if binding is None:
        found = ctx.resolve(kind)
        shown = plain_type(ctx, found) if isinstance(found, ty.ArrayType) else "f32"
        opened = f"with state {name} = … do" if wanted == "state" else f"with accum {name}: {shown} do"
        row = replace(_no_cell, code=code)
        return row.misspelled(span, name, ctx.scope.open_cells(), opened=opened, wanted=wanted, kind=shown)
    return replace(bound_once, code=code)(
        span,
        other=binding.span,
        name=name,
        label=f"`{name}` is not {'a state' if wanted == 'state' else 'an accumulator'} cell",
        note="`:=` writes a `state` cell, `+=` an `accum` cell, both opened by `with … do` or named in the row",
        rewrite=f"let {name} = {name} + {value}" if node.op == "+=" else f"let {name} = {value}",
    )


_underscored_size = Template(
    "W0201",
    "`{name}` is a new size variable, although its name begins with `_`",
    "matches any size",
    help="give it a name without the underscore",
)
_size_like_constant = Template(
    "W0201",
    "`{name}` is a new size variable; there is a constant `{near}`",
    "matches any size",
    help="did you mean `{near}`?",
    fix="{near}",
)


def suspicious_size(name: str, near: str | None, span: Span) -> Diagnostic:
    return _underscored_size(span, name=name) if near is None else _size_like_constant(span, name=name, near=near)
