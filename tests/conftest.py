"""Property tests judge results, not how busy the machine is: no deadlines, no complaints of slow generation. They try
the same examples at each run, so that a change is judged by what it changes; `make fuzz` looks for new ones. Nothing is
read from or written to the caches on disk unless a test asks for it. The processor is used as eight devices, so that
programs for several can be tested beside those for one. What is loaded before the first test stays: garbage is looked
for among the rest, and seldom, for a tenth of the time went into that."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.quick_compilation import compile_quickly

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exploring", UNHURRIED)
settings.register_profile("repeating", UNHURRIED, derandomize=True)
settings.load_profile("repeating")
os.environ["DSL_CPU_DEVICES"] = "8"
compile_quickly()
gc.set_threshold(50_000, 10, 10)


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _no_cache_on_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSL_CACHE", "off")
        yield
