"""Solve the reactions of Robertson over ten decades of time, with the sensitivities to the rates, and draw both. Run it
with `python examples/robertson.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "robertson.svg"
RATES = np.array([0.04, 3e7, 1e4])
COLOURS = ("#0066cc", "#cc6600", "#339933")


def main(points: int = 81) -> None:
    model, times = dsl.load(HERE / "robertson.dsl"), np.logspace(-5, 5, points)
    found = model.concentrations(RATES, times)
    print(f"{int(found['steps'])} steps were taken and {int(found['rejected'])} rejected.")
    end, sizes = np.asarray(found["y"]), np.array([1.0, 1e4, 1.0])
    print("The concentrations at the end are " + ", ".join(f"{x:.6g}" for x in end) + ".")
    slopes = np.asarray(model.sensitivities(RATES, times))
    print("A per cent more of each rate changes C by " + ", ".join(f"{0.01 * s:.2e}" for s in slopes[-1, 2]) + ".")
    PICTURE.parent.mkdir(exist_ok=True)
    picture(times, np.asarray(found["saved"]) * sizes, slopes[:, 2]).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def picture(times: np.ndarray, concentrations: np.ndarray, slopes: np.ndarray) -> Figure:
    """Draw the concentrations (of B 10,000 times as much), and below them the derivatives of C by the log rates."""
    figure = Figure(figsize=(6.5, 5.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for i, (species, rate, colour) in enumerate(zip(("A", "10⁴ B", "C"), ("k₁", "k₂", "k₃"), COLOURS, strict=True)):
        above.semilogx(times, concentrations[:, i], color=colour, label=species)
        below.semilogx(times, slopes[:, i], color=colour, label=rate)
    above.set(ylabel="concentration")
    below.set(xlabel="time (s)", ylabel="∂C / ∂ log k")
    above.legend()
    below.legend()
    return figure


if __name__ == "__main__":
    main()
