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
        # E01: syntax
        "E0101": "something else was expected here",
        "E0102": "a bracket is never closed",
        "E0103": "a closing bracket without its opening one",
        "E0104": "a line is indented wrongly",
        "E0105": "a body is missing",
        "E0106": "a block ends without a value",
        "E0107": "a tab",
        "E0108": "a character that is not part of the language",
        "E0109": "a text that is not written rightly",
        "E0110": "the value of a statement is dropped",
        "E0111": "a number that is not written rightly",
        "E0112": "a chain of comparisons in several directions",
        "E0113": "a misplaced `*` in parameters",
        "E0114": "a statement that does not exist",
        "E0115": "an operator that does not exist",
        "E0116": "a constant in Python's spelling",
        "E0117": "`=` and `==` are mixed up",
        "E0118": "a colon where the body begins",
        "E0119": "nested too deeply",
        "E0120": "a condition in Python's order",
        "E0121": "a declaration inside a block",
        "E0122": "no declaration at top level",
        "E0124": "a keyword used as a name",
        "E0125": "a form of parameter that does not exist",
        "E0126": "an `if` without its `else`",
        "E0127": "`not` needs parentheses here",
        "E0128": "a pattern that is not written rightly",
        "E0129": "a lambda in Python's form",
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
