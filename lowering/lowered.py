"""The result of lowering: the program text, and the data that its caller needs. Read next: `lowering.xla.compile`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.function import Equation, Tensor
from dsl.types.dtype import U32
from lowering.tiling import Tiling

Tilings: TypeAlias = tuple[Tiling, ...]

CPU = "cpu"
"""The platform that is always there."""

FUSIBLE = 2000
"""Pointwise operations in one region beyond which XLA is not asked to fuse them: it would copy those that have several
uses into each, and take minutes for what takes seconds. Kernels of one operation are few, since XLA compiles equal ones
once."""

LIBRARIES: Mapping[str, str] = MappingProxyType({CPU: "lapack_", "cuda": "cusolver_", "rocm": "hipsolver_"})
"""How the names of the routines of linear algebra begin in texts of programs, by platform."""


def calls_library(program: str | bytes, platform: str) -> bool:
    """Return whether a program for a platform, as text or portable, calls routines of its library of linear algebra."""
    prefix = LIBRARIES.get(platform)
    if prefix is None:
        return False
    return prefix in program if isinstance(program, str) else prefix.encode() in program


RUN_TYPE = Tensor(U32)
"""The type of one more parameter, the last, of programs that make callbacks: the number of the run."""


class Callback(Struct, frozen=True):
    """A host function that the program calls with the operands of `equation`, in program order."""

    equation: Equation
    operand_types: tuple[Tensor, ...]


class CompileHints(Struct, frozen=True):
    """Facts that decide how XLA compiles a program: `pointwise`, the number of operations of its longest region that
    XLA computes where they are used; `elements`, the mean number of elements that each of all such operations of a run
    computes; whether many are computed `in_place`, or by axes that join those in memory; whether all of them are
    `minor`, little beside what libraries compute; whether some are `guarded`, computed by formulas in one branch and by
    XLA in the other."""

    pointwise: int = 0
    elements: int = 0
    in_place: bool = False
    minor: bool = False
    guarded: bool = False

    @property
    def is_long(self) -> bool:
        """Return whether XLA is not asked to fuse its operations."""
        return self.pointwise > FUSIBLE


class Lowered(Struct, frozen=True):
    """StableHLO text of a function, the types at its boundary, the host callbacks it makes by index, and the numbers of
    the parameters whose buffers it takes; with callbacks the text has one more parameter, of `RUN_TYPE`. Over
    `devices`, parameters and results lie as `param_tilings` and `result_tilings` say. It is written for `platform`."""

    name: str
    text: str
    param_types: tuple[Tensor, ...]
    result_types: tuple[Tensor, ...]
    callbacks: tuple[Callback, ...] = ()
    donated: tuple[int, ...] = ()
    devices: int = 1
    param_tilings: Tilings = ()
    result_tilings: Tilings = ()
    hints: CompileHints = CompileHints()
    platform: str = CPU
