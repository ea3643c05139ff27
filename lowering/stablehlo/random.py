"""The Threefry-2x32 cipher of 20 rounds, in five groups of four.

Bits that a draw uses are written out, about a hundred operations that XLA merges with what the draw makes of them. A
cipher whose results are keys is a loop of five steps on a CPU: its compiler would else merge it into each cipher that
its keys go into, and theirs into the next, and take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from dsl.ir.function import Equation, Tensor
from dsl.ops.random import PARITY, ROTATIONS, CipherParams
from dsl.types.dtype import U32
from lowering.stablehlo.context import Context
from lowering.stablehlo.control import PREDICATE, loop
from lowering.stablehlo.elementwise import choice, comparison, emit_binary
from lowering.stablehlo.layout import emit_broadcast

GROUPS = 5
WORD = Tensor(U32)
Names: TypeAlias = Sequence[str]


def threefry2x32(cx: Context, params: CipherParams, equation: Equation, operands: list[str]) -> Names:
    type = equation.outputs[0].type
    first, second, x, y = operands
    third = emit_binary(cx, "xor", emit_binary(cx, "xor", first, second, type), cx.constant(PARITY, type), type)
    words = [emit_binary(cx, "add", x, first, type), emit_binary(cx, "add", y, second, type)]
    write = _write_loop if params.keys and cx.is_for_cpu else _write_out
    return write(cx, type, words, [second, third, first])


def _write_out(cx: Context, type: Tensor, words: Names, keys: Names) -> Names:
    for group in range(GROUPS):
        counts = [(cx.constant(n, type), cx.constant(32 - n, type)) for n in ROTATIONS[group % 2]]
        words = _mix(cx, type, words, keys, counts, cx.constant(group + 1, type))
        keys = [*keys[1:], keys[0]]
    return words


def _write_loop(cx: Context, type: Tensor, words: Names, keys: Names) -> Names:
    """The loop carries the number of the group and the words alone. What a group takes of keys and rotations is
    selected by its number: values that changed places in the carry would be copied in each step."""

    def test(inner: Context, names: list[str]) -> Names:
        return (comparison(inner, "lt", names[0], inner.constant(GROUPS, WORD), WORD),)

    def step(inner: Context, names: list[str]) -> Names:
        number, words = names[0], names[1:]
        after = emit_binary(inner, "add", number, inner.constant(1, WORD), WORD)
        odd = _is(inner, emit_binary(inner, "and", number, inner.constant(1, WORD), WORD), 1)
        counts = [_complementary(inner, _either(inner, odd, pair), type) for pair in zip(*ROTATIONS, strict=True)]
        own = [_key_of_group(inner, number, [*keys[k:], *keys[:k]], type) for k in (0, 1)]
        return after, *_mix(inner, type, words, own, counts, _spread(inner, after, type))

    types = [WORD, *[type] * len(words)]
    return loop(cx, False, [cx.constant(0, WORD), *words], types, test, step)[1:]


def _key_of_group(cx: Context, number: str, keys: Names, type: Tensor) -> str:
    """The key of the group: they are taken in turns, and there are five groups of three keys."""
    third = choice(cx, _is(cx, number, 2), keys[2], keys[0], PREDICATE, type)
    for place in (1, 4):
        third = choice(cx, _is(cx, number, place), keys[1], third, PREDICATE, type)
    return third


def _is(cx: Context, number: str, value: int) -> str:
    return comparison(cx, "eq", number, cx.constant(value, WORD), WORD)


def _either(cx: Context, odd: str, pair: tuple[int, int]) -> str:
    even, other = (cx.constant(n, WORD) for n in pair)
    return choice(cx, odd, other, even, PREDICATE, WORD)


def _mix(cx: Context, type: Tensor, words: Names, keys: Names, counts: Sequence[tuple[str, str]], number: str) -> Names:
    """One group of rounds, then the next two keys and the number of the group added. A count of a rotation comes with
    its complement to 32."""
    x, y = words
    for up, down in counts:
        x = emit_binary(cx, "add", x, y, type)
        high, low = emit_binary(cx, "shift_left", y, up, type), emit_binary(cx, "shift_right_logical", y, down, type)
        y = emit_binary(cx, "xor", emit_binary(cx, "or", high, low, type), x, type)
    y = emit_binary(cx, "add", emit_binary(cx, "add", y, keys[1], type), number, type)
    return emit_binary(cx, "add", x, keys[0], type), y


def _complementary(cx: Context, count: str, type: Tensor) -> tuple[str, str]:
    rest = emit_binary(cx, "subtract", cx.constant(32, WORD), count, WORD)
    return _spread(cx, count, type), _spread(cx, rest, type)


def _spread(cx: Context, scalar: str, type: Tensor) -> str:
    return emit_broadcast(cx, scalar, (), WORD, type)
