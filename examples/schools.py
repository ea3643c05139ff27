"""The posterior of the eight schools by four chains of NUTS, whether they agree, and a picture of the effects. Run it
with `python examples/schools.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "schools.svg"
EFFECTS = np.array([28, 8, -3, 7, -1, 1, 18, 12], np.float32)
ERRORS = np.array([15, 10, 16, 11, 9, 11, 10, 18], np.float32)


def main(warmup: int = 500, draws: int = 1000) -> None:
    model = dsl.load(HERE / "schools.dsl")
    found = model.chains(dsl.key(0), EFFECTS, ERRORS, count=4, warmup=warmup, draws=draws)
    for name, row in model.report(found).items():
        numbers = {field: float(value) for field, value in row.items()}
        print(
            f"{name}: mean {numbers['mean']:.2f}, sd {numbers['sd']:.2f}, Monte Carlo error {numbers['mcse']:.2f}, "
            f"effective draws {numbers['ess_bulk']:.0f}, R-hat {numbers['rhat']:.3f}"
        )
    print(f"{int(np.asarray(found['divergent']).sum())} of {4 * draws} steps diverged.")
    PICTURE.parent.mkdir(exist_ok=True)
    picture(np.asarray(found["theta"]).reshape(-1, len(EFFECTS))).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def picture(theta: np.ndarray) -> Figure:
    """Draw the measurement of each school (grey, one standard error) and its effect (blue, the middle 80 %)."""
    low, middle, high = np.quantile(theta, [0.1, 0.5, 0.9], axis=0)
    figure = Figure(figsize=(6.5, 3.8), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(len(EFFECTS))
    axes.axvline(0, color="#dddddd")
    axes.errorbar(EFFECTS, rows - 0.15, xerr=ERRORS, fmt="o", color="#999999", label="measurement")
    axes.errorbar(middle, rows + 0.15, xerr=(middle - low, high - middle), fmt="o", color="#0066cc", label="effect")
    axes.set(xlabel="effect of the coaching (points)", ylabel="school", yticks=rows, yticklabels="ABCDEFGH")
    axes.invert_yaxis()
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
