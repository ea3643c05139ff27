"""Both modes give one Jacobian, in the dtype of the result; by complex arguments there is none."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dsl

FUNCTIONS = {
    "c64(v) * (3.0 + 2.0j)": "f32",
    "exp(c64(v) * (1.0 + 2.0j)) * sum(c64(v))": "f32",
    "fft.fft(v)": "f32",
    "(conj(c64(v) * (0.5 - 1.0j)), v * v)": "f32",
    "{a = sum(c64(v)) * (1.0 + 1.0j), b = {c = 2.0 * v}}": "f32",
    "real(c64(v) * c64(v) * (1.0 + 1.0j))": "f32",
    "(c64(v) + 1.0j * c64(v * v), 2.0 * v)": "f32",
    "c128(v) * (3.0 + 2.0j)": "f64",
    "f64(v) * sum(f64(v))": "f32",
    "c128(v) * (1.0 + 2.0j)": "f32",
    "c64(v) * (1.0 + 2.0j)": "f64",
    "f16(v)": "f64",
    "bf16(v) * 2.0": "f32",
}
NUMPY = {"f32": np.float32, "f64": np.float64}
FORWARD = {"jacobian": "jacfwd(f)", "hessian": "jacfwd(jacfwd(f))", "of_both": "jacfwd(fn u -> jacfwd(f)(u))"}
REVERSE = {"jacobian": "jacrev(f)", "hessian": "hessian(f)", "of_both": "jacrev(fn u -> jacrev(f)(u))"}
PROGRAM = """
import fft
def f(v: {dtype}[3]) = {body}
def forward(x: {dtype}[3]) = {forward}(x)
def reverse(x: {dtype}[3]) = {reverse}(x)
"""


@pytest.mark.parametrize(("body", "of"), list(product(FUNCTIONS, FORWARD)))
def test_modes_agree(body: str, of: str) -> None:
    program = dsl.program(PROGRAM.format(dtype=FUNCTIONS[body], body=body, forward=FORWARD[of], reverse=REVERSE[of]))
    x = np.array([0.5, -0.25, 1.0], NUMPY[FUNCTIONS[body]])
    forward, reverse = (leaves(each(x)) for each in (program.forward, program.reverse))
    assert [(a.shape, a.dtype) for a in forward] == [(a.shape, a.dtype) for a in reverse]
    for a, b in zip(forward, reverse, strict=True):
        np.testing.assert_allclose(a.astype(complex), b.astype(complex), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("of", ["jacfwd", "jacrev", "hessian", "value_and_jacfwd"])
def test_complex_arguments_from_python(of: str) -> None:
    program = dsl.program("def f[a: Inexact](x: a[n]) -> a[n] = x * x")
    transformed = getattr(dsl, of)(program.f)
    transformed(np.ones(2, np.float32))
    with pytest.raises(dsl.DslError, match="E0802"):
        transformed(np.ones(2, np.complex64))


def leaves(value: object) -> list[np.ndarray]:
    match value:
        case tuple():
            return [leaf for part in value for leaf in leaves(part)]
        case dict():
            return [leaf for part in value.values() for leaf in leaves(part)]
        case _:
            return [np.asarray(value)]
