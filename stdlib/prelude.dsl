# The prelude: always in scope. Signatures are written here in the language; what cannot be defined in it is a
# primitive of the compiler, `intrinsic.NAME`.

let pi = 3.141592653589793
let e = 2.718281828459045
let inf = 1e308 * 10.0
let nan = inf - inf

# ---------------------------------------------------------------- elementwise

## The absolute value.
def abs[a: Real](x: a[*s]) -> a[*s] = intrinsic.abs(x)
## The modulus of complex numbers.
def abs[a: Complex](x: a[*s]) -> real_of(a)[*s] = intrinsic.abs(x)
## -1, 0 or 1.
@zero_derivative
def sign[a: Num](x: a[*s]) -> a[*s] = intrinsic.sign(x)
## The square root.
def sqrt[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.sqrt(x)
## One over the square root.
def rsqrt[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.rsqrt(x)
## The cube root.
def cbrt[a: Float](x: a[*s]) -> a[*s] = intrinsic.cbrt(x)
## e to the power x.
def exp[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.exp(x)
## 2 to the power x.
def exp2[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.exp2(x)
## The natural logarithm.
def log[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.log(x)
## The logarithm to base 2.
@static_numbers
def log2[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.log_to(x, base=2.0)
## The logarithm to base 10.
@static_numbers
def log10[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.log_to(x, base=10.0)
## log(1 + x), exact for small x.
def log1p[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.log1p(x)
## exp(x) - 1, exact for small x.
def expm1[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.expm1(x)
## The sine, of radians.
def sin[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.sin(x)
## The cosine, of radians.
def cos[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.cos(x)
## The tangent, of radians.
def tan[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.tan(x)
## The angle in -pi/2 … pi/2 whose sine is x.
def asin[a: Float](x: a[*s]) -> a[*s] = intrinsic.asin(x)
## The angle in 0 … pi whose cosine is x.
def acos[a: Float](x: a[*s]) -> a[*s] = intrinsic.acos(x)
## The angle in -pi/2 … pi/2 whose tangent is x.
def atan[a: Float](x: a[*s]) -> a[*s] = intrinsic.atan(x)
## Another name of `asin`.
def arcsin[a: Float](x: a[*s]) -> a[*s] = intrinsic.asin(x)
## Another name of `acos`.
def arccos[a: Float](x: a[*s]) -> a[*s] = intrinsic.acos(x)
## Another name of `atan`.
def arctan[a: Float](x: a[*s]) -> a[*s] = intrinsic.atan(x)
## (exp(x) - exp(-x)) / 2.
def sinh[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.sinh(x)
## (exp(x) + exp(-x)) / 2.
def cosh[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.cosh(x)
## sinh(x) / cosh(x).
def tanh[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.tanh(x)
## The number whose sinh is x.
def asinh[a: Float](x: a[*s]) -> a[*s] = intrinsic.asinh(x)
## The number >= 0 whose cosh is x.
def acosh[a: Float](x: a[*s]) -> a[*s] = intrinsic.acosh(x)
## The number whose tanh is x.
def atanh[a: Float](x: a[*s]) -> a[*s] = intrinsic.atanh(x)
## Another name of `asinh`.
def arcsinh[a: Float](x: a[*s]) -> a[*s] = intrinsic.asinh(x)
## Another name of `acosh`.
def arccosh[a: Float](x: a[*s]) -> a[*s] = intrinsic.acosh(x)
## Another name of `atanh`.
def arctanh[a: Float](x: a[*s]) -> a[*s] = intrinsic.atanh(x)
## 1 / (1 + exp(-x)).
@nonlinear
def sigmoid[a: Inexact](x: a[*s]) -> a[*s] = intrinsic.sigmoid(x)
## The error function: 2 / sqrt(pi) times the integral of exp(-t²) from 0 to x.
def erf[a: Float](x: a[*s]) -> a[*s] = intrinsic.erf(x)
## 1 - erf(x), exact for large x.
def erfc[a: Float](x: a[*s]) -> a[*s] = intrinsic.erfc(x)
## The number whose erf is x.
def erf_inv[a: Float](x: a[*s]) -> a[*s] = intrinsic.erf_inv(x)
## The logarithm of |Γ(x)|.
def lgamma[a: Float](x: a[*s]) -> a[*s] = intrinsic.lgamma(x)
## The derivative of `lgamma`.
@nonlinear
def digamma[a: Float](x: a[*s]) -> a[*s] = intrinsic.digamma(x)
## x * x.
@static_numbers
def square[a: Num](x: a[*s]) -> a[*s] = x * x
## 1 / x.
@static_numbers
def reciprocal[a: Inexact](x: a[*s]) -> a[*s] = 1.0 / x
## The largest integer that is at most x.
@zero_derivative
def floor[a: Real](x: a[*s]) -> a[*s] = intrinsic.floor(x)
## The smallest integer that is at least x.
@zero_derivative
def ceil[a: Real](x: a[*s]) -> a[*s] = intrinsic.ceil(x)
## x without its fraction.
@zero_derivative
@static_numbers
def trunc[a: Real](x: a[*s]) -> a[*s] = where(x < 0, ceil(x), floor(x))
## To the nearest integer, halves to the even one.
@zero_derivative
def round[a: Real](x: a[*s]) -> a[*s] = intrinsic.round(x)
## To the nearest integer, halves away from zero.
@zero_derivative
def round_away[a: Real](x: a[*s]) -> a[*s] = intrinsic.round_away(x)
## x: real numbers are their real part.
@elements(x)
@linear(x)
def real[a: Real](x: a[*s]) -> a[*s] = intrinsic.real(x)
## The real part of complex numbers.
@linear(x)
def real[a: Complex](x: a[*s]) -> real_of(a)[*s] = intrinsic.real(x)
## The imaginary part of real numbers: 0.
@linear(x)
def imag[a: Real](x: a[*s]) -> a[*s] = intrinsic.imag(x)
## The imaginary part of complex numbers.
@linear(x)
def imag[a: Complex](x: a[*s]) -> real_of(a)[*s] = intrinsic.imag(x)
## The complex conjugate.
@elements(x)
@linear(x)
def conj[a: Num](x: a[*s]) -> a[*s] = intrinsic.conj(x)
## The angle in the complex plane: 0 for numbers from 0, pi for negative ones.
@static_numbers
def angle[a: Float](x: a[*s]) -> a[*s] = atan2(0.0, x)
## The angle of complex numbers, in -pi … pi.
@static_numbers
def angle[a: Complex](x: a[*s]) -> real_of(a)[*s] = atan2(imag(x), real(x))
## Whether it is not a number.
@static_numbers
def isnan[a: Num](x: a[*s]) -> bool[*s] = x != x
## Whether it is an infinity.
@static_numbers
def isinf[a: Real](x: a[*s]) -> bool[*s] = (x == x) & (x - x != 0)
## Whether one of its parts is an infinity.
@static_numbers
def isinf(x: c64[*s]) -> bool[*s] = isinf(real(x)) | isinf(imag(x))
## The same in double precision.
@static_numbers
def isinf(x: c128[*s]) -> bool[*s] = isinf(real(x)) | isinf(imag(x))
## Whether it is neither nan nor an infinity: of these the difference is nan.
@static_numbers
def isfinite[a: Num](x: a[*s]) -> bool[*s] = x - x == 0

## The larger of two; nan if one is nan.
@elements(x, y)
@nonlinear
def maximum[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.maximum(x, y)
## The smaller of two; nan if one is nan.
@elements(x, y)
@nonlinear
def minimum[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.minimum(x, y)
## x to the power y.
@static_numbers
def power[a: Num](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x ** y
## The angle of the point (x, y) in -pi … pi.
def atan2[a: Float](y: a[*s], x: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.atan2(y, x)
## Another name of `atan2`.
def arctan2[a: Float](y: a[*s], x: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.atan2(y, x)
# Scaled by the larger one, so that squares neither overflow nor vanish. Which is larger is a comparison, not `max` and
# `abs`: either choice is the whole function, so that derivatives of all orders are right at ties and zeros.
## sqrt(x² + y²).
@static_numbers
def hypot[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let first = (abs(x) >= abs(y)) | isnan(y)
    let large = where(first, x, y)
    let small = where(first, y, x)
    let ratio = where(isinf(large), 0.0, small / where(large == 0, 1.0, large))
    abs(large) * sqrt(1.0 + square(ratio))
# Its derivative is told: one of the choices between x and y would make every product of a derivative absorb zeros.
## log(exp(x) + exp(y)), without overflow.
@static_numbers
def logaddexp[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let z = broadcasted(s, t)
    custom_jvp(_logaddexp, _logaddexp_along)(broadcast_to(x, z), broadcast_to(y, z))
def _logaddexp_along[a: Float](p: (a[*s], a[*s]), v: (a[*s], a[*s])) -> (a[*s], a[*s]) =
    let gap = where(isinf(p.0) & (p.0 == p.1), 0.0, p.0 - p.1)
    (_logaddexp(p.0, p.1), sigmoid(gap) * v.0 + sigmoid(-gap) * v.1)
# The larger of the two by a comparison, as in `hypot`; the sum of two infinities of one sign is that infinity.
def _logaddexp[a: Float](x: a[*s], y: a[*s]) -> a[*s] =
    let first = x >= y
    let large = where(first, x, y)
    let gap = where(first, y, x) - large
    where((x == y) & isnan(gap), x + y, large + log1p(exp(gap)))
## The rest of `floor_divide`, with the sign of y: the operator `%`.
@static_numbers
def mod[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x % y
## The quotient rounded down: the operator `//`.
@zero_derivative
@static_numbers
def floor_divide[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x // y

## x where the mask is true, y elsewhere.
@elements(x, y)
@linear(x, y)
def where[a: Any](mask: bool[*r], x: a[*s], y: a[*t]) -> a[*broadcasted(broadcasted(r, s), t)] =
    intrinsic.where(mask, x, y)
## x where it lies between min and max, else the nearer of them.
@elements(x, min, max)
@static_numbers
def clip[a: Real](x: a[*s], min: a[*t], max: a[*u]) -> a[*broadcasted(broadcasted(s, t), u)] =
    minimum(maximum(x, min), max)

## The operator `+`.
def add[a: Num](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x + y
## The operator `-`.
def subtract[a: Num](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x - y
## The operator `*`.
@multilinear(x, y)
def multiply[a: Num](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x * y
## The operator `/`.
def divide[a: Inexact](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x / y
## The operator `-` of one operand.
@linear(x)
def negative[a: Num](x: a[*s]) -> a[*s] = -x
## The operator `==`.
def equal[a: Any](x: a[*s], y: a[*t]) -> bool[*broadcasted(s, t)] = x == y
## The operator `!=`.
def not_equal[a: Any](x: a[*s], y: a[*t]) -> bool[*broadcasted(s, t)] = x != y
## The operator `<`.
def less[a: Real](x: a[*s], y: a[*t]) -> bool[*broadcasted(s, t)] = x < y
## The operator `<=`.
def less_equal[a: Real](x: a[*s], y: a[*t]) -> bool[*broadcasted(s, t)] = x <= y
## The operator `>`.
def greater[a: Real](x: a[*s], y: a[*t]) -> bool[*broadcasted(s, t)] = x > y
## The operator `>=`.
def greater_equal[a: Real](x: a[*s], y: a[*t]) -> bool[*broadcasted(s, t)] = x >= y
## Both: the operator `&`.
def logical_and(x: bool[*s], y: bool[*t]) -> bool[*broadcasted(s, t)] = x & y
## One or both: the operator `|`.
def logical_or(x: bool[*s], y: bool[*t]) -> bool[*broadcasted(s, t)] = x | y
## One, not both: the operator `^`.
def logical_xor(x: bool[*s], y: bool[*t]) -> bool[*broadcasted(s, t)] = x ^ y
## The operator `~`.
def logical_not(x: bool[*s]) -> bool[*s] = ~x

## The bits that are 1 in both.
def bitwise_and[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x & y
## The bits that are 1 in one or both.
def bitwise_or[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x | y
## The bits that are 1 in one, not in both.
def bitwise_xor[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x ^ y
## All bits the other way.
def bitwise_not[a: Int](x: a[*s]) -> a[*s] = ~x
## Bits moved up by y places.
def left_shift[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x << y
## Arithmetic on signed integers, logical on unsigned ones.
def right_shift[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x >> y
## How many bits are 1.
def bitwise_count[a: Int](x: a[*s]) -> a[*s] = intrinsic.population_count(x)
## The next number after x towards y.
@no_derivative
def nextafter[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.nextafter(x, y)
## Another name of `abs`, of real numbers.
def absolute[a: Real](x: a[*s]) -> a[*s] = abs(x)
## Another name of `abs`, of floats.
def fabs[a: Float](x: a[*s]) -> a[*s] = abs(x)
## x.
@elements(x)
def positive[a: Num](x: a[*s]) -> a[*s] = x
## Another name of `divide`.
def true_divide[a: Inexact](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = x / y
## Another name of `mod`.
def remainder[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = mod(x, y)
## The remainder of the quotient rounded towards 0, with the sign of x. Of integers and y = 0 it is x.
def fmod[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.rem(x, y)
## Both the quotient rounded down and its rest.
def divmod[a: Real](x: a[*s], y: a[*t]) -> (a[*broadcasted(s, t)], a[*broadcasted(s, t)]) =
    (x // y, x % y)
## sin(pi x) / (pi x), 1 at 0.
def sinc[a: Float](x: a[*s]) -> a[*s] = where(x == 0, 1.0, sin(pi * x) / where(x == 0, 1.0, pi * x))
## Radians to degrees.
def degrees[a: Float](x: a[*s]) -> a[*s] = x * (180.0 / pi)
## Degrees to radians.
def radians[a: Float](x: a[*s]) -> a[*s] = x * (pi / 180.0)
## Another name of `radians`.
def deg2rad[a: Float](x: a[*s]) -> a[*s] = radians(x)
## Another name of `degrees`.
def rad2deg[a: Float](x: a[*s]) -> a[*s] = degrees(x)
## 0 where x < 0, h where x is 0, 1 where x > 0.
def heaviside[a: Float](x: a[*s], h: a) -> a[*s] = where(x < 0, 0.0, where(x > 0, 1.0, h))
## nan as `nan`, the infinities as the largest finite numbers.
def nan_to_num[a: Float](x: a[*s], *, nan: a = 0.0) -> a[*s] =
    where(
        isnan(x),
        nan,
        clip(x, nextafter(full([], cast(-inf, a)), 0.0), nextafter(full([], cast(inf, a)), 0.0))
    )
## |x - y| <= atol + rtol |y|, or both the same infinity.
def isclose[a: Float](
    x: a[*s],
    y: a[*s],
    *,
    rtol: a = 1e-5,
    atol: a = 1e-8,
    static equal_nan: bool = false
) -> bool[*s] =
    let near = (abs(x - y) <= atol + rtol * abs(y)) & isfinite(y)
    let same = (x == y) | near
    if equal_nan then same | (isnan(x) & isnan(y)) else same
## Whether all elements are close.
def allclose[a: Float](
    x: a[*s],
    y: a[*s],
    *,
    rtol: a = 1e-5,
    atol: a = 1e-8,
    static equal_nan: bool = false
) -> bool =
    all(isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan))
## Whether all elements are equal.
def array_equal[a: Any](x: a[*s], y: a[*s]) -> bool = all(x == y)
## Whether the sign bit is set, of -0 too; not asked of nan.
def signbit[a: Float](x: a[*s]) -> bool[*s] = (x < 0) | ((x == 0) & (1.0 / x < 0))
## The magnitude of x with the sign of y.
def copysign[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let size = _spread(abs(x), broadcasted(s, t))
    where(signbit(y), -size, size)
## The larger of two; the other one if one is nan.
def fmax[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let (x, y) = (_spread(x, broadcasted(s, t)), _spread(y, broadcasted(s, t)))
    maximum(where(isnan(x), y, x), where(isnan(y), x, y))
## The smaller of two; the other one if one is nan.
def fmin[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let (x, y) = (_spread(x, broadcasted(s, t)), _spread(y, broadcasted(s, t)))
    minimum(where(isnan(x), y, x), where(isnan(y), x, y))
## log2(2 ** x + 2 ** y), without overflow.
def logaddexp2[a: Float](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    logaddexp(x * log(2.0), y * log(2.0)) * (1.0 / log(2.0))
## Another name of `round`.
@zero_derivative
def rint[a: Real](x: a[*s]) -> a[*s] = round(x)
## Another name of `trunc`.
@zero_derivative
def fix[a: Real](x: a[*s]) -> a[*s] = trunc(x)
## Another name of `conj`.
@elements(x)
@linear(x)
def conjugate[a: Num](x: a[*s]) -> a[*s] = conj(x)
## Whether it is the positive infinity.
def isposinf[a: Float](x: a[*s]) -> bool[*s] = x == inf
## Whether it is the negative infinity.
def isneginf[a: Float](x: a[*s]) -> bool[*s] = x == -inf
## The greatest common divisor, by Euclid's algorithm; 0 of zeros.
def gcd[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let start = (_spread(x, broadcasted(s, t)), _spread(y, broadcasted(s, t)))
    let (found, _) = iterate (x, y) = start while any(y != 0) limit 100 do
        (where(y == 0, x, y), where(y == 0, 0, fmod(x, where(y == 0, 1, y))))
    abs(found)
## The least common multiple; 0 if one is 0.
def lcm[a: Int](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] =
    let d = gcd(x, y)
    abs(x) // where(d == 0, 1, d) * abs(y)
## The choice of the first condition that is true, element by element; `default` where none is.
@elements(choicelist, default)
def select[a: Any](condlist: bool[k, *s], choicelist: a[k, *s], default: a = cast(0, a)) -> a[*s] =
    fold chosen = full(s, default) for (c, x) in zip(
        condlist,
        choicelist
    ) reverse do where(c, x, chosen)

# ---------------------------------------------------------------- reductions

## The sum along the axes, or of all elements.
@linear(x)
def sum[a: Num](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    intrinsic.sum(x, axis=axis, keepdims=keepdims)
## How many are true.
def sum(
    x: bool[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> i32[*reduced(s, axis, keepdims)] =
    intrinsic.sum(i32(x), axis=axis, keepdims=keepdims)
## The sum of a static list.
static def sum(s: ints) -> int = intrinsic.list_sum(s)
## The sum of the elements where the mask is true.
def sum[a: Num](
    x: a[*s],
    *,
    where: bool[*t],
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(broadcasted(t, s), axis, keepdims)] =
    sum(_masked(where, x, 0), axis=axis, keepdims=keepdims)
def _masked[a: Any](mask: bool[*t], x: a[*s], other: a) -> a[*broadcasted(t, s)] =
    where(mask, x, other)
## The product along the axes, or of all elements.
def prod[a: Num](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    intrinsic.prod(x, axis=axis, keepdims=keepdims)
## The product of a static list: of a shape, the number of elements.
static def prod(s: ints) -> int = intrinsic.list_prod(s)
## The mean along the axes, or of all elements.
@linear(x)
def mean[a: Inexact](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    if a == f16 or a == bf16 then
        cast(_quotient(cast(x, f32), axis, keepdims), a)
    else
        _quotient(x, axis, keepdims)
## The share of those that are true.
def mean(
    x: bool[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> f32[*reduced(s, axis, keepdims)] =
    _quotient(f32(x), axis, keepdims)
def _quotient[a: Inexact](
    x: a[*s],
    static axis: axes,
    static keepdims: bool
) -> a[*reduced(s, axis, keepdims)] =
    sum(x, axis=axis, keepdims=keepdims) / extent(s, axis)
## The mean of the elements where the mask is true.
def mean[a: Inexact](
    x: a[*s],
    *,
    where: bool[*t],
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(broadcasted(t, s), axis, keepdims)] =
    let (x, mask) = (_spread(x, broadcasted(t, s)), _spread(where, broadcasted(t, s)))
    if a == f16 or a == bf16 then
        cast(_mean_where(cast(x, f32), mask, axis, keepdims), a)
    else
        _mean_where(x, mask, axis, keepdims)
def _mean_where[a: Inexact](
    x: a[*s],
    mask: bool[*s],
    static axis: axes,
    static keepdims: bool
) -> a[*reduced(s, axis, keepdims)] =
    sum(x, where=mask, axis=axis, keepdims=keepdims) / cast(
        sum(mask, axis=axis, keepdims=keepdims),
        a
    )
def _spread[a: Any](x: a[*s], static shape: shape) -> a[*shape] =
    intrinsic.broadcast_to(x, shape=shape)
## The mean of the squared distance from the mean; divided by n - ddof.
def var[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false,
    static ddof: int = 0
) -> a[*reduced(s, axis, keepdims)] =
    if a == f16 or a == bf16 then
        cast(_variance(cast(x, f32), axis, keepdims, ddof), a)
    else
        _variance(x, axis, keepdims, ddof)
def _variance[a: Float](
    x: a[*s],
    static axis: axes,
    static keepdims: bool,
    static ddof: int
) -> a[*reduced(s, axis, keepdims)] =
    let centred = x - _quotient(x, axis, true)
    sum(square(centred), axis=axis, keepdims=keepdims) / (extent(s, axis) - ddof)
## The square root of `var`.
def std[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false,
    static ddof: int = 0
) -> a[*reduced(s, axis, keepdims)] =
    if a == f16 or a == bf16 then cast(sqrt(_variance(cast(x, f32), axis, keepdims, ddof)), a)
    else sqrt(_variance(x, axis, keepdims, ddof))
## The largest element along the axes, or of all; nan if one is nan.
@elements(x)
def max[a: Real](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    intrinsic.max(x, axis=axis, keepdims=keepdims)
## The larger of two: `maximum`.
@elements(x, y)
def max[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.maximum(x, y)
## The largest of a static list.
static def max(s: ints) -> int = intrinsic.list_max(s)
## The largest of `initial` and the elements where the mask is true.
@elements(x, initial)
def max[a: Real](
    x: a[*s],
    *,
    where: bool[*t],
    initial: a,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(broadcasted(t, s), axis, keepdims)]
    where extent(broadcasted(t, s), axis) >= 1 =
    let found: a[*reduced(broadcasted(t, s), axis, keepdims)] = intrinsic.max(
        _masked(where, x, initial),
        axis=axis,
        keepdims=keepdims
    )
    max(found, initial)
## The smallest element along the axes, or of all; nan if one is nan.
@elements(x)
def min[a: Real](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    intrinsic.min(x, axis=axis, keepdims=keepdims)
## The smaller of two: `minimum`.
@elements(x, y)
def min[a: Real](x: a[*s], y: a[*t]) -> a[*broadcasted(s, t)] = intrinsic.minimum(x, y)
## The smallest of a static list.
static def min(s: ints) -> int = intrinsic.list_min(s)
## The smallest of `initial` and the elements where the mask is true.
@elements(x, initial)
def min[a: Real](
    x: a[*s],
    *,
    where: bool[*t],
    initial: a,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(broadcasted(t, s), axis, keepdims)]
    where extent(broadcasted(t, s), axis) >= 1 =
    let found: a[*reduced(broadcasted(t, s), axis, keepdims)] = intrinsic.min(
        _masked(where, x, initial),
        axis=axis,
        keepdims=keepdims
    )
    min(found, initial)
## Whether one is true.
def any(
    x: bool[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> bool[*reduced(s, axis, keepdims)] =
    intrinsic.any(x, axis=axis, keepdims=keepdims)
## Whether one of a static list of conditions is true.
static def any(s: flags) -> bool = true in s
## Whether all are true.
def all(
    x: bool[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> bool[*reduced(s, axis, keepdims)] =
    intrinsic.all(x, axis=axis, keepdims=keepdims)
## Whether all of a static list of conditions are true.
static def all(s: flags) -> bool = false not in s
## The index of the largest element, the first of equals.
def argmax[a: Real](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> idx[extent(s, axis)][*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    intrinsic.argmax(x, axis=axis, keepdims=keepdims)
## The index of the smallest element, the first of equals.
def argmin[a: Real](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> idx[extent(s, axis)][*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    intrinsic.argmin(x, axis=axis, keepdims=keepdims)
## The middle element in order, or the mean of the two in the middle: by counting, in up to 64 passes over the elements, as
## `quantile` and `percentile` at up to four places; these sort for more.
def median[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    quantile(x, 0.5, axis=axis, keepdims=keepdims)
## The element at q (n - 1) in order, 0 <= q <= 1, by a line between its neighbours; `median` is that at 0.5. Of several q
## all of them, along the first axes of the result.
def quantile[a: Float](
    x: a[*s],
    q: a[*t],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*(t + reduced(s, axis, keepdims))] where extent(s, axis) >= 1 =
    if a == f16 or a == bf16 then cast(_quantile(cast(x, f32), cast(q, f32), axis, keepdims), a)
    else _quantile(x, q, axis, keepdims)
def _quantile[a: Float](
    x: a[*s],
    q: a[*t],
    static axis: axes,
    static keepdims: bool
) -> a[*(t + reduced(s, axis, keepdims))] where extent(s, axis) >= 1 =
    let rows = _along(x, axis)
    let place = ravel(q) * (extent(s, axis) - 1)
    _reshaped(_at_places(rows, place), t + reduced(s, axis, keepdims))
# Few places of each row are found without sorting it.
def _at_places[a: Float](rows: a[m, n], place: a[k]) -> a[k, m] where n >= 1 =
    if k <= 4 then [_at_place(rows, p) for p in place]
    else
        let sorted = sort(rows)
        let below = cast(place, i32)
        let first = sorted.at[:, below].get(mode="clip")
        let second = sorted.at[:, below + 1].get(mode="clip")
        let end = sorted[:, n - 1 :]
        where(isnan(end), end, _between(first, second, (place - floor(place)) * (second - first))).T
# At places in the order of each row; nan where it holds nan.
def _at_place[a: Float](rows: a[m, n], place: a) -> a[m] where n >= 1 =
    let (first, second) = _ranked(rows, full([m], cast(place, i32)))
    where(
        any(isnan(rows), axis=1),
        nan,
        _between(first, second, (place - floor(place)) * (second - first))
    )
# The elements of a rank and of the next one.
def _ranked[a: Float](rows: a[m, n], rank: i32[m]) -> (a[m], a[m]) where n >= 1 =
    intrinsic.ranked(rows, rank)
def _between[a: Float](first: a[*s], second: a[*s], step: a[*s]) -> a[*s] =
    where(first == second, first, first + step)
# A row for the elements along the axes, for each place along the others.
def _along[a: Any](x: a[*s], static axis: axes) -> a[
    extent(s, none) // extent(s, axis),
    extent(s, axis)
]
    where extent(s, axis) >= 1 =
    let others: a[
        *permuted(s, _behind_others(len(s), axis))
    ] = intrinsic.transpose(x, axes=_behind_others(len(s), axis))
    _reshaped(others, [extent(s, none) // extent(s, axis), extent(s, axis)])
static def _behind_others(rank: int, axis: axes) -> ints =
    if axis == none then [i for i in range(rank)]
    else _others(rank, _from_front(_listed(axis), rank)) + _from_front(_listed(axis), rank)
## quantile(x, q / 100).
def percentile[a: Float](
    x: a[*s],
    q: a[*t],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*(t + reduced(s, axis, keepdims))] where extent(s, axis) >= 1 =
    quantile(x, q / 100.0, axis=axis, keepdims=keepdims)
## The sum of what is not nan.
def nansum[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    sum(where(isnan(x), 0.0, x), axis=axis, keepdims=keepdims)
## The mean of what is not nan.
def nanmean[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    nansum(x, axis=axis, keepdims=keepdims) / cast(
        sum(i32(~isnan(x)), axis=axis, keepdims=keepdims),
        a
    )
## The variance of what is not nan.
def nanvar[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    nanmean(square(x - nanmean(x, axis=axis, keepdims=true)), axis=axis, keepdims=keepdims)
## The square root of `nanvar`.
def nanstd[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    sqrt(nanvar(x, axis=axis, keepdims=keepdims))
## The largest of what is not nan; nan if there is nothing else.
def nanmax[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    where(
        all(isnan(x), axis=axis, keepdims=keepdims),
        nan,
        max(where(isnan(x), -inf, x), axis=axis, keepdims=keepdims)
    )
## The smallest of what is not nan; nan if there is nothing else.
def nanmin[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    -nanmax(-x, axis=axis, keepdims=keepdims)
## log(sum(exp(x))), without overflow.
def logsumexp[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    let largest: a[*reduced(s, axis, true)] = intrinsic.max(x, axis=axis, keepdims=true)
    let top = stop_gradient(where(isfinite(largest), largest, 0.0))
    log(sum(exp(x - top), axis=axis, keepdims=keepdims)) + reshape(top, reduced(s, axis, keepdims))

## How many elements are not 0.
def count_nonzero[a: Any](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> i32[*reduced(s, axis, keepdims)] =
    sum(i32(x != cast(0, a)), axis=axis, keepdims=keepdims)
## The largest less the smallest.
def ptp[a: Real](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)
## The mean with these weights.
def average[a: Float](x: a[n], weights: a[n]) -> a = sum(x * weights) / sum(weights)
## The mean.
def average[a: Float](x: a[*s]) -> a = mean(x)

## The sums of the elements up to each.
def cumsum[a: Num](x: a[*s], *, static axis: int = 0, static reverse: bool = false) -> a[*s]
    where has_axis(s, axis) =
    intrinsic.cumsum(x, axis=axis, reverse=reverse)
## The products of the elements up to each.
def cumprod[a: Num](x: a[*s], *, static axis: int = 0, static reverse: bool = false) -> a[*s]
    where has_axis(s, axis) =
    intrinsic.cumprod(x, axis=axis, reverse=reverse)
## The largest of the elements up to each.
@elements(x)
def cummax[a: Real](x: a[*s], *, static axis: int = 0, static reverse: bool = false) -> a[*s]
    where has_axis(s, axis) =
    intrinsic.cummax(x, axis=axis, reverse=reverse)
## log(cumsum(exp(x))), without overflow; in log n rounds of n additions along an axis of n.
def cumlogsumexp[a: Float](x: a[*s], *, static axis: int = 0, static reverse: bool = false) -> a[*s]
    where has_axis(s, axis) =
    let size = max(extent(s, axis), 1)
    let rows = _reshaped(swapaxes(x, axis, -1), [extent(s, none) // size, size])
    let sums =
        if reverse then
            flip(_running_logsumexp(flip(rows, axis=1), 1), axis=1)
        else
            _running_logsumexp(rows, 1)
    let back: a[*s] = intrinsic.transpose(
        _reshaped(sums, swapped(s, axis, -1)),
        axes=_exchanged(len(s), axis, -1)
    )
    back
# By doubling: after k rounds every element holds the sum of the 2^k up to it.
def _running_logsumexp[a: Float](x: a[n, m], static step: int) -> a[n, m] where step >= 1 =
    if step >= m then x
    else _running_logsumexp(
        concatenate((x[:, :step], logaddexp(x[:, step:], x[:, : m - step])), axis=1),
        2 * step
    )
def _reshaped[a: Any](x: a[*s], static shape: shape) -> a[*shape] =
    intrinsic.reshape(x, shape=shape)
## The smallest of the elements up to each.
@elements(x)
def cummin[a: Float](x: a[*s], *, static axis: int = 0, static reverse: bool = false) -> a[*s]
    where has_axis(s, axis) =
    -cummax(-x, axis=axis, reverse=reverse)
## The same of integers.
@elements(x)
def cummin[a: Int](x: a[*s], *, static axis: int = 0, static reverse: bool = false) -> a[*s]
    where has_axis(s, axis) =
    ~cummax(~x, axis=axis, reverse=reverse)
## The quantile of what is not nan; nan if there is nothing else.
def nanquantile[a: Float](
    x: a[*s],
    q: a,
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    if a == f16 or a == bf16 then cast(_nanquantile(cast(x, f32), cast(q, f32), axis, keepdims), a)
    else _nanquantile(x, q, axis, keepdims)
def _nanquantile[a: Float](
    x: a[*s],
    q: a,
    static axis: axes,
    static keepdims: bool
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    let rows = _along(x, axis)
    let last = maximum(sum(i32(~isnan(rows)), axis=1) - 1, 0)
    let place = q * cast(last, a)
    let (first, next) = _ranked(rows, cast(place, i32))
    let second = where(cast(place, i32) < last, next, first)
    _reshaped(
        _between(first, second, (place - floor(place)) * (second - first)),
        reduced(s, axis, keepdims)
    )
## The median of what is not nan.
def nanmedian[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    nanquantile(x, 0.5, axis=axis, keepdims=keepdims)
## nanquantile(x, q / 100).
def nanpercentile[a: Float](
    x: a[*s],
    q: a,
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    nanquantile(x, q / 100.0, axis=axis, keepdims=keepdims)
## The product of what is not nan.
def nanprod[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    prod(where(isnan(x), 1.0, x), axis=axis, keepdims=keepdims)
## The sums of the elements up to each, nan counted as 0.
def nancumsum[a: Float](x: a[*s], *, static axis: int = 0) -> a[*s] where has_axis(s, axis) =
    cumsum(where(isnan(x), 0.0, x), axis=axis)
## The index of the largest of what is not nan.
def nanargmax[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> idx[extent(s, axis)][*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    argmax(where(isnan(x), -inf, x), axis=axis, keepdims=keepdims)
## The index of the smallest of what is not nan.
def nanargmin[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> idx[extent(s, axis)][*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    argmin(where(isnan(x), inf, x), axis=axis, keepdims=keepdims)

# ---------------------------------------------------------------- shapes

## The shape without the axes, or with sizes of 1 there: of a reduction.
static def reduced(s: shape, axis: axes, keepdims: bool) -> shape =
    intrinsic.reduced(s, axis, keepdims)
## The shape without the axes.
static def removed(s: shape, axis: axes) -> shape = intrinsic.removed(s, axis)
## The shape with new axes of a size, at these places of the result.
static def inserted(s: shape, axis: axes, size: size = 1) -> shape =
    intrinsic.inserted(s, axis, size)
## The shape with another size of the axes.
static def replaced(s: shape, axis: axes, size: size) -> shape = intrinsic.replaced(s, axis, size)
## The axes in another order, reversed for none.
static def permuted(s: shape, axes: axes) -> shape = intrinsic.permuted(s, axes)
## The last two axes swapped.
static def transposed(s: shape) -> shape = intrinsic.transposed(s)
## Two axes swapped.
static def swapped(s: shape, axis1: int, axis2: int) -> shape = intrinsic.swapped(s, axis1, axis2)
## The shape of an elementwise operation on arrays of the two.
static def broadcasted(s: shape, t: shape) -> shape = intrinsic.broadcasted(s, t)
## The second shape, to which arrays of the first are broadcast.
static def stretched(s: shape, t: shape) -> shape = intrinsic.stretched(s, t)
## The second shape, which has as many elements as the first; one -1 in it is what is left over.
static def reshaped(s: shape, t: ints) -> shape = intrinsic.reshaped(s, t)
## The shape of a product by `@` of arrays of the two: the last axis of the first meets the last but one of the second.
static def contracted(s: shape, t: shape) -> shape = intrinsic.contracted(s, t)
## The size of an axis, of several together, or of all for none.
static def extent(s: shape, axis: axes) -> int = intrinsic.extent(s, axis)
## Whether there is such an axis, or each of several.
static def has_axis(s: shape, axis: axes) -> bool = intrinsic.has_axis(s, axis)
static def _is_order(s: shape, axes: axes) -> bool = intrinsic.is_order(s, axes)
## The dtype of complex numbers that numbers of a dtype become: of f64 and c128 c128, of all others c64.
static def complex_of(dtype: dtype) -> dtype = intrinsic.complex_of(dtype)
## The dtype of the real part: of c64 f32, of c128 f64; any other dtype is itself.
static def real_of(dtype: dtype) -> dtype = intrinsic.real_of(dtype)
## Whether a dtype holds an integer; a float dtype holds those that are not infinite in it.
static def holds(dtype: dtype, number: int) -> bool = intrinsic.holds(dtype, number)
## Whether a dtype holds a float: it stays finite there, or is not finite itself; of integers, what is left of it.
static def holds(dtype: dtype, number: float) -> bool = intrinsic.holds_float(dtype, number)

## A static number without its fraction, as a static integer: `int(round(0.8 * n))` may be a size.
static def int(x: float) -> int where isfinite(x) else "only a finite number has an integer" =
    if x < 0.0 then -int(-x)
    else if x < 1.0 then 0
    else
        let half = int(x / 2.0)
        if x - 2 * half < 1.0 then 2 * half else 2 * half + 1
## The size of the first axis.
def len[a: Any](x: a[*s]) -> int where has_axis(s, 0) = extent(s, 0)
## The number of items of a static list: of a shape, the number of axes.
static def len(s: ints) -> int = intrinsic.len(s)
## The number of pairs in a static list.
static def len(s: pairs) -> int = intrinsic.len(s)
## The number of conditions in a static list.
static def len(s: flags) -> int = intrinsic.len(s)
## The letters of a string, as the integers that Unicode has for them.
static def letters(text: str) -> ints = intrinsic.letters(text)

# ---------------------------------------------------------------- creation

## An array of zeros.
@elements(0)
def zeros(static shape: shape, static dtype: dtype = f32) -> dtype[*shape] =
    full(shape, cast(0, dtype))
## An array of ones.
@elements(1)
def ones(static shape: shape, static dtype: dtype = f32) -> dtype[*shape] =
    full(shape, cast(1, dtype))
## An array of one value.
@elements(fill_value)
@linear(fill_value)
def full[a: Any](static shape: shape, fill_value: a) -> a[*shape] =
    intrinsic.broadcast_to(fill_value, shape=shape)
## The same, of an integer that the dtype holds.
@elements(fill_value)
def full(static shape: shape, static fill_value: int, static dtype: dtype) -> dtype[*shape]
    where holds(dtype, fill_value) else "the dtype holds the number" =
    full(shape, cast(fill_value, dtype))
## The same, of a float that the dtype holds.
def full(static shape: shape, static fill_value: float, static dtype: dtype) -> dtype[*shape]
    where holds(dtype, fill_value) else "the dtype holds the number" =
    full(shape, cast(fill_value, dtype))
## The same, of the value as a dtype.
@elements(fill_value)
def full[a: Any](static shape: shape, fill_value: a, static dtype: dtype) -> dtype[*shape]
    where a not in (c64, c128) or dtype in (
        bool,
        c64,
        c128
    ) else "complex numbers fill arrays of complex numbers" =
    full(shape, cast(fill_value, dtype))
## Zeros in the place of every element of a tree.
@constant
@elements(0)
def zeros_like[T: Tree](x: T) -> T = tree_map(fn leaf -> full(leaf.shape, cast(0, leaf.dtype)), x)
## Ones in the place of every element of a tree.
@constant
@elements(1)
def ones_like[T: Tree](x: T) -> T = tree_map(fn leaf -> full(leaf.shape, cast(1, leaf.dtype)), x)
## An array like x, of one value.
@elements(fill_value)
def full_like[a: Any](x: a[*s], fill_value: a) -> a[*s] = full(s, fill_value)
## Nothing is computed across it, and nothing is known of the value behind it.
@elements(x)
def optimization_barrier[T: Tree](x: T) -> T = intrinsic.optimization_barrier(x)
## num points from start to stop, both included; equal ends give equal points.
def linspace[a: Float](start: a, stop: a, static num: size) -> a[num] =
    if a == f16 or a == bf16 then
        cast(_line(cast(start, f32), cast(stop, f32), num), a)
    else
        _line(start, stop, num)
## The same as numbers of a dtype.
def linspace(start: dtype, stop: dtype, static num: size, *, static dtype: Float) -> dtype[num] =
    linspace(start, stop, num)
def _line[a: Float](start: a, stop: a, static num: size) -> a[num] =
    let places: a[num] = intrinsic.iota(shape=(num,), axis=0, dtype=a)
    let way = places / (0.5 * max(num - 1, 1))
    let half = 0.5 * stop - 0.5 * start  # their difference may be infinite
    where(way < 1.0, start + half * way, stop - half * (2.0 - way))
## base to the powers of linspace(start, stop, num).
def logspace[a: Float](start: a, stop: a, static num: size, base: a = 10.0) -> a[num] =
    power(base, linspace(start, stop, num))
## The identity matrix.
def eye(static n: size, static dtype: dtype = f32) -> dtype[n, n] =
    cast(iota([n, n], axis=0) == iota([n, n], axis=1), dtype)
## At every place the index along the axis.
def iota(static shape: shape, *, static axis: int = 0, static dtype: Num = i32) -> dtype[*shape]
    where has_axis(shape, axis)
    where _counts(dtype, extent(shape, axis)) else "the dtype holds all these numbers" =
    intrinsic.iota(shape=shape, axis=axis, dtype=dtype)
## The integers from 0 to size - 1.
def iota(static size: size, *, static axis: int = 0, static dtype: Num = i32) -> dtype[size]
    where has_axis([size], axis)
    where _counts(dtype, size) else "the dtype holds all these numbers" =
    iota([size], dtype=dtype)
## The same, with the arguments of `jax.lax.iota`.
def iota(static dtype: Num, static size: size) -> dtype[size]
    where _counts(dtype, size) else "the dtype holds all these numbers" =
    iota([size], dtype=dtype)
## The index along the axis, with the dtype first.
def iota(static dtype: Num, static shape: shape, *, static axis: int = 0) -> dtype[*shape]
    where has_axis(shape, axis)
    where _counts(dtype, extent(shape, axis)) else "the dtype holds all these numbers" =
    intrinsic.iota(shape=shape, axis=axis, dtype=dtype)
# Whether a dtype holds the integers below one.
static def _counts(dtype: dtype, stop: int) -> bool = holds(dtype, max(stop, 1) - 1)
## The indices from 0 to stop - 1.
def arange(static stop: size) -> idx[stop][stop] = intrinsic.iota(shape=(stop,), axis=0)
## The same as numbers of a dtype.
@within(stop)
def arange(static stop: size, *, static dtype: Num) -> dtype[stop]
    where _counts(dtype, stop) else "the dtype holds all these numbers" =
    iota([stop], dtype=dtype)
## The indices from start to stop, without stop, in steps.
@within(start, stop)
def arange(
    static start: size,
    static stop: int,
    static step: int = 1
) -> idx[stop][(stop - start + step - 1) // step]
    where step >= 1 and stop >= start
    where holds(i32, stop) else "the dtype holds all these numbers" =
    intrinsic.reshape(arange(start, stop, step, i32), shape=((stop - start + step - 1) // step,))
## The same as numbers of a dtype, from any integer.
@within(start, stop)
def arange(
    static start: int,
    static stop: int,
    static step: int = 1,
    static dtype: Num = i32
) -> dtype[(stop - start + step - 1) // step]
    where step >= 1 and stop >= start
    where start == stop or holds(dtype, start) and holds(
        dtype,
        start + (stop - start - 1) // step * step
    ) else "the dtype holds all these numbers" =
    if dtype == f16 or dtype == bf16 then cast(
        _steps(start, step, (stop - start + step - 1) // step, f32),
        dtype
    )
    else _steps(start, step, (stop - start + step - 1) // step, dtype)
# Computed as a multiple, which wraps around for integers as the sum does.
def _steps(
    static start: int,
    static step: int,
    static count: size,
    static dtype: Num
) -> dtype[count] =
    let places: dtype[count] = intrinsic.iota(shape=(count,), axis=0, dtype=dtype)
    places * cast(step, dtype) + cast(start, dtype)
## The diagonal of a square matrix.
@elements(x)
def diagonal[a: Any](x: a[n, n]) -> a[n] = reshape(x, [n * n])[:: n + 1]
## The sum of the diagonal.
def trace[a: Num](x: a[n, n]) -> a = sum(diagonal(x))
## Zeros above the k-th diagonal.
@elements(x, 0)
def tril[a: Any](x: a[*s, n, m], static k: int = 0) -> a[*s, n, m] =
    where(_is_below(n, m, k), x, cast(0, a))
## Zeros below the k-th diagonal.
@elements(x, 0)
def triu[a: Any](x: a[*s, n, m], static k: int = 0) -> a[*s, n, m] =
    where(_is_above(n, m, k), x, cast(0, a))
# Which places of a matrix are on and below, on and above the k-th diagonal; those beyond all places are alike.
def _is_below(static n: size, static m: size, static k: int) -> bool[n, m] =
    iota([n, m], axis=0) + max(-n, min(k, m)) >= iota([n, m], axis=1)
def _is_above(static n: size, static m: size, static k: int) -> bool[n, m] =
    iota([n, m], axis=0) + max(-n, min(k, m)) <= iota([n, m], axis=1)
## num points from start to stop, both included, of which each is the same multiple of the one before.
def geomspace[a: Float](start: a, stop: a, static num: size) -> a[num] =
    sign(start) * exp(linspace(log(abs(start)), log(abs(stop)), num))
## Ones on and below the k-th diagonal, zeros above it.
def tri(
    static n: size,
    static m: size,
    static k: int = 0,
    static dtype: dtype = f32
) -> dtype[n, m] =
    cast(_is_below(n, m, k), dtype)
## The rows and columns of the places on and above the k-th diagonal of an n by n matrix, row by row.
def triu_indices(static n: size, static k: int = 0) -> (idx[n][_upper(n, k)], idx[n][_upper(n, k)])
    where n >= 1 =
    _places_where(_is_above(n, n, k), _upper(n, k))
## The rows and columns of the places on and below the k-th diagonal of an n by n matrix, row by row.
def tril_indices(static n: size, static k: int = 0) -> (
    idx[n][n * n - _upper(n, k + 1)],
    idx[n][n * n - _upper(n, k + 1)]
) where n >= 1 =
    _places_where(_is_below(n, n, k), n * n - _upper(n, k + 1))
# How many places of an n by n matrix are on and above the k-th diagonal.
static def _upper(n: int, k: int) -> int =
    if k >= 0 then
        max(n - k, 0) * (max(n - k, 0) + 1) // 2
    else
        n * n - max(n + k - 1, 0) * max(n + k, 0) // 2
def _places_where(mask: bool[n, n], static size: int) -> (idx[n][size], idx[n][size])
    where n >= 1 and size >= 0 =
    let flat = _compressed(iota([n * n]), reshape(mask, [n * n]), size, 0)
    (clip(flat // n, 0, n - 1), flat % n)
## The rows and columns of the places on the diagonal of an n by n matrix.
def diag_indices(static n: size) -> (idx[n][n], idx[n][n]) = (arange(n), arange(n))
## The matrix with this value on its diagonal.
@elements(x, val)
def fill_diagonal[a: Any](x: a[n, m], val: a) -> a[n, m] =
    where(iota([n, m], axis=0) == iota([n, m], axis=1), val, x)
## The window 0.5 - 0.5 cos(2 pi i / (m - 1)).
def hanning(static m: size, static dtype: Float = f32) -> dtype[m] =
    _cosines(m, 0.5, 0.5, 0.0, dtype)
## The window 0.54 - 0.46 cos(2 pi i / (m - 1)).
def hamming(static m: size, static dtype: Float = f32) -> dtype[m] =
    _cosines(m, 0.54, 0.46, 0.0, dtype)
## The window 0.42 - 0.5 cos(2 pi i / (m - 1)) + 0.08 cos(4 pi i / (m - 1)).
def blackman(static m: size, static dtype: Float = f32) -> dtype[m] =
    _cosines(m, 0.42, 0.5, 0.08, dtype)
def _cosines(
    static m: size,
    static a: float,
    static b: float,
    static c: float,
    static dtype: Float
) -> dtype[m] =
    let angle = 2.0 * pi / max(m - 1, 1) * iota([m], dtype=dtype)
    if m == 1 then ones([m], dtype) else a - b * cos(angle) + c * cos(2.0 * angle)
## The window that rises from 0 to 1 and falls to 0 in straight lines.
def bartlett(static m: size, static dtype: Float = f32) -> dtype[m] =
    if m == 1 then
        ones([m], dtype)
    else
        1.0 - abs(2.0 / max(m - 1, 1) * iota([m], dtype=dtype) - 1.0)

# ---------------------------------------------------------------- shape

## All elements in order, in another shape; one -1 in it stands for what is left over.
@elements(x)
@linear(x)
def reshape[a: Any](x: a[*s], static shape: ints) -> a[*reshaped(s, shape)] =
    intrinsic.reshape(x, shape=reshaped(s, shape))
## The same of keys.
def reshape(x: key[*s], static shape: ints) -> key[*reshaped(s, shape)] =
    intrinsic.reshape(x, shape=[*reshaped(s, shape), 2])
## Copies along new axes in front, and along axes of size 1.
@elements(x)
@linear(x)
def broadcast_to[a: Any](x: a[*s], static shape: shape) -> a[*stretched(s, shape)] =
    intrinsic.broadcast_to(x, shape=shape)
## The last two axes swapped: `.T`.
@elements(x)
def matrix_transpose[a: Any](x: a[*s, n, m]) -> a[*s, m, n] =
    intrinsic.transpose(x, axes=_exchanged(len(s) + 2, -2, -1))
## The axes in another order, reversed if none is given.
@elements(x)
def transpose[a: Any](x: a[*s], static axes: axes = none) -> a[*permuted(s, axes)]
    where _is_order(s, axes) =
    intrinsic.transpose(x, axes=axes)
## Two axes swapped.
@elements(x)
def swapaxes[a: Any](
    x: a[*s],
    static axis1: int,
    static axis2: int
) -> a[*swapped(s, axis1, axis2)] =
    intrinsic.transpose(x, axes=_exchanged(len(s), axis1, axis2))
static def _exchanged(rank: int, axis1: int, axis2: int) -> ints =
    let (i, j) = (_at_front(axis1, rank), _at_front(axis2, rank))
    [if k == i then j else if k == j then i else k for k in range(rank)]
static def _at_front(axis: int, rank: int) -> int = if axis < 0 then axis + rank else axis
## New axes of size 1, at these places of the result.
@elements(x)
def expand_dims[a: Any](x: a[*s], *, static axis: axes) -> a[*inserted(s, axis)] =
    reshape(x, inserted(s, axis))
## Without these axes, of size 1.
@elements(x)
def squeeze[a: Any](x: a[*s], *, static axis: axes) -> a[*removed(s, axis)]
    where extent(s, axis) == 1 =
    reshape(x, removed(s, axis))
## Every element `repeats` times, along the axis, or all elements in order.
@elements(x)
def repeat[a: Any](
    x: a[*s],
    static repeats: size,
    *,
    static axis: int? = none
) -> a[*_repeated(s, repeats, axis)]
    where has_axis(s, axis) =
    let behind = _behind(s, axis)
    let before = extent(s, none) // max(behind, 1)
    _reshaped(
        broadcast_to(_reshaped(x, [before, 1, behind]), [before, repeats, behind]),
        _repeated(s, repeats, axis)
    )
static def _repeated(s: shape, repeats: int, axis: int?) -> shape =
    if axis == none then
        [extent(s, none) * repeats]
    else
        replaced(s, axis, extent(s, axis) * repeats)
# The number of elements behind an axis, for each of its places.
static def _behind(s: shape, axis: int?) -> size =
    if axis == none then 1 else prod(s[_at(s, axis) + 1 :])
## The elements in reverse order along the axes, or along all.
@elements(x)
@linear(x)
def flip[a: Any](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    intrinsic.flip(x, axis=axis)
## `reps` copies along each of the last axes.
@elements(x)
@linear(x)
def tile[a: Any](x: a[*s], static reps: ints) -> a[*_tiled(s, reps)]
    where _natural(reps) else "numbers of copies are 0 or more" =
    let shape = _padded(s, len(reps))
    let copies = _padded(reps, len(s))
    let lifted = reshape(x, _interleaved(_ones(len(shape)), shape))
    reshape(broadcast_to(lifted, _interleaved(copies, shape)), _tiled(s, reps))
static def _tiled(s: shape, reps: ints) -> shape =
    [r * d for (r, d) in zip(_padded(reps, len(s)), _padded(s, len(reps)))]
static def _ones(k: int) -> ints = [1 for _ in range(k)]
static def _padded(s: ints, rank: int) -> ints = _ones(max(rank - len(s), 0)) + s
static def _interleaved(s: ints, t: ints) -> ints =
    if len(s) == 0 then [] else [s[0], t[0], *_interleaved(s[1:], t[1:])]
static def _natural(s: ints) -> bool = all([i >= 0 for i in s])
## The axes `source` at the places `destination` of the result; the others keep their order.
@elements(x)
@linear(x)
def moveaxis[a: Any](
    x: a[*s],
    static source: ints,
    static destination: ints
) -> a[*permuted(s, _moved(len(s), source, destination))]
    where has_axis(s, source)
    where has_axis(s, destination)
    where _as_many(source, destination) else "`source` and `destination` are as many axes" =
    intrinsic.transpose(x, axes=_moved(len(s), source, destination))
static def _as_many(s: ints, t: ints) -> bool = len(s) == len(t)
# At each place of the result the axis that comes to stand there.
static def _moved(rank: int, source: ints, destination: ints) -> ints =
    let (start, end) = (_from_front(source, rank), _from_front(destination, rank))
    let others = _others(rank, start)
    [
        if any([t == k for t in end]) then sum(
            [if t == k then i else 0 for (i, t) in zip(start, end)]
        )
        else others[k - sum([if t < k then 1 else 0 for t in end])]
        for k in range(rank)
    ]
static def _from_front(axes: ints, rank: int) -> ints = [_at_front(i, rank) for i in axes]
# The axes below `rank` that are not among these.
static def _others(rank: int, axes: ints) -> ints =
    if rank == 0 then
        []
    else
        _others(rank - 1, axes) + (if any([i == rank - 1 for i in axes]) then [] else [rank - 1])
## The elements turned round by `shift` places along the axes, or all in order if no axis is given.
@elements(x)
@linear(x)
def roll[a: Any](x: a[*s], static shift: ints, *, static axis: axes = none) -> a[*s]
    where has_axis(s, axis)
    where _has_shifts(shift, axis) else "there is one shift, or one for each axis" =
    if axis == none then reshape(_turned_along(reshape(x, [prod(s)]), _total(shift), 0), s)
    else _rolled(x, _shifts(shift, axis), _listed(axis))
static def _has_shifts(shift: ints, axis: axes) -> bool =
    axis == none or len(shift) == 1 or len(shift) == len(axis)
static def _shifts(shift: ints, axis: axes) -> ints =
    if len(shift) == 1 then [shift[0] for _ in axis] else shift
static def _listed(axis: axes) -> ints = [i for i in axis]
static def _total(s: ints) -> int = sum(s)
static def _first(s: ints) -> int = s[0]
static def _rest(s: ints) -> ints = s[1:]
def _rolled[a: Any](x: a[*s], static shift: ints, static axis: ints) -> a[*s]
    where _as_many(shift, axis) and has_axis(s, axis) =
    if len(axis) == 0 then x
    else _rolled(_turned_along(x, _first(shift), _first(axis)), _rest(shift), _rest(axis))
def _turned_along[a: Any](x: a[*s], static shift: int, static axis: int) -> a[*s]
    where has_axis(s, axis) =
    let size = extent(s, axis)
    if size == 0 then x
    else
        let cut = size - shift % size
        concatenate((_cut(x, axis, cut, size), _cut(x, axis, 0, cut)), axis=axis)
# The elements from `start` up to `stop` along an axis.
def _cut[a: Any](
    x: a[*s],
    static axis: int,
    static start: int,
    static stop: int
) -> a[*replaced(s, axis, stop - start)]
    where has_axis(s, axis) and 0 <= start and start <= stop and stop <= extent(s, axis) =
    intrinsic.slice_axis(x, axis=axis, start=start, stop=stop)
## The same by a number of places that is only known when the program runs, along one axis.
@elements(x)
def roll[a: Any](x: a[*s], shift: i32, *, static axis: int) -> a[*s] where has_axis(s, axis) =
    let size = extent(s, axis)
    if size == 0 then x else _picked(x, (arange(size) - shift) % size, axis)
def _picked[a: Any](
    x: a[*s],
    i: idx[extent(s, axis)][k],
    static axis: int
) -> a[*replaced(s, axis, k)] where has_axis(s, axis) =
    intrinsic.take(x, i, axis=axis)
## The same of all elements in order.
@elements(x)
def roll[a: Any](x: a[*s], shift: i32) -> a[*s] = reshape(roll(ravel(x), shift, axis=0), s)
## So many elements along an axis from a place that is only known when the program runs, moved inside where they would
## reach over an end.
@elements(x)
def dynamic_slice_in_dim[a: Any](
    x: a[*s],
    start_index: i32,
    static slice_size: size,
    *,
    static axis: int = 0
) -> a[*replaced(s, axis, slice_size)]
    where has_axis(s, axis)
    where slice_size <= extent(s, axis) else "the slice is no longer than the axis" =
    _picked(x, clip(start_index, 0, extent(s, axis) - slice_size) + arange(slice_size), axis)
## The elements with these indices along the axis; without an axis, of all elements in order.
@elements(x)
@linear(x)
def take[a: Any](
    x: a[*s],
    indices: idx[extent(s, axis)][*t],
    *,
    static axis: int? = none
) -> a[*_taken(s, t, axis)]
    where has_axis(s, axis) =
    if axis == none then intrinsic.take(_reshaped(x, [extent(s, none)]), indices, axis=0)
    else intrinsic.take(x, indices, axis=axis)
static def _taken(s: shape, t: shape, axis: int?) -> shape =
    if axis == none then t else s[:_at(s, axis)] + t + s[_at(s, axis) + 1 :]
static def _at(s: shape, axis: int) -> int = _at_front(axis, len(s))
## At every place the element with this index along the axis.
@elements(x)
@linear(x)
def take_along_axis[a: Any](
    x: a[*s],
    indices: idx[extent(s, axis)][*t],
    *,
    static axis: int
) -> a[*t]
    where has_axis(s, axis)
    where _same_but(
        s,
        t,
        axis
    ) else "the indices have the axes of the array; one alone may have another size" =
    intrinsic.take_along_axis(x, indices, axis=axis)
static def _same_but(s: shape, t: shape, axis: int) -> bool =
    if len(s) == len(t) then
        all([i == _at(s, axis) or d == e for (i, (d, e)) in enumerate(zip(s, t))])
    else
        false
## A vector as the k-th diagonal of a matrix, or the k-th diagonal of a matrix.
@elements(x, 0)
@linear(x)
def diag[a: Any](x: a[*s], static k: int = 0) -> a[*_diag(s, k)]
    where _is_vector_or_matrix(s) else "x is a vector or a matrix" =
    intrinsic.diag(x, k=k)
static def _is_vector_or_matrix(s: shape) -> bool = len(s) == 1 or len(s) == 2
static def _diag(s: shape, k: int) -> shape =
    if len(s) == 1 then [s[0] + max(k, -k), s[0] + max(k, -k)]
    else if len(s) == 2 then [max(0, min(min(s[0], s[1]), min(s[0] + k, s[1] - k)))]
    else s
## Wider by one number everywhere, by one pair (low, high), or by a pair for each axis; filled with a value, or by the
## mode "edge", "reflect" (without the edge itself), "symmetric" (with it) or "wrap".
@elements(x, constant_values)
@linear(x, constant_values)
def pad[a: Any](
    x: a[*s],
    static pad_width: pairs,
    static mode: str = "constant",
    constant_values: a = cast(0, a)
) -> a[*_grown(s, pad_width)]
    where _pads(
        s,
        pad_width
    ) else "`pad_width` is one number, one pair (low, high), or a pair for each axis; all are 0 or more"
    where mode == "constant" or mode == "edge" or mode == "reflect" or mode == "symmetric" or mode == "wrap"
    else "the mode is one of \"constant\", \"edge\", \"reflect\", \"symmetric\", \"wrap\""
    where _has_room(
        s,
        pad_width,
        mode
    ) else "the array is long enough for what is read beyond its ends" =
    intrinsic.pad(x, constant_values, widths=_widths(len(s), pad_width), mode=mode)
static def _widths(rank: int, width: pairs) -> pairs =
    if len(width) == 1 then [width[0] for _ in range(rank)] else width
static def _grown(s: shape, width: pairs) -> shape =
    [low + d + high for (d, (low, high)) in zip(s, _widths(len(s), width))]
static def _pads(s: shape, width: pairs) -> bool =
    (len(width) == 1 or len(width) == len(s)) and all(
        [low >= 0 and high >= 0 for (low, high) in width]
    )
static def _has_room(s: shape, width: pairs, mode: str) -> bool =
    if mode == "constant" then true
    else all(
        [_reaches(d, max(low, high), mode) for (d, (low, high)) in zip(s, _widths(len(s), width))]
    )
static def _reaches(size: int, far: int, mode: str) -> bool =
    (
        far == 0
        or (
            if mode == "edge" then size >= 1 else if mode == "reflect" then size > far else size >= far
        )
    )
## The rows in reverse order.
@elements(x)
def flipud[a: Any](x: a[n, *s]) -> a[n, *s] = flip(x, axis=0)
## The columns in reverse order.
@elements(x)
def fliplr[a: Any](x: a[n, m, *s]) -> a[n, m, *s] = flip(x, axis=1)
## Turned k times from the first axis towards the second, by a quarter each.
@elements(x)
def rot90[a: Any](x: a[n, m, *s], static k: int = 1) -> a[*_turned([n, m, *s], k)] =
    let x = if k % 4 >= 2 then flip(x, axis=(0, 1)) else x
    if k % 2 == 1 then flip(swapaxes(x, 0, 1), axis=0) else x
static def _turned(s: shape, k: int) -> shape = if k % 2 == 1 then swapped(s, 0, 1) else s
## The coordinates of the points of a grid: x along its columns and y along its rows ("xy"), or the other way ("ij").
@elements(x, y)
def meshgrid[a: Any, b: Any](x: a[n], y: b[m], *, static indexing: str = "xy") -> (
    a[*_grid(n, m, indexing)],
    b[*_grid(n, m, indexing)]
)
    where indexing == "xy" or indexing == "ij" else "the indexing is \"xy\" or \"ij\"" =
    if indexing == "xy" then (broadcast_to(x[None, :], [m, n]), broadcast_to(y[:, None], [m, n]))
    else (broadcast_to(x[:, None], [n, m]), broadcast_to(y[None, :], [n, m]))
static def _grid(n: int, m: int, indexing: str) -> shape =
    if indexing == "xy" then [m, n] else [n, m]
## All elements in order, as a vector.
@elements(x)
def ravel[a: Any](x: a[*s]) -> a[extent(s, none)] = reshape(x, [extent(s, none)])
## All elements of x, then all of values, as a vector.
@elements(x, values)
def append[a: Any](x: a[*s], values: a[*t]) -> a[extent(s, none) + extent(t, none)] =
    concatenate((ravel(x), ravel(values)))
## The row and the column of these places in a matrix whose elements are counted row by row.
def unravel_index(
    indices: idx[shape.0 * shape.1][*s],
    static shape: (size, size)
) -> (idx[shape.0][*s], idx[shape.1][*s])
    where shape.0 >= 1 and shape.1 >= 1 =
    (clip(indices // shape.1, 0, shape.0 - 1), indices % shape.1)
## The same in an array of three axes.
def unravel_index(indices: idx[shape.0 * shape.1 * shape.2][*s], static shape: (size, size, size))
    -> (idx[shape.0][*s], idx[shape.1][*s], idx[shape.2][*s])
    where shape.0 >= 1 and shape.1 >= 1 and shape.2 >= 1 =
    let (i, inner) = unravel_index(indices, (shape.0, shape.1 * shape.2))
    let (j, k) = unravel_index(inner, (shape.1, shape.2))
    (i, j, k)
## The same in an array of four axes.
def unravel_index(
    indices: idx[shape.0 * shape.1 * shape.2 * shape.3][*s],
    static shape: (size, size, size, size)
) -> (idx[shape.0][*s], idx[shape.1][*s], idx[shape.2][*s], idx[shape.3][*s])
    where shape.0 >= 1 and shape.1 >= 1 and shape.2 >= 1 and shape.3 >= 1 =
    let (i, inner) = unravel_index(indices, (shape.0, shape.1 * shape.2 * shape.3))
    let (j, k, l) = unravel_index(inner, (shape.1, shape.2, shape.3))
    (i, j, k, l)
## The same in an array of five axes.
def unravel_index(
    indices: idx[shape.0 * shape.1 * shape.2 * shape.3 * shape.4][*s],
    static shape: (size, size, size, size, size)
) -> (idx[shape.0][*s], idx[shape.1][*s], idx[shape.2][*s], idx[shape.3][*s], idx[shape.4][*s])
    where shape.0 >= 1 and shape.1 >= 1 and shape.2 >= 1 and shape.3 >= 1 and shape.4 >= 1 =
    let (i, inner) = unravel_index(indices, (shape.0, shape.1 * shape.2 * shape.3 * shape.4))
    let (j, k, l, m) = unravel_index(inner, (shape.1, shape.2, shape.3, shape.4))
    (i, j, k, l, m)
## The same in an array of six axes.
def unravel_index(
    indices: idx[shape.0 * shape.1 * shape.2 * shape.3 * shape.4 * shape.5][*s],
    static shape: (size, size, size, size, size, size)
) -> (
    idx[shape.0][*s],
    idx[shape.1][*s],
    idx[shape.2][*s],
    idx[shape.3][*s],
    idx[shape.4][*s],
    idx[shape.5][*s]
)
    where shape.0 >= 1 and shape.1 >= 1 and shape.2 >= 1 and shape.3 >= 1 and shape.4 >= 1 and shape.5 >= 1 =
    let (i, inner) = unravel_index(
        indices,
        (shape.0, shape.1 * shape.2 * shape.3 * shape.4 * shape.5)
    )
    let (j, k, l, m, o) = unravel_index(inner, (shape.1, shape.2, shape.3, shape.4, shape.5))
    (i, j, k, l, m, o)
## Indices of an axis of n elements: those below 0 become the first, those above the last.
def clamp_index(indices: i32[*s], static n: size) -> idx[n][*s] where n >= 1 =
    clip(indices, 0, n - 1)
## Whether n is 1, 2, 4, 8, …
static def is_power_of_two(n: size) -> bool =
    n == 1 or (n >= 2 and n % 2 == 0 and is_power_of_two(n // 2))
## One above the other; vectors are rows.
@elements(arrays)
def vstack[a: Any](arrays: (a[*s], a[*t])) -> a[*_glued(_as_rows(s), _as_rows(t), 0)]
    where _same_but(
        _as_rows(s),
        _as_rows(t),
        0
    ) else "the arrays have one shape but for their rows" =
    intrinsic.concatenate(
        (_reshaped(arrays.0, _as_rows(s)), _reshaped(arrays.1, _as_rows(t))),
        axis=0
    )
## The same of three.
@elements(arrays)
def vstack[a: Any](arrays: (a[*s], a[*t], a[*u])) -> a[
    *_glued(_glued(_as_rows(s), _as_rows(t), 0), _as_rows(u), 0)
]
    where _same_but(
        _as_rows(s),
        _as_rows(t),
        0
    ) and _same_but(
        _as_rows(s),
        _as_rows(u),
        0
    ) else "the arrays have one shape but for their rows" =
    intrinsic.concatenate(
        (
            _reshaped(arrays.0, _as_rows(s)),
            _reshaped(arrays.1, _as_rows(t)),
            _reshaped(arrays.2, _as_rows(u))
        ),
        axis=0
    )
## Side by side: vectors one behind the other, others along their second axis.
@elements(arrays)
def hstack[a: Any](arrays: (a[*s], a[*t])) -> a[*_glued(_as_vector(s), _as_vector(t), _across(s))]
    where _same_but(
        _as_vector(s),
        _as_vector(t),
        _across(s)
    ) else "the arrays have one shape but for their columns" =
    intrinsic.concatenate(
        (_reshaped(arrays.0, _as_vector(s)), _reshaped(arrays.1, _as_vector(t))),
        axis=_across(s)
    )
## The same of three.
@elements(arrays)
def hstack[a: Any](arrays: (a[*s], a[*t], a[*u])) -> a[
    *_glued(_glued(_as_vector(s), _as_vector(t), _across(s)), _as_vector(u), _across(s))
]
    where _same_but(
        _as_vector(s),
        _as_vector(t),
        _across(s)
    ) and _same_but(
        _as_vector(s),
        _as_vector(u),
        _across(s)
    ) else "the arrays have one shape but for their columns" =
    intrinsic.concatenate(
        (
            _reshaped(arrays.0, _as_vector(s)),
            _reshaped(arrays.1, _as_vector(t)),
            _reshaped(arrays.2, _as_vector(u))
        ),
        axis=_across(s)
    )
## Side by side, vectors as columns.
@elements(arrays)
def column_stack[a: Any](arrays: (a[*s], a[*t])) -> a[*_glued(_as_columns(s), _as_columns(t), 1)]
    where _same_but(
        _as_columns(s),
        _as_columns(t),
        1
    ) else "the arrays have one shape but for their columns" =
    intrinsic.concatenate(
        (_reshaped(arrays.0, _as_columns(s)), _reshaped(arrays.1, _as_columns(t))),
        axis=1
    )
## The same of three.
@elements(arrays)
def column_stack[a: Any](arrays: (a[*s], a[*t], a[*u])) -> a[
    *_glued(_glued(_as_columns(s), _as_columns(t), 1), _as_columns(u), 1)
]
    where _same_but(
        _as_columns(s),
        _as_columns(t),
        1
    ) and _same_but(
        _as_columns(s),
        _as_columns(u),
        1
    ) else "the arrays have one shape but for their columns" =
    intrinsic.concatenate(
        (
            _reshaped(arrays.0, _as_columns(s)),
            _reshaped(arrays.1, _as_columns(t)),
            _reshaped(arrays.2, _as_columns(u))
        ),
        axis=1
    )
## One behind the other along the third axis, which vectors and matrices get.
@elements(arrays)
def dstack[a: Any](arrays: (a[*s], a[*t])) -> a[*_glued(_as_planes(s), _as_planes(t), 2)]
    where _same_but(
        _as_planes(s),
        _as_planes(t),
        2
    ) else "the arrays have one shape but for their third axis" =
    intrinsic.concatenate(
        (_reshaped(arrays.0, _as_planes(s)), _reshaped(arrays.1, _as_planes(t))),
        axis=2
    )
static def _as_vector(s: shape) -> shape = if len(s) == 0 then [1] else s
static def _across(s: shape) -> int = if len(s) <= 1 then 0 else 1
static def _as_rows(s: shape) -> shape =
    if len(s) == 0 then [1, 1] else if len(s) == 1 then [1, s[0]] else s
static def _as_columns(s: shape) -> shape =
    if len(s) == 0 then [1, 1] else if len(s) == 1 then [s[0], 1] else s
static def _as_planes(s: shape) -> shape =
    if len(s) == 0 then
        [1, 1, 1]
    else if len(s) == 1 then
        [1, s[0], 1]
    else if len(s) == 2 then
        [s[0], s[1], 1]
    else
        s
static def _glued(s: shape, t: shape, axis: int) -> shape =
    s[:axis] + [s[axis] + t[axis]] + s[axis + 1 :]
## So many pieces of one size along an axis, stacked: `let (a, b, c) = split(x, 3)` takes them apart.
@elements(x)
@linear(x)
def split[a: Any](
    x: a[*s],
    static sections: size,
    *,
    static axis: int = 0
) -> a[*_divided(s, sections, axis)]
    where has_axis(s, axis)
    where sections >= 1 and extent(
        s,
        axis
    ) % sections == 0 else "the axis has so many pieces of one size" =
    let width = extent(s, axis) // sections
    let before = extent(s, none) // max(extent(s, axis) * _behind(s, axis), 1)
    _reshaped(
        transpose(_reshaped(x, [before, sections, width, _behind(s, axis)]), (1, 0, 2, 3)),
        _divided(s, sections, axis)
    )
static def _divided(s: shape, sections: int, axis: int) -> shape =
    [sections] + replaced(s, axis, extent(s, axis) // sections)
## The block of this shape whose first element is at these places, moved inside where it would reach over an end.
@elements(x)
def dynamic_slice[a: Any](
    x: a[*s],
    start_indices: i32[k],
    static slice_sizes: shape
) -> a[*slice_sizes]
    where _fits_in(slice_sizes, s) else "there is a size for each axis, no larger than the axis"
    where k == len(s) else "there is a start for each axis" =
    if extent(slice_sizes, none) == 0 then full(slice_sizes, cast(0, a))
    else ravel(x).at[_places(start_indices, s, slice_sizes, 0)].get(mode="clip")
## x with a block put at these places, moved inside where it would reach over an end.
@elements(x, update)
def dynamic_update_slice[a: Any](x: a[*s], update: a[*t], start_indices: i32[k]) -> a[*s]
    where _fits_in(t, s) else "the update has the axes of the array, none larger"
    where k == len(s) else "there is a start for each axis" =
    reshape(ravel(x).at[_places(start_indices, s, t, 0)].set(update, mode="drop"), s)
static def _fits_in(s: shape, t: shape) -> bool =
    if len(s) == len(t) then all([i <= j for (i, j) in zip(s, t)]) else false
# Where the elements of a block are among all elements in order.
def _places(start: i32[k], static s: shape, static block: shape, static axis: int) -> i32[*block]
    where axis >= 0 =
    if axis >= len(s) then zeros(block, i32)
    else
        let first = clip(start.at[axis].get(mode="clip"), 0, extent(s, axis) - extent(block, axis))
        _places(start, s, block, axis + 1) + _behind(s, axis) * (first + iota(block, axis=axis))
## The vector without its i-th element.
@elements(x)
@linear(x)
def delete[a: Any](x: a[n], static i: size) -> a[n - 1] where i < n =
    concatenate((x[:i], x[i + 1 :]))
## The vector with one more element, in front of the i-th.
@elements(arr, values)
def insert[a: Any](arr: a[n], static i: size, values: a) -> a[n + 1] where i <= n =
    concatenate((arr[:i], full([1], values), arr[i:]))
## The numbers of these rows and columns among all elements of a matrix, counted row by row.
def ravel_multi_index(
    multi_index: (idx[dims.0][*s], idx[dims.1][*s]),
    static dims: (size, size)
) -> i32[*s] =
    multi_index.0 * dims.1 + multi_index.1
## The same in an array of three axes.
def ravel_multi_index(
    multi_index: (idx[dims.0][*s], idx[dims.1][*s], idx[dims.2][*s]),
    static dims: (size, size, size)
) -> i32[*s] =
    (multi_index.0 * dims.1 + multi_index.1) * dims.2 + multi_index.2
## The same in an array of four axes.
def ravel_multi_index(
    multi_index: (idx[dims.0][*s], idx[dims.1][*s], idx[dims.2][*s], idx[dims.3][*s]),
    static dims: (size, size, size, size)
) -> i32[*s] =
    ((multi_index.0 * dims.1 + multi_index.1) * dims.2 + multi_index.2) * dims.3 + multi_index.3
## The same in an array of five axes.
def ravel_multi_index(
    multi_index: (
        idx[dims.0][*s],
        idx[dims.1][*s],
        idx[dims.2][*s],
        idx[dims.3][*s],
        idx[dims.4][*s]
    ),
    static dims: (size, size, size, size, size)
) -> i32[*s] =
    (
        (
            ((multi_index.0 * dims.1 + multi_index.1) * dims.2 + multi_index.2) * dims.3
            + multi_index.3
        )
        * dims.4
        + multi_index.4
    )
## The same in an array of six axes.
def ravel_multi_index(
    multi_index: (
        idx[dims.0][*s],
        idx[dims.1][*s],
        idx[dims.2][*s],
        idx[dims.3][*s],
        idx[dims.4][*s],
        idx[dims.5][*s]
    ),
    static dims: (size, size, size, size, size, size)
) -> i32[*s] =
    (
        (
            (
                ((multi_index.0 * dims.1 + multi_index.1) * dims.2 + multi_index.2) * dims.3
                + multi_index.3
            )
            * dims.4
            + multi_index.4
        )
        * dims.5
        + multi_index.5
    )

# ---------------------------------------------------------------- products

## The operator `@`: of matrices, of vectors, and of stacks of matrices.
@multilinear(x, y)
def matmul[a: Num](x: a[*s], y: a[*t]) -> a[*contracted(s, t)] = x @ y
## The operator `@`, or `*` where one is a number.
@multilinear(x, y)
def dot[a: Num](x: a[*s], y: a[*t]) -> a[*_dotted(s, t)] =
    if min(len(s), len(t)) > 0 then x @ y else x * y
static def _dotted(s: shape, t: shape) -> shape =
    if min(len(s), len(t)) > 0 then contracted(s, t) else broadcasted(s, t)
## Every product of an element of x with one of y.
@multilinear(x, y)
def outer[a: Num](x: a[n], y: a[m]) -> a[n, m] = x[:, None] * y[None, :]
## The sum of the products of elements.
@multilinear(x, y)
def inner[a: Num](x: a[n], y: a[n]) -> a = x @ y
## `inner` with the conjugate of x.
@multilinear(x, y)
def vdot[a: Num](x: a[n], y: a[n]) -> a = conj(x) @ y

## The sums of products over the last axes of a and as many of the first axes of b.
@multilinear(a, b)
def tensordot[F: Num](a: F[*s], b: F[*t], static axes: size = 2) -> F[*_outer(s, t, axes)]
    where axes <= len(s) and axes <= len(t) else "both arrays have so many axes"
    where _meet(s, t, axes) else "the axes that meet have one size" =
    intrinsic.tensordot(a, b, axes=axes)
static def _outer(s: shape, t: shape, k: int) -> shape = s[: max(len(s) - k, 0)] + t[k:]
static def _meet(s: shape, t: shape, k: int) -> bool = s[max(len(s) - k, 0) :] == t[:k]
## The sums of products over the axes of a in the first list and those of b in the second.
@multilinear(a, b)
def tensordot[F: Num](
    a: F[*s],
    b: F[*t],
    static axes: (ints, ints)
) -> F[*_without(s, axes.0) + _without(t, axes.1)]
    where has_axis(s, axes.0)
    where has_axis(t, axes.1)
    where _as_many(axes.0, axes.1) else "`axes` are two lists of as many axes"
    where _at_axes(s, axes.0) == _at_axes(t, axes.1) else "the axes that meet have one size" =
    intrinsic.tensordot(a, b, axes=axes)
static def _without(s: shape, axes: ints) -> shape =
    [s[i] for i in _others(len(s), _from_front(axes, len(s)))]
static def _at_axes(s: shape, axes: ints) -> shape = [s[i] for i in axes]

## Σ x[j] v[i - j]: all n + m - 1 of them ("full"), the middle max(n, m) ("same"), or those where both overlap in
## full ("valid").
@multilinear(x, v)
def convolve[a: Num](x: a[n], v: a[m], static mode: str = "full") -> a[_convolved(n, m, mode)]
    where n >= 1 and m >= 1
    where mode == "full" or mode == "same" or mode == "valid" else "the mode is one of \"full\", \"same\", \"valid\"" =
    if n < m then _slid(v, x, mode) else _slid(x, v, mode)
def _slid[a: Num](x: a[n], v: a[m], static mode: str) -> a[_convolved(n, m, mode)]
    where n >= m and m >= 1 =
    let found: a[1, 1, _convolved(n, m, mode)] =
        intrinsic.conv(
            x[None, None],
            flip(v)[None, None],
            strides=(1,),
            padding=(_beyond(m, mode),),
            base=(1,),
            dilation=(1,),
            groups=1
        )
    found[0, 0]
# How many elements of v reach beyond the ends of x.
static def _beyond(m: int, mode: str) -> (int, int) =
    if mode == "full" then
        (m - 1, m - 1)
    else if mode == "same" then
        (m // 2, m - m // 2 - 1)
    else
        (0, 0)
static def _convolved(n: int, m: int, mode: str) -> int =
    if mode == "full" then
        n + m - 1
    else if mode == "same" then
        max(n, m)
    else
        max(n, m) - min(n, m) + 1
## The sums of the products of rhs and each window of lhs, `window_strides` apart, as `jax.lax.conv_general_dilated`: lhs
## [batch, in, *spatial] and rhs [out, in, *spatial] give [batch, out, *spatial]. `dimension_numbers` gives other orders
## of these axes in letters, as ("NHWC", "HWIO", "NHWC"); options count the spatial axes in the order of rhs. Neighbours
## are `lhs_dilation` apart in lhs, `rhs_dilation` in rhs.
@multilinear(lhs, rhs)
def conv[a: Inexact](
    lhs: a[*s],
    rhs: a[*t],
    static window_strides: ints = [1],
    static padding: str = "SAME",
    *,
    static lhs_dilation: ints = [1],
    static rhs_dilation: ints = [1],
    static dimension_numbers: (str, str, str)? = none,
    static feature_group_count: int = 1
) -> a[
    *_conv_shape(
        s,
        t,
        dimension_numbers,
        _windows(
            _sizes(s, dimension_numbers, lhs_dilation),
            _reach(t, dimension_numbers, rhs_dilation),
            window_strides,
            padding
        )
    )
]
    where len(s) == len(t)
    where len(s) >= 3 else "the arrays have axes [batch, in, *spatial] and [out, in, *spatial]"
    where _is_layout(
        dimension_numbers,
        len(s)
    ) else "`dimension_numbers` are three strings such as \"NCHW\", \"OIHW\", \"NCHW\", with a letter for each axis"
    where _is_each(
        window_strides,
        len(s) - 2
    ) else "`window_strides` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        lhs_dilation,
        len(s) - 2
    ) else "`lhs_dilation` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        rhs_dilation,
        len(s) - 2
    ) else "`rhs_dilation` is one number, or one for each spatial axis; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each spatial axis"
    where padding == "VALID" or _is_plain(
        lhs_dilation
    ) else "with `lhs_dilation`, `padding` is \"VALID\", or a pair (low, high) for each spatial axis"
    where _channels(
        _lhs(s, dimension_numbers)
    ) == _channels(
        _rhs(t, dimension_numbers)
    ) * feature_group_count else "lhs is [batch, in, *spatial] and rhs [out, in, *spatial], with `in` of rhs times `feature_group_count` that of lhs; where channels stand last write `dimension_numbers=(\"NHWC\", \"HWIO\", \"NHWC\")`"
    where _divides(
        feature_group_count,
        _rhs(t, dimension_numbers)
    ) else "`feature_group_count` divides the output channels"
    where _is_window(
        _sizes(s, dimension_numbers, lhs_dilation),
        _reach(t, dimension_numbers, rhs_dilation),
        padding
    ) else "the window has no size of 0 and fits into the array" =
    let (sizes, reach, rank) = (
        _sizes(s, dimension_numbers, lhs_dilation),
        _reach(t, dimension_numbers, rhs_dilation),
        len(s)
    )
    intrinsic.conv(
        lhs,
        rhs,
        strides=_each(window_strides, rank - 2),
        padding=_margins(sizes, reach, window_strides, padding),
        base=_each(lhs_dilation, rank - 2),
        dilation=_each(rhs_dilation, rank - 2),
        groups=feature_group_count,
        lhs_axes=_lhs_order(dimension_numbers, rank),
        rhs_axes=_rhs_order(dimension_numbers, rank),
        result_axes=_result_order(dimension_numbers, rank),
    )
## The same with a pair (low, high) of padding for each spatial axis, or one for all.
@multilinear(lhs, rhs)
def conv[a: Inexact](
    lhs: a[*s],
    rhs: a[*t],
    static window_strides: ints = [1],
    static padding: pairs = [(0, 0)],
    *,
    static lhs_dilation: ints = [1],
    static rhs_dilation: ints = [1],
    static dimension_numbers: (str, str, str)? = none,
    static feature_group_count: int = 1
) -> a[
    *_conv_shape(
        s,
        t,
        dimension_numbers,
        _windows(
            _sizes(s, dimension_numbers, lhs_dilation),
            _reach(t, dimension_numbers, rhs_dilation),
            window_strides,
            padding
        )
    )
]
    where len(s) == len(t)
    where len(s) >= 3 else "the arrays have axes [batch, in, *spatial] and [out, in, *spatial]"
    where _is_layout(
        dimension_numbers,
        len(s)
    ) else "`dimension_numbers` are three strings such as \"NCHW\", \"OIHW\", \"NCHW\", with a letter for each axis"
    where _is_each(
        window_strides,
        len(s) - 2
    ) else "`window_strides` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        lhs_dilation,
        len(s) - 2
    ) else "`lhs_dilation` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        rhs_dilation,
        len(s) - 2
    ) else "`rhs_dilation` is one number, or one for each spatial axis; all are at least 1"
    where _is_margin(
        padding,
        len(s) - 2
    ) else "`padding` is a pair (low, high), or one for each spatial axis, of numbers that are at least 0"
    where _channels(
        _lhs(s, dimension_numbers)
    ) == _channels(
        _rhs(t, dimension_numbers)
    ) * feature_group_count else "lhs is [batch, in, *spatial] and rhs [out, in, *spatial], with `in` of rhs times `feature_group_count` that of lhs; where channels stand last write `dimension_numbers=(\"NHWC\", \"HWIO\", \"NHWC\")`"
    where _divides(
        feature_group_count,
        _rhs(t, dimension_numbers)
    ) else "`feature_group_count` divides the output channels"
    where _is_window(
        _sizes(s, dimension_numbers, lhs_dilation),
        _reach(t, dimension_numbers, rhs_dilation),
        padding
    ) else "the window has no size of 0 and fits into the array with its padding" =
    let (sizes, reach, rank) = (
        _sizes(s, dimension_numbers, lhs_dilation),
        _reach(t, dimension_numbers, rhs_dilation),
        len(s)
    )
    intrinsic.conv(
        lhs,
        rhs,
        strides=_each(window_strides, rank - 2),
        padding=_margins(sizes, reach, window_strides, padding),
        base=_each(lhs_dilation, rank - 2),
        dilation=_each(rhs_dilation, rank - 2),
        groups=feature_group_count,
        lhs_axes=_lhs_order(dimension_numbers, rank),
        rhs_axes=_rhs_order(dimension_numbers, rank),
        result_axes=_result_order(dimension_numbers, rank),
    )
static def _conv_shape(s: shape, t: shape, names: (str, str, str)?, windows: ints) -> shape =
    _at_axes([_lhs(s, names)[0], _rhs(t, names)[0], *windows], _result_order(names, len(s)))
static def _channels(s: shape) -> int = s[1]
static def _divides(groups: int, s: shape) -> bool = groups >= 1 and s[0] % groups == 0
# The axes in the order [batch, in, *spatial], and [out, in, *spatial].
static def _lhs(s: shape, names: (str, str, str)?) -> shape = _at_axes(s, _lhs_order(names, len(s)))
static def _rhs(t: shape, names: (str, str, str)?) -> shape = _at_axes(t, _rhs_order(names, len(t)))
static def _lhs_order(names: (str, str, str)?, rank: int) -> ints =
    if names == none then _axes_of(rank) else _order(letters(names.0), _lettered(names.1, "NC"))
static def _rhs_order(names: (str, str, str)?, rank: int) -> ints =
    if names == none then _axes_of(rank) else _order(letters(names.1), _lettered(names.1, "OI"))
static def _result_order(names: (str, str, str)?, rank: int) -> ints =
    if names == none then _axes_of(rank) else _order(_lettered(names.1, "NC"), letters(names.2))
static def _axes_of(rank: int) -> ints = [i for i in range(rank)]
# Where each of these letters stands among others.
static def _order(among: ints, wanted: ints) -> ints =
    [sum([if c == w then i else 0 for (i, c) in enumerate(among)]) for w in wanted]
# The letters of two axes, then those of the spatial ones in the order of the kernel, as in JAX.
static def _lettered(kernel: str, first: str) -> ints = letters(first) + _spatial(letters(kernel))
static def _spatial(s: ints) -> ints =
    if len(s) == 0 then [] else (if s[0] in letters("OI") then [] else [s[0]]) + _spatial(s[1:])
static def _is_layout(names: (str, str, str)?, rank: int) -> bool =
    if names == none then true
    else
        _is_order(
            letters(names.0),
            _lettered(names.1, "NC"),
            rank
        ) and _is_order(letters(names.1), _lettered(names.1, "OI"), rank)
            and _is_order(letters(names.2), _lettered(names.1, "NC"), rank)
static def _is_order(s: ints, t: ints, rank: int) -> bool =
    (
        len(s) == rank
        and len(t) == rank
        and all([sum([if c == d then 1 else 0 for c in s]) == 1 for d in t])
    )

# ---------------------------------------------------------------- windows

# The spatial sizes of an image whose elements are so far apart, and how far the window reaches.
static def _sizes(s: shape, names: (str, str, str)?, dilation: ints) -> ints =
    _apart(_lhs(s, names)[2:], dilation)
static def _reach(t: shape, names: (str, str, str)?, dilation: ints) -> ints =
    _apart(_rhs(t, names)[2:], dilation)
static def _apart(sizes: ints, dilation: ints) -> ints =
    [(n - 1) * d + 1 for (n, d) in zip(sizes, _each(dilation, len(sizes)))]
static def _each(option: ints, rank: int) -> ints =
    if len(option) == 1 then [option[0] for _ in range(rank)] else option
static def _is_each(option: ints, rank: int) -> bool =
    (len(option) == 1 or len(option) == rank) and all([k >= 1 for k in option])
static def _is_plain(option: ints) -> bool = all([k == 1 for k in option])
static def _is_margin(padding: pairs, rank: int) -> bool =
    (len(padding) == 1 or len(padding) == rank) and all(
        [low >= 0 and high >= 0 for (low, high) in padding]
    )
# How many windows there are along each axis.
static def _windows(sizes: ints, window: ints, strides: ints, padding: str) -> ints =
    if padding == "VALID" then _windows(sizes, window, strides, [(0, 0)])
    else [(n + step - 1) // step for (n, step) in zip(sizes, _each(strides, len(sizes)))]
static def _windows(sizes: ints, window: ints, strides: ints, padding: pairs) -> ints =
    [
        (n + low + high - k) // step + 1
        for (n, k, step, (low, high)) in zip(
            sizes,
            window,
            _each(strides, len(sizes)),
            _widths(len(sizes), padding)
        )
    ]
static def _is_window(sizes: ints, window: ints, padding: str) -> bool =
    if padding == "VALID" then
        _is_window(sizes, window, [(0, 0)])
    else
        all([k >= 1 for k in window])
static def _is_window(sizes: ints, window: ints, padding: pairs) -> bool =
    all(
        [
            k >= 1 and n + low + high >= k
            for (n, k, (low, high)) in zip(sizes, window, _widths(len(sizes), padding))
        ]
    )
# The padding of windows at every `step`-th element, as even as it can be.
static def _margins(sizes: ints, window: ints, strides: ints, padding: str) -> pairs =
    if padding == "VALID" then [(0, 0) for _ in window]
    else [
        (beyond // 2, beyond - beyond // 2)
        for beyond in [
            max((n - 1) // step * step + k - n, 0)
            for (n, k, step) in zip(sizes, window, _each(strides, len(sizes)))
        ]
    ]
static def _margins(sizes: ints, window: ints, strides: ints, padding: pairs) -> pairs =
    _widths(len(sizes), padding)
## Every product of an element of x with the whole of y.
def kron[a: Num](x: a[n, m], y: a[p, q]) -> a[n * p, m * q] =
    reshape(x[:, None, :, None] * y[None, :, None, :], [n * p, m * q])
## The sum of the products along the last axis, with the conjugate of x.
def vecdot[a: Num](x: a[*s, n], y: a[*s, n]) -> a[*s] = sum(conj(x) * y, axis=-1)
## Σ x[i + j] conj(v[i]): `convolve` with v conjugated and turned round.
def correlate[a: Num](x: a[n], v: a[m], static mode: str = "valid") -> a[_convolved(n, m, mode)]
    where n >= 1 and m >= 1
    where mode == "full" or mode == "same" or mode == "valid" else "the mode is one of \"full\", \"same\", \"valid\"" =
    convolve(x, flip(conj(v)), mode)
## The covariances of the rows of x, which holds an observation in each column; divided by m - ddof.
def cov[a: Float](x: a[n, m], *, static ddof: int = 1) -> a[n, n] where m > ddof =
    if a == f16 or a == bf16 then cast(_covariance(cast(x, f32), ddof), a) else _covariance(x, ddof)
def _covariance[a: Float](x: a[n, m], static ddof: int) -> a[n, n] where m > ddof =
    let centred = x - mean(x, axis=1, keepdims=true)
    centred @ centred.T / (m - ddof)
## The correlations of the rows of x, which holds an observation in each column.
def corrcoef[a: Float](x: a[n, m]) -> a[n, n] where m > 1 =
    let c = cov(x)
    let d = sqrt(diagonal(c))
    c / outer(d, d)
## The columns x^(n - 1), …, x, 1.
def vander[a: Num](x: a[m], static n: size) -> a[m, n] where n >= 1 =
    flip(
        cumprod(
            concatenate((ones([m, 1], a), broadcast_to(x[:, None], [m, n - 1])), axis=1),
            axis=1
        ),
        axis=1
    )
## The vector at right angles to both.
def cross[a: Num](x: a[*s, 3], y: a[*s, 3]) -> a[*s, 3] =
    let (u, v) = (reshape(x, [extent(s, none), 3]), reshape(y, [extent(s, none), 3]))
    let (a0, a1, a2, b0, b1, b2) = (u[:, 0], u[:, 1], u[:, 2], v[:, 0], v[:, 1], v[:, 2])
    reshape(stack((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), axis=1), [*s, 3])
## The polynomial with these coefficients, the highest power first.
def polyval[a: Num](p: a[n], x: a[*s]) -> a[*s] =
    if n <= 32 then _horner(p, x, 0, zeros(s, a)) else fold y = zeros(s, a) for c in p do y * x + c
# A few coefficients in one pass over x.
def _horner[a: Num](p: a[n], x: a[*s], static i: size, y: a[*s]) -> a[*s] =
    if i >= n then y else _horner(p, x, i + 1, y * x + p[i])
## The coefficients of the derivative of a polynomial, the highest power first.
@linear(p)
def polyder[a: Num](p: a[n]) -> a[n - 1] where n >= 1 =
    p[: n - 1] * cast(flip(iota([n - 1])) + 1, a)
## The coefficients of the integral of a polynomial, 0 at 0.
@linear(p)
def polyint[a: Inexact](p: a[n]) -> a[n + 1] =
    concatenate((p / cast(flip(iota([n])) + 1, a), zeros([1], a)))
## The coefficients of the product of two polynomials.
@multilinear(x, y)
def polymul[a: Num](x: a[n], y: a[m]) -> a[n + m - 1] where n >= 1 and m >= 1 = convolve(x, y)

# ---------------------------------------------------------------- sorting and searching

## The elements in ascending order.
@elements(x)
def sort[a: Real](x: a[*s], *, static axis: int = -1, static descending: bool = false) -> a[*s]
    where has_axis(s, axis) =
    intrinsic.sort(x, axis=axis, descending=descending)
## The indices that sort an array; equals keep their order.
def argsort[a: Real](
    x: a[*s],
    *,
    static axis: int = -1,
    static descending: bool = false
) -> idx[extent(s, axis)][*s] where has_axis(s, axis) =
    intrinsic.argsort(x, axis=axis, descending=descending)
## The indices that sort the columns of keys by their last row, equals of it by the row before, and so on.
def lexsort[a: Real](keys: a[k, n]) -> idx[n][n] =
    fold order = arange(n) for row in keys do order[argsort(row[order])]
## The k largest along the last axis, and their indices.
@elements(x)
def top_k[a: Real](x: a[*s, n], static k: size) -> (a[*s, k], idx[n][*s, k]) where k <= n =
    intrinsic.top_k(x, k=k)
# By binary search; nan sorts after all other numbers.
## Where v would be inserted in the sorted a: before its equals ("left"), or after them ("right"). O(m log n) for m
## numbers in n, as `digitize` and `interp`.
def searchsorted[F: Real](a: F[n], v: F[*s], static side: str = "left") -> idx[n + 1][*s]
    where side == "left" or side == "right" else "the side is \"left\" or \"right\"" =
    if n == 0 then full(s, 0)
    else
        let (low, _) = fold (low, high) = (full(s, 0), full(s, n)) for _ in range(_halvings(n)) do
            let middle = (low + high) // 2
            let x = a.at[middle].get(mode="clip")
            let below =
                if side == "left" then (x < v) | ((v != v) & (x == x)) else (x <= v) | (v != v)
            (where(below, middle + 1, low), where(below, high, middle))
        clip(low, 0, n)
static def _halvings(n: int) -> int = if n == 0 then 0 else 1 + _halvings(n // 2)
## How many of x lie between neighbours of the increasing edges, and the edges: each interval without its end, but for
## the last one. By binary search, in O(n log k) for n elements and k edges.
def histogram[a: Float](x: a[*s], bins: a[k]) -> (i32[k - 1], a[k]) where k >= 2 =
    let place = searchsorted(bins, x, side="right")
    let inside = (x >= bins[0]) & (x <= bins[k - 1])
    let bin = where(inside, minimum(place - 1, k - 2), k - 1)
    (zeros([k - 1], i32).at[bin].add(1, mode="drop"), bins)
## The same for so many intervals of one length between two ends, in O(n + k) unless these are a few roundings apart.
def histogram[a: Float](
    x: a[*s],
    static bins: size = 10,
    *,
    range: (a, a)
) -> (i32[bins], a[bins + 1]) where bins >= 1 =
    let (low, high) = range
    let edges = linspace(low, high, bins + 1)
    if a == f16 or a == bf16 then histogram(x, edges)
    else
        let (ulp, least) = if a == f64 then (0.5 ** 52, 0.5 ** 1022) else (0.5 ** 23, 0.5 ** 126)
        let rounding = maximum(maximum(abs(low), abs(high)) * ulp, least)
        let is_even = (high - low > 16 * bins * rounding) & isfinite(high - low)
        if is_even then _evenly_counted(x, edges) else histogram(x, edges)
# Of edges that lie further apart than they are rounded: computed, and corrected by one where rounding needs it.
def _evenly_counted[a: Float](x: a[*s], edges: a[k]) -> (i32[k - 1], a[k]) where k >= 2 =
    let (low, high) = (edges[0], edges[k - 1])
    let inside = (x >= low) & (x <= high)
    let near = clip(i32(floor((where(inside, x, low) - low) * ((k - 1) / (high - low)))), 0, k - 2)
    let down = i32(x < edges[near])
    let up = i32((x >= edges[near + 1]) & (near < k - 2))
    (zeros([k - 1], i32).at[where(inside, near + up - down, k - 1)].add(1, mode="drop"), edges)
## How many pairs of x and y lie in each rectangle between neighbours of the increasing edges, and the edges of x and of
## y: each interval without its end, but for the last one. By binary search, in O(n log k) for n pairs and k edges.
def histogram2d[a: Float](x: a[*s], y: a[*s], bins: (a[k], a[l])) -> (i32[k - 1, l - 1], a[k], a[l])
    where k >= 2 and l >= 2 =
    histogram2d(x, y, bins, ones([*s], i32))
## The sums of the weights of these pairs.
def histogram2d[a: Float, b: Num](
    x: a[*s],
    y: a[*s],
    bins: (a[k], a[l]),
    weights: b[*s]
) -> (b[k - 1, l - 1], a[k], a[l])
    where k >= 2 and l >= 2 =
    let (xs, ys) = bins
    let inside = (x >= xs[0]) & (x <= xs[k - 1]) & (y >= ys[0]) & (y <= ys[l - 1])
    let row = where(inside, minimum(searchsorted(xs, x, side="right") - 1, k - 2), k - 1)
    let column = where(inside, minimum(searchsorted(ys, y, side="right") - 1, l - 2), l - 1)
    (zeros([k - 1, l - 1], b).at[row, column].add(weights, mode="drop"), xs, ys)
## The same for so many intervals of one length between two ends along each axis.
def histogram2d[a: Float](x: a[*s], y: a[*s], static bins: (size, size), *, range: ((a, a), (a, a)))
    -> (i32[bins.0, bins.1], a[bins.0 + 1], a[bins.1 + 1]) where bins.0 >= 1 and bins.1 >= 1 =
    histogram2d(
        x,
        y,
        (linspace(range.0.0, range.0.1, bins.0 + 1), linspace(range.1.0, range.1.1, bins.1 + 1))
    )
## The function that is fp at the increasing xp, straight between them and constant outside, at x.
def interp[F: Float](x: F[*s], xp: F[n], fp: F[n]) -> F[*s] where n >= 2 =
    let i = clip(searchsorted(xp, x, side="right"), 1, n - 1)
    let low = xp[i - 1]
    let inside = fp[i - 1] + (x - low) / (xp[i] - low) * (fp[i] - fp[i - 1])
    where(x < xp[0], fp[0], where(x > xp[n - 1], fp[n - 1], inside))
## Which of the intervals between increasing bins holds x: bins[i - 1] <= x < bins[i].
def digitize[F: Real](x: F[*s], bins: F[n]) -> idx[n + 1][*s] = searchsorted(bins, x, side="right")
## Whether each element is one of those of y: by comparing it with few, by binary search among many, in O((n + m) log m).
def isin[a: Real](x: a[n], y: a[m]) -> bool[n] =
    if m <= 32 then any(x[:, None] == y[None, :], axis=1)
    else
        let sorted = sort(y)
        sorted.at[searchsorted(sorted, x)].get(mode="clip") == x
## Of complex numbers and bools: by comparing all pairs.
def isin[a: Any](x: a[n], y: a[m]) -> bool[n] = any(x[:, None] == y[None, :], axis=1)
## The sum of the rows with each number: 0 where there is none.
def segment_sum[a: Num](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[num_segments, *s] =
    zeros([num_segments, *s], a).at[segment_ids].add(data)
## The largest of the rows with each number: -inf where there is none.
def segment_max[a: Float](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[num_segments, *s] =
    full([num_segments, *s], cast(-inf, a)).at[segment_ids].max(data)
## The smallest of the rows with each number: inf where there is none.
def segment_min[a: Float](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[num_segments, *s] =
    full([num_segments, *s], cast(inf, a)).at[segment_ids].min(data)
## The product of the rows with each number: 1 where there is none.
def segment_prod[a: Num](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[num_segments, *s] =
    ones([num_segments, *s], a).at[segment_ids].mul(data)
## The mean of the rows with each number: 0 where there is none.
def segment_mean[a: Inexact](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[num_segments, *s] =
    let counts = maximum(bincount(segment_ids, num_segments), 1)
    [
        row / cast(count, a)
        for (row, count) in zip(segment_sum(data, segment_ids, num_segments), counts)
    ]
## log(sum(exp(x))) of the rows with each number, without overflow: -inf where there is none.
def segment_logsumexp[a: Float](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[num_segments, *s] =
    let top = _segment_top(data, segment_ids, num_segments)
    top + log(segment_sum(exp(data - top[segment_ids]), segment_ids, num_segments))
## The softmax among the rows with the same number, without overflow.
def segment_softmax[a: Float](
    data: a[n, *s],
    segment_ids: idx[num_segments][n],
    static num_segments: size
) -> a[n, *s] =
    let weights = exp(data - _segment_top(data, segment_ids, num_segments)[segment_ids])
    weights / segment_sum(weights, segment_ids, num_segments)[segment_ids]
# The largest of each segment where it is finite, else 0; a constant.
def _segment_top[a: Float](data: a[n, *s], segment_ids: idx[k][n], static k: size) -> a[k, *s] =
    let top = segment_max(stop_gradient(data), segment_ids, k)
    where(isfinite(top), top, 0.0)
## The sums of segments along an axis.
def segment_sum[a: Num](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*replaced(s, axis, num_segments)] where has_axis(s, axis) =
    _from_leading(segment_sum(_leading(data, axis), segment_ids, num_segments), s, axis)
## The largest elements of segments along an axis.
def segment_max[a: Float](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*replaced(s, axis, num_segments)] where has_axis(s, axis) =
    _from_leading(segment_max(_leading(data, axis), segment_ids, num_segments), s, axis)
## The smallest elements of segments along an axis.
def segment_min[a: Float](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*replaced(s, axis, num_segments)] where has_axis(s, axis) =
    _from_leading(segment_min(_leading(data, axis), segment_ids, num_segments), s, axis)
## The products of segments along an axis.
def segment_prod[a: Num](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*replaced(s, axis, num_segments)] where has_axis(s, axis) =
    _from_leading(segment_prod(_leading(data, axis), segment_ids, num_segments), s, axis)
## The means of segments along an axis.
def segment_mean[a: Inexact](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*replaced(s, axis, num_segments)] where has_axis(s, axis) =
    _from_leading(segment_mean(_leading(data, axis), segment_ids, num_segments), s, axis)
## The logarithms of the sums of the exponentials of segments along an axis.
def segment_logsumexp[a: Float](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*replaced(s, axis, num_segments)] where has_axis(s, axis) =
    _from_leading(segment_logsumexp(_leading(data, axis), segment_ids, num_segments), s, axis)
## The softmax among the slices along an axis with the same number.
def segment_softmax[a: Float](
    data: a[*s],
    segment_ids: idx[num_segments][extent(s, axis)],
    static num_segments: size,
    *,
    static axis: int
) -> a[*s] where has_axis(s, axis) =
    _from_leading(segment_softmax(_leading(data, axis), segment_ids, num_segments), s, axis)
# The slices along an axis as rows.
def _leading[a: Any](x: a[*s], static axis: int) -> a[extent(s, axis), prod(removed(s, axis))]
    where has_axis(s, axis) =
    _reshaped(moveaxis(x, axis, 0), [extent(s, axis), prod(removed(s, axis))])
# What had its rows made by `_leading`, with another number of them.
def _from_leading[a: Any](
    rows: a[k, q],
    static s: shape,
    static axis: int
) -> a[*replaced(s, axis, k)] where has_axis(s, axis) where q == prod(removed(s, axis)) =
    let whole = _reshaped(rows, [k] + removed(s, axis))
    _reshaped(moveaxis(whole, 0, axis), replaced(s, axis, k))
## How often each number occurs, in O(n + length).
def bincount(x: idx[length][n], static length: size) -> i32[length] =
    zeros([length], i32).at[x].add(1)
## A vector of n zeros with a one at the index; all zeros for an index outside.
@zero_derivative
def one_hot(
    x: i32[*s],
    static num_classes: size,
    static dtype: dtype = f32
) -> dtype[*s, num_classes] =
    cast(broadcast_to(x[..., None], [*s, num_classes]) == iota([num_classes]), dtype)
## The first `size` elements where the mask is true, then `fill`; fails its check if there are more.
@elements(x, fill)
def compress[a: Any](x: a[n], mask: bool[n], *, static size: size, fill: a) -> a[size] ! check =
    assert sum(mask) <= i32(size), "compress: more elements than `size`"
    _compressed(x, mask, size, fill)
## The same; with overflow="drop" more elements are left out.
@elements(x, fill)
def compress[a: Any](
    x: a[n],
    mask: bool[n],
    *,
    static size: size,
    fill: a,
    static overflow: str
) -> a[size]
    where overflow == "drop" else "the overflow is \"drop\"; without it more elements than `size` fail a check" =
    _compressed(x, mask, size, fill)
def _compressed[a: Any](x: a[n], mask: bool[n], static size: size, fill: a) -> a[size] =
    full([size], fill).at[where(mask, cumsum(i32(mask)) - 1, size)].set(x, mode="drop")

## The indices of the first `size` elements that are not 0, then `fill_value`.
def flatnonzero[a: Any](x: a[n], *, static size: size, fill_value: i32 = 0) -> i32[size] =
    _compressed(iota([n]), x != cast(0, a), size, fill_value)
## The indices of the elements that are not 0: as many as there are.
##
##     flatnonzero([0.0, 3.0, 0.0, 4.0])
def flatnonzero[a: Any](x: a[n]) -> idx[n][?k] where ?k <= n =
    let chosen = x != cast(0, a)
    arange(n)[chosen]
## The first `size` different elements in ascending order, then `fill_value`.
@elements(x, fill_value)
def unique[a: Real](x: a[n], *, static size: size, fill_value: a) -> a[size] =
    let sorted = sort(x)
    _compressed(sorted, (iota([n]) == 0) | (sorted != roll(sorted, 1)), size, fill_value)
## The different elements in ascending order: as many as there are.
##
##     unique([3, 1, 3])
def unique[a: Real](x: a[n]) -> a[?k] where ?k <= n =
    let sorted = sort(x)
    let before = concatenate((zeros([1], a), sorted))[:n]
    sorted[(iota([n]) == 0) | (sorted != before)]
## The sums of the weights of each number, in O(n + length).
def bincount[a: Num](x: idx[length][n], weights: a[n], static length: size) -> a[length] =
    zeros([length], a).at[x].add(weights)

## The differences of neighbours along an axis, n times.
@linear(x)
def diff[a: Num](
    x: a[*s],
    static n: size = 1,
    *,
    static axis: int = -1
) -> a[*replaced(s, axis, extent(s, axis) - n)]
    where has_axis(s, axis) where extent(s, axis) >= n =
    if n == 0 then x
    else
        let once = _cut(x, axis, 1, extent(s, axis)) - _cut(x, axis, 0, extent(s, axis) - 1)
        _reshaped(diff(once, n - 1, axis=axis), replaced(s, axis, extent(s, axis) - n))
## The integral along an axis by the trapezoidal rule.
@linear(y)
def trapezoid[a: Float](
    y: a[*s],
    *,
    dx: a = 1.0,
    static axis: int = -1
) -> a[*reduced(s, axis, false)]
    where has_axis(s, axis) where extent(s, axis) >= 1 =
    let ends = _cut(y, axis, 0, 1) + _cut(y, axis, extent(s, axis) - 1, extent(s, axis))
    dx * (sum(y, axis=axis) - 0.5 * sum(ends, axis=axis))
## The same of values at the places x.
def trapezoid[a: Float](y: a[n], x: a[n]) -> a where n >= 1 =
    sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) * 0.5)
## Half the differences of both neighbours, in units of dx; at the ends those of the one neighbour.
@linear(f)
def gradient[a: Float](f: a[*s], dx: a = 1.0, *, static axis: int = -1) -> a[*s]
    where has_axis(s, axis) where extent(s, axis) >= 2 =
    let n = extent(s, axis)
    let start = _cut(f, axis, 1, 2) - _cut(f, axis, 0, 1)
    let middle = (_cut(f, axis, 2, n) - _cut(f, axis, 0, n - 2)) * 0.5
    let end = _cut(f, axis, n - 1, n) - _cut(f, axis, n - 2, n - 1)
    concatenate((start, middle, end), axis=axis) / dx
## The integrals from the first element up to each, by the trapezoidal rule.
@linear(y)
def cumulative_trapezoid[a: Float](
    y: a[*s],
    *,
    dx: a = 1.0,
    static axis: int = -1
) -> a[*replaced(s, axis, extent(s, axis) - 1)]
    where has_axis(s, axis) where extent(s, axis) >= 1 =
    let n = extent(s, axis)
    let sums: a[*replaced(s, axis, n - 1)] = intrinsic.cumsum(
        _cut(y, axis, 1, n) + _cut(y, axis, 0, n - 1),
        axis=axis
    )
    0.5 * dx * sums
## Angles without jumps: each differs from the one before by at most half a period.
def unwrap[a: Float](p: a[*s], *, static axis: int = -1, static period: float = 2.0 * pi) -> a[*s]
    where has_axis(s, axis) where extent(s, axis) >= 1 =
    let n = extent(s, axis)
    let step = _cut(p, axis, 1, n) - _cut(p, axis, 0, n - 1)
    let near = (step + period / 2.0) % period - period / 2.0
    let turned = where((near == -(period / 2.0)) & (step > 0), period / 2.0, near)
    let jump = where(abs(step) < period / 2.0, 0.0, turned - step)
    let total: a[*replaced(s, axis, n - 1)] = intrinsic.cumsum(jump, axis=axis)
    concatenate((_cut(p, axis, 0, 1), _cut(p, axis, 1, n) + total), axis=axis)
## The function of this number applied to the operand: the first for numbers below 0, the last for those beyond the end.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](index: i32, branches: ((T) -> U, (T) -> U), operand: T) -> U =
    if index <= 0 then branches.0(operand) else branches.1(operand)
## The same of three.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](
    index: i32,
    branches: ((T) -> U, (T) -> U, (T) -> U),
    operand: T
) -> U =
    if index <= 0 then
        branches.0(operand)
    else if index == 1 then
        branches.1(operand)
    else
        branches.2(operand)
## The same of four.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](
    index: i32,
    branches: ((T) -> U, (T) -> U, (T) -> U, (T) -> U),
    operand: T
) -> U =
    if index <= 1 then
        switch(index, (branches.0, branches.1), operand)
    else
        switch(index - 2, (branches.2, branches.3), operand)
## The same of five.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](
    index: i32,
    branches: ((T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U),
    operand: T
) -> U =
    if index <= 1 then
        switch(index, (branches.0, branches.1), operand)
    else
        switch(index - 2, (branches.2, branches.3, branches.4), operand)
## The same of six.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](
    index: i32,
    branches: ((T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U),
    operand: T
) -> U =
    if index <= 2 then
        switch(index, (branches.0, branches.1, branches.2), operand)
    else
        switch(index - 3, (branches.3, branches.4, branches.5), operand)
## The same of seven.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](
    index: i32,
    branches: ((T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U),
    operand: T
) -> U =
    if index <= 2 then
        switch(index, (branches.0, branches.1, branches.2), operand)
    else
        switch(index - 3, (branches.3, branches.4, branches.5, branches.6), operand)
## The same of eight; of more, one of them may be a `switch` of the rest.
@elements(branches)
@given(operand)
@one_of(branches)
def switch[T: Tree, U: Tree](
    index: i32,
    branches: ((T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U, (T) -> U),
    operand: T
) -> U =
    if index <= 3 then
        switch(index, (branches.0, branches.1, branches.2, branches.3), operand)
    else
        switch(index - 4, (branches.4, branches.5, branches.6, branches.7), operand)

# ---------------------------------------------------------------- scans

## f(…f(f(xs[0], xs[1]), xs[2])…, xs[i]) for every i, by at most 2 n applications in 2 log n rounds; f is associative.
def associative_scan[T: Tree](f: (T, T) -> T, xs: T[n], *, static reverse: bool = false) -> T[n] =
    if reverse then
        let back = _scanned(f, [xs[n - 1 - i] for i in range(n)])
        [back[n - 1 - i] for i in range(n)]
    else _scanned(f, xs)
# The results of neighbours are scanned: those are the results at odd places, each of which makes the next one.
def _scanned[T: Tree](f: (T, T) -> T, xs: T[n]) -> T[n] =
    if n < 2 then xs
    else
        let odd = _scanned(f, [f(xs[2 * i], xs[2 * i + 1]) for i in range(n // 2)])
        _interleaved(xs, [f(odd[i], xs[2 * i + 2]) for i in range((n - 1) // 2)], odd)
# The first of xs and the even ones, by turns with the odd ones.
def _interleaved[T: Tree](xs: T[n], even: T[m], odd: T[k]) -> T[n] where n >= 1 and m + k + 1 == n =
    intrinsic.interleave(xs, even, odd)

# ---------------------------------------------------------------- dtypes, trees

## The value, with no derivative through it.
@elements(x)
@zero_derivative
def stop_gradient[T: Tree](x: T) -> T = intrinsic.stop_gradient(x)
## f(x) for a function that is linear in x, with `transposed` as its transpose: <y, f(x)> = <transposed(y), x>. Derivatives
## apply the two functions and never look into them, so that either may be a loop that stops when it has converged. What
## the functions capture is a constant of every derivative.
@linear(x)
def linear_map[P: VSpace, Q: VSpace](f: (P) -> Q, transposed: (Q) -> P, x: P) -> Q =
    intrinsic.linear_map(f, transposed, x, still=false)
## 0, with the derivative of `linear_map(f, transposed, x)`. Where no derivative is taken nothing is computed, x included. A
## solution s of r(s) = 0 that a loop has found gets its derivative so: s + zero_with_derivative(f, transposed, r(s)), with
## -f the inverse of the derivative of r by s. Where such a value lacks terms in derivatives of more than `order`, one inside
## the other, these are refused (E0821).
@linear(x)
def zero_with_derivative[P: VSpace, Q: VSpace](
    f: (P) -> Q,
    transposed: (Q) -> P,
    x: P,
    *,
    static order: size? = none
) -> Q =
    intrinsic.linear_map(f, transposed, x, still=true, order=order)
## Return the solution s of residual(s) = 0, found in any way, with the derivatives of the equation by all that `residual`
## captures. They are exact up to `order`, one inside the other; more are rejected (E0821). `inverse` is the inverse of the
## derivative of -residual at s, and `transposed` the transpose of `inverse`.
def implicit_solution[P: VSpace[Float]](
    residual: (P) -> P,
    inverse: (P) -> P,
    transposed: (P) -> P,
    s: P,
    *,
    static order: size
) -> P = _right_up_to(order, residual, inverse, transposed, stop_gradient(s), order)
# From a constant s, each step of Newton's method makes the derivatives of one more order right, and changes no others.
def _right_up_to[P: VSpace[Float]](
    static right: size,
    residual: (P) -> P,
    inverse: (P) -> P,
    transposed: (P) -> P,
    s: P,
    static order: size
) -> P =
    if right <= 1 then s + zero_with_derivative(inverse, transposed, residual(s), order=order)
    else
        let before = fn s -> _right_up_to(right - 1, residual, inverse, transposed, s, order)
        let step = fn s -> zero_with_derivative(inverse, transposed, residual(before(s)))
        before(s) + _flat(step, s, still=right)
# 0, with the derivatives of f(x) but for the first ones, which are 0, too, `still` of them with the value.
def _flat[P: VSpace[Float]](f: (P) -> P, x: P, static still: size) -> P =
    intrinsic.flat(f, x, still=still)
## The value, under a name that the policy of a `checkpoint` may keep it by: `checkpoint(f, policy=("hidden",))`.
@elements(x)
def checkpoint_name[T: Tree](x: T, static name: str) -> T = intrinsic.checkpoint_name(x, name=name)

# ---------------------------------------------------------------- random keys

## num new keys; the old one is gone.
def split(k: key, static num: size = 2) -> key[num] = intrinsic.split(k, num=num)
## The key that belongs to this integer.
@new_key(k, i)
def fold_in(k: key, i: i32) -> key = intrinsic.fold_in(k, i)
