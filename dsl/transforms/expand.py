"""Expansion: ops that only speak to transformations become what is lowered, by their rule `expand`.

Run when nothing more is to be transformed. Knows no op.
"""

from __future__ import annotations

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.region import Batched, BatchNamed, Flags, NamedAxis
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import innermost_first, map_bodies
from dsl.transforms.vmap import batch


def expand(function: Function, memo: Memo | None = None) -> Function:
    """`function` without ops that only transformations know, at every depth."""
    table = memo or Memo()
    for body in innermost_first(function):
        _once(body, table)
    return _once(function, table)


def _once(function: Function, memo: Memo) -> Function:
    return memo.once(("expand", function), lambda: _expand(function, memo))


def _expand(function: Function, memo: Memo) -> Function:
    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in function.equations:
        moved = rename(equation, values)
        b.span = equation.span
        found = None if moved.op.expand is None else moved.op.expand(b, moved, _batch(memo))
        if found is None:
            b.equations.append(_inside(moved, memo))
        else:
            values.update(zip(equation.outputs, found, strict=True))
    if not values and len(b.equations) == len(function.equations):
        same = all(x is y for x, y in zip(b.equations, function.equations, strict=True))
        if same:
            return function
    # What an expansion has emitted may hold bodies that are still to be expanded.
    equations = tuple([_inside(e, memo) for e in b.equations]) if values else tuple(b.equations)
    results = tuple([values.get(r, r) if isinstance(r, Var) else r for r in function.results])
    return Function(function.name, function.params, equations, results)


def _inside(equation: Equation, memo: Memo) -> Equation:
    params = map_bodies(equation, lambda body: _once(body, memo))
    if params is equation.params:
        return equation
    return Equation(equation.op, params, equation.inputs, equation.outputs, equation.span)


def _batch(memo: Memo) -> BatchNamed:
    """Mapping of bodies, for the ops that are expanded to all lanes at once."""

    def recur(body: Function, batched: Flags, force: Flags, size: int, axis: NamedAxis | None = None, /) -> Batched:
        return batch(body, batched, force, size, memo, axis)

    return recur
