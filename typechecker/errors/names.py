"""E02: names and modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from typechecker.errors.templates import Template
from typechecker.errors.words import make, rename, replace_with, suggestion

if TYPE_CHECKING:
    from typechecker.env.scope import Binding

_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "float": "`f32(x)` converts an array; a static number needs no conversion",
        "int": "`i32(x)` converts an array; `//` divides static integers",
        "bool": "compare: `x != 0`",
        "len": "the length of the first axis is `x.shape[0]`, or its size variable",
        "map": "write `[f(v) for v in x]`, or `vmap(f)(x)`",
        "array": "an array is written `[1.0, 2.0]`",
        "asarray": "an array is written `[1.0, 2.0]`",
        "np": "what NumPy offers is in scope without a module: `mean(x)`",
        "jnp": "what NumPy offers is in scope without a module: `mean(x)`",
        "numpy": "what NumPy offers is in scope without a module: `mean(x)`",
        "jax": "the transformations are in scope without a module: `grad(f)`",
        "gradient": "the gradient of `f` is `grad(f)`",
        "jacobian": "the Jacobian of `f` is `jacrev(f)` or `jacfwd(f)`",
        "math": "`sqrt`, `exp`, `pi` and the like are in scope without a module",
        "astype": "convert with a dtype: `f32(x)`, or `cast(x, a)` for a dtype variable",
        "torch": "what PyTorch offers is in scope without a module, or in `nn`: `mean(x)`, `nn.relu(x)`",
        "unsqueeze": "a new axis is written in an index: `x[None]`, `x[:, None]`",
        "permute": "`transpose` takes the order of the axes: `transpose(x, (1, 0))`",
        "view": "`reshape` takes the sizes as one list: `reshape(x, [n, m])`",
        "item": "an array without axes is a number already",
        "detach": "no derivative goes through `stop_gradient(x)`",
        "clone": "arrays never change: there is nothing to copy",
        "to": "convert with a dtype: `f32(x)`; devices are chosen from Python",
        "lax": "loops are `fold`, `scan` and `iterate`; the functions are in scope without a module",
    }
)
"""What the language has for a name of Python."""

_DTYPES: Mapping[str, str] = MappingProxyType(
    {
        "float": "f32",
        "double": "f64",
        "half": "f16",
        "bfloat16": "bf16",
        "long": "i64",
        **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
        **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
        **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
        **{f"complex{bits}": f"c{bits}" for bits in (64, 128)},
    }
)
"""NumPy's names of dtypes."""


def elsewhere(name: str) -> str | None:
    """What to write instead of a name of Python or NumPy, as a help."""
    return _ELSEWHERE.get(name)


def unknown_name(name: str, known: Iterable[str], span: Span, home: str = "") -> Diagnostic:
    """`home` is the module of the library that has the name, or is it."""
    names = list(known)
    if name in names:
        return make(
            "E0201",
            f"`{name}` is not a value",
            span,
            "a type or an effect",
            help="write a variant without the name of its enum",
        )
    near = _DTYPES.get(name) or suggestion(name, names)
    member = re.compile(r"\.(\w+)").match(span.source.text, span.end)
    if name in ("np", "jnp", "numpy") and member is not None and member[1] in names:
        return _without_module(name, member[1], span)
    if name in _ELSEWHERE:
        return make("E0201", f"undefined name `{name}`", span, "not found in this scope", help=_ELSEWHERE[name])
    if home:
        return _in_library(name, home, span)
    return make(
        "E0201",
        f"undefined name `{name}`",
        span,
        "not found in this scope",
        help=None if near is None else f"did you mean `{near}`?",
        edits=rename(span, name, near),
    )


def _without_module(name: str, member: str, span: Span) -> Diagnostic:
    return make(
        "E0201",
        f"undefined name `{name}`",
        span,
        "not found in this scope",
        help=f"`{member}` is in scope without a module: `{member}(…)`",
        edits=replace_with(Span(span.source, span.start, span.end + 1), ""),
    )


def newaxis(span: Span) -> Diagnostic:
    return make(
        "E0201",
        f"undefined name `{span.text}`",
        span,
        "not found in this scope",
        help="a new axis is written `None`",
        edits=replace_with(span, "None"),
    )


def record_type(name: str, fields: Sequence[str], span: Span) -> Diagnostic:
    """The name of a record type where a value is needed."""
    written = ", ".join(f"{field} = …" for field in fields)
    return make("E0201", f"`{name}` is not a value", span, "a type", help=f"a record is written `{{{written}}}`")


