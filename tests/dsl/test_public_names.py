"""Public classes are shown under the names that users import, in messages of Python and in pickles."""

from __future__ import annotations

import inspect
import pickle

import pytest

import dsl

KEPT = "Diagnostic"
"""Its instances are kept on disk under the name of its module."""

CLASSES = tuple([name for name in dsl.__all__ if inspect.isclass(getattr(dsl, name)) and name != KEPT])


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_shown_under_their_public_names(name: str) -> None:
    shown = getattr(dsl, name)
    assert repr(shown) == f"<class 'dsl.{name}'>"
    assert pickle.loads(pickle.dumps(shown)) is shown


def test_errors_of_python_name_the_array() -> None:
    with pytest.raises(TypeError, match=r"'Array'"):
        dsl.array([1.0]) + object()
    assert type(dsl.array([1.0])).__module__ == "dsl"


def test_a_class_that_is_kept_on_disk_has_the_name_of_its_module() -> None:
    assert dsl.Diagnostic.__module__ == "dsl.diagnostics.message"
