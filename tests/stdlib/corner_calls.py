"""Calls of every function of the library where formulas break: empty axes, axes of one, scalars, each dtype, static
arguments that are negative or large.

What a signature allows must run, with the declared shapes, and XLA must give what the evaluator gives; all else must be
refused as an argument. As a script (`python -m tests.stdlib.corner_calls 5 special.gamma`) this makes so many calls of
each function whose name contains the words, and prints those that fail.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import dsl
from dsl.host.checking.checked_program import CheckedProgram
from dsl.staging.env.environment import Variables
from dsl.types.size import SizeVar
from tests.e2e.test_run_corpus import check_call
from tests.stdlib.test_library import MODULES
from tests.support.instances import Instance, Maker, NoInstance, callable_from_python
from tests.support.known_library import known_library
from tests.support.library import source
from typechecker import check_source

SIZES = (0, 1, 2, 3, 5)
SHAPES = ((), (0,), (1,), (4,), (0, 3), (3, 0), (1, 1), (2, 3), (2, 1, 3), (0, 2, 2))
STATICS: Mapping[str, tuple[Any, ...]] = {
    "int": (0, 1, -1, 2, -3, 7, 2**31 - 1, -(2**31), 2**40),
    "size": (0, 1, 2, 5),
    "float": (0.5, 0.0, -1.0, 2.0, 1e300, float("inf")),
    "complex": (0.5 + 0.25j, 0j),
    "shape": SHAPES,
    "axes": (None, 0, -1, 1, (), (0, 1), (-1, -2), 5),
    "ints": ((), (0,), (1,), (2, 1), (-1,), (0, 1), (1, 0)),
    "pairs": (((0, 0),), ((0, 1),), ((1, 1), (0, 0)), ()),
    "dtype": (dsl.u8, dsl.i64, dsl.f16, dsl.bf16, dsl.f32, dsl.c64, dsl.bool_),
}
WORDS = (
    *("full", "same", "valid", "left", "right", "edge", "reflect", "symmetric", "wrap"),
    *("constant", "xy", "ij", "drop", ""),
)
TRIES = 300


class CornerMaker(Maker):
    """Makes calls of random corners that a signature allows."""

    def instance(self) -> Instance:
        for _ in range(TRIES):
            self.variables = Variables(self.function.definition.solution)
            statics = {
                p.name: self.any_of(tuple(self.candidates(p.type)))
                for p in self.signature.params
                if p.static and (p.default is None or self.rng.random() < 0.6)
            }
            if self.choose(statics):
                return self.made(statics)
        raise NoInstance(self.function.type)

    def any_of(self, options: tuple[Any, ...]) -> Any:
        return options[self.rng.integers(len(options))]

    def of_kind(self, kind: str) -> tuple[Any, ...]:
        return WORDS if kind == "str" else STATICS.get(kind) or super().of_kind(kind)

    def choose(self, statics: Mapping[str, Any]) -> bool:
        self.variables.dtypes.update({dtype: self.any_of(dtype.allowed) for dtype in self.signature.dtypes})
        self.variables.shapes.update({shape: self.any_of(SHAPES) for shape in self.signature.shapes})
        return self.bind_statics(statics) and self.choose_sizes(statics)

    def assignments(self, free: Sequence[SizeVar]) -> Iterator[dict[SizeVar, int]]:
        for _ in range(20):
            yield {v: int(self.any_of(SIZES)) for v in free}


def callable_functions(module: str) -> Mapping[str, dsl.Function]:
    """The functions of a module of the library that Python can call, each definition of a name by itself."""
    checked = check_source(source(module), cache=known_library()).program
    assert checked is not None
    found = dsl.functions(dsl.Program(CheckedProgram(checked)))
    return {
        f"{module}.{name}": function
        for name, function in found.items()
        if not function.definition.static and callable_from_python(function.definition)
    }


def failures(name: str, function: dsl.Function, count: int, compiled: int) -> Iterator[str]:
    """The calls of a function that fail, of so many; so many of them are made by XLA, too."""
    for k in range(count):
        maker = CornerMaker(function, np.random.default_rng(k + zlib.crc32(name.encode())), generous=k % 2 == 0)
        try:
            instance = maker.instance()
        except NoInstance:
            continue
        problem = _problem(function, instance, k < compiled)
        if problem is not None:
            yield f"{name}({instance})\n    {problem}"


def _problem(function: dsl.Function, instance: Instance, compiled: bool) -> str | None:
    """What is wrong with a call. Python may give numbers that a dtype cannot hold, and dtypes of another class."""
    try:
        check_call(function, instance, compiled)
    except (dsl.ArgumentError, dsl.DslTypeError) as error:
        return None if error.code in ("E0304", "E0909", "E0911") else str(error)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip()[:400]}"
    return None


def main(count: int, words: str) -> int:
    """Makes the calls of the functions whose name contains the words."""
    every = {name: f for module in MODULES for name, f in callable_functions(module).items() if words in name}
    found = [failure for name, function in every.items() for failure in failures(name, function, count, count // 5)]
    print(*found, f"{len(found)} calls fail", sep="\n")
    return min(1, len(found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2] if len(sys.argv) > 2 else ""))
