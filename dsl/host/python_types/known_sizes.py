"""What is known of a call before there are arrays: sizes that are themselves written with variables.

`dsl.mypy` asks whether the axes that annotations of Python tell fit the parameters of a function, whatever the sizes
are. The words are those of calls. Read next: `dsl.staging.env.signature_matching`, the same for sizes that are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from dsl.core import core
from dsl.host.argument_errors import described
from dsl.records import replace
from dsl.staging.env.signature_matching import Place
from dsl.types.facts import Known, Prop, simplified
from dsl.types.shape import Shape, ShapeVar, Splice, Substitution
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import names_in
from dsl.types.type import ArrayType, IndexType, Type
from dsl.types.walk import map_leaves


class Misfit(Struct, frozen=True):
    """What is wrong with the sizes of a call."""

    code: str
    message: str


class Sizes:
    """The sizes of one call. `found` says what those of the definition are."""

    def __init__(self) -> None:
        self.found: dict[SizeVar, Size] = {}
        self._shapes: dict[ShapeVar, Shape] = {}
        self._origins: dict[SizeVar | ShapeVar, Place] = {}
        self._pending: list[tuple[Size, Size, Place]] = []
        self.misfits: list[Misfit] = []

    def match(self, wanted: Shape, given: Shape, place: Place) -> None:
        """Takes note of the axes of one array."""
        if given.rank is not None and not _has_rank(wanted, given.rank):
            least = "" if wanted.rank is not None else " at least"
            count = wanted.leading + wanted.trailing if wanted.rank is None else wanted.rank
            message = f"{described(place)} has {given.rank} axes, its type has {count}{least}"
            self.misfits.append(Misfit("E0903", message))
            return
        lead = min(wanted.leading, given.leading)
        trail = 0 if wanted.rank is not None and given.rank is not None else min(wanted.trailing, given.trailing)
        for axis in range(lead):
            self._axis(wanted.dims[axis], given.dims[axis], Place(place.parameter, place.path, axis))
        for k in range(1, trail + 1):
            axis = -k if given.rank is None else given.rank - k
            self._axis(wanted.dims[-k], given.dims[-k], Place(place.parameter, place.path, axis))
        if wanted.rank is None and given.rank is not None:
            middle = Shape(given.dims[wanted.leading : given.rank - wanted.trailing])
            self._splice(wanted.dims[wanted.leading : len(wanted.dims) - wanted.trailing], middle, place)

    def _splice(self, wanted: Sequence[Size | Splice], given: Shape, place: Place) -> None:
        """One `*s`, which stands for the axes in the middle."""
        if len(wanted) != 1 or not isinstance(wanted[0], Splice) or not isinstance(wanted[0].of, ShapeVar):
            return
        variable = wanted[0].of
        known = self._shapes.setdefault(variable, given)
        origin = self._origins.setdefault(variable, place)
        if known != given and not any(_is_open(size) for shape in (known, given) for size in shape.sizes or ()):
            message = (
                f"{variable} is {known} according to {described(origin)} but {given} according to {described(place)}"
            )
            self.misfits.append(Misfit("E0904", message))

    def resolved(self, type_: Type) -> Type:
        """A type of the definition in the sizes of the caller; those that nothing tells are open."""
        return map_leaves(type_, self._resolved_leaf)

    def _resolved_leaf(self, leaf: Type) -> Type:
        match leaf:
            case ArrayType(dtype, shape):
                return ArrayType(dtype, self._resolved_shape(shape))
            case IndexType(bound, shape):
                return IndexType(bound, self._resolved_shape(shape))
            case _:
                return leaf

    def _resolved_shape(self, shape: Shape) -> Shape:
        variables = {var for dim in shape.dims if isinstance(dim, Size) for var in dim.vars()} - self.found.keys()
        unknown = {var: Size.of(replace(var, name="_")) for var in variables}
        shapes = {
            d.of for d in shape.dims if isinstance(d, Splice) and isinstance(d.of, ShapeVar)
        } - self._shapes.keys()
        open_ = {var: Shape.of(replace(var, name="_")) for var in shapes}
        return Substitution({**self.found, **unknown}, {**self._shapes, **open_}).shape(shape)

    def _axis(self, wanted: Size | Splice, given: Size | Splice, place: Place) -> None:
        if isinstance(wanted, Splice) or isinstance(given, Splice) or _is_open(given):
            return
        variable = wanted.as_atom()
        if isinstance(variable, SizeVar) and variable not in self.found:
            self.found[variable], self._origins[variable] = given, place
        else:
            self._pending.append((wanted, given, place))

    def fix(self, variable: SizeVar, size: Size, place: Place) -> None:
        """A size that is given by itself."""
        self.found[variable], self._origins[variable] = size, place

    def finish(self, signature: core.Signature) -> None:
        """Solves what is left, and asks for the conditions of the definition."""
        waiting, count = self._pending, -1
        while waiting and len(waiting) != count:
            count = len(waiting)
            waiting = [each for each in waiting if not self._settled(*each)]
        if self.misfits:
            return
        substitution = Substitution(self.found)
        for prop in signature.where:
            decided = simplified(substitution.prop(prop))
            if isinstance(decided, Known) and decided.value is False:
                self.misfits.append(Misfit("E0911", signature.message(prop) or f"this needs {prop}{self._here(prop)}"))

    def _here(self, prop: Prop) -> str:
        mentioned = names_in(prop)
        shown = [f"{v} = {size}" for v, size in self.found.items() if v.name in mentioned]
        return f"; here {', '.join(shown)}" if shown else ""

    def _settled(self, wanted: Size, given: Size, place: Place) -> bool:
        unknown = [variable for variable in wanted.vars() if variable not in self.found]
        if len(unknown) > 1:
            return False
        if not unknown:
            self._compare(wanted, given, place)
            return True
        solved = _solved(wanted, unknown[0], given, self.found)
        if solved is None:
            return False
        quotient, remainder = solved
        if remainder == Size.of(0):
            self.fix(unknown[0], quotient, place)
        elif remainder.constant is not None and given.constant is not None:
            message = f"no size makes {wanted} equal to {given} in {described(place)}"
            self.misfits.append(Misfit("E0913", message))
        return True

    def _compare(self, wanted: Size, given: Size, place: Place) -> None:
        known = wanted.substitute(self.found)
        if known == given or any(map(_is_open, (known, given))):
            return
        origin = next((self._origins[v] for v in wanted.vars() if v in self._origins), None)
        here = described(place)
        if origin is None:
            self.misfits.append(Misfit("E0903", f"{here} has size {given}, its type says {wanted}"))
            return
        message = f"{wanted} is {known} according to {described(origin)} but {given} according to {here}"
        self.misfits.append(Misfit("E0904", message))


def _solved(wanted: Size, variable: SizeVar, given: Size, found: Mapping[SizeVar, Size]) -> tuple[Size, Size] | None:
    """What the variable must be for `wanted` to be what is given, and what is left over, if that can be said."""
    parts = wanted.linear_in(variable)
    if parts is None:
        return None
    slope, rest = (part.substitute(found) for part in parts)
    return None if slope == Size.of(0) else (given - rest).divided_by(slope)


def _has_rank(shape: Shape, rank: int) -> bool:
    return shape.rank == rank if shape.rank is not None else rank >= shape.leading + shape.trailing


def _is_open(size: Size) -> bool:
    """Whether nothing is said of a size."""
    return any(variable.name.startswith("_") for variable in size.vars())
