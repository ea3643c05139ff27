"""Annotations of Python as types of the language, for `@dsl.define`: jaxtyping, containers, and text as it is.

Read next: `dsl.host.programs.define`.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar

import jaxtyping

from dsl.host.argument_errors import Problem
from dsl.host.python_types.kinds import DTYPES
from dsl.records import fields, is_record
from dsl.types.dtype import DType

T = TypeVar("T")
STATIC = "static"
Static = typing.Annotated[T, STATIC]
"""`dsl.Static[int]`: an argument that is known when a program is compiled."""

_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        **{name: name for name in ("Num", "Float", "Complex", "Real", "Inexact")},
        "Int": "Int",
        "Integer": "Int",
        "Shaped": "Any",
    }
)
_NUMBERS: Mapping[Any, str] = MappingProxyType({bool: "bool", int: "i32", float: "f32", complex: "c64"})


class Writer:
    """Writes the types of one definition; the same class of dtypes is one dtype everywhere."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = dict(names)
        self.generics: dict[str, str] = {}
        self._fresh = count(1)

    def type_of(self, annotation: Any) -> str:
        """The text of a type, with `static ` in front where it says so. Raises `Problem` E0901."""
        if isinstance(annotation, str):
            return self._text(annotation)
        if isinstance(annotation, DType):
            return annotation.name
        if isinstance(annotation, type) and annotation in _NUMBERS:
            return _NUMBERS[annotation]
        if isinstance(annotation, type) and issubclass(annotation, jaxtyping.AbstractArray):
            return self._array(annotation)
        if is_tree(annotation):
            return self._tree(annotation)
        if typing.get_origin(annotation) is typing.Annotated and STATIC in annotation.__metadata__:
            return f"static {self._static(annotation.__origin__)}"
        return self._container(annotation)

    def _static(self, annotation: Any) -> str:
        if isinstance(annotation, type) and annotation in (*_NUMBERS, str):
            return str(annotation.__name__)
        return "shape" if annotation == tuple[int, ...] else self._container(annotation, self._static)

    def _text(self, annotation: str) -> str:
        """Text of the language, unless it is an annotation of Python that was not evaluated."""
        text = annotation.strip()
        if text[:1] in ("'", '"') and text[-1:] == text[:1]:
            return text[1:-1].strip()
        try:
            found = eval(text, self.names)
        except (NameError, SyntaxError, TypeError):
            return text
        return self.type_of(found) if _is_annotation(found) else text

    def _array(self, annotation: Any) -> str:
        name = annotation.dtype.__name__
        shape = self._axes(annotation.dim_str)
        if name == "Key":
            return f"key{shape}"
        if name in _CLASSES:
            return self._generic(f"any_{name.lower()}", _CLASSES[name]) + shape
        dtypes = DTYPES.get(name, frozenset())
        if len(dtypes) != 1:
            raise Problem("E0901", f"`{annotation.__name__}` has no dtype of the language")
        (dtype,) = dtypes
        return f"{dtype.name}{shape}"

    def _axes(self, text: str) -> str:
        """`[*b, n, d]` of `"*b n d"`; what has no name gets one."""
        parts = [self._axis(part.rpartition("=")[2]) for part in text.split()]
        return f"[{', '.join(parts)}]" if parts else ""

    def _axis(self, part: str) -> str:
        if part == "..." or part.startswith("*_"):
            return f"*axes{next(self._fresh)}"
        if part.startswith("_"):
            return f"size{next(self._fresh)}"
        if set(part) & set("#?{"):
            raise Problem("E0901", f"the axis `{part}` has no counterpart in the language")
        return part

    def _generic(self, name: str, constraint: str) -> str:
        self.generics[name] = constraint
        return name

    def _tree(self, annotation: Any) -> str:
        """Return the language's type of a tree annotation: one structure name is one tree, and a tree of floats is a
        vector space."""
        leaf = getattr(annotation, "leaftype", None)
        dtype = leaf.dtype.__name__ if isinstance(leaf, type) and issubclass(leaf, jaxtyping.AbstractArray) else ""
        structure = getattr(annotation, "structure", None)
        name = "Tree" if structure is None else "".join(c for c in structure.title() if c.isalnum())
        return self._generic(name, _class_of_trees(dtype))

    def _container(self, annotation: Any, of: Callable[[Any], str] | None = None) -> str:
        inside = of or self.type_of
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        if annotation is tuple or origin is tuple:
            inner = ", ".join(map(inside, args))
            return f"({inner},)" if len(args) == 1 else f"({inner})"
        if origin in (typing.Union, UnionType) and len(args) == 2 and NoneType in args:
            (other,) = set(args) - {NoneType}
            return f"{inside(other)}?"
        if isinstance(annotation, type) and (is_record(annotation) or hasattr(annotation, "__annotations__")):
            hints = typing.get_type_hints(annotation, include_extras=True)
            names = [field.name for field in fields(annotation)] if is_record(annotation) else list(hints)
            return "{" + ", ".join(f"{name}: {inside(hints[name])}" for name in sorted(names)) + "}"
        raise Problem("E0901", f"`{getattr(annotation, '__name__', annotation)}` is not a type of the language")


def _class_of_trees(dtype: str) -> str:
    """The class of the trees with leaves of a dtype, or of a class of dtypes."""
    names = [each.name for each in DTYPES.get(dtype, ())]
    return "Tree" if "Float" not in dtype else f"VSpace[{names[0]}]" if len(names) == 1 else "VSpace"


def is_tree(annotation: Any) -> bool:
    """Return whether an annotation is `jaxtyping.PyTree`, which is there only where jax is: so it is not imported
    here."""
    bases = annotation.__mro__ if isinstance(annotation, type) else ()
    return any((base.__module__, base.__name__) == ("jaxtyping", "PyTree") for base in bases)


def _is_annotation(found: Any) -> bool:
    return isinstance(found, type | DType) or typing.get_origin(found) is not None
