"""Small results of a program lie together in one buffer, and each array knows its part of it.

The runtime takes a microsecond for each buffer of a result, which is as long as a kernel over a few thousand elements
takes. So a program for one processor writes its small results of one dtype one after another (`packed`). An array among
them is made an array with a buffer of its own where something needs that; NumPy sees the elements where they are, and
a call copies them to the memory that its buffers see (`result_buffers`), those of one run at once. Read next: `array`,
`execute`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from dsl.ir.function import Tensor
from dsl.records import replace
from dsl.types.dtype import DType
from lowering.lowered import CPU, Lowered
from lowering.xla import adapter
from lowering.xla.adapter import Buffer
from lowering.xla.result_buffers import LIMIT, bytes_in, room

if TYPE_CHECKING:
    from lowering.xla.places import Place, PlacedType

NDArray = np.ndarray[Any, Any]

SEVERAL = 4
"""So many small results of one dtype lie together. For fewer, a buffer for each costs no more than to copy them when
they are arguments."""


COPIES = 4
"""So often, in the mean, the parts of a buffer are copied when they are arguments. Then those that are arguments again
get buffers of their own, each of which takes about as long."""


FULL = SEVERAL * LIMIT
"""So many bytes lie together at most: a part that is kept keeps its buffer."""

IN_TURN = 512
"""Kernels over buffers of so many bytes and less XLA computes one after another, in the thread that starts a program.
It divides others among threads if they are more than a few and do not wait for each other, which takes longer than
small kernels do."""

FEW = 8
"""So many kernels XLA computes one after another, whatever their buffers."""

_KERNELS = re.compile(
    r"stablehlo\.(reduce|reduce_window|select_and_scatter|dot|dot_general|convolution|sort|scatter|fft|while|if|case|"
    r"cholesky|triangular_solve|rng\w*|custom_call)\b"
)
"""Operations with kernels of their own. Those that write results in place wait for each other."""


class Pack(Struct, frozen=True):
    """The numbers of results that lie in one buffer of a dtype, where each starts, and its whole size, in bytes."""

    dtype: DType
    results: tuple[int, ...]
    starts: tuple[int, ...]
    size: int

    @property
    def type(self) -> Tensor:
        """Return the type of the buffer."""
        return Tensor(self.dtype, (self.size * 8 // self.dtype.bits,))


def packs_of(lowered: Lowered) -> tuple[Pack, ...]:
    """Return what lies together of the results of a program: nothing but for a single processor, nor where a program
    takes memory over, or calls Python."""
    if lowered.platform != CPU or lowered.devices > 1 or lowered.donated or lowered.callbacks:
        return ()
    found: dict[DType, list[int]] = {}
    for k, type in enumerate(lowered.result_types):
        if room(type):
            found.setdefault(type.dtype, []).append(k)
    small = _are_small([*lowered.param_types, *lowered.result_types])
    most = IN_TURN if small and len(_KERNELS.findall(lowered.text)) >= FEW else FULL
    made = [pack for dtype, numbers in found.items() for pack in _packs(dtype, numbers, lowered.result_types, most)]
    return tuple([pack for pack in made if len(pack.results) >= SEVERAL])


def takes_no_threads(lowered: Lowered, packs: Sequence[Pack]) -> bool:
    """Return whether XLA is sure to compute the kernels of a program one after another."""
    kernels, results = len(_KERNELS.findall(lowered.text)), len(lowered.result_types)
    waits = not kernels and len(packs) == 1 and len(packs[0].results) == results
    small = _are_small([*lowered.param_types, *lowered.result_types, *[pack.type for pack in packs]])
    return small or waits or kernels + results <= FEW


def _are_small(types: Sequence[Tensor]) -> bool:
    return all(bytes_in(type) <= IN_TURN for type in types)


def _packs(dtype: DType, numbers: Sequence[int], types: Sequence[Tensor], most: int) -> Iterator[Pack]:
    """Put so many results of a dtype into buffers of so many bytes at most, in their order."""
    results: list[int] = []
    starts: list[int] = []
    end = 0
    for k in numbers:
        if results and end + room(types[k]) > most:
            yield Pack(dtype, tuple(results), tuple(starts), end)
            results, starts, end = [], [], 0
        results.append(k)
        starts.append(end)
        end += room(types[k])
    yield Pack(dtype, tuple(results), tuple(starts), end)


def budget(pack: Pack) -> int:
    """How many parts of a buffer may be copied."""
    return COPIES * len(pack.results)


def alone(count: int, packs: Sequence[Pack]) -> list[int]:
    """The numbers of results, of so many, that have a buffer of their own."""
    together = {k for pack in packs for k in pack.results}
    return [k for k in range(count) if k not in together]


# ---------------------------------------------------------------- the text of a program

_MAIN = re.compile(r"^func\.func public @main\((.*)\) -> \((.*)\) \{$", re.MULTILINE)
_TENSOR = re.compile(r"tensor<(?:[^<>]|<[^<>]*>)*>")
_INNER = "main_with_results_apart"


def packed(lowered: Lowered, packs: Sequence[Pack]) -> Lowered:
    """The program that writes results together: those that are alone come first. XLA computes each at its place in the
    buffer, as it would have done in one of its own."""
    if not packs:
        return lowered
    header = _MAIN.search(lowered.text)
    assert header is not None, "a program has one public function"
    types, params = _TENSOR.findall(header[2]), _TENSOR.findall(header[1])
    assert len(types) == len(lowered.result_types) and len(params) == len(lowered.param_types)
    operands = [f"%a{k}" for k in range(len(params))]
    given, made = ", ".join(params), ", ".join(types)
    lines = [f"%r:{len(types)} = call @{_INNER}({', '.join(operands)}) : ({given}) -> ({made})"]
    apart = alone(len(types), packs)
    results, kinds = [f"%r#{k}" for k in apart], [types[k] for k in apart]
    for number, pack in enumerate(packs):
        lines += _written(pack, number, lowered, types)
        results.append(f"%p{number}_{len(pack.results)}")
        kinds.append(_flat(pack, types, pack.size))
    whole = ", ".join([f"{operand}: {type}" for operand, type in zip(operands, params, strict=True)])
    end = f"return {', '.join(results)} : {', '.join(kinds)}"
    main = [f"func.func public @main({whole}) -> ({', '.join(kinds)}) {{", *lines, end, "}", ""]
    inner = f"func.func private @{_INNER}({header[1]}) -> ({header[2]}) {{"
    text = lowered.text
    return replace(lowered, text=text[: header.start()] + "\n".join(main) + inner + text[header.end() :])


def _written(pack: Pack, number: int, lowered: Lowered, types: Sequence[str]) -> list[str]:
    """The lines that write the results of a pack into a buffer, `%p0_0`, `%p0_1`, … while that is written."""
    whole, zero = _flat(pack, types, pack.size), _zero(pack.dtype)
    lines = [f"%p{number}_0 = stablehlo.constant dense<{zero}> : {whole}"]
    for k, (result, start) in enumerate(zip(pack.results, pack.starts, strict=True)):
        part = _flat(pack, types, lowered.result_types[result].size * pack.dtype.bits // 8)
        flat, at, before, after = f"%f{number}_{k}", f"%s{number}_{k}", f"%p{number}_{k}", f"%p{number}_{k + 1}"
        lines += [
            f"{flat} = stablehlo.reshape %r#{result} : ({types[result]}) -> {part}",
            f"{at} = stablehlo.constant dense<{start * 8 // pack.dtype.bits}> : tensor<i32>",
            f"{after} = stablehlo.dynamic_update_slice {before}, {flat}, {at} : "
            f"({whole}, {part}, tensor<i32>) -> {whole}",
        ]
    return lines


def _flat(pack: Pack, types: Sequence[str], size: int) -> str:
    """The text of the type of so many bytes in a row."""
    element = re.split(r"x(?=[a-z])", types[pack.results[0]][len("tensor<") : -1])[-1]
    return f"tensor<{size * 8 // pack.dtype.bits}x{element}>"


def _zero(dtype: DType) -> str:
    if dtype.is_bool:
        return "false"
    return "(0.0, 0.0)" if dtype.is_complex else "0.0" if dtype.is_float else "0"


# ---------------------------------------------------------------- parts of a buffer


class PlacedPart:
    """The description of an array that is a part of a buffer: its type and place, and where it begins; the same object
    for all arrays that have these in common. `held` says the same of an array that waits for a check, and `free` of
    one that does not: calls compare it by identity, as they do the type of others."""

    __slots__ = ("free", "held", "place", "placed", "start", "stop")

    def __init__(self, placed: PlacedType, start: int, free: PlacedPart | None = None) -> None:
        self.placed = placed
        self.place: Place = placed.place
        self.start = start
        self.stop = start + placed.type.size * placed.dtype.itemsize
        self.free = self if free is None else free
        self.held: PlacedPart = PlacedPart(placed, start, self) if free is None else self


class Joined(Struct, eq=False, gc=False):
    """The buffer with the results of one run that lie together. `seen` are its bytes, once asked for. So many parts are
    `left` that may be copied."""

    buffer: Buffer
    left: int
    seen: memoryview | None = None

    def bytes(self) -> memoryview:
        """Return what the buffer contains. Waits."""
        if self.seen is None:
            self.seen = adapter.bytes_of(self.buffer)
        return self.seen

    def elements(self, part: PlacedPart) -> NDArray:
        """The elements of a part, read-only, where they are. Waits."""
        type = part.placed.type
        return np.frombuffer(self.bytes(), part.placed.dtype, type.size, part.start).reshape(type.shape)

    def is_ready(self) -> bool:
        """Return whether reading would not wait."""
        return bool(self.buffer.is_ready())
