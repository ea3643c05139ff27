"""Solve the variables of a signature from the sizes and shapes of the arguments.

One solver for calls inside of programs, checked and staged, for calls from Python and for what annotations tell of
them. Sizes are polynomials; numbers are constant ones. A size is read off an axis where it stands alone, or solved
from `a * v + b` once the rest of it is known; one `*s` takes what lies between axes that are sizes.
"""

from __future__ import annotations

from msgspec import Struct, field

from dsl.types.shape import Shape, ShapeCall, ShapeVar, Splice, Substitution
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import has_gap


class Place(Struct, frozen=True):
    """Where a size was read: the parameter, the path inside its value, and the axis."""

    parameter: str
    path: str = ""
    axis: int | None = None


class Conflict(Struct, frozen=True):
    """`what` (a size, or a shape variable) is `first` by one place and `second` by another one.

    `first_place` is None where the size is fixed by the type itself.
    """

    what: str
    first: Size | Shape | int | str
    first_place: Place | None
    second: Size | Shape | int
    second_place: Place


class Equations(Struct, eq=False, kw_only=True):
    """Equations between sizes of a signature and sizes that are given, what is found of the variables, and where."""

    sizes: dict[SizeVar, Size] = field(default_factory=dict)
    shapes: dict[ShapeVar, Shape] = field(default_factory=dict)
    origins: dict[SizeVar | ShapeVar, Place] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    pending: list[tuple[Size, Size, Place]] = field(default_factory=list)
    later: list[tuple[Shape, Shape, Place]] = field(default_factory=list)

    # ---------------------------------------------------------------- what is found

    def meaning(self, variable: SizeVar | ShapeVar) -> Size | Shape | None:
        """Return the solution of a variable, or None if it may stay without one."""
        return self.sizes.get(variable) if isinstance(variable, SizeVar) else self.shapes.get(variable)

    def put(self, variable: SizeVar | ShapeVar, meaning: Size | Shape, place: Place) -> None:
        """Take what a variable is."""
        self.origins[variable] = place
        if isinstance(variable, SizeVar) and isinstance(meaning, Size):
            self.sizes[variable] = meaning
        elif isinstance(variable, ShapeVar) and isinstance(meaning, Shape):
            self.shapes[variable] = meaning

    def substitution(self) -> Substitution:
        """Return the solution, for types and conditions."""
        return Substitution(self.sizes, self.shapes)

    # ---------------------------------------------------------------- axes

    def match(self, wanted: Shape, given: Shape, place: Place) -> None:
        """Equate the axes of a shape of the signature with those of one that is given, from both ends."""
        if sum(isinstance(dim, Splice) for dim in wanted.dims) > 1:
            wanted = Shape.of(*map(self._known_splice, wanted.dims))
        if not self.has_axes(wanted, given, place):
            return
        dims, axes = wanted.dims, given.dims
        front = min(wanted.leading, given.leading)
        back = min(wanted.trailing, given.trailing, len(dims) - front, len(axes) - front)
        for axis in (*range(front), *range(-1, -1 - back, -1)):
            number = axis if axis >= 0 or given.rank is None else given.rank + axis
            dim, size = dims[axis], axes[axis]
            if isinstance(dim, Size) and isinstance(size, Size):
                self.equate(dim, size, Place(place.parameter, place.path, number))
        middle, rest = dims[front : len(dims) - back], Shape(axes[front : len(axes) - back])
        match middle:
            case (Splice(ShapeVar() as variable),):
                self._gather(variable, rest, place)
            case _ if Shape(middle).rank is None:
                self.postpone(Shape(middle), rest, place)

    def postpone(self, wanted: Shape, given: Shape, place: Place) -> None:
        """Wait for what others tell of the pieces of a shape."""
        self.later.append((wanted, given, place))

    def has_axes(self, wanted: Shape, given: Shape, place: Place) -> bool:
        """Compare the ranks of two shapes; a difference is a conflict."""
        least = wanted.leading if wanted.rank is not None else wanted.leading + wanted.trailing
        count = least if given.rank is None else given.rank
        if count < least or (count > least and wanted.rank is not None):
            shown = least if wanted.rank is not None else f"{least} at least"
            self.conflicts.append(Conflict("rank", shown, None, count, place))
            return False
        return True

    def _known_splice(self, dim: Size | Splice) -> Size | Splice | Shape:
        known = self.meaning(dim.of) if isinstance(dim, Splice) and isinstance(dim.of, ShapeVar) else None
        return known if isinstance(known, Shape) else dim

    def equate(self, wanted: Size, given: Size, place: Place) -> None:
        """Equate two sizes: at once for a lone variable of which nothing is found, later for an expression."""
        atom = wanted.as_atom()
        if isinstance(atom, SizeVar) and self.meaning(atom) is None:
            self.put(atom, given, place)
        else:
            self.pending.append((wanted, given, place))

    def _gather(self, variable: ShapeVar, given: Shape, place: Place) -> None:
        known = self.meaning(variable)
        if known is None:
            self.put(variable, given, place)
        else:
            self._compare(variable, known, given, place)

    # ---------------------------------------------------------------- solving

    def settle(self) -> None:
        """Solve the equations that have one unknown left, and compare where none is, until nothing changes."""
        progress = True
        while progress and (self.pending or self.later):
            equations, shapes = self.pending, self.later
            self.pending, self.later = [each for each in equations if not self._is_solved(*each)], []
            for each in shapes:
                self._retry(*each)
            progress = (self.pending, self.later) != (equations, shapes)

    def _is_solved(self, wanted: Size, given: Size, place: Place) -> bool:
        unknown = [variable for variable in wanted.vars() if self.meaning(variable) is None]
        if len(unknown) == 1:
            return self.solve(wanted, given, unknown[0], place)
        if not unknown:
            self._compare(wanted, self.substitution().size(wanted), given, place)
        return not unknown

    def solve(self, wanted: Size, given: Size, unknown: SizeVar, place: Place) -> bool:
        """Solve an equation for its one unknown; False if it waits for more."""
        parts = wanted.linear_in(unknown)
        if parts is None:
            return False
        slope, rest = map(self.substitution().size, parts)
        value, left = (given - rest).divided_by(slope)
        if left.constant is None or (left.terms and has_gap(slope)) or (has_gap(value) and not has_gap(given)):
            return False
        if left.terms or not slope.terms or (value.constant or 0) < 0:
            self.conflicts.append(Conflict(str(wanted), given, None, given, place))
            value = Size.of(max(value.constant or 0, 0))
        self.put(unknown, value, place)
        return True

    def _retry(self, wanted: Shape, given: Shape, place: Place) -> None:
        known = self.substitution().shape(wanted)
        unknown = [dim.of for dim in known.dims if isinstance(dim, Splice)]
        if known.literal is not None:
            self._compare(wanted, known, given, place)
        elif len(unknown) > 1 or any(isinstance(each, ShapeCall) for each in unknown):
            self.later.append((wanted, given, place))
        else:
            self.match(known, given, place)

    def _compare(self, what: Size | Shape | ShapeVar, known: Size | Shape, given: Size | Shape, place: Place) -> None:
        if not self.is_apart(known, given):
            return
        inside = {what} if isinstance(what, ShapeVar) else {*what.vars(), *_shape_vars(what)}
        origin = next((origin for variable, origin in self.origins.items() if variable in inside), None)
        self.conflicts.append(Conflict(str(what), known, origin, given, place))

    def is_apart(self, known: Size | Shape, given: Size | Shape) -> bool:
        """Return whether what is found and what is given certainly differ."""
        return not has_gap(known) and known != given


def _shape_vars(of: Size | Shape) -> frozenset[ShapeVar]:
    return of.shape_vars() if isinstance(of, Shape) else frozenset()
