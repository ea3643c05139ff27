"""The catalogue of edits that give an expression another type: operators on trees, in the order of their costs.

A `Goal` states what an expression is and what it should be. An operator yields the expressions that it proposes; each
is checked in its place before it is offered (`fits`): an operator that proposes too much costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, permutations
from math import prod
from string import ascii_lowercase

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Dim, Shape
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.rewrites import rewrites
from typechecker.errors.repairs.trees import expressions, name_of, operand, rewritten


class Goal(Struct, frozen=True):
    """An expression that has one type where another one is wanted."""

    root: ast.Expr
    actual: Type
    wanted: Type

    @property
    def have(self) -> Sequence[Dim]:
        return dims(self.actual)

    @property
    def need(self) -> Sequence[Dim]:
        return dims(self.wanted)


def dims(kind: Type) -> Sequence[Dim]:
    """Return the sizes of the axes of an array; none of other values."""
    shape = leading_axes(kind)
    return () if shape is None else shape.dims


def proposals(goal: Goal) -> Iterator[str]:
    """Yield the texts that the rules propose, the cheapest first, each once."""
    root, whole = goal.root, trees.whole_of(goal.root)
    edits = [rewrites([root], *_of_types(goal))]
    if isinstance(goal.wanted, ty.ArrayType | ty.IndexType) and goal.have != goal.need:
        sizes = [str(size) for size in goal.need]
        open_ = {"S": [", ".join(sizes)], "Z": sizes}
        others = [*_of_other_shapes(goal)]
        anywhere = rewrites(expressions(root), [rule for rule in _SHAPES if rule not in others], open_)
        results = (Edit(spec.span, f'"{text}"') for spec in _specs(root) for text in _other_results(spec.value))
        edits += [anywhere, results, rewrites([root], *_in_another_order(goal)), rewrites([root], ["X[R] => X"])]
        edits.append(rewrites([root], [*_of_one_number(goal)], {"S": [", ".join(sizes)], "D": _dtype(goal.wanted)}))
    seen = {whole.text}
    for edit in chain.from_iterable(edits):
        text = rewritten(whole, edit)
        if text not in seen:
            seen.add(text)
            yield text


def _of_types(goal: Goal) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """The rules for an expression of one type in place of another, and what their letters may be."""
    match goal.actual, goal.wanted:
        case ty.TupleType(parts), _ if goal.wanted in parts and not isinstance(goal.root, ast.TupleLit):
            return ["X => X.F"], {"F": [str(k) for k, part in enumerate(parts) if part == goal.wanted]}
        case ty.RecordType(), _:
            return ["X => X.F"], {"F": [name for name, kind in goal.actual.fields if kind == goal.wanted]}
        case ty.FunctionType(), _:
            return ["X => X()"], {}
        case ((ty.INT | ty.SIZE), ty.SHAPE):
            return ["X.size => X.shape", "X.shape[K] => X.shape", "X => [X]"], {}
        case ty.FLOAT, (ty.INT | ty.SIZE) if not isinstance(goal.root, ast.NumberLit):
            return ["X => int(X)"], {}
        case _, ty.TupleType(parts) if isinstance(goal.actual, ty.ArrayType) or goal.actual == ty.SHAPE:
            every = f"F(G)(R) => F(G, argnums=({', '.join(map(str, range(len(parts))))}))(R)"
            return [every, f"X => ({', '.join([f'X[{k}]' for k in range(len(parts))])})"], {}
        case ty.ArrayType(), ty.ArrayType() if goal.have == goal.need and goal.actual.dtype != goal.wanted.dtype:
            return casts(goal.actual.dtype, goal.wanted.dtype, trees.variables(goal.root))
        case ty.ArrayType(), ty.IndexType():
            return ["max(R) => argmax(R)", "min(R) => argmin(R)"], {}
        case _:
            return [], {}


def casts(
    actual: ty.Element, wanted: ty.Element, leaves: Sequence[str]
) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """An array of another dtype: made so by the call that makes it, or cast; of a complex one, a real part of it. Of
    `leaves`, one may have the dtype that is wanted."""
    if isinstance(wanted, ty.DTypeVar) and wanted.of is not None:
        return ["X => cast(X, D)"], {"D": [wanted.name]}
    if not wanted.name.isidentifier():  # the dtype of the leaves of a tree
        return ["X => cast(X, V.dtype)"], {"V": leaves}
    if isinstance(actual, dt.DType) and actual.is_complex:
        return ["X ** Y => abs(X) ** Y", "X => real(X)", "X => abs(X)"], {}
    return [*MADE_WITH, "fold P = N for G in X do E => fold P = D(N) for G in X do E", "X => D(X)"], {
        "D": [wanted.name]
    }


MADE_WITH = ("F(R).at[S].G(V) => F(R, dtype=D).at[S].G(V)", "F(R) => F(R, dtype=D)")
"""A dtype given to the call that makes an array."""

_ONE_AXIS, _ALL_AXES, _LAST, _NEW_LAST = (
    "F(R) => F(R, axis=N)",
    "F(R, axis=K) => F(R)",
    "X => X[..., 0]",
    "X => X[..., None]",
)
_SHAPES = (
    "A @ B => B @ A",
    "X[:, Y] => X[arange(X.shape[0]), Y]",
    "F(R, argnums=K) => F(R, argnums=N)",
    "F(R, axis=K) => F(R, axis=N)",
    _ONE_AXIS,
    "X[K] => X",
    "X[R][S] => X[R, S]",
    _ALL_AXES,
    _LAST,
    _NEW_LAST,
    "F(R, K) => F(R, axis=K)",
    *[f"{one}(R) => {other}(R)" for one, other in permutations(("grad", "jacrev", "hessian"), 2)],
    "zeros_like(X) => zeros([S])",
    "ones_like(X) => ones([S])",
    "range(X) => range(Z)",
    "F(R, K, S) => F(R, (K, K), S)",
    "F(R, K, S) => F(R, (K, K), K, S)",
    "[X] * Y => full([Y], X)",
    "F(R)(S) => F(R, argnums=N)(S)",
    "concatenate(X) => stack(X)",
    "concatenate((A, X)) => concatenate((A, X[:-1]))",
    "concatenate((X, A)) => concatenate((X[1:], A))",
)
"""Expressions of another shape; the first of them are those that are most often meant."""


def _of_other_shapes(goal: Goal) -> Iterator[str]:
    """Yield the rules that can give none of the sizes that are wanted."""
    if len(goal.have) >= len(goal.need):
        yield _ONE_AXIS
    if goal.need:
        yield _ALL_AXES
    if goal.need != goal.have[:-1] or goal.have[-1:] != (Size.of(1),):
        yield _LAST
    if goal.have != goal.need[:-1]:
        yield _NEW_LAST


def _of_one_number(goal: Goal) -> Iterator[str]:
    """Yield the rules for an array of one number, and for one number in place of an array that is filled with it."""
    if not goal.have:
        yield from ("X => full([S], X)", "X => full([S], D(X))")
    if not goal.need:
        yield from ("zeros(R) => 0.0", "ones(R) => 1.0", "full(R, X) => X")
    if goal.have and _elements(goal.have) == _elements(goal.need):
        yield "X => reshape(X, [S])"


def _elements(sizes: Sequence[Dim]) -> Size | None:
    found = [size for size in sizes if isinstance(size, Size)]
    return prod(found, start=Size.of(1)) if len(found) == len(sizes) else None


def _dtype(kind: Type) -> list[str]:
    return [str(kind.dtype)] if isinstance(kind, ty.ArrayType) and isinstance(kind.dtype, dt.DType) else []


def _in_another_order(goal: Goal) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """The rules for an array with its axes in another order."""
    if len(goal.need) == 2:
        return ["X.T => X", "X => X.T"], {}
    have = [*goal.have]
    if len({*goal.need}) == len(goal.need) and {*goal.need} == {*have}:
        orders = [", ".join(order) for order in permutations(map(str, range(len(have))))] if len(have) <= 4 else []
        order = ", ".join([str(have.index(size)) for size in goal.need])
        swapped = [*have[:-2], *have[:-3:-1]]  # the axes of X, where X.T is what stands there
        of_base = ", ".join([str(swapped.index(size)) for size in goal.need])
        rules = ["transpose(X, (R)) => transpose(X, (Z))", f"X.T => transpose(X, ({of_base}))"]
        return [*rules, f"X => transpose(X, ({order}))"], {"Z": orders}
    return [], {}


def _other_results(spec: str) -> Iterator[str]:
    """Yield the specification of an `einsum` with the letters of its result in other orders."""
    arguments, _, result = spec.partition("->")
    return (f"{arguments}->{other}" for other in letters_in_other_orders(result))


def _specs(root: ast.Expr) -> Iterator[ast.StringLit]:
    for call in expressions(root):
        match call:
            case ast.Call(_, (ast.Argument(None, ast.StringLit() as spec), *_)) if name_of(call) == "einsum":
                yield spec
            case _:
                pass


# ---------------------------------------------------------------- operands


class Side(Struct, frozen=True):
    """One of two operands."""

    span: Span
    root: ast.Expr
    type: Type

    @property
    def dims(self) -> Sequence[Dim]:
        return dims(self.type)

    def indexed(self, *items: str) -> tuple[Edit, ...]:
        return (Edit(self.span, f"{operand(self.root.span.text)}[{', '.join(items)}]"),)

    def changed(self, *rules: str, **letters: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
        """Yield the operand as the rules change it, or an expression in it."""
        for edit in rewrites(expressions(self.root), rules, letters):
            yield (Edit(self.span, trees.changed(self.root, edit)),)


_TRANSPOSED = ("X.T => X", "X => X.T")


def products(left: Side, right: Side) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits of a matrix product: one factor transposed, or both swapped."""
    yield from (edits for side in (right, left) for edits in islice(side.changed(*_TRANSPOSED), 1))
    yield (Edit(left.span, right.root.span.text), Edit(right.span, left.root.span.text))


