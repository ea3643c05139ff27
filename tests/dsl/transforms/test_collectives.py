"""Collectives over named axes, beside `jax.vmap(axis_name=…)`: values, gradients, nesting, control flow."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl

pytestmark = pytest.mark.cpu

PROGRAM = """
def share(x: f64) -> f64 ! axis("i") = x / psum(x, "i")
def centred(x: f64[d]) -> f64[d] ! axis("i") = (x - pmean(x, "i")) ** 2
def span(x: f64[d]) -> f64[d] ! axis("i") = sin(pmax(x, "i")) - x * pmin(x * x, "i")
def everyone(x: f64) -> f64[n] ! axis("i": n) = all_gather(sin(x), "i") * x
def stacked(x: f64[d]) -> f64[d, n] ! axis("i": n) = all_gather(x * x, "i", axis=1)
def shifted(x: f64[d]) -> f64[d] ! axis("i": n) = x * ppermute(x * x, "i", ((0, 1), (1, 2), (2, 3), (3, 0)))
def ring(x: f64[d]) -> f64[d] ! axis("i") = x * ppermute(sin(x), "i", shift=-1)
def scattered(x: f64[n]) -> f64 ! axis("i": n) = reduce_scatter(sin(x), "i") * 2.0
def exchanged(x: f64[n]) -> f64[n] ! axis("i": n) = all_to_all(sin(x), "i") * x
def placed(x: f64) -> f64 ! axis("i") = x * f64(axis_index("i"))
def looped(x: f64) -> f64 ! axis("i") = fold s = x for k in range(3) do s * 0.5 + psum(sin(s), "i")
def branched(x: f64, c: bool) -> f64 ! axis("i") = if c then psum(x * x, "i") * x else x
def tree(x: f64) -> (f64, {a: f64}) ! axis("i") = psum((x, {a = x * x}), "i")
def kept(x: f64) -> f64 ! axis("i") = checkpoint(fn y -> psum(sin(y), "i") * y)(x)
def both(x: f64) -> f64 ! {axis("i"), axis("j")} = x * psum(psum(x * x, "i") * x, "j")
def counted(x: f64) -> i32 ! axis("i") = psum(i32(1), "i") + i32(axis_index("i"))
def within(x: f64[d]) -> f64[d] ! axis("i") = [psum(v, "i") * v for v in x]

