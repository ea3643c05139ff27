"""Broadcasting: the shape of an elementwise operation, and the equations it rests on."""

from __future__ import annotations

from typing import TypeAlias

from dsl.types.decide import Proved, Refuted, Unknown, decide
from dsl.types.facts import And, Eq, Facts, Known, OpaqueProp, Prop, simplified
from dsl.types.shape import RANK, Dim, Shape, ShapeCall, Splice, rank_source
from dsl.types.shapefn.calls import compute_call
from dsl.types.shapefn.equal import equal_axes
from dsl.types.shapefn.outcome import Formed, Obligation, ShapeFailure, normalise_shape
from dsl.types.size import Opaque, Size


def broadcasted(facts: Facts, left: Shape, right: Shape) -> Formed | ShapeFailure:
    """The shape of an elementwise operation, by the safe half of NumPy's rules: a scalar meets anything; an
    operand of lower or equal rank matches the trailing axes of the other exactly; at equal rank a literal 1
    stretches."""
    left, right = normalise_shape(left, facts), normalise_shape(right, facts)
    if not left.dims or not right.dims or left == right:
        return Formed(left if left.dims else right)
    if _stretches_to(left, right) or _stretches_to(right, left):
        return Formed(right if _stretches_to(left, right) else left)
    if (equal := same_rank(left, right)) is not None:
        return _settled(facts, left, right, _joined_equal_rank(left, right, equal))
    longer, shorter = (left, right) if len(left.dims) >= len(right.dims) else (right, left)
    suffix = Shape(longer.dims[len(longer.dims) - len(shorter.dims) :])
    pairs = same_rank(suffix, shorter)
    if pairs is None or not all(_exactly(a, b) for a, b in pairs):
        return ShapeFailure("ranks differ", (left, right))
    equations = [(i - len(shorter.dims), a, b) for i, (a, b) in enumerate(pairs)]
    if longer is not left:
        equations = [(axis, b, a) for axis, a, b in equations]
    result = (
        longer,
        [(axis, a, b) for axis, a, b in equations if isinstance(a, Size) and isinstance(b, Size)],
    )
    return _settled(facts, left, right, result)


_Joined: TypeAlias = tuple[Shape, list[tuple[int, Size, Size]]]


def same_rank(left: Shape, right: Shape) -> list[tuple[Dim, Dim]] | None:
    """The axes of two shapes in pairs, if they have the same rank whatever their variables stand for, and
    for the same reason: pair by pair a size meets a size, a shape one of its rank."""
    if len(left.dims) != len(right.dims):
        return None
    pairs = list(zip(left.dims, right.dims, strict=True))
    return pairs if all(_alike(a, b) for a, b in pairs) else None


def ranks_compared(prop: Prop) -> tuple[Shape, Shape] | None:
    """The shapes of which a condition says that they have the same number of axes, while neither number is known."""
    if not isinstance(prop, Eq):
        return None
    match prop.left.as_atom(), prop.right.as_atom():
        case Opaque(name, (Shape() as left,)), Opaque(other, (Shape() as right,)) if name == other == RANK:
            return left, right
        case _:
            return None


def _alike(a: Dim, b: Dim) -> bool:
    if isinstance(a, Size) or isinstance(b, Size):
        return isinstance(a, Size) and isinstance(b, Size)
    return _rank_of(a) == _rank_of(b)


def _rank_of(dim: Splice) -> Shape:
    """The innermost shape that has the rank of this one."""
    source = rank_source(dim.of)
    if source is None:
        return Shape((dim,))
    return _rank_of(source.dims[0]) if len(source.dims) == 1 and isinstance(source.dims[0], Splice) else source


def _exactly(a: Dim, b: Dim) -> bool:
    return a == b or (isinstance(a, Size) and isinstance(b, Size))


def _joined_equal_rank(left: Shape, right: Shape, pairs: list[tuple[Dim, Dim]]) -> _Joined | ShapeFailure:
    dims: list[Dim] = []
    equations: list[tuple[int, Size, Size]] = []
    for i, (a, b) in enumerate(pairs):
        joined = _joined_axis(a, b)
        if joined is None:
            return ShapeFailure("sizes differ", (left, right), (i - len(pairs), i - len(pairs)), (a, b))
        dims.append(joined)
        stretches = isinstance(a, Size) and (a.is_literal(1) or (isinstance(b, Size) and b.is_literal(1)))
        if isinstance(a, Size) and isinstance(b, Size) and not stretches:
            equations.append((i - len(pairs), a, b))
    return Shape(tuple(dims)), equations


