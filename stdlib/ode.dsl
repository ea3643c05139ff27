# Ordinary and stochastic differential equations. A state is a tree of floats and complex numbers, a time a float of the
# dtype F. Parameters of an equation are what the function of its slope takes from outside; derivatives by them, by the
# state at the start, by the times and the tolerances go through the steps, whose lengths count as constants.

import linalg
import random

# ---------------------------------------------------------------- explicit methods

## An explicit Runge-Kutta method of s stages as its Butcher tableau: `a` weighs the stages for each stage, `b` for the
## step, `c` has their times. The first stage is the slope at the start. A row of `error` weighs the stages and the slope
## at the end of the step for an estimate of the error: one row, two rows for the estimate of Hairer's method of order 8,
## none for a method with fixed steps alone. The rows of `dense` weigh the stages for terms of the interpolation beyond
## the cubic of Hermite; `extra` and `nodes` are the weights and times of stages for these alone.
type Tableau[F: Float, s, r, q, x] = {
    order: F,
    a: F[s, s],
    b: F[s],
    c: F[s],
    error: F[r, s + 1],
    dense: F[q, s + 1 + x],
    extra: F[x, s + 1 + x],
    nodes: F[x]
}

def _plain[F: Float](order: F, a: F[s, s], b: F[s], c: F[s]) -> Tableau[F, s, 0, 0, 0] =
    {
        order = order,
        a = a,
        b = b,
        c = c,
        error = zeros([0, s + 1], F),
        dense = zeros([0, s + 1], F),
        extra = zeros([0, s + 1], F),
        nodes = zeros([0], F)
    }
def _no_rows(static n: size, static F: Float) -> F[0, n] = zeros([0, n], F)
def _embedded[F: Float](
    order: F,
    a: F[s, s],
    b: F[s],
    c: F[s],
    error: F[s + 1],
    dense: F[q, s + 1]
) -> Tableau[F, s, 1, q, 0] =
    {
        order = order,
        a = a,
        b = b,
        c = c,
        error = error[None, :],
        dense = dense,
        extra = zeros([0, s + 1], F),
        nodes = zeros([0], F)
    }

## Euler's method, of order 1, for fixed steps.
def euler(static F: Float = f32) -> Tableau[F, 1, 0, 0, 0] = _plain(1.0, [[0]], [1], [0])
## The midpoint method, of order 2, for fixed steps.
def midpoint(static F: Float = f32) -> Tableau[F, 2, 0, 0, 0] =
    _plain(2.0, [[0, 0], [0.5, 0]], [0, 1], [0, 0.5])
## The classical method of order 4 (Kutta 1901), for fixed steps.
def rk4(static F: Float = f32) -> Tableau[F, 4, 0, 0, 0] =
    _plain(
        4.0,
        [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        [0, 0.5, 0.5, 1]
    )
## Heun's method of order 2, with Euler's for the error.
def heun(static F: Float = f32) -> Tableau[F, 2, 1, 0, 0] =
    _embedded(2.0, [[0, 0], [1, 0]], [0.5, 0.5], [0, 1], [-0.5, 0.5, 0], _no_rows(3, F))
## Ralston's method of order 2, with the least bound of its error; Euler's estimates it.
def ralston(static F: Float = f32) -> Tableau[F, 2, 1, 0, 0] =
    _embedded(
        2.0,
        [[0, 0], [2.0 / 3.0, 0]],
        [0.25, 0.75],
        [0, 2.0 / 3.0],
        [-0.75, 0.75, 0],
        _no_rows(3, F)
    )
## The method of Bogacki and Shampine (1989), of order 3, with one of order 2 for the error.
def bosh3(static F: Float = f32) -> Tableau[F, 3, 1, 0, 0] =
    let error: F[4] = [5.0 / 72.0, -1.0 / 12.0, -1.0 / 9.0, 1.0 / 8.0]
    _embedded(
        3.0,
        [[0, 0, 0], [0.5, 0, 0], [0, 0.75, 0]],
        [2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0],
        [0, 0.5, 0.75],
        error,
        _no_rows(4, F)
    )
## The method of Tsitouras (2011), of order 5, with one of order 4: the choice where nothing speaks for another one.
def tsit5(static F: Float = f32) -> Tableau[F, 6, 1, 1, 0] =
    let a: F[6, 6] = [
        [0, 0, 0, 0, 0, 0],
        [0.161, 0, 0, 0, 0, 0],
        [-0.008480655492356989, 0.335480655492357, 0, 0, 0, 0],
        [2.8971530571054935, -6.359448489975075, 4.3622954328695815, 0, 0, 0],
        [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525, 0, 0],
        [
            5.86145544294642,
            -12.92096931784711,
            8.159367898576159,
            -0.071584973281401,
            -0.028269050394068383,
            0
        ],
    ]
    let error: F[7] = [
        0.0017800110522257773,
        0.0008164344596567463,
        -0.007880878010261994,
        0.1447110071732629,
        -0.5823571654525552,
        0.45808210592918686,
        -0.015151515151515152
    ]
    let b: F[6] = [
        0.09646076681806523,
        0.01,
        0.4798896504144996,
        1.379008574103742,
        -3.290069515436081,
        2.324710524099774
    ]
    let dense: F[1, 7] = [
        [
            -1.0530884977290216,
            0.1017,
            2.490627285651253,
            -16.548102889244902,
            47.37952196281928,
            -34.87065786149661,
            2.5
        ]
    ]
    _embedded(5.0, a, b, [0, 0.161, 0.327, 0.9, 0.9800255409045097, 1], error, dense)
## The method of Dormand and Prince (1980), of order 5, with one of order 4 and the interpolation of Shampine (1986).
def dopri5(static F: Float = f32) -> Tableau[F, 6, 1, 1, 0] =
    let a: F[6, 6] = [
        [0, 0, 0, 0, 0, 0],
        [1.0 / 5.0, 0, 0, 0, 0, 0],
        [3.0 / 40.0, 9.0 / 40.0, 0, 0, 0, 0],
        [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0, 0, 0],
        [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0, 0],
        [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0],
    ]
    let b: F[6] = [35.0 / 384.0, 0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0]
    let error: F[7] = [
        71.0 / 57600.0,
        0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339200.0,
        22.0 / 525.0,
        -1.0 / 40.0
    ]
    let dense: F[1, 7] = [
        [
            -1.1270175653862835,
            0,
            2.675424484351598,
            -5.685526961588504,
            3.5219323679207912,
            -1.7672812570757455,
            2.382468931778144
        ]
    ]
    _embedded(5.0, a, b, [0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1], error, dense)
## The method of Dormand and Prince of order 8 with two estimates of the error and an interpolation of order 7 (Hairer,
## Norsett and Wanner 1993).
def dop853(static F: Float = f32) -> Tableau[F, 12, 2, 4, 3] =
    let a: F[12, 12] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0.05260015195876773, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0.0197250569845379, 0.0591751709536137, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0.02958758547680685, 0, 0.08876275643042054, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792, 0, 0, 0, 0, 0, 0, 0, 0],
        [0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242, 0, 0, 0, 0, 0, 0, 0],
        [
            0.037109375,
            0,
            0,
            0.17025221101954405,
            0.06021653898045596,
            -0.017578125,
            0,
            0,
            0,
            0,
            0,
            0
        ],
        [
            0.03709200011850479,
            0,
            0,
            0.17038392571223998,
            0.10726203044637328,
            -0.015319437748624402,
            0.008273789163814023,
            0,
            0,
            0,
            0,
            0
        ],
        [
            0.6241109587160757,
            0,
            0,
            -3.3608926294469414,
            -0.868219346841726,
            27.59209969944671,
            20.154067550477894,
            -43.48988418106996,
            0,
            0,
            0,
            0
        ],
        [
            0.47766253643826434,
            0,
            0,
            -2.4881146199716677,
            -0.590290826836843,
            21.230051448181193,
            15.279233632882423,
            -33.28821096898486,
            -0.020331201708508627,
            0,
            0,
            0
        ],
        [
            -0.9371424300859873,
            0,
            0,
            5.186372428844064,
            1.0914373489967295,
            -8.149787010746927,
            -18.52006565999696,
            22.739487099350505,
            2.4936055526796523,
            -3.0467644718982196,
            0,
            0
        ],
        [
            2.273310147516538,
            0,
            0,
            -10.53449546673725,
            -2.0008720582248625,
            -17.9589318631188,
            27.94888452941996,
            -2.8589982771350235,
            -8.87285693353063,
            12.360567175794303,
            0.6433927460157636,
            0
        ],
    ]
    let b: F[12] = [
        0.054293734116568765,
        0,
        0,
        0,
        0,
        4.450312892752409,
        1.8915178993145003,
        -5.801203960010585,
        0.3111643669578199,
        -0.1521609496625161,
        0.20136540080403034,
        0.04471061572777259
    ]
    let c: F[12] = [
        0,
        0.05260015195876773,
        0.0789002279381516,
        0.1183503419072274,
        0.2816496580927726,
        0.3333333333333333,
        0.25,
        0.3076923076923077,
        0.6512820512820513,
        0.6,
        0.8571428571428571,
        1
    ]
    let error: F[2, 13] = [
        [
            0.01312004499419488,
            0,
            0,
            0,
            0,
            -1.2251564463762044,
            -0.4957589496572502,
            1.6643771824549864,
            -0.35032884874997366,
            0.3341791187130175,
            0.08192320648511571,
            -0.022355307863886294,
            0
        ],
        [
            -0.18980075407240762,
            0,
            0,
            0,
            0,
            4.450312892752409,
            1.8915178993145003,
            -5.801203960010585,
            -0.4226823213237919,
            -0.1521609496625161,
            0.20136540080403034,
            0.02265179219836082,
            0
        ],
    ]
    let dense: F[4, 16] = [
        [
            -8.428938276109013,
            0,
            0,
            0,
            0,
            0.5667149535193777,
            -3.0689499459498917,
            2.38466765651207,
            2.117034582445028,
            -0.871391583777973,
            2.2404374302607883,
            0.6315787787694688,
            -0.08899033645133331,
            18.148505520854727,
            -9.194632392478356,
            -4.436036387594894
        ],
        [
            10.427508642579134,
            0,
            0,
            0,
            0,
            242.28349177525817,
            165.20045171727028,
            -374.5467547226902,
            -22.113666853125306,
            7.733432668472264,
            -30.674084731089398,
            -9.332130526430229,
            15.697238121770845,
            -31.139403219565178,
            -9.35292435884448,
            35.81684148639408
        ],
        [
            19.985053242002433,
            0,
            0,
            0,
            0,
            -387.0373087493518,
            -189.17813819516758,
            527.8081592054236,
            -11.57390253995963,
            6.8812326946963,
            -1.0006050966910838,
            0.7777137798053443,
            -2.778205752353508,
            -60.19669523126412,
            84.32040550667716,
            11.99229113618279
        ],
        [
            -25.69393346270375,
            0,
            0,
            0,
            0,
            -154.18974869023643,
            -231.5293791760455,
            357.6391179106141,
            93.40532418362432,
            -37.45832313645163,
            104.0996495089623,
            29.8402934266605,
            -43.53345659001114,
            96.32455395918828,
            -39.17726167561544,
            -149.72683625798564
        ],
    ]
    let extra: F[3, 16] = [
        [
            0.056167502283047954,
            0,
            0,
            0,
            0,
            0,
            0.25350021021662483,
            -0.2462390374708025,
            -0.12419142326381637,
            0.15329179827876568,
            0.00820105229563469,
            0.007567897660545699,
            -0.008298,
            0,
            0,
            0
        ],
        [
            0.03183464816350214,
            0,
            0,
            0,
            0,
            0.028300909672366776,
            0.053541988307438566,
            -0.05492374857139099,
            0,
            0,
            -0.00010834732869724932,
            0.0003825710908356584,
            -0.00034046500868740456,
            0.1413124436746325,
            0,
            0
        ],
        [
            -0.42889630158379194,
            0,
            0,
            0,
            0,
            -4.697621415361164,
            7.683421196062599,
            4.06898981839711,
            0.3567271874552811,
            0,
            0,
            0,
            -0.0013990241651590145,
            2.9475147891527724,
            -9.15095847217987,
            0
        ],
    ]
    {
        order = 8.0,
        a = a,
        b = b,
        c = c,
        error = error,
        dense = dense,
        extra = extra,
        nodes = [0.1, 0.2, 0.7777777777777778]
    }

