"""`dsl.Array`: an immutable array on a device, and what Python users do with one outside of programs.

A result is an `Array` as soon as the program is started, which the processor computes at once; whatever reads it waits.
A `guard` given by the caller of the program runs before the first read and may raise: so a failed check is never
missed. Operators compute on the host with NumPy: exact, but meant for looking at results; work belongs into programs.
Indices, `.at` and `astype` do so only for an array in the memory of the host. All results are where the array is. Read
next: `numeric`, the rules those operators follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from dsl.offers import OFFERS
from dsl.types.dtype import DType
from lowering.xla import adapter, device_errors, numeric
from lowering.xla.adapter import Buffer
from lowering.xla.array_buffer import OfBuffer
from lowering.xla.array_methods import ArrayMethods, call_on_elements, printable
from lowering.xla.backends import at, here, place_of
from lowering.xla.functional_update import At
from lowering.xla.numeric import Binary
from lowering.xla.parts import Joined
from lowering.xla.places import Device, Place, Sharding

NDArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Shard:
    """The part of an array that lies on one device: `data` is the elements at `index` of the whole."""

    device: Device
    index: tuple[slice, ...]
    data: Array


class Array(OfBuffer, ArrayMethods, eq=False, gc=False):
    """An n-dimensional array of one dtype. It never changes; `.at[i].set(v)` gives another one."""

    __module__ = "dsl"

    __array_priority__ = 100.0

    # --- what it is, known without waiting ---

    @property
    def type(self) -> Tensor:
        """Dtype and shape as the compiler knows them."""
        return self._placed.type

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype, bf16 as of `ml_dtypes`."""
        return self.type.dtype.numpy

    @property
    def ndim(self) -> int:
        return len(self.type.shape)

    @property
    def size(self) -> int:
        return self.type.size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def _place(self) -> Place:
        return self._placed.place

    @property
    def device(self) -> Device:
        """The device it lies on, if that is one."""
        if len(self.devices) > 1:
            raise ValueError(f"an array on several devices has no one device: it is {self.sharding}")
        return self.devices[0]

    @property
    def devices(self) -> tuple[Device, ...]:
        """All devices that hold a part of it, or all of it."""
        return self._place.devices

    @property
    def sharding(self) -> Sharding:
        """How it lies over its devices."""
        return self._place.sharding

    @property
    def is_fully_addressable(self) -> bool:
        """Return whether the elements can be read in this process."""
        return self._place.holds_all

    @property
    def addressable_shards(self) -> list[Shard]:
        """Return the shards on the devices of this process."""
        place = self._place
        buffers = [self._settled()] if len(self.devices) == 1 else adapter.shards(self._settled())
        devices = [self.devices[k] for k in place.here]
        parts = zip(devices, place.slices(self.shape), buffers, strict=True)
        return [Shard(device, index, self._shard(device, index, buffer)) for device, index, buffer in parts]

    def _shard(self, device: Device, index: tuple[slice, ...], buffer: Buffer) -> Array:
        type = Tensor(self.type.dtype, tuple([part.stop - part.start for part in index]))
        placed = place_of(Sharding((device,))).placed(type)
        return Array(adapter.wrap_shard(buffer, placed, placed.raw_sharding), placed)

    # --- waiting and reading ---

    def is_ready(self) -> bool:
        """Return whether reading would not wait."""
        return bool(self._impl.is_ready())

    def block_until_ready(self) -> Array:
        """Waits until the elements are there; raises what went wrong on the way."""
        try:
            buffer = self._impl if self._guard is None else self._checked()
            (self._ready or self._placed).place.wait(buffer.buffer if type(buffer) is Joined else buffer)
        except adapter.RuntimeFault as fault:
            self._explain(fault)
            raise
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """The elements, without a copy and read-only where possible."""
        view = self._view()
        if dtype is not None and np.dtype(dtype) != view.dtype:
            if copy is False:
                raise ValueError(f"an array of {self.type.dtype} cannot be seen as {dtype} without a copy")
            return view.astype(dtype)
        return view.copy() if copy else view

    def __buffer__(self, flags: int) -> memoryview:
        """The elements for `memoryview`, read-only, from Python 3.12 on."""
        return self._view().data

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule that shares the elements, or owns a copy of them. Its taker must not write to
        it."""
        buffer = self._settled()
        if copy or len(self.devices) > 1:
            buffer = here().put(self._view(), self.type)
        return adapter.export_dlpack(buffer)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __jax_array__(self) -> Any:
        """Return the elements as a JAX array, for functions that ask for it. Those that trace, as `jax.jit` does, do
        not, and say that `jax.numpy.asarray` is to be called."""
        return OFFERS.as_jax(self)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions of the array API standard. Raises ValueError for another version of it than 2024.12."""
        if api_version not in (None, "2024.12"):
            raise ValueError(f"the array API is there in its version 2024.12, not {api_version}")
        return OFFERS.array_api

    def to_device(self, device: Device, /, *, stream: Any = None) -> Array:
        """Copy the array to another device."""
        return move_to(self, place_of(Sharding((device,))))

    def item(self) -> bool | int | float | complex:
        """The only element, as a Python number."""
        if (view := self._view()).size != 1:
            raise ValueError(f"item() needs one element, and this is {self.type}")
        value: bool | int | float | complex = view.item()
        return value

    def tolist(self) -> Any:
        return self._view().tolist()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"the truth of {self.type} is ambiguous; use `.any()` or `.all()` on its `np.asarray`")
        return bool(self.item())

    def __int__(self) -> int:
        return int(numeric.real(self.item()))

    def __float__(self) -> float:
        return float(numeric.real(self.item()))

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self.type.shape or not self.type.dtype.is_integer:
            raise TypeError(f"only an integer scalar can be an index, and this is {self.type}")
        return int(numeric.real(self.item()))

    def __len__(self) -> int:
        if not self.type.shape:
            raise TypeError("a scalar has no length")
        return self.type.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if self._keys or not self._place.in_host_memory:
            return map(self.__getitem__, range(len(self)))
        view = self._view()
        return (self._of(np.asarray(view[k])) for k in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool((self._view() == value).any())

    def __repr__(self) -> str:
        shown = np.array2string(printable(self._view()), separator=", ", prefix="Array(")
        return f"Array({shown}, {'key' if self._keys else self.type.dtype})"

    def __str__(self) -> str:
        return str(printable(self._view()))

    def __format__(self, spec: str) -> str:
        if not self.type.shape:
            return format(self.item(), spec)
        return format(str(self), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._view().copy(), self._keys)

    def __copy__(self) -> Array:
        return self

    def __deepcopy__(self, memo: Any) -> Array:
        return self

    # --- other arrays made from it ---

    def astype(self, dtype: DType | Any) -> Array:
        """Converted as `cast` does in programs: floats truncate to integers, and integers wrap."""
        target = numeric.dtype_of(dtype)
        if self._place.in_host_memory:
            return self._of(numeric.convert(self._view(), self.type, target))
        made: Array = OFFERS.indexing.cast(self, target)
        return made

    def __getitem__(self, index: Any) -> Array:
        if self._place.in_host_memory:
            part = self._of(self._view()[numeric.index(index)])
        else:
            part = OFFERS.indexing.read(self, index)
        return part.as_keys() if self._keys and self.ndim > 1 and isinstance(index, int | slice) else part

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("an Array never changes; write `y = x.at[index].set(value)`, which gives a new one")

    @property
    def at(self) -> At:
        """`x.at[i].set(v)` and its like: a new array that differs from `x` there."""
        return At(self)

    def _of(self, value: NDArray) -> Array:
        """An array of other elements where this one is: laid out alike if it has the same shape."""
        placed, place = self._placed, self._place
        if value.dtype is placed.dtype and value.shape == placed.shape:
            return Array(place.copied(value, placed), placed)
        whole = len(place.devices) > 1 and value.shape != self.shape
        return copy_to(at(place.devices) if whole else place, value)

    # --- operators: `numeric` holds the rules ---

    def _with(self, operation: Binary, other: Any) -> Any:
        result = numeric.binary(operation, self._view(), other._view() if type(other) is Array else other)
        return result if result is NotImplemented else self._of(result)

    def _under(self, operation: Binary, other: Any) -> Any:
        result = numeric.binary(operation, self._view(), other, reflected=True)
        return result if result is NotImplemented else self._of(result)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Functions of elements follow the rules of the operators: `np.add(x, y)` is `x + y`, `np.exp(x)` an `Array`.
        Their other methods and options see arrays of NumPy, and give them."""
        if method != "__call__" or kwargs or ufunc.nin > 2 or ufunc.nout > 1:
            return call_on_elements(getattr(ufunc, method), inputs, kwargs)
        operation = numeric.keeping_dtype(ufunc)
        if ufunc.nin == 1:
            return self._of(operation(self._view()))
        first, second = inputs
        return first._with(operation, second) if isinstance(first, Array) else self._under(operation, first)

    def __neg__(self) -> Array:
        return self._of(numeric.negative(self._view()))

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return self._of(np.abs(self._view()))

    def __invert__(self) -> Array:
        return self._of(np.invert(self._view()))

    def __add__(self, other: Any) -> Any:
        return self._with(np.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._under(np.add, other)

    def __sub__(self, other: Any) -> Any:
        return self._with(np.subtract, other)

    def __rsub__(self, other: Any) -> Any:
        return self._under(np.subtract, other)

    def __mul__(self, other: Any) -> Any:
        return self._with(np.multiply, other)

    def __rmul__(self, other: Any) -> Any:
        return self._under(np.multiply, other)

    def __truediv__(self, other: Any) -> Any:
        return self._with(numeric.divide, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._under(numeric.divide, other)

    def __floordiv__(self, other: Any) -> Any:
        return self._with(numeric.floor_divide, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._under(numeric.floor_divide, other)

    def __mod__(self, other: Any) -> Any:
        return self._with(numeric.modulo, other)

    def __rmod__(self, other: Any) -> Any:
        return self._under(numeric.modulo, other)

    def __pow__(self, other: Any) -> Any:
        return self._with(np.power, other)

    def __rpow__(self, other: Any) -> Any:
        return self._under(np.power, other)

    def __matmul__(self, other: Any) -> Any:
        return self._with(np.matmul, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._under(np.matmul, other)

    def __and__(self, other: Any) -> Any:
        return self._with(np.bitwise_and, other)

    def __rand__(self, other: Any) -> Any:
        return self._under(np.bitwise_and, other)

    def __or__(self, other: Any) -> Any:
        return self._with(np.bitwise_or, other)

    def __ror__(self, other: Any) -> Any:
        return self._under(np.bitwise_or, other)

    def __xor__(self, other: Any) -> Any:
        return self._with(np.bitwise_xor, other)

    def __rxor__(self, other: Any) -> Any:
        return self._under(np.bitwise_xor, other)

    def __lshift__(self, other: Any) -> Any:
        return self._with(np.left_shift, other)

    def __rlshift__(self, other: Any) -> Any:
        return self._under(np.left_shift, other)

    def __rshift__(self, other: Any) -> Any:
        return self._with(np.right_shift, other)

    def __rrshift__(self, other: Any) -> Any:
        return self._under(np.right_shift, other)

    def __eq__(self, other: object) -> Any:
        return self._with(np.equal, other)

    def __ne__(self, other: object) -> Any:
        return self._with(np.not_equal, other)

    def __lt__(self, other: Any) -> Any:
        return self._with(np.less, other)

    def __le__(self, other: Any) -> Any:
        return self._with(np.less_equal, other)

    def __gt__(self, other: Any) -> Any:
        return self._with(np.greater, other)

    def __ge__(self, other: Any) -> Any:
        return self._with(np.greater_equal, other)


def _wrap(value: NDArray) -> Array:
    return copy_to(here(), value)


def _restored(value: NDArray, keys: bool) -> Array:
    """An array out of a pickle."""
    return _wrap(value).as_keys() if keys else _wrap(value)


def copy_to(place: Place, value: NDArray) -> Array:
    """The elements of a NumPy array, copied to a place. Raises `DeviceError` E1006 where they cannot be cut so."""
    type = numeric.type_of(value)
    if not place.sharding.fits(type.shape):
        raise device_errors.uneven(type, place.sharding.cuts, place.devices)
    return Array(place.copied(value, place.placed(type)), place.placed(type))


def move_to(given: Array, place: Place) -> Array:
    """Move an array. Raises `DeviceError` E1006 if it cannot be partitioned that way."""
    if given._place is place:
        return given
    if not place.sharding.fits(given.shape):
        raise device_errors.uneven(given.type, place.sharding.cuts, place.devices)
    placed = place.placed(given.type)
    return Array(place.brought(given._settled(), given._place, placed), placed)


def borrow(view: NDArray) -> Array:
    """An `Array` that sees the memory of one that never changes, if that is aligned; otherwise of a copy."""
    place, type = here(), numeric.type_of(view)
    return Array(place.share(view, type), place.placed(type))


def array(value: Any, dtype: DType | Any = None) -> Array:
    """An `Array` of a NumPy array, of numbers and nested lists of them, or of anything with `__dlpack__`.

    Arrays keep their dtype, or are converted as by `astype`; Python numbers become `bool`, `i32`, `f32` or `c64`, as
    they do alone in a program, or the dtype, which must be able to hold them: OverflowError or TypeError otherwise."""
    if isinstance(value, Array):
        return value if dtype is None else value.astype(dtype)
    target = None if dtype is None else numeric.dtype_of(dtype)
    made = _wrap(numeric.host_array(value, target))
    return made if target in (None, made.type.dtype) else made.astype(target)
