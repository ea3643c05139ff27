"""The namespace of the array API standard (2024.12) over `dsl.Array`: what `x.__array_namespace__()` gives.

Every function that computes is one of the language, applied at once (`table`); others make arrays or speak of dtypes
(`arrays`). Only functions whose results have shapes that depend on elements compute on the host.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, SimpleNamespace
from typing import Any

from dsl.array_api import arrays, table
from dsl.array_api.eager import Eager, broadcast_arrays

__array_api_version__ = "2024.12"


@cache
def _names() -> Mapping[str, Any]:
    constants = {"e": math.e, "inf": math.inf, "nan": math.nan, "pi": math.pi, "newaxis": None}
    extensions = {
        name: SimpleNamespace(**_functions(entries), **arrays.EXTENSIONS.get(name, {}))
        for name, entries in table.EXTENSIONS.items()
    }
    functions = {
        "broadcast_arrays": broadcast_arrays,
        **_functions(table.ELEMENTWISE, elementwise=True),
        **_functions(table.OTHERS),
    }
    return MappingProxyType(
        {
            **constants,
            **arrays.DTYPES,
            **arrays.FUNCTIONS,
            "broadcast_arrays": broadcast_arrays,
            **functions,
            **extensions,
        }
    )


def _functions(entries: Mapping[str, str], elementwise: bool = False) -> dict[str, Any]:
    made = [Eager(text, expression, elementwise) for text, expression in entries.items()]
    return {function.__name__: function for function in made}


def __getattr__(name: str) -> Any:
    if name in _names():
        return _names()[name]
    raise AttributeError(f"the array API of puredsl has no `{name}`", name=name)


def __dir__() -> list[str]:
    return [*_names(), "__array_api_version__"]