# ---------------------------------------------------------------- arithmetic of states

def _times[F: Float, P: VSpace](k: F, tree: P) -> P = tree_map(fn x -> cast(k, x.dtype) * x, tree)
def _chosen[P: VSpace](first: bool, x: P, y: P) -> P =
    tree_map(fn (x, y) -> where(first, x, y), x, y)
def _lengths[a: Inexact](x: a[*s], static dtype: Float) -> dtype[*s] =
    intrinsic.cast(intrinsic.abs(x), dtype=dtype)
# The root of the mean square of all elements.
def _rms[F: Float, P: VSpace](tree: P, one: F) -> F =
    let total = tree_reduce(fn (total, x) -> total + sum(square(_lengths(x, F))), tree, 0.0 * one)
    let elements = tree_reduce(fn (n, x) -> n + cast(f32(prod(x.shape)), F), tree, 0.0 * one)
    sqrt(total / maximum(elements, 1.0))
# An error in units of what is tolerated of states like x and y.
def _in_tolerances[F: Float, P: VSpace](error: P, x: P, y: P, rtol: F, atol: F) -> P =
    tree_map(
        fn (e, x, y) -> _shares(e, atol + rtol * maximum(_lengths(x, F), _lengths(y, F))),
        error,
        x,
        y
    )
def _shares[F: Float, a: Inexact](e: a[*s], scale: F[*s]) -> a[*s] =
    where(e == 0, 0, where(scale < inf, e / cast(where(scale == 0, 1.0, scale), a), inf))
def _error[F: Float, P: VSpace](error: P, x: P, y: P, rtol: F, atol: F) -> F =
    where(maximum(rtol, atol) > 0.0, _rms(_in_tolerances(error, x, y, rtol, atol), rtol), inf)

# ---------------------------------------------------------------- one step of an explicit method

# The state after a step: `sum` weighs the i stages that are computed so far.
def _stepped[F: Float, P: VSpace](
    f: (F, P) -> P,
    m: Tableau[F, s, r, q, x],
    t: F,
    h: F,
    y: P,
    sum: (F[s]) -> P,
    static i: size
) -> P where i >= 1 and i <= s =
    if i == s then y + _times(h, sum(m.b))
    else
        let k = f(t + m.c[i] * h, y + _times(h, sum(m.a[i])))
        _stepped(f, m, t, h, y, fn w -> sum(w) + _times(w[i], k), i + 1)
# A step with the slope at its end, an estimate of its error in units of what is tolerated, and the n coefficients of its
# interpolation, or none.
type _Step[F: Float, P: VSpace, n] = {y: P, slope: P, error: F, dense: P[n]}
# A method with the step itself as stage s and the stages of the interpolation behind it.
type _Stages[F: Float, k, r, n] = {order: F, a: F[k, k], c: F[k], error: F[r, k], dense: F[n, k]}
def _stages[F: Float](m: Tableau[F, s, r, q, x]) -> _Stages[F, s + 1 + x, r, q + 4] =
    let a = concatenate((concatenate((m.a, m.b[None, :])), zeros([s + 1, 1 + x], F)), axis=1)
    let error = concatenate((m.error, zeros([r, x], F)), axis=1)
    {
        order = m.order,
        a = concatenate((a, m.extra)),
        c = concatenate((concatenate((m.c, ones([1], F))), m.nodes)),
        error = error,
        dense = _hermite(m)
    }
# Stage i and those behind it; `sum` weighs those before it, `next` and `slope` are the state and the slope at the end.
def _tried[F: Float, P: VSpace](
    f: (F, P) -> P,
    m: _Stages[F, k, r, q],
    t: F,
    h: F,
    y: P,
    next: P,
    slope: P,
    rtol: F,
    atol: F,
    sum: (F[k]) -> P,
    static s: size,
    static i: size,
    static n: size
) -> _Step[F, P, n]
    where i >= 1 and s < k and i <= k and r >= 1 and r <= 2 and q >= 1 and (n == 0 or n == q) =
    if i == k or (n == 0 and i > s) then
        let first = _error(_times(h, sum(m.error[0])), y, next, rtol, atol)
        let error =
            if r == 1 then
                first
            else
                _both(first, _error(_times(h, sum(m.error[1])), y, next, rtol, atol))
        let dense: P[n] =
            if n == 0 then
                [y for _ in range(0)]
            else
                [_times(h, sum(w)) for w in m.dense].at[0].set(y)
        {y = next, slope = slope, error = error, dense = dense}
    else
        let there = y + _times(h, sum(m.a[i]))
        let found = f(t + m.c[i] * h, there)
        _tried(
            f,
            m,
            t,
            h,
            y,
            if i == s then there else next,
            if i == s then found else slope,
            rtol,
            atol,
            fn w -> sum(w) + _times(w[i], found),
            s,
            i + 1,
            n
        )
# Hairer's estimate of order 7 from those of order 5 and 3.
def _both[F: Float](first: F, second: F) -> F =
    let size = sqrt(square(first) + 0.01 * square(second))
    where(size == 0.0, size, square(first) / where(size == 0.0, 1.0, size))
