"""Small projects of a few modules, checked with a cache that is warm from an earlier state of them.

What comes out is compared with a check that knows nothing: reports, and Core to the last number of a variable.
"""

from __future__ import annotations

from collections.abc import Mapping

from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.checked import differences
from typechecker import CheckCache, CheckResult

Texts = Mapping[str, str]


def check(texts: Texts, cache: CheckCache | None = None) -> CheckResult:
    """The project, from its module `main`; every text is read anew."""
    modules = {name: Source(f"{name}.dsl", text) for name, text in texts.items() if name != "main"}
    return check_source(Source("main.dsl", texts["main"]), modules, None, cache)


def edited(texts: Texts, module: str, old: str, new: str) -> Texts:
    assert texts[module].count(old) == 1, old
    return {**texts, module: texts[module].replace(old, new)}


def checked_after(cache: CheckCache, texts: Texts) -> tuple[str, ...]:
    """Which modules are checked, once it is seen that the result is the same as without a cache."""
    found = check(texts, cache)
    assert differences(found, check(texts)) == []
    return found.checked


def warm(texts: Texts) -> CheckCache:
    cache = CheckCache()
    checked_after(cache, texts)
    return cache


def codes(texts: Texts, cache: CheckCache) -> list[str]:
    """The reports of a check with a cache, by module and code."""
    return [f"{d.primary.span.source.name.removesuffix('.dsl')} {d.code}" for d in check(texts, cache).diagnostics]
