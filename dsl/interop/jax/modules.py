"""Functions of JAX as modules of a program: StableHLO that JAX has exported, under a signature of the language.

    from dsl.interop.jax import from_jax

    m = dsl.program("import physics …", {"physics": from_jax(step, state, dt)})

Such a module is text in the language: a function of arrays, whose body is the StableHLO, and around it one that takes
and gives the containers of the function of JAX. Read next: `signatures`; `dsl.ops.foreign`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax import export
from jax.tree_util import DictKey, GetAttrKey, SequenceKey, tree_flatten_with_path
from msgspec import Struct

from dsl.diagnostics.source import FOREIGN, Source
from dsl.interop.jax.signatures import (
    Leaf,
    Path,
    construction,
    parameters,
    quoted,
    selections,
    tuple_of,
    type_of,
)
from dsl.interop.jax.sizes import size_of, variables_of, where
from dsl.syntax.words import hard_keywords
from dsl.types.numpy_dtypes import BY_NUMPY
from lowering.xla.foreign import under_own_names


def from_jax(function: Callable[..., Any], *shapes: Any, name: str | None = None, vjp: bool = False) -> Source:
    """A module with `function`, under its name or `name`, for arguments of these shapes: arrays, or what has a `shape`
    and a `dtype`, in dicts, tuples, lists and NamedTuples, which become records and tuples of the language.

    Symbolic sizes of `jax.export.symbolic_shape` become size variables, and what is said of them a `where`: such a
    module is for all sizes. `vjp` exports its derivative too; without it, `grad` of it is refused. `vmap` calls it once
    for each element. Raises TypeError for what a program cannot call: other containers, several devices, dtypes that
    the language does not have; and what `jax.export` raises, for callbacks say.
    """
    name = name or function.__name__
    found = export.export(jax.jit(function))(*shapes)
    raw = _raw(found, name)
    names = _names(function, shapes, variables_of(found.in_avals))
    arguments = [(argument, _leaves(shape)) for argument, shape in zip(names, shapes, strict=True)]
    results = _leaves(jax.tree.unflatten(found.out_tree, found.out_avals))
    made = [f"y{k}" for k in range(len(results))]
    given = ", ".join([text for argument, leaves in arguments for text in selections(argument, leaves)])
    callee = "custom_vjp(_raw, _forward, _backward)" if vjp else "_raw"
    head = parameters([(argument, type_of(leaves)) for argument, leaves in arguments])
    result = type_of(results) + where(found.in_avals)
    texts = [
        raw.definition("_raw"),
        *(_rule(found, raw, name) if vjp else ()),
        f"## `{name}` of JAX.\ndef {name}({head}) -> {result} =",
        f"    let {tuple_of(made)} = {callee}({given})",
        f"    {construction(results, made)}",
    ]
    return Source(f"{FOREIGN} {name}", "\n".join([*texts, ""]))


class Raw(Struct, frozen=True):
    """Functions of StableHLO over arrays alone: `entry` is called with those operands that `kept` numbers."""

    functions: str
    entry: str
    kept: tuple[int, ...]
    operands: tuple[Any, ...]
    results: tuple[Any, ...]
    where: str

    @property
    def params(self) -> str:
        return parameters([(f"x{k}", _type(x)) for k, x in enumerate(self.operands)])

    @property
    def operand_types(self) -> str:
        return tuple_of(list(map(_type, self.operands)))

    @property
    def result_types(self) -> str:
        return tuple_of(list(map(_type, self.results)))

    def definition(self, name: str) -> str:
        """The function as a definition of the language."""
        given = "".join([f"x{k}, " for k in self.kept])
        types = tuple_of([tuple_of([f'"{_dtype(r)}"', *map(size_of, r.shape)]) for r in self.results])
        open = ", open=true" if self.where else ""
        body = f"{given}entry={quoted(self.entry)}, results={types}, functions={quoted(self.functions)}{open}"
        return f"def {name}({self.params}) -> {self.result_types}{self.where} =\n    intrinsic.stablehlo({body})\n"


def _raw(found: export.Exported, name: str) -> Raw:
    """Return the function that JAX exported, under its own names. Raises TypeError if a program cannot call it."""
    if found.nr_devices != 1:
        raise TypeError(f"`{name}` is a program over {found.nr_devices} devices, and can only be called on one")
    functions, entry = under_own_names(found.mlir_module(), name)
    kept = tuple(found.module_kept_var_idx)
    return Raw(functions, entry, kept, tuple(found.in_avals), tuple(found.out_avals), where(found.in_avals))


def _rule(found: export.Exported, raw: Raw, name: str) -> Iterator[str]:
    """The definitions of its derivative in reverse. Raises TypeError where a result has none."""
    if not all(map(_moves, raw.results)):
        raise TypeError(f"`{name}` gives integers or bools, which have no cotangents; leave out `vjp`")
    saved, given = len(raw.operands), len(raw.results)
    args = [f"x{k}" for k in range(saved)]
    yield _raw(found.vjp(), f"{name}_vjp").definition("_cotangents")
    yield f"def _forward({raw.params}) -> ({raw.result_types}, {raw.operand_types}){raw.where} ="
    yield f"    (_raw({', '.join(args)}), {tuple_of(args)})"
    types = tuple_of([_type(x) if _moves(x) else "()" for x in raw.operands])
    yield f"def _backward(saved: {raw.operand_types}, given: {raw.result_types}) -> {types}{raw.where} ="
    parts = ", ".join([*[f"saved.{k}" for k in range(saved)], *[f"given.{k}" for k in range(given)]])
    yield f"    let found = _cotangents({parts})"
    yield f"    {tuple_of([f'found.{k}' if _moves(x) else '()' for k, x in enumerate(raw.operands)])}\n"


# ---------------------------------------------------------------- arrays and trees of JAX


def _names(function: Callable[..., Any], shapes: Sequence[Any], sizes: Collection[str]) -> list[str]:
    """Of the parameters, or numbers where a program could not write them or a size has the name."""
    found = [*inspect.signature(function).parameters][: len(shapes)]
    plain = len(found) == len(shapes) and all(_is_name(name) and name not in sizes for name in found)
    return found if plain else [f"x{k}" for k in range(len(shapes))]


def _leaves(tree: Any) -> list[Leaf]:
    """The arrays in a tree, in JAX's order. Raises TypeError where there are none."""
    found = tree_flatten_with_path(tree)[0]
    if not found:
        raise TypeError(f"{tree!r} holds no array")
    return [Leaf(_path(path), _type(jax.typeof(x) if isinstance(x, int | float | complex) else x)) for path, x in found]