# The weights of the coefficients beside the state at the start: the step, its slope at the start without the step, what
# is left of the cubic, and the terms of the method. The polynomial is y + u (c1 + v (c2 + u (c3 + v (c4 + ...)))) with
# the share u of the step, and v = 1 - u.
def _hermite[F: Float](m: Tableau[F, s, r, q, x]) -> F[q + 4, s + 1 + x] =
    let step = concatenate((m.b, zeros([1 + x], F)))
    let start = one_hot(0, s + 1 + x, F)
    let end = one_hot(s, s + 1 + x, F)
    concatenate(([0.0 * step, step, start - step, 2.0 * step - start - end], m.dense))
def _value[F: Float, P: VSpace](dense: P[n], u: F, static i: int) -> P where i >= 0 and i < n =
    if i == n - 1 then
        dense[i]
    else
        dense[i] + _times(if i % 2 == 0 then u else 1.0 - u, _value(dense, u, i + 1))

# ---------------------------------------------------------------- adapted steps

## What a solver gives: the state `y` at the time `t`, which is the end, or the event, or where it gave up; the states at
## the times that were to be saved, nan for those that it did not reach; whether it reached the end or the event, with times
## to save that go from the start to the end; and
## whether it was the event; the steps taken and rejected, and how often the slope was computed.
type Solution[F: Float, P: VSpace, m] = {
    t: F,
    y: P,
    saved: P[m],
    success: bool,
    event: bool,
    steps: i32,
    rejected: i32,
    evaluations: i32
}

# How steps are chosen; `goal` is the end.
type _Control[F: Float] = {
    goal: F,
    way: F,
    rtol: F,
    atol: F,
    order: F,
    smallest: F,
    largest: F,
    safety: F,
    shrink: F,
    grow: F,
    p: F,
    i: F,
    d: F
}
# Where a solver is: the time, the state and the slope there, the length of the next step; the last step by its start, its
# signed length and its polynomial; the last two errors. `level` is that of the event, `root` its share of the last step.
type _Walk[F: Float, P: VSpace, n] = {
    t: F,
    y: P,
    slope: P,
    h: F,
    past: F,
    length: F,
    dense: P[n],
    last: F,
    older: F,
    level: F,
    root: F,
    hit: bool,
    refused: bool,
    stuck: bool,
    steps: i32,
    rejected: i32
}

# The length of a first step (Hairer, Norsett and Wanner 1993, II.4): an Euler step of a hundredth of the state, then as
# the second derivative lets expect.
def _first_step[F: Float, P: VSpace](f: (F, P) -> P, t: F, y: P, slope: P, c: _Control[F]) -> F =
    let far = abs(c.goal - t)
    let (size, speed) = (_error(y, y, y, c.rtol, c.atol), _error(slope, y, y, c.rtol, c.atol))
    let tiny = (size < 1e-5) | (speed < 1e-5)
    let trial = minimum(where(tiny, 1e-6, 0.01 * size / where(tiny, 1.0, speed)), far)
    let there = f(t + c.way * trial, y + _times(c.way * trial, slope))
    let bend = _error(there - slope, y, y, c.rtol, c.atol) / where(trial > 0, trial, 1.0)
    let most = maximum(speed, bend)
    let next = where(
        most <= 1e-15,
        maximum(1e-6, 1e-3 * trial),
        (0.01 / where(most <= 1e-15, 1.0, most)) ** (1.0 / c.order)
    )
    let found = minimum(100.0 * trial, next)
    where(found > 0, minimum(found, far), 1e-3 * far)
# The factor to the next step (Soderlind 2003): by the last three errors after a step, by the last alone after a rejection.
def _factor[F: Float](c: _Control[F], error: F, last: F, older: F, refused: bool) -> F =
    let (error, last, older) = (maximum(error, 1e-10), maximum(last, 1e-10), maximum(older, 1e-10))
    let power = -(c.p + c.i + c.d) * log(error) + (c.p + 2.0 * c.d) * log(last) - c.d * log(older)
    let after = clip(
        c.safety * exp(power / c.order),
        c.shrink,
        where(refused, minimum(c.grow, 1.0), c.grow)
    )
    let less = clip(c.safety * exp(-log(error) / c.order), c.shrink, 0.9)
    where(error <= 1.0, after, where(error > 1.0, less, c.shrink))
# One step, or an attempt at it.
def _attempt[F: Float, P: VSpace](
    step: (F, F, P, P) -> _Step[F, P, n],
    event: (F, P) -> F,
    c: _Control[F],
    w: _Walk[F, P, n],
    static direction: int,
    static with_event: bool
) -> _Walk[F, P, n] where n >= 1 or not with_event =
    let left = abs(c.goal - w.t)
    let whole = 1.01 * w.h >= left
    let h = where(whole, left, w.h)
    let signed = c.way * h
    let tried = step(w.t, signed, w.y, w.slope)
    let error = stop_gradient(tried.error)
    let fine = error <= 1.0
    let t = where(fine, where(whole, c.goal, w.t + signed), w.t)
    let next = stop_gradient(
        clip(h * _factor(c, error, w.last, w.older, w.refused), c.smallest, c.largest)
    )
    let dense = _chosen_many(fine, tried.dense, w.dense)
    let level = if with_event then where(fine, event(t, tried.y), w.level) else w.level
    let hit = if with_event then fine & _crossed(w.level, level, direction) else w.hit
    {
        t = t,
        y = _chosen(fine, tried.y, w.y),
        slope = _chosen(fine, tried.slope, w.slope),
        h = next,
        past = where(fine, w.t, w.past),
        length = where(fine, signed, w.length),
        dense = dense,
        last = where(fine, error, w.last),
        older = where(fine, w.last, w.older),
        level = stop_gradient(level),
        root = if with_event then _root(
            event,
            stop_gradient(w.t),
            stop_gradient(signed),
            stop_gradient(dense),
            stop_gradient(w.level),
            hit
        ) else w.root,
        hit = hit,
        refused = ~fine,
        stuck = ~fine & (h <= maximum(c.smallest, 10.0 * _spacing(stop_gradient(w.t)))),
        steps = w.steps + i32(fine),
        rejected = w.rejected + i32(~fine),
    }
# The distance to the next number beyond t.
def _spacing[F: Float](t: F) -> F = nextafter(abs(t), inf) - abs(t)
def _chosen_many[P: VSpace](first: bool, x: P[n], y: P[n]) -> P[n] =
    tree_map(fn (x, y) -> where(first, x, y), x, y)
def _crossed[F: Float](before: F, after: F, static direction: int) -> bool =
    let up = (before < 0) & (after >= 0)
    let down = (before > 0) & (after <= 0)
    if direction > 0 then up else if direction < 0 then down else up | down
# The share of the last step at which the event changes its sign, by bisection.
def _root[F: Float, P: VSpace](
    event: (F, P) -> F,
    t: F,
    h: F,
    dense: P[n],
    level: F,
    hit: bool
) -> F where n >= 1 =
    let (_, high) =
        iterate (low, high) = (
            zeros([], F),
            ones([], F)
        ) while hit & (0.5 * (low + high) > low) & (0.5 * (low + high) < high) limit 80 do
            let middle = 0.5 * (low + high)
            let value = event(t + middle * h, _value(dense, middle, 0))
            let before = value * sign(level) > 0
            (where(before, middle, low), where(before, high, middle))
    high
# From the start to the end or the event, with the states at `ts` on the way.
def _walked[F: Float, P: VSpace](
    f: (F, P) -> P,
    step: (F, F, P, P) -> _Step[F, P, n],
    event: (F, P) -> F,
    y0: P,
    t0: F,
    c: _Control[F],
    first: F,
    ts: F[m],
    static max_steps: size,
    static cost: int,
    static direction: int,
    static with_event: bool
) -> Solution[F, P, m] where n >= 1 or (m == 0 and not with_event) =
    let slope = f(t0, y0)
    let h = minimum(
        stop_gradient(if first > 0 then first else _first_step(f, t0, y0, slope, c)),
        c.largest
    )
    let start = _start(y0, t0, slope, h, c, event, n, with_event)
    let attempt = fn w -> _attempt(step, event, c, w, direction, with_event)
    let (w, saved): (_Walk[F, P, n], P[m]) =
        if m == 0 then
            let end = iterate w: _Walk[F, P, n] = start while _goes_on(
                w,
                c,
                max_steps
            ) limit max_steps do attempt(w)
            (end, [y0 for _ in range(m)])
        else if m < 4 then _saving(start, attempt, c, ts, max_steps, m, with_event)
        else _saving(start, attempt, c, ts, max_steps, 4, with_event)
    let (t, y) = if with_event then _at_event(event, w) else (w.t, w.y)
    let attempts = w.steps + w.rejected
    {
        t = t,
        y = y,
        saved = saved,
        success = (w.hit | (w.t == c.goal)) & _in_order(t0, c, ts),
        event = w.hit,
        steps = w.steps,
        rejected = w.rejected,
        evaluations = 1 + i32(~(first > 0)) + cost * attempts
    }
def _goes_on[F: Float, P: VSpace](
    w: _Walk[F, P, n],
    c: _Control[F],
    static max_steps: size
) -> bool =
    (c.way * (c.goal - w.t) > 0) & ~w.hit & ~w.stuck & (w.steps + w.rejected < max_steps)