def broadcasts(name: str, left: Side, right: Side) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits of operands by which their axes meet: new axes, an axis that a reduction keeps, a transpose."""
    rank = len(left.dims)
    if rank == len(right.dims) > 0 and not _of_one_size(left.dims, right.dims):
        ends = [(*pair, *":" * (rank - 1)) for pair in ((":", "None"), ("None", ":"))]
        yield from ((*left.indexed(*a), *right.indexed(*b)) for a, b in zip(ends, ends[::-1], strict=True))
    for side, other in ((right, left.dims), (left, right.dims)):
        yield from side.changed("F(R, axis=X) => F(R, axis=X, keepdims=true)")
        if name == "*" and len(side.dims) == len(other) == 2 and left.dims[1] == right.dims[0]:
            yield (Edit(Span(left.span.source, left.span.end, right.span.start), " @ "),)
        if len(side.dims) == len(other) == 2 and side.dims[-1:] == (Size.of(1),):
            yield from islice(side.changed(*_TRANSPOSED), 1)
        for axes in _places(side.dims, other):
            yield side.indexed(*[":" if k in axes else "None" for k in range(len(other))])


def _of_one_size(left: Sequence[Dim], right: Sequence[Dim]) -> bool:
    """Return whether axes that meet have sizes of one variable: nearly equal, they are meant to be equal."""
    variables = [[Shape((dim,)).vars() | Shape((dim,)).shape_vars() for dim in side] for side in (left, right)]
    return any(a != b and ours & theirs for a, b, ours, theirs in zip(left, right, *variables, strict=True))


def _places(mine: Sequence[Dim], other: Sequence[Dim]) -> list[tuple[int, ...]]:
    """The axes among those of another array that these may meet, the last ones first: those of the same sizes, or where
    there are none, those that they stretch."""
    choices = [list(zip(axes, mine, strict=True)) for axes in combinations(range(len(other)), len(mine)) if axes]
    same = [pairs for pairs in choices if all(other[k] == size for k, size in pairs)]
    found = same or [pairs for pairs in choices if all(other[k] in (size, Size.of(1)) for k, size in pairs)]
    return [tuple(k for k, _ in pairs) for pairs in sorted(found, key=lambda pairs: -pairs[-1][0])]


def shorter(left: Side, right: Side) -> Iterator[tuple[Edit, ...]]:
    """Yield the longer operand without its first or last elements, where as many are too many for all sizes."""
    for side, other_side in ((left, right), (right, left)):
        other = other_side.dims
        pairs = zip(side.dims, other, strict=False) if len(side.dims) == len(other) else ()
        gaps = [(k, a - b) for k, (a, b) in enumerate(pairs) if isinstance(a, Size) and isinstance(b, Size) and a != b]
        if len(gaps) == 1 and 0 < (gap := gaps[0][1].constant or 0) <= 2:
            ends = [side.indexed(*":" * gaps[0][0], end) for end in (f"{gap}:", f":-{gap}")]
            yield from (each for each in ends if each[0].text != other_side.root.span.text)


def other_names(node: ast.Def, side: Side, sizes: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    """Yield an operand by what it may have been confused with: the other of two sizes where it is made, the other axis
    where it is indexed, a name that is bound and not used."""
    root = side.root
    for own, other in (sizes, sizes[::-1]) if len(sizes) == 2 else ():
        for call in (each for each in expressions(root) if isinstance(each, ast.Call)):
            inside = trees.mentions(call.args, own)
            if inside:
                yield (Edit(side.span, trees.changed(root, *[Edit(place, other) for place in inside])),)
    yield from side.changed(
        "X[Y] => X[arange(X.shape[0]), Y]", "X[Y] => X[:, Y]", "X[A, B] => X[B, A]", "[A, B] => [B, A]"
    )
    if isinstance(root, ast.Name):
        yield from ((Edit(side.span, name),) for name in trees.unused(node))


def declared_sizes(node: ast.Def, side: Side, own: str, other: str) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the type of a parameter with another size in place of one that nothing else in the definition mentions."""
    for param in node.params:
        places = trees.mentions(param.type, own)
        if param.type is not None and param.name.name == side.span.text and places == trees.mentions(node, own):
            edits = tuple([Edit(place, other) for place in places])
            yield rewritten(param.type.span, *edits), edits


