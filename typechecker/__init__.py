"""The static checker: names, types, shapes, stages, effects. Runs without jaxlib, and before anything runs.

`check_source` and `check_file` are the front. There is one package for each part of the story, from what everything
rests on to what drives it; each imports from those before it only (import-linter holds this):

`errors`, `env`, `types`, `relations`, `declarations`, `analyses`, `expressions`, `calls`, `indexing`, `loops`,
`effects`, `transforms`, `builtins`, `program`.

The docstring of each package is the map of its modules. Rules produce data; `errors` writes every message.

Nothing is loaded before it is asked for: who has a checked program from before needs no checker.
"""

from typing import TYPE_CHECKING

from dsl.late_names import late

if TYPE_CHECKING:
    from typechecker.declarations.cache import CheckCache
    from typechecker.program.check import CheckResult, check_file, check_source

__all__ = ["CheckCache", "CheckResult", "check_file", "check_source"]

_CHECK = "typechecker.program.check"
__getattr__ = late(
    __name__,
    {
        "CheckCache": ("typechecker.declarations.cache", "CheckCache"),
        "CheckResult": (_CHECK, "CheckResult"),
        "check_file": (_CHECK, "check_file"),
        "check_source": (_CHECK, "check_source"),
    },
)
