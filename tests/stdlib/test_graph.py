"""`graph` beside jraph, SciPy and plain NumPy, by XLA and by the evaluator."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jraph
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from typechecker import check_source

_random = np.random.default_rng(3)
SENDERS = np.array([0, 0, 1, 2, 4, 4, 5])
RECEIVERS = np.array([1, 2, 2, 3, 5, 0, 4])
EDGES = {"senders": SENDERS, "receivers": RECEIVERS}
WEIGHTS = _random.uniform(1.0, 2.0, size=7)
NODES = _random.normal(size=(6, 3))
ADJACENCY = sp.coo_matrix((WEIGHTS, (RECEIVERS, SENDERS)), shape=(6, 6))
PLAIN = sp.coo_matrix((np.ones(7), (RECEIVERS, SENDERS)), shape=(6, 6))

PROGRAM = dsl.program(
    """import graph
import nn
import sparse

def values(g: graph.Edges[n, e], w: f64[e], x: f64[n, d]) =
    let loops = graph.with_self_loops(g)
    {
        in_degrees = graph.in_degrees(g),
        out_degrees = graph.out_degrees(g),
        both = graph.in_degrees(graph.both_ways(g)),
        back = graph.in_degrees(graph.reversed(g)),
        loops = graph.in_degrees(loops),
        adjacency = sparse.to_dense(graph.adjacency(g, w)),
        laplacian = sparse.to_dense(graph.laplacian(graph.both_ways(g), concatenate((w, w)))),
        normalized = sparse.to_dense(graph.normalized_laplacian(graph.both_ways(g), concatenate((w, w)))),
        sums = graph.sum_incoming(g, x[g.senders]),
        means = graph.mean_incoming(g, x[g.senders]),
        largest = graph.max_incoming(g, x[g.senders]),
        smallest = graph.min_incoming(g, x[g.senders]),
        shares = graph.softmax_incoming(g, w),
        convolved = graph.convolved(g, x),
    }
def walks(g: graph.Edges[n, e], w: f64[e], source: idx[n]) where n >= 1 =
    {
        rank = graph.pagerank(g, tol=1e-7),
        components = graph.components(g),
        distances = graph.distances(g, source),
        lengths = graph.shortest_paths(g, w, source),
    }
def components(g: graph.Edges[n, e]) -> idx[n][n] where n >= 1 = graph.components(g)

type Numbers[n, e, b] = graph.Graph[f32[2], f32[3], f32[1], n, e, b]
def once(g: Numbers[n, e, b]) -> graph.Graph[f32[2], f32[2], f32, n, e, b] where n >= 1 and e >= 1 =
    graph.graph_network(
        g,
        fn (e, s, r, u) -> tanh(e[:2] + s * r) + u,
        fn (v, sent, received, u) -> v * sent - received + u,
        fn (v, e, u) -> sum(v) + sum(e) * u[0],
    )
def padded(g: Numbers[n, e, b], static nodes: size, static edges: size)
    where nodes > n and edges >= e and n >= 1 and e >= 1 and b >= 1 =
    let h = graph.padded(g, nodes=nodes, edges=edges)
    (once(h), graph.real_nodes(h), graph.real_edges(h))
def together(g: Numbers[n, e, b], h: Numbers[m, f, c]) -> graph.Graph[f32[2], f32[2], f32, n + m, e + f, b + c]
    where n >= 1 and e >= 1 = once(graph.union(g, h))
def alone(g: graph.Edges[n, e], x: f32[n, 2], w: f32[e, 3], u: f32[1]) -> graph.Graph[f32[2], f32[2], f32, n, e, 1]
    where n >= 1 and e >= 1 = once(graph.single(g, x, w, u))

def layers(g: graph.Edges[n, e], x: f32[n, d]) -> f32[n, 4] ! nn.param where d >= 1 and n >= 1 =
    let h = nn.relu(graph.gcn(g, x, "first", 5))
    graph.gat(g, h, "second", 2, heads=2)
def start(k: key, g: graph.Edges[n, e], x: f32[n, d]) -> layers.param where d >= 1 and n >= 1 =
    nn.init(k, fn () -> layers(g, x))
def run(p: layers.param, g: graph.Edges[n, e], x: f32[n, d]) -> f32[n, 4] where d >= 1 and n >= 1 =
    nn.apply(p, fn () -> layers(g, x))

def near(x: f64[n, d], box: f64[d], cutoff: f64, static size: size) -> graph.Neighbours[n, size] where n >= 1 =
    graph.neighbours(x, box, cutoff, size=size)
