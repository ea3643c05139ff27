"""The objectives of ADBench: values and derivatives meet the golden numbers of its own tests, to its tolerance.

The golden numbers stand in `examples/adbench/data/golden.json`, laid out as ADBench lays out its gradients and
Jacobians; its tests allow 1e-8, absolute or relative to numbers above one.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dsl

ADBENCH = Path(__file__).parents[2] / "examples" / "adbench"
TOLERANCE = 1e-8

Floats = npt.NDArray[np.float64]


@cache
def golden(name: str) -> Any:
    return json.loads((ADBENCH / "data" / "golden.json").read_text(encoding="utf-8"))[name]


def rows(path: str, delimiter: str | None = None) -> list[list[str]]:
    """The words of a data file, line by line, without the empty lines."""
    lines = (ADBENCH / "data" / path).read_text(encoding="utf-8").splitlines()
    return [line.split(delimiter) for line in lines if line.strip()]


def floats(words: list[list[str]]) -> Floats:
    return np.array(words, dtype=np.float64)


def meets(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=TOLERANCE, atol=TOLERANCE)


# ---------------------------------------------------------------- Gaussian mixture


def mixture(path: str) -> tuple[dict[str, Floats], Floats, float, int]:
    (d, k, n), *rest = rows(path)
    count = int(k)
    assert len(rest) == 3 * count + int(n) + 1
    alphas, means, icf = (floats(rest[i * count : (i + 1) * count]) for i in range(3))
    x = floats(rest[3 * count : -1])
    gamma, m = rest[-1]
    assert means.shape == (count, int(d))
    return {"alphas": alphas[:, 0], "means": means, "icf": icf}, x, float(gamma), int(m)


def test_gaussian_mixture() -> None:
    objective = dsl.load(ADBENCH / "gmm.dsl").objective
    value, g = dsl.value_and_grad(objective)(*mixture("gmm/test.txt"))
    meets(value, golden("gmm")["near"][0])
    found = [np.ravel(g[name]) for name in ("alphas", "means", "icf")]
    meets(np.concatenate(found), golden("gmm")["vectors"][0])


# ---------------------------------------------------------------- bundle adjustment


def adjustment(path: str) -> tuple[Any, ...]:
    """The test files give one camera, one point and so on, to be repeated."""
    (n, m, p), *data = rows(path)
    camera, point, weight, feature = (np.array(row, np.float64) for row in data)
    cameras = {name: np.tile(part, (int(n), 1)) for name, part in zip(CAMERA, np.split(camera, CUTS), strict=True)}
    cameras["focal"] = cameras["focal"][:, 0]
    seen = np.arange(int(p), dtype=np.int32)
    points, features = np.tile(point, (int(m), 1)), np.tile(feature, (int(p), 1))
    return cameras, points, np.repeat(weight, int(p)), features, seen % int(n), seen % int(m)


CAMERA = ("rotation", "centre", "focal", "principal", "radial")
CUTS = (3, 6, 7, 9)


def test_bundle_adjustment() -> None:
    program = dsl.load(ADBENCH / "ba.dsl")
    problem = adjustment("ba/test.txt")
    errors, slacks = program.objective(*problem)
    meets(errors, np.tile(golden("ba")["near"][:2], (10, 1)))
    meets(slacks, [golden("ba")["near"][2]] * 10)
    blocks, slopes = program.jacobian(*problem)
    meets(np.concatenate([np.ravel(blocks), slopes]), golden("ba")["vectors"][0])


def test_camera_that_does_not_turn() -> None:
    """At the rotation zero, where an axis is not defined, the derivatives are those of the cross product."""
    program = dsl.load(ADBENCH / "ba.dsl")
    r, x = np.zeros(3), np.array([1.0, 2.0, 3.0])
    meets(program.rotated(r, x), x)
    meets(dsl.jacrev(program.rotated)(r, x), [[0, 3, -2], [-3, 0, 1], [2, -1, 0]])


# ---------------------------------------------------------------- LSTM


def network(path: str) -> tuple[Any, ...]:
    (layers, length, width), *rest = rows(path)
    count = int(layers)
    main, ends = floats(rest[: 2 * count]), floats(rest[2 * count : 2 * count + 3])
    state, sequence = floats(rest[2 * count + 3 : 4 * count + 3]), floats(rest[4 * count + 3 :])
    assert sequence.shape == (int(length), int(width))
    return (
        {"weight": main[::2], "bias": main[1::2]},
        dict(zip(("first", "scale", "shift"), ends, strict=True)),
        {"hidden": state[::2], "cell": state[1::2]},
        sequence,
    )


def test_lstm() -> None:
    objective = dsl.load(ADBENCH / "lstm.dsl").objective
    value, (layers, ends) = dsl.value_and_grad(objective, argnums=(0, 1))(*network("lstm/lstm_l2_c1024.txt"))
    meets(value, golden("lstm")["near"][0])
    main = np.stack([layers["weight"], layers["bias"]], axis=1)
    found = [np.ravel(part) for part in (main, ends["first"], ends["scale"], ends["shift"])]
    meets(np.concatenate(found), golden("lstm")["vectors"][0])


# ---------------------------------------------------------------- hand tracking


@cache
def hand_model() -> tuple[dict[str, Floats], npt.NDArray[np.int32]]:
    bones = rows("hand/model/bones.txt", ":")
    matrices = floats([row[2:34] for row in bones]).reshape(len(bones), 2, 4, 4)
    mesh = rows("hand/model/vertices.txt", ":")
    rest = np.column_stack([floats([row[:3] for row in mesh]), np.ones(len(mesh))])
    weights = np.zeros((len(mesh), len(bones)))
    for vertex, row in enumerate(mesh):
        for bone, weight in zip(row[9::2], row[10::2], strict=True):
            weights[vertex, int(bone)] = float(weight)
    model = {"relative": matrices[:, 0], "inverse": matrices[:, 1], "rest": rest, "weights": weights}
    return model, np.array([int(row[1]) + 1 for row in bones], np.int32)


def pose(path: str, coordinates: int = 0) -> tuple[npt.NDArray[np.int32], Floats, Floats, Floats]:
    """Which vertex or triangle each point is of, the points, their coordinates in triangles, and the pose."""
    (n, _), *rest = rows(path)
    count = int(n)
    which = np.array([int(row[0]) for row in rest[:count]], np.int32)
    us = floats(rest[count : count + coordinates])
    return which, floats([row[1:] for row in rest[:count]]), us, floats(rest[count + coordinates :])[:, 0]


def by_columns(jacobian: Any) -> Floats:
    """The Jacobian of n points in space, one row a residual, its columns one after the other."""
    return np.reshape(np.asarray(jacobian), (-1, np.shape(jacobian)[-1])).T.ravel()


@pytest.mark.parametrize("mode", [dsl.jacfwd, dsl.jacrev])
def test_hand(mode: Any) -> None:
    objective = dsl.load(ADBENCH / "hand.dsl").objective
    model, parents = hand_model()
    vertex, points, _, theta = pose("hand/test.txt")
    arguments = (theta, model, parents, points, vertex)
    meets(np.ravel(objective(*arguments)), golden("hand")["near"][:6])
    meets(by_columns(mode(objective)(*arguments)), golden("hand")["vectors"][0])


def test_hand_on_triangles() -> None:
    objective = dsl.load(ADBENCH / "hand.dsl").objective_on_triangles
    model, parents = hand_model()
    triangle, points, us, theta = pose("hand/hand_complicated.txt", coordinates=2)
    corners = np.array(rows("hand/model/triangles.txt", ":"), np.int32)[triangle]
    arguments = (us, theta, model, parents, points, corners)
    meets(np.ravel(objective(*arguments)), golden("hand")["near"][6:])
    by_us, by_theta = dsl.jacfwd(objective, argnums=(0, 1))(*arguments)
    # a point depends on its own coordinates alone
    own = np.stack([np.asarray(by_us)[i, :, i] for i in range(len(points))])
    meets(np.concatenate([by_columns(own), by_columns(by_theta)]), golden("hand")["vectors"][1])
