"""The values of top-level `let`s, as Python sees them. Read next: `program`."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from dsl.core import core
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.compiling.compile_errors import Progress, compiling
from dsl.host.results.containers import rebuilding
from dsl.host.results.variants import Variant
from dsl.interp import evaluate
from dsl.staging.stage import stage_constant
from lowering.xla.array import array


def constant_value(program: CheckedProgram, constant: core.Constant) -> Any:
    """Evaluate a constant by the reference evaluator. Functions stay in the program: `Problem` E0917."""
    with compiling(constant.name, Progress()):
        staged = stage_constant(program.session, constant)
        arrays = [array(x) for x in evaluate(staged.function, [])]
    return rebuilding(staged.output, MappingProxyType({}), Variant)(arrays)
