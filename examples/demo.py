"""The demonstration: three programs, checked, run on real data, and compared with what is known to be right.

`regression.dsl` learns to predict how diabetes progresses from ten measurements of 442 patients; its weights
are printed beside those of the closed-form least squares. `kmeans.dsl` finds three groups among 150 flowers
without being told their species. `mlp.dsl` learns to read handwritten digits, and is asked about some it has
not seen. A picture of all is written to `out/demo.png`. Run it with `make demo`.
"""

from __future__ import annotations

import csv
import gzip
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "demo.png"
STEPS_PER_ROUND, ROUNDS, RATE = 250, 24, 0.2
HIDDEN, BATCH, EPOCHS, ADAM_RATE = 64, 50, 40, 0.003
SPECIES = ("setosa", "versicolor", "virginica")

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Regression:
    """What was learned about the patients, beside what the closed form says."""

    names: tuple[str, ...]
    target: Floats
    predicted: Floats
    weights: Floats
    closed_form: Floats
    history: Floats
    best_loss: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """What was found among the flowers: two of their measurements, the group of each, and the centres."""

    flowers: Floats
    species: Ints
    labels: Ints
    centres: Floats
    history: Floats


@dataclass(frozen=True, slots=True)
class Digits:
    """The images that were kept back, what they show, what was read, and how the training went."""

    images: Floats
    shown: Ints
    read: Ints
    losses: Floats
    accuracies: Floats


def main() -> None:
    console = Console(highlight=False)
    began = time.perf_counter()
    dsl.program("let ready = true")  # reads the checker and the library, which every program after it shares
    console.print(f"The checker and its library are ready after {time.perf_counter() - began:.1f} s.")
    regression = show_regression(console)
    clusters = show_clusters(console)
    digits = show_digits(console)
    draw(regression, clusters, digits)
    console.print(f"\nThe picture is in [bold]{PICTURE}[/bold].", soft_wrap=True)


def show_regression(console: Console) -> Regression:
    console.rule("[bold]1. Linear regression by gradient descent[/bold]")
    model = checked(console, "regression.dsl")
    show_refusal(console)
    names, columns = read("diabetes.csv")
    x, y = standardised(columns[:, :-1]), columns[:, -1]
    console.print(f"\nThe data: {len(x)} patients, {x.shape[1]} measurements of each, one number to predict.")
    params, history = train(console, model, x, y)
    result = compared(names[:-1], x, y, params, history)
    show_weights(console, result)
    return result


def checked(console: Console, name: str) -> dsl.Program:
    """Load a program: it is parsed and checked for all sizes at once; nothing of it runs."""
    began = time.perf_counter()
    program = dsl.load(HERE / name)
    took = 1e3 * (time.perf_counter() - began)
    console.print(f"{name}: parsed and checked for every size in {took:.0f} ms.")
    return program


def show_refusal(console: Console) -> None:
    """What happens to the same program with a mistake: the weights on the wrong side."""
    right = (HERE / "regression.dsl").read_text(encoding="utf-8")
    wrong = right.replace("= x @ p.w + p.b", "= p.w @ x + p.b")
    console.print("With the product the wrong way round it is refused, before anything runs:\n")
    try:
        dsl.program(wrong)
    except dsl.DslError as error:
        console.print(str(error), style="yellow", markup=False, soft_wrap=True)


def read(name: str) -> tuple[tuple[str, ...], Floats]:
    """The column names and the numbers of a file of the examples."""
    with (HERE / "data" / name).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return tuple(header), np.array(rows, dtype=np.float32)


def standardised(columns: Floats) -> Floats:
    """Each column with mean 0 and standard deviation 1, so that one step size suits all of them."""
    mean: Floats = columns.mean(axis=0)
    deviation: Floats = columns.std(axis=0)
    return (columns - mean) / deviation


