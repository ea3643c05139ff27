"""Values of the library where formulas lose digits or meet nan and infinities, beside constants, NumPy and Python."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import dsl

INF, NAN = math.inf, math.nan

PROGRAM = """
import fft
import nn
import random
import special
import stats
def lengths(x: f32[n], y: f32[n]) -> f32[n] = hypot(x, y)
def added(x: f32, y: f32) -> f32 = logaddexp(x, y)
def rounded_down(x: f32, y: f32) -> (f32, f32) = divmod(x, y)
def half_mean(x: f16[n]) -> f16 = mean(x)
def half_std(x: f16[n]) -> f16 = std(x)
def short_mean(x: bf16[n]) -> bf16 = mean(x)
def places(a: f32[n], v: f32[m]) -> (idx[n + 1][m], idx[n + 1][m]) =
    (searchsorted(a, v), searchsorted(a, v, side="right"))
def bins(v: f32[m], a: f32[n]) -> idx[n + 1][m] = digitize(v, a)
def middle(x: f32[n]) -> f32 where n >= 1 = median(x)
def quantiles(p: f64[n]) -> f64[n] = special.ndtri(p)
def quantiles_f32(p: f32[n]) -> f32[n] = special.ndtri(p)
def log_tail(x: f64[n]) -> f64[n] = special.log_ndtr(x)
def log_beta(x: f64[n], y: f64[n]) -> f64[n] = special.betaln(x, y)
def log_beta_f32(x: f32[n], y: f32[n]) -> f32[n] = special.betaln(x, y)
def undefined(x: f32) -> (f32, f32, f32) = (special.xlogy(0.0, x), special.xlog1py(0.0, x), special.gammasgn(x))
def counts(k: f32[n]) -> f32[n] = stats.poisson_logpmf(k, 2.0)
def softplus(x: f32) -> f32 = nn.softplus(x)
def log_sigmoid(x: f32) -> f32 = nn.log_sigmoid(x)
def relu(x: f32) -> f32 = nn.relu(x)
def both_ways(x: f32[n, m]) -> (f32[n, m], f32[n, m]) = (cumlogsumexp(x, axis=1), cumlogsumexp(x, reverse=true))
def picked(x: f32[n, k], i: idx[n][m], j: idx[n][m, k], key: key) -> (f32[m, k], f32[m, k], f32[n, k]) =
    (take(x, i, axis=0), take_along_axis(x, j, axis=0), random.permutation(key, x))
def halves(x: f16[n]) -> (f16, f16, f16) where n >= 1 = (median(x), nanmedian(x), quantile(x, 0.9))
def long_line(x: f16) -> (f16[5], f16[2], f16[4], bf16[3]) =
    let line = linspace(x, 1.0, 70001)
    let ends = arange(-60000, 60001, 120000, dtype=f16)
    (line[::17500], ends, fft.fftfreq(70000, x + 1.0, f16)[34998:35002], arange(257, 260, dtype=bf16))
def beyond(x: f32[n, m]) -> (f32[n, m], f32[n, m], f32[n, m], f32[n, m]) =
    (tril(x, 2 ** 31 - 1), triu(x, 2 ** 40), tril(x, -2 ** 31), triu(x, -2 ** 40))
def wide(x: f32[n, m]) -> (f32[n, m + 2], f32[n, m + 2], f32[n, m + 2], f32[n, m + 2]) where m >= 2 =
    let beside = ((0, 0), (1, 1))
    let (edge, wrap) = (pad(x, beside, mode="edge"), pad(x, beside, mode="wrap"))
    (edge, pad(x, beside, mode="reflect"), pad(x, beside, mode="symmetric"), wrap)
