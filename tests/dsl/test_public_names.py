"""Public classes are shown under the names that users import, in messages of Python and in pickles."""

from __future__ import annotations

import inspect
import pickle

import pytest

import dsl

CLASSES = tuple([name for name in dsl.__all__ if inspect.isclass(getattr(dsl, name))])


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_shown_under_their_public_names(name: str) -> None:
    shown = getattr(dsl, name)
    assert repr(shown) == f"<class 'dsl.{name}'>"
    assert pickle.loads(pickle.dumps(shown)) is shown


def test_errors_of_python_name_the_array() -> None:
    with pytest.raises(TypeError, match=r"'Array'"):
        dsl.array([1.0]) + object()
    assert type(dsl.array([1.0])).__module__ == "dsl"