def in_alias(name: str, alias: str, value: Span, known: Iterable[str], span: Span) -> Diagnostic:
    """A name in a type declaration that is not one of its parameters; all that are missing are offered at once."""
    inside = re.findall(r"[^\W\d]\w*", " ".join(re.findall(r"\[([^\[\]]*)\]", value.text)))
    missing = [each for each in dict.fromkeys([*inside, name]) if each not in known]
    return make(
        "E0201",
        f"undefined name `{name}`",
        span,
        "not a parameter of the type",
        help=f"make it a parameter: `type {alias}[{', '.join(missing)}] = …`, used as `{alias}[{_numbers(missing)}]`",
    )


def _numbers(names: Sequence[str]) -> str:
    return ", ".join(str(3 + k) for k, _ in enumerate(names))


def _in_library(name: str, home: str, span: Span) -> Diagnostic:
    start = Span(span.source, 0, 0)
    if name == home:
        return make(
            "E0201",
            f"undefined name `{name}`",
            span,
            "a module that is not imported",
            help=f"import it: `import {name}`",
            edits=replace_with(start, f"import {name}\n"),
        )
    return make(
        "E0201",
        f"undefined name `{name}`",
        span,
        f"a function of the module `{home}`",
        help=f"import it: `from {home} import {name}`",
        edits=replace_with(start, f"from {home} import {name}\n"),
    )


def unknown_type(name: str, known: Iterable[str], span: Span, is_value: bool) -> Diagnostic:
    if is_value:
        note = f"a parameter that is a type is declared with its class: `[{name}: Tree]`, or `VSpace` if it is added"
        return make("E0202", f"undefined type `{name}`", span, f"`{name}` is a size or a value here", notes=[note])
    near = _DTYPES.get(name) or suggestion(name.rpartition(".")[2], known)
    if near == "float" and not _of_static(span):
        near = "f32"
    return make(
        "E0202",
        f"undefined type `{name}`",
        span,
        "not a type",
        notes=["types are dtypes such as `f32`, `key`, `idx[n]`, and names declared with `type` or `enum`"],
        help=None if near is None else f"did you mean `{near}`?",
        edits=rename(span, name.rpartition(".")[2], near),
    )


def _of_static(span: Span) -> bool:
    """Whether a type stands behind `static x:`."""
    before = span.source.text[: span.start].rstrip().removesuffix(":").split()
    return len(before) >= 2 and before[-2].endswith("static")


