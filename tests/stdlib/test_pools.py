"""Pooling over windows of any size, stride and padding: tiles, windows that overlap, and runs that double."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

import dsl


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_each_result_is_that_of_its_window(data: st.DataObject) -> None:
    draw = data.draw
    window = [draw(st.integers(1, 20)) for _ in range(2)]
    strides = [draw(st.sampled_from([1, 2, 3, size])) for size in window]
    ends = [(draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))) for size in window]
    shape = [size + draw(st.integers(0, 9)) for size in window]
    x = np.random.default_rng(0).normal(size=(2, *shape))
    options = f"({', '.join(map(str, window))}), ({', '.join(map(str, strides))}), [{', '.join(map(str, ends))}]"
    sizes = ", ".join(map(str, shape))
    program = dsl.program(
        "import nn\n"
        f"def largest(x: f64[n, {sizes}]) = nn.max_pool(x, {options})\n"
        f"def means(x: f64[n, {sizes}]) = nn.avg_pool(x, {options})\n"
        f"def slope(x: f64[n, {sizes}]) = grad(fn x -> sum(largest(x)))(x)\n"
    )
    for name, fill, combine in (("largest", -np.inf, np.max), ("means", 0.0, np.mean)):
        padded = np.pad(x, [(0, 0), *ends], constant_values=fill)
        seen = sliding_window_view(padded, window, axis=(1, 2))[:, :: strides[0], :: strides[1]]
        np.testing.assert_allclose(getattr(program, name).interpret(x), combine(seen, axis=(-2, -1)), rtol=1e-12)
    wins = np.array(program.slope.interpret(x))
    assert wins.sum() == np.prod(program.largest.interpret(x).shape)
    np.testing.assert_array_equal(wins, wins.round())


def test_what_is_the_largest_at_several_places_shares() -> None:
    program = dsl.program(
        "import nn\ndef slope(x: f32[n, m]) where n >= 3 and m >= 3 = grad(fn x -> sum(nn.max_pool(x, (3, 3), 2)))(x)\n"
        "def tiles(x: f32[n, m]) where n >= 2 and m >= 2 = grad(fn x -> sum(nn.max_pool(x, (2, 2), 2)))(x)\n"
    )
    flat = np.zeros((5, 5), np.float32)
    assert np.sum(program.slope(flat)) == 4
    np.testing.assert_array_equal(np.asarray(program.tiles(flat))[:2, :2], 0.25)