def _path(steps: Sequence[Any]) -> Path:
    """The way to an array. Raises TypeError for containers whose parts are neither numbered nor fields."""
    found: list[str | int] = []
    for step in steps:
        match step:
            case DictKey(key=str(name)) | GetAttrKey(name=name) if _is_name(name):
                found.append(name)
            case SequenceKey(idx=position):
                found.append(position)
            case _:
                raise TypeError(f"`{step}` names no field that a record of the language can have")
    return tuple(found)


def _is_name(name: str) -> bool:
    return re.fullmatch("[a-z][a-zA-Z0-9_]*", name) is not None and name not in hard_keywords()


def _moves(array: Any) -> bool:
    return bool(np.issubdtype(array.dtype, np.inexact))


def _type(array: Any) -> str:
    """The type in the language of what has a shape and a dtype."""
    return f"{_dtype(array)}[{', '.join(map(size_of, array.shape))}]" if array.shape else _dtype(array)


def _dtype(array: Any) -> str:
    if array.dtype == jax.dtypes.float0:  # what stands for the cotangent of an integer
        return "bool"
    known = BY_NUMPY.get(array.dtype) if isinstance(array.dtype, np.dtype) else None
    if known is None:
        raise TypeError(f"{array.dtype} is not a dtype of the language")
    return known.name