def near_by_cells(x: f64[n, d], box: f64[d], cutoff: f64, static cells: size, static per_cell: size, static size: size)
    -> graph.Neighbours[n, size] where n >= 1 and d >= 1 and per_cell >= 1 and cells >= 3 =
    graph.neighbours(x, box, cutoff, cells=cells, per_cell=per_cell, size=size)
def energy(x: f64[n, d], p: graph.Neighbours[n, k], box: f64[d]) -> f64 =
    let r = graph.displacement(x[p.receivers], x[p.senders], box)
    0.5 * sum(exp(-sum(square(r), axis=1)), where=graph.real_pairs(p))
"""
)


def test_values_are_those_of_numpy() -> None:
    whole = ADJACENCY + ADJACENCY.T
    messages = NODES[SENDERS]
    mask = PLAIN.toarray() > 0
    every = [NODES[row] for row in mask]
    loops = PLAIN.toarray() + np.eye(6)
    wanted = {
        "in_degrees": PLAIN.toarray().sum(axis=1),
        "out_degrees": PLAIN.toarray().sum(axis=0),
        "both": (PLAIN + PLAIN.T).toarray().sum(axis=1),
        "back": PLAIN.toarray().sum(axis=0),
        "loops": loops.sum(axis=1),
        "adjacency": ADJACENCY.toarray(),
        "laplacian": csgraph.laplacian(whole).toarray(),
        "normalized": csgraph.laplacian(whole, normed=True).toarray(),
        "sums": PLAIN @ NODES,
        "means": np.array([rows.mean(axis=0) if len(rows) else np.zeros(3) for rows in every]),
        "largest": np.array([rows.max(axis=0) if len(rows) else np.zeros(3) for rows in every]),
        "smallest": np.array([rows.min(axis=0) if len(rows) else np.zeros(3) for rows in every]),
        "shares": np.asarray(jraph.segment_softmax(jnp.asarray(WEIGHTS), jnp.asarray(RECEIVERS), 6)),
        "convolved": (loops / np.sqrt(np.outer(loops.sum(axis=1), loops.sum(axis=0)))) @ NODES,
    }
    assert len(messages) == 7
    for function in (PROGRAM.values, PROGRAM.values.interpret):
        found = function(EDGES, WEIGHTS, NODES)
        assert set(found) == set(wanted)
        for name, value in wanted.items():
            np.testing.assert_allclose(np.asarray(found[name]), value, rtol=1e-6, atol=1e-12, err_msg=name)


def pagerank(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The eigenvector of the whole matrix of transitions."""
    n = len(matrix)
    out = matrix.sum(axis=0)
    moves = np.where(out > 0, matrix / np.where(out > 0, out, 1), 1 / n)
    _, vectors = np.linalg.eig(0.85 * moves + 0.15 / n)
    return np.asarray(np.real(vectors[:, 0]) / np.real(vectors[:, 0]).sum())


