"""Options of `dsl.jit` under transformations: kept where the result is called alike, else refused; never lost."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.core.transformation import TRANSFORMATIONS, Kind
from dsl.host.functions.tailoring import TailoredFunction, Tailoring
from dsl.host.programs.library import library_program

PROGRAM = """
def loss(x: f32[n]) -> f32 = sum(x * x)
def twice(x: f32[n]) -> f32[n] = x + x
def along(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) = (2.0 * p.0, 2.0 * t.0)
def there(x: f32[n]) -> (f32[n], ()) = (x + x, ())
def back(saved: (), ct: f32[n]) -> (f32[n],) = (2.0 * ct,)
def apply(static f: (f32[n]) -> f32, x: f32[n]) -> f32 = f(x)
"""
X = np.arange(4, dtype="f4")
SPECS = {"mesh": {"data": 2}, "in_specs": {"data": 0}, "out_specs": {"data": 0}}
Transform = Callable[[Any, Any], Any]

TRANSFORMS: dict[Kind, tuple[str, Transform]] = {
    Kind.JIT: ("twice", lambda m, f: dsl.jit(f)),
    Kind.CHECKPOINT: ("twice", lambda m, f: dsl.checkpoint(f)),
    Kind.CUSTOM_JVP: ("twice", lambda m, f: dsl.custom_jvp(f, m.along)),
    Kind.CUSTOM_VJP: ("twice", lambda m, f: dsl.custom_vjp(f, m.there, m.back)),
    Kind.GRAD: ("loss", lambda m, f: dsl.grad(f)),
    Kind.VALUE_AND_GRAD: ("loss", lambda m, f: dsl.value_and_grad(f)),
    Kind.HESSIAN: ("loss", lambda m, f: dsl.hessian(f)),
    Kind.JACFWD: ("twice", lambda m, f: dsl.jacfwd(f)),
    Kind.JACREV: ("twice", lambda m, f: dsl.jacrev(f)),
    Kind.VALUE_AND_JACFWD: ("twice", lambda m, f: dsl.value_and_jacfwd(f)),
    Kind.VMAP: ("twice", lambda m, f: dsl.vmap(f)),
    Kind.PMAP: ("twice", lambda m, f: dsl.pmap(f)),
    Kind.SHARD: ("twice", lambda m, f: dsl.shard(f, SPECS["mesh"], SPECS["in_specs"], SPECS["out_specs"])),
    Kind.JVP: ("twice", lambda m, f: dsl.jvp(f, (X,), (X,))),
    Kind.HVP: ("loss", lambda m, f: dsl.hvp(f, X, X)),
    Kind.VJP: ("twice", lambda m, f: dsl.vjp(f, X)),
    Kind.LINEARIZE: ("twice", lambda m, f: dsl.linearize(f, X)),
}


def halves() -> dsl.Sharding:
    return dsl.Sharding(dsl.devices("cpu")[:2], axis=0)


OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "donate": lambda: {"donate": "x"},
    "in_shardings": lambda: {"in_shardings": {"x": halves()}},
    "out_shardings": lambda: {"out_shardings": dsl.Sharding(dsl.devices("cpu")[:2])},
}


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def test_every_transformation_is_here() -> None:
    assert set(TRANSFORMS) == set(Kind)
    assert {kind for kind in Kind if TRANSFORMATIONS[kind].called_alike} >= {Kind.JIT, Kind.CHECKPOINT}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("kind", Kind)
def test_options_are_kept_or_refused(m: Any, kind: Kind, option: str) -> None:
    name, transform = TRANSFORMS[kind]
    plain = getattr(m, name)
    function = dsl.jit(plain, **OPTIONS[option]())
    if TRANSFORMATIONS[kind].called_alike:
        made = transform(m, function)
        assert made.tailoring == function.tailoring and f"{kind}(" in made.type
        assert transform(m, function) is made and pickle.loads(pickle.dumps(made)).tailoring == made.tailoring
        return
    with pytest.raises(dsl.DslError, match=rf"E0812.*`{option}` of `dsl\.jit` would be lost.*`{kind}`") as refused:
        transform(m, function)
    help = "pass the function itself" if TRANSFORMATIONS[kind].at_once else rf"to `dsl.{kind}({name}, …)`"
    assert help in str(refused.value)


def test_what_is_kept_holds_for_calls(m: Any) -> None:
    for kind in (Kind.JIT, Kind.CHECKPOINT, Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
        options: dict[str, Any] = {"donate": "x", "in_shardings": {"x": halves()}, "out_shardings": halves()}
        made = TRANSFORMS[kind][1](m, dsl.jit(m.twice, **options))
        x = dsl.device_put(X, halves())
        y = made(x)
        assert y.sharding == halves() and y.tolist() == [0.0, 2.0, 4.0, 6.0]
        with pytest.raises(dsl.DeviceError, match="E1017"):
            np.asarray(x)


def test_jit_of_jit_has_the_options_of_both(m: Any) -> None:
    inner = dsl.jit(m.twice, donate="x", in_shardings={"x": halves()}, out_shardings=halves())
    whole = dsl.Sharding(dsl.devices("cpu")[:2])
    made = dsl.jit(inner, in_shardings={"x": whole})
    assert isinstance(made, TailoredFunction)
    assert made.tailoring == Tailoring(("x",), (("x", whole),), halves())
    both: Any = dsl.jit(dsl.jit(m.twice, out_shardings=whole), donate="x")
    assert both.tailoring == Tailoring(("x",), (), whole)
    three = dsl.Sharding(dsl.devices("cpu")[:3])
    with pytest.raises(dsl.DeviceError, match="E1002"):
        dsl.jit(inner, out_shardings=three)


def test_jit_comes_last(m: Any) -> None:
    gradient = dsl.jit(dsl.grad(m.loss), in_shardings={"x": halves()}, out_shardings=halves())
    assert gradient(X).sharding == halves()
    x = dsl.array(X)
    dsl.jit(dsl.vmap(m.loss), donate="x")(dsl.array(np.ones((2, 4), "f4")))
    assert dsl.jit(dsl.jit(m.twice), donate="x")(x).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert dsl.grad(dsl.jit(m.loss))(X).tolist() == [0.0, 2.0, 4.0, 6.0]


INSIDE: list[Callable[[Any], object]] = [
    lambda m: m.apply(dsl.jit(m.loss, donate="x"), X),
    lambda m: dsl.custom_jvp(m.twice, dsl.jit(m.along, donate="p")),
    lambda m: dsl.custom_vjp(m.twice, dsl.jit(m.there, donate="x"), m.back),
]


@pytest.mark.parametrize("use", INSIDE)
def test_a_function_inside_a_program_has_no_options(m: Any, use: Callable[[Any], object]) -> None:
    with pytest.raises(dsl.DslError, match=r"E0812.*with `donate` of `dsl\.jit`, which would be lost"):
        use(m)


def test_an_overloaded_function_refuses_alike() -> None:
    eig = dsl.jit(library_program("linalg").eig, donate="x")
    with pytest.raises(dsl.DslError, match=r"E0812.*would be lost.*`vmap`"):
        dsl.vmap(eig)
    assert dsl.checkpoint(eig)(dsl.array(np.eye(2, dtype="f4")))[0].shape == (2,)
