"""Ops with bodies: regions of `if`, `case` and `while`, and calls of private functions.

What prints on the host is kept in order by a token: it is one more result of every branch and function that
prints, one more value that a loop carries, and always the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import NoParams
from dsl.ops.control.branch import CondParams
from dsl.ops.control.call import CallParams, CheckpointParams
from dsl.ops.control.scan import ScanParams
from dsl.types.dtype import BOOL, I32
from lowering.stablehlo.context import TOKEN, Context
from lowering.stablehlo.elementwise import comparison
from lowering.stablehlo.types import listed

INDEX = Tensor(I32)


def threaded(cx: Context, bodies: Sequence[Function]) -> bool:
    """Whether a token has to pass through these bodies."""
    return any(map(cx.module.has_io, bodies))


def with_token(
    cx: Context, io: bool, values: Sequence[str], types: Sequence[Tensor]
) -> tuple[list[str], list[str]]:
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
    return called(cx, params.function, operands)


def checkpoint(
    cx: Context, params: CheckpointParams, equation: Equation, operands: list[str]
) -> Sequence[str]:
    """A call, behind a barrier where it repeats work on purpose."""
    fenced = between(cx, operands, equation.inputs) if params.again else operands
    return called(cx, params.function, fenced)


def called(cx: Context, body: Function, operands: Sequence[str]) -> Sequence[str]:
    io = threaded(cx, (body,))
    name = cx.module.private(body)
    values, sources = with_token(cx, io, operands, body.param_types)
    targets = with_token(cx, io, (), body.result_types)[1]
    signature = f"({', '.join(sources)}) -> ({', '.join(targets)})"
    results = cx.emit_many(f"func.call @{name}({', '.join(values)}) : {signature}", len(targets))
    return past_token(cx, io, results)


def barrier(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return between(cx, operands, equation.outputs)


def between(cx: Context, operands: Sequence[str], atoms: Sequence[Atom]) -> Sequence[str]:
    """The operands behind a barrier that the compiler moves no work across."""
    if not operands:
        return ()
    types = ", ".join([cx.type(x.type) for x in atoms])
    return cx.emit_many(f"stablehlo.optimization_barrier {', '.join(operands)} : {types}", len(operands))


def identity(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return operands


# --- branches ---------------------------------------------------------------------------------------------


def region(cx: Context, body: Function, operands: Sequence[str], io: bool) -> list[str]:
    """The lines of a branch: it uses the operands where they are, and gives its results."""
    inner = cx.child()
    results = inner.module.inline(inner, body, operands)
    return [*inner.lines, give(inner, io, results, body.result_types)]


def give(cx: Context, io: bool, values: Sequence[str], types: Sequence[Tensor]) -> str:
    names, texts = with_token(cx, io, values, types)
    return f"stablehlo.return {', '.join(names)} : {', '.join(texts)}" if names else "stablehlo.return"


def cond(cx: Context, params: CondParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    index, *rest = operands
    branches = params.branches
    io = threaded(cx, branches)
    is_bool = equation.inputs[0].type.dtype is BOOL
    regions = [region(cx, branch, rest, io) for branch in (reversed(branches) if is_bool else branches)]
    body = "\n}, {\n".join(["\n".join(lines) for lines in regions])
    spelling = "if" if is_bool else "case"
    source = cx.type(equation.inputs[0].type)
    targets = with_token(cx, io, (), branches[0].result_types)[1]
    text = f'"stablehlo.{spelling}"({index}) ({{\n{body}\n}}) : ({source}) -> ({", ".join(targets)})'
    return past_token(cx, io, cx.emit_many(text, len(targets)))


# --- loops ------------------------------------------------------------------------------------------------


Step = Callable[[Context, list[str]], Sequence[str]]
"""Writes what happens to the carried values, given their names, and names the new ones."""


def loop(
    cx: Context, io: bool, initial: Sequence[str], types: Sequence[Tensor], test: Step, step: Step
) -> Sequence[str]:
    """A `while` over carried values. `test` names one bool. What else its regions use they see from outside."""
    names, texts = with_token(cx, io, initial, types)
    check, update = (
        _block(cx, io, texts, test, (Tensor(BOOL),), False),
        _block(cx, io, texts, step, types, io),
    )
    signature = ", ".join(texts)
    regions = f"({{\n{check}\n}}, {{\n{update}\n}})"
    text = f'"stablehlo.while"({", ".join(names)}) {regions} : ({signature}) -> ({signature})'
    return past_token(cx, io, cx.emit_many(text, len(texts)))


def _block(
    cx: Context, io: bool, texts: Sequence[str], write: Step, types: Sequence[Tensor], gives_token: bool
) -> str:
    inner = cx.child()
    names = [inner.fresh() for _ in texts]
    header = ", ".join([f"{name}: {text}" for name, text in zip(names, texts, strict=True)])
    results = write(inner, [*past_token(inner, io, names)])
    return "\n".join([f"^bb0({header}):", *inner.lines, give(inner, gives_token, results, types)])


def scan(cx: Context, params: ScanParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A loop over a position, the carry and the stacked outputs, which are written in place."""
    return Scan(cx, params, equation, operands).write()


