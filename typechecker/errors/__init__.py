"""The words of every diagnostic of the checker, one module for each family.

The rules pass data (terms, types, counterexamples); the sentences are written here and nowhere else: a row of
`templates` where they are the same at every place, a function where they depend on what is there. `words` holds the
phrases that the families share, `repairs` the edits that a help offers.

Most checks find nothing wrong: the module of a family is loaded when one of its words is needed.
"""

from typing import TYPE_CHECKING

from dsl.late_names import LateModule

__all__ = [
    "calls",
    "dtypes",
    "effects",
    "indices",
    "keys",
    "loops",
    "names",
    "shapes",
    "sizes",
    "stages",
    "transforms",
    "types",
]

if TYPE_CHECKING:
    from typechecker.errors import (
        calls,
        dtypes,
        effects,
        indices,
        keys,
        loops,
        names,
        shapes,
        sizes,
        stages,
        transforms,
        types,
    )
else:
    globals().update({name: LateModule(f"{__name__}.{name}") for name in __all__})
