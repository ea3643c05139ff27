"""The functions of the array API standard that are no programs: they make arrays, move elements, speak of dtypes, or
give arrays whose shapes depend on elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from dsl.types.dtype import ALL, BF16, F16
from lowering.xla import numeric
from lowering.xla.array import Array, array, move_to
from lowering.xla.backends import choice, place_of
from lowering.xla.places import Device, Sharding

DTYPES: Mapping[str, np.dtype[Any]] = MappingProxyType({d.numpy.name: d.numpy for d in ALL if d not in (BF16, F16)})
DEFAULTS: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "real floating": DTYPES["float32"],
        "complex floating": DTYPES["complex64"],
        "integral": DTYPES["int32"],
        "indexing": DTYPES["int32"],
    }
)


def asarray(obj: Any, /, *, dtype: Any = None, device: Device | None = None, copy: bool | None = None) -> Array:
    """An array of numbers and lists of them, of an array, or of what knows DLPack or the buffer protocol."""
    if copy is False and not isinstance(obj, Array):
        raise ValueError("what is no array cannot be one without a copy")
    if hasattr(obj, "__dlpack__"):
        made = array(obj)
        return _at(made if dtype is None else made.astype(dtype), device)
    elements = np.asarray(_numbers(obj), None if dtype is None else _dtype(dtype))
    return _at(array(elements.astype(_default(elements)) if dtype is None else elements), device)


def _numbers(value: Any) -> Any:
    """Arrays in lists are the numbers that they hold."""
    if isinstance(value, list | tuple):
        return [_numbers(part) for part in value]
    return value.tolist() if isinstance(value, Array) else value


def from_dlpack(x: Any, /, *, device: Device | None = None, copy: bool | None = None) -> Array:
    return _at(array(x), device)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Device | None = None
) -> Array:
    made = np.arange(start, dtype=dtype) if stop is None else np.arange(start, stop, step, dtype=dtype)
    return asarray(made if dtype is not None else made.astype(_default(made)), device=device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Device | None = None,
    endpoint: bool = True,
) -> Array:
    made = np.linspace(start, stop, num, endpoint=endpoint)
    return asarray(made.astype(_default(made) if dtype is None else dtype), device=device)


def full(shape: Any, fill_value: complex, *, dtype: Any = None, device: Device | None = None) -> Array:
    made = np.full(shape, fill_value)
    return asarray(made.astype(_default(made) if dtype is None else dtype), device=device)


def _default(made: np.ndarray[Any, Any]) -> np.dtype[Any]:
    """The default dtype for numbers of a kind, or a wider one if that does not hold them."""
    kinds = {"i": "integral", "f": "real floating", "c": "complex floating"}
    found = DEFAULTS[kinds[made.dtype.kind]] if made.dtype.kind in kinds else made.dtype
    fits = made.dtype.kind != "i" or not made.size or bool(np.all(made == made.astype(found)))
    return found if fits else made.dtype


def _at(made: Array, device: Device | None) -> Array:
    return made if device is None else move_to(made, place_of(Sharding((device,))))


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    return tuple([array(part) for part in np.moveaxis(np.asarray(x), axis, 0)])


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """With the frequency 0 in the middle."""
    return array(np.fft.fftshift(np.asarray(x), axes))


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Undo `fftshift`."""
    return array(np.fft.ifftshift(np.asarray(x), axes))


# ---------------------------------------------------------------- what depends on elements for its shape


class UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices of the elements that are not zero, by axis. Raises ValueError for a number."""
    if not x.ndim:
        raise ValueError("a number has no indices; `nonzero` takes arrays with axes")
    return tuple(map(_indices, np.nonzero(np.asarray(x))))


def unique_all(x: Array, /) -> UniqueAll:
    """The values in order, where each comes first, which of them each element is, and how often each comes; every nan
    is a value of its own."""
    values, first, inverse, counts = np.unique(
        np.asarray(x), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return UniqueAll(array(values), _indices(first), _indices(inverse.reshape(x.shape)), _indices(counts))


def unique_counts(x: Array, /) -> UniqueCounts:
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Array, /) -> UniqueInverse:
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    return unique_all(x).values


def _indices(found: np.ndarray[Any, Any]) -> Array:
    return array(found.astype(DEFAULTS["indexing"]))


# ---------------------------------------------------------------- dtypes


def _dtype(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, Array) else numeric.dtype_of(x).numpy


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    numbers = [x for x in arrays_and_dtypes if isinstance(x, bool | int | float | complex)]
    return np.result_type(*[_dtype(x) for x in arrays_and_dtypes if x not in numbers], *numbers)


def can_cast(from_: Any, to: Any, /) -> bool:
    return np.can_cast(_dtype(from_), _dtype(to))


def isdtype(dtype: Any, kind: Any) -> bool:
    return bool(np.isdtype(_dtype(dtype), kind))


def finfo(type: Any, /) -> Any:
    found = np.finfo(_dtype(type))
    numbers = {name: float(getattr(found, name)) for name in ("eps", "max", "min", "smallest_normal")}
    return SimpleNamespace(bits=found.bits, dtype=found.dtype, **numbers)


def iinfo(type: Any, /) -> Any:
    return np.iinfo(_dtype(type))


class Info:
    """Information about the namespace, as the standard requires."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        return self.devices()[0]

    def devices(self) -> list[Device]:
        return list(choice().devices)

    def default_dtypes(self, *, device: Device | None = None) -> dict[str, np.dtype[Any]]:
        return dict(DEFAULTS)

    def dtypes(self, *, device: Device | None = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        return {name: dtype for name, dtype in DTYPES.items() if kind is None or np.isdtype(dtype, kind)}


FUNCTIONS: Mapping[str, Any] = MappingProxyType(
    {
        **{f.__name__: f for f in (asarray, from_dlpack, arange, linspace, full, unstack)},
        **{f.__name__: f for f in (nonzero, unique_all, unique_counts, unique_inverse, unique_values)},
        **{f.__name__: f for f in (result_type, can_cast, isdtype, finfo, iinfo)},
        "__array_namespace_info__": Info,
    }
)

EXTENSIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType({"fft": {f.__name__: f for f in (fftshift, ifftshift)}})
