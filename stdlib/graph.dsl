# Graphs as records of arrays whose edges are indices of nodes, checked by type. All functions take O(n + e) operations
# and memory for n nodes and e edges, unless their comments say otherwise.
#
# An edge leads from its sender to its receiver; a graph without directions has each edge in both (`both_ways`).

import nn
import sparse

## The edges of a graph of n nodes: edge i leads from senders[i] to receivers[i].
type Edges[n, e] = {senders: idx[n][e], receivers: idx[n][e]}

## A graph with values at nodes and edges: the disjoint union of b graphs, with a value for each. node_graph and
## edge_graph say which of these graphs a node or an edge belongs to.
type Graph[N: Tree, E: Tree, G: Tree, n, e, b] = {
    nodes: N[n],
    edges: E[e],
    senders: idx[n][e],
    receivers: idx[n][e],
    globals: G[b],
    node_graph: idx[b][n],
    edge_graph: idx[b][e],
}

# ---------------------------------------------------------------- edges

## Each edge in both directions: first as it is, then reversed.
def both_ways(g: Edges[n, e]) -> Edges[n, 2 * e] =
    {
        senders = concatenate((g.senders, g.receivers)),
        receivers = concatenate((g.receivers, g.senders))
    }
## The edges, then one from each node to itself.
def with_self_loops(g: Edges[n, e]) -> Edges[n, e + n] =
    {
        senders = concatenate((g.senders, arange(n))),
        receivers = concatenate((g.receivers, arange(n)))
    }
## The edges in the other direction.
def reversed(g: Edges[n, e]) -> Edges[n, e] = {senders = g.receivers, receivers = g.senders}
## How many edges lead to each node.
def in_degrees(g: Edges[n, e]) -> i32[n] = bincount(g.receivers, n)
## How many edges lead from each node.
def out_degrees(g: Edges[n, e]) -> i32[n] = bincount(g.senders, n)
## The matrix whose product with values of nodes adds up, at each node, the weighted values of its senders.
def adjacency[a: Num](g: Edges[n, e], weights: a[e]) -> sparse.COO[a, n, n, e] =
    sparse.coo(weights, g.receivers, g.senders, n, n)
## The diagonal matrix of the sums of weights of each receiver, less the adjacency matrix.
def laplacian[a: Num](g: Edges[n, e], weights: a[e]) -> sparse.COO[a, n, n, n + e] =
    sparse.subtract(sparse.diag(segment_sum(weights, g.receivers, n)), adjacency(g, weights))
## The identity less the adjacency matrix, whose weights are divided by the roots of the sums of weights of both nodes.
## If each edge is there in both directions, it is symmetric, with eigenvalues in 0 … 2. Nodes without edges have zeros.
def normalized_laplacian[a: Float](g: Edges[n, e], weights: a[e]) -> sparse.COO[a, n, n, n + e] =
    let degrees = segment_sum(weights, g.receivers, n)
    let root = _inverse_root(degrees)
    sparse.subtract(
        sparse.diag(where(degrees > 0, 1.0, zeros([n], a))),
        adjacency(g, weights * root[g.senders] * root[g.receivers])
    )
def _inverse_root[a: Float](x: a[n]) -> a[n] = where(x > 0, rsqrt(where(x > 0, x, 1.0)), 0.0)

# ---------------------------------------------------------------- whole graphs

## The PageRank of each node: the probability to be there on a walk that follows a random outgoing edge with probability
## `damping` and otherwise, or where no edge leads on, jumps to a random node. It iterates until the probabilities change
## by at most `tol` in sum, or `limit` times (Brin and Page 1998).
def pagerank(
    g: Edges[n, e],
    *,
    damping: f32 = 0.85,
    tol: f32 = 1e-6,
    static limit: size = 100
) -> f32[n] where n >= 1 =
    let out = out_degrees(g)
    let share = 1.0 / f32(maximum(out, 1))
    let (rank, _) =
        iterate (rank, change) = (
            full([n], 1.0 / f32(n)),
            tol + 1.0
        ) while change > tol limit limit do
            let lost = sum(rank, where=out == 0)
            let moved = segment_sum((rank * share)[g.senders], g.receivers, n)
            let next = damping * (moved + lost / f32(n)) + (1.0 - damping) / f32(n)
            (next, sum(abs(next - rank)))
    rank