def shares(xs: f64[n]) -> f64[n] = vmap(share, axis_name="i")(xs)
def pair(x: f64[n, m]) -> f64[n, m] = vmap(vmap(both, axis_name="j"), axis_name="i")(x)
def crossed(x: f64[n, m]) -> f64[n, m] = vmap(vmap(both, axis_name="i"), axis_name="j")(x)
def last(x: f64[d, n]) -> f64[n, d] = vmap(centred, in_axes=1, axis_name="i")(x)
"""


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]


def jax_looped(x: Any) -> Any:
    for _ in range(3):
        x = x * 0.5 + jax.lax.psum(jnp.sin(x), "i")
    return x


THEIRS: dict[str, Any] = {
    "share": lambda x: x / jax.lax.psum(x, "i"),
    "centred": lambda x: (x - jax.lax.pmean(x, "i")) ** 2,
    "everyone": lambda x: jax.lax.all_gather(jnp.sin(x), "i") * x,
    "stacked": lambda x: jax.lax.all_gather(x * x, "i", axis=1),
    "shifted": lambda x: x * jax.lax.ppermute(x * x, "i", RING),
    "ring": lambda x: x * jax.lax.ppermute(jnp.sin(x), "i", [(t, s) for s, t in RING]),
    "scattered": lambda x: jax.lax.psum_scatter(jnp.sin(x), "i") * 2,
    "exchanged": lambda x: jax.lax.all_to_all(jnp.sin(x), "i", 0, 0) * x,
    "placed": lambda x: x * jax.lax.axis_index("i"),
    "looped": jax_looped,
    "kept": lambda x: jax.lax.psum(jnp.sin(x), "i") * x,
    "within": lambda x: jax.lax.psum(x, "i") * x,
}
VECTORS = ("centred", "stacked", "shifted", "ring", "within")
SLICES = ("scattered", "exchanged")


def argument(name: str) -> np.ndarray[Any, Any]:
    shape = (4, 3) if name in VECTORS else (4, 4) if name in SLICES else (4,)
    return np.random.default_rng(3).uniform(0.2, 1.5, shape)


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", list(THEIRS))
def test_values(program: dsl.Program, name: str) -> None:
    x = argument(name)
    with jax.enable_x64(True):
        agree(dsl.vmap(getattr(program, name), axis_name="i")(x), jax.vmap(THEIRS[name], axis_name="i")(x))


@pytest.mark.parametrize("name", list(THEIRS))
def test_the_derivative_of_the_mapped_function(program: dsl.Program, name: str) -> None:
    x = argument(name)
    with jax.enable_x64(True):
        theirs = jax.vmap(THEIRS[name], axis_name="i")
        mapped = dsl.vmap(getattr(program, name), axis_name="i")
        agree(dsl.jacrev(mapped)(x), jax.jacrev(theirs)(x))
        agree(dsl.jacfwd(mapped)(x), jax.jacfwd(theirs)(x))


@pytest.mark.parametrize("name", ["share", "placed", "looped", "kept"])
def test_the_mapped_derivative(program: dsl.Program, name: str) -> None:
    x = argument(name)
    with jax.enable_x64(True):
        theirs = jax.vmap(jax.grad(THEIRS[name]), axis_name="i")
        agree(dsl.vmap(dsl.grad(getattr(program, name)), axis_name="i")(x), theirs(x))


def test_extremes_share_their_tangent_equally(program: dsl.Program) -> None:
    x = np.array([[1.0, 3.0], [2.0, 3.0], [0.5, 1.0]])
    mapped = dsl.vmap(program.span, axis_name="i")
    agree(mapped(x), np.sin(x.max(0)) - x * (x * x).min(0))
    slope = np.asarray(dsl.jacrev(mapped)(x))
    agree(slope[0, 1, :, 1], [np.cos(3.0) / 2 - 1.0, np.cos(3.0) / 2, -3.0 * 2.0])
    agree(dsl.jacfwd(mapped)(x), slope)


def test_nothing_of_a_collective_is_left(program: dsl.Program) -> None:
    for name in ("share", "everyone", "looped", "kept"):
        mapped = dsl.vmap(getattr(program, name), axis_name="i")
        text = mapped.ir(argument(name))
        assert not any(word in text for word in ("psum", "all_gather", "ppermute", "axis_index"))
        agree(mapped.interpret(argument(name)), mapped(argument(name)))


def test_a_condition_that_differs_masks_results_alone(program: dsl.Program) -> None:
    x, c = argument("share"), np.array([True, False, True, False])
    expected = np.where(c, np.sum(x * x) * x, x)
    agree(dsl.vmap(program.branched, axis_name="i")(x, c), expected)
    slope = dsl.jacrev(mapped := dsl.vmap(program.branched, axis_name="i"))(x, c)
    agree(slope, dsl.jacfwd(mapped)(x, c))
    agree(np.asarray(slope)[1], [0, 1, 0, 0])


def test_choices_of_other_axes_talk_too(program: dsl.Program) -> None:
    x = np.random.default_rng(4).uniform(0.5, 1.0, (3, 4))
    c = np.arange(12).reshape(3, 4) % 3 == 0
    inner = dsl.vmap(program.branched)
    expected = np.where(c, np.sum(x * x, 0) * x, x)
    agree(dsl.vmap(inner, axis_name="i")(x, c), expected)


def test_trees_and_integers(program: dsl.Program) -> None:
    x = argument("share")
    first, second = dsl.vmap(program.tree, axis_name="i")(x)
    agree(first, np.full(4, x.sum()))
    agree(second["a"], np.full(4, (x * x).sum()))
    agree(dsl.vmap(program.counted, axis_name="i")(x), [4, 5, 6, 7])


def test_nested_names_commute(program: dsl.Program) -> None:
    x = np.random.default_rng(0).uniform(0.5, 1.0, (3, 4))
    inner = np.sum(x * x, 0)
    agree(program.pair(x), x * np.sum(inner * x, 1)[:, None])
    agree(np.asarray(program.crossed(x.T)).T, program.pair(x))


def test_other_axes_are_mapped_as_usual(program: dsl.Program) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.0, (3, 4))
    agree(program.last(x), (x.T - x.T.mean(0)) ** 2)
    many = np.stack([argument("share"), 2 + argument("share")])
    agree(dsl.vmap(program.shares)(many), many / many.sum(1, keepdims=True))


@pytest.mark.parametrize("shift", [0, 1, -1, 3, 10])
def test_a_ring_fits_an_axis_of_any_size(shift: int) -> None:
    text = 'def turn(x: f32[d], static k: int) -> f32[d] ! axis("i") = ppermute(x, "i", shift=k)\n'
    text += 'def f(x: f32[n, d], static k: int) -> f32[n, d] = vmap(fn v -> turn(v, k), axis_name="i")(x)\n'
    text += "def slope(x: f32[n, d], static k: int) -> f32[n, d] = grad(fn y -> sum(x * f(y, k)))(x)\n"
    program = dsl.program(text)
    for size in range(6):
        x = np.arange(2 * size, dtype=np.float32).reshape(size, 2)
        for run in (program.f, program.f.interpret):
            np.testing.assert_array_equal(np.asarray(run(x, k=shift)), np.roll(x, shift, axis=0))
        np.testing.assert_array_equal(np.asarray(program.slope(x, k=shift)), np.roll(x, -shift, axis=0))


@pytest.mark.parametrize("devices", [1, 2, 4, 8])
def test_a_ring_over_devices(devices: int) -> None:
    body = f'shard(fn v -> ppermute(v, "i", shift=1), mesh(i={devices}), {{i = 0}}, {{i = 0}})(x)'
    f = dsl.program(f"def f(x: f32[{devices} * n]) -> f32[{devices} * n] = {body}").f
    x = np.arange(16, dtype=np.float32)
    found = f(x)
    np.testing.assert_array_equal(np.asarray(found), np.roll(x, 16 // devices))
    assert len(found.addressable_shards) == devices


def test_a_missing_giver_gives_zero() -> None:
    m = dsl.program(
        """
        def right(x: f32) -> f32 ! axis("i": n) = ppermute(x, "i", ((0, 1), (1, 2)))
        """
    )
    found = dsl.vmap(m.right, axis_name="i")(np.array([5, 6, 7], np.float32))
    assert np.asarray(found).tolist() == [0, 5, 6]
    with pytest.raises(dsl.DslError) as caught:
        dsl.vmap(m.right, axis_name="i")(np.ones(2, np.float32))
    assert caught.value.diagnostics[0].code == "E0911"


def test_python_does_not_handle_an_axis(program: dsl.Program) -> None:
    with pytest.raises(dsl.DslError) as caught:
        program.share(np.float64(1))
    assert caught.value.diagnostics[0].code == "E0702"
    with pytest.raises(dsl.DslError):
        dsl.vmap(program.share, axis_name="j")(np.ones(3))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('def f(x: f32) -> f32 = psum(x, "i")', "E0701"),
        ('def f(x: f32[n]) -> f32[n] = vmap(fn v -> psum(v, "j"), axis_name="i")(x)', "E0701"),
        ('def f(x: f32) = all_gather(x, "i")', "E0810"),
        ('def f(x: f32) = ppermute(x, "i", ((0, 1),))', "E0810"),
        ('def f(x: f32[2]) = vmap(fn v -> ppermute(v, "i", ((0, 2),)), axis_name="i")(x)', "E0407"),
        ('def f(x: f32[3]) = vmap(fn v -> ppermute(v, "i", ((0, 2), (1, 2))), axis_name="i")(x)', "E0407"),
        ('def f(x: f32[n], k: i32) = vmap(fn v -> ppermute(v, "i", shift=k), axis_name="i")(x)', "E0407"),
        ('def f(x: f32[n]) = vmap(fn v -> ppermute(v, "i", shift=1.5), axis_name="i")(x)', "E0407"),
        ('def f(x: f32[n]) = vmap(fn v -> ppermute(v, "i", ((0, 0),), shift=1), axis_name="i")(x)', "E0407"),
        ('def f(x: f32[n]) = vmap(fn v -> ppermute(v, "i"), axis_name="i")(x)', "E0407"),
        ('def f(x: f32[n]) = vmap(fn v -> ppermute(v, "i", [(k, k) for k in range(n)]), axis_name="i")(x)', "E0407"),
        ('def f(x: f32) -> f32 = ppermute(x, "i", shift=1)', "E0701"),
        (
            'def g(x: f32) -> f32[n] ! axis("i": n) = all_gather(x, "i")\ndef f(x: f32[n]) = vmap(g, axis_name="j")(x)',
            "E0810",
        ),
        ('def f(x: f32[n]) = vmap(fn v -> psum(v > 0.0, "i"), axis_name="i")(x)', "E0315"),
    ],
)
def test_refused(text: str, code: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    assert next(d.code for d in caught.value.diagnostics) == code
