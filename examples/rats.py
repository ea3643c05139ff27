"""The growth of thirty rats by four chains of NUTS, beside the published posterior, and a picture of the growth of
each. Run it with `python examples/rats.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "rats.svg"
DAYS = np.array([8, 15, 22, 29, 36], np.float32)
PUBLISHED = {"birth": (106.6, 3.66), "growth": (6.186, 0.106), "noise": (6.09, 0.46)}
"""Means and standard deviations of BUGS: Spiegelhalter, Thomas, Best and Gilks, BUGS Examples, volume 1 (1996)."""


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
    picture(np.asarray(found["each"]).reshape(-1, len(y)), alone(y)).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def alone(y: np.ndarray) -> np.ndarray:
    """The growth of each rat by a line through its own weights."""
    return np.asarray(((y - y.mean(axis=1, keepdims=True)) @ (DAYS - 22)) / ((DAYS - 22) ** 2).sum())


def picture(growth: np.ndarray, alone: np.ndarray) -> Figure:
    """Draw the grams a day of each rat: by its own line (grey), and in the model (blue, the middle 80 %)."""
    order = np.argsort(alone)
    low, middle, high = np.quantile(growth[:, order], [0.1, 0.5, 0.9], axis=0)
    figure = Figure(figsize=(6.5, 6), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(len(order))
    axes.plot(alone[order], rows, "o", color="#999999", markersize=4, label="its own line")
    axes.errorbar(
        middle, rows, xerr=(middle - low, high - middle), fmt="o", color="#0066cc", markersize=4, label="model"
    )
    axes.set(xlabel="growth (g a day)", ylabel="rat", yticks=rows[::3], yticklabels=order[::3] + 1)
    axes.invert_yaxis()
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
