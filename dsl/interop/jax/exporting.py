"""Functions of programs as serialised modules of `jax.export`, which run where there is JAX and no puredsl."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import numpy as np

from dsl.host import tree
from dsl.host.argument_errors import misused
from dsl.host.functions.function import Function
from dsl.interop.jax.primitive import to_jax
from dsl.types.effect import CHECK, DEBUG, IO


def exported(function: Function, call: Mapping[str, Any]) -> bytes:
    """Serialise the function for `jax.export.deserialize`, for arguments like these, given by name. Static arguments
    are fixed; a function that draws takes the words of a key as `key`. Raises the errors of tracing, and `InputError`
    E0970 if the function may fail a check or acts on the host, which a module of JAX cannot."""
    if CHECK in function.signature.effects:
        message = f"`{function.__name__}` may fail a check, which a module of JAX cannot say"
        raise misused("E0970", message, function.definition)
    if not {IO, DEBUG}.isdisjoint(function.signature.effects.effects):
        message = f"`{function.__name__}` prints, or calls Python, which a module of JAX cannot"
        raise misused("E0970", message, function.definition)
    params = [p for p in function.signature.params if p.name in call]
    statics = {p.name: call[p.name] for p in params if not p.counts}
    arrays = {p.name: tree.map(_struct, call[p.name]) for p in params if p.counts}
    named = {p.name: arrays.pop(p.name) for p in params if p.counts and p.keyword_only}
    if function.draws:
        named["key"] = jax.ShapeDtypeStruct((2,), np.uint32)
    made = jax.export.export(jax.jit(partial(to_jax(function), **statics)))(*arrays.values(), **named)
    return bytes(made.serialize())


def _struct(leaf: Any) -> jax.ShapeDtypeStruct:
    found = np.asarray(leaf) if isinstance(leaf, bool | int | float | complex) else leaf
    return jax.ShapeDtypeStruct(found.shape, found.dtype)
