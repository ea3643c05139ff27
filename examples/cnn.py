"""A convolutional network learns to read handwritten digits; every epoch leaves a checkpoint, and the next run goes on
from there. Run it with `python examples/cnn.py`.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
CHECKPOINT = HERE.parent / "out" / "cnn.safetensors"
CHANNELS, CLASSES, EPOCHS, BATCH, RATE = 8, 10, 8, 50, 0.003


def main() -> None:
    model = dsl.load(HERE / "cnn.dsl")
    with gzip.open(HERE / "data" / "digits.csv.gz", "rt", encoding="utf-8") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    images, shown = table[:, :-1].reshape(-1, 8, 8) / 16, table[:, -1].astype(int)
    kept = np.arange(len(shown)) % 5 == 0
    CHECKPOINT.parent.mkdir(exist_ok=True)
    state, first = model.init(0, c=CHANNELS, o=CLASSES), 0
    if CHECKPOINT.exists():
        saved = dsl.load_arrays(CHECKPOINT, like={"state": state, "epoch": 0})
        state, first = saved["state"], int(saved["epoch"])
    for epoch in range(first, EPOCHS):
        state, loss = model.epoch(state, epoch, images[~kept], shown[~kept], RATE, batch=BATCH)
        dsl.save(CHECKPOINT, {"state": state, "epoch": epoch + 1})
        right = 100 * float(model.accuracy(state["model"], images[kept], shown[kept]))
        print(
            f"epoch {epoch + 1}: loss {loss:.3f}, {right:.1f} % of {kept.sum()} images that it never saw are read right"
        )
    print(f"The model is in {CHECKPOINT}.")


if __name__ == "__main__":
    main()
