"""`dsl.Array`: an immutable array on a device, and what Python users do with one outside of programs.

A result is an `Array` as soon as the program is started; whatever reads it waits. A `guard` given by the
caller of the program runs before the first read and may raise: so a failed check is never missed. Operators,
indexing and `.at` compute on the host with NumPy: exact, but meant for looking at results; work belongs into
programs. Read next: `numeric`, the rules those operators follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dsl.diagnostics.diagnostic import DeviceError, Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from dsl.ir.function import Tensor
from dsl.types.dtype import DType
from lowering.xla import adapter, numeric
from lowering.xla.adapter import Buffer
from lowering.xla.array_methods import ArrayMethods, printable
from lowering.xla.clients import Device, Sharding, cpu
from lowering.xla.functional_update import At
from lowering.xla.numeric import Binary

NDArray = np.ndarray[Any, Any]
Guard = Callable[[], None]


_NOWHERE = Label(Span(Source("<python>", ""), 0, 0))


@contextmanager
def _arriving(array: Array) -> Iterator[None]:
    """Says plainly that the memory was full when these elements were computed."""
    try:
        yield
    except adapter.RuntimeFault as fault:
        if not adapter.is_out_of_memory(fault):
            raise
        message = f"{array.type} was not computed: what it needed did not fit into the memory of {array.device}"
        raise DeviceError([Diagnostic("E1001", message, _NOWHERE)]) from None


class Array(ArrayMethods):
    """An n-dimensional array of one dtype. It never changes; `.at[i].set(v)` gives another one."""

    __slots__ = ("__weakref__", "_guard", "_impl", "_ready", "_type")
    __array_priority__ = 100.0

    def __init__(self, impl: Buffer, type: Tensor, guard: Guard | None = None) -> None:
        self._impl = impl
        self._type = type
        self._guard = guard
        # The type once there is no guard, so that a call finds out both with one comparison.
        self._ready = type if guard is None else None

    def guarded(self, guard: Guard) -> Array:
        """Given a guard before anybody has seen the array."""
        self._guard, self._ready = guard, None
        return self

    # --- what it is, known without waiting ---

    @property
    def type(self) -> Tensor:
        """Dtype and shape as the compiler knows them."""
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        return self._type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype, bf16 as of `ml_dtypes`."""
        return self._type.dtype.numpy

    @property
    def ndim(self) -> int:
        return len(self._type.shape)

    @property
    def size(self) -> int:
        return self._type.size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> Device:
        return cpu().device

    @property
    def sharding(self) -> Sharding:
        return cpu().sharding

    # --- waiting and reading ---

    def is_ready(self) -> bool:
        """Whether reading would not wait."""
        return bool(self._impl.is_ready())

    def block_until_ready(self) -> Array:
        """Waits until the elements are there; raises what went wrong on the way."""
        with _arriving(self):
            self._settled().block_until_ready()
        return self

    def _settled(self) -> Buffer:
        """The buffer, after the guard has had its say. A guard that raises will raise at every read."""
        guard = self._guard
        if guard is not None:
            guard()
            self._guard = None
            self._ready = self._type
        return self._impl

    def _view(self) -> NDArray:
        with _arriving(self):
            return adapter.view(self._settled())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """The elements, without a copy and read-only where possible."""
        view = self._view()
        if dtype is not None and np.dtype(dtype) != view.dtype:
            if copy is False:
                raise ValueError(f"an array of {self._type.dtype} cannot be seen as {dtype} without a copy")
            return view.astype(dtype)
        return view.copy() if copy else view

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
        if copy:
            buffer = cpu().put(self._view(), self._type)
        return adapter.export_dlpack(buffer)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def item(self) -> bool | int | float | complex:
        """The only element, as a Python number."""
        if self.size != 1:
            raise ValueError(f"item() needs one element, and this is {self._type}")
        value: bool | int | float | complex = self._view().reshape(()).item()
        return value

    def tolist(self) -> Any:
        return self._view().tolist()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"the truth of {self._type} is ambiguous; use `.any()` or `.all()` on its `np.asarray`")
        return bool(self.item())

    def __int__(self) -> int:
        return int(numeric.real(self.item()))

    def __float__(self) -> float:
        return float(numeric.real(self.item()))

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self._type.shape or not self._type.dtype.is_integer:
            raise TypeError(f"only an integer scalar can be an index, and this is {self._type}")
        return int(numeric.real(self.item()))

    def __len__(self) -> int:
        if not self._type.shape:
            raise TypeError("a scalar has no length")
        return self._type.shape[0]

    def __iter__(self) -> Iterator[Array]:
        length = len(self)
        return (self[i] for i in range(length))

    def __contains__(self, value: Any) -> bool:
        return bool((self._view() == value).any())

    def __repr__(self) -> str:
        return f"Array({np.array2string(printable(self._view()), separator=', ', prefix='Array(')}, {self._type.dtype})"

    def __str__(self) -> str:
        return str(printable(self._view()))

    def __format__(self, spec: str) -> str:
        if not self._type.shape:
            return format(self.item(), spec)
        return format(str(self), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return array, (self._view().copy(),)

    def __copy__(self) -> Array:
        return self

    def __deepcopy__(self, memo: Any) -> Array:
        return self

    # --- other arrays made from it ---

    def astype(self, dtype: DType | Any) -> Array:
        """Converted as `cast` does in programs: floats truncate to integers, and integers wrap."""
        return _wrap(numeric.convert(self._view(), self._type, numeric.dtype_of(dtype)))

    def __getitem__(self, index: Any) -> Array:
        return _wrap(self._view()[numeric.index(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("an Array never changes; write `y = x.at[index].set(value)`, which gives a new one")

    @property
    def at(self) -> At[Array]:
        """`x.at[i].set(v)` and its like: a new array that differs from `x` there."""
        return At(self._view(), _wrap)

    @property
    def T(self) -> Array:
        """With the last two axes swapped."""
        view = self._view()
        return _wrap(view.swapaxes(-1, -2) if view.ndim > 1 else view)

    def reshape(self, *shape: Any) -> Array:
        return _wrap(self._view().reshape(*shape))

    def _of(self, value: NDArray) -> Array:
        return _wrap(value)

    # --- operators: `numeric` holds the rules ---

    def _with(self, operation: Binary, other: Any) -> Any:
        result = numeric.binary(operation, self._view(), other)
        return result if result is NotImplemented else _wrap(result)

    def _under(self, operation: Binary, other: Any) -> Any:
        result = numeric.binary(operation, self._view(), other, reflected=True)
        return result if result is NotImplemented else _wrap(result)

    def __neg__(self) -> Array:
        return _wrap(numeric.negative(self._view()))

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return _wrap(np.abs(self._view()))

    def __invert__(self) -> Array:
        return _wrap(np.invert(self._view()))

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
        return self._with(np.floor_divide, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._under(np.floor_divide, other)

    def __mod__(self, other: Any) -> Any:
        return self._with(np.mod, other)

    def __rmod__(self, other: Any) -> Any:
        return self._under(np.mod, other)

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
    type = cpu().same(numeric.type_of(value))
    return Array(cpu().put(value, type), type)


def borrowed(view: NDArray) -> Array:
    """An `Array` that sees the memory of one that never changes, if that is aligned; otherwise of a copy."""
    type = cpu().same(numeric.type_of(view))
    return Array(cpu().share(view, type), type)


def array(value: Any, dtype: DType | Any = None) -> Array:
    """An `Array` of a NumPy array, of numbers and nested lists of them, or of anything with `__dlpack__`.

    Arrays keep their dtype; Python numbers become `bool`, `i32`, `f32` or `c64`, as they do alone in a
    program.
    """
    if isinstance(value, Array):
        return value if dtype is None else value.astype(dtype)
    made = _wrap(numeric.host_array(value))
    return made if dtype is None else made.astype(dtype)
