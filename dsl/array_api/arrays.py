"""The functions of the array API standard whose programs depend on more than the types of their operands: they make
arrays, move elements, or return information about dtypes. The shapes of the last ones depend on elements, which are
computed by the host in its own memory, and else by programs whose results are cut to their sizes; they are where the
operand is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from dsl.array_api.eager import compute, literal
from dsl.types.dtype import ALL, BF16, F16
from lowering.xla import numeric
from lowering.xla.array import Array, array, move_to
from lowering.xla.array_state import in_host_memory
from lowering.xla.backends import choice, place_of
from lowering.xla.places import Device, Sharding

DTYPES: Mapping[str, np.dtype[Any]] = MappingProxyType({d.numpy.name: d.numpy for d in ALL if d not in (BF16, F16)})
NUMBERS = bool | int | float | complex
DEFAULTS: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "real floating": DTYPES["float32"],
        "complex floating": DTYPES["complex64"],
        "integral": DTYPES["int32"],
        "indexing": DTYPES["int32"],
    }
)


def asarray(obj: Any, /, *, dtype: Any = None, device: Device | None = None, copy: bool | None = None) -> Array:
    """Return an array of numbers, of lists of them and of arrays, or of an object with DLPack or a buffer."""
    if copy is False and not isinstance(obj, Array):
        raise ValueError("what is no array cannot be one without a copy")
    if _holds_arrays(obj):
        obj = _stacked(obj)
    if hasattr(obj, "__dlpack__"):
        made = array(obj)
        return _at(made if dtype is None else made.astype(dtype), device)
    elements = np.asarray(obj, None if dtype is None else _dtype(dtype))
    return _at(array(elements.astype(_default(elements)) if dtype is None else elements), device)


def _holds_arrays(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(part, Array) or _holds_arrays(part) for part in value)


def _stacked(parts: Sequence[Any]) -> Array:
    """Stack arrays and numbers where the arrays are."""
    made = [_stacked(part) if _holds_arrays(part) else part for part in parts]
    known = [part if isinstance(part, NUMBERS | Array) else _default(np.asarray(part)) for part in made]
    target = numeric.dtype_of(result_type(*known))
    operands = {f"p{i}": part if isinstance(part, Array) else np.asarray(part) for i, part in enumerate(made)}
    cast = "".join([f"cast({name}, {target.name}), " for name in operands])
    found: Array = compute(f"    stack(({cast}))\n", **operands)
    return found


def from_dlpack(x: Any, /, *, device: Device | None = None, copy: bool | None = None) -> Array:
    return _at(array(x), device)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Device | None = None
) -> Array:
    first, end = (0, start) if stop is None else (start, stop)
    whole = all(isinstance(each, int | np.integer) for each in (first, end, step))
    steps = -((first - end) // step) if whole else (end - first) / step
    count = max(math.ceil(steps), 0)
    numbers = np.asarray([first, first + (count - 1) * step] if count else [first])
    return _at(_line(count, first, step, _default(numbers) if dtype is None else _dtype(dtype)), device)


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
    gaps = num - 1 if endpoint else num
    step = (stop - start) / gaps if gaps > 0 else 0.0 * (stop - start)
    made = _default(np.asarray(step)) if dtype is None else _dtype(dtype)
    return _at(_line(num, start, step, made, stop if endpoint and num > 1 else None), device)


def _line(count: int, start: complex, step: complex, dtype: np.dtype[Any], stop: complex | None = None) -> Array:
    """Return `count` numbers at equal distances, computed in the widest dtype of their kind; `stop` is the last one."""
    wide = np.result_type(np.asarray(start), np.asarray(step), np.int64)
    name, operands = numeric.dtype_of(wide).name, {"start": start, "step": step}
    line = f"start + step * cast(iota([{count}]), {name})"
    if stop is not None:
        operands["stop"] = stop
        line = f"where(iota([{count}]) == {count - 1}, stop, {line})"
    found: Array = compute(
        f"    cast({line}, {numeric.dtype_of(dtype).name})\n",
        **{key: np.asarray(value, wide) for key, value in operands.items()},
    )
    return found


def full(shape: Any, fill_value: complex, *, dtype: Any = None, device: Device | None = None) -> Array:
    value: Any = fill_value if isinstance(fill_value, Array) else np.asarray(fill_value)
    made = _dtype(dtype) if dtype is not None else value.dtype if isinstance(value, Array) else _default(value)
    axes = literal((shape,) if isinstance(shape, int) else shape)
    line = f"    cast(broadcast_to(value, {axes}), {numeric.dtype_of(made).name})\n"
    return _at(compute(line, value=value), device)


def _default(made: np.ndarray[Any, Any]) -> np.dtype[Any]:
    """The default dtype for numbers of a kind, or a wider one if that does not hold them."""
    kinds = {"i": "integral", "f": "real floating", "c": "complex floating"}
    found = DEFAULTS[kinds[made.dtype.kind]] if made.dtype.kind in kinds else made.dtype
    fits = made.dtype.kind != "i" or not made.size or bool(np.all(made == made.astype(found)))
    return found if fits else made.dtype


def _at(made: Array, device: Device | None) -> Array:
    return made if device is None else move_to(made, place_of(Sharding((device,))))


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    parts = "".join([f"y[{i}], " for i in range(x.shape[axis])])
    found: tuple[Array, ...] = compute(f"    let y = moveaxis(x, {axis}, 0)\n    ({parts})\n", x=x) if parts else ()
    return found


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Move the frequency 0 to the middle."""
    return _rolled(x, axes, 1)


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Undo `fftshift`."""
    return _rolled(x, axes, -1)


def _rolled(x: Array, axes: int | Sequence[int] | None, sign: int) -> Array:
    """Roll each of the axes, or all, by half its size."""
    over = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    shifts = literal([sign * (x.shape[axis] // 2) for axis in over])
    found: Array = compute(f"    roll(x, {shifts}, axis={literal(list(over))})\n", x=x) if len(over) else x
    return found


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
    if in_host_memory(x):
        return tuple([_beside(x, found, DEFAULTS["indexing"]) for found in np.nonzero(np.asarray(x))])
    behind = [math.prod(x.shape[axis + 1 :]) for axis in range(x.ndim)]
    indices = [f"p // {max(n, 1)} % {max(extent, 1)}" for n, extent in zip(behind, x.shape, strict=True)]
    found: tuple[Array, ...] = compute(
        f"    let p = flatnonzero(reshape(x, [{x.size}]))\n    ({''.join([f'{each}, ' for each in indices])})\n", x=x
    )
    return found


_UNIQUE = """    let x = reshape(x, [{size}])
    let order = argsort(x)
    let sorted = x[order]
    let first = (iota([{size}]) == 0) | (sorted != roll(sorted, 1))
    let group = cumsum(cast(first, i32)) - 1
    let inverse = zeros([{size}], i32).at[order].set(group)
    let counts = zeros([{size}], i32).at[group].add(1, mode="drop")
    (sorted[first], order[first], reshape(inverse, {shape}), counts.at[group[first]].get(mode="clip"))
"""


def unique_all(x: Array, /) -> UniqueAll:
    """The values in order, where each comes first, which of them each element is, and how often each comes; every nan
    is a value of its own."""
    if x.size and x.dtype.kind in "iuf" and not in_host_memory(x):
        return UniqueAll(*compute(_UNIQUE.format(size=x.size, shape=literal(x.shape)), x=x))
    values, first, inverse, counts = np.unique(
        np.asarray(x), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    indices = [_beside(x, found, DEFAULTS["indexing"]) for found in (first, inverse.reshape(x.shape), counts)]
    return UniqueAll(_beside(x, values, values.dtype), *indices)


def unique_counts(x: Array, /) -> UniqueCounts:
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Array, /) -> UniqueInverse:
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    return unique_all(x).values


def _beside(x: Array, found: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> Array:
    """Put a result on the devices of the array that it was computed of; on several of them, as a whole on each."""
    return move_to(array(found.astype(dtype)), place_of(Sharding(tuple(x.devices))))


# ---------------------------------------------------------------- dtypes


def _dtype(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, Array) else numeric.dtype_of(x).numpy


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    numbers = [x for x in arrays_and_dtypes if isinstance(x, NUMBERS)]
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
