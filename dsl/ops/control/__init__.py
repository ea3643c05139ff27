"""Control flow and functions: ops with bodies.

`region_utils` holds what they share. `CONTROL` is the family's list.
"""

from __future__ import annotations

from dsl.ir.op import AnyOp
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.call import CALL, CHECKPOINT, DOTS, NOTHING, CallParams, CheckpointParams
from dsl.ops.control.custom import (
    CUSTOM_JVP,
    CUSTOM_LINEAR,
    CUSTOM_VJP,
    CustomJvpParams,
    CustomLinearParams,
    CustomVjpParams,
)
from dsl.ops.control.flat import FLAT, FlatParams
from dsl.ops.control.linear_map import LINEAR_MAP, LinearMapParams
from dsl.ops.control.loop import WHILE
from dsl.ops.control.predicated import LANES, LanesParams
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.control.while_params import WhileParams

CONTROL: tuple[AnyOp, ...] = (
    CALL,
    COND,
    SCAN,
    WHILE,
    LANES,
    CHECKPOINT,
    CUSTOM_JVP,
    CUSTOM_VJP,
    CUSTOM_LINEAR,
    LINEAR_MAP,
    FLAT,
)

__all__ = [
    "CALL",
    "CHECKPOINT",
    "COND",
    "CONTROL",
    "CUSTOM_JVP",
    "CUSTOM_LINEAR",
    "CUSTOM_VJP",
    "DOTS",
    "FLAT",
    "LANES",
    "LINEAR_MAP",
    "NOTHING",
    "SCAN",
    "WHILE",
    "CallParams",
    "CheckpointParams",
    "CondParams",
    "CustomJvpParams",
    "CustomLinearParams",
    "CustomVjpParams",
    "FlatParams",
    "LanesParams",
    "LinearMapParams",
    "ScanParams",
    "WhileParams",
]
