"""ADBench beside JAX: the programs of `examples/adbench` and their derivatives, on drawn data of its sizes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln, logsumexp

import dsl
from benchmarks.kernels.rival import Kernel, Rival

PROGRAMS = Path(__file__).parents[2] / "examples" / "adbench"

# ---------------------------------------------------------------- Gaussian mixture


def factor(row: Any, d: int) -> Any:
    """The triangle below the diagonal, which is told column by column."""
    columns, rows = np.triu_indices(d, 1)
    return jnp.zeros((d, d)).at[rows, columns].set(row[d:])


def mixture(to: Rival, p: Any, x: Any, gamma: Any, m: Any) -> Any:
    (n, d), k = x.shape, len(p["alphas"])
    logs = p["icf"][:, :d]
    lower = jax.vmap(lambda row: factor(row, d))(p["icf"])
    gap = x[:, None, :] - p["means"]
    scaled = jnp.exp(logs) * gap + jnp.einsum("kij,nkj->nki", lower, gap)
    each = p["alphas"] + jnp.sum(logs, axis=1) - 0.5 * jnp.sum(scaled**2, axis=2)
    freedom = jnp.asarray(d + m + 1, float)
    gammas = 0.25 * d * (d - 1) * np.log(np.pi) + jnp.sum(gammaln(0.5 * freedom - 0.5 * np.arange(d)))
    normal = freedom * d * (jnp.log(gamma) - 0.5 * np.log(2)) - gammas
    squares = jnp.sum(jnp.exp(logs) ** 2) + jnp.sum(p["icf"][:, d:] ** 2)
    prior = 0.5 * gamma**2 * squares - m * jnp.sum(logs) - k * normal
    data = jnp.sum(logsumexp(each, axis=1)) - n * logsumexp(p["alphas"])
    return data + prior - 0.5 * n * d * np.log(2 * np.pi)


def draw_mixture(r: Any, n: int, d: int, k: int) -> Any:
    parts = {"alphas": r.standard_normal(k), "means": r.random((k, d))}
    return parts | {"icf": 0.3 * r.standard_normal((k, d * (d + 1) // 2))}, r.random((n, d)), 1.0, np.int32(0)


# ---------------------------------------------------------------- bundle adjustment


def rotated(r: Any, x: Any) -> Any:
    squared = r @ r
    moves = squared > 0
    angle = jnp.sqrt(jnp.where(moves, squared, 1))
    axis = r / angle
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    turned = x * cosine + jnp.cross(axis, x) * sine + axis * (axis @ x) * (1 - cosine)
    return jnp.where(moves, turned, x + jnp.cross(r, x))


def reprojection(c: Any, x: Any, w: Any, seen: Any) -> Any:
    p = rotated(c["rotation"], x - c["centre"])
    p = p[:2] / p[2]
    r2 = p @ p
    distorted = p * (1 + c["radial"][0] * r2 + c["radial"][1] * r2**2)
    return w * (distorted * c["focal"] + c["principal"] - seen)


def gathered(cameras: Any, points: Any, weights: Any, seen: Any, camera: Any, point: Any) -> Any:
    return jax.tree.map(lambda part: part[camera], cameras), points[point], weights, seen


def adjustment(to: Rival, cameras: Any, points: Any, weights: Any, *rest: Any) -> Any:
    return jax.vmap(reprojection)(*gathered(cameras, points, weights, *rest)), 1 - weights**2


def block(c: Any, x: Any, w: Any, seen: Any) -> Any:
    dc, dx, dw = jax.jacrev(reprojection, argnums=(0, 1, 2))(c, x, w, seen)
    own = dc["rotation"], dc["centre"], dc["focal"][:, None], dc["principal"], dc["radial"], dx, dw[:, None]
    return jnp.concatenate(own, axis=1)


def adjustment_jacobian(to: Rival, cameras: Any, points: Any, weights: Any, *rest: Any) -> Any:
    return jax.vmap(block)(*gathered(cameras, points, weights, *rest)), -2 * weights


def draw_adjustment(r: Any, n: int, m: int, p: int) -> Any:
    sizes = {"rotation": (3,), "centre": (3,), "focal": (), "principal": (2,), "radial": (2,)}
    cameras = {name: 0.1 + 0.3 * r.random((n, *size)) for name, size in sizes.items()}
    seen = r.integers(0, n, p).astype(np.int32), r.integers(0, m, p).astype(np.int32)
    return cameras, 2 + r.random((m, 3)), r.random(p), r.random((p, 2)), *seen


# ---------------------------------------------------------------- LSTM


def cell(p: Any, m: Any, x: Any) -> Any:
    gates = jnp.concatenate((x, m["hidden"], x, m["hidden"])) * p["weight"] + p["bias"]
    forget, entry, output, change = jnp.split(gates, 4)
    memory = m["cell"] * jax.nn.sigmoid(forget) + jax.nn.sigmoid(entry) * jnp.tanh(change)
    return {"hidden": jax.nn.sigmoid(output) * jnp.tanh(memory), "cell": memory}


def network(to: Rival, layers: Any, ends: Any, state: Any, sequence: Any) -> Any:
    def layer(x: Any, both: Any) -> Any:
        p, m = both
        m = cell(p, m, x)
        return m["hidden"], m

    def step(state: Any, both: Any) -> Any:
        x, following = both
        top, state = jax.lax.scan(layer, x * ends["first"], (layers, state))
        y = top * ends["scale"] + ends["shift"]
        return state, jnp.sum(following * (y - jnp.log(jnp.sum(jnp.exp(y)) + 2)))

    _, gains = jax.lax.scan(step, state, (sequence[:-1], sequence[1:]))
    return -jnp.sum(gains) / (sequence.size - sequence.shape[1])


def draw_network(r: Any, layers: int, length: int, width: int) -> Any:
    weights = {"weight": 0.3 * r.standard_normal((layers, 4 * width)), "bias": r.random((layers, 4 * width))}
    ends = {name: r.random(width) for name in ("first", "scale", "shift")}
    state = {name: r.random((layers, width)) for name in ("hidden", "cell")}
    return weights, ends, state, np.eye(width)[r.integers(0, width, length + 1)]


# ---------------------------------------------------------------- hand tracking


def rotation(r: Any) -> Any:
    squared = r @ r
    moves = squared > 1e-8
    angle = jnp.sqrt(jnp.where(moves, squared, 1))
    x, y, z = axis = r / angle
    turn = jnp.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    full = jnp.cos(angle) * jnp.eye(3) + (1 - jnp.cos(angle)) * jnp.outer(axis, axis) + jnp.sin(angle) * turn
    return jnp.where(moves, full, jnp.eye(3))


def joints(fingers: Any) -> Any:
    still = jnp.zeros(5)
    flex = jnp.stack((still, fingers[:, 0], fingers[:, 2], fingers[:, 3]), axis=1).ravel()
    spread = jnp.stack((still, fingers[:, 1], still, still), axis=1).ravel()
    c, s, d, t, zero, one = jnp.cos(flex), jnp.sin(flex), jnp.cos(spread), jnp.sin(spread), jnp.zeros(20), jnp.ones(20)
    rows = ((d, -t * c, t * s, zero), (t, d * c, -d * s, zero), (zero, s, c, zero), (zero, zero, zero, one))
    bent = jnp.moveaxis(jnp.array(rows), 2, 0)
    return jnp.concatenate((jnp.eye(4)[None], bent, jnp.eye(4)[None]))


def vertices(theta: Any, model: Any, parent: Any) -> Any:
    motion = model["relative"] @ joints(theta[6:].reshape(5, 4))

    def place(i: Any, placed: Any) -> Any:
        return placed.at[i + 1].set(placed[parent[i]] @ motion[i])

    b = len(motion)
    placed = jax.lax.fori_loop(0, b, place, jnp.zeros((b + 1, 4, 4)).at[0].set(jnp.eye(4)))
    moved = placed[1:] @ model["inverse"]
    skinned = jnp.einsum("vb,bij,vj->vi", model["weights"], moved, model["rest"])
    return skinned[:, :3] @ rotation(theta[:3]).T + theta[3:6]


def hand(to: Rival, theta: Any, model: Any, parent: Any, measured: Any, vertex: Any) -> Any:
    return measured - vertices(theta, model, parent)[vertex]


def hand_on_triangles(to: Rival, us: Any, theta: Any, model: Any, parent: Any, measured: Any, corners: Any) -> Any:
    shares = jnp.concatenate((us, 1 - jnp.sum(us, axis=1, keepdims=True)), axis=1)
    return measured - jnp.einsum("nk,nki->ni", shares, vertices(theta, model, parent)[corners])


def draw_hand(r: Any, v: int, n: int) -> Any:
    """The wrist, five fingers of four bones, and one bone that does not move."""
    model = {name: r.random((22, 4, 4)) / 2 for name in ("relative", "inverse")}
    model |= {"rest": r.random((v, 4)), "weights": r.random((v, 22)) / 22}
    parent = np.array([0, *[1 if i % 4 == 0 else i + 1 for i in range(20)], 1], np.int32)
    return r.random(26), model, parent, r.random((n, 3)), r.integers(0, v, n).astype(np.int32)


def draw_hand_on_triangles(r: Any, v: int, n: int) -> Any:
    theta, model, parent, measured, _ = draw_hand(r, v, n)
    return r.random((n, 2)), theta, model, parent, measured, r.integers(0, v, (n, 3)).astype(np.int32)


def derived(transformation: Any, f: Any, **options: Any) -> Any:
    """The derivative by JAX of a function whose first argument is no array."""
    return lambda to, *args: transformation(partial(f, to), **options)(*args)


def objective(file: str, name: str, draw: Any, theirs: Any, tiny: tuple[int, ...], small: tuple[int, ...]) -> Kernel:
    return Kernel(name, draw, theirs, tiny, small, None, 1e-8, PROGRAMS / file, lambda program: program.objective)


GMM, BA, LSTM, HAND = ((20, 3, 2), (1000, 10, 25)), ((2, 3, 6), (49, 1000, 5000)), ((2, 4, 3), (2, 100, 14)), (
    (9, 4), (544, 100))  # fmt: skip
KERNELS = (
    objective("gmm.dsl", "gmm", draw_mixture, mixture, *GMM),
    Kernel("gmm_gradient", draw_mixture, derived(jax.grad, mixture), *GMM, None, 1e-7, PROGRAMS / "gmm.dsl",
           lambda program: dsl.grad(program.objective)),
    objective("ba.dsl", "ba", draw_adjustment, adjustment, *BA),
    Kernel("ba_jacobian", draw_adjustment, adjustment_jacobian, *BA, None, 1e-7, PROGRAMS / "ba.dsl",
           lambda program: program.jacobian),
    objective("lstm.dsl", "adbench_lstm", draw_network, network, *LSTM),
    Kernel("adbench_lstm_gradient", draw_network, derived(jax.grad, network, argnums=(0, 1)), *LSTM, None, 1e-7,
           PROGRAMS / "lstm.dsl", lambda program: dsl.grad(program.objective, argnums=(0, 1))),
    objective("hand.dsl", "hand", draw_hand, hand, *HAND),
    Kernel("hand_jacobian", draw_hand, derived(jax.jacfwd, hand), *HAND, None, 1e-8, PROGRAMS / "hand.dsl",
           lambda program: dsl.jacfwd(program.objective)),
    Kernel("hand_on_triangles", draw_hand_on_triangles, hand_on_triangles, *HAND, None, 1e-8, PROGRAMS / "hand.dsl",
           lambda program: program.objective_on_triangles),
    Kernel("hand_on_triangles_jacobian", draw_hand_on_triangles, derived(jax.jacfwd, hand_on_triangles, argnums=1),
           *HAND, None, 1e-8, PROGRAMS / "hand.dsl",
           lambda program: dsl.jacfwd(program.objective_on_triangles, argnums=1)),
)  # fmt: skip
