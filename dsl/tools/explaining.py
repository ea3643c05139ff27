"""`dsl explain`: the page of a code."""

from __future__ import annotations

import sys
from difflib import get_close_matches

import click
from rich.console import Console
from rich.markdown import Markdown

from dsl.diagnostics.codes import FAMILIES, TITLES, family, is_code
from dsl.diagnostics.explain import headed, page


def explain(code: str) -> None:
    """Print the page; set in type on a terminal, as Markdown elsewhere."""
    text = page(code.upper()) if is_code(code.upper()) else None
    if text is None:
        raise click.UsageError(_unknown(code))
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
