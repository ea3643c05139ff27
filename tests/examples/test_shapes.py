"""The shape functions of `examples/shapes.dsl` beside NumPy, over several sizes; a wrong use of each is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from typechecker import check_source

PROGRAM = Path(__file__).parents[2] / "examples" / "shapes.dsl"
Check = Callable[[Any, int, int], tuple[Any, Any]]


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.load(PROGRAM)


def numbers(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) % 7 - 3


def _windows(x: np.ndarray, k: int, step: int) -> np.ndarray:
    found = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(0, 1))[::step, ::step]
    return np.moveaxis(found, 2, -1).reshape(-1, k * k * x.shape[2])


def _conv(x: np.ndarray, kernel: np.ndarray, step: int) -> np.ndarray:
    k, o = kernel.shape[0], kernel.shape[3]
    found = _windows(x, k, step) @ kernel.reshape(-1, o)
    return np.reshape(found, ((x.shape[0] - k) // step + 1, (x.shape[1] - k) // step + 1, o))


def _blocks(x: np.ndarray, p: int) -> np.ndarray:
    h, w, c = x.shape
    return x.reshape(h // p, p, w // p, p, c).transpose(0, 2, 1, 3, 4).reshape(h // p, w // p, -1)


def _diagonal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.block([[a, np.zeros((a.shape[0], b.shape[1]))], [np.zeros((b.shape[0], a.shape[1])), b]])


ORACLES: Mapping[str, Check] = {
    "tile": lambda m, a, b: (m.tile(numbers(a, b), reps=(2, 1, 3)), np.tile(numbers(a, b), (2, 1, 3))),
    "tile of a vector": lambda m, a, b: (m.tile(numbers(a), reps=b), np.tile(numbers(a), b)),
    "upsample": lambda m, a, b: (m.upsample(numbers(a, b, 2), k=3), numbers(a, b, 2).repeat(3, 0).repeat(3, 1)),
    "kron": lambda m, a, b: (m.kron(numbers(a, b), numbers(b, 2)), np.kron(numbers(a, b), numbers(b, 2))),
    "pad": lambda m, a, b: (
        m.pad(numbers(a, b), top=(1, 2), side=(0, 3)),
        np.pad(numbers(a, b), ((1, 2), (0, 3))),
    ),
    "block_diagonal": lambda m, a, b: (
        m.block_diagonal(numbers(a, b), numbers(2, a)),
        _diagonal(numbers(a, b), numbers(2, a)),
    ),
    "interleave": lambda m, a, b: (
        m.interleave(numbers(a), -numbers(a)),
        np.stack([numbers(a), -numbers(a)], 1).ravel(),
    ),
    "roll": lambda m, a, b: (m.roll(numbers(a, b), k=-b), np.roll(numbers(a, b), -b, 0)),
    "windows": lambda m, a, b: (
        m.windows(numbers(3 * a), k=2, step=b),
        np.lib.stride_tricks.sliding_window_view(numbers(3 * a), 2)[::b],
    ),
    "windows_2d": lambda m, a, b: (
        m.windows_2d(numbers(a, b), k=2),
        np.lib.stride_tricks.sliding_window_view(numbers(a, b), (2, 2)),
    ),
    "im2col": lambda m, a, b: (m.im2col(numbers(a, b, 2), k=2, step=2), _windows(numbers(a, b, 2), 2, 2)),
    "conv": lambda m, a, b: (
        m.conv(numbers(a, b, 2), numbers(2, 2, 2, 3), step=1),
        _conv(numbers(a, b, 2), numbers(2, 2, 2, 3), 1),
    ),
    "patches": lambda m, a, b: (
        m.patches(numbers(2 * a, 2 * b, 3), p=2),
        _blocks(numbers(2 * a, 2 * b, 3), 2).reshape(a * b, -1),
    ),
    "space_to_depth": lambda m, a, b: (
        m.space_to_depth(numbers(2 * a, 2 * b, 3), p=2),
        _blocks(numbers(2 * a, 2 * b, 3), 2),
    ),
    "depth_to_space": lambda m, a, b: (
        m.depth_to_space(_blocks(numbers(2 * a, 2 * b, 3), 2), p=2),
        numbers(2 * a, 2 * b, 3),
    ),
    "polyphase": lambda m, a, b: (m.polyphase(numbers(a * b), k=a), numbers(a * b).reshape(b, a).T),
    "blocks": lambda m, a, b: (m.blocks(numbers(a * b, 2), k=a), numbers(a * b, 2).reshape(a, b, 2)),
    "moveaxis": lambda m, a, b: (
        m.moveaxis(numbers(a, b, 2, 3), source=0, target=2),
        np.moveaxis(numbers(a, b, 2, 3), 0, 2),
    ),
    "take": lambda m, a, b: (
        m.take(numbers(a, b), np.array([a - 1, 0], np.int32)),
        numbers(a, b)[[a - 1, 0]],
    ),
    "toeplitz": lambda m, a, b: (
        m.toeplitz(numbers(a), 9 + numbers(b)),
        np.array([[[*numbers(a)[::-1], *(9 + numbers(b))][a - 1 - i + j] for j in range(b + 1)] for i in range(a)]),
    ),
    "outer": lambda m, a, b: (m.outer(numbers(a, b), numbers(2)), np.multiply.outer(numbers(a, b), numbers(2))),
}


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("sizes", [(2, 3), (5, 2), (4, 4)], ids=str)
def test_is_what_numpy_gives(m: Any, name: str, sizes: tuple[int, int]) -> None:
    found, wanted = ORACLES[name](m, *sizes)
    assert np.asarray(found).shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


WRONG: Mapping[str, tuple[str, str]] = {
    "tile": ("def w(x: f32[n, m]) -> f32[n, 2 * m] = tile(x, (2, 2))", "E0402"),
    "tile less than no times": ("def w(x: f32[n]) = tile(x, -1)", "E0407"),
    "upsample": ("def w(x: f32[h, v, c]) -> f32[h, v, c] = upsample(x, 2)", "E0402"),
    "kron": ("def w(a: f32[n, m]) -> f32[n, m] = kron(a, a)", "E0402"),
    "pad": ("def w(x: f32[n, m]) -> f32[n, m] = pad(x, (0, 0), (1, 0))", "E0402"),
    "pad by less than nothing": ("def w(x: f32[n, m]) = pad(x, (-1, 0), (0, 0))", "E0407"),
    "block_diagonal": ("def w(a: f32[n, n]) -> f32[2 * n, n] = block_diagonal(a, a)", "E0402"),
    "interleave": ("def w(x: f32[n], y: f32[m]) -> f32[n + m] = interleave(x, y)", "E0402"),
    "roll": ("def w() = roll(zeros([0, 3]), 1)", "E0407"),
    "windows": ("def w(x: f32[3]) = windows(x, 4)", "E0407"),
    "windows_2d": ("def w(x: f32[5, 3]) = windows_2d(x, 4)", "E0407"),
    "im2col": ("def w(x: f32[8, 8, 3]) -> f32[36, 9] = im2col(x, 3)", "E0402"),
    "conv": ("def w(x: f32[8, 8, 3], k: f32[3, 3, 3, 5]) -> f32[6, 6, 5] = conv(x, k, 2)", "E0402"),
    "patches": ("def w(x: f32[8, 9, 3]) = patches(x, 2)", "E0407"),
    "space_to_depth": ("def w(x: f32[7, 8, 3]) = space_to_depth(x, 2)", "E0407"),
    "depth_to_space": ("def w(x: f32[7, 8, 6]) = depth_to_space(x, 2)", "E0407"),
    "polyphase": ("def w(x: f32[7]) = polyphase(x, 2)", "E0407"),
    "blocks": ("def w(x: f32[n]) -> f32[2, n] = blocks(x, 2)", "E0402"),
    "moveaxis": ("def w(x: f32[n, m]) -> f32[n, m] = moveaxis(x, 0, 1)", "E0402"),
    "moveaxis that is not there": ("def w(x: f32[n, m]) = moveaxis(x, 0, 2)", "E0407"),
    "take": ("def w(x: f32[n], i: i32[k]) -> f32[k] = take(x, i)", "E0701"),
    "toeplitz": ("def w(x: f32[n]) -> f32[n, n] where n >= 1 = toeplitz(x, x)", "E0402"),
    "one_hot": ("def w(x: idx[5][n]) -> f32[n, 4] = one_hot(x)", "E0402"),
    "outer": ("def w(x: f32[n, m]) -> f32[n, m, n] = outer(x, x)", "E0402"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_refused(name: str) -> None:
    line, code = WRONG[name]
    wrong = Source("wrong.dsl", f"{PROGRAM.read_text(encoding='utf-8')}\n{line}\n")
    found = check_source(wrong, {}, cache=known_library()).diagnostics
    assert [d.code for d in found] == [code], [d.message for d in found]
