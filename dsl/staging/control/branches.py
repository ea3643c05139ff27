"""`if`, `and`, `or`: on static conditions chosen here, on traced ones a conditional at run time.

Read next: `loops`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Literal, Var
from dsl.ir.op import Op
from dsl.ops.control import COND, CondParams
from dsl.staging.env.cells import Cell, leaves_of, written_cells
from dsl.staging.env.closure_conversion import close
from dsl.staging.env.environment import Frame
from dsl.staging.env.marks import mark_line
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.arithmetic import both, coerce_numbers, either
from dsl.staging.values import ATOMS, Value, as_atom, atoms, fill, literal, skeleton, traced_numbers
from dsl.types.dtype import BOOL, I32
from dsl.types.type import Type

CHEAP = 8
"""A right side of `and` or `or` with at most so many equations is computed anyway."""


class Branch(Struct, frozen=True):
    """A branch staged in a builder of its own."""

    b: Builder
    value: Value
    code: Atom | None
    cells: dict[str, Cell]


def if_(s: Stager, node: core.If, frame: Frame) -> Value:
    condition = s.eval(node.condition, frame)
    if isinstance(condition, Literal):
        condition = bool(condition.value)
    if not isinstance(condition, ATOMS):
        return _branch(s, node.then if condition else node.orelse, frame)
    return conditional(
        s,
        condition,
        lambda: _as_typed(_branch(s, node.then, frame), node.type, frame),
        lambda: _as_typed(_branch(s, node.orelse, frame), node.type, frame),
        node.span,
    )


def _branch(s: Stager, node: core.Expr, frame: Frame) -> Value:
    mark_line(s, node)
    return s.eval(node, frame)


def _as_typed(value: Value, type: Type, frame: Frame) -> Value:
    """Convert the result of a branch to traced values, leaf by leaf."""
    return traced_numbers(coerce_numbers(value, type, frame))


def conditional(
    s: Stager, condition: Atom, then: Callable[[], Value], orelse: Callable[[], Value], span: Span
) -> Value:
    branches = [stage_branch(s, make) for make in (orelse, then)]
    names = [n for n in s.cells if any(n in written_cells(s.cells, branch.cells) for branch in branches)]
    checks = any(branch.code is not None for branch in branches)
    functions, captures = share_captures(s, branches, names, checks)
    s.b.span = span
    outs = list(s.b.emit(COND, CondParams(functions), (condition, *captures)))
    count = len(atoms(branches[0].value))
    rest = iter(outs[count + checks :])
    for name in names:
        s.cells[name] = s.cells[name].at(fill(skeleton(s.cells[name].value), rest))
    if checks:
        s.record(outs[count])
    return fill(skeleton(branches[0].value), iter(outs[:count]))


def stage_branch(s: Stager, make: Callable[[], Value]) -> Branch:
    before = s.cells
    s.cells = dict(before)
    try:
        with s.inside() as b:
            return Branch(b, make(), s.code, s.cells)
    finally:
        s.cells = before


def share_captures(
    s: Stager, branches: Sequence[Branch], names: list[str], checks: bool
) -> tuple[tuple[Function, ...], tuple[Atom, ...]]:
    """The branches as functions of the captures of all of them."""
    closed: list[tuple[Function, tuple[Atom, ...]]] = []
    for branch in branches:
        code = [branch.code or zeros_code()] if checks else []
        outs = [*atoms(branch.value), *code, *leaves_of(branch.cells, names)]
        closed.append(close(branch.b, "branch", outs))
    union = tuple(dict.fromkeys([x for _, captures in closed for x in captures]))
    return tuple([_over(function, captures, union) for function, captures in closed]), union


def zeros_code() -> Atom:
    return literal(0, I32)


def _over(function: Function, captures: Sequence[Atom], union: Sequence[Atom]) -> Function:
    """Return the function with one parameter for every capture of `union`."""
    own = dict(zip(captures, function.params, strict=True))
    params = tuple([own[x] if x in own else Var(x.type) for x in union])
    return Function(function.name, params, function.equations, function.results)


def logical(s: Stager, node: core.Logical, frame: Frame) -> Value:
    left = s.eval(node.left, frame)
    if isinstance(left, Literal):
        left = bool(left.value)
    if not isinstance(left, ATOMS):
        return s.eval(node.right, frame) if bool(left) == (node.op == "and") else left
    short = literal(node.op == "or", BOOL)
    right = stage_branch(s, lambda: as_atom(s.eval(node.right, frame)))
    if _cheap(right, s):
        s.b.equations.extend(right.b.equations)
        s.b.span = node.span
        value = as_atom(right.value)
        return both(s.b, left, value) if node.op == "and" else either(s.b, left, value)
    then, orelse = (lambda: as_atom(s.eval(node.right, frame))), (lambda: short)
    if node.op == "and":
        return conditional(s, left, then, orelse, node.span)
    return conditional(s, left, orelse, then, node.span)


def _cheap(branch: Branch, s: Stager) -> bool:
    """Return whether computing the branch for nothing costs and does nothing."""
    pure = branch.code is None and not written_cells(s.cells, branch.cells)
    plain = all(isinstance(e.op, Op) and e.op.effect is None for e in branch.b.equations)
    return pure and plain and len(branch.b.equations) <= CHEAP
