"""Functions of JAX inside of programs give what JAX gives, and what is not known of them is refused."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from dsl.interop.jax import from_jax


class State(NamedTuple):
    at: Any
    speed: Any


def step(state: State, force: Any, k: Any) -> dict[str, Any]:
    """With functions of its own (`relu`, `where`), a factorisation of LAPACK and an argument that is not used."""
    matrix = state.at @ state.at.T + 4 * jnp.eye(2)
    moved = jax.nn.relu(state.at + force["x"]) + jnp.where(force["x"] > 0, 1.0, jnp.linalg.cholesky(matrix)[0, 0])
    return {"state": (moved * k, state.at), "energy": jnp.sum(moved**2)}


AT = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)
FORCE = {"x": np.array([[0.5, -1.0], [0.25, 1.5]], np.float32)}
SHAPES = State(AT, AT), FORCE, 1
M = dsl.program(
    """
    import plain
    from known import step

    type State = {at: f32[2, 2], speed: f32[2, 2]}

    def energy(s: State, f: {x: f32[2, 2]}) -> f32 =
        let found = step(s, f, 3)
        found.energy + sum(found.state.0)

    def both(s: State, f: {x: f32[2, 2]}) -> f32 = plain.step(s, f, 1).energy + plain.step(s, f, 2).energy
    def each(s: State, fs: f32[n, 2, 2]) -> f32[n] = vmap(fn x -> plain.step(s, {x = x}, 1).energy)(fs)
    def slope(s: State, fs: f32[n, 2, 2]) -> f32[n, 2, 2] = vmap(fn x -> grad(fn y -> energy(s, {x = y}))(x))(fs)
    """,
    {"plain": from_jax(step, *SHAPES), "known": from_jax(step, *SHAPES, vjp=True)},
)


def jax_energy(state: State, force: dict[str, Any]) -> jax.Array:
    found = step(state, force, 3)
    return found["energy"] + jnp.sum(found["state"][0])


def test_values_and_derivatives_are_those_of_jax() -> None:
    state, forces = State(AT, AT), np.stack([FORCE["x"], 2 * FORCE["x"]])
    np.testing.assert_allclose(M.energy(state, FORCE), jax_energy(state, FORCE), rtol=1e-6)
    np.testing.assert_allclose(M.both(state, FORCE), 2 * step(state, FORCE, 1)["energy"], rtol=1e-6)
    wanted = [step(state, {"x": x}, 1)["energy"] for x in forces]
    np.testing.assert_allclose(M.each(state, forces), wanted, rtol=1e-6)
    slopes = [jax.grad(lambda x: jax_energy(state, {"x": x}))(x) for x in forces]
    np.testing.assert_allclose(M.slope(state, forces), slopes, rtol=1e-5)


def test_a_function_is_written_once() -> None:
    text = M.both.lower(State(AT, AT), FORCE).as_text()
    assert text.count("func.func private @step_") == 4 and text.count("_main(") == 3


def test_without_a_derivative_it_is_refused_with_the_reason() -> None:
    with pytest.raises(dsl.TransformError, match="came without its derivative") as caught:
        dsl.grad(M.both)
    assert caught.value.diagnostics[0].code == "E0803"


def test_arguments_are_checked_by_its_signature() -> None:
    wrong = "import plain\n\ndef f(x: f32[3, 2], k: f32) -> f32 = plain.step({at = x, speed = x}, {x = x}, k).energy"
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(wrong, {"plain": from_jax(step, *SHAPES)})
    assert {d.code for d in caught.value.diagnostics} == {"E0302", "E0402"}


def test_the_evaluator_has_no_stablehlo() -> None:
    with pytest.raises(TypeError, match="run by XLA alone"):
        M.both.interpret(State(AT, AT), FORCE)


def test_programs_with_modules_pickle_and_are_kept_apart() -> None:
    again = pickle.loads(pickle.dumps(M.both))
    np.testing.assert_allclose(again(State(AT, AT), FORCE), M.both(State(AT, AT), FORCE))
    text = "import physics\n\ndef f(x: f32) -> f32 = physics.g(x)"
    for factor in (2.0, 3.0):
        made = dsl.program(text, {"physics": from_jax(lambda x, c=factor: c * x, 1.0, name="g")})
        assert made.f(1.0) == factor


def test_modules_may_be_texts() -> None:
    made = dsl.program(
        "from units import double\n\ndef f(x: f32) -> f32 = double(x)",
        {
            "units": """
        def double(x: f32) -> f32 = 2.0 * x
    """
        },
    )
    assert made.f(3.0) == 6.0
    with pytest.raises(dsl.DslError, match="E0201"):
        dsl.program("import m\n\ndef f(x: f32) -> f32 = m.g(x)", {"m": "def g(x: f32) -> f32 = intrinsic.sin(x)"})


@pytest.mark.parametrize(
    ("function", "shapes", "reason"),
    [
        (lambda x: x, (jax.ShapeDtypeStruct(jax.export.symbolic_shape("B, 3"), jnp.float32),), "`B` is not a name"),
        (lambda x: x, (jnp.zeros(2, jnp.float8_e4m3fn),), "not a dtype"),
        (lambda x: x[3], ({3: 1.0},), "names no field"),
        (lambda x: x, ((None, 1.0),), "holds no array"),
        (lambda x: x, (None,), "holds no array"),
        (lambda x: OrderedDict(a=x), ({"while": 1.0},), "names no field"),
    ],
)
def test_what_a_program_cannot_call_is_refused(function: Any, shapes: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        from_jax(function, *shapes, name="f")


def test_integers_have_no_cotangents() -> None:
    with pytest.raises(TypeError, match="leave out `vjp`"):
        from_jax(lambda x: jnp.argmax(x), jnp.ones(3), name="f", vjp=True)
