"""Elements by their rank, without sorting the lines.

Between the elements of two ranks there is an integer in the order of the values: as many elements are below it as come
first. It is found bit by bit, and each bit takes one pass that counts, over words of 32 bits. A line is done when the
count is right, or when all that is left between the bounds is equal. Then places among equals are found in the same
way. The passes over long lines go over the rows of blocks first, since XLA vectorises all axes but the last.
Read next: `keys`, `sort`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsl.ir.function import Equation, Tensor
from dsl.ir.op import NoParams
from dsl.ops.extent import PadParams
from dsl.types.dtype import BOOL, F64, I32, I64, DType
from lowering.stablehlo.context import Context
from lowering.stablehlo.control import loop
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert
from lowering.stablehlo.extent import emit_pad
from lowering.stablehlo.index import emit_along
from lowering.stablehlo.keys import FIRST, HALF, LAST, LOWEST, key_of, value_of
from lowering.stablehlo.layout import emit_broadcast, emit_reshape
from lowering.stablehlo.reduce import emit_reduce
from lowering.stablehlo.sort import emit_order

FEW = 24
"""Lines of up to so many elements are sorted."""

LITTLE = 2048
"""So are lines of up to so many elements in all."""


def ranked(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = equation.inputs[0].type, equation.inputs[1].type
    x, rank = operands
    if source.size == 0:
        return [cx.constant(0, y.type) for y in equation.outputs]
    last = cx.constant(source.shape[-1] - 1, target)
    rank = cx.emit(f"stablehlo.clamp {cx.constant(0, target)}, {rank}, {last} : {cx.type(target)}")
    if source.shape[-1] <= FEW or source.size <= LITTLE:
        return _sorted(cx, x, rank, source, target)
    return Selection(cx, x, rank, source).results()


def _sorted(cx: Context, x: str, rank: str, source: Tensor, target: Tensor) -> list[str]:
    order, axis = emit_order(cx, x, source), source.rank - 1
    one = (*target.shape, 1)
    after = emit_binary(cx, "add", rank, cx.constant(1, target), target)
    after = emit_binary(cx, "minimum", after, cx.constant(source.shape[-1] - 1, target), target)
    values, places = [], []
    for each in (rank, after):
        at = emit_reshape(cx, each, target, Tensor(I32, one))
        place = emit_along(cx, order, Tensor(I32, source.shape), at, one, axis)
        value = emit_along(cx, x, source, place, one, axis)
        values.append(emit_reshape(cx, value, Tensor(source.dtype, one), Tensor(source.dtype, target.shape)))
        places.append(emit_reshape(cx, place, Tensor(I32, one), target))
    return [*values, *places]


def _block(size: int) -> int:
    """The length of the rows of a block: a divisor of a line, if it has one."""
    some = [b for b in range(64, 7, -8) if size % b == 0 and size >= 4 * b]
    return next(iter(some), 64 if size >= 512 else 16)


@dataclass(frozen=True)
class Bounds:
    """The state of the search in each line: the separating integer lies in (low, high], `below` elements are under low,
    and it is `cut` where `done`."""

    low: str
    high: str
    below: str
    done: str
    cut: str


class Selection:
    """The search in one array, cut into blocks [*lines, rows, block]."""

    def __init__(self, cx: Context, x: str, rank: str, source: Tensor) -> None:
        self.cx, self.rank, self.source = cx, rank, source
        self.lines = source.shape[:-1]
        self.size = source.shape[-1]
        block = _block(self.size)
        rows = -(-self.size // block)
        self.shape = (*self.lines, rows, block)
        self.wide = source.dtype is F64
        self.dtype: DType = I64 if self.wide else I32
        self.key = self._blocks(key_of(cx, x, source), rows * block)

    def _blocks(self, key: str, length: int) -> str:
        """The keys in blocks; what is filled up comes last."""
        cx, type = self.cx, Tensor(self.dtype, self.source.shape)
        if length != self.size:
            padded, none = Tensor(self.dtype, (*self.lines, length)), (0,) * (len(self.lines) + 1)
            fill = cx.constant(LAST[self.dtype], Tensor(self.dtype))
            params = PadParams(none, (*none[1:], length - self.size), none)
            key = emit_pad(cx, key, fill, params, type, padded)
            type = padded
        return emit_reshape(cx, key, type, self._all(self.dtype))

    # --- types and small steps ---

    def _all(self, dtype: DType) -> Tensor:
        return Tensor(dtype, self.shape)

    def _each(self, dtype: DType) -> Tensor:
        return Tensor(dtype, self.lines)

    def _spread(self, cx: Context, x: str, dtype: DType) -> str:
        """A number of each line at all its elements."""
        return emit_broadcast(cx, x, range(len(self.lines)), self._each(dtype), self._all(dtype))

    def _extreme(self, cx: Context, spelling: str, x: str, dtype: DType) -> str:
        """The extreme of each line. XLA would make one reduction of two by the same operation."""
        other, rank = ("maximum" if spelling == "minimum" else "minimum"), len(self.lines)
        first, last = (FIRST[dtype], LAST[dtype]) if spelling == "maximum" else (LAST[dtype], FIRST[dtype])
        row = Tensor(dtype, (*self.lines, self.shape[-1]))
        found = emit_reduce(cx, spelling, first, x, self._all(dtype), row, (rank,))
        turned = cx.emit(f"stablehlo.not {found} : {cx.type(row)}")
        turned = emit_reduce(cx, other, last, turned, row, self._each(dtype), (rank,))
        return cx.emit(f"stablehlo.not {turned} : {cx.type(self._each(dtype))}")

    def _count(self, cx: Context, flags: str) -> str:
        """Return how many flags of each line are set."""
        rank, narrow = len(self.lines), Tensor(I32, (*self.lines, self.shape[-1]))
        ones = emit_convert(cx, flags, self._all(BOOL), self._all(I32))
        counts = emit_reduce(cx, "add", 0, ones, self._all(I32), narrow, (rank,))
        wide = Tensor(I64, narrow.shape)
        counts = emit_convert(cx, counts, narrow, wide)
        total = emit_reduce(cx, "add", 0, counts, wide, self._each(I64), (rank,))
        return emit_convert(cx, total, self._each(I64), self._each(I32))

    def _pick(self, cx: Context, flag: str, x: str, y: str, dtype: DType) -> str:
        return choice(cx, flag, x, y, self._each(BOOL), self._each(dtype))

    def _where(self, cx: Context, flags: str, x: str, other: int, dtype: DType) -> str:
        return choice(cx, flags, x, cx.constant(other, self._all(dtype)), self._all(BOOL), self._all(dtype))

    def _logic(self, cx: Context, spelling: str, x: str, y: str) -> str:
        return emit_binary(cx, spelling, x, y, self._each(BOOL))

    # --- the search ---

    def search(self, word: str, target: str, bounds: Bounds) -> Bounds:
        """Bounds that are `done`, or whose ends are equal. The number under the cut is `target`."""
        types = [self._each(dtype) for dtype in (I32, I32, I32, BOOL, I32)]
        start = [bounds.low, bounds.high, bounds.below, bounds.done, bounds.cut]

        def test(cx: Context, names: list[str]) -> Sequence[str]:
            return (self._any(cx, self._open(cx, Bounds(*names))),)

        def step(cx: Context, names: list[str]) -> Sequence[str]:
            return self._halved(cx, word, target, Bounds(*names))

        return Bounds(*loop(self.cx, False, start, types, test, step))

    def _any(self, cx: Context, flags: str) -> str:
        axes = tuple(range(len(self.lines)))
        return emit_reduce(cx, "or", False, flags, self._each(BOOL), Tensor(BOOL), axes) if axes else flags

    def _open(self, cx: Context, bounds: Bounds) -> str:
        apart = comparison(cx, "lt", bounds.low, bounds.high, self._each(I32))
        more = cx.emit(f"stablehlo.not {bounds.done} : {cx.type(self._each(BOOL))}")
        return self._logic(cx, "and", apart, more)

    def _halved(self, cx: Context, word: str, target: str, old: Bounds) -> list[str]:
        number = self._each(I32)
        middle = _middle(cx, old.low, old.high, number)
        below = comparison(cx, "lt", word, self._spread(cx, middle, I32), self._all(I32))
        count = self._count(cx, below)
        is_open = self._open(cx, old)
        less, more, same = [
            self._logic(cx, "and", is_open, comparison(cx, way, count, target, number)) for way in ("lt", "gt", "eq")
        ]
        under = emit_binary(cx, "subtract", middle, cx.constant(1, number), number)
        return [
            self._pick(cx, less, middle, old.low, I32),
            self._pick(cx, more, under, old.high, I32),
            self._pick(cx, less, count, old.below, I32),
            self._logic(cx, "or", old.done, same),
            self._pick(cx, same, middle, old.cut, I32),
        ]

    def _started(self, word: str, flags: str | None, done: str | None) -> Bounds:
        """The ends of a word, among the elements that are flagged; nothing to do where it is done already."""
        cx, number = self.cx, self._each(I32)
        zero, no = cx.constant(0, number), cx.constant(False, self._each(BOOL))
        least, most = (
            self._extreme(cx, spelling, self._where(cx, flags, word, end, I32) if flags else word, I32)
            for spelling, end in (("minimum", LAST[I32]), ("maximum", FIRST[I32]))
        )
        if done:
            least, most = (self._pick(cx, done, zero, end, I32) for end in (least, most))
        return Bounds(least, most, zero, no, zero)

    def results(self) -> list[str]:
        cx, number = self.cx, self._each(I32)
        target = emit_binary(cx, "add", self.rank, cx.constant(1, number), number)
        found, cut, before = self._wide(target) if self.wide else self._narrow(target)
        inside = comparison(cx, "lt", self.key, self._spread(cx, cut, self.dtype), self._all(self.dtype))
        outside = cx.emit(f"stablehlo.not {inside} : {cx.type(self._all(BOOL))}")
        below = self._where(cx, inside, self.key, FIRST[self.dtype], self.dtype)
        above = self._where(cx, outside, self.key, LAST[self.dtype], self.dtype)
        first = self._extreme(cx, "maximum", below, self.dtype)
        second = self._extreme(cx, "minimum", above, self.dtype)
        first = self._pick(cx, found, first, cut, self.dtype)
        is_last = comparison(cx, "eq", self.rank, cx.constant(self.size - 1, number), number)
        second = self._pick(cx, is_last, first, second, self.dtype)
        places = self._places(found, first, second, before, is_last)
        values = [value_of(cx, key, Tensor(self.source.dtype, self.lines)) for key in (first, second)]
        return [*values, *places]

    def _narrow(self, target: str) -> tuple[str, str, str]:
        """Return flags of lines that a cut separates, the cut or what both equal, and the number under the bounds."""
        bounds = self.search(self.key, target, self._started(self.key, None, None))
        return bounds.done, self._pick(self.cx, bounds.done, bounds.cut, bounds.low, I32), bounds.below

    def _wide(self, target: str) -> tuple[str, str, str]:
        """Return the same for keys of two words: first by the upper one, then by the lower one among equals in it."""
        cx, number = self.cx, self._each(I32)
        upper, lower = self._words()
        first = self.search(upper, target, self._started(upper, None, None))
        same = comparison(cx, "eq", upper, self._spread(cx, first.low, I32), self._all(I32))
        word = self._where(cx, same, lower, LAST[I32], I32)
        left = emit_binary(cx, "subtract", target, first.below, number)
        second = self.search(word, left, self._started(lower, same, first.done))
        high = self._pick(cx, first.done, first.cut, first.low, I32)
        low = self._pick(cx, second.done, second.cut, second.low, I32)
        low = self._pick(cx, first.done, cx.constant(LOWEST, number), low, I32)
        before = emit_binary(cx, "add", first.below, second.below, number)
        return self._logic(cx, "or", first.done, second.done), self._joined(high, low), before

    def _words(self) -> tuple[str, str]:
        cx, type = self.cx, self._all(I64)
        upper = emit_binary(cx, "shift_right_arithmetic", self.key, cx.constant(HALF, type), type)
        lower = emit_binary(cx, "xor", self.key, cx.constant(1 << (HALF - 1), type), type)
        first, second = (emit_convert(cx, each, type, self._all(I32)) for each in (upper, lower))
        return first, second

    def _joined(self, high: str, low: str) -> str:
        cx, type = self.cx, self._each(I64)
        high, low = (emit_convert(cx, each, self._each(I32), type) for each in (high, low))
        upper = emit_binary(cx, "shift_left", high, cx.constant(HALF, type), type)
        return emit_binary(cx, "add", upper, emit_binary(cx, "subtract", low, cx.constant(LOWEST, type), type), type)

    # --- places among equals ---

    def _positions(self, cx: Context) -> str:
        rows, block = self.shape[-2:]
        flat = Tensor(I32, (*self.lines, rows * block))
        counted = cx.emit(f"stablehlo.iota dim = {len(self.lines)} : {cx.type(flat)}")
        return emit_reshape(cx, counted, flat, self._all(I32))

    def _equal(self, cx: Context, key: str) -> str:
        return comparison(cx, "eq", self.key, self._spread(cx, key, self.dtype), self._all(self.dtype))

    def _places(self, found: str, first: str, second: str, before: str, is_last: str) -> list[str]:
        """The last of the elements that are `first` and the first that is `second`; or neighbours among equals."""
        cx, number = self.cx, self._each(I32)
        positions, equal = self._positions(cx), self._equal(cx, first)
        last = self._extreme(cx, "maximum", self._where(cx, equal, positions, -1, I32), I32)
        place = self._pick(cx, found, last, self._among(equal, found, before), I32)
        behind = comparison(cx, "gt", positions, self._spread(cx, place, I32), self._all(I32))
        apart = self._spread(cx, found, BOOL)
        behind = emit_binary(cx, "or", behind, apart, self._all(BOOL))
        wanted = emit_binary(cx, "and", self._equal(cx, second), behind, self._all(BOOL))
        end = self.size - 1
        after = self._extreme(cx, "minimum", self._where(cx, wanted, positions, end, I32), I32)
        after = self._pick(cx, is_last, place, after, I32)
        return [emit_binary(cx, "minimum", each, cx.constant(end, number), number) for each in (place, after)]

    def _among(self, equal: str, found: str, before: str) -> str:
        """The place of the element that has so many of its equals in front as there are ranks to it."""
        cx, number = self.cx, self._each(I32)
        left = emit_binary(cx, "subtract", self.rank, before, number)
        start, end = cx.constant(0, number), cx.constant(self.size - 1, number)
        end = self._pick(cx, found, start, end, I32)

        def test(cx: Context, names: list[str]) -> Sequence[str]:
            low, high = names
            return (self._any(cx, comparison(cx, "lt", low, high, number)),)

        def step(cx: Context, names: list[str]) -> Sequence[str]:
            low, high = names
            middle = _middle(cx, low, high, number)
            below = comparison(cx, "lt", self._positions(cx), self._spread(cx, middle, I32), self._all(I32))
            count = self._count(cx, emit_binary(cx, "and", equal, below, self._all(BOOL)))
            fits = comparison(cx, "le", count, left, number)
            is_open = comparison(cx, "lt", low, high, number)
            under = emit_binary(cx, "subtract", middle, cx.constant(1, number), number)
            lower = self._pick(cx, self._logic(cx, "and", fits, is_open), middle, low, I32)
            over = cx.emit(f"stablehlo.not {fits} : {cx.type(self._each(BOOL))}")
            return lower, self._pick(cx, self._logic(cx, "and", over, is_open), under, high, I32)

        return loop(cx, False, [start, end], [number, number], test, step)[0]


def _middle(cx: Context, low: str, high: str, type: Tensor) -> str:
    """Between low, which it exceeds, and high: without overflow."""
    apart, one = emit_binary(cx, "xor", low, high, type), cx.constant(1, type)
    both = emit_binary(cx, "and", low, high, type)
    half = emit_binary(cx, "shift_right_arithmetic", apart, one, type)
    odd = emit_binary(cx, "and", apart, one, type)
    return emit_binary(cx, "add", emit_binary(cx, "add", both, half, type), odd, type)