# A solver that saves states: `next` times are behind it. One loop makes the steps and saves: each round takes a step, but
# where times of the last one are still to be saved, and saves at most `width` of those that lie in the last step.
type _Saving[F: Float, P: VSpace, n, m] = {walk: _Walk[F, P, n], next: i32, saved: P[m]}
def _saving[F: Float, P: VSpace](
    start: _Walk[F, P, n],
    attempt: (_Walk[F, P, n]) -> _Walk[F, P, n],
    c: _Control[F],
    ts: F[m],
    static max_steps: size,
    static width: size,
    static with_event: bool
) -> (_Walk[F, P, n], P[m]) where n >= 1 and m >= 1 and width >= 1 =
    let wide = concatenate((ts, c.way * inf * ones([width], F)))
    let empty = [tree_map(fn x -> where(true, nan, x), start.y) for _ in range(m + width)]
    let first: _Saving[F, P, n, m + width] = _saved_window(
        {walk = start, next = i32(0), saved = empty},
        c,
        wide,
        width,
        with_event
    )
    let last =
        iterate s: _Saving[F, P, n, m + width] = first while _left(s, c, wide) | _goes_on(
            s.walk,
            c,
            max_steps
        ) limit max_steps + m // width + 1 do
            let walk = if _left(s, c, wide) then s.walk else attempt(s.walk)
            _saved_window({s with walk = walk}, c, wide, width, with_event)
    (last.walk, last.saved[:m])
# Whether the next time to save is behind the solver.
def _left[F: Float, P: VSpace](s: _Saving[F, P, n, m], c: _Control[F], ts: F[m]) -> bool
    where m >= 1 =
    c.way * (s.walk.t - ts.at[s.next].get(mode="clip")) >= 0
def _saved_window[F: Float, P: VSpace](
    s: _Saving[F, P, n, m],
    c: _Control[F],
    ts: F[m],
    static width: size,
    static with_event: bool
) -> _Saving[F, P, n, m] where n >= 1 and 1 <= width and width <= m =
    let window = dynamic_slice(ts, [s.next], [width])
    let behind = c.way * (stop_gradient(s.walk.t) - stop_gradient(window)) >= 0
    let inside = cumprod(i32(behind)) > 0
    let values = [_within(s.walk, c, at, i, with_event) for (i, at) in zip(inside, window)]
    {walk = s.walk, next = s.next + sum(i32(inside)), saved = _put(s.saved, values, s.next)}
def _put[P: VSpace](x: P[m], part: P[w], i: i32) -> P[m] where w <= m =
    x.at[i : i + w].set(part, mode="clip")
def _within[F: Float, P: VSpace](
    w: _Walk[F, P, n],
    c: _Control[F],
    at: F,
    inside: bool,
    static with_event: bool
) -> P where n >= 1 =
    let value = _saved(w, c, where(inside, at, w.past), with_event)
    tree_map(fn x -> where(inside, x, nan), value)
# Whether the times to save go from the start to the end.
def _in_order[F: Float](t0: F, c: _Control[F], ts: F[m]) -> bool =
    let all_of_them = stop_gradient(concatenate((t0[None], ts, c.goal[None])))
    all(c.way * (all_of_them[1:] - all_of_them[:-1]) >= 0)
# Before the first step the polynomial is the tangent.
def _start[F: Float, P: VSpace](
    y0: P,
    t0: F,
    slope: P,
    h: F,
    c: _Control[F],
    event: (F, P) -> F,
    static n: size,
    static with_event: bool
) -> _Walk[F, P, n] =
    let dense = [
        _times(if i == 0 then 1.0 else 0.0, y0)
        + _times(if i == 1 then c.way else 0.0 * c.way, slope)
        for i in iota([n])
    ]
    let one = ones([], F)
    {
        t = t0,
        y = y0,
        slope = slope,
        h = h,
        past = t0,
        length = c.way,
        dense = dense,
        last = one,
        older = one,
        level = if with_event then stop_gradient(event(t0, y0)) else one,
        root = one,
        hit = false,
        refused = false,
        stuck = false,
        steps = i32(0),
        rejected = i32(0)
    }
# The event by one step of Newton's method from its share, which has the derivative that the implicit function has.
def _at_event[F: Float, P: VSpace](event: (F, P) -> F, w: _Walk[F, P, n]) -> (F, P) where n >= 1 =
    let level = fn u -> event(w.past + u * w.length, _value(w.dense, u, 0))
    let slope = stop_gradient(jvp(level, (w.root,), (ones([], F),)).1)
    let change = where(slope == 0, 0, level(w.root) / where(slope == 0, 1.0, slope))
    let u = w.root - change
    (where(w.hit, w.past + u * w.length, w.t), _chosen(w.hit, _value(w.dense, u, 0), w.y))
def _saved[F: Float, P: VSpace](
    w: _Walk[F, P, n],
    c: _Control[F],
    at: F,
    static with_event: bool
) -> P where n >= 1 =
    let u = (at - w.past) / w.length
    let last =
        if with_event then stop_gradient(where(w.hit, w.past + w.root * w.length, w.t)) else w.t
    let there = (u >= 0) & (c.way * (last - at) >= 0)
    tree_map(fn x -> where(there, x, nan), _value(w.dense, u, 0))

# An explicit method from the start to the end.
def _explicit[F: Float, P: VSpace](
    f: (F, P) -> P,
    event: (F, P) -> F,
    y0: P,
    t0: F,
    method: Tableau[F, s, r, q, x],
    c: _Control[F],
    first: F,
    ts: F[m],
    static n: size,
    static max_steps: size,
    static direction: int,
    static with_event: bool
) -> Solution[F, P, m]
    where s >= 1 and 1 <= r and r <= 2 and (n == 0 or n == q + 4) and (
        n >= 1 or (m == 0 and not with_event)
    ) =
    let stages = _stages(method)
    let step = fn (t, h, y, slope) -> _tried(
        f,
        stages,
        t,
        h,
        y,
        y,
        slope,
        c.rtol,
        c.atol,
        fn w -> _times(w[0], slope),
        s,
        1,
        n
    )
    _walked(
        f,
        step,
        event,
        y0,
        t0,
        c,
        first,
        ts,
        max_steps,
        if n == 0 then s else s + x,
        direction,
        with_event
    )
def _control[F: Float](
    t0: F,
    t1: F,
    rtol: F,
    atol: F,
    order: F,
    min_step: F,
    max_step: F,
    safety: F,
    min_factor: F,
    max_factor: F,
    pid: (F, F, F)
) -> _Control[F] =
    {
        goal = t1,
        way = where(t1 >= t0, 1.0, -1.0),
        rtol = rtol,
        atol = atol,
        order = order,
        smallest = min_step,
        largest = max_step,
        safety = safety,
        shrink = min_factor,
        grow = max_factor,
        p = pid.0,
        i = pid.1,
        d = pid.2
    }

## Return the solution of y' = f(t, y) at t1 from the state y0 at t0, which may be the later of the two. The error of each
## step is held below atol + rtol |y|, as the root of the mean square over all elements. Where `first_step` is 0 the first
## step is chosen (Hairer, Norsett and Wanner 1993). `pid` are the weights p, i and d of the control of the steps by the last
## three errors (Soderlind 2003); no step changes by less than `min_factor` or more than `max_factor`. Where an error needs
## steps shorter than `min_step` or rounding allows, or more than `max_steps`, `success` is false. Times, tolerances and
## coefficients have the dtype of the method: for states in f64 take `tsit5(f64)`, since `tsit5()` is exact to f32 alone.
def solve[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 10.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096
) -> Solution[F, P, 0]
    where s >= 1 else "a method has a stage"
    where 1 <= r and r <= 2 else "the error of a step is estimated; a method without an estimate takes steps=n" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _explicit(
        f,
        fn (t, y) -> t,
        y0,
        t0,
        method,
        c,
        first_step,
        zeros([0], F),
        0,
        max_steps,
        0,
        false
    )
## Return the states at the times `save` as well, in the order of the integration, by the interpolation of the method. For
## times that are out of order, or outside of the integration, `success` is false, and states may be nan.
def solve[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    save: F[m],
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 10.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096
) -> Solution[F, P, m]
    where s >= 1 else "a method has a stage"
    where 1 <= r and r <= 2 else "the error of a step is estimated; a method without an estimate takes steps=n" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _explicit(
        f,
        fn (t, y) -> t,
        y0,
        t0,
        method,
        c,
        first_step,
        save,
        if m == 0 then 0 else q + 4,
        max_steps,
        0,
        false
    )
