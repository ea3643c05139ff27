"""Questions about shapes of any rank, asked of shapes of few axes: where `n == prod(s)` fails for some of them.

Knows nothing of proofs. Read next: `decide`, which looks for sizes that answer them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from dsl.types.facts import Eq, Prop
from dsl.types.shape import Shape, ShapeVar, Substitution
from dsl.types.size import Opaque, Size, SizeVar

RANKS = (1, 2, 0, 3)
_MOST = 2


def with_ranks(facts: tuple[Prop, ...], prop: Prop) -> Iterator[tuple[tuple[Prop, ...], Prop]]:
    """Facts and an equation with each open shape in the equation given a few axes, in several ways; none for other
    questions, nor where a call that is not computed yet is asked about."""
    shapes = _open_shapes(prop)
    for ranks in product(RANKS, repeat=len(shapes)) if 1 <= len(shapes) <= _MOST else ():
        put = Substitution({}, {shape: _of_rank(shape, rank) for shape, rank in zip(shapes, ranks, strict=True)})
        yield tuple(map(put.prop, facts)), put.prop(prop)


def _open_shapes(prop: Prop) -> tuple[ShapeVar, ...]:
    if not isinstance(prop, Eq):
        return ()
    calls = [atom for side in (prop.left, prop.right) for atom in side.atoms() if isinstance(atom, Opaque)]
    mentioned = [arg for call in calls for arg in call.args if isinstance(arg, Shape)]
    if any(True for shape in mentioned for _ in shape.calls()):
        return ()
    return tuple(dict.fromkeys(var for shape in mentioned for var in sorted(shape.shape_vars(), key=_number)))


def _number(var: ShapeVar) -> int:
    return var.id


def _of_rank(var: ShapeVar, rank: int) -> Shape:
    """Axes of sizes that are called `s[0]`, `s[1]` …; they are no variables of the program."""
    return Shape(tuple(Size.of(SizeVar(-(var.id * 8 + axis + 2), f"{var.name}[{axis}]")) for axis in range(rank)))
