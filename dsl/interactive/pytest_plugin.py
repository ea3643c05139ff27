"""Show errors of programs in pytest: the lines of the test, and none of puredsl.

pytest loads this by itself where puredsl is installed. It imports nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dsl.diagnostics.tracebacks import shorten_traceback


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Shorten the traceback before it is drawn."""
    if call.excinfo is not None and getattr(call.excinfo.type, "short_traceback", False):
        error = call.excinfo.value
        call.excinfo = pytest.ExceptionInfo.from_exception(error.with_traceback(shorten_traceback(error.__traceback__)))
    yield