## The component of each node, named by the smallest node in it; edges connect in both directions. Each iteration takes
## O(n + e): a node takes the smallest label of its neighbours, then the label of that label. There are at most n.
def components(g: Edges[n, e]) -> idx[n][n] where n >= 1 =
    let (label, _) =
        iterate (label: idx[n][n], changed) = (arange(n), true) while changed limit n do
            let lowest = label.at[g.receivers].min(label[g.senders]).at[g.senders].min(
                label[g.receivers]
            )
            let next = clip(minimum(lowest, lowest[lowest]), 0, n - 1)
            (next, any(next != label))
    label
## The number of edges on a shortest path from the source; -1 if no path leads to a node. It takes an iteration of
## O(n + e) for each distance.
def distances(g: Edges[n, e], source: idx[n]) -> i32[n] =
    let start = full([n], i32(n)).at[source].set(0)
    let (found, _) = iterate (d, changed) = (start, true) while changed limit n do
        let next = minimum(d, d.at[g.receivers].min(d[g.senders] + 1))
        (next, any(next != d))
    where(found < n, found, -1)
## The length of the shortest path from the source; inf if no path leads to a node. By the algorithm of Bellman and Ford,
## in at most n iterations of O(n + e); lengths may be negative, but not the sum along a cycle.
def shortest_paths[a: Float](g: Edges[n, e], lengths: a[e], source: idx[n]) -> a[n] =
    let start = full([n], cast(inf, a)).at[source].set(0.0)
    let (found, _) = iterate (d, changed) = (start, true) while changed limit n do
        let next = minimum(d, d.at[g.receivers].min(d[g.senders] + lengths))
        (next, any(next != d))
    found

# ---------------------------------------------------------------- message passing

## The sum, at each node, of the values of its incoming edges.
def sum_incoming[a: Num](g: Edges[n, e], values: a[e, *s]) -> a[n, *s] =
    segment_sum(values, g.receivers, n)
## The mean of the values of the incoming edges; 0 for nodes without any.
def mean_incoming[a: Inexact](g: Edges[n, e], values: a[e, *s]) -> a[n, *s] =
    segment_mean(values, g.receivers, n)
## The largest of the values of the incoming edges, element by element; 0 for nodes without any.
def max_incoming[a: Float](g: Edges[n, e], values: a[e, *s]) -> a[n, *s] =
    let found = segment_max(values, g.receivers, n)
    [where(d > 0, row, zeros_like(row)) for (row, d) in zip(found, in_degrees(g))]
## The smallest of the values of the incoming edges, element by element; 0 for nodes without any.
def min_incoming[a: Float](g: Edges[n, e], values: a[e, *s]) -> a[n, *s] = -max_incoming(g, -values)
## The softmax of the values of edges with the same receiver.
def softmax_incoming[a: Float](g: Edges[n, e], values: a[e, *s]) -> a[e, *s] =
    segment_softmax(values, g.receivers, n)

