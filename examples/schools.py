"""The posterior of the eight schools by four chains of NUTS, whether they agree, and a picture of the effects. Run it
with `python examples/schools.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "schools.svg"
EFFECTS = np.array([28, 8, -3, 7, -1, 1, 18, 12], np.float32)
ERRORS = np.array([15, 10, 16, 11, 9, 11, 10, 18], np.float32)
WIDTH, ROW, SCALE = 640, 34, 6.0


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
    PICTURE.write_text(picture(np.asarray(found["theta"]).reshape(-1, len(EFFECTS))), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def picture(theta: np.ndarray) -> str:
    """Draw the measurement of each school (grey, one standard error) and its effect (blue, the middle 80 %)."""
    low, middle, high = np.quantile(theta, [0.1, 0.5, 0.9], axis=0)
    lines = []
    for i, (effect, error) in enumerate(zip(EFFECTS, ERRORS, strict=True)):
        y = ROW * (i + 1)
        lines.append(f'<text x="8" y="{y + 4}" font-size="13">{chr(65 + i)}</text>')
        lines.append(_bar(effect - error, effect, effect + error, y - 5, "#999"))
        lines.append(_bar(low[i], middle[i], high[i], y + 5, "#06c"))
    height = ROW * (len(EFFECTS) + 1)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif">'
    zero = f'<line x1="{_x(0)}" x2="{_x(0)}" y1="0" y2="{height}" stroke="#ddd"/>'
    return "\n".join([head, zero, *lines, "</svg>", ""])


def _x(value: float) -> float:
    return round(200 + SCALE * value, 1)


def _bar(low: float, middle: float, high: float, y: float, colour: str) -> str:
    line = f'<line x1="{_x(low)}" x2="{_x(high)}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
    return f'{line}<circle cx="{_x(middle)}" cy="{y}" r="4" fill="{colour}"/>'


if __name__ == "__main__":
    main()
