"""Random programs in batches: one text of many functions of the same inputs, checked and compiled as one.

A problem of a batch is told of the smallest function that has it.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import dsl
from dsl.core.text import show_program
from dsl.diagnostics.source import Source
from dsl.syntax.format import format_source
from tests.support.run import flatten
from tests.support.well_typed.maker import Maker
from tests.support.well_typed.patterns import CLASSES, Array, Type, filled, pattern
from tests.support.well_typed.trees import Node, Value, smaller

SIZES: Mapping[str, int] = {"n": 3, "m": 2}
INPUTS = (
    *("f16[n]", "f16", "bf16[n]", "bf16[m]", "f32[n]", "f32[m]", "f32[n, m]", "f32", "f32[2, 3]", "f64", "f64[n]"),
    *("f64[m, n]", "c64[n]", "c128", "i8[n]", "i16[m]", "i32[n]", "i32", "i64", "i64[n]", "u8[n]", "u16", "u32[m]"),
    *("u64[n]", "bool", "bool[n]", "idx[n]", "idx[m][n]", "idx[n][m]"),
)
RESULTS = ("float", "float[n]", "float[n, m]", "int", "int[n]", "complex[n]", "bool[m]", "any[2, n]", "any")
HEAD = "(v: V[n, m]) -> {} where n >= 1 and m >= 1 ="
DEPTHS = (2, 2, 3, 3, 4)
TOLERANCES: Mapping[str, float] = {"f16": 2e-2, "bf16": 1e-1, "f32": 2e-4, "f64": 1e-7, "c64": 2e-4, "c128": 1e-7}


def _field(type_: str) -> str:
    return re.sub(r"\W+", "_", type_).strip("_")


def inputs() -> tuple[Value, ...]:
    """The fields of the record that every function takes."""
    return tuple([Value(f"v.{_field(text)}", filled(pattern(text), {}), given=True) for text in INPUTS])


def values(seed: int) -> Mapping[str, Any]:
    """Numbers for the inputs: floats around zero, integers that are small."""
    rng = np.random.default_rng(seed)
    return {_field(text): _value(rng, filled(pattern(text), {})) for text in INPUTS}


def _value(rng: np.random.Generator, type_: Type) -> Any:
    assert isinstance(type_, Array)
    shape = [SIZES.get(size) or int(size) for size in type_.shape]
    match type_.dtype:
        case "idx":
            return rng.integers(SIZES[type_.bound], size=shape).astype(np.int32)
        case "bool":
            return rng.integers(2, size=shape) == 1
        case dtype if dtype in CLASSES["int"]:
            return rng.integers(0 if dtype[0] == "u" else -9, 10, size=shape).astype(_numpy(dtype))
        case dtype if dtype in CLASSES["complex"]:
            return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(_numpy(dtype))
        case dtype:
            return np.asarray(rng.normal(size=shape)).astype(_numpy(dtype))


def _numpy(dtype: str) -> Any:
    return getattr(dsl, dtype).numpy


# ---------------------------------------------------------------- programs


@dataclass(frozen=True, slots=True)
class Batch:
    """Functions of all the inputs; each is an expression of its type."""

    functions: tuple[Node, ...]

    @property
    def text(self) -> str:
        fields = ", ".join([f"{_field(text)}: {text}" for text in INPUTS])
        texts = ["import random", f"type V[n, m] = {{{fields}}}"]
        for number, node in enumerate(self.functions):
            texts += node.definitions()
            texts.append(f"def result_{number}{HEAD.format(node.type)} {node.expression()}")
        types = ", ".join([str(node.type) for node in self.functions])
        calls = ", ".join([f"result_{number}(v)" for number in range(len(self.functions))])
        texts.append(f"def main{HEAD.format(f'({types},)')} ({calls},)")
        return "\n\n".join(texts) + "\n"


def batch(seed: int, count: int) -> Batch:
    """The same seed gives the same functions."""
    maker = Maker(Random(seed))
    return Batch(tuple([_function(maker) for _ in range(count)]))


def _function(maker: Maker) -> Node:
    return maker.expression(maker.type(maker.random.choice(RESULTS), inputs()), inputs(), maker.random.choice(DEPTHS))


# ---------------------------------------------------------------- judging


def problem(made: Batch, seed: int) -> str | None:
    """What is wrong with a batch; the first line tells its kind."""
    args = values(seed)
    try:
        program = dsl.program(made.text)
        again = format_problem(made.text, program)
        found, expected = program.main(args), program.main.interpret(args)
    except Exception as error:
        return f"{_kind(error)}\n{traceback.format_exc(limit=-3)}"
    return again or difference(made, found, expected)


def _kind(error: Exception) -> str:
    return f"{type(error).__name__} {getattr(error, 'code', '')}".strip()


def format_problem(text: str, program: dsl.Program) -> str | None:
    formatted = dsl.program(format_source(Source("main.dsl", text)))
    return None if _core(formatted) == _core(program) else "the formatted text is another program"


def _core(program: dsl.Program) -> str:
    """Its definitions, without the numbers of its names."""
    return re.sub(r"\.\d+", "", show_program(dsl.core_of(program)))


def difference(made: Batch, found: Any, expected: Any) -> str | None:
    for number, (node, one, other) in enumerate(zip(made.functions, found, expected, strict=True)):
        (x,), (y,) = flatten(one), flatten(other)
        if not agree(node, x, y):
            return f"results differ\nresult_{number}: {x} is not {y}"
    return None


def agree(node: Node, x: Any, y: Any) -> bool:
    """Exact dtypes are equal; the others as near as the narrowest dtype that the expression goes through."""
    dtype = _dtype(node.type)
    if dtype not in TOLERANCES:
        return np.array_equal(x, y)
    tolerance = max([TOLERANCES.get(_dtype(inner.type), 0.0) for inner in node])
    wide = np.complex128 if dtype in CLASSES["complex"] else np.float64
    return np.allclose(x.astype(wide), y.astype(wide), rtol=tolerance, atol=tolerance, equal_nan=True)


def _dtype(type_: Type) -> str:
    return type_.dtype if isinstance(type_, Array) else _dtype(type_.result)


def problems(made: Batch, seed: int) -> Iterator[tuple[Batch, str]]:
    """The smallest functions of a batch that have a problem, each alone."""
    if problem(made, seed) is None:
        return
    for node in made.functions:
        alone = Batch((node,))
        why = problem(alone, seed)
        if why is not None:
            yield shrunk(alone, why, seed)


def shrunk(made: Batch, why: str, seed: int) -> tuple[Batch, str]:
    """The smallest program found that has a problem of the same kind."""
    for node in smaller(made.functions[0], _leaf):
        less = Batch((node,))
        if len(less.text) < len(made.text):
            found = problem(less, seed)
            if found is not None and found.partition("\n")[0] == why.partition("\n")[0]:
                return shrunk(less, found, seed)
    return made, why


def _leaf(node: Node) -> Node:
    return Maker(Random(0)).leaf(node.type, node.scope)
