"""A heartbeat under hum, breath and noise: the edges of a band pass are learned, the beats are found, and a picture
shows the recording, what is left of it, and its spectrogram. Run it with `python examples/heartbeat.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "heartbeat.svg"
RATES = np.array([62.0, 66.0, 80.0, 104.0, 96.0, 78.0, 70.0], np.float32)
RATE = 200.0
WIDTH, HEIGHT, GAP = 760, 130, 30


def main(seconds: int = 30, steps: int = 30) -> None:
    example = dsl.load(HERE / "heartbeat.dsl")
    n = int(seconds * RATE)
    x = example.recorded(dsl.key(0), RATES, n=n, fs=RATE)
    clean = example.heart(RATES, n=n, fs=RATE)
    edges, losses = example.learned(x, clean, (0.3, 80.0), RATE, steps=steps)
    print(
        f"The loss falls from {losses[0]:.4f} to {losses[-1]:.4f}; the edges are {edges[0]:.2f} and {edges[1]:.1f} Hz."
    )
    found = example.cleaned(x, *edges, RATE)
    beats = np.asarray(example.beats(found))
    rates = 60.0 * RATE / np.diff(beats)
    print(f"{len(beats)} beats, {rates.min():.0f} to {rates.max():.0f} a minute.")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(np.asarray(x), np.asarray(found), beats, example), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def picture(x: np.ndarray, found: np.ndarray, beats: np.ndarray, example: dsl.Program) -> str:
    """Draw the recording, what is left of it with the beats as points, and the spectrogram up to 60 Hz."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * GAP}" height="{3 * (HEIGHT + GAP) + GAP}" '
        f'font-family="sans-serif" font-size="13">'
    ]
    rows = (("recorded", x, "#888"), ("cleaned, with the beats", found, "#06c"))
    for row, (title, values, colour) in enumerate(rows):
        points = " ".join(_point(row, i, v, len(values)) for i, v in enumerate(values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        parts.append(f'<text x="{GAP}" y="{_top(row) - 4}" fill="{colour}">{title}</text>')
    for beat in beats:
        x0, y0 = _point(1, int(beat), found[beat], len(found)).split(",")
        parts.append(f'<circle cx="{x0}" cy="{y0}" r="3" fill="#c00"/>')
    frequencies, _, levels = (np.asarray(part) for part in example.picture(x, RATE, width=128))
    shown = levels[frequencies <= 60.0]
    low, high = np.quantile(shown, 0.05), shown.max()
    width, height = WIDTH / shown.shape[1], HEIGHT / len(shown)
    for i, line in enumerate(shown):
        for j, level in enumerate(line):
            shade = int(255 * (1 - np.clip((level - low) / (high - low), 0, 1)))
            corner = f'x="{GAP + j * width:.1f}" y="{_top(2) + HEIGHT - (i + 1) * height:.1f}"'
            size = f'width="{width + 0.3:.1f}" height="{height + 0.3:.1f}"'
            parts.append(f'<rect {corner} {size} fill="rgb({shade},{shade},255)"/>')
    parts.append(f'<text x="{GAP}" y="{_top(2) - 4}">spectrogram of the recording, 0 to 60 Hz</text>')
    return "\n".join([*parts, "</svg>", ""])


def _top(row: int) -> int:
    return GAP + row * (HEIGHT + GAP)


def _point(row: int, i: int, value: float, n: int) -> str:
    return f"{GAP + WIDTH * i / n:.1f},{_top(row) + HEIGHT * (1.2 - value) / 2.2:.1f}"


if __name__ == "__main__":
    main()
