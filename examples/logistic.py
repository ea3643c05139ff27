"""Logistic regression on real data: two species of iris told apart by the lengths of their petals.

The model is trained by gradient descent, and again by Newton's method with the Hessian of the same loss; both must
find the same weights. A picture of the loss and of what was learned is written to `out/logistic.png`.
Run it with `python examples/logistic.py`.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "logistic.png"
RATE, DECAY, STEPS, NEWTON_STEPS = 1.0, 0.01, 2000, 8

Floats = npt.NDArray[np.float32]


def main() -> None:
    model = dsl.load(HERE / "logistic.dsl")
    x, y = petals()
    params, losses = model.fit({"w": np.zeros(2, "f4"), "b": np.float32(0)}, x, y, RATE, DECAY, steps=STEPS)
    weights = np.append(np.asarray(params["w"]), np.asarray(params["b"]))
    newton = np.asarray(model.fit_by_newton(np.zeros(3, "f4"), x, y, DECAY, steps=NEWTON_STEPS))
    right = 100 * float(model.accuracy(params, x, y))
    print(f"loss {losses[0]:.4f} before the first step, {losses[-1]:.4f} before the last of {STEPS}")
    print(f"weights by gradient descent: {weights}")
    print(f"weights by {NEWTON_STEPS} steps of Newton's method: {newton}")
    print(f"{right:.0f} % of {len(x)} flowers are told apart")
    draw(x, y, weights, np.asarray(losses))
    print(f"The picture is in {PICTURE}.")


def petals() -> tuple[Floats, Floats]:
    """Length and width of the petals of two species, standardised; 1 for virginica, 0 for versicolor."""
    with (HERE / "data" / "iris.csv").open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    table = np.array(rows, np.float32)
    table = table[table[:, 4] > 0]
    x = table[:, 2:4]
    return (x - x.mean(axis=0)) / x.std(axis=0), table[:, 4] - 1


def draw(x: Floats, y: Floats, weights: Floats, losses: Floats) -> None:
    """Draw the loss of each step (left), and the flowers with the line of even odds (right)."""
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.loglog(np.arange(1, len(losses) + 1), losses)
    left.set(title="Logistic regression on the iris data", xlabel="step", ylabel="mean cross entropy")
    draw_flowers(right, x, y, weights)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def draw_flowers(axes: Axes, x: Floats, y: Floats, weights: Floats) -> None:
    for kind, name, colour in ((0, "versicolor", "tab:orange"), (1, "virginica", "tab:green")):
        flowers = x[y == kind]
        axes.scatter(flowers[:, 0], flowers[:, 1], s=22, color=colour, label=name)
    length = np.linspace(x[:, 0].min(), x[:, 0].max(), 50)
    axes.plot(length, -(weights[0] * length + weights[2]) / weights[1], color="black", label="even odds")
    axes.set(title="What was learned", xlabel="petal length (standardised)", ylabel="petal width (standardised)")
    axes.set_ylim(x[:, 1].min() - 0.2, x[:, 1].max() + 0.2)
    axes.legend()


if __name__ == "__main__":
    main()
