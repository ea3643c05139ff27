"""Rows of `interpolate`, `signal` and `differences`: as many places, samples or points as there are elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.row import Row, table, two

HEAD = "def f(x: f32[n], y: f32[n]) where n >= 64 and n % 16 == 0 =\n"
PLACES = f"""{HEAD}    let at = cumsum(0.01 + x)
    let p = interpolate.cubic_spline(at, y)
    let s = interpolate.bspline(at, y)
    let few = interpolate.lagrange(at[:8], y[:8])
    """
INTERPOLATE: Mapping[str, str] = MappingProxyType(
    {
        "evaluate": "interpolate.evaluate(p, x) + interpolate.evaluate(s, x)",
        "derivative": "interpolate.derivative(p).c",
        "antiderivative": "interpolate.antiderivative(p).c",
        "integral": "interpolate.integral(p, 1.0, 2.0)",
        "nearest": "interpolate.nearest(at, y).x",
        "previous": "interpolate.previous(at, y).c",
        "linear": "interpolate.linear(at, y).c",
        "hermite": "interpolate.hermite(at, y, x).c",
        "cubic_spline": "p.c",
        "akima": "interpolate.akima(at, y).c",
        "pchip": "interpolate.pchip(at, y).c",
        "smoothing_spline": "interpolate.smoothing_spline(at, y, penalty=0.1).c",
        "basis": "interpolate.basis(at[:16], x, 3)",
        "knots_of": "interpolate.knots_of(at, 3)",
        "bspline": "s.c",
        "fit_bspline": "interpolate.fit_bspline(at, y, at[:16]).c",
        "on_grid": "interpolate.on_grid((at[:16], at[: n // 16]), reshape(y, [16, n // 16]), degree=3).c",
        "lagrange": "few.weights",
        "slopes_between": "interpolate.slopes_between(at[:8])",
        "radial": "interpolate.evaluate(interpolate.radial(at[:8, None], y[:8]), x[:, None])",
    }
)
SAMPLES = f"{HEAD}    "
SIGNAL: Mapping[str, str] = MappingProxyType(
    {
        "convolve": "signal.convolve(x, y[:9])",
        "convolve2d": "signal.convolve2d(reshape(x, [16, n // 16]), reshape(y[:9], [3, 3]))",
        "correlate2d": "signal.correlate2d(reshape(x, [16, n // 16]), reshape(y[:9], [3, 3]))",
        "fftconvolve": "signal.fftconvolve(x, y)",
        "correlate": "signal.correlate(x, y)",
        "correlation_lags": "signal.correlation_lags(n, n)",
        **{
            name: f"x * signal.{name}(n)"
            for name in ("hann", "hamming", "blackman", "blackmanharris", "nuttall", "flattop", "boxcar", "bartlett")
        },
        "cosine": "x * signal.cosine(n)",
        "tukey": "x * signal.tukey(n)",
        "gaussian": "x * signal.gaussian(n, 9.0)",
        "kaiser": "x * signal.kaiser(n, 5.0)",
        "lfilter": "signal.lfilter([0.5, 0.5], [1.0, -0.5], x)",
        "lfilter_zi": "signal.lfilter_zi(x, y)",
        "filtfilt": "signal.filtfilt([0.5, 0.5], [1.0, -0.5], x)",
        "sosfilt": "signal.sosfilt(signal.butter(4, 0.3), x)",
        "sosfilt_zi": "signal.sosfilt_zi(reshape(concatenate((x, x, x))[: 6 * (n // 8)], [n // 8, 6]))",
        "sosfiltfilt": "signal.sosfiltfilt(signal.butter(4, 0.3), x)",
        "butter": "x * signal.butter(4, x[0])[0, 0]",
        "cheby1": "x * signal.cheby1(4, 1.0, x[0])[0, 0]",
        "cheby2": "x * signal.cheby2(4, 30.0, x[0])[0, 0]",
        "sos2zpk": "signal.sos2zpk(reshape(x[: 6 * (n // 8)], [n // 8, 6])).z",
        "sos2tf": "signal.sos2tf(reshape(x[:12], [2, 6])).0 * y[0]",
        "freqz": "signal.freqz(y[:4], y[4:8], x)",
        "sosfreqz": "signal.sosfreqz(reshape(y[:12], [2, 6]), x)",
        "firwin": "signal.firwin(n, x[0])",
        "detrend": "signal.detrend(x)",
        "periodogram": "signal.periodogram(x).1",
        "welch": "signal.welch(x, y[:32]).1",
        "spectrogram": "signal.spectrogram(x, y[:32]).2",
        "csd": "signal.csd(x, y, y[:32]).1",
        "coherence": "signal.coherence(x, y, y[:32]).1",
        "stft": "signal.stft(x, y[:32])",
        "istft": "signal.istft(signal.stft(x, y[:32]), y[:32], n)",
        "hilbert": "signal.hilbert(x)",
        "resample": "signal.resample(x, n // 2)",
        "resample_poly": "signal.resample_poly(x, 3, 2)",
        "decimate": "signal.decimate(x, 4)",
        "medfilt": "signal.medfilt(x, 5)",
        "savgol_filter": "signal.savgol_filter(x, 7, 2)",
        "is_peak": "signal.is_peak(x)",
        "find_peaks": "x[signal.find_peaks(x)]",
        "prominences": "signal.prominences(x)",
        "chirp": "signal.chirp(x, 1.0, 2.0, 3.0)",
        "square": "signal.square(x)",
        "sawtooth": "signal.sawtooth(x)",
    }
)
GRIDS = f"""{HEAD}    let u = reshape(x, [16, n // 16])
    let v = reshape(concatenate((x, y)), [2, 16, n // 16])
    let h = [0.1, 0.2]
    """
DIFFERENCES: Mapping[str, str] = MappingProxyType(
    {
        "weights": "differences.weights(x[:8], 0.5) * y[0]",
        "stencil": "x * differences.stencil(2, 4)[0]",
        "derivative": "differences.derivative(x, 0.1, order=2, accuracy=4)",
        "gradient": 'differences.gradient(u, h, boundary="periodic")',
        "divergence": 'differences.divergence(v, h, boundary="periodic")',
        "laplacian": 'differences.laplacian(u, h, boundary="periodic")',
        "curl_in_plane": 'differences.curl_in_plane(v, h, boundary="periodic")',
        "curl": (
            "differences.curl(reshape(concatenate((x, y, x)), [3, 4, 4, n // 16]), [0.1, 0.1, 0.1], "
            'boundary="periodic")'
        ),
        "dct": "differences.dct(x)",
        "idct": "differences.idct(x)",
        "dst": "differences.dst(x)",
        "idst": "differences.idst(x)",
        "fourier_derivative": "differences.fourier_derivative(x, 1.0)",
        "chebyshev_points": "x * differences.chebyshev_points(n)",
        "chebyshev_matrix": "differences.chebyshev_matrix(8) @ x[:8]",
        "chebyshev_derivative": "differences.chebyshev_derivative(x)",
        "chebyshev_series": "differences.chebyshev_series(x)",
        "chebyshev_slopes": "differences.chebyshev_slopes(x)",
        "poisson": "differences.poisson(u, h)",
    }
)


def signals() -> Iterator[Row]:
    """A row for every function of the three modules."""
    for module, head, calls in (
        ("interpolate", PLACES, INTERPOLATE),
        ("signal", SAMPLES, SIGNAL),
        ("differences", GRIDS, DIFFERENCES),
    ):
        yield from table(two, {name: (head + call, None) for name, call in calls.items()}, module)