## Stop at the event, where event(t, y) changes its sign: from below with `direction` 1, from above with -1, else from
## either side. The time of the event has the derivative of the implicit function.
def solve[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    event: (F, P) -> F,
    static direction: int = 0,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 10.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096
) -> Solution[F, P, 0]
    where s >= 1 else "a method has a stage"
    where 1 <= r and r <= 2 else "the error of a step is estimated; a method without an estimate takes steps=n" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _explicit(
        f,
        event,
        y0,
        t0,
        method,
        c,
        first_step,
        zeros([0], F),
        q + 4,
        max_steps,
        direction,
        true
    )
## Save states on the way to the event; those behind it are nan.
def solve[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    event: (F, P) -> F,
    save: F[m],
    static direction: int = 0,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 10.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096
) -> Solution[F, P, m]
    where s >= 1 else "a method has a stage"
    where 1 <= r and r <= 2 else "the error of a step is estimated; a method without an estimate takes steps=n" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _explicit(f, event, y0, t0, method, c, first_step, save, q + 4, max_steps, direction, true)
## Return the solution by `steps` steps of one length, whatever their error.
def solve[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    static steps: size
) -> Solution[F, P, 0]
    where s >= 1 else "a method has a stage"
    where steps >= 1 else "there is a step to take" =
    {
        t = t1,
        y = _marched(f, y0, t0, t1, method, steps),
        saved = [y0 for _ in range(0)],
        success = true,
        event = false,
        steps = steps,
        rejected = 0,
        evaluations = steps * s
    }
def _marched[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    static steps: size
) -> P where s >= 1 and steps >= 1 =
    let h = (t1 - t0) / cast(f32(steps), F)
    fold y = y0 for i in range(steps) do
        let t = t0 + cast(i, F) * h
        let slope = f(t, y)
        _stepped(f, method, t, h, y, fn w -> _times(w[0], slope), 1)
## Return the states at the times ts, of which the first has the state y0, by `substeps` steps of one length from each to
## the next one, whatever their error.
def solve_grid[F: Float, P: VSpace](
    f: (F, P) -> P,
    y0: P,
    ts: F[m],
    method: Tableau[F, s, r, q, x],
    *,
    static substeps: size = 1
) -> P[m]
    where s >= 1 else "a method has a stage"
    where substeps >= 1 else "there is a step to take" =
    let (_, states) = scan (t, y) = (if m == 0 then zeros([], F) else ts[0], y0) for next in ts do
        let y = _marched(f, y, t, next, method, substeps)
        ((next, y), y)
    states

# ---------------------------------------------------------------- stiff equations

## A method for stiff equations, of s stages that share one matrix, with the factor `gamma` of its diagonal, the weights
## `a` and times `c` of the stages, and the weights `error`. Where k is 0 it is an ESDIRK method: the first stage is the
## slope at the start, the others are found by Newton's method, the last one is the state at the end. Where k is s it is
## a Rosenbrock method: `coupling` weighs the stages in the equation of each, `drift` the derivative by time, `b` in the
## step, and the rows of `dense` in the interpolation, which is Hermite's cubic where there are none.
type Implicit[F: Float, s, k, q] = {
    order: F,
    gamma: F,
    a: F[s, s],
    b: F[s],
    c: F[s],
    error: F[s],
    coupling: F[k, s],
    drift: F[k],
    dense: F[q, s]
}

## The Rosenbrock method of Lang and Verwer (2001), of order 3 for partial differential equations too. A fourth stage, at the
## state of the end, makes the estimate of the error, since that of the paper is 0 for all linear equations.
def ros3p(static F: Float = f32) -> Implicit[F, 4, 4, 0] =
    let a: F[4, 4] = [
        [0, 0, 0, 0],
        [1.2679491924311228, 0, 0, 0],
        [1.2679491924311228, 0, 0, 0],
        [2, 0.5773502691896257, 0.42264973081037427, 0],
    ]
    let coupling: F[4, 4] = [
        [0, 0, 0, 0],
        [-1.6076951545867364, 0, 0, 0],
        [-3.4641016151377544, -1.7320508075688772, 0, 0],
        [0, 0, 0, 0]
    ]
    let drift: F[4] = [
        0.7886751345948129,
        -0.21132486540518708,
        -1.0773502691896257,
        0.7886751345948129
    ]
    let error: F[4] = [
        0.2113248654051871,
        0.3333333333333333,
        0.24401693585629244,
        0.2113248654051871
    ]
    {
        order = 3.0,
        gamma = 0.7886751345948129,
        a = a,
        b = [2, 0.5773502691896257, 0.42264973081037427, 0],
        c = [0, 1, 1, 1],
        error = error,
        coupling = coupling,
        drift = drift,
        dense = _no_rows(4, F)
    }
## The Rosenbrock method RODAS (Hairer and Wanner 1996), of order 4 and L-stable, with one of order 3 and an interpolation
## of its own: the choice for stiff equations where nothing speaks for another one.
def rodas4(static F: Float = f32) -> Implicit[F, 6, 6, 2] =
    let a: F[6, 6] = [
        [0, 0, 0, 0, 0, 0],
        [1.544, 0, 0, 0, 0, 0],
        [0.9466785280815826, 0.2557011698983284, 0, 0, 0, 0],
        [3.314825187068521, 2.896124015972201, 0.9986419139977817, 0, 0, 0],
        [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 0, 0],
        [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1, 0],
    ]
    let coupling: F[6, 6] = [
        [0, 0, 0, 0, 0, 0],
        [-5.6688, 0, 0, 0, 0, 0],
        [-2.430093356833875, -0.2063599157091915, 0, 0, 0, 0],
        [-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0, 0, 0],
        [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616, 0, 0],
        [
            8.083246795921522,
            -7.981132988064893,
            -31.52159432874371,
            16.31930543123136,
            -6.058818238834054,
            0
        ],
    ]
    let b: F[6] = [
        1.221224509226641,
        6.019134481288629,
        12.53708332932087,
        -0.687886036105895,
        1,
        1
    ]
    let dense: F[2, 6] = [
        [
            10.12623508344586,
            -7.487995877610167,
            -34.80091861555747,
            -7.992771707568823,
            1.025137723295662,
            0
        ],
        [
            -0.6762803392801253,
            6.087714651680015,
            16.43084320892478,
            24.76722511418386,
            -6.594389125716872,
            0
        ],
    ]
    {
        order = 4.0,
        gamma = 0.25,
        a = a,
        b = b,
        c = [0, 0.386, 0.21, 0.63, 1, 1],
        error = [0, 0, 0, 0, 0, 1],
        coupling = coupling,
        drift = [0.25, -0.1043, 0.1035, -0.0362, 0, 0],
        dense = dense
    }
## The ESDIRK method of Kvaerno (2004) of order 3, with one of order 2.
def kvaerno3(static F: Float = f32) -> Implicit[F, 4, 0, 0] =
    let a: F[4, 4] = [
        [0, 0, 0, 0],
        [0.4358665215, 0, 0, 0],
        [0.4905633884191082, 0.0735700900808919, 0, 0],
        [0.30880996997303606, 1.490563388254108, -1.2352398797271447, 0],
    ]
    _esdirk(3.0, 0.4358665215, a, [0, 0.871733043, 1, 1])
## The ESDIRK method of Kvaerno (2004) of order 5, with one of order 4.
def kvaerno5(static F: Float = f32) -> Implicit[F, 7, 0, 0] =
    let a: F[7, 7] = [
        [0, 0, 0, 0, 0, 0, 0],
        [0.26, 0, 0, 0, 0, 0, 0],
        [0.13, 0.8403332099679081, 0, 0, 0, 0, 0],
        [0.22371961478320505, 0.47675532319799699, -0.06470895363112615, 0, 0, 0, 0],
        [
            0.16648564323248321,
            0.1045001884159172,
            0.03631482272098715,
            -0.13090704451073998,
            0,
            0,
            0
        ],
        [
            0.13855640231268224,
            0,
            -0.04245337201752043,
            0.02446657898003141,
            0.61943039072480676,
            0,
            0
        ],
        [
            0.13659751177640291,
            0,
            -0.05496908796538376,
            -0.04118626728321046,
            0.62993304899016403,
            0.06962479448202728,
            0
        ],
    ]
    _esdirk(
        5.0,
        0.26,
        a,
        [0, 0.52, 1.230333209967908, 0.8957659843500759, 0.43639360985864756, 1, 1]
    )
# The step is the last stage, and the one before it the estimate.
def _esdirk[F: Float](order: F, gamma: F, a: F[s, s], c: F[s]) -> Implicit[F, s, 0, 0]
    where s >= 2 =
    let b = a[s - 1].at[s - 1].set(gamma)
    let other = a[s - 2].at[s - 2].set(gamma)
    {
        order = order,
        gamma = gamma,
        a = a,
        b = b,
        c = c,
        error = b - other,
        coupling = _no_rows(s, F),
        drift = zeros([0], F),
        dense = _no_rows(s, F)
    }

# The factors of a matrix, with which m @ x = b is solved.
type _Factors[F: Float, n] = {lu: F[n, n], order: idx[n][n]}
def _factored[F: Float](m: F[n, n]) -> _Factors[F, n] =
    let (lu, _, order) = linalg.lu(m)
    {lu = lu, order = order}