## A batch whose edges, nodes and globals are updated, in this order. `update_edge` takes an edge, its sender, its
## receiver and its global value; `update_node` takes a node, the sums of its outgoing and of its incoming new edges, and
## its global value; `update_global` takes the sums of the new nodes and of the new edges of a graph, and its global value
## (Battaglia et al. 2018).
def graph_network[N: Tree, E: Tree, G: Tree, M: VSpace, F: VSpace, H: Tree](
    g: Graph[N, E, G, n, e, b],
    update_edge: (E, N, N, G) -> F,
    update_node: (N, F, F, G) -> M,
    update_global: (M, F, G) -> H,
) -> Graph[M, F, H, n, e, b] where n >= 1 and e >= 1 =
    let edges = vmap(update_edge)(
        g.edges,
        g.nodes[g.senders],
        g.nodes[g.receivers],
        g.globals[g.edge_graph]
    )
    let (sent, received) = (_gathered(edges, g.senders, n), _gathered(edges, g.receivers, n))
    let nodes = vmap(update_node)(g.nodes, sent, received, g.globals[g.node_graph])
    let globals = vmap(update_global)(
        _gathered(nodes, g.node_graph, b),
        _gathered(edges, g.edge_graph, b),
        g.globals
    )
    {
        nodes = nodes,
        edges = edges,
        senders = g.senders,
        receivers = g.receivers,
        globals = globals,
        node_graph = g.node_graph,
        edge_graph = g.edge_graph,
    }
def _gathered[F: VSpace](x: F[k], ids: idx[n][k], static n: size) -> F[n] where k >= 1 =
    let start = [0.0 * x[0] for _ in range(n)]
    start.at[ids].add(x)
## The propagation of a graph convolution: the sum of the values of a node and its senders, each divided by the roots of
## both degrees, which count self loops (Kipf and Welling 2017).
def convolved[a: Float](g: Edges[n, e], x: a[n, *s]) -> a[n, *s] =
    let scaled = [rsqrt(cast(d + 1, a)) * v for (d, v) in zip(out_degrees(g), x)]
    let sums = scaled + segment_sum(scaled[g.senders], g.receivers, n)
    [rsqrt(cast(d + 1, a)) * v for (d, v) in zip(in_degrees(g), sums)]
## A graph convolution with m values at each node: a dense layer, then `convolved`.
def gcn(g: Edges[n, e], x: f32[n, d], static name: str, static m: size) -> f32[n, m] ! nn.param =
    with scope(name) do
        let w = nn.param("w", fn k -> nn.glorot_uniform(k, [d, m]))
        let b = nn.param("b", fn k -> zeros([m]))
        convolved(g, x @ w) + b
## The mean of the values of the senders of each node, for each of h heads. The weights are the softmax of the scores of
## the edges with the same receiver (Velickovic et al. 2018).
def attended[a: Float](g: Edges[n, e], scores: a[e, h], x: a[n, h, d]) -> a[n, h, d] =
    let weights = segment_softmax(scores, g.receivers, n)
    segment_sum(weights[:, :, None] * x[g.senders], g.receivers, n)
## Graph attention with `heads` of m values each, over the senders of each node and itself. The scores are a leaky unit,
## of slope 0.2, of a linear function of both nodes (Velickovic et al. 2018).
def gat(
    g: Edges[n, e],
    x: f32[n, d],
    static name: str,
    static m: size,
    static heads: size = 1
) -> f32[n, heads * m] ! nn.param =
    with scope(name) do
        let w = nn.param("w", fn k -> nn.glorot_uniform(k, [d, heads * m]))
        let sender = nn.param("sender", fn k -> nn.glorot_uniform(k, [heads, m]))
        let receiver = nn.param("receiver", fn k -> nn.glorot_uniform(k, [heads, m]))
        let h = reshape(x @ w, [n, heads, m])
        let loops = with_self_loops(g)
        let scores =
            sum(h * sender, axis=2)[loops.senders] + sum(h * receiver, axis=2)[loops.receivers]
        reshape(attended(loops, nn.leaky_relu(scores, 0.2), h), [n, heads * m])

# ---------------------------------------------------------------- batches

## One graph as a batch: values at nodes and edges, and one for the whole.
def single[N: Tree, E: Tree, G: Tree](
    g: Edges[n, e],
    nodes: N[n],
    edges: E[e],
    globals: G
) -> Graph[N, E, G, n, e, 1] =
    {
        nodes = nodes,
        edges = edges,
        senders = g.senders,
        receivers = g.receivers,
        globals = [globals for _ in range(1)],
        node_graph = zeros([n], i32),
        edge_graph = zeros([e], i32),
    }
