"""Programs that a checker for all sizes at once must not refuse, and the values that they then give.

Each needs a step of reasoning that one size alone would not show: normal forms, facts from `where`, laws of shape
functions, recursion on sizes, intervals. What runs is compared with NumPy, by the evaluator and by XLA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def made(*shape: int) -> Array:
    return np.asarray(RNG.normal(size=shape), np.float32)


def run(text: str, name: str, *args: Any, **statics: Any) -> Any:
    """The result, after XLA and the evaluator have agreed on it."""
    function = getattr(dsl.program(text), name)
    result, reference = function(*args, **statics), function.interpret(*args, **statics)
    np.testing.assert_allclose(np.asarray(result), np.asarray(reference), rtol=2e-4, atol=2e-5)
    return np.asarray(result)


def close(result: Any, expected: Any) -> None:
    assert np.shape(result) == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=2e-4, atol=2e-5)


# ---------------------------------------------------------------- normal forms


@pytest.mark.parametrize("size", [0, 1, 4])
def test_one_plus_n_is_n_plus_one(size: int) -> None:
    text = """
        def more(x: f32[n]) -> f32[1 + n] = concatenate((zeros([1]), x))
        def padded(x: f32[n]) -> f32[n + 1] = more(x)
    """
    x = made(size)
    close(run(text, "padded", x), np.concatenate([np.zeros(1, "f4"), x]))


@pytest.mark.parametrize("size", [0, 1, 4])
def test_one_plus_n_minus_one_is_n(size: int) -> None:
    text = """
        def more(x: f32[n]) -> f32[1 + n] = concatenate((x, ones([1])))
        def same(x: f32[n]) -> f32[1 + n - 1] = 2.0 * x
        def dropped(x: f32[n]) -> f32[n] = more(same(x))[1:]
    """
    x = made(size)
    close(run(text, "dropped", x), np.concatenate([2 * x, np.ones(1, "f4")])[1:])


def test_sums_of_sizes_associate() -> None:
    text = """
        def left(x: f32[a], y: f32[b], z: f32[c]) -> f32[(a + b) + c] = concatenate((concatenate((x, y)), z))
        def right(x: f32[a], y: f32[b], z: f32[c]) -> f32[a + (b + c)] = concatenate((x, concatenate((y, z))))
        def crossed(x: f32[a], y: f32[b], z: f32[c]) -> f32[c + b + a] = left(x, y, z) + 2.0 * right(x, y, z)
    """
    x, y, z = made(2), made(3), made(0)
    close(run(text, "crossed", x, y, z), 3 * np.concatenate([x, y, z]))


def test_products_distribute() -> None:
    text = """
        def flat(x: f32[n, m], y: f32[k, m]) -> f32[n * m + k * m] =
            reshape(concatenate((x, y), axis=0), [(n + k) * m])
    """
    x, y = made(2, 3), made(4, 3)
    close(run(text, "flat", x, y), np.concatenate([x, y]).reshape(18))


# ---------------------------------------------------------------- divisions under facts


@pytest.mark.parametrize("size", [0, 2, 6])
def test_halves(size: int) -> None:
    text = "def halves(x: f32[b]) -> f32[2, b // 2] where b % 2 == 0 = reshape(x, [2, b // 2])"
    x = made(size)
    close(run(text, "halves", x), x.reshape(2, size // 2))


def test_halves_of_an_odd_size_are_refused() -> None:
    text = "def halves(x: f32[b]) -> f32[2, b // 2] = reshape(x, [2, b // 2])"
    with pytest.raises(dsl.DslError, match="E04"):
        dsl.program(text)


def test_heads_make_up_the_width() -> None:
    text = """
        def joined(x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
            let parts = reshape(x, [n, h, d // h])
            let y: f32[n, h * (d // h)] = reshape(parts * 2.0, [n, h * (d // h)])
            y
    """
    x = made(3, 8)
    close(run(text, "joined", x, h=4), 2 * x)


def test_stride_of_a_shifted_product() -> None:
    """(e + c * s) // s is e // s + c."""
    text = """
        def strided(x: f32[e + c * 3], y: f32[c]) -> f32[e // 3 + c] where e % 3 == 0 = x[::3] + 0.0 * mean(y)
    """
    x, y = made(6 + 4 * 3), made(4)
    close(run(text, "strided", x, y), x[::3])


# ---------------------------------------------------------------- whole models

ATTENTION = """
    type Attention[d] = {wq: f32[d, d], wk: f32[d, d], wv: f32[d, d], wo: f32[d, d]}

    def softmax_rows(x: f32[*s, n]) -> f32[*s, n] where n >= 1 =
        let z = exp(x - max(x, axis=-1, keepdims=true))
        z / sum(z, axis=-1, keepdims=true)

    def heads(x: f32[t, d], static h: int) -> f32[h, t, d // h] where h >= 1 and d % h == 0 =
        transpose(reshape(x, [t, h, d // h]), (1, 0, 2))

    def attend(q: f32[t, k], k: f32[u, k], v: f32[u, e]) -> f32[t, e] where u >= 1 =
        softmax_rows(q @ k.T / sqrt(f32(q.shape[1]))) @ v

    def attention(p: Attention[d], x: f32[t, d], static h: int) -> f32[t, d] where h >= 1 and d % h == 0 and t >= 1 =
        let q = heads(x @ p.wq, h)
        let k = heads(x @ p.wk, h)
        let v = heads(x @ p.wv, h)
        let mixed = [attend(a, b, c) for a, b, c in zip(q, k, v)]
        reshape(transpose(mixed, (1, 0, 2)), [t, d]) @ p.wo
"""


def softmax(x: Array, axis: int) -> Array:
    z = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(z / z.sum(axis=axis, keepdims=True))


def test_multi_head_attention() -> None:
    t, d, h = 5, 6, 3
    p = {name: made(d, d) for name in ("wq", "wk", "wv", "wo")}
    x = made(t, d)
    q, k, v = (np.transpose((x @ p[w]).reshape(t, h, d // h), (1, 0, 2)) for w in ("wq", "wk", "wv"))
    scores = softmax(q @ np.swapaxes(k, 1, 2) / np.sqrt(np.float32(d // h)), -1)
    expected = np.transpose(scores @ v, (1, 0, 2)).reshape(t, d) @ p["wo"]
    close(run(ATTENTION, "attention", p, x, h=h), expected)


def test_heads_that_do_not_divide_are_refused_before_the_run() -> None:
    attention = dsl.program(ATTENTION).attention
    p = {name: made(6, 6) for name in ("wq", "wk", "wv", "wo")}
    with pytest.raises(dsl.DslError, match="d % h"):
        attention(p, made(5, 6), h=4)


@pytest.mark.parametrize(("shape", "axis"), [((4,), 0), ((2, 3), 0), ((2, 3), -1), ((2, 3, 4), 1), ((2, 1, 3, 2), 2)])
def test_softmax_over_any_axis_of_any_rank(shape: tuple[int, ...], axis: int) -> None:
    text = """
        def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
            let z = exp(x - max(x, axis=axis, keepdims=true))
            z / sum(z, axis=axis, keepdims=true)
    """
    x = made(*shape)
    close(run(text, "softmax", x, axis=axis), softmax(x, axis))


@pytest.mark.parametrize(("size", "width", "stride"), [(8, 3, 1), (9, 3, 2), (5, 5, 3)])
def test_convolution_sizes_through_a_static_def(size: int, width: int, stride: int) -> None:
    text = """
        static def out(n: int, k: int, stride: int) -> int = (n - k) // stride + 1

        def conv1d(x: f32[n], w: f32[k], static stride: int) -> f32[out(n, k, stride)]
            where stride >= 1 and k >= 1 and k <= n =
            [sum(x[i * stride : i * stride + k] * w) for i in range(out(n, k, stride))]

        def twice(x: f32[n], w: f32[k]) -> f32[out(out(n, k, 1), k, 1)] where k >= 1 and 2 * k <= n =
            conv1d(conv1d(x, w, 1), w, 1)

        def twice_plain(x: f32[n], w: f32[k]) -> f32[n - 2 * k + 2] where k >= 1 and 2 * k <= n = twice(x, w)
    """
    x, w = made(size), made(width)
    valid = np.correlate(x, w, "valid")
    close(run(text, "conv1d", x, w, stride=stride), valid[::stride])
    if 2 * width <= size:
        close(run(text, "twice_plain", x, w), np.correlate(valid, w, "valid"))


@pytest.mark.parametrize("size", [1, 2, 8, 16])
def test_recursive_fft(size: int) -> None:
    text = """
        static def is_power_of_two(n: int) -> bool = if n <= 1 then n == 1 else n % 2 == 0 and is_power_of_two(n // 2)

        def fft(x: c64[n]) -> c64[n] where is_power_of_two(n) =
            if n <= 1 then x
            else
                let even = fft(x[::2])
                let odd = fft(x[1::2])
                let twiddle = exp(-2.0j * pi * c64(arange(n // 2)) / c64(n))
                concatenate((even + twiddle * odd, even - twiddle * odd))
    """
    x = (made(size) + 1j * made(size)).astype(np.complex64)
    result = run(text, "fft", x)
    np.testing.assert_allclose(result, np.fft.fft(x), rtol=1e-4, atol=1e-4)


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize(("size", "width"), [(6, 2), (5, 5), (4, 1)])
def test_two_ranges_index_one_array(size: int, width: int) -> None:
    text = """
        def windows(x: f32[n], static k: int) -> f32[n - k + 1, k] where k >= 1 and k <= n =
            [x[i + j] for i in range(n - k + 1), j in range(k)]

        def correlate(x: f32[n], w: f32[k]) -> f32[n - k + 1] where k >= 1 and k <= n =
            [sum([x[i + j] * w[j] for j in range(k)]) for i in range(n - k + 1)]
    """
    x, w = made(size), made(width)
    close(run(text, "windows", x, k=width), np.lib.stride_tricks.sliding_window_view(x, width))
    close(run(text, "correlate", x, w), np.correlate(x, w, "valid"))
    assert "check" not in dsl.program(text).correlate.type


def test_two_ranges_that_reach_too_far_are_refused() -> None:
    text = "def windows(x: f32[n]) -> f32[n, 2] where n >= 1 = [x[i + j] for i in range(n), j in range(2)]"
    with pytest.raises(dsl.DslError, match="E04"):
        dsl.program(text)


def test_members_of_lists_and_tuples() -> None:
    text = """
        static def kept(s: shape, axes: ints) -> shape = [if i in axes then 1 else d for (i, d) in enumerate(s)]
        static def without(axes: ints, i: int) -> bool = i not in axes
        def summed(x: f32[*s], static axes: ints) -> f32[*kept(s, axes)] where without(axes, 2) = ones(kept(s, axes))
        def scaled(x: f32[n], k: i32, static mode: str) -> f32[n] where mode in ("half", "same") =
            if k not in [1, 2] and mode in ("half",) then x / 2.0 else x
    """
    x = made(2, 3, 4)
    close(run(text, "summed", x, axes=(0, 1)), np.ones((1, 1, 4)))
    close(run(text, "scaled", x[0, 0], 3, mode="half"), x[0, 0] / 2)
    close(run(text, "scaled", x[0, 0], 2, mode="half"), x[0, 0])
    program = dsl.program(text)
    with pytest.raises(dsl.ArgumentError, match="E0911"):
        program.summed(x, axes=(0, 2))
    with pytest.raises(dsl.ArgumentError, match="E0911"):
        program.scaled(x[0, 0], 2, mode="third")


def test_an_index_is_computed_without_wrapping_around() -> None:
    text = "def f(x: u8[n], y: u8[m]) -> u8[m] where n >= 1 = [x[i32(i64(i) * n // m)] for i in range(m)]"
    x, y = np.arange(70_000).astype(np.uint8), np.zeros(60_000, np.uint8)
    np.testing.assert_array_equal(np.asarray(dsl.program(text).f(x, y)), x[np.arange(60_000) * 70_000 // 60_000])


def test_an_axis_is_no_longer_than_indices_can_be_added() -> None:
    program = dsl.program("def f(x: f32[n]) -> f32 where n >= 1 = x[0]")
    with pytest.raises(dsl.ArgumentError, match="an axis has at most 1073741824 elements; here n = 1073741825"):
        program.f(np.broadcast_to(np.float32(0.0), (2**30 + 1,)))


def test_what_is_only_seen_when_a_function_is_specialised() -> None:
    text = """
        def real_part[a: Real](x: a[n]) -> f32[n] = f32(x)
        def power[a: Real](x: a, static k: int) -> a = x ** k
        def put(x: f32[n], i: i32) -> f32[n] = x.at[i : i + 2].set(1.0, mode="clip")
        def flat(x: f32) -> (f32, (f32,)) = (grad(fn x -> 1.0)(x), grad(fn x -> 2.0)((x,)))
        def nothing(x: f32[n]) -> f32[n] = pmap(sin)(x)
    """
    program = dsl.program(text)
    close(program.real_part(np.arange(3)), np.arange(3))
    close(program.flat(1.0)[0], np.float32(0.0))
    close(program.nothing(np.zeros(0, np.float32)), np.zeros(0))
    with pytest.raises(dsl.ArgumentError, match="a Real"):
        program.real_part(np.ones(2, np.complex64))
    with pytest.raises(dsl.ArgumentError, match="needs k >= 0"):
        program.power(2, k=-1)
    with pytest.raises(dsl.ArgumentError, match="needs n >= 2"):
        program.put(np.ones(1, np.float32), 0)
