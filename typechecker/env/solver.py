"""Unknown dtypes: variables that a number, a carry or a generic introduces, and what they turn out to be.

A variable is flexible if this solver made it, rigid otherwise. A flexible one stands for one of its `allowed`
dtypes; two that meet become one; what nothing decides takes its default (`i32`, `f32`, `c64`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

from dsl.types import dtype as dt
from dsl.types.dtype import DType
from dsl.types.type import (
    ArrayType,
    DTypeVar,
    Element,
    Type,
)
from dsl.types.walk import map_children

_DEFAULTS = MappingProxyType({"int": dt.I32, "size": dt.I32, "float": dt.F32})


def dtypes_of_number(kind: str) -> tuple[DType, ...]:
    """The dtypes that a static number of this kind can take."""
    match kind:
        case "int" | "size":
            return dt.CLASSES["Num"]
        case "float":
            return dt.CLASSES["Inexact"]
        case "bool":
            return (dt.BOOL,)
        case _:
            return dt.COMPLEXES


class Solver:
    def __init__(self, ids: Callable[[], int]) -> None:
        self._ids = ids
        self._bound: dict[DTypeVar, Element] = {}
        self._flexible: dict[DTypeVar, DType | None] = {}
        self._made: list[DTypeVar] = []

    def fresh(self, allowed: Iterable[DType], default: DType | None, name: str = "number") -> DTypeVar:
        var = DTypeVar(self._ids(), name, tuple(allowed))
        self._flexible[var] = default
        self._made.append(var)
        return var

    def number(self, kind: str) -> Element:
        """The dtype that a static number of this kind will take."""
        if kind == "bool":
            return dt.BOOL
        return self.fresh(dtypes_of_number(kind), _DEFAULTS.get(kind, dt.C64))

    def hint(self, element: Element, kind: str) -> None:
        """A number of this kind met an undecided dtype: without more, it will be `i32`, `f32` or `c64`."""
        element = self.element(element)
        if not isinstance(element, DTypeVar) or element not in self._flexible:
            return
        ranks = (None, dt.I32, dt.F32, dt.C64)
        wanted = {"int": dt.I32, "float": dt.F32, "complex": dt.C64}.get(kind)
        current = self._flexible[element]
        if wanted in element.allowed and (current not in ranks or ranks.index(wanted) > ranks.index(current)):
            self._flexible[element] = wanted

    def is_flexible(self, element: Element) -> bool:
        return element in self._flexible and self.element(element) is not None

    def element(self, element: Element) -> Element:
        while isinstance(element, DTypeVar):
            found = self._bound.get(element)
            if found is None:
                return element
            element = found
        return element

    def candidates(self, element: Element) -> tuple[DType, ...]:
        """The dtypes that this one may turn out to be."""
        element = self.element(element)
        return (element,) if isinstance(element, DType) else element.allowed

    def unify(self, left: Element, right: Element) -> bool:
        """Make two dtypes one, if they can be."""
        left, right = self.element(left), self.element(right)
        if left == right:
            return True
        if isinstance(left, DTypeVar) and left in self._flexible:
            return self._bind(left, right)
        if isinstance(right, DTypeVar) and right in self._flexible:
            return self._bind(right, left)
        return False

    def _bind(self, var: DTypeVar, other: Element) -> bool:
        if isinstance(other, DType):
            if other not in var.allowed:
                return False
        elif other in self._flexible:
            shared = tuple(d for d in var.allowed if d in other.allowed)
            if not shared:
                return False
            if shared != other.allowed:
                default = self._stronger(self._flexible[other], self._flexible[var], shared)
                merged = self.fresh(shared, default, other.name)
                self._bound[other] = merged
                other = merged
        elif not set(other.allowed) <= set(var.allowed):
            return False
        self._bound[var] = other
        return True

    def _stronger(self, a: DType | None, b: DType | None, shared: tuple[DType, ...]) -> DType | None:
        ranks = (None, dt.I32, dt.F32, dt.C64)
        found = [d for d in (a, b) if d in shared]
        return max(found, key=lambda d: ranks.index(d) if d in ranks else 0, default=None)

    def admits(self, element: Element, allowed: Iterable[DType]) -> bool:
        """Return whether a dtype can be one of these; decides nothing."""
        element = self.element(element)
        found, wanted = set(self.candidates(element)), set(allowed)
        return bool(found & wanted) if element in self._flexible else found <= wanted

    def restrict(self, element: Element, allowed: Iterable[DType]) -> bool:
        """Demand that a dtype be one of these; narrows a flexible one."""
        element, wanted = self.element(element), set(allowed)
        found = self.candidates(element)
        shared = tuple(d for d in found if d in wanted)
        if len(shared) == len(found):
            return True
        if not shared or isinstance(element, DType) or element not in self._flexible:
            return False
        default = self._flexible[element]
        merged = self.fresh(shared, default if default in shared else None, element.name)
        self._bound[element] = merged
        return True

    def mark(self) -> int:
        return len(self._made)

    def has_bound(self, rigid: Collection[DTypeVar], before: int) -> bool:
        """Return whether a flexible variable made before a mark has turned out to be one of these."""
        return bool(rigid) and any(self.element(var) in rigid for var in self._made[:before])

    def settle(self, since: int = 0) -> None:
        """Give defaults to the flexible variables made since a mark that nothing has decided."""
        for var in self._made[since:]:
            if var not in self._bound:
                self._bound[var] = self.usual(var)

    def settle_integers(self, since: int) -> None:
        """Bind the unbound variables since a mark whose default is an integer."""
        for var in self._made[since:]:
            default = self.usual(var)
            if var not in self._bound and isinstance(default, DType) and default.is_integer:
                self._bound[var] = default

    def usual(self, element: Element) -> Element:
        """The dtype that an element has, or will take if nothing else decides."""
        found = self.element(element)
        if not isinstance(found, DTypeVar) or found not in self._flexible:
            return found
        default = self._flexible[found]
        return default or next((d for d in (dt.F32, dt.I32, dt.C64) if d in found.allowed), found.allowed[0])

    def resolve(self, kind: Type) -> Type:
        """The type with every decided dtype in place."""
        if isinstance(kind, ArrayType) and not isinstance(kind.dtype, DTypeVar):
            return kind
        return _mapped(kind, self.element)

    def expected(self, kind: Type) -> Type:
        """The type as it will be if nothing more is said of its dtypes: for messages."""
        return _mapped(kind, self.usual)

    def solution(self) -> Mapping[DTypeVar, Element]:
        return {var: self.element(var) for var in self._bound}


def _mapped(kind: Type, element: Callable[[Element], Element]) -> Type:
    """The type with its dtypes replaced; the same one if none is."""
    if isinstance(kind, ArrayType):
        found = element(kind.dtype)
        return kind if found is kind.dtype else ArrayType(found, kind.shape)
    return map_children(kind, lambda child: _mapped(child, element))
