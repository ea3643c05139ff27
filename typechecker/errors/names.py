"""E02: names and modules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeGuard

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Type
from typechecker.errors.repairs.loops import counted_elements
from typechecker.errors.repairs.other_libraries import (
    DTYPES,
    ELSEWHERE,
    PACKAGES,
    ForeignCall,
    elsewhere,
    extent_of_call,
    without_packages,
)
from typechecker.errors.repairs.trees import declarations, enclosing, expressions, imports
from typechecker.errors.repairs.trial import definition_around, first_that_mends, offers
from typechecker.errors.templates import Template
from typechecker.errors.words import instead, plain_type, rename, replace_with, suggestion

if TYPE_CHECKING:
    from dsl.syntax.packages import Package
    from typechecker.env.context import Context

_undefined = Template("E0201", "undefined name `{name}`", "not found in this scope")
_not_imported = Template("E0201", "undefined name `{name}`", "{what}", help="import it: `{written}`")
_in_several = Template(
    "E0201", "undefined name `{name}`", "a function of the modules {homes:quoted}", help="import it: {written}"
)
_not_a_value = Template("E0201", "`{name}` is not a value", "{what}")
newaxis = Template(
    "E0201", "undefined name `{text}`", "not found in this scope", help="a new axis is written `None`", fix="None"
)


def unknown_name(
    ctx: Context, name: str, known: Iterable[str], span: Span, homes: Sequence[str], call: ForeignCall | None
) -> Diagnostic:
    """`homes` are the modules of the library that have the name, or are it; `call` what the call is written here."""
    names = list(known)
    if name in names:
        variant = next((each for each in enclosing(span, ast.Field) if each.base.span == span), None)
        if variant is None or not variant.name.name[:1].isupper():
            advice = "write a variant without the name of its enum"
            return _not_a_value(span, name=name, what="a type or an effect", help=advice)
        return _not_a_value(
            span, name=name, what="an enum", help=instead("write `{}`", variant.span, variant.name.name)
        )
    if call is not None:
        reason = f"`{call.name}` is in scope without a module:" if call.name in names else "write"
        return _undefined(span, name=name, help=instead(f"{reason} `{{}}`", call.span, call.written))
    if of_package(name, span) != name:
        return _in_package(name, names, homes[0] if homes else "", span)
    if name in ELSEWHERE:
        return _undefined(span, name=name, help=ELSEWHERE[name])
    if len(homes) > 1:
        written = " or ".join([f"`from {home} import {name}`" for home in homes])
        return _in_several(span, name=name, homes=homes, written=written)
    if homes and not _is_bound_later(ctx, name, span):
        return _in_library(name, homes[0], span)
    counted = offers(ctx, "number the elements: `for {}`", *counted_elements(ctx, span))
    if counted:
        return _undefined(span, name=name, help=counted)
    return _undefined.misspelled(span, name, names, DTYPES.get(name))


def _is_bound_later(ctx: Context, name: str, span: Span) -> bool:
    """Return whether a name is one of the definition's own, which is not yet bound where it is mentioned."""
    return any(isinstance(each, ast.NamePattern) and each.name == name for each in nodes(definition_around(ctx, span)))


def of_package(name: str, span: Span) -> str:
    """Return the last of a Python package's dotted names; the name itself if there are no dots."""
    return path_of(name, span)[-1] if name in PACKAGES else name


def path_of(name: str, span: Span) -> list[str]:
    """The names that are joined by dots from a place on."""
    for kind in enclosing(span, ast.NamedType):
        return [part.name for part in kind.path]
    path = [name]
    for field in enclosing(span, ast.Field):
        if field.span.start == span.start and isinstance(field.base, ast.Name | ast.Field):
            path.append(field.name.name)
    return path


def _in_package(name: str, names: Sequence[str], home: str, span: Span) -> Diagnostic:
    """A name behind that of a package: one of a dtype, of what is in scope, of a module of the library."""
    path = path_of(name, span)
    last, place = path[-1], Span(span.source, span.start, span.start + len(".".join(path)))
    if last in DTYPES:
        return _undefined(span, name=name, help=instead("the dtype is written `{}`", place, DTYPES[last]))
    if last in names:
        whole = extent_of_call(span.source, place.start, place.end)
        written = last if whole is None else without_packages(whole.text)
        without = "`self`" if name == "self" else "a module"
        advice = f"`{last}` is in scope without {without}: `{last if len(written) > 64 else written}`"
        return _undefined(span, edits=replace_with(place, last), name=name, help=advice)
    if home:
        written = f"{home}.{last}"
        imported = any(isinstance(each, ast.Import) and each.path[-1].name == home for each in imports(span.source))
        edits = (*_import(f"import {home}", span), *replace_with(place, written))[imported:]
        advice = f"write `{written}`" if imported else f"import the module `{home}`, and write `{written}`"
        return _undefined(span, edits=edits, name=name, help=advice)
    advice = ELSEWHERE.get(last) or f"the library has no `{last}`; what it has is in scope without `{name}`"
    return _undefined(span, name=name, help=advice)


