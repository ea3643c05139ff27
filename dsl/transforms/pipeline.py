"""The order of passes: a list of named steps from IR to IR, each of which can be verified and looked at.

`TIDY` follows every transformation; `LOWERING` prepares a program of which nothing more is to be transformed, and
`RESUMING` the second part of one, whose parameters hold what a derivative in the first part left.
Knows nothing of the passes but their names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from dsl.ir.function import Function
from dsl.ir.verify import verify
from dsl.ops.zero_flow import ANYTHING
from dsl.transforms.cse import merge
from dsl.transforms.dce import eliminate
from dsl.transforms.expand import expand
from dsl.transforms.flatten import flatten
from dsl.transforms.inline import inline
from dsl.transforms.pad import pad
from dsl.transforms.placement import place
from dsl.transforms.reroll.roll import reroll
from dsl.transforms.simplify import simplify
from dsl.transforms.stencils import shift_stencils
from dsl.transforms.tiles.tile import tile, tile_of_machine
from dsl.transforms.zero_propagation import absorb
from dsl.types.process_settings import paused_collector


class Pass(Struct, frozen=True):
    name: str
    apply: Callable[[Function], Function]


SIMPLIFY = Pass("simplify", lambda f: simplify(f))
CSE = Pass("cse", lambda f: merge(f))
DCE = Pass("dce", lambda f: eliminate(f))
EXPAND = Pass("expand", lambda f: expand(f))
INLINE = Pass("inline", lambda f: inline(f))
PAD = Pass("padding", lambda f: pad(f))
ABSORB = Pass("absorb", lambda f: absorb(f))
ABSORB_ALL = Pass("absorb", lambda f: absorb(f, ANYTHING))
FLATTEN = Pass("flatten", lambda f: flatten(f))
REROLL = Pass("reroll", lambda f: reroll(f))
STENCILS = Pass("stencils", lambda f: shift_stencils(f))
TILE = Pass("tile", lambda f: tile(f, tile_of_machine()))

TIDY: tuple[Pass, ...] = (SIMPLIFY, CSE, DCE)
_PREPARE = (INLINE, DCE, EXPAND, PAD, INLINE, SIMPLIFY)
LOWERING: tuple[Pass, ...] = (*_PREPARE, ABSORB, CSE, DCE, REROLL)
RESUMING: tuple[Pass, ...] = (*_PREPARE, ABSORB_ALL, CSE, DCE, REROLL)


def over_devices(passes: tuple[Pass, ...], devices: int) -> tuple[Pass, ...]:
    """The passes for a program on so many devices: what is to lie on them is placed before anything is expanded."""
    if devices == 1:
        return (*passes, FLATTEN)
    at = passes.index(EXPAND)
    return (*passes[:at], Pass("place", lambda f: place(f, devices)), *passes[at:])


def on_one_cpu(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """The passes for a device that computes out of its caches, without fast convolutions of few channels."""
    at = passes.index(REROLL)
    return (*passes[:at], STENCILS, TILE, DCE, *passes[at:], FLATTEN)


Watch = Callable[[str, Function], None]
"""Called with the name of each pass and what came out of it."""


def run(function: Function, passes: Sequence[Pass], *, check: bool = False, watch: Watch | None = None) -> Function:
    """`function` after all passes, in order. `check` verifies the IR after each."""
    with paused_collector():
        for step in passes:
            function = step.apply(function)
            if check:
                verify(function)
            if watch is not None:
                watch(step.name, function)
    return function
