"""Solve the reactions of Robertson over ten decades of time, with the sensitivities to the rates, and draw both. Run it
with `python examples/robertson.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "robertson.svg"
RATES = np.array([0.04, 3e7, 1e4])
COLOURS = ("#06c", "#c60", "#393")
WIDTH, HEIGHT = 560, 220


def main(points: int = 81) -> None:
    model, times = dsl.load(HERE / "robertson.dsl"), np.logspace(-5, 5, points)
    found = model.concentrations(RATES, times)
    print(f"{int(found['steps'])} steps were taken and {int(found['rejected'])} rejected.")
    end, sizes = np.asarray(found["y"]), np.array([1.0, 1e4, 1.0])
    print("The concentrations at the end are " + ", ".join(f"{x:.6g}" for x in end) + ".")
    slopes = np.asarray(model.sensitivities(RATES, times))
    print("A per cent more of each rate changes C by " + ", ".join(f"{0.01 * s:.2e}" for s in slopes[-1, 2]) + ".")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(np.asarray(found["saved"]) * sizes, slopes[:, 2]), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def picture(concentrations: np.ndarray, slopes: np.ndarray) -> str:
    """Draw the concentrations (of B 10,000 times as much), and below them the derivatives of C by the log rates."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{2 * HEIGHT}">'
    low, high = slopes.min(), slopes.max()
    above = [_curve(concentrations[:, i], 0.0, 1.0, 0, COLOURS[i]) for i in range(3)]
    below = [_curve(slopes[:, i], low, high, HEIGHT, COLOURS[i]) for i in range(3)]
    return "\n".join([head, *above, *below, "</svg>", ""])


def _curve(values: np.ndarray, low: float, high: float, top: float, colour: str) -> str:
    across = np.linspace(10, WIDTH - 10, len(values))
    down = top + HEIGHT - 10 - (values - low) / (high - low) * (HEIGHT - 20)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


if __name__ == "__main__":
    main()
