"""The intermediate representation: typed equations in A-normal form. Data only.

One `Function` is for one set of dtypes, sizes and static values: no size variables, records, lambdas or
effects other than `io` and `debug` are left. `build` is the only way to make it, `verify` checks it, `text` prints and
parses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.types.dtype import DType
from dsl.types.limits import check_axes

if TYPE_CHECKING:
    from dsl.ir.op import AnyOp, Params


class Tensor(Struct, frozen=True):
    """The type of a value: an element type and a concrete shape. Raises Exceeded for too many axes."""

    dtype: DType
    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_axes(len(self.shape))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements; 1 for a scalar."""
        total = 1
        for extent in self.shape:
            total *= extent
        return total

    @property
    def is_negative(self) -> bool:
        """Return whether an axis has less than no elements. A size that a run decides never has."""
        return any(isinstance(extent, int) and extent < 0 for extent in self.shape)

    @property
    def bytes(self) -> int:
        """The memory that the elements take."""
        return self.size * self.dtype.numpy.itemsize

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]" if self.shape else str(self.dtype)


class Var:
    """A value bound once: a parameter or an output of an equation. Compared by identity."""

    __slots__ = ("type",)
    type: Tensor

    def __init__(self, type: Tensor) -> None:
        self.type = type


class Literal(Struct, frozen=True):
    """A known value: a Python scalar spread over `type.shape` (a splat). Arrays are `constant` equations.

    Equality treats nan as equal to itself and tells 0.0 from -0.0 only by `repr`; use `key` for sharing.
    """

    value: bool | int | float | complex
    type: Tensor

    @property
    def key(self) -> tuple[str, Tensor]:
        """Return a key that distinguishes literals: 0.0 from -0.0, and each nan."""
        return repr(self.value), self.type


Atom: TypeAlias = Var | Literal


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """`outputs = op[params](inputs)`. Region ops hold their bodies (`Function`s) in `params`."""

    op: AnyOp
    params: Params
    inputs: tuple[Atom, ...]
    outputs: tuple[Var, ...]
    span: Span | None


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """Parameters, equations in order of dependence, results. Closed: nothing else is referred to."""

    name: str
    params: tuple[Var, ...]
    equations: tuple[Equation, ...]
    results: tuple[Atom, ...]

    @property
    def param_types(self) -> tuple[Tensor, ...]:
        """The types of the parameters, in order."""
        return tuple(p.type for p in self.params)

    @property
    def result_types(self) -> tuple[Tensor, ...]:
        """The types of the results, in order."""
        return tuple(r.type for r in self.results)
