"""The catalogue of edits that give an expression another type: operators on trees, in the order of their costs.

A `Goal` states what an expression is and what it should be. An operator yields the expressions that it proposes; each
is checked in its place before it is offered (`fits`): an operator that proposes too much costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from string import ascii_lowercase
from typing import TypeAlias

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
from typechecker.errors.repairs.trees import ALL, NEW, REST, change, expressions, rewritten, write


class Goal(Struct, frozen=True):
    """An expression that has one type where another one is wanted."""

    root: ast.Expr
    actual: Type
    wanted: Type

    @property
    def whole(self) -> Span:
        return trees.whole_of(self.root)

    @property
    def have(self) -> Sequence[Dim]:
        return dims(self.actual)

    @property
    def need(self) -> Sequence[Dim]:
        return dims(self.wanted)

    def changed(self, old: trees.Inner, new: trees.Inner) -> str:
        """Return the text of the expression with one node in place of another."""
        return rewritten(self.whole, change(old, new))

    def calls(self, *names: str) -> list[ast.Call]:
        """Return the calls in the expression, of functions with these names if there are any."""
        found = [each for each in expressions(self.root) if isinstance(each, ast.Call)]
        return [each for each in found if not names or name_of(each) in names]


Operator: TypeAlias = Callable[[Goal], Iterator[str]]


def proposals(goal: Goal) -> Iterator[str]:
    """Yield the texts that the operators propose, the cheapest first, each once."""
    seen = {goal.whole.text}
    shaped = isinstance(goal.wanted, ty.ArrayType | ty.IndexType)
    for operator in (*OF_TYPES, *(OF_SHAPES if shaped and goal.have != goal.need else ())):
        for text in operator(goal):
            if text not in seen:
                seen.add(text)
                yield text


def dims(kind: Type) -> Sequence[Dim]:
    """Return the sizes of the axes of an array; none of other values."""
    shape = leading_axes(kind)
    return () if shape is None else shape.dims


def name_of(node: ast.Call) -> str:
    """Return the last name of the function that is called."""
    match node.function:
        case ast.Name(text) | ast.Field(_, ast.Ident(text)):
            return text
        case _:
            return ""


def argument(node: ast.Call, name: str) -> ast.Argument | None:
    """Return the argument of a call that is given by this name."""
    return next((arg for arg in node.args if arg.name is not None and arg.name.name == name), None)


def integer(node: object) -> int | None:
    """Return the integer that is written at a node."""
    match node:
        case ast.NumberLit(int() as value):
            return value
        case ast.Unary("-", ast.NumberLit(int() as value)):
            return -value
        case _:
            return None


def transposed(node: ast.Expr) -> ast.Expr:
    """Return the transpose of a matrix; of one that is transposed, the matrix."""
    return node.base if isinstance(node, ast.Field) and node.name.name == "T" else trees.field(node, "T")


# ---------------------------------------------------------------- of any type


def _part(goal: Goal) -> Iterator[str]:
    """A part of a tuple or a field of a record, in place of the whole."""
    match goal.actual:
        case ty.TupleType(parts):
            yield from (write(trees.field(goal.root, str(k))) for k, part in enumerate(parts) if part == goal.wanted)
        case ty.RecordType():
            yield from (write(trees.field(goal.root, n)) for n, kind in goal.actual.fields if kind == goal.wanted)
        case _:
            pass


def _result(goal: Goal) -> Iterator[str]:
    """The call of a function without arguments, in place of the function."""
    if isinstance(goal.actual, ty.FunctionType):
        yield write(trees.call(goal.root))


def _elements(goal: Goal) -> Iterator[str]:
    """The elements of an array, or the sizes of a shape, as a tuple."""
    match goal:
        case Goal(ast.Field(array, ast.Ident("shape")), ty.SHAPE, ty.TupleType(parts)):
            sizes = [trees.index(trees.field(array, "shape"), trees.number(k)) for k in range(len(parts))]
            yield write(ast.TupleLit(tuple(sizes), trees.MADE))
        case Goal(root, ty.ArrayType(), ty.TupleType(parts)):
            items = tuple([trees.index(root, trees.number(k)) for k in range(len(parts))])
            yield write(ast.TupleLit(items, trees.MADE))
        case _:
            pass


def _listed(goal: Goal) -> Iterator[str]:
    """The list of one size, or the whole shape, in place of a size."""
    if goal.wanted == ty.SHAPE and goal.actual in (ty.INT, ty.SIZE):
        match goal.root:
            case ast.Field(array, ast.Ident("size")) | ast.Index(ast.Field(array, ast.Ident("shape"))):
                yield write(trees.field(array, "shape"))
            case _:
                pass
        yield write(ast.ListLit((goal.root,), trees.MADE))


def _whole_number(goal: Goal) -> Iterator[str]:
    if goal.actual == ty.FLOAT and goal.wanted in (ty.INT, ty.SIZE) and not isinstance(goal.root, ast.NumberLit):
        yield write(trees.call("int", goal.root))


def casts(goal: Goal) -> Iterator[str]:
    """An array of another dtype: made so by the call that makes it, or cast; of a complex one, a real part of it."""
    if not isinstance(goal.actual, ty.ArrayType) or not isinstance(goal.wanted, ty.ArrayType):
        return
    actual, wanted = goal.actual.dtype, goal.wanted.dtype
    if goal.have != goal.need or actual == wanted:
        return
    computed = trees.read(wanted.name) if isinstance(wanted, ty.DTypeVar) and wanted.of is not None else None
    if computed is not None:
        yield write(trees.call("cast", goal.root, computed))
    elif not wanted.name.isidentifier():  # the dtype of the leaves of a tree
        names = [trees.field(trees.name(name), "dtype") for name in trees.variables(goal.root)]
        yield from (write(trees.call("cast", goal.root, name)) for name in names)
    elif isinstance(actual, dt.DType) and actual.is_complex:
        yield from (write(trees.call(part, goal.root)) for part in ("real", "abs"))
    else:
        yield from made_with(goal.root, wanted.name)
        yield write(trees.call(wanted.name, goal.root))


def made_with(root: ast.Expr, dtype: str) -> Iterator[str]:
    """Yield an expression with a dtype given to the call that makes its array."""
    call: ast.Expr = root
    match root:
        case ast.Call(ast.Field(ast.Index(ast.Field(base, ast.Ident("at"))))):
            call = base
        case _:
            pass
    if isinstance(call, ast.Call) and not isinstance(call.function, ast.Call):
        given = trees.with_args(call, (*call.args, trees.option("dtype", trees.name(dtype))))
        yield trees.changed(root, change(call, given))


# ---------------------------------------------------------------- of another shape


def _factors_swapped(goal: Goal) -> Iterator[str]:
    for each in expressions(goal.root):
        if isinstance(each, ast.Binary) and each.op == "@" and _is_plain(each.left) and _is_plain(each.right):
            yield goal.changed(each, ast.Binary("@", each.right, each.left, trees.MADE))


def _is_plain(node: ast.Expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Field) and _is_plain(node.base))


def _another_number(goal: Goal) -> Iterator[str]:
    """Another argument of a derivative, or another axis."""
    for option in ("argnums", "axis"):
        for call in goal.calls():
            given = argument(call, option)
            if given is not None and integer(given.value) is not None:
                yield from (goal.changed(given.value, trees.number(k)) for k in range(4))


def _by_another_argument(goal: Goal) -> Iterator[str]:
    """The derivative by another argument than the first."""
    for call in goal.calls():
        made = call.function
        if isinstance(made, ast.Call) and argument(made, "argnums") is None:
            for k in range(1, len(call.args)):
                by_other = trees.with_args(made, (*made.args, trees.option("argnums", trees.number(k))))
                yield goal.changed(made, by_other)


def _along_one_axis(goal: Goal) -> Iterator[str]:
    """A reduction along one axis, in place of one of all elements."""
    call = goal.root
    if len(goal.have) < len(goal.need) and isinstance(call, ast.Call) and name_of(call):
        for k in (1, 0, 2) if argument(call, "axis") is None else ():
            yield write(trees.with_args(call, (*call.args, trees.option("axis", trees.number(k)))))


def _axis_by_name(goal: Goal) -> Iterator[str]:
    """The greatest along an axis, in place of the greater of an array and a number."""
    for call in goal.calls("max", "min"):
        match call.args:
            case (*before, ast.Argument(None, axis)) if integer(axis) is not None and not isinstance(axis, ast.Splice):
                yield goal.changed(call, trees.with_args(call, (*before, trees.option("axis", axis))))
            case _:
                pass


def _another_derivative(goal: Goal) -> Iterator[str]:
    derivatives = ("grad", "jacrev", "hessian")
    for call in goal.calls(*derivatives):
        yield from (goal.changed(call.function, trees.name(other)) for other in derivatives)


def _of_all_axes(goal: Goal) -> Iterator[str]:
    """Reductions of all elements, in place of those along an axis."""
    for call in () if goal.need else goal.calls():
        axis = argument(call, "axis")
        if axis is not None:
            yield goal.changed(call, trees.with_args(call, tuple([arg for arg in call.args if arg is not axis])))


def _selections(goal: Goal) -> Iterator[str]:
    """An array in place of what an index selects of it; one index of two axes, in place of an index of an index."""
    if goal.have == goal.need[1:] and goal.have != goal.need:
        for each in expressions(goal.root):
            if isinstance(each, ast.Index) and [integer(item) is not None for item in each.items] == [True]:
                yield goal.changed(each, each.base)
    for each in expressions(goal.root):
        if isinstance(each, ast.Index) and isinstance(each.base, ast.Index):
            yield goal.changed(each, trees.index(each.base.base, *each.base.items, *each.items))
    if isinstance(goal.root, ast.Index) and isinstance(goal.root.base, ast.Name):
        yield write(goal.root.base)


def _axis_of_one(goal: Goal) -> Iterator[str]:
    """An axis of size one more, or less."""
    if goal.need == goal.have[:-1] and goal.have[-1:] == (Size.of(1),):
        yield write(trees.index(goal.root, REST, trees.number(0)))
    if goal.have == goal.need[:-1]:
        yield write(trees.index(goal.root, REST, NEW))


def _of_wanted_sizes(goal: Goal) -> Iterator[str]:
    sizes = [trees.name(str(size)) for size in goal.need]
    for call in goal.calls("zeros_like", "ones_like"):
        yield goal.changed(call, trees.call(name_of(call).removesuffix("_like"), ast.ListLit(tuple(sizes), trees.MADE)))
    for call in goal.calls("range"):
        if len(call.args) == 1:
            yield from (goal.changed(call.args[0], size) for size in sizes)


def _pairs(goal: Goal) -> Iterator[str]:
    """A number for each of two axes, in place of one number, as of windows."""
    for call in goal.calls():
        for k, given in enumerate(call.args):
            if given.name is None and isinstance(given.value, ast.NumberLit):
                pair = ast.Argument(None, ast.TupleLit((given.value, given.value), trees.MADE), trees.MADE)
                for more in ((), (given,)):
                    args = (*call.args[:k], pair, *more, *call.args[k + 1 :])
                    yield goal.changed(call, trees.with_args(call, args))


def _repeated_items(goal: Goal) -> Iterator[str]:
    """An item several times, written as lists of Python are."""
    for each in expressions(goal.root):
        match each:
            case ast.Binary("*", ast.ListLit((item,)), number) if not isinstance(item, ast.Splice):
                yield goal.changed(each, trees.call("full", ast.ListLit((number,), trees.MADE), item))
            case _:
                pass


def _other_results(goal: Goal) -> Iterator[str]:
    """The letters of the result of an `einsum` in other orders."""
    for spec in _specs(goal.root):
        arguments, _, result = spec.value.partition("->")
        yield from (goal.changed(spec, _spec(f"{arguments}->{other}")) for other in letters_in_other_orders(result))


def _specs(root: ast.Expr) -> Iterator[ast.StringLit]:
    for call in expressions(root):
        match call:
            case ast.Call(_, (ast.Argument(None, ast.StringLit() as spec), *_)) if name_of(call) == "einsum":
                yield spec
            case _:
                pass


def _spec(text: str) -> ast.StringLit:
    return ast.StringLit(text, trees.MADE)


def _axes_in_another_order(goal: Goal) -> Iterator[str]:
    actual, wanted = list(goal.have), goal.need
    if len(wanted) == 2:
        yield write(transposed(goal.root))
    elif len(set(wanted)) == len(wanted) and set(wanted) == set(actual):
        order = tuple([trees.number(actual.index(size)) for size in wanted])
        yield write(trees.call("transpose", goal.root, ast.TupleLit(order, trees.MADE)))


OF_TYPES: tuple[Operator, ...] = (_part, _result, _listed, _whole_number, _elements, casts)
OF_SHAPES: tuple[Operator, ...] = (
    _factors_swapped,
    _another_number,
    _along_one_axis,
    _selections,
    _of_all_axes,
    _axis_of_one,
    _axis_by_name,
    _another_derivative,
    _of_wanted_sizes,
    _pairs,
    _repeated_items,
    _other_results,
    _axes_in_another_order,
    _by_another_argument,
)


# ---------------------------------------------------------------- operands


class Side(Struct, frozen=True):
    """One of two operands."""

    span: Span
    root: ast.Expr
    type: Type

    @property
    def dims(self) -> Sequence[Dim]:
        return dims(self.type)

    def changed(self, new: ast.Expr) -> tuple[Edit, ...]:
        return (Edit(self.span, write(new)),)


def products(left: Side, right: Side) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits of a matrix product: one factor transposed, or both swapped."""
    yield right.changed(transposed(right.root))
    yield left.changed(transposed(left.root))
    yield (*Side(left.span, right.root, right.type).changed(right.root), *right.changed(left.root))