## The disjoint union of two batches of graphs, with those of the first before those of the second.
def union[N: Tree, E: Tree, G: Tree](
    g: Graph[N, E, G, n, e, b],
    h: Graph[N, E, G, m, f, c]
) -> Graph[N, E, G, n + m, e + f, b + c] =
    {
        nodes = _joined(g.nodes, h.nodes),
        edges = _joined(g.edges, h.edges),
        senders = concatenate((arange(n + m)[g.senders], arange(n + m)[n:][h.senders])),
        receivers = concatenate((arange(n + m)[g.receivers], arange(n + m)[n:][h.receivers])),
        globals = _joined(g.globals, h.globals),
        node_graph = concatenate((arange(b + c)[g.node_graph], arange(b + c)[b:][h.node_graph])),
        edge_graph = concatenate((arange(b + c)[g.edge_graph], arange(b + c)[b:][h.edge_graph])),
    }
def _joined[T: Tree](x: T[n], y: T[m]) -> T[n + m] =
    if m == 0 then
        x
    else if n == 0 then
        y
    else
        [if i < n then x[i] else y[i - n] for i in range(n + m)]
## The batch, filled up to `nodes` nodes and `edges` edges. The added ones are zeros, and belong to one more graph, the
## last; `real_nodes` and `real_edges` are the masks of the others.
def padded[N: Tree, E: Tree, G: Tree](
    g: Graph[N, E, G, n, e, b],
    *,
    static nodes: size,
    static edges: size
) -> Graph[N, E, G, nodes, edges, b + 1]
    where nodes > n else "padding has at least one node, which its edges are between"
    where edges >= e and n >= 1 and e >= 1 and b >= 1 =
    union(g, {
        nodes = [zeros_like(g.nodes[0]) for _ in range(nodes - n)],
        edges = [zeros_like(g.edges[0]) for _ in range(edges - e)],
        senders = zeros([edges - e], i32),
        receivers = zeros([edges - e], i32),
        globals = [zeros_like(g.globals[0]) for _ in range(1)],
        node_graph = zeros([nodes - n], i32),
        edge_graph = zeros([edges - e], i32),
    })
## Whether each node of a padded batch is one of a graph before the last.
def real_nodes[N: Tree, E: Tree, G: Tree](g: Graph[N, E, G, n, e, b]) -> bool[n] =
    g.node_graph < b - 1
## Whether each edge of a padded batch is one of a graph before the last.
def real_edges[N: Tree, E: Tree, G: Tree](g: Graph[N, E, G, n, e, b]) -> bool[e] =
    g.edge_graph < b - 1

# ---------------------------------------------------------------- neighbours in space

## Pairs of points that are near each other, each pair in both directions: the first `count` edges. Those after them lead
## from node 0 to itself. If `overflow` is true, a static capacity was too small, and pairs are missing.
type Neighbours[n, k] = {senders: idx[n][k], receivers: idx[n][k], count: i32, overflow: bool}

## The edges of a list of neighbours, with those that fill it up.
def edges_of(p: Neighbours[n, k]) -> Edges[n, k] = {senders = p.senders, receivers = p.receivers}
## Whether each edge of a list of neighbours is a pair.
def real_pairs(p: Neighbours[n, k]) -> bool[k] = iota([k]) < p.count
## The shortest vector from y to x in a periodic box with these lengths; inf is the length of an axis without a period.
def displacement[a: Float](x: a[*s, d], y: a[*s, d], box: a[d]) -> a[*s, d] =
    let r = x - y
    let period = where(isfinite(box), box, 1.0)
    r - stop_gradient(where(isfinite(box), 1.0, zeros([d], a)) * round(r / period)) * period
