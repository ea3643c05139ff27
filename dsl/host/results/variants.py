"""Enum variants as Python sees them: `program.Relu`, `program.Leaky(0.1)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem, python_function_inside, suggestion
from dsl.host.arguments.pytree import functions_within
from dsl.host.arguments.static_arguments import HoldsFunction, static_value
from dsl.staging.values import PythonFunction, VariantValue, functions_of
from dsl.types.type import EnumType, Type


class Variant(Struct, frozen=True):
    """A value of an enum, or, if it has fields that are not given yet, what makes one when called."""

    variant: VariantValue
    fields: tuple[tuple[str, Type], ...] = ()
    functions: tuple[HoldsFunction, ...] = ()
    """Those of programs in its fields."""

    @staticmethod
    def of(enum: core.Enum, variant: core.Variant) -> Variant:
        return Variant(VariantValue(enum.type, variant.name), variant.fields)

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
        return Variant(VariantValue(self.variant.enum, self.variant.variant, tuple(parts)), (), tuple(functions))

    def __repr__(self) -> str:
        inner = ", ".join(map(str, self.variant.parts))
        return f"{self.variant.variant}({inner})" if inner else self.variant.variant


def enum_of(program: core.Program, type: EnumType) -> core.Enum:
    """The declaration of an enum."""
    return program.modules[type.module].enums[type.name]


def variants_of(enum: core.Enum) -> Mapping[str, Variant]:
    """The variants of an enum by name."""
    return {variant.name: Variant.of(enum, variant) for variant in enum.variants}


def variant_of(text: str, known: Mapping[str, Variant]) -> Variant | None:
    """What `Relu`, `relu` or `Leaky(0.1)` stands for; None for none of these. Raises `Problem` E0909 where the fields
    do not fit."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        named = tree.func if isinstance(tree, ast.Call) else tree
        found = known.get(named.id) or _folded(known).get(named.id.lower()) if isinstance(named, ast.Name) else None
        if found is None or not isinstance(tree, ast.Call):
            return found
        args = [ast.literal_eval(arg) for arg in tree.args]
        return found.filled(args, {str(k.arg): ast.literal_eval(k.value) for k in tree.keywords})
    except (SyntaxError, ValueError):
        return None


def _folded(known: Mapping[str, Variant]) -> dict[str, Variant]:
    return {name.lower(): variant for name, variant in known.items()}


class Variants(Struct, frozen=True):
    """An enum as an attribute of its program, with its variants as attributes: `program.Act.Relu`."""

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


def nearest_variant(text: str, known: Iterable[str]) -> str:
    """`; did you mean …?` for text that names none."""
    return suggestion(text.partition("(")[0], known)


def _error(problem: Problem) -> ArgumentError:
    place = Label(Span(Source("<python>", ""), 0, 0))
    return ArgumentError([Diagnostic(problem.code, problem.message, place)])
