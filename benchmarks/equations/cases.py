"""Gradients through solvers, in the language and with Diffrax, Lineax, jraph and JAX: programs, twins, and arguments.

A side makes nothing of the other one. Read next: `__main__`, which runs each side in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import jraph
import lineax
import numpy as np
import scipy.sparse
from jax.experimental import sparse as jax_sparse

import dsl
from benchmarks.solvers.matrices import record, weighted

Call = Callable[[], Any]
RATES = np.array([0.04, 3e7, 1e4])
TOLERANCE = 1e-6
FORWARD, REVERSE = diffrax.ForwardMode(), diffrax.RecursiveCheckpointAdjoint()
STIFF = """
import ode
def slope(y: f64[3], k: f64[3]) -> f64[3] =
    let (a, b, c) = (k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2])
    [c - a, a - c - b, b]
def end(k: f64[3], tol: f64) -> ode.Solution[f64, f64[3], 0] =
    ode.solve_stiff(fn (t, y) -> slope(y, k), [1.0, 0.0, 0.0], 0.0, 1e4, ode.METHOD(f64), rtol=tol, atol=1e-4 * tol)
def forwards(k: f64[3], tol: f64) -> f64[3, 3] = jacfwd(fn k -> end(k, tol).y)(k)
def gradient(k: f64[3], tol: f64) -> f64[3] = grad(fn k -> end(k, tol).y[2])(k)
"""
NEURAL = """
import ode
type Net[d, h] = {a: f32[d, h], b: f32[h], c: f32[h, d], e: f32[d]}
def slope(p: Net[d, h], y: f32[n, d]) -> f32[n, d] = tanh(y @ p.a + p.b) @ p.c + p.e
def loss(p: Net[d, h], y: f32[n, d], ts: f32[m]) -> f32 where m >= 1 =
    let f = fn (t, y) -> slope(p, y)
    mean(ode.solve(f, y, ts[0], ts[-1], ode.tsit5(), save=ts, rtol=1e-4, atol=1e-5, max_steps=64).saved ** 2)
def gradient(p: Net[d, h], y: f32[n, d], ts: f32[m]) -> Net[d, h] where m >= 1 = grad(loss)(p, y, ts)
def end(p: Net[d, h], y: f32[n, d]) -> f32 =
    mean(ode.solve(fn (t, y) -> slope(p, y), y, 0.0, 4.0, ode.tsit5(), rtol=1e-4, atol=1e-5, max_steps=64).y ** 2)
def end_gradient(p: Net[d, h], y: f32[n, d]) -> Net[d, h] = grad(end)(p, y)
"""


def their_end(k: Any, tol: float, solver: Any, adjoint: Any) -> Any:
    def slope(t: Any, y: Any, k: Any) -> Any:
        a, b, c = k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2]
        return jnp.stack([c - a, a - c - b, b])

    control = diffrax.PIDController(rtol=tol, atol=1e-4 * tol)
    start = jnp.array([1.0, 0.0, 0.0])
    term = diffrax.ODETerm(slope)
    found = diffrax.diffeqsolve(
        term, solver, 0.0, 1e4, None, start, k, stepsize_controller=control, adjoint=adjoint, max_steps=4096
    )
    return found.ys[0]


def their_loss(p: Any, y: Any, ts: Any, save: bool) -> Any:
    def slope(t: Any, y: Any, p: Any) -> Any:
        return jnp.tanh(y @ p["a"] + p["b"]) @ p["c"] + p["e"]

    control = diffrax.PIDController(rtol=1e-4, atol=1e-5)
    at = diffrax.SaveAt(ts=ts) if save else diffrax.SaveAt(t1=True)
    term = diffrax.ODETerm(slope)
    found = diffrax.diffeqsolve(
        term, diffrax.Tsit5(), ts[0], ts[-1], None, y, p, stepsize_controller=control, saveat=at, max_steps=64
    )
    return jnp.mean(found.ys**2)


# ---------------------------------------------------------------- a neural equation


@cache
def _network() -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    sizes = {"a": (8, 64), "b": (64,), "c": (64, 8), "e": (8,)}
    p = {name: (0.3 * random.normal(size=size)).astype(np.float32) for name, size in sizes.items()}
    return p, random.normal(size=(32, 8)).astype(np.float32), np.linspace(0, 4, 20, dtype=np.float32)


def neural(here: bool) -> Iterator[tuple[str, Call]]:
    """A network of 64 hidden units as the slope of 32 states, to the end and saved at 20 times."""
    p, y, ts = _network()
    if here:
        model = dsl.program(NEURAL)
        yield "neural gradient, to the end", partial(model.end_gradient, p, y)
        yield "neural gradient, saved at 20 times", partial(model.gradient, p, y, ts)
        return
    for name, save in (("neural gradient, to the end", False), ("neural gradient, saved at 20 times", True)):
        yield name, partial(jax.jit(jax.grad(lambda p, save=save: their_loss(p, y, ts, save))), p)


# ---------------------------------------------------------------- a graph network

GRAPH = """
import graph
type Layer[i, o] = {w: f32[i, o], b: f32[o]}
type Net[d] = {edge: Layer[4 * d, d], node: Layer[4 * d, d], whole: Layer[3 * d, d]}
type Batch[n, e, b, d] = graph.Graph[f32[d], f32[d], f32[d], n, e, b]
def layer(p: Layer[i, o], x: f32[i]) -> f32[o] = tanh(x @ p.w + p.b)
def loss(p: Net[d], g: Batch[n, e, b, d]) -> f32 where n >= 1 and e >= 1 =
    let out = graph.graph_network(
        g,
        fn (e, s, r, u) -> layer(p.edge, concatenate((e, s, r, u))),
        fn (v, s, r, u) -> layer(p.node, concatenate((v, s, r, u))),
        fn (v, e, u) -> layer(p.whole, concatenate((v, e, u))),
    )
    mean(out.globals ** 2) + mean(out.nodes ** 2)
