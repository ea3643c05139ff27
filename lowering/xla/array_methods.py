"""NumPy-style methods of arrays beside operators: reductions, rounding, and other forms of the same elements.

Computed on the host, by the rules of `numeric`: no dtype is promoted. Sums and products keep the dtype (those of bools
are i32), means are those of floats. Read next: `array`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np

from dsl.types.dtype import BF16, BOOL, F16, F32, I32
from lowering.xla import arrow
from lowering.xla.numeric import NDArray

Axes: TypeAlias = int | tuple[int, ...] | None
A = TypeVar("A", bound="ArrayMethods")


class ArrayMethods:
    """The methods of `Array`; `_view` returns its elements, and `_of` an array of others where it is."""

    __slots__ = ()

    def _view(self) -> NDArray:
        raise AssertionError("an array says what its elements are")

    def _of(self: A, value: NDArray) -> A:
        raise AssertionError("an array says how another one is made")

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """Functions of NumPy see arrays of NumPy, and give them."""
        return call_on_elements(function, args, kwargs)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """The array for libraries of tables, by the C data interface of Arrow: each further axis is a list of a fixed
        size. Raises TypeError for dtypes that Arrow does not have, and ImportError without pyarrow."""
        capsules: tuple[Any, Any] = arrow.exported(self._view(), requested_schema)
        return capsules

    # --- reductions over all axes, or over some ---

    def _reduced(self: A, function: Callable[..., Any], axis: Axes, keepdims: bool, **options: Any) -> A:
        with np.errstate(all="ignore"):
            made = np.asarray(function(self._view(), axis=axis, keepdims=keepdims, **options))
        return self._of(made)

    def sum(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """The sum, of the same dtype; that of bools counts them as i32."""
        return self._reduced(np.sum, axis, keepdims, dtype=_summed(self._view()))

    def prod(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """The product, of the same dtype; that of bools is i32."""
        return self._reduced(np.prod, axis, keepdims, dtype=_summed(self._view()))

    def mean(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """The mean of floats. Raises TypeError for integers and bools."""
        return self._averaged(np.mean, "mean", axis, keepdims)

    def var(self: A, axis: Axes = None, keepdims: bool = False, ddof: int = 0) -> A:
        """The variance of floats. Raises TypeError for integers and bools."""
        return self._averaged(np.var, "var", axis, keepdims, ddof=ddof)

    def std(self: A, axis: Axes = None, keepdims: bool = False, ddof: int = 0) -> A:
        """The standard deviation of floats. Raises TypeError for integers and bools."""
        return self._averaged(np.std, "std", axis, keepdims, ddof=ddof)

    def _averaged(self: A, function: Any, name: str, axis: Axes, keepdims: bool, **options: Any) -> A:
        view = self._view()
        if view.dtype.kind in "iub":
            raise TypeError(f"`{name}` is not defined on {view.dtype}; convert to a float dtype first")
        wide = F32.numpy if view.dtype in (F16.numpy, BF16.numpy) else None
        with np.errstate(all="ignore"):
            made = np.asarray(function(view, axis=axis, keepdims=keepdims, dtype=wide, **options))
        exact = np.dtype(view.real.dtype) if made.dtype.kind != "c" else view.dtype
        return self._of(made.astype(exact))

    def min(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """The least element; nan where there is one."""
        return self._reduced(np.min, axis, keepdims)

    def max(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """The largest element; nan where there is one."""
        return self._reduced(np.max, axis, keepdims)

    def any(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """Return true where any element is true, or nonzero."""
        return self._reduced(np.any, axis, keepdims)

    def all(self: A, axis: Axes = None, keepdims: bool = False) -> A:
        """Return true where all elements are true, or nonzero."""
        return self._reduced(np.all, axis, keepdims)

    def argmin(self: A, axis: int | None = None, keepdims: bool = False) -> A:
        """Where the least element is, as i32; over all axes in the order of `ravel`."""
        return self._of(np.asarray(np.argmin(self._view(), axis, keepdims=keepdims)).astype(I32.numpy))

    def argmax(self: A, axis: int | None = None, keepdims: bool = False) -> A:
        """Where the largest element is, as i32; over all axes in the order of `ravel`."""
        return self._of(np.asarray(np.argmax(self._view(), axis, keepdims=keepdims)).astype(I32.numpy))

    def cumsum(self: A, axis: int | None = None) -> A:
        """The sums up to each element, of the same dtype."""
        return self._of(np.cumsum(self._view(), axis, dtype=_summed(self._view())))

    def cumprod(self: A, axis: int | None = None) -> A:
        """The products up to each element, of the same dtype."""
        return self._of(np.cumprod(self._view(), axis, dtype=_summed(self._view())))

    # --- element by element ---

    def round(self: A, decimals: int = 0) -> A:
        """Rounded to even at halves, of the same dtype."""
        view = self._view()
        return self._of(np.round(view, decimals).astype(view.dtype))

    def __round__(self: A, decimals: int | None = None) -> Any:
        rounded = self.round(decimals or 0)
        return int(rounded._view()) if decimals is None and not rounded._view().shape else rounded

    def __divmod__(self: A, other: Any) -> tuple[Any, Any]:
        whole: Any = self
        return whole // other, whole % other

    def clip(self: A, min: Any = None, max: Any = None) -> A:
        """No element below `min` or above `max`, which are numbers or arrays of the same dtype."""
        view = self._view()
        low, high = (None if x is None else np.asarray(x, view.dtype) for x in (min, max))
        return self._of(np.clip(view, low, high))

    @property
    def real(self: A) -> A:
        """The real parts."""
        return self._of(self._view().real)

    @property
    def imag(self: A) -> A:
        """The imaginary parts."""
        return self._of(self._view().imag)

    def conj(self: A) -> A:
        """The complex conjugates."""
        view = self._view()
        return self._of(np.conj(view) if view.dtype.kind == "c" else view)

    # --- the same elements in another form ---

    def copy(self: A) -> A:
        """The array itself, since it never changes; `np.array(x)` is one that may."""
        return self

    def reshape(self: A, *shape: Any) -> A:
        return self._of(self._view().reshape(*shape))

    @property
    def T(self: A) -> A:
        """With the last two axes swapped."""
        view = self._view()
        return self._of(view.swapaxes(-1, -2) if view.ndim > 1 else view)

    @property
    def mT(self: A) -> A:
        """With the last two axes swapped."""
        if self._view().ndim < 2:
            raise ValueError(f"an array of {self._view().ndim} axes has no last two")
        return self.T

    def ravel(self: A) -> A:
        """All elements along one axis."""
        return self._of(self._view().reshape(-1))

    def flatten(self: A) -> A:
        """All elements along one axis."""
        return self.ravel()

    def squeeze(self: A, axis: Axes = None) -> A:
        """Without axes of size 1."""
        return self._of(np.squeeze(self._view(), axis))

    def transpose(self: A, *axes: Any) -> A:
        """With the axes in this order; without any, in the reverse one."""
        return self._of(self._view().transpose(*axes))

    def swapaxes(self: A, axis1: int, axis2: int) -> A:
        """With two axes in each other's place."""
        return self._of(self._view().swapaxes(axis1, axis2))

    def dot(self: A, other: Any) -> Any:
        """`self @ other`."""
        whole: Any = self
        return whole @ other


def call_on_elements(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Apply a function to the elements as NumPy arrays."""
    return function(*_as_numpy(args), **{name: _as_numpy(value) for name, value in kwargs.items()})


def _as_numpy(value: Any) -> Any:
    match value:
        case ArrayMethods():
            return value._view()
        case list():
            return [_as_numpy(item) for item in value]
        case tuple():
            return tuple([_as_numpy(item) for item in value])
        case _:
            return value


def _summed(view: NDArray) -> np.dtype[Any]:
    return I32.numpy if view.dtype == BOOL.numpy else view.dtype


def printable(view: NDArray) -> NDArray:
    """Elements that NumPy prints as the numbers they are: it takes those of bf16 for integers."""
    return view.astype(F32.numpy) if view.dtype == BF16.numpy else view