def einsum_operands(root: ast.Expr) -> Iterator[str]:
    """Yield the call of `einsum` with the letters of an operand in each other order, or with one more in front of those
    of an operand and of the result."""
    whole = trees.whole_of(root)
    for spec in _specs(root):
        arguments, _, result = spec.value.partition("->")
        operands = arguments.split(",")
        used = dict.fromkeys("".join(operands))
        more = next(letter for letter in ascii_lowercase if letter not in spec.value)
        for k, letters in enumerate(operands):
            renamed = [f"{letters[:at]}{new}{letters[at + 1 :]}" for at in range(len(letters)) for new in used]
            kept = [other for other in (*letters_in_other_orders(letters), *renamed) if len({*other}) == len(other)]
            for other, out in (*((other, result) for other in kept), (more + letters, more + result)):
                written = ",".join([*operands[:k], other, *operands[k + 1 :]])
                yield rewritten(whole, Edit(spec.span, f'"{written}->{out}"'))


def letters_in_other_orders(letters: str) -> list[str]:
    """Return the letters in all other orders, those first that move few."""
    found = {"".join(order) for order in permutations(letters)} if len(letters) <= 4 else set()
    moved = {order: sum(a != b for a, b in zip(order, letters, strict=True)) for order in found - {letters}}
    return sorted(moved, key=lambda order: (moved[order], order))
