"""A diffusion model learns to draw the digit that it is asked for. Every tenth of the training leaves a checkpoint, and
the next run goes on from the last one. Run it with `python examples/diffusion.py`.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "out" / "diffusion"
WIDTH, DEPTH, BATCH, RATE, GUIDANCE, ROWS = 128, 3, 64, 1e-3, 2.0, 8


def main(steps: int = 4000) -> None:
    model = dsl.load(HERE / "diffusion.dsl")
    with gzip.open(HERE / "data" / "digits.csv.gz", "rt", encoding="utf-8") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    data = {"x": table[:, :-1] / 8 - 1, "digits": table[:, -1].astype(np.int32)}
    trained = dsl.training.fit(
        lambda state, batch, i: model.step(state, batch["x"], batch["digits"], RATE, key=i),
        model.init(0, width=WIDTH, depth=DEPTH),
        dsl.data.Batches(data, BATCH, key=0),
        steps=steps,
        every=-(-steps // 10),
        checkpoints=dsl.checkpoints.Checkpoints(FOLDER),
    )
    drawn = model.draw(trained.state["average"], 1, np.tile(np.arange(10), ROWS), GUIDANCE, steps=50)
    save_picture(FOLDER / "drawn.png", np.asarray(drawn))
    print(f"The picture is {FOLDER / 'drawn.png'}.")


def save_picture(path: Path, drawn: np.ndarray) -> None:
    """Draw the images in rows of ten."""
    framed = np.pad(drawn.reshape(-1, 10, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-1)
    figure = Figure(figsize=(10, len(framed)), layout="constrained")
    axes = figure.subplots()
    axes.imshow(framed.transpose(0, 2, 1, 3).reshape(10 * len(framed), 100), cmap="gray_r", vmin=-1, vmax=1)
    axes.set(xticks=np.arange(10) * 10 + 4.5, xticklabels=range(10), yticks=[])
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    main()