def test_walks_are_those_of_scipy() -> None:
    for function in (PROGRAM.walks, PROGRAM.walks.interpret):
        found = function(EDGES, WEIGHTS, 0, n=6)
        np.testing.assert_allclose(np.asarray(found["rank"]), pagerank(PLAIN.toarray()), rtol=1e-5)
        np.testing.assert_array_equal(np.asarray(found["components"]), np.zeros(6))
        lengths = csgraph.shortest_path(ADJACENCY.T, indices=0)
        np.testing.assert_allclose(np.asarray(found["lengths"]), lengths, rtol=1e-12)
        steps = csgraph.shortest_path(PLAIN.T, indices=0, unweighted=True)
        np.testing.assert_array_equal(np.asarray(found["distances"]), np.where(np.isinf(steps), -1, steps))


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 2**31))
@settings(max_examples=30, deadline=None)
def test_components_are_those_of_scipy(n: int, e: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    senders, receivers = random.integers(0, n, (2, e))
    found = np.asarray(PROGRAM.components.interpret({"senders": senders, "receivers": receivers}, n=n))
    matrix = sp.coo_matrix((np.ones(e), (senders, receivers)), shape=(n, n))
    _, labels = csgraph.connected_components(matrix, directed=False)
    wanted = np.array([np.flatnonzero(labels == label)[0] for label in labels])
    np.testing.assert_array_equal(found, wanted)


def numbers(n: int, e: int, b: int) -> dict[str, Any]:
    """A batch whose graphs have nodes and edges of their own."""
    node_graph = np.sort(np.concatenate((np.arange(b), _random.integers(0, b, n - b))))
    senders = _random.integers(0, n, e)
    starts = [np.flatnonzero(node_graph == node_graph[s]) for s in senders]
    return {
        "nodes": _random.normal(size=(n, 2)).astype(np.float32),
        "edges": _random.normal(size=(e, 3)).astype(np.float32),
        "senders": senders,
        "receivers": np.array([_random.choice(nodes) for nodes in starts], np.int64),
        "globals": _random.normal(size=(b, 1)).astype(np.float32),
        "node_graph": node_graph,
        "edge_graph": node_graph[senders],
    }


def by_jraph(g: dict[str, Any]) -> Any:
    """The same network in jraph, on edges ordered by their graph."""
    order = np.argsort(g["edge_graph"], kind="stable")
    b = len(g["globals"])
    graphs = jraph.GraphsTuple(
        nodes=jnp.asarray(g["nodes"]),
        edges=jnp.asarray(g["edges"][order]),
        senders=jnp.asarray(g["senders"][order]),
        receivers=jnp.asarray(g["receivers"][order]),
        globals=jnp.asarray(g["globals"]),
        n_node=jnp.asarray(np.bincount(g["node_graph"], minlength=b)),
        n_edge=jnp.asarray(np.bincount(g["edge_graph"], minlength=b)),
    )
    network = jraph.GraphNetwork(
        update_edge_fn=lambda e, s, r, u: jnp.tanh(e[:, :2] + s * r) + u,
        update_node_fn=lambda v, sent, received, u: v * sent - received + u,
        update_global_fn=lambda v, e, u: v.sum(axis=1) + e.sum(axis=1) * u[:, 0],
    )
    out = network(graphs)
    return np.asarray(out.nodes), np.asarray(out.edges)[np.argsort(order)], np.asarray(out.globals)


def check_same(found: Any, wanted: Any) -> None:
    for name, value in zip(("nodes", "edges", "globals"), wanted, strict=True):
        np.testing.assert_allclose(np.asarray(found[name]), value, rtol=2e-5, atol=1e-5, err_msg=name)


def leaves(found: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(found[name]) for name in ("nodes", "edges", "globals")]


def test_graph_networks_are_those_of_jraph() -> None:
    g = numbers(7, 12, 3)
    check_same(PROGRAM.once(g), by_jraph(g))
    check_same(PROGRAM.once.interpret(g), by_jraph(g))


def test_a_union_is_each_graph_by_itself() -> None:
    g, h = numbers(4, 6, 2), numbers(5, 3, 1)
    both = PROGRAM.together.interpret(g, h)
    parts = zip(leaves(PROGRAM.once.interpret(g)), leaves(PROGRAM.once.interpret(h)), strict=True)
    check_same(both, [np.concatenate(pair) for pair in parts])


def test_padding_changes_no_graph() -> None:
    g = numbers(4, 6, 2)
    found, nodes, edges = PROGRAM.padded.interpret(g, nodes=7, edges=8)
    wanted = leaves(PROGRAM.once.interpret(g))
    check_same({"nodes": found["nodes"][:4], "edges": found["edges"][:6], "globals": found["globals"][:2]}, wanted)
    assert np.asarray(nodes).tolist() == [True] * 4 + [False] * 3
    assert np.asarray(edges).tolist() == [True] * 6 + [False] * 2


def test_a_single_graph_is_a_batch_of_one() -> None:
    g = numbers(4, 6, 1)
    edges = {"senders": g["senders"], "receivers": g["receivers"]}
    wanted = leaves(PROGRAM.once.interpret(g))
    check_same(PROGRAM.alone.interpret(edges, g["nodes"], g["edges"], g["globals"][0]), wanted)


def test_layers_are_those_of_jraph() -> None:
    x = NODES.astype(np.float32)
    p = PROGRAM.start(dsl.key(0), EDGES, x)
    first, second = ({name: np.asarray(leaf) for name, leaf in p[layer].items()} for layer in ("first", "second"))
    graphs = jraph.GraphsTuple(
        nodes=jnp.asarray(x), edges=None, senders=jnp.asarray(SENDERS), receivers=jnp.asarray(RECEIVERS),
        globals=None, n_node=jnp.array([6]), n_edge=jnp.array([7]),
    )  # fmt: skip
    convolution = jraph.GraphConvolution(lambda v: v @ first["w"], symmetric_normalization=True, add_self_edges=True)
    h = jax.nn.relu(convolution(graphs).nodes + first["b"])
    heads = []
    for k in range(2):
        weights = second["w"][:, 2 * k : 2 * k + 2]
        attention = jraph.GAT(
            attention_query_fn=lambda v, w=weights: v @ w,
            attention_logit_fn=lambda s, r, e, k=k: jax.nn.leaky_relu(
                s @ second["sender"][k] + r @ second["receiver"][k], 0.2
            )[:, None],
            node_update_fn=lambda v: v,
        )
        loops = graphs._replace(
            nodes=h, senders=jnp.asarray([*SENDERS, *range(6)]), receivers=jnp.asarray([*RECEIVERS, *range(6)]),
            n_edge=jnp.array([13]), edges=jnp.zeros((13, 1)),
        )  # fmt: skip
        heads.append(attention(loops).nodes)
    found = np.asarray(PROGRAM.run(p, EDGES, x))
    np.testing.assert_allclose(found, np.concatenate(heads, axis=1), rtol=1e-4, atol=1e-5)


def pairs(found: Any) -> list[tuple[int, int]]:
    count = int(found["count"])
    return sorted(zip(np.asarray(found["senders"])[:count], np.asarray(found["receivers"])[:count], strict=True))


@pytest.mark.parametrize(("n", "d", "cells"), [(40, 2, 4), (50, 3, 3)])
def test_neighbours_are_those_of_all_pairs(n: int, d: int, cells: int) -> None:
    box = np.full(d, 4.0) + np.arange(d)
    x = _random.uniform(-1.0, 2.0, size=(n, d)) * box
    cutoff = 4.0 / cells
    r = x[:, None] - x[None]
    r = r - box * np.round(r / box)
    near = (np.sum(r**2, axis=-1) < cutoff**2) & ~np.eye(n, dtype=bool)
    wanted = sorted(zip(*np.nonzero(near), strict=True))
    for found in (
        PROGRAM.near.interpret(x, box, cutoff, size=400),
        PROGRAM.near_by_cells(x, box, cutoff, cells=cells, per_cell=12, size=400),
        PROGRAM.near_by_cells.interpret(x, box, cutoff, cells=cells, per_cell=12, size=400),
    ):
        assert not found["overflow"]
        assert pairs(found) == wanted
    forces = dsl.grad(PROGRAM.energy)(x, PROGRAM.near.interpret(x, box, cutoff, size=400), box)
    near_forces = -2.0 * np.sum((np.exp(-np.sum(r**2, axis=-1)) * near)[..., None] * r, axis=1)
    np.testing.assert_allclose(np.asarray(forces), near_forces, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "given", [{"size": 3}, {"per_cell": 1}, {"cells": 5}, {"size": 400, "per_cell": 30}], ids=lambda given: str(given)
)
def test_what_does_not_fit_is_said(given: dict[str, int]) -> None:
    x = np.linspace(0.0, 4.0, 30)[:, None] * np.ones(2)
    sizes = {"cells": 4, "per_cell": 20, "size": 400, **given}
    found = PROGRAM.near_by_cells.interpret(x, np.array([4.0, 4.0]), 1.0, **sizes)
    assert bool(found["overflow"]) == (given != {"size": 400, "per_cell": 30})


def test_a_cutoff_beyond_half_the_box_is_said() -> None:
    x = np.zeros((2, 2))
    found = PROGRAM.near.interpret(x, np.array([4.0, 4.0]), 2.5, size=10)
    assert bool(found["overflow"])


REFUSED = {
    "a node of another graph": (
        "(g: graph.Edges[n, e], h: graph.Edges[m, k]) -> idx[n][k] = g.senders[h.senders]", "E0701",
    ),
    "messages of other edges": (
        "(g: graph.Edges[n, e], x: f32[n, d]) -> f32[n, d] = graph.sum_incoming(g, x)", "E0402",
    ),
    "three cells at least": (
        "(x: f32[n, 2], b: f32[2]) -> graph.Neighbours[n, 9] where n >= 1 =\n"
        "    graph.neighbours(x, b, 1.0, cells=2, per_cell=4, size=9)",
        "E0407",
    ),
    "padding without a node": (
        "(g: graph.Graph[f32, f32, f32, 4, 6, 1]) = graph.padded(g, nodes=4, edges=6)", "E0407",
    ),
    "an update of another type": (
        "(g: graph.Graph[f32, f32, f32, 4, 6, 1]) =\n"
        "    graph.graph_network(g, fn (e, s, r, u) -> e, fn (v, s, r) -> v, fn (v, e, u) -> u)",
        "E03",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_uses_are_refused(name: str) -> None:
    text, code = REFUSED[name]
    found = check_source(Source("<string>", f"import graph\ndef f{text}\n"), cache=known_library()).diagnostics
    assert len(found) == 1
    assert found[0].code.startswith(code)
