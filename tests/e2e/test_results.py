"""Programs with the results they must give: `#= call => value` after a program, both in Python.

In the call the functions and variants of the program have their names, in both `A(1, 2)` is an f32 array, `I(1, 2)`
an i32 array, `R(2, 3)` one of normal numbers, and `key(0)` a key. A call without a value must run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl

FOLDER = Path(__file__).parent / "results"
MARK, ARROW = "#= ", " => "


def _f32(*values: Any) -> Any:
    return np.array(values, np.float32)


def _i32(*values: Any) -> Any:
    return np.array(values, np.int32)


def _random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


NAMES = {"R": _random, "A": _f32, "I": _i32, "np": np, "key": dsl.key, "M": _f32((1, -2, 3), (0.5, 4, -1)), "dsl": dsl}


def programs() -> Iterator[tuple[str, str]]:
    for path in sorted(FOLDER.glob("*.dsl")):
        for part in path.read_text(encoding="utf-8").split("#### ")[1:]:
            name, _, text = part.partition("\n")
            yield f"{path.stem}/{name}", text


def agree(got: Any, wanted: Any) -> None:
    match wanted:
        case dict():
            assert set(got) == set(wanted)
            for name, part in wanted.items():
                agree(got[name], part)
        case tuple():
            assert len(got) == len(wanted)
            for one, other in zip(got, wanted, strict=True):
                agree(one, other)
        case _:
            found, expected = np.asarray(got), np.asarray(wanted)
            assert found.shape == expected.shape
            if expected.dtype.kind in "fc":
                np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
            else:
                np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("name", "text"), list(programs()), ids=lambda value: value if "/" in value[:40] else "")
def test_results(name: str, text: str) -> None:
    program = dsl.program(text)
    scope = NAMES | {n: getattr(program, n) for n in dir(program) if not n.startswith("_")}
    for line in text.splitlines():
        if line.startswith(MARK):
            call, _, value = line.removeprefix(MARK).partition(ARROW)
            got = eval(call, scope)  # the tests' own text
            agree(got, eval(value, scope | NAMES) if value else got)
