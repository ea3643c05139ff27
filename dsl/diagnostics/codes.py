"""THE list of codes: every code a diagnostic may carry, with its title.

A code is listed here if and only if it has a page in `docs/errors/` and is raised somewhere; tests hold the
three together. A code is never given a second meaning: one that falls out of use is deleted with its page.
Read next: `explain`, which finds the pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "E01": "syntax",
        "E02": "names and modules",
        "E03": "dtypes and types",
        "E04": "shapes",
        "E05": "stages",
        "E06": "immutability and keys",
        "E07": "effects",
        "E08": "transformations",
        "E09": "run-time checks, the Python boundary, files",
        "E10": "devices",
        "W": "lints",
    }
)

TITLES: Mapping[str, str] = MappingProxyType(
    {
        # E0901 to E0939: arguments at the Python boundary
        # E0940 to E0959: run-time checks
        # E0960 to E0999: files and the command line
        "E0960": "a file cannot be read",
        "E0961": "a file is not UTF-8 text",
        "E0962": "an input file is malformed",
        "E0963": "an input file has no value for a parameter",
        "E0964": "a value of the input file does not fit its parameter",
        "E0965": "no such function in the program",
        "E0966": "a file cannot be written",
        "E0967": "a static argument on the command line is wrong",
    }
)

_CODE = re.compile(r"E(0[1-9]|10)\d{2}|W\d{2}(\d{2})?")


def is_code(text: str) -> bool:
    """Whether `text` has the form of a code, listed or not."""
    return _CODE.fullmatch(text) is not None


def family(code: str) -> str:
    """What the family of a code is about: `family("E0401")` is `"shapes"`."""
    return FAMILIES["W" if code.startswith("W") else code[:3]]