def _import(written: str, span: Span) -> tuple[Edit, ...]:
    return replace_with(Span(span.source, 0, 0), f"{written}\n")


def record_type(name: str, fields: Sequence[str], span: Span) -> Diagnostic:
    """The name of a record type where a value is needed."""
    written = ", ".join(f"{field} = …" for field in fields)
    return _not_a_value(span, name=name, what="a type", help=f"a record is written `{{{written}}}`")


_outside_alias = Template(
    "E0201",
    "undefined name `{name}`",
    "not a parameter of the type",
    help="make it a parameter: `type {alias}[{missing:listed}] = {value}`, used as `{alias}[{missing:listed}]`",
)


def in_alias(name: str, alias: str, value: Span, known: Iterable[str], span: Span) -> Diagnostic:
    """A name in a type declaration that is not one of its parameters; all that are missing are offered at once."""
    inside = [each.name for each in expressions(declarations(span.source)) if _is_name_in(each, value)]
    missing = [each for each in dict.fromkeys([*inside, name]) if each not in known]
    shown = " ".join(value.text.split())
    return _outside_alias(span, name=name, alias=alias, missing=missing, value=shown)


def _is_name_in(node: ast.Expr, place: Span) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and place.covers(node.span)


def _in_library(name: str, home: str, span: Span) -> Diagnostic:
    what, written = f"a function of the module `{home}`", f"from {home} import {name}"
    if name == home:
        what, written = "a module that is not imported", f"import {name}"
    return _not_imported(span, edits=_import(written, span), name=name, what=what, written=written)


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
    near = DTYPES.get(name) or DTYPES.get(name.lower()) or suggestion(last, known)
    near = "f32" if near == "float" and not _of_static(span) else near
    if name in dt.CLASSES:
        return _class_as_type(span, name=name)
    typed = _of_jaxtyping(ctx, span)
    if typed is not None:
        return _unknown_type(span, whole=name, help=instead("write `{}`", span, typed))
    declared = None if near or "." in name else _declared(ctx, name, span)
    if declared:
        return _unknown_type(span, whole=name, help=declared)
    return _unknown_type.misspelled(span, last, (), near, whole=name)


def _of_jaxtyping(ctx: Context, span: Span) -> str | None:
    """The type that jaxtyping writes with the axes in a string: `Float32[Array, "n d"]`."""
    node = definition_around(ctx, span)
    for each in () if node is None else nodes(node):
        match each:
            case ast.IndexedType(ast.NamedType() as base, (_, ast.StringLit(axes)), place) if place == span:
                name = base.span.text.rpartition(".")[2]
                dtype = DTYPES.get(name.lower(), name.lower())
                sizes = axes.split()
                known = dtype in dt.BY_NAME and all(
                    size.removeprefix("*").isidentifier() or size.isdigit() for size in sizes
                )
                return f"{dtype}[{', '.join(sizes)}]" if known and sizes else dtype if known else None
            case _:
                pass
    return None


def _declared(ctx: Context, name: str, span: Span) -> list[Help]:
    """The head of the definition with a dtype or a type of this name, of the first class with which it checks."""
    node = definition_around(ctx, span)
    if node is None:
        return []
    own, others = node.name, ", ".join([generic.span.text for generic in node.generics])
    head = own.span if not others else own.span.to(node.generics[-1].span)
    head = Span(span.source, node.span.start, span.source.text.index("(", head.end))
    start = span.source.text[node.span.start : own.span.end]
    indexed = [each.base for each in nodes(node) if isinstance(each, ast.IndexedType)]
    of_array = any(isinstance(base, ast.NamedType) and base.path[0].name == name for base in indexed)
    classes = sorted(_CLASSES, key=lambda each: (each in dt.CLASSES) is not of_array)
    written = [f"{start}[{others}{', ' if others else ''}{name}: {each}]" for each in classes]
    return offers(ctx, "declare it, with its class: `{}(…)`", *(replace_with(head, text) for text in written))


def _of_static(span: Span) -> bool:
    """Return whether a type stands behind `static x:`."""
    before = span.source.text[: span.start].rstrip().removesuffix(":").split()
    return len(before) >= 2 and before[-2].endswith("static")


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


def not_a_member(module: str, name: str, known: Iterable[str], declared: bool, span: Span) -> Diagnostic:
    if name.startswith("_"):
        return _private(span, name=name, module=module)
    if declared:
        return _no_value_of_module(span, name=name, module=module)
    return _no_member.misspelled(span, name, known, None, elsewhere(name), module=module)


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
        found = found if isinstance(found, ty.ArrayType) else ty.ArrayType(dt.F32, Shape(()))
        shown = plain_type(ctx, found)
        start = "0.0" if shown == "f32" else f"{found.dtype}(0)"
        start = f"zeros({found.shape}, dtype={found.dtype})" if found.shape.dims else start
        opened = f"with state {name} = {start} do" if wanted == "state" else f"with accum {name}: {shown} do"
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
