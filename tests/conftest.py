"""Property tests judge results, not how busy the machine is: no deadlines, no complaints of slow generation. They try
the same examples at each run, so that a change is judged by what it changes; `make fuzz` looks for new ones. Nothing is
read from or written to the caches on disk unless a test asks for it. The processor is used as eight devices, so that
programs for several can be tested beside those for one. What is loaded before the first test stays: garbage is looked
for among the rest, and seldom, for a tenth of the time went into that.

Programs are compiled quickly, or with `--as-users` by XLA's default flags; `tests.support.compilation` says why."""

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.compilation import compares_values, compile_quickly, in_leg

TESTS = Path(__file__).parent

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exploring", UNHURRIED)
settings.register_profile("repeating", UNHURRIED, derandomize=True)
settings.load_profile("repeating")
os.environ["DSL_CPU_DEVICES"] = "8"
os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"  # JAX is an oracle, in both legs: how fast it runs is not compared
gc.set_threshold(50_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--as-users",
        action="store_true",
        help="compile with XLA's default flags; run only the tests that compare values",
    )
    parser.addoption(
        "--sample", choices=("all", "only", "none"), default="all", help="run the sample of those tests, or the others"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--as-users"):
        compile_quickly()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules without tests that compare values are not even imported where only those run."""
    as_users = config.getoption("--as-users") or config.getoption("--sample") == "only"
    is_module = as_users and collection_path.suffix == ".py" and collection_path.is_relative_to(TESTS)
    return True if is_module and not compares_values(collection_path.relative_to(TESTS.parent).as_posix()) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    as_users, sample = config.getoption("--as-users"), config.getoption("--sample")
    chosen = [
        (compares_values(item.nodeid) or not as_users) and in_leg(item.nodeid, sample) and runs_here(item)
        for item in items
    ]
    config.hook.pytest_deselected(items=[item for item, is_chosen in zip(items, chosen, strict=True) if not is_chosen])
    items[:] = [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]


def runs_here(item: pytest.Item) -> bool:
    """Whether a test runs on the platform in use: those with the mark `cpu` are about its compiler or its devices."""
    return os.environ.get("DSL_PLATFORM", "cpu") == "cpu" or item.get_closest_marker("cpu") is None


def pytest_collection_finish() -> None:
    gc.freeze()


class _Raising(logging.Handler):
    """Raises the faults that checks log and pass over."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None and record.exc_info[1] is not None:
            raise record.exc_info[1]


@pytest.fixture(autouse=True, scope="session")
def _faults_of_checks_fail_tests() -> None:
    logging.getLogger("dsl").setLevel(logging.INFO)
    logging.getLogger("dsl").addHandler(_Raising())


@pytest.fixture(autouse=True, scope="session")
def _no_cache_but_of_the_library() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSL_CACHE", "library")
        yield