def train(console: Console, model: dsl.Program, x: Floats, y: Floats) -> tuple[dict[str, Floats], Floats]:
    """Gradient descent from zero, in rounds of one call each; the call is compiled in the first round."""
    params = {"w": np.zeros(x.shape[1], np.float32), "b": np.float32(0)}
    losses: list[Floats] = []
    columns = (TextColumn("training"), BarColumn(), TextColumn("{task.fields[loss]}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=ROUNDS, loss="")
        for _ in range(ROUNDS):
            params, history = model.fit(params, x, y, RATE, steps=STEPS_PER_ROUND)
            losses.append(np.asarray(history))
            progress.update(task, advance=1, loss=f"mean squared error {losses[-1][-1]:8.2f}")
    return {name: np.asarray(leaf) for name, leaf in params.items()}, np.concatenate(losses)


def compared(names: tuple[str, ...], x: Floats, y: Floats, params: dict[str, Floats], history: Floats) -> Regression:
    """What was learned beside the solution of the normal equations."""
    design = np.column_stack([x, np.ones(len(x))]).astype(np.float64)
    solution = np.linalg.lstsq(design, y.astype(np.float64), rcond=None)[0]
    return Regression(
        names=names,
        target=y,
        predicted=x @ params["w"] + params["b"],
        weights=np.append(params["w"], params["b"]),
        closed_form=solution,
        history=history,
        best_loss=float(np.mean((design @ solution - y) ** 2)),
    )


def show_weights(console: Console, r: Regression) -> None:
    table = Table(title="\nWhat one standard deviation more of each measurement adds to the prediction")
    for heading in ("measurement", "learned", "least squares", "difference"):
        table.add_column(heading, justify="left" if heading == "measurement" else "right")
    for name, learned, exact in zip((*r.names, "(intercept)"), r.weights, r.closed_form, strict=True):
        table.add_row(name, f"{learned:.3f}", f"{exact:.3f}", f"{learned - exact:+.3f}")
    console.print(table)
    spread = float(np.var(r.target))
    learned, exact = 1 - r.history[-1] / spread, 1 - r.best_loss / spread
    console.print(
        f"R² is {learned:.4f} as learned and {exact:.4f} by least squares: the measurements explain"
        f" {100 * learned:.0f} % of how the disease varies."
    )


def show_clusters(console: Console) -> Clusters:
    console.print()
    console.rule("[bold]2. k-means: three groups of flowers[/bold]")
    model = checked(console, "kmeans.dsl")
    _, columns = read("iris.csv")
    flowers, species = columns[:, :-1], columns[:, -1].astype(np.int64)
    centres, history = model.fit(flowers, spread_out(flowers, len(SPECIES)), steps=20)
    labels = matched(np.asarray(model.assign(flowers, centres)).astype(np.int64), species)
    result = Clusters(flowers, species, labels, np.asarray(centres), np.asarray(history))
    show_confusion(console, result)
    return result


def spread_out(points: Floats, count: int) -> Floats:
    """Centres to start from: the first point, and each time the point farthest from all before."""
    chosen = [points[0]]
    while len(chosen) < count:
        distance = np.min([((points - centre) ** 2).sum(axis=1) for centre in chosen], axis=0)
        chosen.append(points[int(np.argmax(distance))])
    return np.stack(chosen)


def matched(labels: Ints, species: Ints) -> Ints:
    """The groups, each numbered as the species most of its flowers have; k-means was never told any."""
    names = [np.bincount(species[labels == group], minlength=len(SPECIES)).argmax() for group in range(3)]
    return np.array(names)[labels]


def show_confusion(console: Console, c: Clusters) -> None:
    steps = int(np.argmax(c.history <= c.history[-1] * (1 + 1e-6))) + 1
    console.print(
        f"{len(c.flowers)} flowers, four lengths of each. The squared distances to the nearest centre add up"
        f" to {c.history[0]:.1f} cm² after one step and {c.history[-1]:.1f} cm² after {steps}."
    )
    table = Table(title="\nWhat the groups, found without the species, have to do with them")
    table.add_column("species")
    for name in SPECIES:
        table.add_column(f"group of {name}", justify="right")
    for kind, name in enumerate(SPECIES):
        counts = np.bincount(c.labels[c.species == kind], minlength=len(SPECIES))
        table.add_row(name, *(str(count) for count in counts))
    console.print(table)
    right = int((c.labels == c.species).sum())
    console.print(f"{right} of {len(c.species)} flowers are in the group of their species.")


def show_digits(console: Console) -> Digits:
    console.print()
    console.rule("[bold]3. A network that reads digits[/bold]")
    model = checked(console, "mlp.dsl")
    images, shown = read_digits()
    kept = np.arange(len(images)) % 5 == 0
    params, losses, accuracies = train_reader(console, model, images, shown, kept)
    read = np.asarray(model.predict(params, images[kept])).astype(np.int64)
    result = Digits(images[kept], shown[kept].astype(np.int64), read, losses, accuracies)
    console.print(
        f"Of {len(read)} images that it never saw it reads {int((read == result.shown).sum())} as they were meant"
        f" ({100 * accuracies[-1]:.1f} %)."
    )
    return result


def read_digits() -> tuple[Floats, npt.NDArray[np.int32]]:
    """The images, 64 numbers from 0 to 1 each, and the digits they show."""
    with gzip.open(HERE / "data" / "digits.csv.gz", "rt", encoding="utf-8") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    return table[:, :-1] / np.float32(16), table[:, -1].astype(np.int32)


def train_reader(
    console: Console,
    model: dsl.Program,
    images: Floats,
    shown: npt.NDArray[np.int32],
    kept: npt.NDArray[np.bool_],
) -> tuple[Any, Floats, Floats]:
    """The network after some epochs of Adam; the loss of each, and the share of the kept images read right."""
    params = model.init(dsl.key(0), i=images.shape[1], h=HIDDEN, o=10)
    memory = model.start(params)
    losses, accuracies = [], []
    columns = (TextColumn("training"), BarColumn(), TextColumn("{task.fields[loss]}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=EPOCHS, loss="")
        for epoch in range(EPOCHS):
            seen = images[~kept], shown[~kept]
            params, memory, loss = model.epoch(params, memory, dsl.key(epoch), *seen, ADAM_RATE, batch=BATCH)
            losses.append(float(loss))
            accuracies.append(float(model.accuracy(params, images[kept], shown[kept])))
            progress.update(task, advance=1, loss=f"cross entropy {losses[-1]:6.4f}")
    return params, np.array(losses, np.float32), np.array(accuracies, np.float32)


def draw(r: Regression, c: Clusters, d: Digits) -> None:
    figure = Figure(figsize=(15, 9.2), layout="constrained")
    (left, middle, right), (loss, share, images) = figure.subplots(2, 3)
    draw_loss(left, r)
    draw_fit(middle, r)
    draw_clusters(right, c)
    draw_training(loss, share, d)
    draw_misread(images, d)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def draw_loss(axes: Axes, r: Regression) -> None:
    axes.loglog(np.arange(1, len(r.history) + 1), r.history, label="gradient descent")
    axes.axhline(r.best_loss, color="black", linestyle="--", linewidth=1, label="least squares")
    axes.set(title="Training on the diabetes data", xlabel="step", ylabel="mean squared error")
    axes.legend()


def draw_fit(axes: Axes, r: Regression) -> None:
    axes.scatter(r.target, r.predicted, s=12, alpha=0.6)
    ends = (float(r.target.min()), float(r.target.max()))
    axes.plot(ends, ends, color="black", linestyle="--", linewidth=1, label="perfect prediction")
    axes.set(title="442 patients", xlabel="progression, measured", ylabel="progression, predicted")
    axes.legend()


def draw_clusters(axes: Axes, c: Clusters) -> None:
    colours = np.array(["tab:blue", "tab:orange", "tab:green"])
    length, width = c.flowers[:, 2], c.flowers[:, 3]
    for kind, (name, marker) in enumerate(zip(SPECIES, "o^s", strict=True)):
        of = c.species == kind
        axes.scatter(length[of], width[of], s=22, c=colours[c.labels[of]], marker=marker, label=name)
    axes.scatter(c.centres[:, 2], c.centres[:, 3], s=140, c="black", marker="x", label="centres")
    axes.set(title="k-means: colour is the group", xlabel="petal length (cm)", ylabel="petal width (cm)")
    axes.legend(labelcolor="black")


def draw_training(loss: Axes, share: Axes, d: Digits) -> None:
    epochs = np.arange(1, len(d.losses) + 1)
    loss.semilogy(epochs, d.losses, color="tab:purple")
    loss.set(title="Training to read digits", xlabel="epoch", ylabel="mean cross entropy")
    share.plot(epochs, 100 * d.accuracies, color="tab:green")
    share.set(title=f"{len(d.shown)} images never seen", xlabel="epoch", ylabel="read as they were meant (%)")


def draw_misread(axes: Axes, d: Digits) -> None:
    """Up to twelve of the images that were read wrongly, with what was read."""
    wrong = np.flatnonzero(d.read != d.shown)[:12]
    sheet = np.ones((3 * 10, 4 * 10), np.float32)
    for k, i in enumerate(wrong):
        top, left = 10 * (k // 4) + 1, 10 * (k % 4) + 1
        sheet[top : top + 8, left : left + 8] = 1 - d.images[i].reshape(8, 8)
        axes.text(left + 3.5, top + 8.6, f"{d.read[i]}, is {d.shown[i]}", ha="center", va="center", fontsize=8)
    axes.imshow(sheet, cmap="gray", vmin=0, vmax=1)
    axes.set(title="Some that were misread", xticks=[], yticks=[])


if __name__ == "__main__":
    main()
