"""A convolutional network learns to read handwritten digits. Every epoch leaves a checkpoint, and the next run goes on
from the last one. Run it with `python examples/cnn.py`.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "out" / "cnn"
CHANNELS, CLASSES, EPOCHS, BATCH, RATE = 8, 10, 8, 50, 0.003


def main() -> None:
    model = dsl.load(HERE / "cnn.dsl")
    with gzip.open(HERE / "data" / "digits.csv.gz", "rt", encoding="utf-8") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    images, shown = table[:, :-1].reshape(-1, 8, 8) / 16, table[:, -1].astype(int)
    kept = np.arange(len(shown)) % 5 == 0
    trained = dsl.training.fit(
        lambda state, epoch: model.epoch(state, epoch, images[~kept], shown[~kept], RATE, batch=BATCH),
        model.init(0, c=CHANNELS, o=CLASSES),
        steps=EPOCHS,
        every=1,
        evaluate=lambda state: {"accuracy": model.accuracy(state["model"], images[kept], shown[kept])},
        checkpoints=dsl.checkpoints.Checkpoints(FOLDER, best="accuracy", mode="max"),
    )
    right = 100 * trained.history.column("accuracy")[-1]
    print(f"{right:.1f} % of {kept.sum()} images that it never saw are read right. The model is in {FOLDER}.")


if __name__ == "__main__":
    main()
