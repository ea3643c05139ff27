"""A heartbeat under hum, breath and noise: the edges of a band pass are learned, the beats are found, and a picture
shows the recording, what is left of it, and its spectrogram. Run it with `python examples/heartbeat.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "heartbeat.svg"
RATES = np.array([62.0, 66.0, 80.0, 104.0, 96.0, 78.0, 70.0], np.float32)
RATE = 200.0


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
    picture(np.asarray(x), np.asarray(found), beats, example).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def picture(x: np.ndarray, found: np.ndarray, beats: np.ndarray, example: dsl.Program) -> Figure:
    """Draw the recording, what is left of it with the beats as points, and the spectrogram up to 60 Hz."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    above, middle, below = figure.subplots(3, 1, sharex=True)
    times = np.arange(len(x)) / RATE
    above.plot(times, x, color="#888888", linewidth=0.8)
    middle.plot(times, found, color="#0066cc", linewidth=0.8)
    middle.plot(times[beats], found[beats], "o", color="#cc0000", markersize=4, label="beats")
    middle.legend(loc="upper right")
    frequencies, _, levels = (np.asarray(part) for part in example.picture(x, RATE, width=128))
    shown = levels[frequencies <= 60.0]
    below.imshow(
        shown, origin="lower", aspect="auto", extent=(0, times[-1], 0, 60), cmap="Blues", vmin=np.quantile(shown, 0.05)
    )
    above.set(ylabel="recorded (mV)")
    middle.set(ylabel="cleaned (mV)")
    below.set(xlabel="time (s)", ylabel="frequency (Hz)")
    return figure


if __name__ == "__main__":
    main()
