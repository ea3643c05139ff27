"""Modules of the library as programs: `dsl.linalg.cholesky(x)`."""

from __future__ import annotations

import ast
import inspect
import pickle
from pathlib import Path

import numpy as np
import pytest

import dsl
import stdlib

SPD = np.array([[2.0, 1.0], [1.0, 2.0]], np.float32)
TURN = np.array([[0.0, -1.0], [1.0, 0.0]], np.float32)


def test_every_module_of_the_library_is_an_attribute_and_known_to_type_checkers() -> None:
    names = set(stdlib.module_names())
    assert names >= {"nn", "linalg"} and names <= set(dir(dsl)) and not names & set(dsl.__all__)
    tree = ast.parse(Path(dsl.__file__).read_text("utf-8"))
    assigned = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AugAssign)}
    assert assigned >= {f"{name} = library_program('{name}')" for name in names}
    assert assigned >= {f"__all__ += {sorted(names)}"}


def test_functions_of_the_library_are_those_of_a_program() -> None:
    np.testing.assert_allclose(dsl.linalg.cholesky(SPD), np.linalg.cholesky(SPD), rtol=1e-6)
    assert "upper" in inspect.signature(dsl.linalg.cholesky).parameters
    assert dsl.linalg.cholesky.doc in dsl.linalg.cholesky.__doc__
    assert all(not name.startswith("_") and "#" not in name for name in dir(dsl.linalg))
    assert dsl.linalg is dsl.linalg and "cholesky" in repr(dsl.linalg)


def test_a_call_is_of_the_first_definition_that_takes_its_arguments() -> None:
    """`abs` of real numbers and of complex ones."""
    modulus, turns = dsl.prelude.abs, np.stack([TURN, 1j * TURN])
    for dtype, wanted in ((np.int32, "i32"), (np.float32, "f32"), (np.complex64, "f32"), (np.complex128, "f64")):
        assert f"-> ({wanted}[2, 2])" in modulus.ir(TURN.astype(dtype))
    assert np.asarray(modulus(1j * TURN)).tolist() == np.abs(TURN).tolist()
    assert modulus.type.count("def abs(") == 2 and "abs#" not in modulus.type
    assert dsl.eval_shape(dsl.vmap(dsl.jit(modulus)), turns).shape == (2, 2, 2)
    assert pickle.loads(pickle.dumps(modulus)).type == modulus.type


def test_one_definition_has_results_of_several_dtypes() -> None:
    """`eig` of complex, of f32 and of f64."""
    eig = dsl.linalg.eig
    for dtype, wanted in ((np.complex64, "c64"), (np.float32, "c64"), (np.float64, "c128")):
        assert f"-> ({wanted}[2], {wanted}[2, 2])" in eig.ir(TURN.astype(dtype))
    assert sorted(np.asarray(eig(TURN)[0]).imag) == pytest.approx([-1, 1])
    assert eig.type.count("def eig(") == 1 and "eig#" not in eig.type
    assert dsl.eval_shape(dsl.vmap(dsl.jit(eig)), np.stack([TURN, TURN]))[0].shape == (2, 2)
    assert pickle.loads(pickle.dumps(eig)).type == eig.type


def test_where_no_definition_takes_the_arguments_the_nearest_says_why() -> None:
    with pytest.raises(dsl.ArgumentError, match=r"n is 3 according to x .* but 2 according to x"):
        dsl.linalg.eig(np.ones((2, 3), np.float32))
    with pytest.raises(dsl.ArgumentError, match=r"x is a str"):
        dsl.linalg.eig("x")
    with pytest.raises(dsl.ArgumentError, match=r"^[^#]*eig takes 1 positional arguments[^#]*$"):
        dsl.linalg.eig(TURN, TURN)
    with pytest.raises(dsl.ArgumentError, match=r"n is 3 according to y .* but 2 according to x"):
        dsl.prelude.trapezoid(np.ones(3, np.float32), np.ones(2, np.float32))
    with pytest.raises(dsl.ArgumentError, match=r"x is a str"):
        dsl.prelude.abs("x")
    with pytest.raises(dsl.ArgumentError, match=r"^[^#]*abs takes 1 positional arguments[^#]*$"):
        dsl.prelude.abs(TURN, TURN)


def test_names_that_the_library_does_not_have() -> None:
    with pytest.raises(AttributeError, match="did you mean `cholesky`"):
        _ = dsl.linalg.choleski
    with pytest.raises(AttributeError, match="no attribute 'nnn'"):
        _ = dsl.nnn


def test_dtypes_are_of_the_class_that_a_function_takes() -> None:
    assert dsl.random.normal(0, dtype=dsl.f64).dtype == np.float64
    with pytest.raises(dsl.ArgumentError, match=r"dtype is i64, not one of bf16, f16, f32, f64") as caught:
        dsl.random.normal(0, dtype=dsl.i64)
    assert caught.value.code == "E0909"
