"""The functions of the array API standard, as signatures and as expressions of their parameters in the language.

A parameter in braces is an array under its name, or else a literal; `{dtype:f32}` is what stands behind the colon where
the parameter is none. A parameter that the expression leaves out takes no value but its default. Read next: `eager`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SAME = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "conj", "cos", "cosh", "exp", "expm1", "imag"),
    *(
        "isfinite",
        "isinf",
        "isnan",
        "log",
        "log1p",
        "log2",
        "log10",
        "logical_not",
        "real",
        "reciprocal",
        "sign",
        "sin",
    ),
    *("sinh", "square", "sqrt", "tan", "tanh"),
)
_OPERATORS = MappingProxyType(
    {
        "add": "+",
        "bitwise_and": "&",
        "bitwise_left_shift": "<<",
        "bitwise_or": "|",
        "bitwise_right_shift": ">>",
        "bitwise_xor": "^",
        "divide": "/",
        "equal": "==",
        "floor_divide": "//",
        "greater": ">",
        "greater_equal": ">=",
        "less": "<",
        "less_equal": "<=",
        "logical_and": "&",
        "logical_or": "|",
        "logical_xor": "^",
        "multiply": "*",
        "not_equal": "!=",
        "pow": "**",
        "remainder": "%",
        "subtract": "-",
    }
)
_NEGATIVE = "({0} < 0) | (reciprocal({0}) < 0)"

ELEMENTWISE: Mapping[str, str] = MappingProxyType(
    {
        **{f"{name}(x, /)": f"{name}({{x}})" for name in _SAME},
        **{f"{name}(x1, x2, /)": f"{{x1}} {sign} {{x2}}" for name, sign in _OPERATORS.items()},
        **{
            f"{name}(x1, x2, /)": f"{name}({{x1}}, {{x2}})"
            for name in ("atan2", "hypot", "logaddexp", "maximum", "minimum", "nextafter")
        },
        **{f"{name}(x, /)": f"{name}({{x}})" for name in ("ceil", "floor", "round", "trunc")},
        "bitwise_invert(x, /)": "~{x}",
        "clip(x, /, min=None, max=None)": "minimum(maximum({x}, {min:{x}}), {max:{x}})",
        "copysign(x1, x2, /)": f"abs({{x1}}) * where({_NEGATIVE.format('{x2}')}, -1, 1)",
        "negative(x, /)": "-{x}",
        "positive(x, /)": "{x}",
        "signbit(x, /)": _NEGATIVE.format("{x}"),
        "where(condition, x1, x2, /)": "where({condition}, {x1}, {x2})",
    }
)
"""Their operands are broadcast together, by the rule of NumPy, and have one dtype."""

_CREATED = "*, dtype=None, device=None"
_REDUCED = "x, /, *, axis=None, keepdims=False"
_TRANSFORMED = "x, /, *, n=None, axis=-1, norm='backward'"
_TRANSFORMED_ALL = "x, /, *, s=None, axes=None, norm='backward'"

OTHERS: Mapping[str, str] = MappingProxyType(
    {
        # creation
        "eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)": "cast("
        "arange({n_cols:{n_rows}}, dtype=i32)[None, :] - arange({n_rows}, dtype=i32)[:, None] == {k}, {dtype:f32})",
        f"empty(shape, {_CREATED})": "zeros({shape}, {dtype:f32})",
        f"empty_like(x, /, {_CREATED})": "zeros({x}.shape, {dtype:{x}.dtype})",
        f"full_like(x, /, fill_value, {_CREATED})": "full({x}.shape, {fill_value}, {dtype:{x}.dtype})",
        f"ones(shape, {_CREATED})": "ones({shape}, {dtype:f32})",
        f"ones_like(x, /, {_CREATED})": "ones({x}.shape, {dtype:{x}.dtype})",
        f"zeros(shape, {_CREATED})": "zeros({shape}, {dtype:f32})",
        f"zeros_like(x, /, {_CREATED})": "zeros({x}.shape, {dtype:{x}.dtype})",
        "tril(x, /, *, k=0)": "tril({x}, k={k})",
        "triu(x, /, *, k=0)": "triu({x}, k={k})",
        "meshgrid(*arrays, indexing='xy')": "meshgrid({arrays}, indexing={indexing})",
        # dtypes and indexing
        "astype(x, dtype, /, *, copy=True, device=None)": "cast({x}, {dtype})",
        "take(x, indices, /, *, axis=None)": "take({x}, {indices}, axis={axis:0})",
        "take_along_axis(x, indices, /, *, axis=-1)": "take_along_axis({x}, {indices}, axis={axis})",
        # manipulation
        "broadcast_to(x, /, shape)": "broadcast_to({x}, {shape})",
        "concat(arrays, /, *, axis=0)": "concatenate({arrays}, axis={axis})",
        "expand_dims(x, /, axis)": "expand_dims({x}, axis={axis})",
        "flip(x, /, *, axis=None)": "flip({x}, axis={axis})",
        "moveaxis(x, source, destination, /)": "moveaxis({x}, {source}, {destination})",
        "permute_dims(x, /, axes)": "transpose({x}, {axes})",
        "repeat(x, repeats, /, *, axis=None)": "repeat({x}, {repeats}, axis={axis})",
        "reshape(x, /, shape, *, copy=None)": "reshape({x}, {shape})",
        "roll(x, /, shift, *, axis=None)": "roll({x}, {shift}, axis={axis})",
        "squeeze(x, /, axis)": "squeeze({x}, axis={axis})",
        "stack(arrays, /, *, axis=0)": "stack({arrays}, axis={axis})",
        "tile(x, repetitions, /)": "tile({x}, {repetitions})",
        # searching, sorting, statistics
        "argmax(x, /, *, axis=None, keepdims=False)": "argmax({x}, axis={axis}, keepdims={keepdims})",
        "argmin(x, /, *, axis=None, keepdims=False)": "argmin({x}, axis={axis}, keepdims={keepdims})",
        "searchsorted(x1, x2, /, *, side='left', sorter=None)": "searchsorted({x1}, {x2}, side={side})",
        "sort(x, /, *, axis=-1, descending=False, stable=True)": "sort({x}, axis={axis}, descending={descending})",
        "argsort(x, /, *, axis=-1, descending=False, stable=True)": "argsort("
        "{x}, axis={axis}, descending={descending})",
        "diff(x, /, *, axis=-1, n=1, prepend=None, append=None)": "diff({x}, axis={axis})",
        "cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)": "cumsum("
        "cast({x}, {dtype:{sum}}), axis={axis:0})",
        "cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)": "cumprod("
        "cast({x}, {dtype:{sum}}), axis={axis:0})",
        **{
            f"{name}({_REDUCED})": f"{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})"
            for name in ("max", "min", "mean")
        },
        **{
            f"{name}({_REDUCED})": f"{name}(cast({{x}}, bool), axis={{axis}}, keepdims={{keepdims}})"
            for name in ("all", "any")
        },
        f"count_nonzero({_REDUCED})": "sum(cast(cast({x}, bool), i32), axis={axis}, keepdims={keepdims})",
        **{
            f"{name}(x, /, *, axis=None, dtype=None, keepdims=False)": f"{name}("
            "cast({x}, {dtype:{sum}}), axis={axis}, keepdims={keepdims})"
            for name in ("prod", "sum")
        },
        **{
            f"{name}(x, /, *, axis=None, correction=0.0, keepdims=False)": f"{name}("
            "{x}, axis={axis}, ddof={correction:0}, keepdims={keepdims})"
            for name in ("std", "var")
        },
        # products
        "matmul(x1, x2, /)": "{x1} @ {x2}",
        "matrix_transpose(x, /)": "matrix_transpose({x})",
        "tensordot(x1, x2, /, *, axes=2)": "tensordot({x1}, {x2}, axes={axes})",
        "vecdot(x1, x2, /, *, axis=-1)": "vecdot({x1}, {x2})",
    }
)

LINALG: Mapping[str, str] = MappingProxyType(
    {
        "cholesky(x, /, *, upper=False)": "linalg.cholesky({x}, upper={upper})",
        "cross(x1, x2, /, *, axis=-1)": "cross({x1}, {x2})",
        "diagonal(x, /, *, offset=0)": "diagonal({x})",
        "eigh(x, /)": "linalg.eigh({x})",
        "matrix_power(x, n, /)": "linalg.matrix_power({x}, {n})",
        "matrix_rank(x, /, *, rtol=None)": "linalg.matrix_rank({x})",
        "matrix_norm(x, /, *, keepdims=False, ord='fro')": "sqrt("
        "sum(square(abs({x})), axis=(-2, -1), keepdims={keepdims}))",
        "outer(x1, x2, /)": "outer({x1}, {x2})",
        "pinv(x, /, *, rtol=None)": "linalg.pinv({x})",
        "qr(x, /, *, mode='reduced')": "linalg.qr({x})",
        "solve(x1, x2, /)": "linalg.solve({x1}, {x2})",
        "svd(x, /, *, full_matrices=True)": "linalg.svd({x}, full_matrices={full_matrices})",
        "svdvals(x, /)": "linalg.svd({x}).1",
        "trace(x, /, *, offset=0, dtype=None)": "trace(cast({x}, {dtype:{sum}}))",
        "vector_norm(x, /, *, axis=None, keepdims=False, ord=2)": "sqrt("
        "sum(square(abs({x})), axis={axis}, keepdims={keepdims}))",
        **{f"{name}(x, /)": f"linalg.{name}({{x}})" for name in ("det", "eigvalsh", "inv", "slogdet")},
        **{text: OTHERS[text] for text in OTHERS if text.startswith(("matmul(", "matrix_t", "tensordot(", "vecdot("))},
    }
)


def _scaled(call: str, samples: str, sign: str, plain: str = "backward") -> str:
    """A transform of so many samples with its scale; the library has it as `norm` calls `plain`."""
    return (
        f"let y = {call}\n    let m = cast({samples}, y.dtype)\n"
        f'    if {{norm}} == "{plain}" then y else if {{norm}} == "ortho" then y {sign} sqrt(m) else y {sign} m'
    )


_ALONG, _OVER = "n={n}, axis={axis}", "axes={axes}"
_GIVEN, _MADE = "{n:{x}.shape[{axis}]}", "y.shape[{axis}]"

NORMS = ("backward", "ortho", "forward")
FFT: Mapping[str, str] = MappingProxyType(
    {
        **{f"{f}({_TRANSFORMED})": _scaled(f"fft.{f}({{x}}, {_ALONG})", _GIVEN, "/") for f in ("fft", "rfft")},
        **{f"{f}({_TRANSFORMED})": _scaled(f"fft.{f}({{x}}, {_ALONG})", _MADE, "*") for f in ("ifft", "irfft")},
        f"hfft({_TRANSFORMED})": _scaled(f"fft.irfft(conj({{x}}), {_ALONG})", _MADE, "*", "forward"),
        f"ihfft({_TRANSFORMED})": _scaled(f"conj(fft.rfft({{x}}, {_ALONG}))", _GIVEN, "/", "forward"),
        **{
            f"{name}(n, /, *, d=1.0, dtype=None, device=None)": f"fft.{name}({{n}}, {{d}}, dtype={{dtype:f32}})"
            for name in ("fftfreq", "rfftfreq")
        },
        **{
            f"{f}({_TRANSFORMED_ALL})": _scaled(f"fft.{f}({{x}}, {_OVER})", "extent({x}.shape, {axes})", "/")
            for f in ("fftn", "rfftn")
        },
        **{
            f"{f}({_TRANSFORMED_ALL})": _scaled(f"fft.{f}({{x}}, {_OVER})", "extent(y.shape, {axes})", "*")
            for f in ("ifftn", "irfftn")
        },
    }
)

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "eigh": "eigenvalues eigenvectors",
        "qr": "Q R",
        "slogdet": "sign logabsdet",
        "svd": "U S Vh",
    }
)
"""What the parts of results are called."""

EXTENSIONS: Mapping[str, Mapping[str, str]] = MappingProxyType({"linalg": LINALG, "fft": FFT})
