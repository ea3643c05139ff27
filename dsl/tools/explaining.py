"""`dsl explain`: the page of a code. Read next: `explained_programs`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markdown import Markdown

from dsl.diagnostics.codes import FAMILIES, TITLES, family, is_code
from dsl.diagnostics.explain import headed, page
from dsl.late_names import LateModule

if TYPE_CHECKING:
    from dsl.tools import explained_programs
else:  # the page of a code needs no checker
    explained_programs = LateModule("dsl.tools.explained_programs")


def explain(about: Sequence[str]) -> None:
    """Print the page of a code, or those of what is wrong in programs; a code before programs picks one of theirs."""
    first, *rest = about
    code = first.upper() if is_code(first.upper()) else None
    files = about if code is None else rest
    missing = [each for each in files if each != "-" and not Path(each).exists()]
    if (code is not None and page(code) is None) or (first in missing[:1] and "." not in first and code is None):
        raise click.UsageError(_unknown(first))
    if missing:
        raise click.UsageError(f"no file {missing[0]}")
    paths = [Path(each) for each in files]
    _print((page(code) or "") if code is not None and not paths else explained_programs.explained(paths, code))


def _print(text: str) -> None:
    """Print Markdown; set in type on a terminal, as it is elsewhere."""
    if sys.stdout.isatty():
        Console().print(Markdown(headed(text)))
    else:
        print(text, end="")


def list_codes() -> None:
    """Print every code with its title, family by family."""
    for prefix, about in FAMILIES.items():
        codes = sorted(code for code in TITLES if code.startswith(prefix))
        if codes:
            print(f"{prefix}  {about}")
        for code in codes:
            print(f"  {code}  {TITLES[code]}")


def _unknown(code: str) -> str:
    near = get_close_matches(code.upper(), TITLES, n=1, cutoff=0.7)
    about = f" ({prefix} is about {family(prefix)})" if (prefix := code.upper()[:3]) in FAMILIES else ""
    return f"unknown error code {code}{about}" + (f"; the nearest is {near[0]}" if near else "")
