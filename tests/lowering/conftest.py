"""Tests of lowering compile afresh: the cache on disk is off unless a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_cache_on_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSL_CACHE", "off")
        yield
