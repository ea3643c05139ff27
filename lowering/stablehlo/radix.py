"""Sorts of integers on CPUs by their digits, the least significant first.

Each pass adds up how often the digits occur, and moves each element behind those of smaller digits and those before it
of the same. Meanwhile it counts the next digits. Digits that all elements of a line have in common are passed over: a
line of small integers takes fewer passes.

XLA makes one function of the loops over single elements, as long as it copies nothing. It copies an array that is read
after it is written to, unless what is written follows from what is read. So a line lies in one half of an array, and is
moved to the other: an element is read after the one before is written. Read next: `sort`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dsl.ir.function import Tensor
from dsl.ops.extent import PadParams
from dsl.types.dtype import I32, I64, U32, U64, Kind
from lowering.stablehlo.context import Context
from lowering.stablehlo.control import Step, loop
from lowering.stablehlo.elementwise import comparison, emit_binary, emit_convert
from lowering.stablehlo.extent import emit_corner, emit_pad, emit_replaced
from lowering.stablehlo.layout import as_lines, emit_reshape, emit_transpose, permuted
from lowering.stablehlo.types import format_list

ENOUGH, LINE = 1 << 13, 8
"""The elements from which that pays, and those of a line for each bit of a key."""

LONG = 1 << 12
"""The elements of a line from which digits are long."""

SHORT_DIGIT, LONG_DIGIT = 8, 11

GROUP = 4
"""The elements that a step of a loop moves."""

MOST = 1 << 30
"""Places in an array of two halves are numbers of 32 bits; without a sign, since XLA asks whether one is negative."""

INDEX = Tensor(U32)

_SIGNED = MappingProxyType({U32: I32, U64: I64})


def suits(cx: Context, keys: Sequence[Tensor], axis: int) -> bool:
    """Return whether arrays of one shape are sorted so along an axis by these."""
    alone, length, bits = cx.is_for_cpu and not cx.module.mesh, keys[0].shape[axis], [key.dtype.bits for key in keys]
    return alone and length >= LINE * max(*bits, U32.bits) and ENOUGH <= keys[0].size < MOST


def emit_radix_sort(cx: Context, x: str, type: Tensor, axis: int, first: int = 0) -> str:
    """Integers or truth values in ascending order, by their bits from `first` on; equals keep their order."""
    number, lines = _number(type), _Lines(cx, type, axis)
    found = _sorted(cx, lines.apart(_unsigned(cx, x, type, number)), lines.rows, first)
    return _signed(cx, lines.together(found), number, type)


# --- numbers without a sign -------------------------------------------------------------------------------


def _number(type: Tensor) -> Tensor:
    return Tensor(U64 if type.dtype.bits > U32.bits else U32, type.shape)


def _unsigned(cx: Context, x: str, type: Tensor, target: Tensor) -> str:
    """Numbers without a sign, in the order of the integers and of no more bits."""
    if type.dtype.kind is not Kind.SIGNED:
        return emit_convert(cx, x, type, target)
    wide = Tensor(_SIGNED[target.dtype], type.shape)
    raw = emit_convert(cx, x, type, wide)
    raw = cx.emit(f"stablehlo.bitcast_convert {raw} : ({cx.type(wide)}) -> {cx.type(target)}")
    return emit_binary(cx, "add", raw, cx.constant(_below_zero(type), target), target)


def _signed(cx: Context, x: str, source: Tensor, type: Tensor) -> str:
    """The integers that `_unsigned` made numbers of."""
    if type.dtype.kind is not Kind.SIGNED:
        return emit_convert(cx, x, source, type)
    wide = Tensor(_SIGNED[source.dtype], type.shape)
    x = emit_binary(cx, "subtract", x, cx.constant(_below_zero(type), source), source)
    raw = cx.emit(f"stablehlo.bitcast_convert {x} : ({cx.type(source)}) -> {cx.type(wide)}")
    return emit_convert(cx, raw, wide, type)


def _below_zero(type: Tensor) -> int:
    """How many integers are negative."""
    return 1 << (type.dtype.bits - 1)


# --- lines ------------------------------------------------------------------------------------------------


class _Lines:
    """The lines of an array along an axis as rows of numbers, whose length is a multiple of a group."""

    def __init__(self, cx: Context, type: Tensor, axis: int) -> None:
        self.cx = cx
        self.last = (1 << type.dtype.bits) - 1
        self.type = _number(type)
        self.split = as_lines(self.type, axis)
        before, length, after = self.split.shape
        self.short = Tensor(self.type.dtype, (before * after, length))
        self.rows = Tensor(self.type.dtype, (before * after, -(-length // GROUP) * GROUP))

    def apart(self, x: str) -> str:
        cx, short = self.cx, self.short
        x = emit_transpose(cx, emit_reshape(cx, x, self.type, self.split), (0, 2, 1), self.split)
        x = emit_reshape(cx, x, permuted(self.split, (0, 2, 1)), short)
        behind = PadParams((0, 0), (0, self.rows.shape[1] - short.shape[1]), (0, 0))
        return emit_pad(cx, x, cx.constant(self.last, Tensor(short.dtype)), behind, short, self.rows)

    def together(self, x: str) -> str:
        cx, turned = self.cx, permuted(self.split, (0, 2, 1))
        x = emit_reshape(cx, emit_corner(cx, x, self.rows, self.short), self.short, turned)
        return emit_reshape(cx, emit_transpose(cx, x, (0, 2, 1), turned), self.split, self.type)


def _sorted(cx: Context, x: str, rows: Tensor, first: int) -> str:
    """Each row in order."""
    count, length = rows.shape
    flat, each = Tensor(rows.dtype, (count * length,)), _Row(Tensor(rows.dtype, (length,)), first)
    x = emit_reshape(cx, x, rows, flat)
    if count == 1:
        return emit_reshape(cx, each.ordered(cx, x), flat, rows)

    def step(cx: Context, names: list[str]) -> Sequence[str]:
        place, found = names
        part = each.ordered(cx, _read(cx, x, flat, place, length))
        return [_plus(cx, place, length), _write(cx, found, flat, part, place, length)]

    start = [cx.constant(0, INDEX), cx.constant(0, flat)]
    found = loop(cx, False, start, [INDEX, flat], _until(count * length), step)[1]
    return emit_reshape(cx, found, flat, rows)


@dataclass(frozen=True)
class _Row:
    """How a row of numbers is put in order by their bits from `first` on. It lies in one half of an array, the memory,
    and a pass moves it to the other half. A digit begins at the bit `shift`."""

    type: Tensor
    first: int

    @property
    def length(self) -> int:
        return self.type.shape[0]

    @property
    def number(self) -> Tensor:
        return Tensor(self.type.dtype)

    @property
    def memory(self) -> Tensor:
        return Tensor(self.type.dtype, (2 * self.length,))

    @property
    def bits(self) -> int:
        return LONG_DIGIT if self.length >= LONG else SHORT_DIGIT

    @property
    def counts(self) -> Tensor:
        return Tensor(INDEX.dtype, (1 << self.bits,))

    def ordered(self, cx: Context, x: str) -> str:
        """The row after a pass for each digit that differs in it."""
        number, size, bits = self.number, self.length, self.type.dtype.bits
        memory = emit_pad(cx, x, cx.constant(0, number), PadParams((0,), (size,), (0,)), self.type, self.memory)
        different, counts = self._different(cx, memory)

        def is_open(cx: Context, names: list[str]) -> Sequence[str]:
            return (comparison(cx, "lt", names[0], cx.constant(bits, number), number),)

        def step(cx: Context, names: list[str]) -> Sequence[str]:
            shift, half, counts, memory = names
            after = self._next(cx, different, shift)
            other = emit_binary(cx, "subtract", cx.constant(size, INDEX), half, INDEX)
            return [after, other, *self._moved(cx, (half, other), (shift, after), self._below(cx, counts), memory)]

        start = [cx.constant(self.first, number), cx.constant(0, INDEX), counts, memory]
        _, half, _, memory = loop(cx, False, start, [number, INDEX, self.counts, self.memory], is_open, step)
        return _read(cx, memory, self.memory, half, size)

    def _different(self, cx: Context, memory: str) -> tuple[str, str]:
        """The bits that are not the same in all keys of the first half, and how often each first digit occurs."""
        number = self.number
        first, shift = _element(cx, memory, self.memory, cx.constant(0, INDEX)), cx.constant(self.first, number)

        def step(cx: Context, names: list[str]) -> Sequence[str]:
            place, different, counts = names
            for k in range(GROUP):
                key = _element(cx, memory, self.memory, _plus(cx, place, k))
                different = emit_binary(cx, "or", different, emit_binary(cx, "xor", first, key, number), number)
                counts = self._counted(cx, counts, self._digit(cx, key, shift))
            return [_plus(cx, place, GROUP), different, counts]

        start = [cx.constant(0, INDEX), cx.constant(0, number), cx.constant(0, self.counts)]
        _, different, counts = loop(cx, False, start, [INDEX, number, self.counts], _until(self.length), step)
        return different, counts

    def _next(self, cx: Context, different: str, shift: str) -> str:
        """The first bit behind a digit that differs; where none does, all bits are passed."""
        number = self.number
        behind = emit_binary(cx, "add", shift, cx.constant(self.bits, number), number)
        left = emit_binary(cx, "shift_right_logical", different, behind, number)
        below = emit_binary(cx, "subtract", left, cx.constant(1, number), number)
        zeros = emit_binary(cx, "and", cx.emit(f"stablehlo.not {left} : {cx.type(number)}"), below, number)
        return emit_binary(cx, "add", behind, cx.emit(f"stablehlo.popcnt {zeros} : {cx.type(number)}"), number)

    def _digit(self, cx: Context, key: str, shift: str) -> str:
        """The digit of a key at a bit. XLA asks of a shift whether it leaves any bits, unless it is seen to do so. The
        digit behind the last one nobody reads."""
        number, mask = self.number, cx.constant((1 << self.bits) - 1, self.number)
        shift = emit_binary(cx, "and", shift, cx.constant(number.dtype.bits - 1, number), number)
        digit = emit_binary(cx, "and", emit_binary(cx, "shift_right_logical", key, shift, number), mask, number)
        return emit_convert(cx, digit, number, INDEX)

    def _counted(self, cx: Context, counts: str, digit: str) -> str:
        more = _plus(cx, _element(cx, counts, self.counts, digit), 1)
        return _with_element(cx, counts, self.counts, digit, more)

    def _below(self, cx: Context, counts: str) -> str:
        """How many keys have a smaller digit than each."""

        def step(cx: Context, names: list[str]) -> Sequence[str]:
            place, total, below = names
            for k in range(GROUP):
                digit = _plus(cx, place, k)
                below = _with_element(cx, below, self.counts, digit, total)
                total = emit_binary(cx, "add", total, _element(cx, counts, self.counts, digit), INDEX)
            return [_plus(cx, place, GROUP), total, below]

        start = [cx.constant(0, INDEX), cx.constant(0, INDEX), cx.constant(0, self.counts)]
        return loop(cx, False, start, [INDEX, INDEX, self.counts], _until(self.counts.shape[0]), step)[2]

    def _moved(
        self, cx: Context, halves: tuple[str, str], shifts: tuple[str, str], below: str, memory: str
    ) -> Sequence[str]:
        """How often each next digit occurs, and the memory after all keys have been moved by this one."""

        def step(cx: Context, names: list[str]) -> Sequence[str]:
            place, below, counts, memory = names
            for k in range(GROUP):
                source = emit_binary(cx, "add", halves[0], _plus(cx, place, k), INDEX)
                element = _element(cx, memory, self.memory, source)
                digit, after = [self._digit(cx, element, shift) for shift in shifts]
                counts, below = self._counted(cx, counts, after), self._counted(cx, below, digit)
                goal = emit_binary(cx, "add", halves[1], _element(cx, below, self.counts, digit), INDEX)
                target = emit_binary(cx, "subtract", goal, cx.constant(1, INDEX), INDEX)
                memory = _with_element(cx, memory, self.memory, target, element)
            return [_plus(cx, place, GROUP), below, counts, memory]

        start = [cx.constant(0, INDEX), below, cx.constant(0, self.counts), memory]
        types = [INDEX, self.counts, self.counts, self.memory]
        return loop(cx, False, start, types, _until(self.length), step)[2:]


# --- elements ---------------------------------------------------------------------------------------------


def _until(end: int) -> Step:
    """A test whether the first value that a loop carries is below an end."""
    return lambda cx, names: (comparison(cx, "lt", names[0], cx.constant(end, INDEX), INDEX),)


def _plus(cx: Context, x: str, number: int) -> str:
    return emit_binary(cx, "add", x, cx.constant(number, INDEX), INDEX) if number else x


def _read(cx: Context, x: str, type: Tensor, place: str, count: int) -> str:
    part = Tensor(type.dtype, (count,))
    signature = f"({cx.type(type)}, {cx.type(INDEX)}) -> {cx.type(part)}"
    return cx.emit(f"stablehlo.dynamic_slice {x}, {place}, sizes = {format_list(part.shape)} : {signature}")


def _write(cx: Context, x: str, type: Tensor, part: str, place: str, count: int) -> str:
    return emit_replaced(cx, x, part, [place], type, Tensor(type.dtype, (count,)), INDEX)


def _element(cx: Context, x: str, type: Tensor, place: str) -> str:
    return emit_reshape(cx, _read(cx, x, type, place, 1), Tensor(type.dtype, (1,)), Tensor(type.dtype))


def _with_element(cx: Context, x: str, type: Tensor, place: str, element: str) -> str:
    return _write(cx, x, type, emit_reshape(cx, element, Tensor(type.dtype), Tensor(type.dtype, (1,))), place, 1)
