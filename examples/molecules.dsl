# Molecular dynamics: atoms of a noble gas in a periodic box, with the potential of Lennard-Jones. Lists of neighbours are
# made anew after some steps; until then no atom comes nearer that is not in them. Units are those of the potential.

import graph

## Positions and velocities.
type Atoms[n, d] = {x: f64[n, d], v: f64[n, d]}

## The potential of pairs at these squared distances, shifted to be 0 at the cutoff.
def potential(r2: f64[k], cutoff: f64) -> f64[k] =
    let well = fn s -> 4.0 * (s ** 6 - s ** 3)
    where(r2 < cutoff * cutoff, well(1.0 / r2) - well(1.0 / (cutoff * cutoff)), 0.0)

## The potential energy; each pair is in the list twice.
def energy(
    x: f64[n, d],
    pairs: graph.Neighbours[n, k],
    box: f64[d],
    cutoff: f64
) -> f64 =
    let r = graph.displacement(x[pairs.receivers], x[pairs.senders], box)
    let real = graph.real_pairs(pairs)
    0.5 * sum(potential(where(real, sum(square(r), axis=1), 1.0), cutoff), where=real)

def kinetic(v: f64[n, d]) -> f64 = 0.5 * sum(square(v))

## One step by the velocities in its middle (Verlet 1967).
def step(
    a: Atoms[n, d],
    pairs: graph.Neighbours[n, k],
    box: f64[d],
    cutoff: f64,
    dt: f64
) -> Atoms[n, d] =
    let half = a.v - 0.5 * dt * grad(energy)(a.x, pairs, box, cutoff)
    let x = a.x + dt * half
    {x = x, v = half - 0.5 * dt * grad(energy)(x, pairs, box, cutoff)}

## The atoms after `rounds` lists of neighbours and `steps` steps with each, the energies (potential, kinetic) after each
## round, and whether a list was too short. Lists hold what is nearer than the cutoff and a margin.
def simulated(
    a: Atoms[n, d],
    box: f64[d],
    dt: f64,
    *,
    static cutoff: float = 2.5,
    static margin: float = 0.4,
    static cells: size,
    static per_cell: size,
    static size: size,
    static steps: size,
    static rounds: size
) -> (Atoms[n, d], f64[rounds, 2], bool) where n >= 1 and d >= 1 and per_cell >= 1 and cells >= 3 =
    let (last, (energies, short)) = scan a = a for _ in range(rounds) do
        let pairs = graph.neighbours(
            a.x,
            box,
            cutoff + margin,
            cells=cells,
            per_cell=per_cell,
            size=size
        )
        let b = fold b = a for _ in range(steps) do step(b, pairs, box, cutoff, dt)
        (b, ([energy(b.x, pairs, box, cutoff), kinetic(b.v)], pairs.overflow))
    (last, energies, any(short))
