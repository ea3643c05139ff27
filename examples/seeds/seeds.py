"""The first programs one writes in an array language with transformations, and the values they print.

Each function below runs one of the programs beside this file, from Python or in the language, and gives what is worth
looking at by name; as a script this prints it all: `python examples/seeds/seeds.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
X = np.array([1, 2, 3, 4], np.float32)
Y = np.array([1.1, 2.1, 3.1, 4.1], np.float32)
SIGNAL, WINDOW = np.arange(5, dtype=np.float32), np.array([2, 3, 4], np.float32)
Shown = Iterator[tuple[str, Any]]


def regression() -> Shown:
    """Gradients of one loss: of one example, and of many in three ways."""
    m = dsl.load(HERE / "regression.dsl")
    w, x, y = np.ones(3, np.float32), np.array([1, 2, 3], np.float32), np.float32(2)
    yield "jit(grad(loss))", dsl.jit(dsl.grad(m.loss))(w, x, y)
    xs, ys = np.stack([x, 2 * x]), np.array([2, 2], np.float32)
    yield "jit(vmap(grad(loss)))", dsl.jit(dsl.vmap(dsl.grad(m.loss), in_axes=(None, 0, 0)))(w, xs, ys)
    yield "vmap(jit(grad(loss)))", dsl.vmap(dsl.jit(dsl.grad(m.loss)), in_axes=(None, 0, 0))(w, xs, ys)
    yield "the same in the language", m.slopes(w, xs, ys)


def gradients() -> Shown:
    m = dsl.load(HERE / "gradients.dsl")
    yield "grad(sum_of_squares)", dsl.grad(m.sum_of_squares)(X)
    yield "grad(sum_squared_error)", dsl.grad(m.sum_squared_error)(X, Y)
    yield "by both arguments", dsl.grad(m.sum_squared_error, argnums=(0, 1))(X, Y)
    yield "with the value", dsl.value_and_grad(m.sum_squared_error)(X, Y)
    yield "with something on the side", dsl.grad(m.squared_error_with_aux, has_aux=True)(X, Y)


def convolution() -> Shown:
    m = dsl.load(HERE / "convolution.dsl")
    xs, ws = np.stack([SIGNAL, SIGNAL]), np.stack([WINDOW, WINDOW])
    yield "one signal", m.convolve_one(SIGNAL, WINDOW)
    yield "vectorised by hand", m.convolve_rows(xs, ws)
    yield "vmap", dsl.vmap(m.convolve_one)(xs, ws)
    yield "vmap over columns", dsl.vmap(m.convolve_one, in_axes=1, out_axes=1)(xs.T, ws.T)
    yield "vmap over signals alone", dsl.vmap(m.convolve_one, in_axes=[0, None])(xs, WINDOW)
    yield "jit(vmap)", dsl.jit(dsl.vmap(m.convolve_one))(xs, ws)
    yield "vmap(jit)", dsl.vmap(dsl.jit(m.convolve_one))(xs, ws)
    yield "general convolution", m.full(np.ones(10, np.float32), np.array([1, 2, 1], np.float32))


def arrays() -> Shown:
    m = dsl.load(HERE / "arrays.dsl")
    yield "selu", m.selu(SIGNAL)
    x = np.arange(10, dtype=np.float32)
    yield "x with another first element", m.with_first(x, 10.0)
    yield "x itself", x
    rows = np.random.default_rng(0).random((10000, 10), dtype=np.float32)
    compiled, interpreted = m.normalised(rows), m.normalised.interpret(rows)
    yield "normalised, compiled and not", bool(np.allclose(compiled, interpreted, atol=1e-5))
    yield "flattened", m.flattened(np.ones((2, 3), np.float32))
    yield "the IR of dot(x + 1, y + 1)", dsl.make_ir(m.dot_of_next)(X, Y)


def choices() -> Shown:
    """What cannot be compiled, and what is chosen when a program is compiled."""
    m = dsl.load(HERE / "arrays.dsl")
    x = np.array([1, -2, 3, -4], np.float32)
    yield "a mask as an index", m.negatives(x)
    yield "where", m.negatives_or_zero(x)
    yield "compress", m.first_negatives(x, count=2)
    yield "neg=False", m.signed(x, neg=False)
    yield "neg=True", m.signed(x, neg=True)
    yield "its specialisations", m.signed.cache_info()


def training() -> Shown:
    m = dsl.load(HERE / "training.dsl")
    x = np.linspace(-1, 1, 21, dtype=np.float32)
    p = {"weight": np.float32(0), "bias": np.float32(0)}
    for _ in range(3):
        p = m.update(p, x, 3 * x - 1)
    yield "after 3 steps", p
    yield "after 400 steps", m.train(p, x, 3 * x - 1, steps=397)
    value, counter = m.counted(0)
    yield "a counter", (value, m.counted(counter)[0])


def main() -> None:
    for seed in (regression, gradients, convolution, arrays, choices, training):
        print(f"--- {seed.__name__}")
        for name, value in seed():
            print(f"{name}:\n{value}" if isinstance(value, str) else f"{name}: {value}")


if __name__ == "__main__":
    main()
