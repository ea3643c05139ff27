"""Elementwise work between products of matrices, on the matrices themselves.

A product of an array with more than two axes and a matrix is one of matrices, whose rows are all leading axes together:
a compiler makes it so. What is computed element by element between two such products then lies between two changes of
shape, which keep it from being computed in the memory of its operand. So the changes of shape go to the ends. Knows no
op: which products are of matrices, `dsl.ops.contract` says. Run when nothing more is to be transformed, and on one
device, where no axis is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor
from dsl.ir.op import Op
from dsl.ops.contract import matrix_product
from dsl.ops.layout import reshape
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import change_bodies, innermost_first


def flatten(function: Function, memo: Memo | None = None) -> Function:
    """`function` with flat values between products, at every depth."""
    table = memo or Memo()
    for body in innermost_first(function):
        _once(body, table)
    return _once(function, table)


def _once(function: Function, memo: Memo) -> Function:
    return memo.once(("flatten", function), lambda: _flatten(function, memo))


def _flatten(function: Function, memo: Memo) -> Function:
    equations = tuple([change_bodies(equation, lambda body: _once(body, memo)) for equation in function.equations])
    flat = _between(equations, function.results)
    if not flat:
        same = all(a is b for a, b in zip(equations, function.equations, strict=True))
        return function if same else Function(function.name, function.params, equations, function.results)
    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in equations:
        b.span = equation.span
        if isinstance(equation.op, Op) and any(y in flat for y in (*equation.inputs, *equation.outputs)):
            values.update(zip(equation.outputs, _flattened(b, equation, flat, values), strict=True))
        else:
            moved = rename(equation, values)
            b.equations.append(moved)
    return Function(
        function.name, function.params, tuple(b.equations), tuple([values.get(r, r) for r in function.results])
    )


def _between(equations: Iterable[Equation], results: Iterable[Atom]) -> set[Atom]:
    """The values that are computed from products alone, and that products alone are computed from, with one step or
    more of elements between."""
    equations = tuple(equations)
    steps = [e for e in equations if _is_step(e)]
    made: set[Atom] = set()
    made.update([e.outputs[0] for e in (*filter(_is_product, equations), *steps)])
    made -= set(results)
    changed = True
    while changed:
        uses = [x for e in equations for x in _other_uses(e, made)]
        kept = made - set(uses) - {e.outputs[0] for e in steps if not _is_from(e, made)}
        changed, made = kept != made, kept
    return made if any(e.outputs[0] in made for e in steps) else set()


def _is_product(equation: Equation) -> bool:
    return matrix_product(equation) is not None


def _is_step(equation: Equation) -> bool:
    """Return whether an equation computes an array of more than two axes element by element."""
    op = equation.op
    if not isinstance(op, Op) or op.effect is not None or op.place is not None or len(equation.outputs) != 1:
        return False
    return isinstance(op.sharding, str) and bool(op.sharding) and equation.outputs[0].type.rank > 2


def _is_from(equation: Equation, made: set[Atom]) -> bool:
    inputs = [x for x in equation.inputs if x.type.rank]
    return any(x in made for x in inputs) and all(x in made or isinstance(x, Literal) for x in inputs)


def _other_uses(equation: Equation, made: set[Atom]) -> list[Atom]:
    """The operands that an equation does not take flat."""
    if _is_step(equation) and equation.outputs[0] in made:
        return []
    return [*equation.inputs[1:]] if _is_product(equation) else [*equation.inputs]


def _flattened(b: Builder, equation: Equation, flat: set[Atom], values: Mapping[Atom, Atom]) -> tuple[Atom, ...]:
    """The outputs of an equation on flat values; those that are not to be flat in their own shape."""
    product = matrix_product(equation)
    given = [values.get(x, x) for x in equation.inputs]
    assert isinstance(equation.op, Op)
    if product is None:
        return equation.op(b, equation.params, *[_flat(b, x) for x in given])
    (found,) = equation.op(b, product, _flat(b, given[0]), given[1])
    (y,) = equation.outputs
    return (found if y in flat else reshape(b, found, y.type.shape),)


def _flat(b: Builder, x: Atom) -> Atom:
    """A value with all its leading axes as one."""
    if x.type.rank <= 2:
        return x
    shape = prod(x.type.shape[:-1]), x.type.shape[-1]
    return Literal(x.value, Tensor(x.type.dtype, shape)) if isinstance(x, Literal) else reshape(b, x, shape)
