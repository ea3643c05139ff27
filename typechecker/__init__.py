"""The static checker: names, types, shapes, stages, effects. Runs without jaxlib, and before anything runs.

`check_source` and `check_file` are the front. There is one package for each part of the story, from what everything
rests on to what drives it; each imports from those before it only (import-linter holds this):

`errors`, `env`, `types`, `relations`, `declarations`, `analyses`, `expressions`, `calls`, `indexing`, `loops`,
`effects`, `transforms`, `builtins`, `program`.

The docstring of each package is the map of its modules. Rules produce data; `errors` writes every message.
"""

from typechecker.declarations.cache import CheckCache
from typechecker.program.check import CheckResult, check_file, check_source
from typechecker.transforms.from_python import Actual, Option, Reference, Step

__all__ = ["Actual", "CheckCache", "CheckResult", "Option", "Reference", "Step", "check_file", "check_source"]
