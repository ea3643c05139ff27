"""The words of every diagnostic of the checker, one module for each family.

The rules pass data (terms, types, counterexamples); the sentences are written here and nowhere else: a row of
`templates` where they are the same at every place, a function where they depend on what is there. `words` holds the
phrases that the families share, `repairs` the edits that a help offers.

Most checks find nothing wrong: the module of a family is loaded when one of its words is needed.
"""

from typing import TYPE_CHECKING

from dsl.late_names import LateModule

__all__ = [
    "arrays",
    "calls",
    "collectives",
    "dtypes",
    "effects",
    "indices",
    "keys",
    "loops",
    "names",
    "patterns",
    "shapes",
    "sizes",
    "stages",
    "transforms",
    "types",
]

if TYPE_CHECKING:
    from typechecker.errors import (
        arrays,
        calls,
        collectives,
        dtypes,
        effects,
        indices,
        keys,
        loops,
        names,
        patterns,
        shapes,
        sizes,
        stages,
        transforms,
        types,
    )
else:
    arrays = LateModule("typechecker.errors.arrays")
    calls = LateModule("typechecker.errors.calls")
    collectives = LateModule("typechecker.errors.collectives")
    dtypes = LateModule("typechecker.errors.dtypes")
    effects = LateModule("typechecker.errors.effects")
    indices = LateModule("typechecker.errors.indices")
    keys = LateModule("typechecker.errors.keys")
    loops = LateModule("typechecker.errors.loops")
    names = LateModule("typechecker.errors.names")
    patterns = LateModule("typechecker.errors.patterns")
    shapes = LateModule("typechecker.errors.shapes")
    sizes = LateModule("typechecker.errors.sizes")
    stages = LateModule("typechecker.errors.stages")
    transforms = LateModule("typechecker.errors.transforms")
    types = LateModule("typechecker.errors.types")
