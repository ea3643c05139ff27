"""Convert Python values to arrays of the required dtype. Read next: `binding`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from msgspec import Struct

from dsl.host.argument_errors import Problem, article
from dsl.host.arguments.pytree import NUMBERS, SEQUENCES, flatten, view_as_array
from dsl.ir.function import Tensor
from dsl.staging.values import default_dtype
from dsl.types.dtype import DType, integer_range
from dsl.types.numpy_dtypes import BY_NUMPY
from lowering.xla.adapter import is_buffer
from lowering.xla.array import Array, borrow

Convert: TypeAlias = Callable[[Any], Any]


def tensor_of(value: Any) -> Tensor | None:
    """Dtype and shape of anything that holds an array."""
    if isinstance(value, Array):
        return value.type
    value = view_as_array(value)
    dtype = _dtype_of(value)
    if dtype is None or isinstance(value, np.ma.MaskedArray):  # what it masks has no place in an array
        return None
    known = BY_NUMPY.get(dtype if dtype.isnative else dtype.newbyteorder("="))
    return None if known is None else Tensor(known, tuple(value.shape))


def _dtype_of(value: Any) -> np.dtype[Any] | None:
    """The dtype of NumPy that the elements of a value have; None where it holds none, as a class or a bare type."""
    dtype = getattr(value, "dtype", None)
    if dtype is None or not hasattr(value, "shape") or not hasattr(type(value), "__array__"):
        return None
    if isinstance(dtype, np.dtype):
        return dtype
    if hasattr(value, "__arrow_c_stream__"):  # a column that lacks elements
        return None
    try:
        return np.asarray(value).dtype
    except (TypeError, ValueError, RuntimeError):  # a dtype of its own kind, such as that of a key of jax.random
        return None


def kind_of(value: Any) -> str:
    """Describe the type of a value in a few words."""
    found = tensor_of(value)
    if found is not None:
        return str(found)
    if isinstance(value, Mapping):
        return "a dict"
    if type(value) is np.ndarray:
        return f"an array of {value.dtype}"
    kind = type(value).__name__
    return f"{article(kind)} {kind}"


def no_array(value: Any, path: str, wanted: str) -> Problem:
    """Build the error for a value that is not an array of a dtype of the language."""
    repair = ""
    if isinstance(value, np.ma.MaskedArray):
        repair = f"replace the masked elements first: `{path}.filled(0)`"
    elif hasattr(value, "__arrow_c_stream__"):
        repair = "a table is taken where all of its columns are numbers, and none is missing"
    elif isinstance(value, np.ndarray) and value.dtype.kind in "fiuO":
        repair = f"convert it to a dtype that there is: `{path}.astype(np.float32)`"
    return Problem("E0901", f"{path} is {kind_of(value)}, not {wanted}", repair)


# ---------------------------------------------------------------- conversions


def preserves(source: DType, target: DType) -> bool:
    """Return whether every value of `source` is one of `target`."""
    return source == target or (bool(np.can_cast(_plain(source), _plain(target), "safe")) and _keeps(source, target))


def _plain(dtype: DType) -> np.dtype[Any]:
    return np.dtype(np.float32) if dtype.name == "bf16" else dtype.numpy


def _keeps(source: DType, target: DType) -> bool:
    """bf16 does not fit f16, nor f32 bf16; bools are not numbers; no float holds all integers of 64 bits."""
    large = source.is_integer and source.bits == 64 and target.is_inexact
    return target.name != "bf16" and not (source.is_bool and not target.is_bool) and not large


def conversion(source: DType, target: DType, path: str, value: Any, wanted: str) -> Convert | None:
    if source == target:
        if _is_plain(value) and value.dtype == target.numpy:
            return None
        if is_buffer(value):
            return lambda given: borrow(np.asarray(given))
        return lambda given: np.asarray(given, target.numpy)  # of another byte order or class, say
    if not preserves(source, target):
        call = f"{path}.astype(np.{target.numpy.name})"
        loss = "needs an explicit conversion" if source.is_bool else "may lose information"
        message = f"{path} is {kind_of(value)}, but {wanted or target.name} is expected: {source} to {target} {loss}"
        raise Problem("E0902", message, f"convert it: `{call}`")
    return lambda given: np.asarray(given).astype(target.numpy)


def index_conversion(value: Any) -> Convert | None:
    """Integers as they are, in the byte order of the machine."""
    return None if _is_plain(value) and value.dtype.isnative else np.asarray


def _is_plain(value: Any) -> bool:
    """Return whether programs take a value as it is, if it has the right dtype."""
    return type(value) in (Array, np.ndarray) or isinstance(value, np.generic)


LARGEST_READ = 2.0**62
"""Up to so large, every dtype of floats reads integers; `bf16` reads none of more than 64 bits."""


def _of_numbers(numbers: Any, target: DType) -> Any:
    """Return numbers as an array of a real dtype by way of floats where it is one of floats."""
    exact = np.asarray(numbers, np.float64) if target.is_float else numbers
    return np.asarray(exact, target.numpy)


class Number(Struct, frozen=True, eq=False):
    """Converts numbers to a dtype, which holds those of the `kinds` between two bounds; most are not looked at any
    further. Raises `Problem` E0910 for one that it cannot hold."""

    target: DType
    path: str
    kinds: tuple[type, ...]
    low: Any
    high: Any

    @staticmethod
    def of(target: DType, path: str) -> Number:
        return Number(target, path, *_surely_held(target))

    def __call__(self, number: Any) -> Any:
        if type(number) not in self.kinds or not self.low <= number <= self.high:
            check_number(number, self.target, self.path)
            return _of_numbers(number, self.target)
        return np.asarray(number, self.target.numpy)


def _surely_held(target: DType) -> tuple[tuple[type, ...], Any, Any]:
    """The kinds of numbers that a dtype holds between two bounds."""
    if target.is_bool:
        return (bool,), False, True
    if target.is_integer:
        return (int,), *integer_range(target)
    if target.is_inexact and not target.is_complex:
        largest = min(float(ml_dtypes.finfo(target.numpy).max), LARGEST_READ)
        return (float, int, np.float64), -largest, largest
    return (), 0, 0


def check_part(value: Any, target: DType, path: str, wanted: str) -> None:
    """An array in a list is converted as it would be alone; integers are held against the dtype one by one."""
    found = None if isinstance(value, NUMBERS) else tensor_of(value)
    by_value = found is not None and found.dtype.is_integer and (target.is_integer or not found.shape)
    if found is not None and not by_value:
        conversion(found.dtype, target, path, value, wanted)


def is_integer_scalar(value: Any) -> bool:
    """Return whether it is an integer of NumPy without axes: a number like those of Python."""
    return isinstance(value, np.ndarray | np.generic) and value.shape == () and value.dtype.kind in "iu"


def scalar_conversion(source: DType, target: DType, path: str, wanted: str) -> Convert:
    """Of an integer without axes, which is read like a number of Python; an array of the device is not."""
    convert = Number.of(target, path)

    def read(given: Any) -> Any:
        if isinstance(given, Array):
            conversion(source, target, path, given, wanted)
        return convert(given.item())

    return read


class Reading(Struct, frozen=True):
    """How a number, an array or a list of them becomes an array of a type; without `convert` it is one. `parts` are the
    leaves of a list, which come in."""

    type: Tensor
    convert: Convert | None
    parts: Sequence[Any] | None = None


def read_array(value: Any, dtype: DType | None, path: str, wanted: str | None) -> Reading:
    """Return a reader that converts an argument to an array. Without `dtype` the value determines it. Raises `Problem`
    if the value is not an array or does not fit `wanted`."""
    if isinstance(value, NUMBERS):
        target = dtype or default_dtype(value)
        check_number(value, target, path)
        return Reading(Tensor(target, ()), Number.of(target, path))
    if isinstance(value, SEQUENCES):
        return _read_list(value, dtype, path, wanted or "an array")
    found = tensor_of(value)
    if found is None:
        raise no_array(value, path, wanted or "an array")
    target = dtype or found.dtype
    if is_integer_scalar(value) and not preserves(found.dtype, target):
        check_number(value.item(), target, path)
        return Reading(Tensor(target, ()), scalar_conversion(found.dtype, target, path, wanted or ""))
    return Reading(Tensor(target, found.shape), conversion(found.dtype, target, path, value, wanted or ""))


def _read_list(value: Sequence[Any], dtype: DType | None, path: str, wanted: str) -> Reading:
    """Return the reader of a list of numbers and arrays, whose leaves determine the dtype."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise Problem("E0901", f"{path} is a ragged list, not {wanted}") from None
    numbers = array.ravel().tolist()
    if not all(isinstance(number, NUMBERS) for number in numbers):
        raise Problem("E0901", f"{path} is {kind_of(value)}, not {wanted}")
    parts: list[Any] = []
    flatten(value, parts, [])
    arrays = [found.dtype for part in parts if (found := tensor_of(part)) is not None]
    target = dtype or next(iter(arrays), default_dtype(numbers[0] if numbers else 0.0))
    for part in parts:
        check_part(part, target, path, wanted)
    convert = list_conversion(array.shape, target, path)
    convert(parts)
    return Reading(Tensor(target, array.shape), convert, parts)


