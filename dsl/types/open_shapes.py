"""Questions about shapes of any rank, asked of shapes of few axes: where `n == prod(s)` or `s == t` fails for some.

Knows nothing of proofs. Read next: `decide`, which looks for sizes that answer them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from dsl.types.facts import EQUALS, And, Eq, Known, Le, Lt, Ne, OpaqueProp, Prop, atoms_of, simplified
from dsl.types.shape import Shape, ShapeVar, Substitution
from dsl.types.size import Opaque, Size, SizeVar

RANKS = (1, 2, 0, 3)
_MOST = 2


def with_ranks(facts: tuple[Prop, ...], prop: Prop) -> Iterator[tuple[tuple[Prop, ...], Prop]]:
    """Facts and an equation with each open shape in the equation given a few axes, in several ways, but those in which
    it holds at sight; none for other questions."""
    shapes = _open_shapes(prop)
    for ranks in product(RANKS, repeat=len(shapes)) if 1 <= len(shapes) <= _MOST else ():
        put = Substitution({}, {shape: _of_rank(shape, rank) for shape, rank in zip(shapes, ranks, strict=True)})
        asked = put.prop(prop)
        if simplified(asked) != Known(True):
            yield tuple(map(put.prop, facts)), asked


def measured(props: Iterable[Prop]) -> Iterator[Prop]:
    """Yield the conditions that the axes exist whose sizes are used."""
    for atom in dict.fromkeys(atom for prop in props for atom in atoms_of(prop)):
        if isinstance(atom, Opaque) and atom.name == "extent":
            shape, axis = atom.args
            assert isinstance(shape, Shape)
            found = axes_within(shape, axis)
            yield from () if found is None else (found,)


def axes_within(shape: Shape, axis: object) -> Prop | None:
    """Return the condition on the rank under which an axis exists, or each of several; None if they are unknown."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    given = [Size.of(one) for one in axes if isinstance(one, int | Size)]
    if len(given) < len(axes):
        return None
    rank = shape.rank_size()
    inside = [prop for one in given for prop in (Le(-rank, one), Lt(one, rank))]
    apart = [Ne(one, other + turn) for one, other in combinations(given, 2) for turn in (Size.of(0), rank, -rank)]
    return simplified(And((*inside, *apart)))


def _open_shapes(prop: Prop) -> tuple[ShapeVar, ...]:
    match prop:
        case Eq(left, right):
            calls = [atom for side in (left, right) for atom in side.atoms() if isinstance(atom, Opaque)]
            mentioned = [arg for call in calls for arg in call.args if isinstance(arg, Shape)]
        case OpaqueProp(name, (Shape() as one, Shape() as other)) if name == EQUALS:
            mentioned = [one, other]
        case _:
            return ()
    return tuple(dict.fromkeys(var for shape in mentioned for var in sorted(shape.shape_vars(), key=_number)))


def _number(var: ShapeVar) -> int:
    return var.id


def _of_rank(var: ShapeVar, rank: int) -> Shape:
    """Axes of sizes that are called `s[0]`, `s[1]` …; they are no variables of the program."""
    names = [SizeVar(-(var.id * 8 + axis + 2), f"{var.name}[{axis}]", not var.signed) for axis in range(rank)]
    return Shape(tuple(map(Size.of, names)))