def gradient(p: Net[d], g: Batch[n, e, b, d]) -> Net[d] where n >= 1 and e >= 1 = grad(loss)(p, g)
"""
NODES, EDGES, GRAPHS, WIDTH = 1000, 8000, 10, 16


@cache
def _graph() -> tuple[Any, Any]:
    random = np.random.default_rng(0)

    def draw(*shape: int) -> Any:
        return (0.3 * random.normal(size=shape)).astype(np.float32)

    parts = {"edge": 4, "node": 4, "whole": 3}
    p = {name: {"w": draw(k * WIDTH, WIDTH), "b": draw(WIDTH)} for name, k in parts.items()}
    node_graph = np.repeat(np.arange(GRAPHS, dtype=np.int32), NODES // GRAPHS)
    edge_graph = np.repeat(np.arange(GRAPHS, dtype=np.int32), EDGES // GRAPHS)
    ends = random.integers(0, NODES // GRAPHS, (2, EDGES), dtype=np.int32) + edge_graph * (NODES // GRAPHS)
    g = {
        "nodes": draw(NODES, WIDTH),
        "edges": draw(EDGES, WIDTH),
        "globals": draw(GRAPHS, WIDTH),
        "senders": ends[0],
        "receivers": ends[1],
        "node_graph": node_graph,
        "edge_graph": edge_graph,
    }
    return p, g


def _their_graph(p: Any, g: Any) -> Any:
    def layer(name: str, *xs: Any) -> Any:
        return jnp.tanh(jnp.concatenate(xs, axis=1) @ p[name]["w"] + p[name]["b"])

    network = jraph.GraphNetwork(
        update_edge_fn=lambda e, s, r, u: layer("edge", e, s, r, u),
        update_node_fn=lambda v, s, r, u: layer("node", v, s, r, u),
        update_global_fn=lambda v, e, u: layer("whole", v, e, u),
    )
    counts = [np.full(GRAPHS, n // GRAPHS, np.int32) for n in (NODES, EDGES)]
    out = network(jraph.GraphsTuple(g["nodes"], g["edges"], g["receivers"], g["senders"], g["globals"], *counts))
    return jnp.mean(out.globals**2) + jnp.mean(out.nodes**2)


def graphs(here: bool) -> Iterator[tuple[str, Call]]:
    """A layer of edges, nodes and globals over 1,000 nodes and 8,000 edges."""
    p, g = _graph()
    name = "graph network, gradient"
    if here:
        yield name, partial(dsl.program(GRAPH).gradient, p, g)
    else:
        yield name, partial(jax.jit(jax.grad(_their_graph)), p, g)


# ---------------------------------------------------------------- loops with a limit

LIMIT = """
def end(w: f32[n, n], y: f32[n], static limit: size) -> f32 =
    let (y, _) = iterate (y, i) = (y, i32(0)) while i < 4 limit limit do (tanh(w @ y), i + 1)
    sum(y)
