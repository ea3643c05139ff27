"""The level behind the flow of the Nile by a particle filter, beside the exact filter of Kalman, and a picture. Run it
with `python examples/nile.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "nile.svg"
FIRST, SPREAD = 1000.0, 300.0
DRIFT, NOISE = 38.3, 122.9
"""Deviations of the level and of the errors, by maximum likelihood: the roots of 1469 and 15099 (Durbin and Koopman,
Time Series Analysis by State Space Methods, 2012)."""
HEAVY = (4.0, 0.7 * NOISE)
"""Degrees of freedom and scale of errors whose variance is about the same, but with heavy tails."""


def flow() -> tuple[np.ndarray, np.ndarray]:
    years, flow = np.loadtxt(HERE / "data" / "nile.csv", delimiter=",", skiprows=1, unpack=True)
    return years, flow.astype(np.float32)


def kalman(y: np.ndarray) -> tuple[float, np.ndarray]:
    """The logarithm of the probability of the series, and the mean of the level of each year given all of them."""
    n = len(y)
    places = np.minimum(np.arange(n)[:, None], np.arange(n)) + 1.0
    levels = SPREAD**2 + DRIFT**2 * places
    whole = levels + NOISE**2 * np.eye(n)
    off = np.asarray(y, np.float64) - FIRST
    solved = np.linalg.solve(whole, off)
    evidence = -0.5 * (off @ solved + np.linalg.slogdet(whole)[1] + n * np.log(2 * np.pi))
    return float(evidence), FIRST + levels @ solved


def main(particles: int = 5000) -> None:
    model = dsl.load(HERE / "nile.dsl")
    years, y = flow()
    normal = model.filtered(dsl.key(0), y, FIRST, SPREAD, DRIFT, NOISE, np.inf, particles=particles)
    heavy = model.filtered(dsl.key(1), y, FIRST, SPREAD, DRIFT, HEAVY[1], HEAVY[0], particles=particles)
    evidence, exact = kalman(y)
    print(f"Log evidence with normal errors: {float(normal['log_evidence']):.2f} (exact: {evidence:.2f})")
    print(f"Log evidence with heavy tails: {float(heavy['log_evidence']):.2f}")
    print(f"The fewest particles that count in a year: {float(np.asarray(normal['effective']).min()):.0f}")
    PICTURE.parent.mkdir(exist_ok=True)
    level, deviation = np.asarray(normal["level"]), np.asarray(normal["deviation"])
    picture(years, y, level, deviation, exact).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def picture(years: np.ndarray, y: np.ndarray, level: np.ndarray, deviation: np.ndarray, exact: np.ndarray) -> Figure:
    """Draw the flow (grey), the level by particles and its deviation (blue), and the exact level (dotted)."""
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(years, y, color="#999999", linewidth=1, label="flow")
    axes.fill_between(years, level - deviation, level + deviation, color="#ccddff")
    axes.plot(years, level, color="#0066cc", linewidth=2, label="level by particles")
    axes.plot(years, exact, color="black", linestyle=":", label="exact level")
    axes.set(xlabel="year", ylabel="flow (10⁸ m³ a year)")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