def broadcasts(name: str, left: Side, right: Side) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits of operands by which their axes meet: new axes, an axis that a reduction keeps, a transpose."""
    rank = len(left.dims)
    if rank == len(right.dims) > 0 and not _of_one_size(left.dims, right.dims):
        rest = [ALL] * (rank - 1)
        one, two = [
            [trees.index(side.root, *items, *rest) for items in ((ALL, NEW), (NEW, ALL))] for side in (left, right)
        ]
        yield from ((*left.changed(a), *right.changed(b)) for a, b in zip(one, two[::-1], strict=True))
    for side, other in ((right, left.dims), (left, right.dims)):
        for kept in _with_kept_axis(side.root):
            yield (Edit(side.span, rewritten(trees.whole_of(side.root), kept)),)
        if name == "*" and len(side.dims) == len(other) == 2 and left.dims[1] == right.dims[0]:
            yield (Edit(Span(left.span.source, left.span.end, right.span.start), " @ "),)
        if len(side.dims) == len(other) == 2 and side.dims[-1:] == (Size.of(1),):
            yield side.changed(transposed(side.root))
        for axes in _places(side.dims, other):
            yield side.changed(trees.index(side.root, *[ALL if k in axes else NEW for k in range(len(other))]))


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


def _with_kept_axis(node: ast.Expr) -> Iterator[Edit]:
    """Yield the edits that keep the axis of one of the calls that reduce one."""
    for call in expressions(node):
        axis = argument(call, "axis") if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and axis is not None and call.args[-1] is axis:
            yield change(call, trees.with_args(call, (*call.args, trees.option("keepdims", trees.truth()))))


def shorter(left: Side, right: Side) -> Iterator[tuple[Edit, ...]]:
    """Yield the longer operand without its first or last elements, where as many are too many for all sizes."""
    for side, other in ((left, right), (right, left)):
        pairs = zip(side.dims, other.dims, strict=False) if len(side.dims) == len(other.dims) else ()
        gaps = [(k, a - b) for k, (a, b) in enumerate(pairs) if isinstance(a, Size) and isinstance(b, Size) and a != b]
        if len(gaps) == 1 and 0 < (gap := gaps[0][1].constant or 0) <= 2:
            first = ast.Slice(trees.number(gap), None, None, trees.MADE)
            last = ast.Slice(None, trees.number(-gap), None, trees.MADE)
            yield from (side.changed(trees.index(side.root, *[ALL] * gaps[0][0], end)) for end in (first, last))


def other_names(node: ast.Def, side: Side, sizes: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    """Yield an operand by what it may have been confused with: the other of two sizes where it is made, the other axis
    where it is indexed, a name that is bound and not used."""
    root = side.root
    for own, other in (sizes, sizes[::-1]) if len(sizes) == 2 else ():
        for call in (each for each in expressions(root) if isinstance(each, ast.Call)):
            inside = trees.mentions(call.args, own)
            if inside:
                yield (Edit(side.span, trees.changed(root, *[Edit(place, other) for place in inside])),)
    for each in expressions(root):
        match each:
            case ast.Index(ast.Name() as base, (ast.Name() | ast.NumberLit() as item,)):
                yield (Edit(side.span, trees.changed(root, change(each, trees.index(base, ALL, item)))),)
            case ast.Index(_, (first, second)) | ast.ListLit((first, second)):
                swapped = (Edit(first.span, second.span.text), Edit(second.span, first.span.text))
                yield (Edit(side.span, trees.changed(root, *swapped)),)
            case _:
                pass
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
                yield rewritten(whole, change(spec, _spec(f"{written}->{out}")))


def letters_in_other_orders(letters: str) -> list[str]:
    """Return the letters in all other orders, those first that move few."""
    found = {"".join(order) for order in permutations(letters)} if len(letters) <= 4 else set()
    moved = {order: sum(a != b for a, b in zip(order, letters, strict=True)) for order in found - {letters}}
    return sorted(moved, key=lambda order: (moved[order], order))