def gradient(w: f32[n, n], y: f32[n], static limit: size) -> f32[n, n] = grad(end)(w, y, limit=limit)
"""


def limits(here: bool) -> Iterator[tuple[str, Call]]:
    """Four steps of a loop under two limits, and as a loop of JAX that is known to take four."""
    random = np.random.default_rng(0)
    w, y = (0.1 * random.normal(size=(64, 64))).astype(np.float32), random.normal(size=64).astype(np.float32)
    model = dsl.program(LIMIT) if here else None

    def known(w: Any, y: Any) -> Any:
        return jnp.sum(jax.lax.scan(lambda y, _: (jnp.tanh(w @ y), None), y, None, length=4)[0])

    for limit in (32, 2048):
        name = f"four steps of a loop, limit {limit:,}"
        yield name, partial(model.gradient, w, y, limit=limit) if model else partial(jax.jit(jax.grad(known)), w, y)


# ---------------------------------------------------------------- stiff sensitivities

METHODS = {"kvaerno5": diffrax.Kvaerno5, "kvaerno3": diffrax.Kvaerno3, "rodas4": diffrax.Kvaerno5}


def stiff(here: bool) -> Iterator[tuple[str, Call]]:
    """The reactions of Robertson by the same method, and by the best one here."""
    for method, theirs in METHODS.items():
        names = f"Robertson, {method}: sensitivities", f"Robertson, {method}: gradient"
        if here:
            model = dsl.program(STIFF.replace("METHOD", method))
            yield names[0], partial(model.forwards, RATES, TOLERANCE)
            yield names[1], partial(model.gradient, RATES, TOLERANCE)
        else:
            solver = theirs()
            forwards = jax.jacfwd(lambda k, s=solver: their_end(k, TOLERANCE, s, FORWARD))
            gradient = jax.grad(lambda k, s=solver: their_end(k, TOLERANCE, s, REVERSE)[2])
            yield names[0], partial(jax.jit(forwards), RATES)
            yield names[1], partial(jax.jit(gradient), RATES)


# ---------------------------------------------------------------- conjugate gradients

LINEAR = """
import solve
import sparse
def loss(d: f64[k], s: sparse.CSR[f64, n, n, k], b: f64[n]) -> f64 where n >= 1 =
    let a: sparse.CSR[f64, n, n, k] = {s with data = d}
    sum(sin(solve.cg(solve.sparse_matrix(a), b, preconditioner=solve.jacobi(a).apply, tolerance=1e-8, order=1).value))
def gradient(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> (f64[k], f64[n]) where n >= 1 =
    grad(loss, argnums=(0, 2))(s.data, s, b)
def product(s: sparse.CSR[f64, n, m, k], x: f64[m]) -> f64[n] = sparse.matmul(s, x)
"""


def _their_cg(a: Any, atol: float, data: Any, b: Any) -> Any:
    where = jnp.asarray(np.stack([a.row, a.col], axis=1))
    matrix = jax_sparse.BCOO((data, where), shape=a.shape, indices_sorted=True, unique_indices=True)
    own = jnp.zeros(len(b)).at[a.row].add(jnp.where(a.row == a.col, data, 0.0))
    structure = jax.ShapeDtypeStruct(b.shape, b.dtype)
    spd = lineax.positive_semidefinite_tag
    operator = lineax.FunctionLinearOperator(lambda x: matrix @ x, structure, spd)
    near = lineax.DiagonalLinearOperator(1 / own)
    near = lineax.TaggedLinearOperator(near, spd)
    options = {"preconditioner": jax.lax.stop_gradient(near)}
    solver = lineax.CG(rtol=0.0, atol=atol, norm=jnp.linalg.norm)
    found = lineax.linear_solve(operator, b, solver, options=options)
    return jnp.sum(jnp.sin(found.value))


def systems(here: bool) -> Iterator[tuple[str, Call]]:
    """Conjugate gradients with Jacobi's preconditioner on a grid of conductors, and a product of 100,000 entries."""
    a = weighted(48, 1e-2)
    b = np.random.default_rng(0).normal(size=a.shape[0])
    wide = scipy.sparse.csr_matrix(scipy.sparse.random(10_000, 10_000, 1e-3, random_state=0))
    x = np.random.default_rng(1).normal(size=10_000)
    names = "conjugate gradients, gradient", "product of 100,000 entries"
    if here:
        model = dsl.program(LINEAR)
        s, t = (jax.tree.map(jnp.asarray, record(each)) for each in (a, wide))
        yield names[0], partial(model.gradient, s, b)
        yield names[1], partial(model.product, t, jnp.asarray(x))
        return
    coo = a.tocoo()
    yield (
        names[0],
        partial(
            jax.jit(jax.grad(partial(_their_cg, coo, 1e-8 * float(np.linalg.norm(b))), argnums=(0, 1))), coo.data, b
        ),
    )
    matrix = jax_sparse.BCOO.from_scipy_sparse(wide)
    yield names[1], partial(jax.jit(lambda m, x: m @ x), matrix, jnp.asarray(x))


SINGLE, DOUBLE = (neural, graphs, limits), (stiff, systems)
"""Cases in f32, and those in f64, for which JAX is told so."""
