"""`dsl.Function`: calls, caching, inspection, checks, keys, transformations from Python."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import dsl

TEXT = """
import random

## Doubles.
def twice(x: f32[n]) -> f32[n] = x * 2.0
def loss(w: f32[d], x: f32[d], y: f32) -> f32 = (w @ x - y) ** 2
def root(x: f32) -> f32 ! check =
    assert x >= 0.0, "negative"
    sqrt(x)
def guard(x: f32) -> () ! check = assert_it(x)
def assert_it(x: f32) -> () ! check =
    assert x >= 0.0, "negative"
    ()
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def shout(x: f32) -> f32 ! io =
    print("x = {}", x)
    x
def counted(x: f32) -> f32 ! state(c: f32) =
    c := c + x
    x
def scaled(x: f32[n], static k: int) -> f32 = sum(x * x) * f32(k)
"""
X = np.arange(3, dtype=np.float32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def test_inspection(program: dsl.Program) -> None:
    assert program.twice.type == "def twice(x: f32[n]) -> f32[n]"
    assert program.twice.doc == "Doubles."
    assert "mul" in program.twice.ir(X)
    assert "stablehlo.multiply" in program.twice.lower(X).as_text()
    assert "multiply" in program.twice.lower(X).as_text("hlo")
    assert "multiply" in program.twice.lower(X).as_text("optimized")
    assert program.twice.cost(X)["flops"] == 3.0 and not any("{" in name for name in program.twice.cost(X))
    assert program.twice.hlo(X).startswith("HloModule twice")
    assert "twice" in repr(program)
    with pytest.raises(AttributeError, match="no public `nothing`"):
        _ = program.nothing


def test_a_new_type_is_a_new_program_and_nothing_else(program: dsl.Program) -> None:
    function = dsl.program(TEXT).twice
    for x in (X, X + 1, function(X)):
        function(x)
    before = function.cache_info()
    assert before.size == 1
    function(X[:2])
    after = function.cache_info()
    assert (after.size, after.misses) == (2, 2)
    assert after.hits >= 3


def test_a_failed_check_is_raised_when_a_result_is_read(program: dsl.Program) -> None:
    assert float(program.root(4.0)) == 2.0
    result = program.root(-1.0)
    with pytest.raises(dsl.CheckError, match="negative") as caught:
        np.asarray(result)
    assert caught.value.code == "E0940"
    assert "assert x >= 0.0" in str(caught.value)


def test_a_failed_check_is_passed_on(program: dsl.Program) -> None:
    result = program.root(program.root(-1.0))
    with pytest.raises(dsl.CheckError):
        float(result)


def test_a_failed_check_without_results_is_raised_at_once(program: dsl.Program) -> None:
    program.guard(1.0)
    with pytest.raises(dsl.CheckError):
        program.guard(-1.0)


def test_the_evaluator_raises_too(program: dsl.Program) -> None:
    with pytest.raises(dsl.CheckError):
        program.root.interpret(-1.0)


def test_draws_need_a_key(program: dsl.Program) -> None:
    first = np.asarray(program.noise(X, key=1))
    np.testing.assert_array_equal(first, program.noise(X, key=dsl.key(1)))
    assert not np.array_equal(first, program.noise(X, key=2))
    with pytest.raises(dsl.ArgumentError) as caught:
        program.noise(X)
    assert caught.value.code == "E0914"


def test_prints(program: dsl.Program, capfd: pytest.CaptureFixture[str]) -> None:
    program.shout(2.0)
    assert "x = 2.0" in capfd.readouterr().out


def test_effects_that_python_does_not_handle(program: dsl.Program) -> None:
    with pytest.raises(dsl.EffectError, match="state"):
        program.counted(1.0)


def test_transformations_compose(program: dsl.Program) -> None:
    w, x, y = X, X + 1, np.float32(1)
    gradient = dsl.grad(program.loss)
    expected = 2 * (w @ x - y) * x
    np.testing.assert_allclose(gradient(w, x, y), expected, rtol=1e-6)
    xs, ys = np.stack([x, x * 2]), np.array([1, 2], np.float32)
    every = dsl.jit(dsl.vmap(gradient, in_axes=(None, 0, 0)))(w, xs, ys)
    assert every.shape == (2, 3)
    np.testing.assert_allclose(every[0], expected, rtol=1e-6)
    np.testing.assert_allclose(dsl.hessian(program.loss)(w, x, y), 2 * np.outer(x, x), rtol=1e-6)
    value, g = dsl.value_and_grad(program.loss, argnums=(0, 1))(w, x, y)
    assert float(value) == pytest.approx(float((w @ x - y) ** 2))
    assert len(g) == 2


def test_static_arguments_pass_through_transformations(program: dsl.Program) -> None:
    np.testing.assert_allclose(dsl.grad(program.scaled)(X, k=3), 6 * X)
    np.testing.assert_allclose(dsl.vmap(program.scaled)(np.stack([X, X]), k=2), [10, 10])


def test_only_functions_are_transformed() -> None:
    with pytest.raises(dsl.ArgumentError, match="not a Python function"):
        dsl.grad(cast(dsl.Function, lambda x: x))


def test_dedented_text_keeps_its_columns() -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(
            """
            def misplaced(x: f32) -> f32 = y
            """
        )
    lines = Path(__file__).read_text("utf-8").splitlines()
    row = next(k for k, line in enumerate(lines, 1) if "def misplaced(" in line)
    assert f"{__file__}:{row}:44" in str(caught.value)


def test_load_and_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other_model.dsl").write_text("def double(x: f32) -> f32 = x * 2.0\n")
    text = "import other_model\ndef four(x: f32) -> f32 = other_model.double(x) * 2.0\n"
    (tmp_path / "some_model.dsl").write_text(text)
    assert float(dsl.load(tmp_path / "some_model.dsl").four(1.0)) == 4.0
    monkeypatch.syspath_prepend(os.fspath(tmp_path))
    dsl.install_importer()
    dsl.install_importer()
    module = __import__("some_model")
    try:
        assert float(module.four(1.0)) == 4.0
    finally:
        sys.modules.pop("some_model")


def test_define() -> None:
    def step(x: Any, lr: Any = 0.5) -> Any:
        """
        let y = x * lr
        x - y
        """

    step.__annotations__ = {"x": "f32[n]", "lr": "'f32'", "return": "f32[n]"}
    defined = dsl.define(step)
    assert isinstance(defined, dsl.Function)
    np.testing.assert_allclose(defined(X), X / 2)


def test_fresh_import_starts_no_backend() -> None:
    code = textwrap.dedent(
        """
        import sys, dsl
        assert not any(m == "jaxlib" or m.startswith("jaxlib.") for m in sys.modules)
        """
    )
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0


def test_transformations_that_take_the_arguments_at_once(program: dsl.Program) -> None:
    w, x, y = X, X + 1, np.float32(1)
    factor = 2 * (w @ x - y)
    value, tangent = dsl.jvp(program.loss, (w, x, y), (X, 0 * X, np.float32(0)))
    assert float(value) == pytest.approx(float((w @ x - y) ** 2))
    assert float(tangent) == pytest.approx(float(factor * (X @ x)))
    value, pull = dsl.vjp(program.loss, w, x, y)
    by_w, by_x, by_y = pull(2.0)
    np.testing.assert_allclose(by_w, 2 * factor * x, rtol=1e-6)
    np.testing.assert_allclose(by_x, 2 * factor * w, rtol=1e-6)
    np.testing.assert_allclose(by_y, -2 * factor, rtol=1e-6)
    value, lin = dsl.linearize(program.loss, w, x, y)
    np.testing.assert_allclose(lin(X, 0 * X, 0.0), tangent, rtol=1e-6)
    for code, args in (("E0906", (1.0, 2.0)), ("E0905", ()), ("E0903", (X,)), ("E0901", ("one",))):
        with pytest.raises(dsl.ArgumentError) as caught:
            pull(*args)
        assert caught.value.code == code
    for code, vector in (("E0902", X.astype("f8")), ("E0910", [0, 1e39, 0]), ("E0901", ["a"]), ("E0901", [[1], []])):
        with pytest.raises(dsl.ArgumentError) as caught:
            lin(vector, X, 0.0)
        assert caught.value.code == code
    with pytest.raises(dsl.ArgumentError, match="none has a name"):
        lin(w=X)
    np.testing.assert_allclose(lin([0, 1, 2.0], np.zeros(3, "f2"), 0), tangent, rtol=1e-6)
    np.testing.assert_allclose(dsl.hvp(program.scaled, X, X + 1, k=3), 6 * (X + 1))


def test_derivatives_are_checked_against_differences(program: dsl.Program) -> None:
    dsl.check_grads(program.loss, (X, X + 1, 0.5))
    wrong = dsl.program("def f(x: f32) -> f32 = custom_jvp(fn v -> v * v, fn (p, t) -> (p.0 * p.0, t.0 * 7.0))(x)")
    with pytest.raises(AssertionError):
        dsl.check_grads(wrong.f, (1.0,))


def test_the_ir_of_a_transformed_function(program: dsl.Program) -> None:
    assert "reduce_sum" in dsl.make_ir(program.scaled)(X, k=1)


# ---------------------------------------------------------------- attributes of a program


def test_every_public_name_of_a_program_is_an_attribute() -> None:
    names = ["core", "session", "doc", "functions", "module", "refuse", "variants", "warnings", "program", "checked"]
    program = dsl.program("\n".join(f"def {name}(x: f32) -> f32 = x + {k}.0" for k, name in enumerate(names)))
    assert [float(getattr(program, name)(1.0)) for name in names] == [1.0 + k for k in range(len(names))]


def test_a_program_has_no_attributes_but_its_own_names() -> None:
    assert [name for name in dir(dsl.program("def f(x: f32) -> f32 = x")) if not name.startswith("_")] == ["f"]


def test_what_else_there_is_to_know_of_a_program_is_asked_with_functions() -> None:
    program = dsl.program("## The module.\n\nenum E = A | B\n\ndef f(x: f32) -> f32 = x\ndef _g(x: f32) -> f32 = x\n")
    assert (dsl.doc(program), list(dsl.functions(program)), list(dsl.variants(program))) == (
        "The module.",
        ["f"],
        ["A", "B"],
    )
    assert dsl.warnings(program) == ()
    core = dsl.core_of(program)
    assert set(core.modules[core.main].functions) == {"f", "_g"}


STATICS = """
def first(static k: int, x: f32, y: f32) -> f32 = x * x * k + y
def inner(x: f32, static k: int, y: f32) -> f32 = x * x * k + y
def last(x: f32, y: f32, static k: int) -> f32 = x * x * k + y
"""


@pytest.mark.parametrize("place", ["first", "inner", "last"])
def test_static_parameters_by_name_take_no_place_under_transformations(place: str) -> None:
    f = getattr(dsl.program(STATICS), place)
    slope = dsl.grad(f)
    assert [float(slope(3.0, 1.0, k=k)) for k in (2, 2, 2)] == [12.0, 12.0, 12.0]
    assert tuple(map(float, dsl.jvp(f, (3.0, 1.0), (1.0, 0.0), k=2))) == (19.0, 12.0)
    with pytest.raises(dsl.DslError, match="given twice" if place != "last" else "3 positional"):
        slope(3.0, 1.0, 1.0, 1.0, k=2)