def module_not_found(path: str, searched: Iterable[str], span: Span) -> Diagnostic:
    return make(
        "E0203",
        f"module `{path}` not found",
        span,
        "no such module",
        notes=["searched beside this file, on DSLPATH and in the library", *(f"  {p}" for p in searched)],
        help=_PACKAGES.get(path.partition(".")[0]),
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


def import_cycle(path: Iterable[str], span: Span) -> Diagnostic:
    cycle = " -> ".join(path)
    return make(
        "E0204",
        f"circular import: {cycle}",
        span,
        "the cycle closes here",
        help="move the shared definitions into a third module",
    )


module_as_value = Template(
    "E0201", "`{name}` is a module, not a value", "a module", help="select one of its names: `{name}.…`"
)


def not_a_member(module: str, name: str, known: Iterable[str], declared: bool, span: Span) -> Diagnostic:
    if declared or name.startswith("_"):
        return make(
            "E0205",
            f"`{name}` is private to module `{module}`",
            span,
            "private",
            notes=["names that begin with `_` are visible only in their own module"],
        )
    near = suggestion(name, known)
    return make(
        "E0205",
        f"module `{module}` has no `{name}`",
        span,
        "no such name",
        help=None if near is None else f"did you mean `{near}`?",
        edits=() if near is None else replace_with(span, near),
    )


builtin_effect = Template("E0206", "`{name}` is a built-in effect", "declared again here", help="choose another name")


def duplicate_name(what: str, name: str, span: Span, first: Span) -> Diagnostic:
    advice = "remove one of them" if what in ("clause", "field") else "give one of them another name"
    return make(
        "E0206", f"duplicate {what} `{name}`", span, "again here", secondary=[Label(first, "first here")], help=advice
    )


alias_arity = Template(
    "E0207", "`{name}` takes {wanted:type argument}, not {given}", "{given} given", other="declared here"
)
unused_alias_parameter = Template(
    "E0208", "type parameter `{name}` of `{alias}` is not used", "unused", help="remove it, or use it in the type"
)


def unknown_variant(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    last = name.rpartition(".")[2]
    names = list(known)
    near = last if last in names else suggestion(last, names)
    path = Span(span.source, span.start, span.start + len(name))
    return make(
        "E0209",
        f"undefined variant `{name}`",
        span,
        "not a variant",
        help=None if near is None else f"did you mean `{near}`?",
        edits=replace_with(path, near) if near is not None and path.text == name else (),
    )


def bound_variant(name: str, variants: Sequence[str], home: str, span: Span) -> Diagnostic:
    """A name that looks like a variant and would match every value; `home` is what the enum's variants are behind."""
    near = name if name in variants else suggestion(name, variants)
    other = f"for every other value write `_`, or a name that does not begin like a variant: `{name.lower()}`"
    return make(
        "E0209",
        f"undefined variant `{name}`",
        span,
        "not a variant",
        help=other if near is None else f"did you mean `{home}{near}`?",
        edits=() if near is None else replace_with(span, f"{home}{near}"),
    )


def unknown_effect(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    near = suggestion(name, known)
    return make(
        "E0210",
        f"undefined effect `{name}`",
        span,
        "not an effect",
        notes=["an effect variable is declared in the generics, or occurs in the function type of a parameter"],
        help=None if near is None else f"did you mean `{near}`?",
        edits=rename(span, name, near),
    )


def unknown_operation(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    near = suggestion(name, known)
    advice = f"declare it: `effect {name}: (x: f32) -> f32`" if near is None else f"did you mean `{near}`?"
    return make(
        "E0211",
        f"undefined effect operation `{name}`",
        span,
        "not declared with `effect`",
        help=advice,
        edits=rename(span, name, near),
    )


def unknown_class(name: str, known: Sequence[str], span: Span) -> Diagnostic:
    near = suggestion(name, known)
    return make(
        "E0212",
        f"`{name}` is not a class of dtypes or types",
        span,
        "not a class",
        notes=[f"classes: {' '.join(known)}"],
        help=None if near is None else f"did you mean `{near}`?",
        edits=() if near is None else replace_with(span, near),
    )


cyclic_constant = Template("E0213", "constant `{name}` is defined in terms of itself", "its value depends on itself")
cyclic_alias = Template(
    "E0214", "type `{name}` is defined in terms of itself", "recursive type", note="recursive types are not supported"
)


def not_a_cell(
    node: ast.CellWrite, wanted: str, other: str | None, binding: Binding | None, cells: Iterable[str]
) -> Diagnostic:
    """`other` is the kind of the cell that has the name, `cells` are the names of those in scope."""
    name, span, op, value = node.cell.name, node.span, node.op, node.value.span.text
    secondary = []
    if binding is not None and binding.span is not None:
        secondary.append(Label(binding.span, f"`{name}` is bound here"))
    if other is not None:
        rewrite = f"{name} := {name} + {value}" if other == "state" else f"{name} += {value}"
        return make(
            "E0604",
            f"`{name}` is {'a state' if other == 'state' else 'an accumulator'} cell",
            span,
            f"written with `{':=' if other == 'state' else '+='}`",
            help=f"write `{rewrite}`",
            edits=replace_with(span, rewrite),
        )
    if binding is None:
        near = suggestion(name, cells)
        opened = f"with state {name} = … do" if wanted == "state" else f"with accum {name}: … do"
        declare = f"open one around this, `{opened}`, or require it of the caller: `! {wanted}({name}: …)`"
        return make(
            "E0602" if op == "+=" else "E0601",
            f"undefined cell `{name}`",
            span,
            "not found in this scope",
            help=declare if near is None else f"did you mean `{near}`?",
            edits=rename(node.cell.span, name, near),
        )
    rewrite = f"let {name} = {name} + {value}" if op == "+=" else f"let {name} = {value}"
    return make(
        "E0602" if op == "+=" else "E0601",
        f"cannot assign to `{name}`: names are bound once",
        span,
        f"`{name}` is not {'a state' if wanted == 'state' else 'an accumulator'} cell",
        secondary=secondary,
        notes=["`:=` writes a `state` cell, `+=` an `accum` cell, both opened by `with … do` or named in the row"],
        help=f"bind a new value: `{rewrite}`",
        edits=replace_with(span, rewrite),
    )


def suspicious_size(name: str, near: str | None, span: Span) -> Diagnostic:
    if near is None:
        return make(
            "W0201",
            f"`{name}` is a new size variable, although its name begins with `_`",
            span,
            "matches any size",
            help="give it a name without the underscore",
        )
    return make(
        "W0201",
        f"`{name}` is a new size variable; there is a constant `{near}`",
        span,
        "matches any size",
        help=f"did you mean `{near}`?",
        edits=replace_with(span, near),
    )
