"""Programs with the results they must give: `#= call => value` after a program, both in Python.

In the call the functions and variants of the program have their names, in both `A(1, 2)` is an f32 array, `I(1, 2)`
an i32 array, `R(2, 3)` one of normal numbers, and `key(0)` a key. A call without a value must run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.cases import some
from tests.support.corpus import read_programs
from tests.support.run import assert_agrees

FOLDER = Path(__file__).parent / "results"
MARK, ARROW = "#= ", " => "


def _f32(*values: Any) -> Any:
    return np.array(values, np.float32)


def _i32(*values: Any) -> Any:
    return np.array(values, np.int32)


def _random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


NAMES = {"R": _random, "A": _f32, "I": _i32, "np": np, "key": dsl.key, "M": _f32((1, -2, 3), (0.5, 4, -1)), "dsl": dsl}


PROGRAMS = [program for file in sorted(FOLDER.glob("*.dsl")) for program in read_programs(file)]


@pytest.mark.parametrize("text", [p.texts[""] for p in PROGRAMS], ids=[f"{p.file.stem}/{p.name}" for p in PROGRAMS])
def test_results(text: str) -> None:
    program = dsl.program(text)
    scope = NAMES | {n: getattr(program, n) for n in dir(program) if not n.startswith("_")}
    for line in some([line for line in text.splitlines() if line.startswith(MARK)]):
        call, _, value = line.removeprefix(MARK).partition(ARROW)
        got = eval(call, scope)  # the tests' own text
        assert_agrees(got, eval(value, scope | NAMES) if value else got)
