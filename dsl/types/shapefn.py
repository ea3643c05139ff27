"""The shape functions: what they compute when their arguments are known, and what holds of them while they are not.

`reduced permuted inserted removed replaced transposed` give a shape, with a stuck call in it where the arguments are
not known enough. `broadcasted matmul concatenated reshaped` need sizes to be equal and give these needs along as
obligations, less what the facts prove; what the facts refute is a failure.

Laws of stuck calls (`a` an axis or several, `k` any size):

    reduced(s, a, true), replaced(s, a, k), permuted(s, p)    have the rank of s
    permuted(s, p)                                            has as many elements as s
    reduced(s, a, true)                                       is replaced(s, a, 1); broadcasts against s to s
    replaced(replaced(s, a, j), a, k)                         is replaced(s, a, k), for a single axis
    reduced(replaced(s, a, j), a, keep)                       is reduced(s, a, keep), for a single axis
    permuted(permuted(s, p), q)                               is permuted(s, p[q]), for literal p and q
    permuted(s, (0, 1, ...))                                  is s
    broadcasted(s, s), broadcasted(s, []), broadcasted([], s) are s

With shape variables an operation must be right by one and the same rule for every rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from dsl.types.decide import Decision, Proved, Refuted, Unknown, decide, normalise
from dsl.types.facts import Eq, Facts, Le, Prop
from dsl.types.shape import (
    Dim,
    Shape,
    ShapeCall,
    Splice,
    StaticArg,
    rank_source,
)
from dsl.types.size import Size, SizeVar

Failing: TypeAlias = Literal[
    "axis out of range",
    "repeated axis",
    "not a permutation",
    "sizes differ",
    "ranks differ",
    "rank unknown",
    "scalar",
    "several unknown sizes",
    "count",
]


@dataclass(frozen=True, slots=True)
class ShapeFailure:
    """Why a shape function has no value. `axes` are places in the arguments, one for each shape (None where there is
    no such axis), `sizes` what stands there, `example` sizes for which it goes wrong."""

    kind: Failing
    shapes: tuple[Shape, ...] = ()
    axes: tuple[int | None, ...] = ()
    sizes: tuple[Dim, ...] = ()
    value: StaticArg = None
    example: tuple[tuple[SizeVar, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Obligation:
    """A need that the facts neither prove nor refute. An `equation` must not be inferred, a `range` may be."""

    prop: Prop
    kind: Literal["equation", "range"]
    axes: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Formed:
    """A shape, provided that the obligations are met."""

    shape: Shape
    obligations: tuple[Obligation, ...] = ()


def normalise_shape(shape: Shape, facts: Facts) -> Shape:
    """The shape with its sizes normalised under the facts."""
    if not facts.props:
        return shape
    return Shape(tuple(normalise(dim, facts) if isinstance(dim, Size) else dim for dim in shape.dims))


# One axis.


def place(shape: Shape, axis: int) -> int | ShapeFailure | None:
    """Where an axis is in `shape.dims`, as an index that is negative if it counts from the end; None if that depends
    on a rank that is not known."""
    if -shape.trailing <= axis < shape.leading:
        return axis
    if shape.rank is not None:
        return ShapeFailure("axis out of range", (shape,), value=axis)
    return None


def axis_conditions(shape: Shape, axis: int) -> tuple[Prop, ...]:
    """What the rank must satisfy for an axis to exist; nothing if it plainly does."""
    if place(shape, axis) is not None:
        return ()
    needed = axis + 1 if axis >= 0 else -axis
    return (Le(Size.of(needed), shape.rank_size()),)


def _places(shape: Shape, axes: tuple[StaticArg, ...]) -> tuple[int, ...] | ShapeFailure | None:
    """Indices into `dims`, from the front, of distinct axes."""
    found: list[int] = []
    for axis in axes:
        if not isinstance(axis, int):
            return None
        at = place(shape, axis)
        if at is None or isinstance(at, ShapeFailure):
            return at
        found.append(at % len(shape.dims))
    if len(set(found)) != len(found):
        return ShapeFailure("repeated axis", (shape,), value=axes)
    return tuple(found)


def _axis_tuple(axis: StaticArg) -> tuple[StaticArg, ...] | None:
    value = axis.constant if isinstance(axis, Size) else axis
    if isinstance(value, tuple):
        return tuple(a.constant if isinstance(a, Size) and a.constant is not None else a for a in value)
    return (value,) if isinstance(value, int) else None


def _stuck(call: ShapeCall) -> Shape:
    return Shape((Splice(call),))


def _total(result: Shape | Formed | ShapeFailure, stuck: ShapeCall) -> Shape:
    """What a substitution makes of a call: a failing one stays, for `failures` to find."""
    match result:
        case Shape():
            return result
        case Formed(shape, ()):
            return shape
        case _:
            return _stuck(stuck)


# Reductions and changes of one axis.


def reduced(facts: Facts, shape: Shape, axis: StaticArg, keepdims: StaticArg) -> Shape | ShapeFailure:
    """The shape of a reduction along an axis, several, or all (None)."""
    shape = normalise_shape(shape, facts)
    if not isinstance(keepdims, bool):
        return _stuck(_reduced_call(shape, axis, keepdims))
    if axis is None:
        return _reduced_fully(shape, keepdims)
    axes = _axis_tuple(axis)
    if axes == ():
        return shape
    inner = _same_axis_changed(shape, axis)
    if inner is not None:
        return reduced(facts, inner, axis, keepdims)
    places = None if axes is None else _places(shape, axes)
    if isinstance(places, ShapeFailure):
        return places
    if places is None:
        return _stuck(_reduced_call(shape, _plain_axis(axes, axis), keepdims))
    new: dict[int, tuple[Dim, ...]] = dict.fromkeys(places, (Size.of(1),) if keepdims else ())
    return Shape(tuple(part for i, dim in enumerate(shape.dims) for part in new.get(i, (dim,))))


def _reduced_fully(shape: Shape, keepdims: bool) -> Shape:
    if not keepdims:
        return Shape()
    ones: list[Shape | Size] = []
    for dim in shape.dims:
        known = isinstance(dim, Size)
        ones.append(Size.of(1) if known else _stuck(_reduced_call(Shape((dim,)), None, True)))
    return Shape.of(*ones)


def _plain_axis(axes: tuple[StaticArg, ...] | None, axis: StaticArg) -> StaticArg:
    return axis if axes is None else axes[0] if len(axes) == 1 else axes


def _reduced_call(shape: Shape, axis: StaticArg, keepdims: StaticArg) -> ShapeCall:
    return ShapeCall("reduced", (shape, axis, keepdims), _compute_reduced)


def _compute_reduced(shape: Shape, axis: StaticArg, keepdims: StaticArg) -> Shape:
    return _total(reduced(Facts(), shape, axis, keepdims), _reduced_call(shape, axis, keepdims))


def _same_axis_changed(shape: Shape, axis: StaticArg) -> Shape | None:
    """`s` if the shape is `reduced(s, axis, true)` or `replaced(s, axis, k)`."""
    match shape.dims:
        case (Splice(ShapeCall("reduced" | "replaced" as name, (Shape() as inner, same, last))),):
            kept = name == "replaced" or last is True
            return inner if same == axis and kept and not isinstance(axis, tuple) else None
        case _:
            return None


def removed(facts: Facts, shape: Shape, axis: StaticArg) -> Shape | ShapeFailure:
    """The shape without an axis, or several."""
    return reduced(facts, shape, axis, False)


def replaced(facts: Facts, shape: Shape, axis: StaticArg, size: Size) -> Shape | ShapeFailure:
    """The shape with another size at one axis."""
    shape = normalise_shape(shape, facts)
    size = normalise(size, facts)
    axes = _axis_tuple(axis)
    if size.is_literal(1):
        return reduced(facts, shape, axis, True)
    inner = _same_axis_changed(shape, axis)
    if inner is not None:
        return replaced(facts, inner, axis, size)
    places = None if axes is None else _places(shape, axes)
    if isinstance(places, ShapeFailure):
        return places
    if places is None:
        return _stuck(_replaced_call(shape, _plain_axis(axes, axis), size))
    return Shape(tuple(size if i in places else dim for i, dim in enumerate(shape.dims)))


def _replaced_call(shape: Shape, axis: StaticArg, size: Size) -> ShapeCall:
    return ShapeCall("replaced", (shape, axis, size), _compute_replaced)


def _compute_replaced(shape: Shape, axis: StaticArg, size: Size) -> Shape:
    return _total(replaced(Facts(), shape, axis, size), _replaced_call(shape, axis, size))


def inserted(facts: Facts, shape: Shape, axis: StaticArg, size: Size | None = None) -> Shape | ShapeFailure:
    """The shape with a new axis (or several, of the same size, 1 if not given) at places of the result."""
    shape = normalise_shape(shape, facts)
    new = Size.of(1) if size is None else normalise(size, facts)
    axes = _axis_tuple(axis)
    if axes is None:
        return _stuck(_inserted_call(shape, axis, new))
    if len(axes) == 1:
        return _inserted_one(shape, axes[0], new)
    rank = shape.rank
    if rank is None or not all(isinstance(a, int) for a in axes):
        return _stuck(_inserted_call(shape, axes, new))
    total = rank + len(axes)
    places = _places(Shape.of(*[0] * total), axes)
    if not isinstance(places, tuple):
        return ShapeFailure(
            "repeated axis" if places and places.kind == "repeated axis" else "axis out of range",
            (shape,),
            value=axes,
        )
    rest = iter(shape.dims)
    return Shape(tuple(new if i in places else next(rest) for i in range(total)))


def _inserted_one(shape: Shape, axis: StaticArg, size: Size) -> Shape | ShapeFailure:
    if isinstance(axis, int):
        if 0 <= axis <= shape.leading:
            return Shape((*shape.dims[:axis], size, *shape.dims[axis:]))
        if -shape.trailing - 1 <= axis < 0:
            at = len(shape.dims) + 1 + axis
            return Shape((*shape.dims[:at], size, *shape.dims[at:]))
        if shape.rank is not None:
            return ShapeFailure("axis out of range", (shape,), value=axis)
    return _stuck(_inserted_call(shape, axis, size))


def _inserted_call(shape: Shape, axis: StaticArg, size: Size) -> ShapeCall:
    return ShapeCall("inserted", (shape, axis, size), _compute_inserted)


def _compute_inserted(shape: Shape, axis: StaticArg, size: Size) -> Shape:
    return _total(inserted(Facts(), shape, axis, size), _inserted_call(shape, axis, size))


# Permutations.


def permuted(facts: Facts, shape: Shape, axes: StaticArg) -> Shape | ShapeFailure:
    """The shape with axis `axes[i]` at place `i`; for None in reverse order."""
    shape = normalise_shape(shape, facts)
    rank = shape.rank
    if axes is None:
        return _stuck(_permuted_call(shape, None)) if rank is None else Shape(shape.dims[::-1])
    order = _axis_tuple(axes)
    if order is None or not all(isinstance(a, int) for a in order):
        return _stuck(_permuted_call(shape, axes))
    numbers = [a % len(order) for a in order if isinstance(a, int) and -len(order) <= a < len(order)]
    if sorted(numbers) != list(range(len(order))) or rank not in (None, len(order)):
        return ShapeFailure("not a permutation", (shape,), value=order)
    if numbers == list(range(len(order))):
        return shape
    match shape.dims:
        case (Splice(ShapeCall("permuted", (Shape() as inner, tuple() as before))),) if len(before) == len(
            order
        ):
            return permuted(facts, inner, tuple(before[n] for n in numbers))
    if rank is None:
        return _stuck(_permuted_call(shape, tuple(numbers)))
    return Shape(tuple(shape.dims[n] for n in numbers))


def transposed(facts: Facts, shape: Shape) -> Shape | ShapeFailure:
    """`.T`: the last two axes swapped."""
    shape = normalise_shape(shape, facts)
    if shape.trailing >= 2:
        return Shape((*shape.dims[:-2], shape.dims[-1], shape.dims[-2]))
    if shape.rank is not None:
        return ShapeFailure("axis out of range", (shape,), value=-2)
    return _stuck(_transposed_call(shape))


def _transposed_call(shape: Shape) -> ShapeCall:
    return ShapeCall("transposed", (shape,), _compute_transposed)


def _compute_transposed(shape: Shape) -> Shape:
    return _total(transposed(Facts(), shape), _transposed_call(shape))


def _permuted_call(shape: Shape, axes: StaticArg) -> ShapeCall:
    return ShapeCall("permuted", (shape, axes), _compute_permuted)


def _compute_permuted(shape: Shape, axes: StaticArg) -> Shape:
    return _total(permuted(Facts(), shape, axes), _permuted_call(shape, axes))


# Equality.


@dataclass(frozen=True, slots=True)
class Differ:
    """Two shapes that are not equal: the axis (None if the ranks differ), counted from the end if it is negative, and
    sizes for which it shows."""

    axis: int | None
    counterexample: dict[SizeVar, int]


def shapes_equal(facts: Facts, left: Shape, right: Shape) -> Proved | Differ | Unknown:
    """Whether two shapes are equal for all sizes and shapes that satisfy the facts."""
    if left == right:
        return Proved()
    left, right = normalise_shape(left, facts), normalise_shape(right, facts)
    if left.rank is not None and right.rank is not None and left.rank != right.rank:
        return Differ(None, {})
    pairs, rest_left, rest_right = _aligned(left, right)
    open_question = False
    for axis, a, b in pairs:
        decision = _dims_equal(facts, a, b)
        if isinstance(decision, Refuted):
            return Differ(axis, decision.counterexample)
        open_question |= isinstance(decision, Unknown)
    match _rest_equal(rest_left, rest_right):
        case False:
            return Differ(None, {})
        case None:
            return Unknown()
        case True:
            return Unknown() if open_question else Proved()


def equal_axes(left: Shape, right: Shape) -> tuple[tuple[int, Eq], ...] | None:
    """The equations under which two shapes are equal, each with its axis; None if no sizes make them so."""
    if left.rank is not None and right.rank is not None and left.rank != right.rank:
        return None
    pairs, rest_left, rest_right = _aligned(left, right)
    found: list[tuple[int, Eq]] = []
    for axis, a, b in pairs:
        if isinstance(a, Size) and isinstance(b, Size):
            found.append((axis, Eq(a, b)))
        elif a != b:
            return None
    return tuple(found) if rest_left == rest_right else None


def _aligned(
    left: Shape, right: Shape
) -> tuple[list[tuple[int, Dim, Dim]], tuple[Dim, ...], tuple[Dim, ...]]:
    """Axes that meet, with their number, and what is left in the middle because it is not known what meets it."""
    a, b = list(left.dims), list(right.dims)
    pairs: list[tuple[int, Dim, Dim]] = []
    axis = 0
    while a and b and _meet(a[0], b[0]):
        pairs.append((axis, a.pop(0), b.pop(0)))
        axis += 1
    axis = -1
    ends: list[tuple[int, Dim, Dim]] = []
    while a and b and _meet(a[-1], b[-1]):
        ends.append((axis, a.pop(), b.pop()))
        axis -= 1
    return pairs + ends[::-1], tuple(a), tuple(b)


def _meet(a: Dim, b: Dim) -> bool:
    return (isinstance(a, Size) and isinstance(b, Size)) or a == b


def _dims_equal(facts: Facts, a: Dim, b: Dim) -> Decision:
    if isinstance(a, Size) and isinstance(b, Size):
        return decide(facts, Eq(a, b))
    return Proved() if a == b else Unknown()


def _rest_equal(left: tuple[Dim, ...], right: tuple[Dim, ...]) -> bool | None:
    """Whether what did not meet is equal: no if shape variables alone make the difference, as they stand for any
    shape; not known where a stuck call does."""
    if left == right:
        return True
    calls = any(isinstance(dim, Splice) and isinstance(dim.of, ShapeCall) for dim in left + right)
    return None if calls else False


# Broadcasting.


def broadcasted(facts: Facts, left: Shape, right: Shape) -> Formed | ShapeFailure:
    """The shape of an elementwise operation, by the safe half of NumPy's rules: a scalar meets anything; an operand of
    lower or equal rank matches the trailing axes of the other exactly; at equal rank a literal 1 stretches."""
    left, right = normalise_shape(left, facts), normalise_shape(right, facts)
    if not left.dims or not right.dims or left == right:
        return Formed(left if left.dims else right)
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
    """The axes of two shapes in pairs, if they have the same rank whatever their variables stand for, and for the
    same reason: pair by pair a size meets a size, a shape one of its rank."""
    if len(left.dims) != len(right.dims):
        return None
    pairs = list(zip(left.dims, right.dims, strict=True))
    return pairs if all(_alike(a, b) for a, b in pairs) else None


def _alike(a: Dim, b: Dim) -> bool:
    if isinstance(a, Size) or isinstance(b, Size):
        return isinstance(a, Size) and isinstance(b, Size)
    return _rank_of(a) == _rank_of(b)


def _rank_of(dim: Splice) -> Shape:
    """The innermost shape that has the rank of this one."""
    source = rank_source(dim.of)
    if source is None:
        return Shape((dim,))
    return (
        _rank_of(source.dims[0]) if len(source.dims) == 1 and isinstance(source.dims[0], Splice) else source
    )


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
    if a == b or _stretches_to(b, a):
        return a
    return b if _stretches_to(a, b) else None


def _stretches_to(a: Dim, b: Dim) -> bool:
    """Whether `a` is `b` with some axes of size 1, which a stuck `reduced(b, axis, true)` is."""
    match a:
        case Splice(ShapeCall("reduced", (Shape(dims=(inner,)), _, True))):
            return inner == b or _stretches_to(inner, b)
        case _:
            return False


def _settled(
    facts: Facts, left: Shape, right: Shape, joined: _Joined | ShapeFailure
) -> Formed | ShapeFailure:
    """Decide the equations of a result; the first that is refuted makes it fail."""
    if isinstance(joined, ShapeFailure):
        return joined
    shape, equations = joined
    pending: list[Obligation] = []
    for axis, a, b in equations:
        match decide(facts, Eq(a, b)):
            case Refuted(example):
                return ShapeFailure(
                    "sizes differ", (left, right), (axis, axis), (a, b), example=tuple(example.items())
                )
            case Unknown():
                pending.append(Obligation(Eq(a, b), "equation", (axis, axis)))
            case Proved():
                pass
    return Formed(shape, tuple(pending))


def broadcasted_call(left: Shape, right: Shape) -> Shape:
    """`broadcasted(left, right)` in a type, where the shapes are variables that a call determines later: computed if
    that is possible, else stuck."""
    return _total(
        broadcasted(Facts(), left, right), ShapeCall("broadcasted", (left, right), broadcasted_call)
    )


def failures(facts: Facts, shape: Shape) -> tuple[ShapeFailure, ...]:
    """Why calls in a shape have no value, for those that fail with the arguments they have."""
    results = (_again(facts, call) for call in shape.calls())
    return tuple(result for result in results if isinstance(result, ShapeFailure))


def obligations(facts: Facts, shape: Shape) -> tuple[Obligation, ...]:
    """What calls in a shape need to be true before they have a value."""
    results = (_again(facts, call) for call in shape.calls())
    return tuple(need for result in results if isinstance(result, Formed) for need in result.obligations)


def _again(facts: Facts, call: ShapeCall) -> Shape | Formed | ShapeFailure | None:
    match call.function, call.args:
        case "reduced", (Shape() as shape, axis, keepdims):
            return reduced(facts, shape, axis, keepdims)
        case "replaced", (Shape() as shape, axis, Size() as size):
            return replaced(facts, shape, axis, size)
        case "inserted", (Shape() as shape, axis, Size() as size):
            return inserted(facts, shape, axis, size)
        case "permuted", (Shape() as shape, axes):
            return permuted(facts, shape, axes)
        case "transposed", (Shape() as shape,):
            return transposed(facts, shape)
        case "broadcasted", (Shape() as left, Shape() as right):
            return broadcasted(facts, left, right)
        case _:
            return None


# Products, joints, counts.


def matmul(facts: Facts, left: Shape, right: Shape) -> Formed | ShapeFailure:
    """The shape of `left @ right`: the last axis of the left meets the last but one of the right (its only one if it
    is a vector), the axes before them broadcast."""
    left, right = normalise_shape(left, facts), normalise_shape(right, facts)
    if left.rank == 0 or right.rank == 0:
        return ShapeFailure("scalar", (left, right))
    if left.trailing < 1 or (right.rank != 1 and right.trailing < 2):
        return ShapeFailure("rank unknown", (left, right))
    at = -1 if right.rank == 1 else -2
    inner = left.dims[-1], right.dims[at]
    assert isinstance(inner[0], Size) and isinstance(inner[1], Size)
    met = _contracted(facts, left, right, (-1, at), (inner[0], inner[1]))
    if isinstance(met, ShapeFailure):
        return met
    rows = Shape(left.dims[:-1])
    columns = Shape(() if right.rank == 1 else right.dims[-1:])
    if right.rank in (1, 2):
        return Formed(rows + columns, met)
    batches = Shape(right.dims[:-2])
    if left.rank == 1:
        return Formed(batches + columns, met)
    if left.trailing < 2:
        return ShapeFailure("rank unknown", (left, right))
    joined = broadcasted(facts, Shape(left.dims[:-2]), batches)
    if isinstance(joined, ShapeFailure):
        axes = tuple(axis - 2 for axis in joined.axes if axis is not None)
        return ShapeFailure(joined.kind, (left, right), axes, joined.sizes, example=joined.example)
    return Formed(joined.shape + Shape(left.dims[-2:-1]) + columns, met + joined.obligations)


def _contracted(
    facts: Facts, left: Shape, right: Shape, axes: tuple[int, int], sizes: tuple[Size, Size]
) -> tuple[Obligation, ...] | ShapeFailure:
    equation = Eq(*sizes)
    match decide(facts, equation):
        case Proved():
            return ()
        case Refuted(example):
            return ShapeFailure("sizes differ", (left, right), axes, sizes, example=tuple(example.items()))
        case Unknown():
            return (Obligation(equation, "equation", axes),)


def concatenated(facts: Facts, shapes: tuple[Shape, ...], axis: int) -> Formed | ShapeFailure:
    """The shape of one or more arrays one after the other along an axis."""
    shapes = tuple(normalise_shape(shape, facts) for shape in shapes)
    first = shapes[0]
    for shape in shapes:
        if isinstance(at := place(shape, axis), ShapeFailure):
            return at
    total = sum((shape.axis(axis) for shape in shapes[1:]), first.axis(axis))
    pending: list[Obligation] = []
    for shape in shapes[1:]:
        met = _same_but_for(facts, first, shape, axis)
        if isinstance(met, ShapeFailure):
            return met
        pending += met
    result = replaced(facts, first, axis, total)
    return result if isinstance(result, ShapeFailure) else Formed(result, tuple(pending))


def _same_but_for(
    facts: Facts, left: Shape, right: Shape, axis: int
) -> tuple[Obligation, ...] | ShapeFailure:
    a, b = removed(facts, left, axis), removed(facts, right, axis)
    if isinstance(a, ShapeFailure) or isinstance(b, ShapeFailure):
        return a if isinstance(a, ShapeFailure) else ShapeFailure("axis out of range", (right,), value=axis)
    equations = equal_axes(a, b)
    if equations is None:
        return ShapeFailure("ranks differ", (left, right))
    pending: list[Obligation] = []
    for at, equation in equations:
        whole = at + 1 if 0 <= axis <= at else at - 1 if at <= axis < 0 else at
        sizes = (equation.left, equation.right)
        met = _contracted(facts, left, right, (whole, whole), sizes)
        if isinstance(met, ShapeFailure):
            return met
        pending += met
    return tuple(pending)


def reshaped(
    facts: Facts, shape: Shape, dims: tuple[Size | Splice | Literal[-1], ...]
) -> Formed | ShapeFailure:
    """The shape of a reshape to `dims`, of which one may be -1: what is left over."""
    count = normalise_shape(shape, facts).product()
    holes = [
        i
        for i, dim in enumerate(dims)
        if isinstance(dim, int) or (isinstance(dim, Size) and dim.is_literal(-1))
    ]
    if len(holes) > 1:
        return ShapeFailure("several unknown sizes", (shape,))
    known = Shape(tuple(dim for i, dim in enumerate(dims) if i not in holes and not isinstance(dim, int)))
    rest = normalise(known.product(), facts)
    if not holes:
        return _counted(facts, shape, known, Eq(count, rest), "equation", known)
    whole = Shape((*known.dims[: holes[0]], normalise(count // rest, facts), *known.dims[holes[0] :]))
    result = _counted(facts, shape, known, Eq(count % rest, Size.of(0)), "range", whole)
    if isinstance(result, ShapeFailure) or isinstance(decide(facts, Le(Size.of(1), rest)), Proved):
        return result
    positive = Obligation(Le(Size.of(1), rest), "range")
    return Formed(whole, (positive, *result.obligations))


def _counted(
    facts: Facts, shape: Shape, known: Shape, prop: Eq, kind: Literal["equation", "range"], result: Shape
) -> Formed | ShapeFailure:
    match decide(facts, prop):
        case Proved():
            return Formed(result)
        case Refuted(example) if kind == "equation" or not prop.left.vars():
            sizes = (prop.left, prop.right)
            return ShapeFailure("count", (shape, known), sizes=sizes, example=tuple(example.items()))
        case _:
            return Formed(result, (Obligation(prop, kind),))
