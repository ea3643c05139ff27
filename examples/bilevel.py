"""Learn the penalties of a regression on the diabetes data, one for each weight, by the gradient of the error on
patients that the regression has not seen.

The weights are the solution of an inner problem; its derivative by the penalties costs one linear system (see
`docs/solvers.md`). A picture of the errors on the way and of the weights is written to `out/bilevel.png`.
Run it with `python examples/bilevel.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "bilevel.png"
START, RATE, STEPS = -5.0, 30.0, 200

Floats = npt.NDArray[np.float32]


def main() -> None:
    model = dsl.load(HERE / "bilevel.dsl")
    names, seen, others, last = patients()
    start = np.full(len(names), START, "f4")
    penalties, errors = (np.asarray(x) for x in model.tuned(start, seen, others, RATE, steps=STEPS))
    before, after = (np.asarray(model.fitted(p, seen)) for p in (start, penalties))
    print(f"error on the patients that chose the penalties: {errors[0]:.4f} at the start, {errors[-1]:.4f} at the end")
    told = [float(model.error(w, last)) for w in (before, after)]
    print(f"error on those that chose nothing: {told[0]:.4f} before, {told[1]:.4f} after")
    kept = [name for name, w in zip(names, after, strict=True) if abs(w) > 0.05]
    print(f"measurements that are left with a weight above 0.05: {', '.join(kept)}")
    draw(names, errors, before, after)
    print(f"The picture is in {PICTURE}.")


def patients() -> tuple[list[str], dict[str, Floats], dict[str, Floats], dict[str, Floats]]:
    """The names of the measurements, and three groups of patients: to fit, to choose the penalties, and to judge."""
    path = HERE / "data" / "diabetes.csv"
    table = np.loadtxt(path, np.float32, delimiter=",", skiprows=1)
    table = np.random.default_rng(0).permutation((table - table.mean(axis=0)) / table.std(axis=0))
    groups = [{"x": part[:, :-1], "y": part[:, -1]} for part in np.split(table, [50, 250])]
    names = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")[:-1]
    return names, groups[0], groups[1], groups[2]


def draw(names: list[str], errors: Floats, before: Floats, after: Floats) -> None:
    """Draw the errors on the way (left), and the weights before and after (right)."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(errors)
    left.set(title="Descent along the implicit gradient", xlabel="step", ylabel="mean squared error, unseen patients")
    places = np.arange(len(names))
    right.bar(places - 0.2, before, 0.4, label="equal penalties", color="tab:gray")
    right.bar(places + 0.2, after, 0.4, label="learned penalties", color="tab:blue")
    right.set(title="Weights of the measurements", xticks=places, xticklabels=names)
    right.axhline(0, color="black", linewidth=0.8)
    right.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


if __name__ == "__main__":
    main()
