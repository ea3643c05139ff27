"""Functions of JAX with symbolic sizes: one module, whose values and derivatives are those of JAX at every size."""

from __future__ import annotations

import operator
import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.interop.jax import exported, from_jax, to_jax
from dsl.interop.jax.sizes import size_of, variables_of, where

b, c = jax.export.symbolic_shape("b, c", constraints=["b >= 2"])


def spread(x: Any, w: Any) -> dict[str, Any]:
    """With results whose sizes are computed, a sum over a window as long as an axis, and a size as a number."""
    y = jnp.cumsum(x @ w, axis=0)
    halves = jnp.reshape(y, (-1,))[::2]
    return {"both": jnp.concatenate([y[1:], y]), "halves": halves, "mean": jnp.mean(y, axis=1) * x.shape[0]}


SPREAD = from_jax(
    spread, jax.ShapeDtypeStruct((b, 3), jnp.float32), jax.ShapeDtypeStruct((3, c), jnp.float32), vjp=True
)
M = dsl.program(
    """
    import spread

    def both(x: f32[n, 3], w: f32[3, k]) -> f32[2 * n - 1, k] where n >= 2 and k >= 1 = spread.spread(x, w).both
    def total(x: f32[n, 3], y: f32[m, 3], w: f32[3, k]) -> f32 where n >= 2 and m >= 2 and k >= 1 =
        sum(spread.spread(x, w).both ** 2) + sum(spread.spread(y, w).mean ** 3) + sum(spread.spread(x, w).halves)
    """,
    {"spread": SPREAD},
)


def total(x: Any, y: Any, w: Any) -> Any:
    return jnp.sum(spread(x, w)["both"] ** 2) + jnp.sum(spread(y, w)["mean"] ** 3) + jnp.sum(spread(x, w)["halves"])


def arrays(n: int, m: int, k: int) -> list[Any]:
    random = np.random.default_rng(0)
    return [random.normal(size=shape).astype(np.float32) for shape in ((n, 3), (m, 3), (3, k))]


