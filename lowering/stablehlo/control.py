"""Ops with bodies: regions of `if`, `case` and `while`, and calls of private functions.

What prints on the host is kept in order by a token: it is one more result of every branch and function that
prints, one more value that a loop carries, and always the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Never

from dsl.ir.build import IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import NoParams
from dsl.ops.annotations import NameParams
from dsl.ops.control.branch import CondParams
from dsl.ops.control.call import CallParams, CheckpointParams
from dsl.ops.control.custom import CustomJvpParams, CustomVjpParams
from dsl.ops.control.scan import ScanParams
from dsl.ops.control.while_params import WhileParams
from dsl.ops.extent import IOTA
from dsl.ops.marks import NamedParams, StepParams
from dsl.types.dtype import BOOL, I32
from lowering.lowered import RUN_TYPE
from lowering.stablehlo.context import TOKEN, Context
from lowering.stablehlo.elementwise import choice, comparison, emit_convert
from lowering.stablehlo.extent import emit_replaced
from lowering.stablehlo.layout import emit_reshape
from lowering.stablehlo.pivots import has_pivots
from lowering.stablehlo.types import format_list
from lowering.stablehlo.work import is_selected, is_small

INDEX = Tensor(I32)
PREDICATE = Tensor(BOOL)


def needs_token(cx: Context, bodies: Sequence[Function]) -> bool:
    """Return whether a token has to pass through these bodies."""
    return any(map(cx.module.has_io, bodies))


def with_token(cx: Context, io: bool, values: Sequence[str], types: Sequence[Tensor]) -> tuple[list[str], list[str]]:
    """Names and types of what goes in or out of a region, behind the token if there is one."""
    texts = [cx.type(t) for t in types]
    return ([str(cx.token), *values], [TOKEN, *texts]) if io else ([*values], texts)


def past_token(cx: Context, io: bool, results: Sequence[str]) -> Sequence[str]:
    """The results of an op without its token, which is the current one from here on."""
    if not io:
        return results
    cx.token = results[0]
    return results[1:]


# --- calls ------------------------------------------------------------------------------------------------


def call(cx: Context, params: CallParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A call of a private function, written once however often it is called. XLA inlines where that pays."""
    return emit_call(cx, params.function, operands)