def _solved[F: Float](by: _Factors[F, n], b: F[n]) -> F[n] =
    linalg.solve_triangular(
        by.lu,
        linalg.solve_triangular(by.lu, b[by.order], lower=true, unit_diagonal=true)
    )
def _solved_transposed[F: Float](by: _Factors[F, n], b: F[n]) -> F[n] =
    let z = linalg.solve_triangular(
        by.lu,
        linalg.solve_triangular(by.lu, b, trans=true),
        trans=true,
        lower=true,
        unit_diagonal=true
    )
    zeros([n], F).at[by.order].set(z)
# The polynomial of the last step: by the rows of the method, or Hermite's cubic.
def _between[F: Float](
    y: F[n],
    next: F[n],
    start: F[n],
    end: F[n],
    rows: F[q, n],
    static p: size
) -> F[p, n] where p == 0 or p == 4 where q == 0 or q == 2 =
    if p == 0 then zeros([0, n], F)
    else if q == 0 then [y, next - y, start - (next - y), 2.0 * (next - y) - start - end]
    else [y, next - y, rows[0], rows[1]]

# Stage i of a Rosenbrock method and those behind it.
def _linearised[F: Float](
    f: (F, F[n]) -> F[n],
    m: Implicit[F, s, s, q],
    t: F,
    h: F,
    y: F[n],
    slope: F[n],
    drift: F[n],
    solve: (F[n]) -> F[n],
    c: _Control[F],
    sum: (F[s]) -> F[n],
    static i: size,
    static p: size
) -> _Step[F, F[n], p]
    where s >= 1 and i <= s where p == 0 or p == 4 where q == 0 or q == 2 =
    if i == s then
        let next = y + sum(m.b)
        let end = f(t + h, next)
        let error = _error(sum(m.error), y, next, c.rtol, c.atol)
        {
            y = next,
            slope = end,
            error = error,
            dense = _between(y, next, h * slope, h * end, [sum(w) for w in m.dense], p)
        }
    else
        let here = if i == 0 then slope else f(t + m.c[i] * h, y + sum(m.a[i]))
        let right =
            if i == 0 then
                here + h * m.drift[i] * drift
            else
                here + sum(m.coupling[i]) / h + h * m.drift[i] * drift
        let found = solve(right)
        _linearised(
            f,
            m,
            t,
            h,
            y,
            slope,
            drift,
            solve,
            c,
            if i == 0 then fn w -> w[0] * found else fn w -> sum(w) + w[i] * found,
            i + 1,
            p
        )

# Newton's method for z = g f(t, base + z) with the factors of 1 - g J: the solution, and whether it was found. The last
# change times its rate is what is left of the error.
def _newton[F: Float](
    f: (F, F[n]) -> F[n],
    t: F,
    g: F,
    base: F[n],
    y: F[n],
    start: F[n],
    by: _Factors[F, n],
    c: _Control[F]
) -> (F[n], bool) =
    let (z, _, _, fine, _) =
        iterate (z, last, rate, fine, open) = (
            start,
            inf * ones([], F),
            zeros([], F),
            false,
            true
        ) while open limit 12 do
            let change = _solved(by, g * f(t, base + z) - z)
            let size = _error(change, y, y, c.rtol, c.atol)
            let rate = where(last < inf, size / where(last > 0, last, 1.0), 0.0)
            let next = z + change
            let left = where(last < inf, rate / maximum(1.0 - rate, 1e-3) * size, size)
            let fine = (left < 0.01) | (size == 0)
            (next, size, rate, fine, ~fine & (rate < 2.0) & (size < inf))
    (z, fine)
# The solution z of z = g f(t, base + z) with its derivatives, exact up to the order: those of Newton's method with the
# Jacobian at z, factored once, where there are any.
def _refined[F: Float](
    f: (F, F[n]) -> F[n],
    t: F,
    g: F,
    base: F[n],
    z: F[n],
    static order: size
) -> F[n] =
    let still = stop_gradient(z)
    let jacobian = jacfwd(fn z -> f(stop_gradient(t), stop_gradient(base) + z))(still)
    let by = _factored(stop_gradient(eye(n, F) - g * jacobian))
    let left = fn z -> g * f(t, base + z) - z
    implicit_solution(
        left,
        fn r -> _solved(by, r),
        fn r -> _solved_transposed(by, r),
        still,
        order=order
    )
# Stage i of an ESDIRK method and those behind it; `last` is the slope of the one before, `fine` whether all were found.
def _iterated[F: Float](
    f: (F, F[n]) -> F[n],
    m: Implicit[F, s, 0, q],
    t: F,
    h: F,
    y: F[n],
    next: F[n],
    slope: F[n],
    last: F[n],
    by: _Factors[F, n],
    fine: bool,
    c: _Control[F],
    sum: (F[s]) -> F[n],
    static i: size,
    static p: size,
    static order: size
) -> _Step[F, F[n], p]
    where s >= 1 and i <= s and q == 0 where p == 0 or p == 4 =
    if i == s then
        let error = _error(h * sum(m.error), y, next, c.rtol, c.atol)
        {
            y = next,
            slope = last,
            error = where(fine, error, inf),
            dense = _between(y, next, h * slope, h * last, zeros([0, n], F), p)
        }
    else
        let (at, g) = (t + m.c[i] * h, m.gamma * h)
        let base = y + h * sum(m.a[i])
        let (z, found) = _newton(
            f,
            stop_gradient(at),
            stop_gradient(g),
            stop_gradient(base),
            stop_gradient(y),
            stop_gradient(g * last),
            by,
            c
        )
        let z = _refined(f, at, g, base, z, order)
        let k = z / g
        _iterated(
            f,
            m,
            t,
            h,
            y,
            base + z,
            slope,
            k,
            by,
            fine & found,
            c,
            fn w -> sum(w) + w[i] * k,
            i + 1,
            p,
            order
        )

def _implicit_step[F: Float](
    f: (F, F[n]) -> F[n],
    m: Implicit[F, s, k, q],
    t: F,
    h: F,
    y: F[n],
    slope: F[n],
    c: _Control[F],
    static p: size,
    static order: size
) -> _Step[F, F[n], p]
    where s >= 1 and (k == 0 and q == 0 or k == s) where p == 0 or p == 4 where q == 0 or q == 2 =
    let jacobian = jacfwd(fn y -> f(t, y))(y)
    if k == 0 then
        let by = _factored(stop_gradient(eye(n, F) - m.gamma * h * jacobian))
        _iterated(f, m, t, h, y, y, slope, slope, by, true, c, fn w -> w[0] * slope, 1, p, order)
    else
        let by = _factored(eye(n, F) / (m.gamma * h) - jacobian)
        let drift = jvp(fn t -> f(t, y), (t,), (ones([], F),)).1
        _linearised(
            f,
            m,
            t,
            h,
            y,
            slope,
            drift,
            fn b -> _solved(by, b),
            c,
            fn w -> 0.0 * slope,
            0,
            p
        )
# An implicit method from the start to the end, with polynomials of p coefficients.
def _implicitly[F: Float](
    f: (F, F[n]) -> F[n],
    event: (F, F[n]) -> F,
    y0: F[n],
    t0: F,
    method: Implicit[F, s, k, q],
    c: _Control[F],
    first: F,
    ts: F[m],
    static p: size,
    static max_steps: size,
    static direction: int,
    static with_event: bool,
    static order: size
) -> Solution[F, F[n], m]
    where s >= 1 and (k == 0 and q == 0 or k == s)
    where p == 0 or p == 4 where q == 0 or q == 2 where p >= 1 or (m == 0 and not with_event) =
    let step = fn (t, h, y, slope) -> _implicit_step(f, method, t, h, y, slope, c, p, order)
    _walked(f, step, event, y0, t0, c, first, ts, max_steps, s, direction, with_event)

## Return the solution of a stiff equation y' = f(t, y) at t1, as `solve` does, of a vector of n floats. A step computes the
## Jacobian by n derivatives of f and factors one matrix, in O(n^3). Derivatives of the solution by an ESDIRK method are exact
## up to `order`, one inside the other; more are refused (E0821). Those by a Rosenbrock method have no such bound.
## The method has the dtype of the state.
def solve_stiff[F: Float](
    f: (F, F[n]) -> F[n],
    y0: F[n],
    t0: F,
    t1: F,
    method: Implicit[F, s, k, q],
    *,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 8.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096,
    static order: size = 2
) -> Solution[F, F[n], 0]
    where s >= 1 and (
        k == 0 and q == 0 or k == s
    ) and (
        q == 0 or q == 2
    ) else "a method of Rosenbrock has as many rows of `coupling` as stages, an ESDIRK method none; `dense` has two rows or none" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _implicitly(
        f,
        fn (t, y) -> t,
        y0,
        t0,
        method,
        c,
        first_step,
        zeros([0], F),
        0,
        max_steps,
        0,
        false,
        order
    )
