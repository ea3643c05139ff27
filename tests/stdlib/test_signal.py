"""`signal` against SciPy: values, gradients and laws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.signal
import numpy as np
import pytest
import scipy.signal as ss
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.diagnostics.source import Source
from tests.support.cases import some
from tests.support.known_library import known_library
from tests.support.library import Array, Case, compare, unmentioned, written
from tests.support.planes import PLANES
from typechecker import check_source

RNG = np.random.default_rng(28)
X, Y = RNG.normal(size=(2, 2, 60))
H = RNG.normal(size=7)
LONG = RNG.normal(size=70)
B, A = np.array([0.5, 0.2, -0.1]), np.array([2.0, -0.6, 0.3, 0.05])
SOS = ss.butter(5, 0.3, output="sos")
LOW, HIGH = 0.21, 0.47
FREQUENCIES = np.linspace(0.01, 0.99, 7)
W16, W15 = ss.get_window("hann", 16), ss.get_window("hamming", 15)

WINDOWS: dict[str, tuple[str, Any]] = {
    **{name: (f"{name}(m", name) for name in ("hann", "hamming", "blackman", "blackmanharris", "nuttall", "flattop")},
    **{name: (f"{name}(m", name) for name in ("bartlett", "cosine")},
    "tukey": ("tukey(m, 0.3", ("tukey", 0.3)),
    "gaussian": ("gaussian(m, 2.5", ("gaussian", 2.5)),
    "kaiser": ("kaiser(m, 6.0", ("kaiser", 6.0)),
}
KINDS = ("lowpass", "highpass", "bandpass", "bandstop")
DESIGNS: dict[str, tuple[str, Callable[..., Any]]] = {
    "butter": ("butter({n}, ", ss.butter),
    "cheby1": ("cheby1({n}, 1.5, ", lambda n, edge, kind, output: ss.cheby1(n, 1.5, edge, kind, output=output)),
    "cheby2": ("cheby2({n}, 30.0, ", lambda n, edge, kind, output: ss.cheby2(n, 30.0, edge, kind, output=output)),
}


def edges(kind: str) -> tuple[str, Any]:
    return (str(LOW), LOW) if kind in ("lowpass", "highpass") else (f"({LOW}, {HIGH})", [LOW, HIGH])


def response(frequencies: Array, *, design: Callable[..., Any], n: int, kind: str) -> Array:
    found: Array = ss.sosfreqz(design(n, edges(kind)[1], kind, output="sos"), np.pi * frequencies)[1]
    return found


def windows(*, m: int, name: Any) -> tuple[Array, Array]:
    return ss.get_window(name, m, fftbins=False), ss.get_window(name, m, fftbins=True)


def firwin(*, kind: str) -> Array:
    found: Array = ss.firwin(21, edges(kind)[1], pass_zero=kind)
    return found


def short_time(x: Array, w: Array) -> Array:
    """The transform of segments from half a window in front of the first sample until all are covered."""
    half, step, n = len(w) // 2, 5, x.shape[-1]
    count = -(-(n + 2 * half - len(w)) // step) + 1
    wide = np.pad(x, ((0, 0), (half, count * step + len(w))))
    parts = np.stack([np.fft.rfft(wide[:, i * step : i * step + len(w)] * w / w.sum()) for i in range(count)], axis=-1)
    return np.asarray(parts)


def ordered(roots: Array) -> Array:
    found: Array = roots[np.argsort(-roots.imag - roots.real)].astype(np.complex128)
    return found


def peaks(x: Array) -> tuple[Array, Array]:
    at = ss.find_peaks(x, height=0.2, prominence=0.5)[0].astype(np.int32)
    mask = np.zeros(len(x), bool)
    mask[ss.find_peaks(x)[0]] = True
    return mask, at


def prominences(x: Array) -> Array:
    found = np.zeros(len(x))
    at = ss.find_peaks(x)[0]
    found[at] = ss.peak_prominences(x, at)[0]
    return found


STEPS = np.repeat(RNG.integers(-3, 4, 20), RNG.integers(1, 4, 20)).astype(float)
PLAIN = "(x: f64[*s, n]) -> f64[*s, n] where n >= 30 = "
CASES = (
    *(
        Case(
            f"convolve_{mode}_{method}_{n}",
            f'(x: f64[*s, n], h: f64[m]) where n >= 1 and m >= 1 = (signal.convolve(x, h, mode="{mode}", '
            f'method="{method}"), signal.correlate(x, h, mode="{mode}", method="{method}"))',
            (X[:, :n], H),
            lambda x, h, mode=mode: tuple(
                np.stack([f(row, h, mode) for row in x]) for f in (ss.convolve, ss.correlate)
            ),
            1e-9,
        )
        for mode, method, n in (("full", "fft", 60), ("same", "auto", 60), ("valid", "fft", 5), ("same", "direct", 4))
    ),
    *PLANES,
    Case(
        "fftconvolve",
        "(x: f64[n], h: f64[m]) where n >= 1 and m >= 1 = signal.fftconvolve(x, h)",
        (LONG, LONG),
        ss.fftconvolve,
        1e-9,
    ),
    Case(
        "lags",
        "(x: f32[9]) -> (i32[11], i32[9]) = (signal.correlation_lags(9, 3), signal.correlation_lags(9, 5, "
        'mode="same"))',
        (np.zeros(9, np.float32),),
        lambda _: (ss.correlation_lags(9, 3).astype(np.int32), ss.correlation_lags(9, 5, "same").astype(np.int32)),
    ),
    *(
        Case(
            f"window_{name}_{m}",
            f"() = (signal.{call.replace('(m', f'({m}')}, dtype=f64), signal.{call.replace('(m', f'({m}')}, "
            f"dtype=f64, periodic=true))",
            (),
            partial(windows, m=m, name=known),
            1e-9,
        )
        for i, (name, (call, known)) in enumerate(WINDOWS.items())
        for m in ((9, 8)[i % 2], 1)
    ),
    *(
        Case(
            f"{name}_{n}_{kind}",
            "(frequencies: f64[m]) = signal.sosfreqz(signal."
            f'{call.format(n=n)}{edges(kind)[0]}, kind="{kind}", dtype=f64), frequencies)',
            (FREQUENCIES,),
            partial(response, design=design, n=n, kind=kind),
            1e-9,
        )
        for name, (call, design) in DESIGNS.items()
        for i, kind in enumerate(KINDS)
        for n in ((5, 4)[i % 2], (2, 3)[i % 2])
    ),
    *(
        Case(
            f"firwin_{kind}",
            f'() = signal.firwin(21, {edges(kind)[0]}, kind="{kind}", dtype=f64)',
            (),
            partial(firwin, kind=kind),
            1e-9,
        )
        for kind in KINDS
    ),
    Case(
        "lfilter",
        f"(x: f64[*s, n]) -> f64[*s, n] = signal.lfilter({B.tolist()}, {A.tolist()}, x)",
        (X,),
        partial(ss.lfilter, B, A),
        1e-9,
    ),
    Case(
        "lfilter_from",
        "(b: f64[3], a: f64[4], x: f64[2, n], zi: f64[2, 3]) = signal.lfilter(b, a, x, zi)",
        (B, A, X, Y[:, :3]),
        lambda b, a, x, zi: ss.lfilter(b, a, x, zi=zi),
        1e-9,
    ),
    Case("zi", "(b: f64[3], a: f64[4]) -> f64[3] = signal.lfilter_zi(b, a)", (B, A), ss.lfilter_zi, 1e-9),
    Case(
        "filtfilt",
        "(b: f64[3], a: f64[4], x: f64[*s, n]) -> f64[*s, n] where n >= 13 = signal.filtfilt(b, a, x)",
        (B, A, X),
        ss.filtfilt,
        1e-9,
    ),
    Case("sosfilt", "(c: f64[k, 6], x: f64[*s, n]) -> f64[*s, n] = signal.sosfilt(c, x)", (SOS, X), ss.sosfilt, 1e-9),
    Case("sosfilt_zi", "(c: f64[k, 6]) -> f64[k, 2] = signal.sosfilt_zi(c)", (SOS,), ss.sosfilt_zi, 1e-9),
    Case(
        "sosfiltfilt",
        "(c: f64[k, 6], x: f64[*s, n]) -> f64[*s, n] where n >= 22 = signal.sosfiltfilt(c, x, padlen=20)",
        (SOS, X),
        partial(ss.sosfiltfilt, padlen=20),
        1e-9,
    ),
    Case(
        "sos2tf",
        "(c: f64[k, 6], f: f64[m]) = (signal.sos2tf(c), signal.freqz(c[0, :3], c[0, 3:], f, fs=3.0))",
        (SOS, FREQUENCIES),
        lambda c, f: (tuple(ss.sos2tf(c)), ss.freqz(c[0, :3], c[0, 3:], f, fs=3.0)[1]),
        1e-9,
    ),
    Case(
        "sos2zpk",
        "(c: f64[k, 6]) = signal.sos2zpk(c)",
        (SOS[1:],),
        lambda c: {
            "k": c[:, 0].prod(),
            "p": np.stack([ordered(np.roots(row[3:])) for row in c]),
            "z": np.stack([ordered(np.roots(row[:3])) for row in c]),
        },
        1e-6,
    ),
    *(
        Case(
            f"detrend_{kind}",
            f'{PLAIN}signal.detrend(x, kind="{kind}")',
            (X + np.arange(60),),
            partial(ss.detrend, type=kind),
            1e-9,
        )
        for kind in ("linear", "constant")
    ),
    Case(
        "periodogram",
        "(x: f64[*s, n]) where n >= 1 = (signal.periodogram(x, fs=10.0), signal.periodogram(x, "
        'scaling="spectrum", detrend="linear"))',
        (X,),
        lambda x: (ss.periodogram(x, 10.0), ss.periodogram(x, scaling="spectrum", detrend="linear")),
        1e-9,
    ),
    Case(
        "welch",
        "(x: f64[*s, n], w: f64[16], v: f64[15]) where n >= 30 = (signal.welch(x, w, fs=10.0), signal.welch(x, "
        'v, step=4, scaling="spectrum", detrend="none"))',
        (X, W16, W15),
        lambda x, w, v: (
            ss.welch(x, 10.0, w),
            ss.welch(x, window=v, nperseg=15, noverlap=11, scaling="spectrum", detrend=False),
        ),
        1e-9,
    ),
    Case(
        "csd",
        "(x: f64[*s, n], y: f64[*s, n], w: f64[16]) where n >= 30 = (signal.csd(x, y, w), signal.coherence(x, "
        "y, w, fs=2.0))",
        (X, Y, W16),
        lambda x, y, w: (ss.csd(x, y, window=w), ss.coherence(x, y, 2.0, w)),
        1e-9,
    ),
    Case(
        "spectrogram",
        "(x: f64[*s, n], w: f64[16]) where n >= 30 = signal.spectrogram(x, w, fs=4.0)",
        (X, W16),
        lambda x, w: ss.spectrogram(x, 4.0, w),
        1e-9,
    ),
    Case(
        "stft",
        "(x: f64[2, n], w: f64[15]) where n >= 30 = signal.stft(x, w, step=5)",
        (X, W15),
        short_time,
        1e-9,
    ),
    Case("hilbert", "(x: f64[*s, n]) -> c128[*s, n] where n >= 1 = signal.hilbert(x)", (X,), ss.hilbert, 1e-9),
    *(
        Case(
            f"resample_{n}_{m}",
            f"(x: f64[*s, n]) -> f64[*s, {m}] where n >= 1 = signal.resample(x, {m})",
            (X[:, :n],),
            lambda x, m=m: ss.resample(x, m, axis=-1),
            1e-9,
        )
        for n, m in ((12, 17), (12, 8), (11, 20), (13, 7), (9, 9))
    ),
    *(
        Case(
            f"resample_poly_{p}_{q}",
            f"(x: f64[*s, n]) where n >= 1 = signal.resample_poly(x, {p}, {q})",
            (X,),
            lambda x, p=p, q=q: ss.resample_poly(x, p, q, axis=-1),
            1e-9,
        )
        for p, q in ((3, 2), (1, 3))
    ),
    Case(
        "decimate",
        "(x: f64[*s, n]) where n >= 30 = signal.decimate(x, 3)",
        (X,),
        lambda x: ss.sosfiltfilt(ss.cheby1(8, 0.05, 0.8 / 3, output="sos"), x, padlen=27)[:, ::3],
        1e-7,
    ),
    Case("medfilt", f"{PLAIN}signal.medfilt(x, 5)", (X,), lambda x: np.stack([ss.medfilt(r, 5) for r in x])),
    *(
        Case(
            f"savgol_{d}",
            f"{PLAIN}signal.savgol_filter(x, 7, 3, deriv={d}, delta=0.5)",
            (X,),
            lambda x, d=d: ss.savgol_filter(x, 7, 3, deriv=d, delta=0.5),
            1e-8,
        )
        for d in (0, 1, 2, 4)
    ),
    *(
        Case(
            f"peaks_{name}",
            "(x: f64[n]) = (signal.is_peak(x), signal.find_peaks(x, height=0.2, prominence=0.5))",
            (values,),
            peaks,
        )
        for name, values in (("noise", LONG), ("steps", STEPS))
    ),
    Case(
        "prominences",
        "(x: f64[n]) -> f64[n] = signal.prominences(x) * where(signal.is_peak(x), 1.0, 0.0)",
        (STEPS,),
        prominences,
    ),
    *(
        Case(
            f"chirp_{method}",
            f'(t: f64[n]) -> f64[n] = signal.chirp(t, 1.0, 2.0, 5.0, method="{method}")',
            (np.linspace(0, 2, 9),),
            lambda t, method=method: ss.chirp(t, 1.0, 2.0, 5.0, method),
            1e-8,
        )
        for method in ("linear", "quadratic", "logarithmic", "hyperbolic")
    ),
    Case(
        "waves",
        "(t: f64[n]) -> (f64[n], f64[n], f64[n]) = (signal.square(t, 0.3), signal.sawtooth(t), "
        "signal.sawtooth(t, 0.25))",
        (np.linspace(-7, 9, 23),),
        lambda t: (ss.square(t, 0.3), ss.sawtooth(t), ss.sawtooth(t, 0.25)),
        1e-8,
    ),
)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(f"import signal\n{written(CASES)}")


@pytest.mark.parametrize(("i", "case"), tuple(enumerate(CASES)), ids=lambda x: getattr(x, "name", ""))
def test_signals_are_processed_as_by_scipy(i: int, case: Case, program: dsl.Program) -> None:
    compare(program, case, compiled=i % 4 == 0)


LAWS_TEXT = """import signal
import fft
def round_trip(x: f64[n], w: f64[m]) -> f64[n] where m >= 2 and n >= 1 =
    signal.istft(signal.stft(x, w, step=max(m // 2, 1)), w, n, step=max(m // 2, 1))
def power(x: f64[n]) -> (f64, f64) where n >= 1 =
    let (f, p) = signal.periodogram(x, detrend="none", window=signal.boxcar(n, dtype=f64))
    (sum(p) / n, mean(x * x))
def envelope(x: f64[n]) -> f64[n] where n >= 1 = real(signal.hilbert(x))
def both_ways(x: f64[n], y: f64[m]) -> f64[n + m - 1] where n >= 1 and m >= 1 =
    signal.convolve(x, y, method="fft") - signal.convolve(x, y, method="direct")
def there_and_back(x: f64[n]) -> f64[n] where n >= 1 = signal.resample(signal.resample(x, 2 * n + 1), n)
def passed(edge: f64, x: f64[40]) -> f64 = sum(signal.sosfilt(signal.butter(3, edge, dtype=f64), x) ** 2)
def banded(edge: f64, x: f64[40]) -> f64 = sum(signal.sosfilt(signal.cheby2(3, 20.0, (edge, 0.6), dtype=f64), x) ** 2)
def twice(edge: f64, x: f64[40]) -> f64 =
    let h = signal.firwin(9, edge, dtype=f64)
    sum(signal.filtfilt(h, [1.0], x) ** 3) + sum(signal.savgol_filter(x, 5, 2) ** 2) * edge
def spectral(edge: f64, x: f64[40]) -> f64 = sum(log(signal.welch(x, signal.kaiser(16, edge, dtype=f64)).1))
def swept(edge: f64, x: f64[40]) -> f64 = sum(signal.chirp(x, edge, 1.0, 2.0) * signal.tukey(40, edge, dtype=f64))
def slopes_passed(edge: f64, x: f64[40]) = grad(passed, argnums=(0, 1))(edge, x)
def slopes_banded(edge: f64, x: f64[40]) = grad(banded, argnums=(0, 1))(edge, x)
def slopes_twice(edge: f64, x: f64[40]) = grad(twice, argnums=(0, 1))(edge, x)
def slopes_spectral(edge: f64, x: f64[40]) = grad(spectral, argnums=(0, 1))(edge, x)
def slopes_swept(edge: f64, x: f64[40]) = grad(swept, argnums=(0, 1))(edge, x)
"""
LAWS = dsl.program(LAWS_TEXT)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(2, 9))
def test_laws_of_spectra_hold(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.normal(size=m)
    np.testing.assert_allclose(LAWS.round_trip.interpret(x, rng.uniform(0.5, 1.0, m)), x, atol=1e-11)
    total, squares = LAWS.power.interpret(x)
    assert float(total) == pytest.approx(float(squares))  # Parseval
    np.testing.assert_allclose(LAWS.envelope.interpret(x), x, atol=1e-11)
    np.testing.assert_allclose(LAWS.both_ways.interpret(x, y), 0.0, atol=1e-11)
    np.testing.assert_allclose(LAWS.there_and_back.interpret(x), x, atol=1e-11)


@pytest.mark.parametrize("name", ["passed", "banded", "twice", "spectral", "swept"])
def test_gradients_by_edges_and_samples_are_finite_differences(name: str) -> None:
    f, (edge, x), step = getattr(LAWS, name), (0.31, X[0, :40]), 1e-6
    by_edge, by_x = getattr(LAWS, f"slopes_{name}")(edge, x)
    slope = (float(f.interpret(edge + step, x)) - float(f.interpret(edge - step, x))) / (2 * step)
    assert float(by_edge) == pytest.approx(slope, rel=1e-4, abs=1e-6)
    way = np.cos(np.arange(40.0))
    slope = (float(f.interpret(edge, x + step * way)) - float(f.interpret(edge, x - step * way))) / (2 * step)
    assert float(np.sum(np.asarray(by_x) * way)) == pytest.approx(slope, rel=1e-4, abs=1e-6)


GENERIC = dsl.program("""
import signal
def spectra[F: Float](x: F[n], w: F[m], c: F[k, 6]) where n >= m and m >= 4 and k >= 1 =
    let z = signal.stft(x, w, step=m // 2)
    (
        signal.hilbert(x),
        signal.istft(z, w, n, step=m // 2),
        signal.csd(x, -x, w).1,
        signal.freqz(c[0, :3], c[0, 3:], x),
        signal.sosfreqz(c, x),
        signal.sos2zpk(c).z,
    )
def windows[F: Float](x: F[m]) -> F[m] =
    hanning(m, F) + hamming(m, F) + blackman(m, F) + bartlett(m, F) + x
""")


@pytest.mark.parametrize(("dtype", "tolerance"), [("f16", 3e-2), ("f32", 1e-4)])
def test_spectra_have_the_precision_of_their_signal(dtype: str, tolerance: float) -> None:
    x, w = X[0, :40], ss.get_window("hamming", 8)
    narrow = [dsl.array(each).astype(dtype) for each in (x, w, SOS)]
    found, wanted = GENERIC.spectra.interpret(*narrow), GENERIC.spectra.interpret(x, w, SOS)
    for one, exact in zip(some(found), wanted, strict=True):
        assert exact.dtype.itemsize == 8 * (1 + (exact.dtype.kind == "c")) and one.dtype.itemsize < exact.dtype.itemsize
        np.testing.assert_allclose(one, exact, atol=tolerance * np.abs(exact).max())
    assert found[1].dtype == narrow[0].dtype


def test_windows_of_the_prelude_have_any_float_dtype() -> None:
    found = GENERIC.windows.interpret(np.zeros(9))
    np.testing.assert_allclose(found, np.hanning(9) + np.hamming(9) + np.blackman(9) + np.bartlett(9), atol=1e-15)


WRONG = {
    "mode": ('(x: f32[9], h: f32[3]) = signal.convolve(x, h, mode="middle")', "E0407"),
    "short": ("(x: f32[5]) = signal.filtfilt([0.5, 0.5], [1.0], x, padlen=6)", "E0407"),
    "band": ('(x: f32[40]) = signal.sosfilt(signal.butter(4, (0.1, 0.2), kind="lowpass"), x)', "E0407"),
    "window": ("(x: f32[8], w: f32[16]) = signal.welch(x, w)", "E0407"),
    "sections": ("(x: f32[8], c: f32[2, 5]) = signal.sosfilt(c, x)", "E04"),
    "even": ("(x: f32[8]) = signal.medfilt(x, 4)", "E0407"),
    "same": ("(x: f32[n], h: f32[3]) -> f32[n] where n >= 1 = signal.convolve(x, h)", "E0402"),
    "mode_of_two": ('(x: f32[9, 9], h: f32[3, 3]) = signal.correlate2d(x, h, mode="middle")', "E0407"),
    "covers": ('(x: f32[3, 9], h: f32[9, 3]) = signal.convolve2d(x, h, mode="valid")', "E0407"),
    "same_of_two": (
        "(x: f32[n, m], h: f32[3, 3]) -> f32[n, m] where n >= 1 and m >= 1 = signal.convolve2d(x, h)",
        "E0402",
    ),
    "vector": ("(x: f32[9], h: f32[3, 3]) = signal.convolve2d(x, h)", "E04"),
    "complex": ("(x: c64[8]) = signal.hilbert(x)", "E03"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_processing_is_refused(name: str) -> None:
    text, code = WRONG[name]
    source = Source("p.dsl", f"import signal\ndef f{text}\n")
    found = [d.code for d in check_source(source, cache=known_library()).diagnostics]
    assert len(found) == 1
    assert found[0].startswith(code)


def test_all_functions_are_compared() -> None:
    assert unmentioned("signal", written(CASES) + LAWS_TEXT) == []


TWINS = dsl.program(
    """import signal
def convolved(x: f32[n], h: f32[m]) where n >= 1 and m >= 1 =
    grad(fn (x, h) -> sum(sin(signal.fftconvolve(x, h, mode="same"))), argnums=(0, 1))(x, h)
def blurred(x: f32[*s, n, m], h: f32[k, l], static mode: str)
    where n >= k and m >= l and k >= 1 and l >= 1
    where mode == "same" or mode == "valid" =
    grad(fn (x, h) -> sum(sin(signal.convolve2d(x, h, mode=mode))), argnums=(0, 1))(x, h)
def powers(x: f32[n], w: f32[16]) where n >= 16 =
    grad(fn (x, w) -> sum(log(signal.welch(x, w, detrend="none").1)), argnums=(0, 1))(x, w)
"""
)


def test_gradients_are_those_of_jax() -> None:
    x, h, w = (a.astype(np.float32) for a in (LONG, H, W16 + 0.1))
    convolved = jax.grad(lambda x, h: jnp.sin(jax.scipy.signal.fftconvolve(x, h, mode="same")).sum(), (0, 1))(x, h)
    for ours, theirs in zip(some(TWINS.convolved(x, h)), convolved, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-4)
    image, k = x[:20].reshape(4, 5), h[:6].reshape(2, 3)
    for mode in ("same", "valid"):
        blurred = jax.grad(lambda x, h, mode=mode: jnp.sin(jax.scipy.signal.convolve2d(x, h, mode)).sum(), (0, 1))
        for ours, theirs in zip(some(TWINS.blurred(image, k, mode=mode)), blurred(image, k), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=2e-5)
    powers = jax.grad(lambda x, w: jnp.log(jax.scipy.signal.welch(x, window=w, detrend=False)[1]).sum(), (0, 1))(x, w)
    for ours, theirs in zip(some(TWINS.powers(x, w)), powers, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-3)
