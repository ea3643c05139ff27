"""The static checker: names, types, shapes, stages, effects. Runs without jaxlib, and before anything runs.

`check_source` and `check_file` are the front; the way in for readers is `check`, then `calls` and `relate`.
"""

from typechecker.check import CheckResult, check_file, check_source

__all__ = ["CheckResult", "check_file", "check_source"]
