"""Enum variants as Python sees them: `program.Relu`, `program.Leaky(0.1)`."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem, python_function_inside, suggestion
from dsl.host.arguments.pytree import functions_within
from dsl.host.arguments.static_arguments import HoldsFunction, record_of, static_value
from dsl.staging.values import PythonFunction, RecordValue, TupleValue, Value, VariantValue, functions_of
from dsl.types.type import EnumType, OptionalType, RecordType, TupleType, Type


class Variant(Struct, frozen=True):
    """A value of an enum, or, if it has fields that are not given yet, what makes one when called."""

    __module__ = "dsl"

    variant: VariantValue
    fields: tuple[tuple[str, Type], ...] = ()
    functions: tuple[HoldsFunction, ...] = ()
    """Those of programs in its fields."""
    declared: tuple[core.Variant, ...] = ()
    """All variants of its enum: another program may have one of the same name."""

    @staticmethod
    def of(enum: core.Enum, variant: core.Variant) -> Variant:
        return Variant(VariantValue(enum.type, variant.name), variant.fields, declared=enum.variants)

    def __call__(self, *args: Any, **kwargs: Any) -> Variant:
        try:
            return self.filled(args, kwargs)
        except Problem as problem:
            raise _error(problem) from None

    def filled(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Variant:
        """The value with these fields. Raises `Problem` E0909 where they do not fit."""
        names = [name for name, _ in self.fields]
        values = dict(zip(names, args, strict=False)) | dict(kwargs)
        if len(args) + len(kwargs) != len(names) or set(values) != set(names):
            raise Problem("E0909", f"{self.variant.variant} takes ({', '.join(names)})")
        parts = [static_value(values[name], type, name) for name, type in self.fields]
        if any(isinstance(each, PythonFunction) for part in parts for each in functions_of(part)):
            raise python_function_inside(self.variant.variant, "variant")
        functions = [each for name in names for each in functions_within(values[name])]
        value = VariantValue(self.variant.enum, self.variant.variant, tuple(parts))
        return Variant(value, (), tuple(functions), self.declared)

    def __repr__(self) -> str:
        return _written(self.variant)


def _written(value: Value) -> str:
    """A static value as it is written in Python."""
    match value:
        case VariantValue(_, variant, parts):
            return f"{variant}({', '.join(map(_written, parts))})" if parts else variant
        case TupleValue(parts):
            return f"({', '.join(map(_written, parts))}{',' * (len(parts) == 1)})"
        case RecordValue(fields):
            return f"{{{', '.join([f'{name!r}: {_written(part)}' for name, part in fields])}}}"
        case _:
            return str(value)


def enum_of(program: core.Program, type: EnumType) -> core.Enum:
    """The declaration of an enum."""
    return program.modules[type.module].enums[type.name]


def variants_of(enum: core.Enum) -> Mapping[str, Variant]:
    """The variants of an enum by name."""
    return {variant.name: Variant.of(enum, variant) for variant in enum.variants}


Enums: TypeAlias = Callable[[EnumType], Mapping[str, Variant]]
"""The variants of an enum by name."""


def with_variants(value: Any, type: Type, known: Enums, path: str) -> Any:
    """A static argument with variants for the text that stands for some, wherever an enum is expected. Raises `Problem`
    E0909 for text that stands for none."""
    match type:
        case EnumType() if isinstance(value, str):
            return _variant_written(value, type, known, path)
        case EnumType() if isinstance(value, Variant) and value.variant.enum == type:
            if any(value.declared != own.declared for own in known(type).values()):
                raise Problem("E0909", f"{path} is a variant of `{type.name}` of another program")
            return value
        case OptionalType(base):
            return with_variants(value, base, known, path)
        case TupleType(parts) if isinstance(value, tuple | list) and len(value) == len(parts):
            pairs = enumerate(zip(value, parts, strict=True))
            return tuple([with_variants(part, kind, known, f"{path}.{i}") for i, (part, kind) in pairs])
        case RecordType(fields) if (given := record_of(value)) is not None:
            types = dict(fields)
            return {n: with_variants(v, types[n], known, f"{path}.{n}") if n in types else v for n, v in given.items()}
        case _:
            return value


def _variant_written(text: str, type: EnumType, known: Enums, path: str) -> Variant:
    """Return the variant that `Relu`, `relu` or `Leaky(0.1)` denotes."""
    variants = known(type)
    tree = _parsed(text)
    named = tree.func if isinstance(tree, ast.Call) else tree
    name = named.id if isinstance(named, ast.Name) else ""
    found = variants.get(name) or _folded(variants).get(name.lower())
    if found is None:
        near = suggestion(text.partition("(")[0], variants)
        raise Problem("E0909", f"{path} is {text!r}, and {type.name} has no such variant{near}")
    if not isinstance(tree, ast.Call):
        return found
    args = [_field(arg, kind, known, path) for arg, (_, kind) in zip(tree.args, found.fields, strict=False)]
    kinds = dict(found.fields)
    named_args = {k.arg: _field(k.value, kinds[k.arg], known, path) for k in tree.keywords if k.arg in kinds}
    if len(args) + len(named_args) < len(tree.args) + len(tree.keywords):
        raise Problem("E0909", f"{path}: {found.variant.variant} takes ({', '.join(kinds)})")
    return found.filled(args, named_args)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _field(node: ast.expr, type: Type, known: Enums, path: str) -> Any:
    """A field as it is written: text again where that stands for a variant."""
    written = ast.unparse(node)
    if isinstance(type.base if isinstance(type, OptionalType) else type, EnumType) and written not in _NONE:
        return with_variants(written, type, known, path)
    try:
        return _literal(node)
    except ValueError:
        raise Problem("E0909", f"{path}: `{written}` is not a valid field value") from None


def _literal(node: ast.expr) -> Any:
    """A literal of the language or of Python. Raises `ValueError` for anything else."""
    match node:
        case ast.Name(name) if name in _WORDS:
            return _WORDS[name]
        case ast.UnaryOp(ast.USub(), ast.Name(name)) if name in _WORDS:
            return -_WORDS[name]
        case ast.Tuple(items) | ast.List(items):
            return tuple(map(_literal, items))
        case _:
            return ast.literal_eval(node)


_NONE = ("none", "None")
_WORDS: Mapping[str, Any] = MappingProxyType(
    {"true": True, "false": False, "none": None, "inf": math.inf, "nan": math.nan, "pi": math.pi}
)


def _folded(known: Mapping[str, Variant]) -> dict[str, Variant]:
    return {name.lower(): variant for name, variant in known.items()}


class Variants(Struct, frozen=True):
    """An enum as an attribute of its program, with its variants as attributes: `program.Act.Relu`."""

    __module__ = "dsl"

    name: str
    variants: Mapping[str, Variant]

    def __getattr__(self, name: str) -> Variant:
        found = self.variants.get(name)
        if found is None:
            message = f"{self.name} has no variant `{name}`{suggestion(name, self.variants)}"
            raise AttributeError(message, name=name, obj=self)
        return found

    def __dir__(self) -> list[str]:
        return list(self.variants)

    def __repr__(self) -> str:
        return f"<enum {self.name}: {', '.join(self.variants)}>"


def _error(problem: Problem) -> ArgumentError:
    place = Label(Span(Source("<python>", ""), 0, 0))
    return ArgumentError([Diagnostic(problem.code, problem.message, place)])