def climb(x: f32, static k: int) -> f32 = iterate s = x while s < 5.0 limit k do s + 1.0
def climb_all(x: f32[n]) -> f32[n] = vmap(fn v -> iterate s = v while s < 5.0 limit 2 ** 40 do s + 1.0)(x)
"""


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


def array(*values: float) -> Any:
    return np.array(values, np.float32)


def test_hypot_of_nan_and_infinity(program: dsl.Program) -> None:
    x, y = array(NAN, INF, INF, 3, 0, NAN, NAN), array(0, INF, NAN, 4, 0, -INF, NAN)
    np.testing.assert_array_equal(program.lengths(x, y), np.hypot(x, y))


def test_logaddexp_of_infinities(program: dsl.Program) -> None:
    assert float(program.added(INF, INF)) == INF
    assert float(program.added(-INF, -INF)) == -INF
    assert math.isnan(float(program.added(NAN, 1.0)))


@pytest.mark.parametrize(("x", "y"), [(0, 0), (1, 2.5), (-INF, 3), (INF, 1), (-INF, -INF), (INF, INF), (80, -80)])
def test_shares_of_logaddexp_add_up(program: dsl.Program, x: float, y: float) -> None:
    """Each side has its share of the derivative, equal ones where both are the same; no second derivative is nan."""
    first, second = dsl.grad(program.added, argnums=(0, 1))(np.float32(x), np.float32(y))
    assert float(first) + float(second) == pytest.approx(1)
    assert float(first) == pytest.approx(0.5 if x == y else 1 / (1 + math.exp(min(y - x, 80))), abs=1e-6)
    again = dsl.grad(dsl.grad(program.added))(np.float32(x), np.float32(y))
    assert float(again) == pytest.approx(0 if math.isinf(x) else float(first) * float(second), abs=1e-6)


@pytest.mark.parametrize(("x", "y"), [(1.0, -INF), (-1.0, INF), (1.0, INF), (7.0, -2.0), (INF, 1.0), (1.0, 0.0)])
def test_floor_division_is_that_of_numpy(program: dsl.Program, x: float, y: float) -> None:
    with np.errstate(all="ignore"):
        wanted = np.divmod(np.float32(x), np.float32(y))
    np.testing.assert_array_equal(program.rounded_down(x, y), wanted)


def test_means_of_half_precision_are_summed_in_f32(program: dsl.Program) -> None:
    assert float(program.half_mean(np.full(1000, 100, np.float16))) == 100.0
    assert float(program.half_mean(np.ones(70_000, np.float16))) == 1.0
    assert float(program.half_std(np.array([-300, 300] * 50, np.float16))) == 300.0
    tenth = np.full(3000, 0.1).astype(ml_dtypes.bfloat16)
    np.testing.assert_allclose(np.asarray(program.short_mean(tenth), np.float32), 0.1, rtol=4e-3)


@pytest.mark.parametrize("line", [(1, 2, 2, 3), (1, 2, NAN, NAN), (5,), ()])
def test_searching_puts_nan_last(program: dsl.Program, line: tuple[float, ...]) -> None:
    a, v = array(*line), array(0, 1, 2, 2.5, 3, 4, 5, 9, NAN, INF, -INF)
    left, right = program.places(a, v)
    np.testing.assert_array_equal(left, np.searchsorted(a, v))
    np.testing.assert_array_equal(right, np.searchsorted(a, v, side="right"))
    np.testing.assert_array_equal(program.bins(v, a), right)


def test_searching_many_numbers_in_many(program: dsl.Program) -> None:
    a = np.sort(np.random.default_rng(0).normal(size=200_000)).astype(np.float32)
    np.testing.assert_array_equal(program.places(a, a[::3])[0], np.searchsorted(a, a[::3]))


def test_median_of_infinities(program: dsl.Program) -> None:
    assert float(program.middle(array(INF, INF))) == INF
    assert float(program.middle(array(3, 1, 2, 5))) == 2.5


def test_normal_quantiles_in_the_tails(program: dsl.Program) -> None:
    p = np.array([1e-300, 1e-20, 1e-8, 0.01, 0.3, 0.7, 0.999, 1 - 1e-10])
    wanted = np.array([NormalDist().inv_cdf(q) for q in p])
    np.testing.assert_allclose(program.quantiles(p), wanted, rtol=2e-15)
    np.testing.assert_allclose(program.quantiles_f32(p[2:6].astype(np.float32)), wanted[2:6], rtol=5e-7)
    np.testing.assert_array_equal(program.quantiles(np.array([0, 0.5, 1, -1, 2, NAN])), [-INF, 0, INF, NAN, NAN, NAN])


def test_the_logarithm_of_a_small_tail(program: dsl.Program) -> None:
    x = np.array([-5.1, -5.0, -10.0, -20.0, 0.0, 5.0])
    wanted = [math.log(math.erfc(-v / math.sqrt(2)) / 2) for v in x[:5]] + [
        math.log1p(-math.erfc(5 / math.sqrt(2)) / 2)
    ]
    np.testing.assert_allclose(program.log_tail(x), wanted, rtol=1e-13)
    (lower,) = np.asarray(program.log_tail(np.array([-20.0001])))
    np.testing.assert_allclose(lower, wanted[3] - 0.0001 * 20.0498, rtol=1e-8)


def test_log_beta_of_unequal_arguments(program: dsl.Program) -> None:
    x, y = np.array([1, 2, 1, 20, 0.5]), np.array([2, 1e10, 1e38, 30, 1e300])
    exact = [-math.log(2), -2 * math.log(1e10), -math.log(1e38), math.lgamma(20) + math.lgamma(30) - math.lgamma(50)]
    exact += [math.lgamma(0.5) - 0.5 * math.log(1e300)]
    np.testing.assert_allclose(program.log_beta(x, y), exact, rtol=1e-10)
    np.testing.assert_allclose(program.log_beta_f32(x[:4].astype("f4"), y[:4].astype("f4")), exact[:4], rtol=2e-6)


def test_what_nan_means(program: dsl.Program) -> None:
    assert all(math.isnan(float(v)) for v in program.undefined(NAN))
    np.testing.assert_array_equal(
        np.isfinite(program.counts(array(0, 1, 1.5, -1, 2))), [True, True, False, False, True]
    )
    assert math.isnan(float(dsl.grad(program.softplus)(NAN)))
    assert math.isnan(float(dsl.grad(program.log_sigmoid)(NAN)))
    assert float(dsl.grad(program.relu)(NAN)) == 0.0
    assert math.isnan(float(program.relu(NAN)))


def test_running_logsumexp_both_ways(program: dsl.Program) -> None:
    x = np.random.default_rng(1).normal(size=(4, 5)).astype(np.float32)
    along, back = program.both_ways(x)
    np.testing.assert_allclose(along, np.logaddexp.accumulate(x, axis=1), rtol=1e-5)
    np.testing.assert_allclose(back, np.logaddexp.accumulate(x[::-1], axis=0)[::-1], rtol=1e-5)


def test_nothing_is_taken_of_nothing(program: dsl.Program) -> None:
    none = np.zeros((0, 2), np.int32)
    assert [part.shape for part in program.picked(none.astype(np.float32), none[:, 0], none, 0)] == [(0, 2)] * 3


def test_places_in_half_precision_are_counted_in_f32(program: dsl.Program) -> None:
    x = np.random.default_rng(2).normal(size=5001).astype(np.float16)
    middle, same, high = map(float, program.halves(x))
    assert middle == same == float(np.median(x))
    assert high == pytest.approx(np.quantile(x.astype(np.float64), 0.9), rel=1e-3)
    line, ends, frequencies, numbers = program.long_line(np.float16(0))
    np.testing.assert_array_equal(line, np.linspace(0, 1, 5, dtype=np.float16))
    np.testing.assert_array_equal(ends, [-60000, 60000])
    np.testing.assert_array_equal(frequencies, np.fft.fftfreq(70000)[34998:35002].astype(np.float16))
    np.testing.assert_array_equal(np.asarray(numbers, np.float32), [256, 258, 260])


def test_diagonals_beyond_all_places(program: dsl.Program) -> None:
    x = np.ones((2, 3), np.float32)
    for found, wanted in zip(program.beyond(x), (x, 0 * x, 0 * x, x), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_nothing_is_padded_along_the_other_axis(program: dsl.Program) -> None:
    x = np.zeros((0, 2), np.float32)
    assert [np.asarray(part).shape for part in program.wide(x)] == [(0, 4)] * 4


@pytest.mark.parametrize("limit", [3, 2**31 - 1, 2**31, 2**63, 2**70])
def test_limits_beyond_32_bits(program: dsl.Program, limit: int) -> None:
    assert float(program.climb(0.0, k=limit)) == min(limit, 5)


def test_limits_beyond_32_bits_of_each_element(program: dsl.Program) -> None:
    assert np.asarray(program.climb_all(array(0, 3.5, 9))).tolist() == [5, 5.5, 9]
