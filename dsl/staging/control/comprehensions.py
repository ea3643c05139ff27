"""Comprehensions: the body for one element, mapped over all of them at once.

The codes of the elements become that of the first one that failed; what elements add to an `accum` is
summed. Read next: `dsl.transforms.vmap`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dsl.core import core
from dsl.ir.function import Atom, Tensor
from dsl.ir.sizes import bound
from dsl.staging.control.iterables import counting, elements, reading
from dsl.staging.control.loops import trace_numbers
from dsl.staging.effects.deferred_failures import collect_cell, first_failure
from dsl.staging.env import keys
from dsl.staging.env.affine_index import Affine, Steps
from dsl.staging.env.cells import fresh, leaves_of, written_cells
from dsl.staging.env.closure_conversion import close, inline
from dsl.staging.env.environment import Frame
from dsl.staging.env.marks import mark_line
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.arithmetic import coerce_numbers
from dsl.staging.expressions.structure import bind
from dsl.staging.values import TupleValue, Value, atoms, fill, skeleton, zip_leaves
from dsl.transforms.vmap import vmap
from dsl.types.type import StaticType


def comprehension(s: Stager, node: core.Comprehension, frame: Frame) -> Value:
    if isinstance(node.type, StaticType):
        return _listed(s, node, frame)
    return _mapped(s, node, node.clauses, frame)


def _listed(s: Stager, node: core.Comprehension, frame: Frame) -> Value:
    """A static list, item by item."""
    (clause,) = node.clauses
    found: list[Value] = []
    for item in elements(s, clause.source, frame):
        inner = frame.child()
        bind(s, clause.pattern, item, inner)
        mark_line(s, node.body)
        found.append(s.eval(node.body, inner))
    return coerce_numbers(TupleValue(tuple(found)), node.type, frame)


def _mapped(s: Stager, node: core.Comprehension, clauses: Sequence[core.Clause], frame: Frame) -> Value:
    if not clauses:
        mark_line(s, node.body)
        return trace_numbers(s.eval(node.body, frame), node.type, frame)
    source = reading(s, clauses[0].source, frame)
    index = counting(s, 0, source.length) if s.keys is not None else None
    xs = (*source.xs, *(index.xs if index else ()))
    outer, keys_before, around = s.cells, s.keys, s.b
    with s.inside() as b, s.sharing(bound(source.length)):
        slices = [b.param(Tensor(x.type.dtype, x.type.shape[1:])) for x in xs]
        steps = Steps(b, around, source.length)
        for var, start in zip(slices, source.starts, strict=False):
            if start is not None:
                s.counted[var] = Affine(steps, start, 1)
        s.cells = fresh(outer)
        before = dict(s.cells)
        if s.keys is not None:
            s.keys = keys.inside(s.keys, slices[-1])
        inner = frame.child()
        bind(s, clauses[0].pattern, source.make(iter(slices)), inner)
        value = _mapped(s, node, clauses[1:], inner)
        names = written_cells(before, s.cells)
        added, code = leaves_of(s.cells, names), s.code
        results = [*atoms(value), *added, *([] if code is None else [code])]
        function, captures = close(b, "element", results)
    s.cells, s.keys = outer, keys_before
    s.b.span = node.span
    xs = (*xs, *steps.rows)
    places: list[int | None] = [0] * len(xs)
    axes: list[int | None] = [*(None for _ in captures), *places]
    whole = vmap(function, axes, [0] * len(results), source.length, s.session.memo)
    outs = inline(s.b, whole, (*captures, *xs), s.session.sizes)
    count = len(atoms(value))
    _add(s, names, outs[count : count + len(added)])
    if code is not None:
        s.record(first_failure(s.b, outs[-1]))
    return fill(skeleton(value), iter(outs[:count]))


def _add(s: Stager, names: Sequence[str], totals: Sequence[Atom]) -> None:
    """Adds what all elements left to each written cell."""
    rest = iter(totals)
    s.cells = dict(s.cells)
    for name in names:
        cell = s.cells[name]
        left = fill(skeleton(cell.value), rest)
        s.cells[name] = cell.at(zip_leaves(partial(collect_cell, s, cell.kind), cell.value, left))
