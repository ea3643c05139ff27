"""Rows of `sparse` and `graph`: matrices, or graphs, of as many rows and entries as there are elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.row import Row, table, two, with_key

MATRICES = """def f(x: f32[n], y: f32[n]) where n >= 32 and n % 16 == 0 =
    let s = sparse.coo(x, arange(n), flip(arange(n)), n, n)
    let c = sparse.to_csr(s)
    let b = sparse.bsr(reshape(x, [n // 16, 4, 4]), arange(n // 16), arange(n // 16 + 1), n // 16)
    """
SPARSE: Mapping[str, str] = MappingProxyType(
    {
        "row_of": "sparse.row_of(c.indptr, n)",
        "row": "sum(sparse.row(c, 1).1)",
        "coo": "s.data",
        "csr": "sparse.csr(x, c.indices, c.indptr, n).data",
        "bsr": "b.blocks",
        "count": "sparse.count(reshape(x, [n // 16, 16]))",
        "from_dense": 'sparse.from_dense(reshape(x, [n // 16, 16]), size=n, overflow="drop").data',
        "to_csr": "c.data",
        "to_coo": "sparse.to_coo(c).data",
        "to_dense": "sparse.to_dense(sparse.coo(x, arange(n) // 16, arange(n) % 16, n // 16, 16))",
        "to_bsr": "(with checks do sparse.to_bsr(s, 4, 4, size=n)).0.blocks",
        "sum_duplicates": "sparse.sum_duplicates(s).data",
        "distinct": "sparse.distinct(s)",
        "resized": "(with checks do sparse.resized(s, size=n)).0.data",
        "eye": "x * sparse.eye(n).data",
        "diag": "sparse.diag(x).data",
        "block_diag": "sparse.block_diag(s, s).data",
        "vstack": "sparse.vstack(s, s).data",
        "hstack": "sparse.hstack(s, s).data",
        "kron": "sparse.kron(s, sparse.eye(2)).data",
        "transpose": "sparse.transpose(c).data",
        "matmul": "sparse.matmul(b, sparse.matmul(c, y)[: n // 4])",
        "add": "sparse.add(s, s).data",
        "subtract": "sparse.subtract(s, s).data",
        "scale": "sparse.scale(s, 2.0).data",
        "scale_rows": "sparse.scale_rows(s, y).data",
        "scale_columns": "sparse.scale_columns(s, y).data",
        "multiply": (
            "sparse.multiply(sparse.coo(x, arange(n) // 16, arange(n) % 16, n // 16, 16), "
            "reshape(y, [n // 16, 16])).data"
        ),
        "sampled_matmul": "sparse.sampled_matmul(s, x[:, None], y[None, :]).data",
        "row_sums": "sparse.row_sums(s)",
        "column_sums": "sparse.column_sums(s)",
        "diagonal": "sparse.diagonal(s)",
        "trace": "sparse.trace(s)",
        "tril": "sparse.tril(s).data",
        "triu": "sparse.triu(s).data",
        "solve_triangular": "sparse.solve_triangular(sparse.diag(x), y)",
        "ilu": "(with checks do sparse.ilu(sparse.to_csr(sparse.diag(2.0 + x)), width=1)).0.data",
    }
)
PAIRS = "{senders = g.senders, receivers = g.receivers, count = 1, overflow = false}"
GRAPHS = """def f(x: f32[n], y: f32[n]) where n >= 32 =
    let g = {senders = arange(n), receivers = arange(n)[[(i + 1) % n for i in range(n)]]}
    let w = graph.single(g, x, y, x[0])
    """
GRAPH: Mapping[str, str] = MappingProxyType(
    {
        "both_ways": "graph.both_ways(g).senders",
        "with_self_loops": "graph.with_self_loops(g).senders",
        "reversed": "graph.reversed(g).senders",
        "in_degrees": "graph.in_degrees(g)",
        "out_degrees": "graph.out_degrees(g)",
        "adjacency": "graph.adjacency(g, x).data",
        "laplacian": "graph.laplacian(g, x).data",
        "normalized_laplacian": "graph.normalized_laplacian(g, x).data",
        "pagerank": "graph.pagerank(g)",
        "components": "graph.components(g)",
        "distances": "graph.distances({senders = zeros([n], i32), receivers = arange(n)}, 0)",
        "shortest_paths": "graph.shortest_paths({senders = zeros([n], i32), receivers = arange(n)}, x, 0)",
        "sum_incoming": "graph.sum_incoming(g, x)",
        "mean_incoming": "graph.mean_incoming(g, x)",
        "max_incoming": "graph.max_incoming(g, x)",
        "min_incoming": "graph.min_incoming(g, x)",
        "softmax_incoming": "graph.softmax_incoming(g, x)",
        "graph_network": (
            "graph.graph_network(w, fn (e, s, r, u) -> e * s + r, fn (v, s, r, u) -> v + s - r, "
            "fn (v, e, u) -> v + e).nodes"
        ),
        "convolved": "graph.convolved(g, x)",
        "attended": "graph.attended(g, x[:, None], y[:, None, None])",
        "single": "w.nodes",
        "union": "graph.union(w, w).nodes",
        "padded": "graph.padded(w, nodes=n + 1, edges=n).nodes",
        "real_nodes": "graph.real_nodes(w)",
        "real_edges": "graph.real_edges(w)",
        "edges_of": f"graph.edges_of({PAIRS}).senders",
        "real_pairs": f"graph.real_pairs({PAIRS})",
        "displacement": "graph.displacement(x, y, full([n], 2.0))",
        "neighbours": (
            "graph.neighbours(x[:, None] * f32(n), [f32(n)], 2.0, cells=n // 8, per_cell=32, size=8 * n).senders"
        ),
    }
)
LAYERS: Mapping[str, str] = MappingProxyType(
    {
        "gcn": 'graph.gcn(g, x[:, None], "layer", 4)',
        "gat": 'graph.gat(g, x[:, None], "layer", 4)',
    }
)


def sparsity() -> Iterator[Row]:
    """A row for every function of `sparse` and of `graph`."""
    yield from table(two, {name: (MATRICES + call, None) for name, call in SPARSE.items()}, "sparse")
    yield from table(two, {name: (GRAPHS + call, None) for name, call in GRAPH.items()}, "graph")
    head = "import nn\ndef f(x: f32[n], k: key) where n >= 32 =\n"
    head += "    let g = {senders = arange(n), receivers = arange(n)}\n"
    yield from table(
        with_key,
        {
            name: (f"{head}    nn.apply(nn.init(k, fn () -> {call}), fn () -> {call})", None)
            for name, call in LAYERS.items()
        },
        "graph",
        drawn=True,
    )
