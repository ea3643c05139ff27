"""Layouts as XLA compiles them: their collectives, counted in the optimised HLO, and their memory on one device.

Bytes are those that one device sends around a ring, as `dsl.cost` counts them; those of a loop count once for each of
its steps, where XLA knows how many there are. Read next: `plan`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import prod

from msgspec import Struct

from dsl.host.compiling.estimates import memory_of
from lowering.xla.execute import Executable

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) .*\{$", re.MULTILINE)
_COLLECTIVE = re.compile(
    r"= (\(.*?\)|\S+) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(.*"
)
_CALLED = re.compile(r"\b(?:body|to_apply|calls|true_computation|false_computation)=%?([\w.\-]+)")
_STEPS = re.compile(r"known_trip_count\D+(\d+)")
_ARRAY = re.compile(r"\b(pred|[a-z]+(\d+)\w*)\[([\d,]*)\]")
_GROUP = re.compile(r"replica_groups=(?:\[\d+,(\d+)\]|\{\{([\d,]*)\})")


class Compiled(Struct, frozen=True):
    """The needs of one device: peak bytes, bytes sent, and how often it sends some."""

    peak: int
    sent: int
    exchanges: int


class _Traffic(Struct, frozen=True):
    sent: int = 0
    exchanges: int = 0

    def plus(self, other: _Traffic, times: int = 1) -> _Traffic:
        return _Traffic(self.sent + times * other.sent, self.exchanges + times * other.exchanges)


def compiled(executable: Executable) -> Compiled:
    """Return what a compiled program takes on each device."""
    traffic = traffic_of(executable.raw.hlo_modules()[0].to_string())
    return Compiled(memory_of(executable).peak, traffic.sent, traffic.exchanges)


def traffic_of(text: str) -> _Traffic:
    """The communication of a module, as optimised HLO."""
    names = list(_COMPUTATION.finditer(text))
    ends = [*[name.start() for name in names[1:]], len(text)]
    computations = {name[1]: text[name.end() : end] for name, end in zip(names, ends, strict=True)}
    entry = next((name[1] for name in names if name[0].startswith("ENTRY")), None)
    return _Traffic() if entry is None else _of(entry, computations, {})


def _of(name: str, computations: Mapping[str, str], known: dict[str, _Traffic]) -> _Traffic:
    found = known.get(name)
    if found is None:
        found = _Traffic()
        for line in computations.get(name, "").splitlines():
            for called, steps in _called(line):
                found = found.plus(_of(called, computations, known), steps)
            found = found.plus(_sent(line))
        known[name] = found
    return found


def _called(line: str) -> Iterator[tuple[str, int]]:
    steps = _STEPS.search(line)
    for name in _CALLED.findall(line):
        yield name, int(steps[1]) if steps and " while(" in line else 1


def _sent(line: str) -> _Traffic:
    """The bytes that one line of HLO sends around a ring."""
    found = _COLLECTIVE.search(line)
    if found is None:
        return _Traffic()
    size = sum(_bytes(*array) for array in _ARRAY.findall(found[1]))
    group = _GROUP.search(line)
    members = 2 if group is None else int(group[1] or 1 + group[2].count(","))
    match found[2]:
        case "all-reduce":
            sent = 2 * (members - 1) * size // members
        case "reduce-scatter":
            sent = (members - 1) * size
        case "collective-permute":
            sent = size
        case _:
            sent = (members - 1) * size // members
    return _Traffic(sent, 1 if members > 1 else 0)


def _bytes(dtype: str, bits: str, shape: str) -> int:
    count = prod([int(size) for size in shape.split(",") if size])
    return count * max(int(bits or 8) // 8, 1)