## Return the states at the times `save` as well, in the order of the integration.
def solve_stiff[F: Float](
    f: (F, F[n]) -> F[n],
    y0: F[n],
    t0: F,
    t1: F,
    method: Implicit[F, s, k, q],
    *,
    save: F[m],
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 8.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096,
    static order: size = 2
) -> Solution[F, F[n], m]
    where s >= 1 and (
        k == 0 and q == 0 or k == s
    ) and (
        q == 0 or q == 2
    ) else "a method of Rosenbrock has as many rows of `coupling` as stages, an ESDIRK method none; `dense` has two rows or none" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _implicitly(
        f,
        fn (t, y) -> t,
        y0,
        t0,
        method,
        c,
        first_step,
        save,
        if m == 0 then 0 else 4,
        max_steps,
        0,
        false,
        order
    )
## Stop at the event, where event(t, y) changes its sign, in the `direction` that `solve` describes.
def solve_stiff[F: Float](
    f: (F, F[n]) -> F[n],
    y0: F[n],
    t0: F,
    t1: F,
    method: Implicit[F, s, k, q],
    *,
    event: (F, F[n]) -> F,
    static direction: int = 0,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 8.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096,
    static order: size = 2
) -> Solution[F, F[n], 0]
    where s >= 1 and (
        k == 0 and q == 0 or k == s
    ) and (
        q == 0 or q == 2
    ) else "a method of Rosenbrock has as many rows of `coupling` as stages, an ESDIRK method none; `dense` has two rows or none" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _implicitly(
        f,
        event,
        y0,
        t0,
        method,
        c,
        first_step,
        zeros([0], F),
        4,
        max_steps,
        direction,
        true,
        order
    )
## Save states on the way to the event; those behind it are nan.
def solve_stiff[F: Float](
    f: (F, F[n]) -> F[n],
    y0: F[n],
    t0: F,
    t1: F,
    method: Implicit[F, s, k, q],
    *,
    event: (F, F[n]) -> F,
    save: F[m],
    static direction: int = 0,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    first_step: F = 0.0,
    min_step: F = 0.0,
    max_step: F = inf,
    safety: F = 0.9,
    min_factor: F = 0.2,
    max_factor: F = 8.0,
    pid: (F, F, F) = (0.0, 1.0, 0.0),
    static max_steps: size = 4096,
    static order: size = 2
) -> Solution[F, F[n], m]
    where s >= 1 and (
        k == 0 and q == 0 or k == s
    ) and (
        q == 0 or q == 2
    ) else "a method of Rosenbrock has as many rows of `coupling` as stages, an ESDIRK method none; `dense` has two rows or none" =
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        min_step,
        max_step,
        safety,
        min_factor,
        max_factor,
        pid
    )
    _implicitly(f, event, y0, t0, method, c, first_step, save, 4, max_steps, direction, true, order)
## Return the solution by `steps` steps of one length, whatever their error; the tolerances are those of Newton's method,
## and `success` is false where it did not converge.
def solve_stiff[F: Float](
    f: (F, F[n]) -> F[n],
    y0: F[n],
    t0: F,
    t1: F,
    method: Implicit[F, s, k, q],
    *,
    static steps: size,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    static order: size = 2
) -> Solution[F, F[n], 0]
    where s >= 1 and (
        k == 0 and q == 0 or k == s
    ) and (
        q == 0 or q == 2
    ) else "a method of Rosenbrock has as many rows of `coupling` as stages, an ESDIRK method none; `dense` has two rows or none"
    where steps >= 1 else "there is a step to take" =
    let h = (t1 - t0) / cast(f32(steps), F)
    let c = _control(
        t0,
        t1,
        rtol,
        atol,
        method.order,
        0.0 * h,
        abs(h),
        0.9 * ones([], F),
        0.2 * ones([], F),
        ones([], F),
        (zeros([], F), zeros([], F), zeros([], F))
    )
    let (y, _, fine) = fold (y, slope, fine) = (y0, f(t0, y0), true) for i in range(steps) do
        let made = _implicit_step(f, method, t0 + cast(i, F) * h, h, y, slope, c, 0, order)
        (made.y, made.slope, fine & (stop_gradient(made.error) < inf))
    {
        t = t1,
        y = y,
        saved = [y0 for _ in range(0)],
        success = fine,
        event = false,
        steps = steps,
        rejected = 0,
        evaluations = steps * s + 1
    }

# ---------------------------------------------------------------- continuous adjoints

type _Adjoint[P: VSpace, A: VSpace] = {y: P, by_state: P, by_args: A}
## Return the state at t1 of y' = f(t, y, args), whose gradient solves the adjoint equation from t1 back to t0 together with
## the state (Pontryagin 1962; Chen et al. 2018). It keeps nothing of the steps. The state is found backwards within the
## tolerances alone, which suits equations that are neither stiff nor chaotic. There are derivatives in reverse, by y0, args
## and the times, and none by what f takes from outside. It is nan where it takes more than `max_steps` steps.
def solve_backsolve[F: Float, P: VSpace[Float], A: VSpace[Float]](
    f: (F, P, A) -> P,
    y0: P,
    args: A,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    static max_steps: size = 4096
) -> P
    where s >= 1 else "a method has a stage"
    where 1 <= r and r <= 2 else "the error of a step is estimated" =
    let forwards = fn (y0, args, t0, t1) -> _reached(
        fn (t, y) -> f(t, y, args),
        y0,
        t0,
        t1,
        method,
        rtol,
        atol,
        max_steps
    )
    let kept = fn (y0, args, t0, t1) ->
        let y1 = forwards(y0, args, t0, t1)
        (y1, (y0, y1, args, t0, t1))
    let backwards = fn (saved, ct) ->
        let (y0, y1, args, t0, t1) = saved
        let slope: (F, _Adjoint[P, A]) -> _Adjoint[P, A] = fn (t, s) ->
            let (there, pullback) = vjp(fn (y, args) -> f(t, y, args), s.y, args)
            let (by_state, by_args) = pullback(s.by_state)
            {y = there, by_state = -by_state, by_args = -by_args}
        let first: _Adjoint[P, A] = {y = y1, by_state = ct, by_args = zeros_like(args)}
        let last = _reached(slope, first, t1, t0, method, rtol, atol, max_steps)
        (
            last.by_state,
            last.by_args,
            -_dot(last.by_state, f(t0, y0, args), t0),
            _dot(ct, f(t1, y1, args), t0)
        )
    custom_vjp(forwards, kept, backwards)(y0, args, t0, t1)
def _reached[F: Float, P: VSpace[Float]](
    f: (F, P) -> P,
    y0: P,
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    rtol: F,
    atol: F,
    static max_steps: size
) -> P where s >= 1 and 1 <= r and r <= 2 =
    let found = solve(f, y0, t0, t1, method, rtol=rtol, atol=atol, max_steps=max_steps)
    tree_map(fn x -> where(found.success, x, nan), found.y)
def _dot[F: Float, P: VSpace[Float]](x: P, y: P, one: F) -> F = tree_reduce(
    fn (total, x) -> total + cast(sum(x), F),
    tree_map(fn (x, y) -> x * y, x, y),
    0.0 * one
)

# ---------------------------------------------------------------- forward sensitivities

## Return the solution at t1 and its derivatives by every element of `args`, along the first axis, by the sensitivity
## equations: s' = f_y s + f_args, solved together with the state, so that the tolerances hold of the derivatives too.
def solve_sensitivities[F: Float](
    f: (F, F[n], F[k]) -> F[n],
    y0: F[n],
    args: F[k],
    t0: F,
    t1: F,
    method: Tableau[F, s, r, q, x],
    *,
    rtol: F = 1e-3,
    atol: F = 1e-6,
    static max_steps: size = 4096
) -> (F[n], F[k, n])
    where s >= 1 else "a method has a stage"
    where 1 <= r and r <= 2 else "the error of a step is estimated" =
    let slope = fn (t, u: F[1 + k, n]) ->
        let changes = [
            jvp(fn (y, args) -> f(t, y, args), (u[0], args), (v, way)).1
            for v, way in zip(u[1:], eye(k, F))
        ]
        concatenate(([f(t, u[0], args)], changes))
    let found = _reached(
        slope,
        concatenate(([y0], zeros([k, n], F))),
        t0,
        t1,
        method,
        rtol,
        atol,
        max_steps
    )
    (found[0], found[1:])

# ---------------------------------------------------------------- symplectic methods

