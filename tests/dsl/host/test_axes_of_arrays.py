"""Arrays have at most as many axes as NumPy's: said by the check where that is known, and by the call otherwise."""

import numpy as np
import pytest

import dsl
from dsl.types.limits import AXES

ONES = ", 1" * AXES
NEW = ", none" * AXES


@pytest.mark.parametrize(
    "text",
    [
        f"def f(x: f32[2{ONES}]) -> f32 = sum(x)",
        f"def f(x: f32[2]) -> f32 = sum(x[:{NEW}])",
        f"def f(x: f32[2]) -> f32 = sum(reshape(x, [2{ONES}]))",
        f"def f(x: f32[2]) -> f32 = sum(zeros([2{ONES}])) + sum(x)",
        f"def f(x: f32[2, 2]) -> f32 = sum([sum(v[:{NEW}]) for v in x])",
        f"def f(x: idx[2]) -> i32 = sum(full([2{ONES}], x))",
    ],
)
def test_known_axes_are_counted_by_the_check(text: str) -> None:
    with pytest.raises(dsl.DslError, match=r"E0506.*too many axes"):
        dsl.program(text)


def test_axes_of_a_static_shape_are_counted_by_the_call() -> None:
    made = dsl.program("def f(x: f32, static s: shape) -> f32[*s] = x + zeros(s)").f
    assert np.asarray(made(1.0, s=(1,) * AXES)).shape == (1,) * AXES
    with pytest.raises(dsl.DslError, match=r"E0506.*too many axes"):
        made(1.0, s=(1,) * (AXES + 1))


@pytest.mark.parametrize("body", ["sum(x[..., none])", "sum([x, x])", "sum(vmap(fn v -> x + v)(zeros([2])))"])
def test_axes_added_to_those_of_an_argument_are_counted_by_the_call(body: str) -> None:
    made = dsl.program(f"def f(x: f32[*s]) -> f32 = {body}").f
    assert float(made(np.ones((1,) * (AXES - 1), np.float32))) in (1.0, 2.0)
    with pytest.raises(dsl.DslError, match=r"E0506.*too many axes"):
        made(np.ones((1,) * AXES, np.float32))


def test_maps_from_python_are_counted() -> None:
    function: dsl.Function = dsl.program("def f(x: f32) -> f32 = 2.0 * x").f
    with pytest.raises(dsl.DslError, match=r"E0506.*too many axes"):
        for _ in range(AXES + 1):
            function = dsl.vmap(function)
