"""A whole function as a StableHLO module: `lower(function)` gives text that XLA compiles.

Knows nothing of any op: `registry` says which rule writes which. Read next: `context`, then one family.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dsl.ir.function import Equation, Function, Tensor, Var
from dsl.types.process_settings import paused_collector
from lowering.stablehlo.context import TOKEN, Callback, Context, Locations
from lowering.stablehlo.registry import RULES


@dataclass(frozen=True, slots=True)
class Lowered:
    """StableHLO text of a function, the types at its boundary, the host callbacks it makes by index, and the
    numbers of the parameters whose buffers it takes."""

    name: str
    text: str
    param_types: tuple[Tensor, ...]
    result_types: tuple[Tensor, ...]
    callbacks: tuple[Callback, ...] = ()
    donated: tuple[int, ...] = ()


def lower(function: Function, *, locations: bool = True, donate: Collection[int] = ()) -> Lowered:
    """Writes `function` as a module with one public `@main`.

    `locations` gives every operation its source place. The buffers of the parameters numbered in `donate` may
    be reused by the results: the caller gives them up.
    """
    with paused_collector():
        return _lower(function, locations, donate)


def _lower(function: Function, locations: bool, donate: Collection[int]) -> Lowered:
    writer = Writer(Locations() if locations else None)
    main = writer.function(function, "main", "public", donate)
    lines = ["module @main {", *writer.text(main), "}"]
    if writer.locations is not None:
        lines += writer.locations.definitions()
    lines.append("")
    callbacks = tuple(writer.callbacks)
    types = function.param_types, function.result_types
    return Lowered(function.name, "\n".join(lines), *types, callbacks, tuple(sorted(donate)))


class Writer:
    """One module being written: private functions, callbacks and source places, shared by all its bodies."""

    def __init__(self, locations: Locations | None) -> None:
        self.locations = locations
        self.callbacks: list[Callback] = []
        self._privates: dict[Function, str] = {}
        self._private_lines: list[str] = []
        self._io: dict[Function, bool] = {}
        self._numbers: dict[Equation, int] = {}

    def text(self, main: Sequence[str]) -> list[str]:
        return [*main, *self._private_lines]

    def function(self, function: Function, name: str, visibility: str, donate: Collection[int]) -> list[str]:
        """The lines of one function. A private one that prints takes a token first and gives one first."""
        cx = Context(self, self.locations)
        io = self.has_io(function)
        threaded = io and visibility == "private"
        operands, header = [], []
        for number, type in enumerate(function.param_types):
            attribute = " {jax.buffer_donor = true}" if number in donate else ""
            operands.append(f"%a{number}")
            header.append(f"%a{number}: {cx.type(type)}{attribute}")
        if io:
            cx.token = "%token" if threaded else cx.emit(f"stablehlo.create_token : {TOKEN}")
        results = list(self.inline(cx, function, operands))
        types = [cx.type(t) for t in function.result_types]
        if threaded:
            header, types, results = [f"%token: {TOKEN}", *header], [TOKEN, *types], [str(cx.token), *results]
        end = f"return {', '.join(results)} : {', '.join(types)}" if types else "return"
        opening = f"func.func {visibility} @{name}({', '.join(header)}) -> ({', '.join(types)}) {{"
        return [opening, *cx.lines, end, "}"]

    def inline(self, cx: Context, body: Function, operands: Sequence[str]) -> tuple[str, ...]:
        names = cx.names
        for param, operand in zip(body.params, operands, strict=True):
            names[param] = operand
        locations, rules, operand_of = self.locations, RULES, cx.operand
        for equation in body.equations:
            span = equation.span
            if locations is not None:
                cx.where = "" if span is None else locations.suffix(span)
            inputs = [names[x] if type(x) is Var else operand_of(x) for x in equation.inputs]
            results = rules[equation.op.name](cx, equation.params, equation, inputs)
            names.update(zip(equation.outputs, results, strict=True))
        return tuple([operand_of(atom) for atom in body.results])

    def private(self, body: Function) -> str:
        name = self._privates.get(body)
        if name is None:
            name = self._privates[body] = f"f{len(self._privates)}"
            self._private_lines += self.function(body, name, "private", ())
        return name

    def callback(self, equation: Equation) -> int:
        number = self._numbers.get(equation)
        if number is None:
            number = self._numbers[equation] = len(self.callbacks)
            self.callbacks.append(Callback(equation, tuple([x.type for x in equation.inputs])))
        return number

    def has_io(self, body: Function) -> bool:
        known = self._io.get(body)
        if known is None:
            known = self._io[body] = any(map(self._prints, body.equations))
        return known

    def _prints(self, equation: Equation) -> bool:
        bodies = getattr(equation.op, "bodies", None)
        if bodies is not None:
            return any(map(self.has_io, bodies(equation.params)))
        return getattr(equation.op, "effect", None) == "io"
