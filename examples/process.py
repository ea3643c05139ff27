"""A Gaussian process through eleven points by four chains of NUTS, beside the published posterior, and a picture of the
function. Run it with `python examples/process.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "process.svg"
X = np.array([-10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10], np.float64)
Y = np.array(
    [4.75906, 1.59423, 2.99548, 5.27501, 1.66472, 2.24347, 2.8914, 4.08681, 4.60588, 0.802364, 3.92136], np.float64
)
"""The points of `gp_pois_regr-gp_regr` of posteriordb (<https://github.com/stan-dev/posteriordb>)."""
PUBLISHED = {"length": 6.874, "amplitude": 2.442, "noise": 1.829}
"""The means of its reference posterior, ten thousand draws of Stan."""


def main(warmup: int = 500, draws: int = 1000) -> None:
    model = dsl.load(HERE / "process.dsl")
    z = np.linspace(-12, 12, 97)
    found = model.chains(dsl.key(0), X, Y, z, count=4, warmup=warmup, draws=draws)
    for name, row in model.report(found).items():
        numbers = {field: float(value) for field, value in row.items()}
        print(
            f"{name}: mean {numbers['mean']:.3f} (published: {PUBLISHED[name]}), "
            f"error {numbers['mcse']:.3f}, effective draws {numbers['ess_bulk']:.0f}, R-hat {numbers['rhat']:.3f}"
        )
    print(f"{int(np.asarray(found['divergent']).sum())} of {4 * draws} steps diverged.")
    PICTURE.parent.mkdir(exist_ok=True)
    picture(z, np.asarray(found["mean"]).reshape(-1, len(z))).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def picture(z: np.ndarray, means: np.ndarray) -> Figure:
    """Draw the points (black), and the mean function of the draws: its middle 80 % (light) and median (blue)."""
    low, middle, high = np.quantile(means, [0.1, 0.5, 0.9], axis=0)
    figure = Figure(figsize=(6.5, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(z, low, high, color="#ccddff", label="middle 80 %")
    axes.plot(z, middle, color="#0066cc", linewidth=2, label="median")
    axes.plot(X, Y, "o", color="black", markersize=4, label="points")
    axes.set(xlabel="x", ylabel="y")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
