"""The level behind the flow of the Nile by a particle filter, beside the exact filter of Kalman, and a picture. Run it
with `python examples/nile.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "nile.svg"
FIRST, SPREAD = 1000.0, 300.0
DRIFT, NOISE = 38.3, 122.9
"""Deviations of the level and of the errors, by maximum likelihood: the roots of 1469 and 15099 (Durbin and Koopman,
Time Series Analysis by State Space Methods, 2012)."""
HEAVY = (4.0, 0.7 * NOISE)
"""Degrees of freedom and scale of errors whose variance is about the same, but with heavy tails."""
WIDTH, HEIGHT = 640, 300


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
    PICTURE.write_text(picture(years, y, level, deviation, exact), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def picture(years: np.ndarray, y: np.ndarray, level: np.ndarray, deviation: np.ndarray, exact: np.ndarray) -> str:
    """The flow (grey), the level by particles with one deviation to each side (blue), and the exact level (dotted)."""

    def points(values: np.ndarray) -> str:
        return " ".join(f"{_x(year)},{_y(value)}" for year, value in zip(years, values, strict=True))

    band = f"{points(level + deviation)} " + " ".join(reversed(points(level - deviation).split()))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">',
            f'<polygon points="{band}" fill="#cdf"/>',
            f'<polyline points="{points(y)}" fill="none" stroke="#999"/>',
            f'<polyline points="{points(level)}" fill="none" stroke="#06c" stroke-width="2"/>',
            f'<polyline points="{points(exact)}" fill="none" stroke="#000" stroke-dasharray="2 3"/>',
            "</svg>",
            "",
        ]
    )


def _x(year: float) -> float:
    return round(float(20 + 6 * (year - 1871)), 1)


def _y(flow: float) -> float:
    return round(float(HEIGHT - 20 - 0.26 * (flow - 400)), 1)


if __name__ == "__main__":
    main()
