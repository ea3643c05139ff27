"""The catalogue of edits that give an expression another shape: operators on trees, in the order of their costs.

A `Goal` states what an expression is and what it should be. An operator yields the expressions that it proposes; each
is checked in its place before it is offered: an operator that proposes too much costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import permutations
from string import ascii_lowercase
from typing import TypeAlias

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types.shape import Dim, Shape
from dsl.types.size import Size
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.trees import ALL, NEW, REST, change, changed, expressions, rewritten, write


class Goal(Struct, frozen=True):
    """An expression that has one shape where another one is wanted."""

    root: ast.Expr
    actual: Shape
    wanted: Shape

    @property
    def whole(self) -> Span:
        source = self.root.span.source
        return Span(source, 0, len(source.text))

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
    for operator in OPERATORS:
        for text in operator(goal):
            if text not in seen:
                seen.add(text)
                yield text


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


# ---------------------------------------------------------------- operators


def _factors_swapped(goal: Goal) -> Iterator[str]:
    for each in expressions(goal.root):
        if isinstance(each, ast.Binary) and each.op == "@" and _is_plain(each.left) and _is_plain(each.right):
            yield goal.changed(each, ast.Binary("@", each.right, each.left, trees.MADE))


def _is_plain(node: ast.Expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Field) and _is_plain(node.base))


def _another_argument(goal: Goal) -> Iterator[str]:
    yield from _other_numbers(goal, "argnums", range(4))


def _another_axis(goal: Goal) -> Iterator[str]:
    yield from _other_numbers(goal, "axis", range(3))


def _other_numbers(goal: Goal, option: str, numbers: Sequence[int]) -> Iterator[str]:
    for call in goal.calls():
        given = argument(call, option)
        if given is not None and integer(given.value) is not None:
            yield from (goal.changed(given.value, trees.number(k)) for k in numbers)


def _along_one_axis(goal: Goal) -> Iterator[str]:
    """A reduction along one axis, in place of one of all elements."""
    call = goal.root
    if (goal.actual.rank or 0) < (goal.wanted.rank or 0) and isinstance(call, ast.Call) and name_of(call):
        for k in (1, 0, 2) if argument(call, "axis") is None else ():
            yield write(trees.with_args(call, (*call.args, trees.option("axis", trees.number(k)))))


def _all_of_it(goal: Goal) -> Iterator[str]:
    """An array in place of what an index selects of it."""
    if isinstance(goal.root, ast.Index) and isinstance(goal.root.base, ast.Name):
        yield write(goal.root.base)


def _axis_by_name(goal: Goal) -> Iterator[str]:
    """The greatest along an axis, in place of the greater of an array and a number."""
    match goal.root:
        case ast.Call(ast.Field(base, ast.Ident("max" | "min" as name)), (ast.Argument(None, axis),)):
            yield from _reduced_along(name, base, axis)
        case ast.Call(ast.Name("max" | "min" as name), (ast.Argument(None, base), ast.Argument(None, axis))):
            yield from _reduced_along(name, base, axis)
        case _:
            pass


def _reduced_along(name: str, base: ast.Expr | ast.Splice, axis: ast.Expr | ast.Splice) -> Iterator[str]:
    if not isinstance(base, ast.Splice) and not isinstance(axis, ast.Splice) and integer(axis) is not None:
        yield write(trees.call(name, base, trees.option("axis", axis)))


DERIVATIVES = ("grad", "jacrev", "hessian")


def _another_derivative(goal: Goal) -> Iterator[str]:
    for call in goal.calls(*DERIVATIVES, "jacfwd"):
        yield from (goal.changed(call.function, trees.name(other)) for other in DERIVATIVES)


def _without_axis_of_one(goal: Goal) -> Iterator[str]:
    if goal.wanted.dims == goal.actual.dims[:-1] and goal.actual.dims[-1:] == (Size.of(1),):
        yield write(trees.index(goal.root, REST, trees.number(0)))


def _all_elements(goal: Goal) -> Iterator[str]:
    """An array in place of one of its elements."""
    if goal.actual.dims == goal.wanted.dims[1:]:
        for each in expressions(goal.root):
            if isinstance(each, ast.Index) and [integer(item) is not None for item in each.items] == [True]:
                yield goal.changed(each, each.base)


def _with_axis_of_one(goal: Goal) -> Iterator[str]:
    if goal.actual.dims == goal.wanted.dims[:-1]:
        yield write(trees.index(goal.root, REST, NEW))


def _of_all_axes(goal: Goal) -> Iterator[str]:
    """Reductions of all elements, in place of those along an axis."""
    for call in goal.calls() if goal.wanted.rank == 0 else ():
        axis = argument(call, "axis")
        if axis is not None:
            yield goal.changed(call, trees.with_args(call, tuple([arg for arg in call.args if arg is not axis])))


def _of_wanted_sizes(goal: Goal) -> Iterator[str]:
    for call in goal.calls("zeros_like", "ones_like"):
        sizes = ast.ListLit(tuple([trees.name(str(size)) for size in goal.wanted.dims]), trees.MADE)
        yield goal.changed(call, trees.call(name_of(call).removesuffix("_like"), sizes))
    for call in goal.calls("range"):
        if len(call.args) == 1:
            yield from (goal.changed(call.args[0], trees.name(str(size))) for size in goal.wanted.dims)


def _square_windows(goal: Goal) -> Iterator[str]:
    for call in goal.calls():
        match call.args:
            case (x, ast.Argument(None, ast.NumberLit(int()) as size) as given, *rest) if name_of(call).endswith(
                "_pool"
            ):
                square = ast.Argument(None, ast.TupleLit((size, size), trees.MADE), trees.MADE)
                yield goal.changed(call, trees.with_args(call, (x, square, *rest)))
                yield goal.changed(call, trees.with_args(call, (x, square, given, *rest)))
            case _:
                pass


def _one_index(goal: Goal) -> Iterator[str]:
    """One index of two axes, in place of an index of an index."""
    for each in expressions(goal.root):
        if isinstance(each, ast.Index) and isinstance(each.base, ast.Index):
            yield goal.changed(each, trees.index(each.base.base, *each.base.items, *each.items))


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
    for spec in _specs(goal):
        arguments, _, result = spec.value.partition("->")
        yield from (goal.changed(spec, _spec(f"{arguments}->{other}")) for other in letters_in_other_orders(result))


def _specs(goal: Goal) -> Iterator[ast.StringLit]:
    for call in goal.calls("einsum"):
        if call.args and isinstance(call.args[0].value, ast.StringLit):
            yield call.args[0].value


def _spec(text: str) -> ast.StringLit:
    return ast.StringLit(text, trees.MADE)


def _axes_in_another_order(goal: Goal) -> Iterator[str]:
    actual, wanted = goal.actual.dims, goal.wanted.dims
    if len(wanted) == 2:
        yield write(transposed(goal.root))
    elif len(set(wanted)) == len(wanted) and set(wanted) == set(actual):
        order = tuple([trees.number(actual.index(size)) for size in wanted])
        yield write(trees.call("transpose", goal.root, ast.TupleLit(order, trees.MADE)))


OPERATORS: tuple[Operator, ...] = (
    _factors_swapped,
    _another_argument,
    _along_one_axis,
    _all_of_it,
    _axis_by_name,
    _another_axis,
    _another_derivative,
    _without_axis_of_one,
    _all_elements,
    _with_axis_of_one,
    _of_all_axes,
    _of_wanted_sizes,
    _square_windows,
    _one_index,
    _repeated_items,
    _other_results,
    _axes_in_another_order,
)


# ---------------------------------------------------------------- operands


def einsum_operands(goal: Goal) -> Iterator[str]:
    """Yield the call of `einsum` with the letters of an operand in each other order, or with one more in front of those
    of an operand and of the result."""
    for spec in _specs(goal):
        arguments, _, result = spec.value.partition("->")
        operands = arguments.split(",")
        used = dict.fromkeys("".join(operands))
        more = next(letter for letter in ascii_lowercase if letter not in spec.value)
        for k, letters in enumerate(operands):
            renamed = [f"{letters[:at]}{new}{letters[at + 1 :]}" for at in range(len(letters)) for new in used]
            kept = [other for other in (*letters_in_other_orders(letters), *renamed) if len({*other}) == len(other)]
            for other, out in (*((other, result) for other in kept), (more + letters, more + result)):
                written = ",".join([*operands[:k], other, *operands[k + 1 :]])
                yield goal.changed(spec, _spec(f"{written}->{out}"))


def letters_in_other_orders(letters: str) -> list[str]:
    """Return the letters in all other orders, those first that move few."""
    found = {"".join(order) for order in permutations(letters)} if len(letters) <= 4 else set()
    moved = {order: sum(a != b for a, b in zip(order, letters, strict=True)) for order in found - {letters}}
    return sorted(moved, key=lambda order: (moved[order], order))


def without_new_axes(node: ast.Expr) -> Iterator[ast.Expr]:
    """Yield the array of which an index makes new axes alone."""
    if isinstance(node, ast.Index) and all(_is_all(item) or isinstance(item, ast.NoneLit) for item in node.items):
        yield node.base


def _is_all(item: ast.IndexItem) -> bool:
    return isinstance(item, ast.Slice) and item.start is item.stop is item.step is None


def with_more_axes(node: ast.Expr, count: int) -> Iterator[ast.Expr]:
    """Yield an index that makes new axes, with some more in front."""
    if count > 0 and isinstance(node, ast.Index) and any(isinstance(item, ast.NoneLit) for item in node.items):
        yield trees.index(node.base, *[NEW] * count, *node.items)


def with_kept_axis(node: ast.Expr) -> Iterator[Edit]:
    """Yield the edits that keep the axis of one of the calls that reduce one."""
    for call in expressions(node):
        axis = argument(call, "axis") if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and axis is not None and call.args[-1] is axis:
            kept = trees.option("keepdims", trees.truth())
            yield change(call, trees.with_args(call, (*call.args, kept)))


def with_new_axes(node: ast.Expr, kept: Sequence[int], rank: int) -> ast.Expr:
    """Return an array with its axes at these places among `rank` ones, and new axes at the others."""
    return trees.index(node, *[ALL if k in kept else NEW for k in range(rank)])


def with_list_of_one(node: ast.Expr) -> Iterator[str]:
    """Yield a call with a list of one in place of one of the items of its first argument."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0].value, ast.TupleLit | ast.ListLit):
        items = node.args[0].value.items
        whole = Span(node.span.source, 0, len(node.span.source.text))
        for item in items:
            if not isinstance(item, ast.Splice):
                yield rewritten(whole, change(item, ast.ListLit((item,), trees.MADE)))


