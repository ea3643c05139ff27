"""Programs as bytes that another process runs: StableHLO for any machine, and code for machines like this one.

Knows nothing of files. Read next: `dsl.host.artifacts`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from dsl.records import replace
from lowering.lowered import Lowered
from lowering.xla import adapter, cache
from lowering.xla.backends import at
from lowering.xla.compile import compile, register_routines
from lowering.xla.execute import Executable
from lowering.xla.forks import need_threads
from lowering.xla.places import Device, Place


class Code(Struct, frozen=True):
    """A compiled program for a device, with a mark of the machines that can run it."""

    device: str
    machine: str
    data: bytes


def code_for(lowered: Lowered, device: Device) -> Code:
    """The program compiled for a device that exists."""
    made = compile(lowered, devices=(device,), afresh=True, together=False)
    return Code(str(device), _machine(made.place), adapter.serialize(made.place.raw, made.raw))


def loaded(lowered: Lowered, portable: bytes, codes: Iterable[Code], devices: Sequence[Device]) -> Executable:
    """The program on the first of these devices: from code that is for it, or compiled. `lowered` has no text."""
    need_threads()
    place = at(devices[:1])
    register_routines(portable, lowered.platform)
    for code in codes:
        if code.device == str(devices[0]) and code.machine == _machine(place):
            with suppress(adapter.RuntimeFault, ValueError):
                return Executable(adapter.deserialize(place.raw, code.data, place.chosen), place, lowered)
    return compile(replace(lowered, text=adapter.text_of_portable(portable)), devices=devices, together=False)


def _machine(place: Place) -> str:
    """A digest of what code depends on beside the program."""
    facts = [cache.machine(), os.environ.get("XLA_FLAGS", ""), adapter.kind(place.raw, place.chosen)]
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()
