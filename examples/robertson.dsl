# Three reactions whose rates differ by nine orders of magnitude (Robertson 1966): a stiff equation, and how much its
# solution depends on the rates.

import ode

## The change of the three concentrations y by the rates k of A -> B, B + B -> C + B and B + C -> A + C.
def reactions(y: f64[3], k: f64[3]) -> f64[3] =
    let (first, second, third) = (k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2])
    [third - first, first - second - third, second]

## The concentrations at the times ts, from A alone; the number of steps, and whether they reach the end.
def concentrations(
    k: f64[3],
    ts: f64[m],
    static max_steps: size = 2000
) -> ode.Solution[f64, f64[3], m] where m >= 1 =
    ode.solve_stiff(
        fn (t, y) -> reactions(y, k),
        [1.0, 0.0, 0.0],
        0.0,
        ts[-1],
        ode.rodas4(f64),
        save=ts,
        rtol=1e-6,
        atol=1e-10,
        max_steps=max_steps
    )

## The derivatives of the concentrations by the logarithms of the rates.
def sensitivities(
    k: f64[3],
    ts: f64[m],
    static max_steps: size = 2000
) -> f64[m, 3, 3] where m >= 1 =
    jacfwd(fn logs -> concentrations(exp(logs), ts, max_steps).saved)(log(k))
