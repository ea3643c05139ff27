"""Checks that share what they find of the library, as those of `dsl.program` do: a third of the time. That each is as
if it were alone is seen by `test_cache_edits`."""

from functools import cache

from typechecker import CheckCache


@cache
def known_library() -> CheckCache:
    return CheckCache()
