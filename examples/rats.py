"""The growth of thirty rats by four chains of NUTS, beside the published posterior, and a picture of the growth of
each. Run it with `python examples/rats.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "rats.svg"
DAYS = np.array([8, 15, 22, 29, 36], np.float32)
PUBLISHED = {"birth": (106.6, 3.66), "growth": (6.186, 0.106), "noise": (6.09, 0.46)}
"""Means and standard deviations of BUGS: Spiegelhalter, Thomas, Best and Gilks, BUGS Examples, volume 1 (1996)."""
WIDTH, ROW, SCALE = 560, 16, 110.0


def weights() -> np.ndarray:
    return np.loadtxt(HERE / "data" / "rats.csv", delimiter=",", skiprows=1, dtype=np.float32)


def main(warmup: int = 500, draws: int = 1000) -> None:
    model = dsl.load(HERE / "rats.dsl")
    y = weights()
    found = model.chains(dsl.key(0), DAYS, y, count=4, warmup=warmup, draws=draws)
    for name, row in model.report(found).items():
        numbers = {field: float(value) for field, value in row.items()}
        mean, deviation = PUBLISHED[name]
        print(
            f"{name}: mean {numbers['mean']:.2f}, sd {numbers['sd']:.2f} (published: {mean}, {deviation}), "
            f"effective draws {numbers['ess_bulk']:.0f}, R-hat {numbers['rhat']:.3f}"
        )
    print(f"{int(np.asarray(found['divergent']).sum())} of {4 * draws} steps diverged.")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(np.asarray(found["each"]).reshape(-1, len(y)), alone(y)), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def alone(y: np.ndarray) -> np.ndarray:
    """The growth of each rat by a line through its own weights."""
    return np.asarray(((y - y.mean(axis=1, keepdims=True)) @ (DAYS - 22)) / ((DAYS - 22) ** 2).sum())


def picture(growth: np.ndarray, alone: np.ndarray) -> str:
    """Grams a day of each rat: its own line (grey), and in the model (blue, the middle 80 %)."""
    order = np.argsort(alone)
    low, middle, high = np.quantile(growth, [0.1, 0.5, 0.9], axis=0)
    lines = []
    for row, i in enumerate(order):
        y = ROW * (row + 1)
        lines.append(f'<circle cx="{_x(alone[i])}" cy="{y}" r="3" fill="#999"/>')
        lines.append(f'<line x1="{_x(low[i])}" x2="{_x(high[i])}" y1="{y}" y2="{y}" stroke="#06c" stroke-width="2"/>')
        lines.append(f'<circle cx="{_x(middle[i])}" cy="{y}" r="3" fill="#06c"/>')
    height = ROW * (len(order) + 1)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">'
    return "\n".join([head, *lines, "</svg>", ""])


def _x(value: float) -> float:
    return round(float(40 + SCALE * (value - 4.0)), 1)


if __name__ == "__main__":
    main()