class Scan:
    """One `scan` being written."""

    def __init__(self, cx: Context, params: ScanParams, equation: Equation, operands: list[str]) -> None:
        self.cx = cx
        self.params = params
        self.xs_types = [x.type for x in equation.inputs[params.consts + params.carry :]]
        self.types = [y.type for y in equation.outputs]
        self.consts = operands[: params.consts]
        self.initial = operands[params.consts : params.consts + params.carry]
        self.xs = operands[params.consts + params.carry :]
        self.io = threaded(cx, (params.body,))

    def write(self) -> Sequence[str]:
        cx, length, unroll = self.cx, self.params.length, max(self.params.unroll, 1)
        state = [*self.initial, *[cx.constant(0, t) for t in self.types[self.params.carry :]]]
        looped = length - length % unroll if length > unroll else 0
        if looped:
            position = cx.constant(0, INDEX)
            _, *state = loop(
                cx, self.io, [position, *state], [INDEX, *self.types], self._test(looped), self._steps(unroll)
            )
        for done in range(looped, length):
            state = self._step(cx, cx.constant(done, INDEX), state)
        return state

    def _test(self, end: int) -> Step:
        return lambda cx, names: (comparison(cx, "lt", names[0], cx.constant(end, INDEX), INDEX),)

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
            last = cx.constant(params.length - 1, INDEX)
            position = cx.emit(f"stablehlo.subtract {last}, {position} : {cx.type(INDEX)}")
        slices = [row(cx, x, t, position) for x, t in zip(self.xs, self.xs_types, strict=True)]
        carry, stacked = state[: params.carry], state[params.carry :]
        results = cx.module.inline(cx, params.body, [*self.consts, *carry, *slices])
        outs = zip(stacked, results[params.carry :], self.types[params.carry :], strict=True)
        return [*results[: params.carry], *[with_row(cx, y, out, t, position) for y, out, t in outs]]


def _places(cx: Context, type: Tensor, position: str) -> tuple[str, str]:
    """Names and types of the indices of a row: its position, then zeros."""
    zeros = [cx.constant(0, INDEX)] * (type.rank - 1)
    return ", ".join([position, *zeros]), ", ".join([cx.type(INDEX)] * type.rank)


def row(cx: Context, x: str, type: Tensor, position: str) -> str:
    """`x[position]`."""
    names, indices = _places(cx, type, position)
    sizes, part = (1, *type.shape[1:]), cx.type(Tensor(type.dtype, (1, *type.shape[1:])))
    cut = cx.emit(
        f"stablehlo.dynamic_slice {x}, {names}, sizes = {listed(sizes)} : ({cx.type(type)}, {indices}) -> {part}"
    )
    return cx.emit(f"stablehlo.reshape {cut} : ({part}) -> {cx.type(Tensor(type.dtype, type.shape[1:]))}")


def with_row(cx: Context, x: str, value: str, type: Tensor, position: str) -> str:
    """`x` with `value` at `position`."""
    names, indices = _places(cx, type, position)
    whole, part = cx.type(type), cx.type(Tensor(type.dtype, (1, *type.shape[1:])))
    lifted = cx.emit(f"stablehlo.reshape {value} : ({cx.type(Tensor(type.dtype, type.shape[1:]))}) -> {part}")
    return cx.emit(
        f"stablehlo.dynamic_update_slice {x}, {lifted}, {names} : ({whole}, {part}, {indices}) -> {whole}"
    )