@pytest.mark.parametrize("sizes", [(4, 5, 2), (2, 2, 1), (7, 3, 5)])
def test_values_and_derivatives_are_those_of_jax(sizes: tuple[int, int, int]) -> None:
    x, y, w = arrays(*sizes)
    np.testing.assert_allclose(M.both(x, w), spread(x, w)["both"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(M.total(x, y, w), total(x, y, w), rtol=1e-5)
    for position in range(3):
        slope = dsl.grad(M.total, argnums=position)(x, y, w)
        np.testing.assert_allclose(slope, jax.grad(total, position)(x, y, w), rtol=1e-4, atol=1e-5)


def test_batches_are_one_call_after_the_other() -> None:
    x, y, w = arrays(3, 4, 2)
    found = dsl.vmap(M.total, in_axes=(0, None, None))(np.stack([x, 2 * x]), y, w)
    np.testing.assert_allclose(found, [total(x, y, w), total(2 * x, y, w)], rtol=1e-5)


def test_devices_call_it_each_on_their_own() -> None:
    made = dsl.program(
        """
        import spread

        def peak(x: f32[n, 3], w: f32[3, k]) -> f32 where n >= 2 and k >= 1 = max(spread.spread(x, w).halves)
        def all_of(xs: f32[b, n, 3], w: f32[3, k]) -> f32[b] where n >= 2 and k >= 1 =
            pmap(peak, in_axes=(0, none))(xs, w)
        """,
        {"spread": SPREAD},
    )
    x, y, w = arrays(4, 4, 2)
    with dsl.default_device(*dsl.devices()[:2]):
        found = made.all_of(np.stack([x, y]), w)
    assert len(found.devices) == 2
    np.testing.assert_allclose(found, [jnp.max(spread(each, w)["halves"]) for each in (x, y)], rtol=1e-5)


def test_a_program_with_one_goes_back_into_jax() -> None:
    x, _, w = arrays(3, 3, 2)
    back = to_jax(M.both)
    np.testing.assert_allclose(jax.jit(back)(x, w), spread(x, w)["both"], rtol=1e-5, atol=1e-6)
    again = jax.export.deserialize(bytearray(exported(M.both, {"x": x, "w": w})))
    np.testing.assert_allclose(again.call(x, w), spread(x, w)["both"], rtol=1e-5, atol=1e-6)


def test_a_size_is_settled_once_and_no_size_is_open() -> None:
    x, y, w = arrays(4, 4, 2)
    text = M.total.lower(x, y, w).as_text()
    assert "x?" not in text and "<?" not in text and "shape_assertion" not in text
    assert text.count("func.func private @spread_") == 1 and text.count("call @spread_") == 2


def test_programs_with_such_modules_pickle() -> None:
    x, _, w = arrays(3, 3, 1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(M.both))(x, w), M.both(x, w))


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("def f(x: f32[1, 3], w: f32[3, 2]) -> f32[1] = spread.spread(x, w).mean", "E0407"),
        ("def f(x: f32[n, 4], w: f32[3, k]) -> f32[n] where n >= 2 and k >= 1 = spread.spread(x, w).mean", "E0402"),
        ("def f(x: f32[5, 3], w: f32[3, 2]) -> f32[8, 2] = spread.spread(x, w).both", "E0402"),
    ],
)
def test_sizes_are_checked_by_its_signature(program: str, code: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(f"import spread\n\n{program}", {"spread": SPREAD})
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_the_condition_of_jax_is_one_of_callers() -> None:
    with pytest.raises(dsl.ArgumentError, match="n >= 2"):
        M.both(np.ones((1, 3), np.float32), np.ones((3, 1), np.float32))


def test_a_parameter_named_like_a_size_is_numbered() -> None:
    module = from_jax(lambda b: 2 * b, jax.ShapeDtypeStruct((b,), jnp.float32), name="twice")
    made = dsl.program("import m\n\ndef f(x: f32[n]) -> f32[n] where n >= 2 = m.twice(x)", {"m": module})
    assert made.f([1.0, 2.0]).tolist() == [2.0, 4.0]


EXPRESSIONS = st.recursive(
    st.sampled_from(["b", "c", "2", "3"]),
    lambda inner: st.one_of(
        st.builds(lambda x, o, y: f"({x} {o} {y})", inner, st.sampled_from("+*"), inner),
        st.builds(
            lambda f, x, k: f"{f}({x}, {k})", st.sampled_from(["floordiv", "mod"]), inner, st.sampled_from("235")
        ),
        st.builds(lambda f, x, y: f"{f}({x}, {y})", st.sampled_from(["max", "min"]), inner, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=60)
@given(EXPRESSIONS, st.integers(2, 9), st.integers(1, 9))
def test_sizes_are_written_with_their_values(expression: str, first: int, second: int) -> None:
    divisions = {"floordiv": operator.floordiv, "mod": operator.mod}
    symbolic = {**divisions, "b": b, "c": c, "max": jax.core.max_dim, "min": jax.core.min_dim}
    known = {**divisions, "b": first, "c": second, "max": max, "min": min}
    wanted = eval(expression, dict(known))
    del known["floordiv"], known["mod"]
    assert eval(size_of(eval(expression, symbolic)), known) == wanted


def test_conditions_are_those_of_the_scope() -> None:
    shape = jax.export.symbolic_shape("b, c, b*c", constraints=["mod(b, 2) == 0", "c <= 2*b", "floordiv(b, 2) >= 1"])
    array = jax.ShapeDtypeStruct(shape, jnp.float32)
    assert variables_of([array]) == ["b", "c"]
    assert where([array]).startswith(" where b >= 1 and c >= 1 and ")
    for condition in ("b % 2 == 0", "c <= 2 * b", "b // 2 >= 1"):
        assert condition in where([array]).split(" and ")
    assert where([jax.ShapeDtypeStruct((3,), jnp.float32)]) == ""
