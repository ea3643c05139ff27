"""Sizes known about a call before there are arrays, which may be expressions of variables.

`dsl.mypy` asks whether the axes that annotations of Python tell fit the parameters of a function, whatever the sizes
are. The words are those of calls. Read next: `dsl.core.solving`.
"""

from __future__ import annotations

from msgspec import Struct, field

from dsl.core import core
from dsl.core.solving import Equations, Place
from dsl.host.argument_errors import of_conflict
from dsl.records import replace
from dsl.types.facts import Known, Prop, simplified
from dsl.types.shape import Shape, ShapeVar, Splice, Substitution
from dsl.types.size import Size
from dsl.types.static_parts import names_in
from dsl.types.type import ArrayType, IndexType, Type
from dsl.types.walk import map_leaves


class Misfit(Struct, frozen=True):
    """A mismatch in the sizes of a call."""

    code: str
    message: str


class Sizes(Equations, eq=False):
    """The sizes of one call; `misfits` is what is wrong with them. Those whose names begin with `_` may be any."""

    misfits: list[Misfit] = field(default_factory=list)

    def equate(self, wanted: Size, given: Size, place: Place) -> None:
        """Equate two sizes, if something is said of what is given."""
        if not _is_open(given):
            super().equate(wanted, given, place)

    def is_apart(self, known: Size | Shape, given: Size | Shape) -> bool:
        """Return whether sizes are written differently, all of which are known."""
        sizes = [(each,) if isinstance(each, Size) else each.sizes for each in (known, given)]
        return known != given and all(each is not None and not any(map(_is_open, each)) for each in sizes)

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
        variables = {var for dim in shape.dims if isinstance(dim, Size) for var in dim.vars()} - self.sizes.keys()
        unknown = {var: Size.of(replace(var, name="_")) for var in variables}
        shapes = {d.of for d in shape.dims if isinstance(d, Splice) and isinstance(d.of, ShapeVar)} - self.shapes.keys()
        open_ = {var: Shape.of(replace(var, name="_")) for var in shapes}
        return Substitution({**self.sizes, **unknown}, {**self.shapes, **open_}).shape(shape)

    def finish(self, signature: core.Signature) -> None:
        """Solve what is left, and ask for the conditions of the definition."""
        self.settle()
        problems = [of_conflict(conflict) for conflict in self.conflicts]
        self.misfits += [Misfit(problem.code, problem.message) for problem in problems]
        if self.misfits:
            return
        substitution = self.substitution()
        for prop in signature.where:
            decided = simplified(substitution.prop(prop))
            if isinstance(decided, Known) and decided.value is False:
                self.misfits.append(Misfit("E0911", signature.message(prop) or f"this needs {prop}{self._here(prop)}"))

    def _here(self, prop: Prop) -> str:
        mentioned = names_in(prop)
        shown = [f"{v} = {size}" for v, size in self.sizes.items() if v.name in mentioned]
        return f"; here {', '.join(shown)}" if shown else ""


def _is_open(size: Size) -> bool:
    """Return whether nothing is said of a size."""
    return any(variable.name.startswith("_") for variable in size.vars())
