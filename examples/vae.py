"""A variational autoencoder puts images of digits on a plane, and draws others from all over it. Run it with
`python examples/vae.py`.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "vae.png"
WIDTH, HIDDEN, BATCH, RATE, ACROSS = 128, 2, 50, 1e-3, 16


def main(epochs: int = 60) -> None:
    model = dsl.load(HERE / "vae.dsl")
    with gzip.open(HERE / "data" / "digits.csv.gz", "rt", encoding="utf-8") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    images, shown = table[:, :-1], table[:, -1].astype(int)
    kept = np.arange(len(shown)) % 5 == 0
    batches = dsl.data.Batches(images[~kept], BATCH, key=0)
    trained = dsl.training.fit(
        lambda state, x, i: model.step(state, x, RATE, key=i),
        model.init(0, hidden=HIDDEN, width=WIDTH),
        batches,
        steps=epochs * len(batches),
        every=10 * len(batches),
        evaluate=lambda state: {"unseen": model.loss(state["model"], images[kept], key=0)},
    )
    PICTURE.parent.mkdir(exist_ok=True)
    draw(PICTURE, model, trained.state["model"], images, shown)
    print(f"The picture is {PICTURE}.")


def draw(path: Path, model: dsl.Program, params: Any, images: np.ndarray, shown: np.ndarray) -> None:
    """Draw where the images lie on the plane, and the images of a grid of equally probable places."""
    figure = Figure(figsize=(12, 6), layout="constrained")
    left, right = figure.subplots(1, 2)
    places = np.asarray(model.encoded(params, images)[0])
    points = left.scatter(*places[:, :2].T, c=shown, cmap="tab10", s=6, vmin=-0.5, vmax=9.5)
    figure.colorbar(points, ax=left, ticks=range(10))
    left.set(title="the hidden numbers of the images", xlabel="first", ylabel="second", aspect="equal")
    steps = np.array([NormalDist().inv_cdf((k + 0.5) / ACROSS) for k in range(ACROSS)], np.float32)
    grid = np.stack(np.meshgrid(steps, steps[::-1]), axis=-1).reshape(-1, 2)
    decoded = np.asarray(model.decoded(params, grid)[0]).reshape(ACROSS, ACROSS, 8, 8)
    framed = np.pad(decoded, ((0, 0), (0, 0), (1, 1), (1, 1)))
    right.imshow(framed.transpose(0, 2, 1, 3).reshape(10 * ACROSS, 10 * ACROSS), cmap="gray_r")
    right.set(title="images of places on a grid", xticks=[], yticks=[])
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