## A method for q' = velocity(t, p), p' = force(t, q) that moves the places and the momenta in turn: the places by the
## shares `drift` of a step, with the momenta by the shares `kick` in between.
type Splitting[F: Float, s] = {drift: F[s + 1], kick: F[s]}
## The leapfrog, or the method of Stormer and Verlet: order 2, one force for each step.
def leapfrog(static F: Float = f32) -> Splitting[F, 1] = {drift = [0.5, 0.5], kick = [1]}
## The method of Ruth (1983), of order 3.
def ruth3(static F: Float = f32) -> Splitting[F, 3] =
    {drift = [1, -2.0 / 3.0, 2.0 / 3.0, 0], kick = [-1.0 / 24.0, 0.75, 7.0 / 24.0]}
## The method of Forest and Ruth (1990) and Yoshida (1990), of order 4.
def yoshida4(static F: Float = f32) -> Splitting[F, 3] =
    let w = 1.0 / (2.0 - 2.0 ** (1.0 / 3.0))
    {drift = [0.5 * w, 0.5 * (1.0 - w), 0.5 * (1.0 - w), 0.5 * w], kick = [w, 1.0 - 2.0 * w, w]}

## Return the places and the momenta at t1 after `steps` symplectic steps of one length. The error of the energy stays
## bounded over long times; volumes in phase space are kept exactly.
def solve_symplectic[F: Float, Q: VSpace, P: VSpace](
    velocity: (F, P) -> Q,
    force: (F, Q) -> P,
    q0: Q,
    p0: P,
    t0: F,
    t1: F,
    method: Splitting[F, s],
    *,
    static steps: size
) -> (Q, P)
    where steps >= 1 else "there is a step to take" =
    let h = (t1 - t0) / cast(f32(steps), F)
    fold (q, p) = (q0, p0) for i in range(steps) do _split(
        velocity,
        force,
        q,
        p,
        t0 + cast(i, F) * h,
        h,
        method,
        0
    )
def _split[F: Float, Q: VSpace, P: VSpace](
    velocity: (F, P) -> Q,
    force: (F, Q) -> P,
    q: Q,
    p: P,
    t: F,
    h: F,
    method: Splitting[F, s],
    static i: size
) -> (Q, P) where i <= s =
    let moved = q + _times(method.drift[i] * h, velocity(t, p))
    if i == s then (moved, p)
    else
        let there = t + method.drift[i] * h
        _split(
            velocity,
            force,
            moved,
            p + _times(method.kick[i] * h, force(there, moved)),
            there,
            h,
            method,
            i + 1
        )
## Return the places and the momenta at the times ts, of which the first has q0 and p0, by `substeps` steps from each to
## the next one.
def solve_symplectic_grid[F: Float, Q: VSpace, P: VSpace](
    velocity: (F, P) -> Q,
    force: (F, Q) -> P,
    q0: Q,
    p0: P,
    ts: F[m],
    method: Splitting[F, s],
    *,
    static substeps: size = 1
) -> (Q[m], P[m])
    where substeps >= 1 else "there is a step to take" =
    let (_, path) =
        scan (t, q, p) = (if m == 0 then zeros([], F) else ts[0], q0, p0) for next in ts do
            let (q, p) = solve_symplectic(velocity, force, q, p, t, next, method, steps=substeps)
            ((next, q, p), (q, p))
    path

# ---------------------------------------------------------------- stochastic equations

## Return a path of Brownian motion from 0 at t0 to t1: a function of the time, which gives the same value for the same time
## wherever and however often it is called. It is a tree of Brownian bridges that is computed anew along one branch for
## each call (Levy 1940; Li et al. 2020), in `depth` draws; between its 2^depth times it is linear.
def brownian[F: Float](
    key: key,
    t0: F,
    t1: F,
    static shape: shape = [],
    *,
    static depth: size = 18
) -> (F) -> F[*shape] where depth <= 60 else "a branch has at most 60 draws" =
    let seeds = i32(random.bits(key, [2]))
    fn t -> _branch(seeds, t0, t1, t, shape, depth)
def _branch[F: Float](
    seeds: i32[2],
    t0: F,
    t1: F,
    t: F,
    static shape: shape,
    static depth: size
) -> F[*shape] =
    let keys = split(random.fold_in(random.key(seeds[0]), seeds[1]))
    let share = clip((t - t0) / (t1 - t0), 0.0, 1.0)
    let span = sqrt(abs(t1 - t0))
    let end = random.normal(keys[0], shape, F)
    let (_, u, _, low, high) =
        fold (key, u, scale, low, high) = (
            keys[1],
            share,
            0.5 * ones([], F),
            zeros(shape, F),
            end
        ) for _ in range(depth) do
            let keys = split(key, 3)
            let middle = 0.5 * (low + high) + scale * random.normal(keys[0], shape, F)
            let before = u < 0.5
            let key = if before then keys[1] else keys[2]
            (
                key,
                if before then 2.0 * u else 2.0 * u - 1.0,
                sqrt(0.5) * scale,
                if before then low else middle,
                if before then middle else high
            )
    span * (low + u * (high - low))

## The schemes of stochastic equations by the integral that they converge to: of Ito, with strong order 1/2, 1 and, without
## derivatives, 1; of Stratonovich, with strong order 1 for diagonal noise.
enum Scheme = EulerMaruyama | Milstein | Platen | HeunStratonovich

## Return the state at t1 of dy = drift(t, y) dt + diffusion(t, y) dw along the path w of Brownian motion, by `steps` steps
## of one length. The noise is diagonal: each element of the diffusion depends on its own element of the state, and of w.
def solve_sde[F: Float](
    drift: (F, F[*s]) -> F[*s],
    diffusion: (F, F[*s]) -> F[*s],
    w: (F) -> F[*s],
    y0: F[*s],
    t0: F,
    t1: F,
    static scheme: Scheme,
    *,
    static steps: size
) -> F[*s]
    where steps >= 1 else "there is a step to take" =
    let h = (t1 - t0) / cast(f32(steps), F)
    let (y, _) = fold (y, before) = (y0, w(t0)) for i in range(steps) do
        let t = t0 + cast(i, F) * h
        let after = w(t + h)
        (_noisy(drift, diffusion, t, h, y, after - before, scheme), after)
    y
def _noisy[F: Float](
    drift: (F, F[*s]) -> F[*s],
    diffusion: (F, F[*s]) -> F[*s],
    t: F,
    h: F,
    y: F[*s],
    dw: F[*s],
    static scheme: Scheme
) -> F[*s] =
    let (a, b) = (drift(t, y), diffusion(t, y))
    match scheme with
        EulerMaruyama -> y + h * a + b * dw
        Milstein ->
            y + h * a + b * dw + 0.5 * jvp(fn y -> diffusion(t, y), (y,), (b,)).1 * (dw * dw - h)
        Platen ->
            let root = sqrt(abs(h))
            (
                y
                + h * a
                + b * dw
                + (diffusion(t, y + h * a + root * b) - b) * (dw * dw - h) / (2.0 * root)
            )
        HeunStratonovich ->
            let there = y + h * a + b * dw
            y + 0.5 * h * (a + drift(t + h, there)) + 0.5 * (b + diffusion(t + h, there)) * dw
## Return the states at the times ts, of which the first has the state y0, by `substeps` steps from each to the next one.
def solve_sde_grid[F: Float](
    drift: (F, F[*s]) -> F[*s],
    diffusion: (F, F[*s]) -> F[*s],
    w: (F) -> F[*s],
    y0: F[*s],
    ts: F[m],
    static scheme: Scheme,
    *,
    static substeps: size = 1
) -> F[m, *s]
    where substeps >= 1 else "there is a step to take" =
    let (_, path) = scan (t, y) = (if m == 0 then zeros([], F) else ts[0], y0) for next in ts do
        let y = solve_sde(drift, diffusion, w, y, t, next, scheme, steps=substeps)
        ((next, y), y)
    path
## Return the state at t1 with noise that is mixed: the diffusion is a matrix with a column for each of the k motions in w.
## The schemes are those that need no areas between the motions: Euler-Maruyama, of Ito with strong order 1/2, and that of
## Heun, of Stratonovich with strong order 1/2, or 1 where the noise commutes.
def solve_sde_mixed[F: Float](
    drift: (F, F[n]) -> F[n],
    diffusion: (F, F[n]) -> F[n, k],
    w: (F) -> F[k],
    y0: F[n],
    t0: F,
    t1: F,
    static scheme: Scheme,
    *,
    static steps: size
) -> F[n]
    where steps >= 1 else "there is a step to take"
    where scheme in (
        EulerMaruyama,
        HeunStratonovich
    ) else "the other schemes are for diagonal noise" =
    let h = (t1 - t0) / cast(f32(steps), F)
    let (y, _) = fold (y, before) = (y0, w(t0)) for i in range(steps) do
        let t = t0 + cast(i, F) * h
        let after = w(t + h)
        let (a, b) = (drift(t, y), diffusion(t, y))
        let there = y + h * a + b @ (after - before)
        let next =
            if scheme == EulerMaruyama then
                there
            else
                (
                    y
                    + 0.5 * h * (a + drift(t + h, there))
                    + 0.5 * (b + diffusion(t + h, there)) @ (after - before)
                )
        (next, after)
    y