## All pairs of points in a periodic box that are nearer than `cutoff`, each in both directions, at most `size` in all.
## The cutoff is at most half of the box, or `overflow` is true. Compares all pairs, in O(n²).
def neighbours[a: Float](
    x: a[n, d],
    box: a[d],
    cutoff: a,
    *,
    static size: size
) -> Neighbours[n, size] where n >= 1 =
    let near = [
        [i != j and sum(square(displacement(x[i], x[j], box))) < cutoff * cutoff for j in range(n)]
        for i in range(n)
    ]
    let place = flatnonzero(reshape(near, [n * n]), size=size, fill_value=0)
    let count = sum(near)
    {
        senders = clip(place % n, 0, n - 1),
        receivers = clip(place // n, 0, n - 1),
        count = minimum(count, size),
        overflow = count > i32(size) or any(2.0 * cutoff > box),
    }
## The same as edges, as many as there are, and no others; nothing is too small.
def neighbours[a: Float](x: a[n, d], box: a[d], cutoff: a) -> Edges[n, ?e]
    where ?e <= n * n where n >= 1 =
    let near = [
        [i != j and sum(square(displacement(x[i], x[j], box))) < cutoff * cutoff for j in range(n)]
        for i in range(n)
    ]
    let place = flatnonzero(reshape(near, [n * n]))
    {senders = clip(place % n, 0, n - 1), receivers = clip(place // n, 0, n - 1)}
## The same as a list of `size` edges in O(n log n): the box is divided into `cells` intervals along each axis, and each cell is compared with those
## next to it. `overflow` is true if a cell is shorter than the cutoff, if one holds more than `per_cell` points, or if
## there are more pairs than `size`.
def neighbours[a: Float](
    x: a[n, d],
    box: a[d],
    cutoff: a,
    *,
    static cells: size,
    static per_cell: size,
    static size: size
) -> Neighbours[n, size]
    where n >= 1 and d >= 1 and per_cell >= 1
    where cells >= 3 else "there are at least three cells along an axis, so that those next to one are different" =
    let x = stop_gradient(x)
    let cell = i32(floor(x / box * cells)) % cells
    let at = [_cell_number(c, cells) for c in cell]
    let counts = zeros([cells ** d], i32).at[at].add(1, mode="drop")
    let order = argsort(at)
    let first = cumsum(counts) - counts
    let slot = iota([n]) - first.at[at[order]].get(mode="clip")
    let table = full([cells ** d, per_cell], n).at[at[order], slot].set(order, mode="drop")
    let found = [_candidates(table, c, cells) for c in cell]
    let near = [
        [j != n and j != i and _is_near(x, i, j, box, cutoff) for j in row]
        for (i, row) in enumerate(found)
    ]
    let count = sum(near)
    let width = 3 ** d * per_cell
    let place = flatnonzero(reshape(near, [n * width]), size=size, fill_value=n * width)
    {
        senders = clip(reshape(found, [n * width]).at[place].get(mode="fill", fill=0), 0, n - 1),
        receivers = where(place < n * width, clip(place // width, 0, n - 1), 0),
        count = minimum(count, size),
        overflow = count > i32(size) or any(counts > per_cell) or any(box < cutoff * cells),
    }
# The number of a cell with these coordinates.
def _cell_number(c: i32[d], static cells: size) -> i32 =
    fold number = i32(0) for k in c do number * cells + k
# The points in a cell and those next to it; n where there is none.
def _candidates(table: i32[m, p], c: i32[d], static cells: size) -> i32[3 ** d * p]
    where cells >= 1 =
    let around = [[(c[k] + o // 3 ** k % 3 - 1) % cells for k in range(d)] for o in range(3 ** d)]
    reshape([table.at[_cell_number(v, cells)].get(mode="clip") for v in around], [3 ** d * p])
def _is_near[a: Float](x: a[n, d], i: idx[n], j: i32, box: a[d], cutoff: a) -> bool where n >= 1 =
    sum(square(displacement(x[i], x.at[j].get(mode="clip"), box))) < cutoff * cutoff