def with_other_names(node: ast.Expr, sizes: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits of an operand that exchange what is easily confused: the other of two sizes where an array is
    made, the other axis where one is indexed."""
    found = expressions(node)
    calls = [each for each in found if isinstance(each, ast.Call)]
    for own, other in (sizes, sizes[::-1]) if len(sizes) == 2 else ():
        for call in calls:
            inside = trees.mentions(call.args, own)
            if inside:
                yield tuple([Edit(place, other) for place in inside])
    for each in found:
        match each:
            case ast.Index(ast.Name() as base, (ast.Name() | ast.NumberLit() as item,)):
                yield (change(each, trees.index(base, ALL, item)),)
            case ast.Index(_, (first, second)) | ast.ListLit((first, second)):
                yield (Edit(first.span, second.span.text), Edit(second.span, first.span.text))
            case _:
                pass


def with_another_size(declared: ast.TypeExpr, name: str, size: Dim) -> str:
    """Return the text of a type with another size in place of one that is named."""
    return reduce(
        lambda text, place: (
            text[: place.start - declared.span.start] + str(size) + text[place.end - declared.span.start :]
        ),
        trees.mentions(declared, name)[::-1],
        declared.span.text,
    )


def without_ranges(text: str) -> str:
    """An expression without its calls of `range`."""
    root = trees.read(text)
    calls = [each for each in expressions(root) if isinstance(each, ast.Call) and name_of(each) == "range"]
    return text if root is None else changed(root, *[Edit(each.span, "") for each in calls])


def without_fields(text: str) -> str:
    """An expression with trees in place of their fields."""
    root = trees.read(text)
    called = [each.function for each in expressions(root) if isinstance(each, ast.Call)]
    fields = [each for each in expressions(root) if isinstance(each, ast.Field) and isinstance(each.base, ast.Name)]
    edits = [change(each, each.base) for each in fields if each not in called]
    return text if root is None else changed(root, *edits)


def is_size(node: ast.Expr | ast.Splice) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.NumberLit) and isinstance(node.value, int))


def updated_array(node: ast.Expr | None) -> str | None:
    """Return the name of the array that an expression `x.at[i].set(v)` updates."""
    match node:
        case ast.Call(ast.Field(ast.Index(ast.Field(ast.Name(name), ast.Ident("at"))))):
            return name
        case _:
            return None
