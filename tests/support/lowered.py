"""Programs for the platform that the tests run on."""

from __future__ import annotations

from typing import Any

from dsl.ir.function import Function
from lowering.lowered import Lowered
from lowering.stablehlo.module import lower
from lowering.xla.backends import choice


def lower_here(function: Function, **options: Any) -> Lowered:
    """Lower a function for the devices in use."""
    return lower(function, platform=choice().devices[0].platform, **options)
