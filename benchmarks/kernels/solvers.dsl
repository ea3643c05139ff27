# Loops that stop by themselves, and their gradients.

type Layer[i, o] = {w: f32[i, o], b: f32[o]}
type Field[d, h] = {first: Layer[d, h], second: Layer[h, h], last: Layer[h, d]}

def _dense(p: Layer[i, o], x: f32[i]) -> f32[o] = x @ p.w + p.b

def _slope(p: Field[d, h], y: f32[d]) -> f32[d] =
    _dense(p.last, tanh(_dense(p.second, tanh(_dense(p.first, y)))))

## What one step of the method of Dormand and Prince gives: the new value, its slope, the error, the value half-way.
def _step(p: Field[d, h], y: f32[d], a: f32[d], s: f32) -> (f32[d], f32[d], f32[d], f32[d]) =
    let b = _slope(p, y + s * (a / 5.0))
    let c = _slope(p, y + s * (3.0 / 40.0 * a + 9.0 / 40.0 * b))
    let d = _slope(p, y + s * (44.0 / 45.0 * a - 56.0 / 15.0 * b + 32.0 / 9.0 * c))
    let e = _slope(
        p,
        y
        + s * (
            19372.0 / 6561.0 * a - 25360.0 / 2187.0 * b + 64448.0 / 6561.0 * c - 212.0 / 729.0 * d
        )
    )
    let f = _slope(
        p,
        y
        + s * (
            9017.0 / 3168.0 * a
            - 355.0 / 33.0 * b
            + 46732.0 / 5247.0 * c
            + 49.0 / 176.0 * d
            - 5103.0 / 18656.0 * e
        )
    )
    let next = (
        y
        + s * (
            35.0 / 384.0 * a
            + 500.0 / 1113.0 * c
            + 125.0 / 192.0 * d
            - 2187.0 / 6784.0 * e
            + 11.0 / 84.0 * f
        )
    )
    let g = _slope(p, next)
    let error = (
        s
        * (
            (35.0 / 384.0 - 1951.0 / 21600.0) * a
            + (500.0 / 1113.0 - 22642.0 / 50085.0) * c
            + (125.0 / 192.0 - 451.0 / 720.0) * d
            + (12231.0 / 42400.0 - 2187.0 / 6784.0) * e
            + (11.0 / 84.0 - 649.0 / 6300.0) * f
            - g / 60.0
        )
    )
    let half = (
        y
        + 0.5 * s * (
            6025192743.0 / 30085553152.0 * a
            + 51252292925.0 / 65400821598.0 * c
            - 2691868925.0 / 45128329728.0 * d
            + 187940372067.0 / 1594534317056.0 * e
            - 1776094331.0 / 19743644256.0 * f
            + 11237099.0 / 235043384.0 * g
        )
    )
    (next, g, error, half)

## The polynomial of degree four through two values, their slopes times the step, and the value half-way, at parts of
## the step.
def _between(
    parts: f32[m],
    y: f32[d],
    next: f32[d],
    half: f32[d],
    a: f32[d],
    b: f32[d]
) -> f32[m, d] =
    let u = 2.0 * (b - a) - 8.0 * (next + y) + 16.0 * half
    let v = 5.0 * a - 3.0 * b + 18.0 * y + 14.0 * next - 32.0 * half
    let w = b - 4.0 * a - 11.0 * y - 5.0 * next + 16.0 * half
    [(((u * r + v) * r + w) * r + a) * r + y for r in parts]

type State[d, m] = {time: f32, size: f32, y: f32[d], slope: f32[d], out: f32[m, d]}

## The path from a value at time 0, at some times up to 1.
def _path(p: Field[d, h], start: f32[d], times: f32[m]) -> f32[m, d] where d >= 1 =
    let first = {
        time = 0.0,
        size = 0.1,
        y = start,
        slope = _slope(p, start),
        out = zeros([m, d]) + start
    }
    let last = iterate q: State[d, m] = first while q.time < 1.0 limit 4096 do
        let size = minimum(q.size, 1.0 - q.time)
        let (next, slope, error, half) = _step(p, q.y, q.slope, size)
        let scaled = error / (1e-6 + 1e-3 * maximum(abs(q.y), abs(next)))
        let squared = mean(scaled * scaled)
        let good = squared < 1.0
        let best = 0.9 * where(squared > 0.0, squared, 1e-30) ** -0.1
        let factor = if good then clip(best, 1.0, 10.0) else clip(best, 0.2, 0.9)
        let parts = (times - q.time) / size
        let found = _between(parts, q.y, next, half, size * q.slope, size * slope)
        let inside = good & (parts > 0.0) & (parts <= 1.0)
        {
            time = if good then q.time + size else q.time,
            size = size * stop_gradient(factor),
            y = if good then next else q.y,
            slope = if good then slope else q.slope,
            out = where(inside[:, none], found, q.out),
        }
    last.out

def ode_loss(
    p: Field[d, h],
    starts: f32[n, d],
    times: f32[m],
    wanted: f32[n, m, d]
) -> f32 where d >= 1 =
    mean((vmap(fn y -> _path(p, y, times))(starts) - wanted) ** 2)

def neural_ode(
    p: Field[d, h],
    starts: f32[n, d],
    times: f32[m],
    wanted: f32[n, m, d]
) -> (f32, Field[d, h]) where d >= 1 =
    value_and_grad(ode_loss)(p, starts, times, wanted)
