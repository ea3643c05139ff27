"""The rules by which arrays are computed with on the host, outside of programs: those of the language, by
NumPy.

No dtype is promoted: Python numbers take the dtype of the array they meet, and arrays must agree. Shapes
follow the language's broadcasting, which refuses what NumPy would stretch silently. Knows no device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from dsl.types import dtype as d
from dsl.types.dtype import BY_NAME, DType
from dsl.types.numpy_dtypes import BY_NUMPY, converted

NDArray = np.ndarray[Any, Any]
Binary = Callable[..., Any]

_ALONE = MappingProxyType({"b": d.BOOL, "i": d.I32, "u": d.I32, "f": d.F32, "c": d.C64})


def dtype_of(spec: Any) -> DType:
    """A dtype of the language: its own, or one NumPy knows by any name."""
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, np.dtype) and spec in BY_NUMPY:
        return BY_NUMPY[spec]
    if isinstance(spec, str) and spec in BY_NAME:
        return BY_NAME[spec]
    wanted = np.dtype(spec)
    known = BY_NUMPY.get(wanted.newbyteorder("="))
    if known is None:
        raise TypeError(f"{wanted} is not a dtype of the language: {', '.join(x.name for x in d.ALL)}")
    return known


def type_of(value: NDArray) -> Tensor:
    return Tensor(dtype_of(value.dtype), value.shape)


def host_array(value: Any, target: DType | None = None) -> NDArray:
    """A NumPy array of a dtype of the language, from whatever holds numbers; those without a dtype become `target`."""
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        return _from_dlpack(value)
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("what a masked array masks has no place in an array: say what stands there, `x.filled(0)`")
    made = np.asarray(value)
    if not hasattr(value, "dtype"):
        made = _numbers(made) if target is None else convert_numbers(made, target)
    return native(made)


def native(value: NDArray) -> NDArray:
    """In the byte order of the machine, and of a dtype of the language."""
    wanted = dtype_of(value.dtype).numpy
    return value if value.dtype is wanted else value.astype(wanted, copy=False)


def _from_dlpack(value: Any) -> NDArray:
    try:
        return native(np.from_dlpack(value))
    except (BufferError, RuntimeError, TypeError):
        # NumPy's DLPack knows no bf16, and takes nothing from other devices: their own conversion does.
        return native(np.asarray(value))


def _numbers(value: NDArray) -> NDArray:
    """Python numbers alone: integers are i32, and one that does not fit is refused."""
    target = _ALONE.get(value.dtype.kind)
    if target is None:
        raise TypeError(f"an array holds numbers, not {value.dtype}")
    return convert_array(value, target)


def convert_array(value: NDArray, target: DType) -> NDArray:
    """Numbers without a dtype of their own as `target`, which must be able to hold them."""
    if value.size and target.is_integer and value.dtype.kind in "iuO":
        info = np.iinfo(np.dtype(target.numpy.name))
        low, high = value.min(), value.max()
        if low < info.min or high > info.max:
            raise OverflowError(f"{low if low < info.min else high} does not fit {target}")
    with np.errstate(all="ignore"):
        made = value.astype(target.numpy)
    if target.is_inexact and value.dtype.kind != "O":
        lost = np.isfinite(value) & ~np.isfinite(made)
        if lost.any():
            raise OverflowError(f"{value[lost].flat[0]} does not fit {target}")
    return made


def real(value: bool | int | float | complex) -> bool | int | float:
    if isinstance(value, complex):
        raise TypeError("a complex number is not a real number; take `.real` of it")
    return value


def convert(value: NDArray, type: Tensor, target: DType) -> NDArray:
    """Convert an array by the rule of `cast`."""
    return value if type.dtype is target else converted(value, target)


def index(key: Any) -> Any:
    """An index as NumPy takes it: arrays on a device are read."""
    if isinstance(key, tuple):
        return tuple([index(part) for part in key])
    return np.asarray(key) if hasattr(key, "__dlpack__") else key


def binary(operation: Binary, x: NDArray, other: Any, *, reflected: bool = False) -> Any:
    """`operation(x, other)`, or the other way round; NotImplemented for what is neither a number nor an array."""
    y = operand(other, x.dtype)
    if y is None:
        return NotImplemented
    if y.dtype != x.dtype:
        names = dtype_of(x.dtype), dtype_of(y.dtype)
        raise TypeError(f"{names[0]} and {names[1]} do not mix; convert one, as in `x.astype({names[0].name!r})`")
    if operation is not np.matmul:
        agree(x.shape, y.shape)
    with np.errstate(all="ignore"):
        result = operation(y, x) if reflected else operation(x, y)
    return np.asarray(result)


def operand(other: Any, dtype: np.dtype[Any]) -> NDArray | None:
    if isinstance(other, bool | int | float | complex) and not isinstance(other, np.generic):
        return convert_number(other, dtype_of(dtype))
    if isinstance(other, np.ndarray | np.generic) or hasattr(other, "__dlpack__"):
        return host_array(other)
    return None


def convert_number(number: bool | int | float | complex, target: DType) -> NDArray:
    """A Python number as the dtype of the array it meets, by the rules of static numbers."""
    return convert_numbers(np.asarray(number), target)


def convert_numbers(numbers: NDArray, target: DType) -> NDArray:
    """Python numbers as a dtype, by the same rules. Raises TypeError for those of another kind, and OverflowError."""
    kind = numbers.dtype.kind
    allowed = "b" if target.is_bool else "iuO" if target.is_integer else "iuOf" if target.is_float else "iuOfc"
    if numbers.size and kind not in allowed:
        raise TypeError(f"{numbers.tolist()!r} does not become {target} by itself; convert the array first")
    return convert_array(numbers, target)


def agree(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    """The safe half of broadcasting: a scalar, trailing axes that match exactly, or a literal 1 at equal
    rank."""
    if not x or not y or x == y:
        return
    short, long = sorted((x, y), key=len)
    if len(x) == len(y):
        fits = all(n == m or n == 1 or m == 1 for n, m in zip(x, y, strict=True))
    else:
        fits = long[len(long) - len(short) :] == short
    if not fits:
        raise ValueError(f"shapes {list(x)} and {list(y)} do not match")


def divide(x: NDArray, y: NDArray) -> NDArray:
    if x.dtype.kind in "iub":
        raise TypeError("`/` is not defined on integers; use `//`, or convert to a float dtype first")
    return np.asarray(np.true_divide(x, y))


def floor_divide(x: NDArray, y: NDArray) -> NDArray:
    """The quotient rounded down; an integer by zero is the one with all bits set, as in programs."""
    return _apart_from_zero(np.floor_divide, x, y, np.invert(np.zeros_like(y)) if y.dtype.kind in "iu" else y)


def modulo(x: NDArray, y: NDArray) -> NDArray:
    """The remainder, of the sign of the divisor; that of an integer by zero is the integer, as in programs."""
    return _apart_from_zero(np.mod, x, y, x)


def _apart_from_zero(ufunc: np.ufunc, x: NDArray, y: NDArray, by_zero: NDArray) -> NDArray:
    if y.dtype.kind not in "iu":
        return np.asarray(ufunc(x, y))
    return np.where(y == 0, by_zero, ufunc(x, np.where(y == 0, y.dtype.type(1), y)))


def keeping_dtype(ufunc: np.ufunc) -> Binary:
    """A function of NumPy that gives the dtype of its operands, that of their absolute value, or bools."""
    own = _OWN.get(ufunc)
    if own is not None:
        return own

    def operation(*operands: NDArray) -> NDArray:
        with np.errstate(all="ignore"):
            made = np.asarray(ufunc(*operands))
        dtype = dtype_of(operands[0].dtype)
        if dtype_of(made.dtype) not in (dtype, dtype.real, d.BOOL):
            what = f"np.{ufunc.__name__} of {dtype} is {dtype_of(made.dtype)}, and no dtype is promoted"
            raise TypeError(f"{what}; convert to a float dtype first, as in `x.astype('f32')`")
        return made

    return operation


def negative(x: NDArray) -> NDArray:
    if x.dtype.kind == "b":
        raise TypeError("`-` is not defined on bool; use `~`")
    return np.negative(x)


_OWN: Mapping[np.ufunc, Binary] = MappingProxyType(
    {
        np.true_divide: divide,
        np.floor_divide: floor_divide,
        np.mod: modulo,
        np.negative: negative,
        np.matmul: np.matmul,
    }
)
"""The functions of NumPy whose operators have rules of their own here."""
