"""Train a neural differential equation on parts of a spiral, and draw both curves. Run it with
`python examples/neural_ode.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "neural_ode.svg"
START = np.array([2.0, 0.0], np.float32)


def main(steps: int = 600) -> None:
    model = dsl.load(HERE / "neural_ode.dsl")
    times = np.linspace(0.0, 25.0, 250, dtype=np.float32)
    params, losses = model.train(dsl.key(0), times, 1e-2, h=50, steps=steps, n=20, m=10)
    first, last = np.asarray(losses)[0], np.asarray(losses)[-10:].mean()
    print(f"The mean square error is {first:.4f} at first and {last:.4f} after {steps} steps.")
    curves = {"#999999": model.spiral(START, times), "#0066cc": model.curve(params, START, times)}
    PICTURE.parent.mkdir(exist_ok=True)
    picture({colour: np.asarray(c) for colour, c in curves.items()}).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def picture(curves: dict[str, np.ndarray]) -> Figure:
    """Draw the spiral in grey, and the curve of the network in blue."""
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots()
    for colour, curve in curves.items():
        axes.plot(curve[:, 0], curve[:, 1], color=colour)
    axes.set(xlabel="x", ylabel="y", aspect="equal")
    return figure


if __name__ == "__main__":
    main()