def checkpoint(cx: Context, params: CheckpointParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A call, behind a barrier where it repeats work on purpose."""
    fenced = emit_barrier(cx, operands, [x.type for x in equation.inputs]) if params.again else operands
    return emit_call(cx, params.function, fenced)


def custom(
    cx: Context, params: CustomJvpParams | CustomVjpParams, equation: Equation, operands: list[str]
) -> Sequence[str]:
    """A function whose own derivative rules are of no more use."""
    return emit_call(cx, params.function, operands)


def expanded_before(cx: Context, params: Any, equation: Equation, operands: list[str]) -> Never:
    """Ops that only transformations know: none may be left when a program is lowered."""
    raise IRTypeError(f"`{equation.op.name}` has to be expanded before lowering")


def emit_call(cx: Context, body: Function, operands: Sequence[str]) -> Sequence[str]:
    io = needs_token(cx, (body,))
    name = cx.module.private(body)
    values, sources = with_token(cx, io, operands, body.param_types)
    targets = with_token(cx, io, (), body.result_types)[1]
    if io:
        values, sources = [*values, cx.run], [*sources, cx.type(RUN_TYPE)]
    signature = f"({', '.join(sources)}) -> ({', '.join(targets)})"
    results = cx.emit_many(f"func.call @{name}({', '.join(values)}) : {signature}", len(targets))
    return past_token(cx, io, results)


def barrier(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return emit_barrier(cx, operands, [y.type for y in equation.outputs])


def emit_barrier(cx: Context, operands: Sequence[str], types: Sequence[Tensor]) -> Sequence[str]:
    """The operands behind a barrier that the compiler moves no work across."""
    if not operands:
        return ()
    texts = ", ".join(map(cx.type, types))
    return cx.emit_many(f"stablehlo.optimization_barrier {', '.join(operands)} : {texts}", len(operands))


def identity(
    cx: Context, params: NoParams | NameParams | NamedParams, equation: Equation, operands: list[str]
) -> Sequence[str]:
    return operands


def nothing(cx: Context, params: StepParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """Lower a mark that only a debugger reads to nothing."""
    return ()


# --- branches ---------------------------------------------------------------------------------------------


def give(cx: Context, io: bool, values: Sequence[str], types: Sequence[Tensor]) -> str:
    names, texts = with_token(cx, io, values, types)
    return f"stablehlo.return {', '.join(names)} : {', '.join(texts)}" if names else "stablehlo.return"


def cond(cx: Context, params: CondParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    index, *rest = operands
    type, branches = equation.inputs[0].type, params.branches
    if is_selected(equation):
        no, yes = [cx.module.inline(cx, branch, rest) for branch in branches]
        return selection(cx, index, yes, no, branches[0].result_types)
    writers = [partial(_branch, branch, rest) for branch in branches]
    io = needs_token(cx, branches)
    if type.dtype is BOOL:  # of `if`, the branch for true comes first
        writers.reverse()
    return switch(cx, io, index, type, branches[0].result_types, writers)


def selection(cx: Context, pred: str, yes: Sequence[str], no: Sequence[str], types: Sequence[Tensor]) -> Sequence[str]:
    """Both branches have been computed, and one is taken."""
    return [choice(cx, pred, x, y, PREDICATE, type) for x, y, type in zip(yes, no, types, strict=True)]


def _branch(body: Function, operands: Sequence[str], cx: Context) -> Sequence[str]:
    return cx.module.inline(cx, body, operands)


def _no(cx: Context) -> Sequence[str]:
    return (cx.constant(False, PREDICATE),)


def switch(
    cx: Context,
    io: bool,
    index: str,
    type: Tensor,
    results: Sequence[Tensor],
    writers: Sequence[Callable[[Context], Sequence[str]]],
) -> Sequence[str]:
    """One of several regions, each of which uses values of the outside and names its results."""
    regions = []
    for write in writers:
        inner = cx.child()
        values = write(inner)
        regions.append("\n".join([*inner.lines, give(inner, io, values, results)]))
    targets = with_token(cx, io, (), results)[1]
    body, spelling = "\n}, {\n".join(regions), "if" if type.dtype is BOOL else "case"
    text = f'"stablehlo.{spelling}"({index}) ({{\n{body}\n}}) : ({cx.type(type)}) -> ({", ".join(targets)})'
    return past_token(cx, io, cx.emit_many(text, len(targets)))


# --- loops ------------------------------------------------------------------------------------------------


Step = Callable[[Context, list[str]], Sequence[str]]
"""Writes what happens to the carried values, given their names, and names the new ones."""


def loop(
    cx: Context, io: bool, initial: Sequence[str], types: Sequence[Tensor], test: Step, step: Step
) -> Sequence[str]:
    """A `while` over carried values. `test` names one bool. What else its regions use they see from
    outside."""
    names, texts = with_token(cx, io, initial, types)
    check, update = (
        _block(cx, io, texts, test, (PREDICATE,), False),
        _block(cx, io, texts, step, types, io),
    )
    signature = ", ".join(texts)
    regions = f"({{\n{check}\n}}, {{\n{update}\n}})"
    text = f'"stablehlo.while"({", ".join(names)}) {regions} : ({signature}) -> ({signature})'
    return past_token(cx, io, cx.emit_many(text, len(texts)))


def _block(cx: Context, io: bool, texts: Sequence[str], write: Step, types: Sequence[Tensor], gives_token: bool) -> str:
    inner = cx.child()
    names = [inner.fresh() for _ in texts]
    header = ", ".join([f"{name}: {text}" for name, text in zip(names, texts, strict=True)])
    results = write(inner, [*past_token(inner, io, names)])
    return "\n".join([f"^bb0({header}):", *inner.lines, give(inner, gives_token, results, types)])


def while_(cx: Context, params: WhileParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A loop with a condition. One that prints cannot stand in the test of a `while`, which gives a bool
    alone: it is decided beforehand, and carried."""
    return While(cx, params, equation, operands).write()


class While:
    """One `while` being written. The loop carries the steps taken, then, if the condition prints, its value, then what
    the program carries and the stacked outputs, which are written in place."""

    def __init__(self, cx: Context, params: WhileParams, equation: Equation, operands: list[str]) -> None:
        first = params.cond_consts + params.body_consts
        self.cx = cx
        self.params = params
        self.tests = operands[: params.cond_consts]
        self.consts = operands[params.cond_consts : first]
        self.types = [y.type for y in equation.outputs]
        self.stacked = self.types[params.carry :]
        self.initial = [*operands[first:], *[cx.constant(0, t) for t in self.stacked]]
        self.decides_ahead = cx.module.has_io(params.cond)
        self.io = needs_token(cx, (params.cond, params.body))

    def write(self) -> Sequence[str]:
        cx, counter = self.cx, self.params.counter
        if self.params.limit == 0:
            return self.initial
        start = cx.constant(0, counter)
        if not self.decides_ahead:
            state, types = [start, *self.initial], [counter, *self.types]
            return loop(cx, self.io, state, types, self._test, self._step)[1:]
        state = [start, self._decide(cx, start, self.initial), *self.initial]
        types = [counter, PREDICATE, *self.types]
        return loop(cx, self.io, state, types, lambda _, names: names[1:2], self._step_ahead)[2:]

    def _test(self, cx: Context, names: list[str]) -> Sequence[str]:
        steps, *state = names
        (holds,) = self._ask(state)(cx)
        if self.params.limit is None:
            return (holds,)
        more = self._more(cx, steps)
        return (cx.emit(f"stablehlo.and {more}, {holds} : {cx.type(PREDICATE)}"),)

    def _more(self, cx: Context, steps: str) -> str:
        assert self.params.limit is not None
        return comparison(cx, "lt", steps, cx.constant(self.params.limit, self.params.counter), self.params.counter)

    def _step(self, cx: Context, names: list[str]) -> Sequence[str]:
        steps, *state = names
        return [self._next(cx, steps), *self._after(cx, steps, state)]

    def _step_ahead(self, cx: Context, names: list[str]) -> Sequence[str]:
        steps = self._next(cx, names[0])
        after = self._after(cx, names[0], names[2:])
        return [steps, self._decide(cx, steps, after), *after]

    def _after(self, cx: Context, position: str, state: list[str]) -> list[str]:
        """The carry and the stacked outputs after the step at a position."""
        carry, stacked = state[: self.params.carry], state[self.params.carry :]
        results = cx.module.inline(cx, self.params.body, [*self.consts, *carry])
        outs = zip(stacked, results[self.params.carry :], self.stacked, strict=True)
        return [*results[: self.params.carry], *[with_row(cx, y, out, t, position) for y, out, t in outs]]

    def _next(self, cx: Context, steps: str) -> str:
        """One more step. Without a limit nobody asks, and the number may wrap."""
        return cx.emit(f"stablehlo.add {steps}, {cx.constant(1, self.params.counter)} : {cx.type(self.params.counter)}")

    def _ask(self, state: Sequence[str]) -> Callable[[Context], Sequence[str]]:
        return partial(_branch, self.params.cond, [*self.tests, *state[: self.params.carry]])

    def _decide(self, cx: Context, steps: str, state: Sequence[str]) -> str:
        """The condition, asked only while there are steps left."""
        ask = self._ask(state)
        if self.params.limit is None:
            (holds,) = ask(cx)
            return holds
        (holds,) = switch(cx, True, self._more(cx, steps), PREDICATE, (PREDICATE,), (ask, _no))
        return holds


def scan(cx: Context, params: ScanParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A loop over a position, the carry and the stacked outputs, which are written in place."""
    return Scan(cx, params, equation, operands).write()


class Scan:
    """One `scan` being written. `last` is the position of its last step, a constant where the steps are not counted."""

    def __init__(self, cx: Context, params: ScanParams, equation: Equation, operands: list[str]) -> None:
        first, last = params.ahead + params.consts, params.ahead + params.consts + params.carry
        self.cx = cx
        self.params = params
        self.xs_types = [x.type for x in equation.inputs[last:]]
        self.counts = [_counts(cx, x) for x in equation.inputs[last:]]
        self.types = [y.type for y in equation.outputs]
        self.ahead = operands[: params.ahead]
        self.consts = operands[params.ahead : first]
        self.initial = operands[first:last]
        self.xs = operands[last:]
        self.last = ""
        self.io = needs_token(cx, (params.body,))

    def write(self) -> Sequence[str]:
        cx, length, unroll = self.cx, self.params.length, self._unroll()
        state = [*self.initial, *[cx.constant(0, t) for t in self.types[self.params.carry :]]]
        if self.params.counted:
            return self._write_counted(state) if length else state
        looped = length - length % unroll if length > unroll else 0
        if looped:
            position = cx.constant(0, INDEX)
            _, *state = loop(
                cx,
                self.io,
                [position, *state],
                [INDEX, *self.types],
                self._test(cx.constant(looped, INDEX)),
                self._steps(unroll),
            )
        for done in range(looped, length):
            state = self._step(cx, cx.constant(done, INDEX), state)
        return state

    def _write_counted(self, state: list[str]) -> Sequence[str]:
        cx, index = self.cx, self.cx.type(INDEX)
        end = cx.emit(f"stablehlo.minimum {self.ahead[0]}, {cx.constant(self.params.length, INDEX)} : {index}")
        self.last = cx.emit(f"stablehlo.subtract {end}, {cx.constant(1, INDEX)} : {index}")
        initial, types = [cx.constant(0, INDEX), *state], [INDEX, *self.types]
        _, *state = loop(cx, self.io, initial, types, self._test(end), self._steps(1))
        return state

    def _unroll(self) -> int:
        """Return the number of iterations to unroll: as requested, all of a short loop, or two of one with pivots. If a
        loop collects a value of each iteration, XLA computes these in one pass, from the first iteration on."""
        params = self.params
        keeps = len(params.body.results) > params.carry > 0
        often = (params.length + 1) / 2 if keeps else 1.0
        if is_small(params.body, params.length, often):
            return params.length
        return max(params.unroll, 2 if self.cx.is_for_cpu and has_pivots(params) else 1)

    def _test(self, end: str) -> Step:
        return lambda cx, names: (comparison(cx, "lt", names[0], end, INDEX),)

    def _steps(self, unroll: int) -> Step:
        def write(cx: Context, names: list[str]) -> Sequence[str]:
            position, *state = names
            one = cx.constant(1, INDEX)
            for _ in range(unroll):
                state = self._step(cx, position, state)
                position = cx.emit(f"stablehlo.add {position}, {one} : {cx.type(INDEX)}")
            return [position, *state]

        return write

    def _step(self, cx: Context, position: str, state: list[str]) -> list[str]:
        params = self.params
        if params.reverse:
            last = self.last or cx.constant(params.length - 1, INDEX)
            position = cx.emit(f"stablehlo.subtract {last}, {position} : {cx.type(INDEX)}")
        slices = [
            emit_convert(cx, position, INDEX, Tensor(t.dtype)) if counts else row(cx, x, t, position)
            for x, t, counts in zip(self.xs, self.xs_types, self.counts, strict=True)
        ]
        carry, stacked = state[: params.carry], state[params.carry :]
        results = cx.module.inline(cx, params.body, [*self.consts, *carry, *slices])
        outs = zip(stacked, results[params.carry :], self.types[params.carry :], strict=True)
        return [*results[: params.carry], *[with_row(cx, y, out, t, position) for y, out, t in outs]]


def _counts(cx: Context, x: Atom) -> bool:
    """Return whether each element of a vector is its position, as in a loop over a range: then nothing is read."""
    made = cx.made.get(x)
    return made is not None and made.op is IOTA and x.type.rank == 1


def _places(cx: Context, type: Tensor, position: str) -> list[str]:
    """The indices of a row: its position, then zeros."""
    return [position, *[cx.constant(0, INDEX)] * (type.rank - 1)]


def row(cx: Context, x: str, type: Tensor, position: str) -> str:
    """`x[position]`."""
    names, indices = ", ".join(_places(cx, type, position)), ", ".join([cx.type(INDEX)] * type.rank)
    single = Tensor(type.dtype, (1, *type.shape[1:]))
    whole, part = cx.type(type), cx.type(single)
    cut = cx.emit(
        f"stablehlo.dynamic_slice {x}, {names}, sizes = {format_list(single.shape)} : ({whole}, {indices}) -> {part}"
    )
    return emit_reshape(cx, cut, single, Tensor(type.dtype, type.shape[1:]))


def with_row(cx: Context, x: str, value: str, type: Tensor, position: str) -> str:
    """`x` with `value` at `position`."""
    starts = _places(cx, type, position)
    single = Tensor(type.dtype, (1, *type.shape[1:]))
    lifted = emit_reshape(cx, value, Tensor(type.dtype, type.shape[1:]), single)
    return emit_replaced(cx, x, lifted, starts, type, single, INDEX)
