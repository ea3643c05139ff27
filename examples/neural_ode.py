"""Train a neural differential equation on parts of a spiral, and draw both curves. Run it with
`python examples/neural_ode.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "neural_ode.svg"
START = np.array([2.0, 0.0], np.float32)
SIZE, SCALE = 480, 105.0


def main(steps: int = 600) -> None:
    model = dsl.load(HERE / "neural_ode.dsl")
    times = np.linspace(0.0, 25.0, 250, dtype=np.float32)
    params, losses = model.train(dsl.key(0), times, 1e-2, h=50, steps=steps, n=20, m=10)
    first, last = np.asarray(losses)[0], np.asarray(losses)[-10:].mean()
    print(f"The mean square error is {first:.4f} at first and {last:.4f} after {steps} steps.")
    curves = {"#999": model.spiral(START, times), "#06c": model.curve(params, START, times)}
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture({colour: np.asarray(c) for colour, c in curves.items()}), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def picture(curves: dict[str, np.ndarray]) -> str:
    """Draw the spiral in grey, and the curve of the network in blue."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE}" height="{SIZE}">'
    lines = []
    for colour, curve in curves.items():
        points = " ".join(f"{SIZE / 2 + SCALE * x:.1f},{SIZE / 2 - SCALE * y:.1f}" for x, y in curve)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    return "\n".join([head, *lines, "</svg>", ""])


if __name__ == "__main__":
    main()
