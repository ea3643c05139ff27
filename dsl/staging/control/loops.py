"""`fold`, `scan`, `iterate`: loops at run time; over tuples, unrolled here.

Beside its own carry a loop carries the code of its first failure and the cells its body writes. Read next:
`comprehensions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsl.core import core
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ops import builders
from dsl.ops.control import SCAN, WHILE, ScanParams, WhileParams
from dsl.staging.control.branches import zeros_code
from dsl.staging.control.iterables import counting, elements, reading
from dsl.staging.env import keys
from dsl.staging.env.cells import Cell, as_params, leaves_of, unwritten_cells, written_cells
from dsl.staging.env.closure_conversion import close
from dsl.staging.env.environment import Frame
from dsl.staging.env.marks import mark_line
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.arithmetic import coerce_numbers
from dsl.staging.expressions.structure import bind, stack_leaves
from dsl.staging.values import (
    TupleValue,
    Value,
    as_atom,
    as_int,
    atoms,
    fill,
    literal,
    skeleton,
    traced_numbers,
    zip_leaves,
)
from dsl.types.dtype import I32, I64, integer_range
from dsl.types.type import TupleType, Type


def trace_numbers(value: Value, type: Type, frame: Frame) -> Value:
    """A carry or an output: no leaf stays a static number."""
    return traced_numbers(coerce_numbers(value, type, frame))


@dataclass(slots=True)
class Threaded:
    """A body being staged whose carry grows by the cells it writes and a code."""

    s: Stager
    b: Builder
    outer: dict[str, Cell]
    inner: dict[str, Cell]
    carry: list[Atom]
    names: list[str]
    code: Atom | None = None

    def finish(self) -> list[Atom]:
        """After the body: what its carry gives for cells and code; their parameters join `carry`."""
        s = self.s
        self.names = written_cells(self.inner, s.cells)
        outs = leaves_of(s.cells, self.names)
        self.carry += leaves_of(self.inner, self.names)
        if s.code is not None:
            earlier = self.b.param(literal(0, I32).type)
            self.carry.append(earlier)
            failed = builders.compare(self.b, "ne", earlier, zeros_code())
            self.code = builders.select(self.b, failed, earlier, s.code)
            outs.append(self.code)
        return outs

    def close(self, name: str, others: Sequence[Atom], results: Sequence[Atom]) -> tuple[Function, tuple[Atom, ...]]:
        """Parameters: captures, carry, `others`."""
        replaced = unwritten_cells(self.outer, self.inner, self.names)
        self.b.params = [x for x in (*self.carry, *others, *replaced) if isinstance(x, Var)]
        return close(self.b, name, results, replaced)

    def initial(self) -> list[Atom]:
        """The values of cells and code before the loop."""
        return [*leaves_of(self.outer, self.names), *([zeros_code()] if self.code is not None else [])]

    def take(self, finals: Sequence[Atom]) -> None:
        """After the loop: the last values of cells and code."""
        rest = iter(finals)
        for name in self.names:
            cell = self.outer[name]
            self.s.cells[name] = cell.at(fill(skeleton(cell.value), rest))
        if self.code is not None:
            self.s.record(next(rest))


def loop(s: Stager, node: core.Loop, frame: Frame) -> Value:
    init = trace_numbers(s.eval(node.init, frame), node.carry_type, frame)
    source = reading(s, node.clause.source, frame)
    index = counting(s, 0, source.length) if s.keys is not None else None
    xs = (*source.xs, *(index.xs if index else ()))
    outer, keys_before = s.cells, s.keys
    with s.inside() as b:
        carry = fill(skeleton(init), (b.param(x.type) for x in atoms(init)))
        slices = [b.param(Tensor(x.type.dtype, x.type.shape[1:])) for x in xs]
        s.cells = as_params(b, outer)
        body = Threaded(s, b, outer, dict(s.cells), atoms(carry), [])
        if s.keys is not None:
            s.keys = keys.inside(s.keys, slices[-1])
        inner = frame.child()
        bind(s, node.carry, carry, inner)
        bind(s, node.clause.pattern, source.make(iter(slices)), inner)
        after, out = _step(s, node, inner)
        extra = body.finish()
        function, captures = body.close(node.kind, slices, [*atoms(after), *extra, *atoms(out)])
    s.cells, s.keys = outer, keys_before
    s.b.span = node.span
    unroll = as_int(s.eval(node.unroll, frame)) if node.unroll is not None else 1
    start = [*atoms(init), *body.initial()]
    params = ScanParams(function, len(captures), len(start), source.length, node.reverse, unroll)
    outs = s.b.emit(SCAN, params, (*captures, *start, *xs))
    count = len(atoms(init))
    s.cells = dict(outer)
    body.take(outs[count : len(start)])
    final = fill(skeleton(init), iter(outs[:count]))
    if node.kind == "fold":
        return final
    return TupleValue((final, fill(skeleton(out), iter(outs[len(start) :]))))


def _step(s: Stager, node: core.Loop, frame: Frame) -> tuple[Value, Value]:
    """The carry after one step, and its output."""
    mark_line(s, node.body)
    result = s.eval(node.body, frame)
    if node.kind == "fold":
        return trace_numbers(result, node.carry_type, frame), TupleValue(())
    assert isinstance(result, TupleValue) and isinstance(node.type, TupleType)
    after, out = result.parts
    return trace_numbers(after, node.carry_type, frame), trace_numbers(out, node.type.parts[1], frame)


# ---------------------------------------------------------------- iterate


def iterate(s: Stager, node: core.Iterate, frame: Frame) -> Value:
    """A condition that acts is computed before the loop and after each step, and the carry has what it said."""
    init = trace_numbers(s.eval(node.init, frame), node.carry_type, frame)
    keys_before = s.keys
    test, test_captures, acts = _condition(s, node, init, frame)
    first = [_asked(s, node, init, frame, literal(0, I32))] if acts else []
    s.keys = keys_before
    outer = s.cells
    with s.inside() as b:
        carry = fill(skeleton(init), (b.param(x.type) for x in atoms(init)))
        more = [b.param(x.type) for x in first]
        counter = [] if s.keys is None else [b.param(Tensor(I32))]
        counted = [builders.add(b, n, literal(1, I32)) for n in counter]
        if s.keys is not None:
            s.keys = keys.inside(s.keys, counter[0])
        s.cells = as_params(b, outer)
        body = Threaded(s, b, outer, dict(s.cells), [*atoms(carry), *more, *counter], [])
        inner = frame.child()
        bind(s, node.carry, carry, inner)
        mark_line(s, node.body)
        after = trace_numbers(s.eval(node.body, inner), node.carry_type, inner)
        s.keys = keys_before
        again = [_asked(s, node, after, frame, *counted) for _ in more]
        extra = body.finish()
        function, captures = body.close("iterate", [], [*atoms(after), *again, *counted, *extra])
    s.cells, s.keys = dict(outer), keys_before
    s.b.span = node.span
    limit = None if node.limit is None else min(as_int(s.eval(node.limit, frame)), integer_range(I64)[1])
    start = [*atoms(init), *first, *(literal(0, I32) for _ in counter), *body.initial()]
    if acts:
        test, test_captures = _carried(len(atoms(init)), start), ()
    widened = _widened(test, len(test_captures), start)
    params = WhileParams(widened, function, len(test_captures), len(captures), limit)
    outs = s.b.emit(WHILE, params, (*test_captures, *captures, *start))
    count = len(atoms(init))
    body.take(outs[count + len(more) + len(counter) :])
    return fill(skeleton(init), iter(outs[:count]))


def _condition(s: Stager, node: core.Iterate, init: Value, frame: Frame) -> tuple[Function, tuple[Atom, ...], bool]:
    """The condition as a function of the carry, and whether it acts: it may fail, draws, or looks at cells, which it
    or the body may write."""
    outer, keys_before = s.cells, s.keys
    with s.inside() as b:
        carry = fill(skeleton(init), (b.param(x.type) for x in atoms(init)))
        params = list(b.params)
        s.cells = as_params(b, outer)
        if s.keys is not None:
            s.keys = keys.inside(s.keys, literal(0, I32))
        cells = {x for cell in s.cells.values() for x in atoms(cell.value)}
        before = dict(s.cells)
        inner = frame.child()
        bind(s, node.carry, carry, inner)
        value = as_atom(s.eval(node.condition, inner))
        looked = not cells.isdisjoint([value, *(x for equation in b.equations for x in equation.inputs)])
        drawn = any(source.drawn for source in s.keys or ())
        acts = s.code is not None or looked or drawn or bool(written_cells(before, s.cells))
        replaced = unwritten_cells(outer, before, [])
        b.params = params
        function, captures = close(b, "condition", [value], replaced)
    s.cells, s.keys = outer, keys_before
    return function, captures, acts


def _asked(s: Stager, node: core.Iterate, carry: Value, frame: Frame, step: Atom | None = None) -> Atom:
    """Evaluate the condition of a loop for a carry; its draws are those of the step."""
    if s.keys is not None and step is not None:
        s.keys = keys.inside(s.keys, step)
    inner = frame.child()
    bind(s, node.carry, carry, inner)
    return as_atom(s.eval(node.condition, inner))


def _carried(place: int, start: Sequence[Atom]) -> Function:
    """The condition that the carry has at a place."""
    b = Builder()
    params = [b.param(x.type) for x in start[: place + 1]]
    return b.finish("condition", (params[place],))


def _widened(test: Function, captures: int, start: Sequence[Atom]) -> Function:
    """The condition with parameters for cells and code, which it does not look at."""
    b = Builder()
    known = len(test.params) - captures
    more = [b.param(x.type) for x in start[known:]]
    return Function(test.name, (*test.params, *more), test.equations, test.results)


# ---------------------------------------------------------------- unrolled


def unroll(s: Stager, node: core.Unroll, frame: Frame) -> Value:
    items = elements(s, node.source, frame)
    order = list(enumerate(items))
    carry = None if node.init is None else s.eval(node.init, frame)
    outputs: list[Value] = [None] * len(items)
    carries = iter(node.carry)
    for (place, item), (pattern, body) in zip(order[::-1] if node.reverse else order, node.steps, strict=True):
        inner = frame.child()
        bind(s, pattern, item, inner)
        if node.kind != "map":
            bind(s, next(carries), carry, inner)
        mark_line(s, body)
        result = s.eval(body, inner)
        if node.kind == "fold":
            carry = result
        elif node.kind == "scan":
            assert isinstance(result, TupleValue)
            carry, outputs[place] = result.parts
        else:
            outputs[place] = result
    if node.kind == "fold":
        return carry
    s.b.span = node.span
    if node.kind == "map":
        return _gathered(s, outputs, node.type)
    assert isinstance(node.type, TupleType)
    return TupleValue((carry, _gathered(s, outputs, node.type.parts[1])))


def _gathered(s: Stager, outputs: Sequence[Value], type: Type) -> Value:
    """Outputs of one type are stacked, of several types a tuple."""
    if isinstance(type, TupleType) or not outputs:
        return TupleValue(tuple(outputs))
    return zip_leaves(lambda *parts: stack_leaves(s, parts), *outputs)