def list_conversion(shape: tuple[int, ...], target: DType, path: str) -> Convert:
    """The leaves of the list come in, each a number or an array."""

    def convert(leaves: Any) -> Any:
        flat = [number for leaf in leaves for number in _numbers(leaf)]
        for number in flat:
            check_number(number, target, path)
        return _of_numbers(flat, target).reshape(shape)

    return convert


def _numbers(leaf: Any) -> list[Any]:
    return [leaf] if isinstance(leaf, NUMBERS) else np.asarray(leaf).ravel().tolist()


def check_number(number: Any, target: DType, path: str) -> None:
    """A Python number takes the dtype of its parameter if that can hold it."""
    if isinstance(number, bool):
        if not target.is_bool:
            raise Problem("E0910", f"{path} is {number}, not a number of type {target}")
    elif target.is_bool:
        raise Problem("E0910", f"{path} is {number!r}, not a bool")
    elif isinstance(number, int) and target.is_integer:
        low, high = integer_range(target)
        if not low <= number <= high:
            raise Problem("E0910", f"{path} is {number}, which {target} cannot hold ({low} to {high})")
    elif isinstance(number, int):
        if abs(number) >= 2**1024 or _overflows(float(number), target):
            raise Problem("E0910", f"{path} is an integer of {number.bit_length()} bits, which {target} cannot hold")
    elif isinstance(number, complex) and not target.is_complex:
        raise Problem("E0910", f"{path} is {number}, and {target} is a real type")
    elif target.is_integer:
        raise Problem("E0910", f"{path} is {number}, and {target} is an integer type")
    elif _overflows(number, target):
        raise Problem("E0910", f"{path} is {number}, which {target} cannot hold")


def _overflows(number: Any, target: DType) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.isfinite(number)) and not bool(np.isfinite(np.asarray(number).astype(target.numpy)))
