"""Convolutions and correlations over two axes, beside SciPy: of all modes, beyond the edges 0 or what `pad` makes."""

from __future__ import annotations

import numpy as np
from scipy import signal as ss

from tests.support.library import Case

RNG = np.random.default_rng(5)
PLANES = (
    *(
        Case(
            f"convolve2d_{mode}_{'_'.join(map(str, (*of, *by)))}",
            "(x: f64[*s, n, m], h: f64[k, l]) where n >= 1 and m >= 1 and k >= 1 and l >= 1"
            + (f" and {covers}" if mode == "valid" else "")
            + f' = (signal.convolve2d(x, h, mode="{mode}"), signal.correlate2d(x, h, mode="{mode}"))',
            (RNG.normal(size=(2, *of)), RNG.normal(size=by)),
            lambda x, h, mode=mode: tuple(
                np.stack([f(image, h, mode) for image in x]) for f in (ss.convolve2d, ss.correlate2d)
            ),
            1e-9,
        )
        for of, by, covers in (
            ((5, 6), (2, 3), "n >= k and m >= l"),
            ((5, 5), (4, 5), "n >= k and m >= l"),
            ((2, 3), (5, 4), "n <= k and m <= l"),
        )
        for mode in ("full", "same", "valid")
    ),
    *(
        Case(
            f"convolve2d_{mode}",
            f'(x: f64[n, m]) where n >= 2 and m >= 2 = signal.convolve2d(pad(x, 1, "{mode}"), ones([3, 3], f64), '
            'mode="valid")',
            (RNG.normal(size=(4, 5)),),
            lambda x, boundary=boundary: ss.convolve2d(x, np.ones((3, 3)), "same", boundary),
            1e-9,
        )
        for mode, boundary in (("symmetric", "symm"), ("wrap", "wrap"))
    ),
)
