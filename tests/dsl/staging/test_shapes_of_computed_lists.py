"""What static code makes of a list that is known at a call alone: the same as of one that is written down."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

OPERATIONS = (
    "r[:]",
    "r[0:]",
    "r[1:]",
    "r[:-1]",
    "r[::2]",
    "r[:k]",
    "[*r[:], k]",
    "r + r[:]",
    "[r[0], *r]",
    "permuted(r, (1, 0))",
    "permuted(r, [k - 1 - i for i in range(k)])",
    "removed(r, 0)",
    "reduced(r, 0, k > 1)",
    "reduced(r, none, k > 2)",
    "inserted(r, k)",
    "inserted(r, (0, 1), k)",
    "replaced(r, 0, 7)",
    "swapped(r, 0, 1)",
    "transposed(r)",
    "broadcasted(r, r[:])",
    "broadcasted([1, 2], r)",
    "stretched([1, 2], r)",
    "contracted(r[1:], r)",
    "reshaped(r, [-1, 1])",
    "[extent(r, 0)]",
    "[extent(r, none)]",
    "[if has_axis(r, k) then 1 else 2]",
    "[len(r[:]), prod(r[:])]",
    "[max(r[:]), min(r[0:])]",
    "[i for i in r[:]]",
    "[a + b for (a, b) in zip(r, r[:])]",
    "[r[:][0]]",
    "(if k > 1 then r[:] else [1])",
    "[if all([i > 0 for i in r[:]]) then 1 else 2]",
)
PROGRAM = """\
static def computed(k: int) -> ints =
    let r: <list> = [2 for i in range(k)]
    <operation>

def at_a_call(x: f32, static k: int) -> f32[*computed(k)] = x * ones(computed(k))

def at_the_check(x: f32) -> f32[*computed(2)] = at_a_call(x, 2)

def written(x: f32) =
    let r: <list> = [2, 2]
    let k = 2
    x * ones(<operation>)
"""


@pytest.mark.parametrize("kind", ["ints", "shape"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_computed_list_is_as_a_written_one(operation: str, kind: str) -> None:
    program = dsl.program(PROGRAM.replace("<list>", kind).replace("<operation>", operation))
    x = np.float32(0)
    expected = program.written(x).shape
    assert program.at_a_call(x, k=2).shape == expected
    assert program.at_the_check(x).shape == expected


def test_a_shape_that_a_computed_list_does_not_have_is_refused_at_the_call() -> None:
    text = PROGRAM.partition("def at_the_check")[0].replace("<list>", "shape")
    program = dsl.program(text.replace("<operation>", "contracted(r, [3 for i in range(k)])"))
    with pytest.raises(dsl.ArgumentError, match="E0911"):
        program.at_a_call(np.float32(0), k=2)
