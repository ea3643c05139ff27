"""Environments: the values of local names, and what sizes, shapes, dtypes and trees stand for in a
definition.

The type variables of a call are solved only when something asks for one: most bodies never do. Read
next: `signature_matching`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from dsl.core.core import Meaning, Variable
from dsl.ir.function import Tensor
from dsl.staging.values import Hidden, RecordValue, Slot, TupleValue, Value, map_leaves
from dsl.types.dtype import BY_NAME, I32, U32, DType
from dsl.types.shape import Shape, ShapeVar, StaticArg, StaticName, Substitution, Written
from dsl.types.size import Size, SizeVar
from dsl.types.type import (
    ArrayType,
    DTypeVar,
    Element,
    IndexType,
    KeyType,
    RecordType,
    StackedType,
    TupleType,
    Type,
    TypeVar,
)


class Variables:
    """The meaning of the variables of one definition in one call. `solve` fills the maps on first use.

    `statics` holds static values that shapes mention and that are not sizes, by the id of their
    parameter.
    """

    __slots__ = ("_solve", "dtypes", "shapes", "sizes", "solution", "statics", "types")

    def __init__(
        self,
        solution: Mapping[DTypeVar, Element],
        solve: Callable[[Variables], None] | None = None,
    ) -> None:
        self.sizes: dict[SizeVar, int] = {}
        self.shapes: dict[ShapeVar, tuple[int, ...]] = {}
        self.dtypes: dict[DTypeVar, DType] = {}
        self.types: dict[TypeVar, Value] = {}
        self.statics: dict[StaticName, StaticArg] = {}
        self.solution = solution
        self._solve = solve

    def solved(self) -> Variables:
        solve, self._solve = self._solve, None
        if solve is not None:
            solve(self)
        return self

    def with_inner(
        self, solve: Callable[[Variables], None], solution: Mapping[DTypeVar, Element] | None = None
    ) -> Variables:
        """These, and those of a part of the body that has variables of its own, or of a constant with this solution."""

        def solve_both(inner: Variables) -> None:
            outer = self.solved()
            inner.sizes |= outer.sizes
            inner.dtypes |= outer.dtypes
            inner.shapes |= outer.shapes
            inner.types |= outer.types
            inner.statics |= outer.statics
            solve(inner)

        return Variables({**self.solution, **solution} if solution else self.solution, solve_both)

    def size(self, size: Size) -> int:
        known = size.constant
        if known is not None:
            return known
        self.solved()
        atom = size.as_atom()
        if isinstance(atom, SizeVar):
            return self.sizes[atom]
        value = self.substitution().size(size).constant
        assert value is not None, f"{size} is not determined"
        return value

    def shape(self, shape: Shape) -> tuple[int, ...]:
        known = shape.literal
        if known is not None:
            return known
        self.solved()
        value = self.substitution().shape(shape).literal
        assert value is not None, f"{shape} is not determined"
        return value

    def known_shapes(self, shape: Shape) -> Shape:
        """With the axes of each `*s` that earlier arguments determined."""
        return Substitution({}, {var: Shape.of(*value) for var, value in self.shapes.items()}, {}).shape(shape)

    def substitution(self) -> Substitution:
        return Substitution(
            {var: Size.of(value) for var, value in self.sizes.items()},
            {var: Shape.of(*value) for var, value in self.shapes.items()},
            {**self.statics, **{StaticName(var.id, var.name): Written(str(d)) for var, d in self.dtypes.items()}},
        )

    def bind(self, hidden: Hidden) -> None:
        """Tell what no data tells."""
        for variable, value in hidden:
            self._of_kind(variable)[variable] = value

    def _of_kind(self, variable: Variable) -> dict[Any, Any]:
        match variable:
            case SizeVar():
                return self.sizes
            case ShapeVar():
                return self.shapes
            case DTypeVar():
                return self.dtypes
            case TypeVar():
                return self.types
            case _:
                assert_never(variable)

    def meaning(self, meaning: Meaning) -> int | tuple[int, ...] | DType | Value:
        """Return the meaning of a callee's variable in the caller."""
        match meaning:
            case Size():
                return self.size(meaning)
            case Shape():
                return self.shape(meaning)
            case DType() | DTypeVar():
                return self.dtype(meaning)
            case _:
                return self.skeleton(meaning)

    def skeleton(self, type: Type) -> Value:
        """Return the skeleton of data whose sizes and dtypes are known."""
        match type:
            case ArrayType(element, shape):
                dtype = self.dtype(element)
                assert dtype is not None, f"{element} is not determined"
                return Slot(Tensor(dtype, self.shape(shape)))
            case IndexType(_, shape):
                return Slot(Tensor(I32, self.shape(shape)))
            case KeyType(shape):
                return Slot(Tensor(U32, (*self.shape(shape), 2)))
            case TupleType(parts):
                return TupleValue(tuple([self.skeleton(part) for part in parts]))
            case RecordType(fields):
                return RecordValue(tuple([(name, self.skeleton(part)) for name, part in fields]))
            case StackedType(element, axes):
                lead = self.shape(axes)
                return map_leaves(lambda leaf: _behind(leaf, lead), self.skeleton(element))
            case TypeVar():
                return self.solved().types[type]
            case _:
                raise AssertionError(f"{type} is not of data")

    def dtype(self, element: Element) -> DType | None:
        """The dtype an element stands for; None for a variable nothing determines (static numbers alone)."""
        if isinstance(element, DType):
            return element
        while not isinstance(element, DType):
            following = self.solution.get(element)
            if following is None:
                return self.solved().dtypes.get(element) if element.of is None else self._computed(element.of)
            element = following
        return element

    def _computed(self, of: StaticArg) -> DType:
        self.solved()
        found = self.substitution().argument(of)
        assert isinstance(found, Written), f"{of} is not determined"
        return BY_NAME[found.text]


def _behind(leaf: Value, lead: tuple[int, ...]) -> Value:
    return Slot(Tensor(leaf.type.dtype, (*lead, *leaf.type.shape))) if isinstance(leaf, Slot) else leaf


class Frame:
    """Local names of a body by id, and the variables of the definition it stands in."""

    __slots__ = ("locals", "variables")

    def __init__(self, variables: Variables, locals: dict[int, Value]) -> None:
        self.variables = variables
        self.locals = locals

    def child(self) -> Frame:
        return Frame(self.variables, self.locals.copy())