def _joined_axis(a: Dim, b: Dim) -> Dim | None:
    if isinstance(a, Size) and isinstance(b, Size):
        return b if a.is_literal(1) else a
    if a == b or _stretches_to(Shape((b,)), Shape((a,))):
        return a
    return b if _stretches_to(Shape((a,)), Shape((b,))) else None


def _stretches_to(a: Shape, b: Shape) -> bool:
    """Return whether `a` stretches to `b` wherever both exist: a stuck `reduced(b, axis, true)` is `b` with some axes
    of size 1, and each operand of a stuck `broadcasted` stretches to the result."""
    match b.dims:
        case (Splice(ShapeCall("broadcasted", (Shape() as left, Shape() as right))),):
            if any(a == operand or _stretches_to(a, operand) for operand in (left, right)):
                return True
    match a.dims:
        case (Splice(ShapeCall("reduced", (Shape() as inner, _, True))),):
            return inner == b or _stretches_to(inner, b)
        case _:
            return False


def _settled(facts: Facts, left: Shape, right: Shape, joined: _Joined | ShapeFailure) -> Formed | ShapeFailure:
    """Decide the equations of a result; the first that is refuted makes it fail."""
    if isinstance(joined, ShapeFailure):
        return joined
    shape, equations = joined
    pending: list[Obligation] = []
    for axis, a, b in equations:
        match decide(facts, Eq(a, b)):
            case Refuted(counterexample=example):
                return ShapeFailure("sizes differ", (left, right), (axis, axis), (a, b), example=tuple(example.items()))
            case Unknown():
                pending.append(Obligation(Eq(a, b), "equation", (axis, axis)))
            case Proved():
                pass
    return Formed(shape, tuple(pending))


def broadcasted_call(left: Shape, right: Shape) -> Shape:
    """`broadcasted(left, right)` in a type, where the shapes are variables that a call determines later:
    computed if that is possible, else stuck."""
    return compute_call(broadcasted, broadcasted, left, right)


def stretched(facts: Facts, shape: Shape, target: Shape) -> Formed | ShapeFailure:
    """The second shape, to which arrays of the first are broadcast."""
    if _is_computed(shape) or _is_computed(target):
        prop = broadcasts(shape, target)
        needed = () if prop == Known(True) else (Obligation(prop, "range"),)
        return ShapeFailure("ranks differ", (shape, target)) if prop == Known(False) else Formed(target, needed)
    joined = broadcasted(facts, shape, target)
    if isinstance(joined, ShapeFailure):
        return joined
    equations = equal_axes(joined.shape, normalise_shape(target, facts))
    if equations is None:
        return ShapeFailure("sizes differ", (shape, target))
    differ = [decide(facts, equation) for _, equation in equations]
    if any(isinstance(found, Refuted) for found in differ):
        return ShapeFailure("sizes differ", (shape, target))
    open_ones = [equation for (_, equation), found in zip(equations, differ, strict=True) if isinstance(found, Unknown)]
    return Formed(target, (*joined.obligations, *[Obligation(equation, "equation") for equation in open_ones]))


def stretched_call(shape: Shape, target: Shape) -> Shape:
    """`stretched(shape, target)` in a type: computed where the shapes tell it, else stuck."""
    return compute_call(stretched, stretched, shape, target)


def _is_computed(shape: Shape) -> bool:
    """Return whether a shape waits for a static function that a program defines."""
    return any("." in call.function for call in shape.calls())


def broadcasts(shape: Shape, target: Shape) -> Prop:
    """Return the condition that a shape broadcasts to another; a call while a rank is unknown."""
    if shape.rank is None or target.rank is None:
        return OpaqueProp("{} to broadcast to {}", (shape, target), broadcasts)
    match broadcasted(Facts(), shape, target):
        case ShapeFailure():
            return Known(False)
        case Formed(result, needed):
            same = equal_axes(result, target)
            equations = None if same is None else [equation for _, equation in same]
            if equations is None:
                return Known(False)
            return simplified(And((*(need.prop for need in needed), *equations)))
