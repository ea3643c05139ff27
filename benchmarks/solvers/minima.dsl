# Problems of More, Garbow and Hillstrom (1981): residuals, whose sum of squares is minimal, and equations. The numbers are
# those of the paper.
import solve

def rosenbrock(x: f64[n]) -> f64[2 * (n // 2)] where n % 2 == 0 = # 1, and 21 for n > 2
    concatenate((10.0 * (x[1::2] - x[::2] ** 2), 1.0 - x[::2]))
def freudenstein_roth(x: f64[2]) -> f64[2] = # 2
    [-13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1], -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1]]
def powell_badly_scaled(x: f64[2]) -> f64[2] = [1e4 * x[0] * x[1] - 1.0, exp(-x[0]) + exp(-x[1]) - 1.0001] # 3
def brown_badly_scaled(x: f64[2]) -> f64[3] = [x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2.0] # 4
def beale(x: f64[2]) -> f64[3] = [y - x[0] * (1.0 - x[1] ** f64(i + 1)) for (i, y) in enumerate(f64([1.5, 2.25, 2.625]))] # 5
def jennrich_sampson(x: f64[2]) -> f64[10] = # 6
    [2.0 + 2.0 * i - (exp(i * x[0]) + exp(i * x[1])) for i in f64(iota([10]) + 1)]
def helical_valley(x: f64[3]) -> f64[3] = # 7
    let angle = atan2(x[1], x[0]) / (2.0 * pi)
    let turn = where(angle < -0.25, angle + 1.0, angle)
    [10.0 * (x[2] - 10.0 * turn), 10.0 * (sqrt(x[0] ** 2 + x[1] ** 2) - 1.0), x[2]]
def bard(x: f64[3]) -> f64[15] = # 8
    let y = f64([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])
    let u = f64(iota([15]) + 1)
    let v = 16.0 - u
    y - (x[0] + u / (v * x[1] + minimum(u, v) * x[2]))
def gaussian(x: f64[3]) -> f64[15] = # 9
    let y = f64([0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989, 0.3521, 0.2420, 0.1295, 0.0540, 0.0175, 0.0044, 0.0009])
    let t = 0.5 * (7.0 - f64(iota([15])))
    x[0] * exp(-0.5 * x[1] * (t - x[2]) ** 2) - y
def meyer(x: f64[3]) -> f64[16] = # 10
    let y = f64([34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872])
    x[0] * exp(x[1] / (50.0 + 5.0 * f64(iota([16])) + x[2])) - y
def box(x: f64[3]) -> f64[10] = # 12
    [exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (exp(-t) - exp(-10.0 * t)) for t in 0.1 * f64(iota([10]) + 1)]
def powell_singular(x: f64[4]) -> f64[4] = # 13
    [x[0] + 10.0 * x[1], sqrt(f64(5.0)) * (x[2] - x[3]), (x[1] - 2.0 * x[2]) ** 2, sqrt(f64(10.0)) * (x[0] - x[3]) ** 2]
def wood(x: f64[4]) -> f64[6] = # 14
    let (a, b) = (sqrt(f64(90.0)) * (x[3] - x[2] ** 2), sqrt(f64(10.0)) * (x[1] + x[3] - 2.0))
    [10.0 * (x[1] - x[0] ** 2), 1.0 - x[0], a, 1.0 - x[2], b, (x[1] - x[3]) / sqrt(f64(10.0))]
def kowalik_osborne(x: f64[4]) -> f64[11] = # 15
    let y = f64([0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
    let u = f64([4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
    y - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])
def brown_dennis(x: f64[4]) -> f64[20] = # 16
    [(x[0] + t * x[1] - exp(t)) ** 2 + (x[2] + x[3] * sin(t) - cos(t)) ** 2 for t in 0.2 * f64(iota([20]) + 1)]
def variably_dimensioned(x: f64[n]) -> f64[n + 2] = # 25
    let total = sum(f64(iota([n]) + 1) * (x - 1.0))
    concatenate((x - 1.0, [total, total * total]))
def trigonometric(x: f64[n]) -> f64[n] = # 26
    f64(f32(n)) - sum(cos(x)) + f64(iota([n]) + 1) * (1.0 - cos(x)) - sin(x)
def brown(x: f64[n]) -> f64[n] where n >= 1 = # 27
    where(iota([n]) < n - 1, x + sum(x) - f64(f32(n + 1)), prod(x) - 1.0)
def boundary_value(x: f64[n]) -> f64[n] where n >= 1 = # 28
    let h = 1.0 / f64(f32(n + 1))
    let t = h * f64(iota([n]) + 1)
    2.0 * x - pad(x, ((1, 0),))[:n] - pad(x, ((0, 1),))[1:] + 0.5 * h * h * (x + t + 1.0) ** 3
def integral_equation(x: f64[n]) -> f64[n] where n >= 1 = # 29
    let h = 1.0 / f64(f32(n + 1))
    let t = h * f64(iota([n]) + 1)
    let cubes = (x + t + 1.0) ** 3
    let below = cumsum(t * cubes)
    let above = cumsum((1.0 - t) * cubes)
    x + 0.5 * h * ((1.0 - t) * below + t * (above[n - 1] - above))
def tridiagonal(x: f64[n]) -> f64[n] where n >= 1 = # 30
    (3.0 - 2.0 * x) * x - pad(x, ((1, 0),))[:n] - 2.0 * pad(x, ((0, 1),))[1:] + 1.0
def banded(x: f64[n]) -> f64[n] = # 31
    let p = pad(x * (1.0 + x), ((5, 1),))
    x * (2.0 + 5.0 * x * x) + 1.0 - [sum(p[i : i + 5]) + p[i + 6] for i in range(n)]
