"""The requests of the page and their answers, as data that travels as JSON. Read next: `answers`."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field


class About(Struct, frozen=True, tag_field="ask", tag="about"):
    """The words of the language, and the examples."""


class Check(Struct, frozen=True, tag_field="ask", tag="check"):
    """The errors of a program, and the signatures of its functions."""

    text: str


class Format(Struct, frozen=True, tag_field="ask", tag="format"):
    """A program as the formatter writes it."""

    text: str


class Explain(Struct, frozen=True, tag_field="ask", tag="explain"):
    """The page of an error."""

    code: str


class Run(Struct, frozen=True, tag_field="ask", tag="run"):
    """The value of an expression in a program."""

    text: str
    expression: str


Question: TypeAlias = About | Check | Format | Explain | Run


class Change(Struct, frozen=True):
    """A replacement of characters of a program, counted as JavaScript counts them."""

    start: int
    end: int
    text: str


class Fix(Struct, frozen=True):
    """Advice that can be carried out."""

    help: str
    changes: tuple[Change, ...]


class Finding(Struct, frozen=True):
    """A diagnostic: the characters that it marks, which end before they start where they are not in the program."""

    severity: str
    code: str
    message: str
    start: int
    end: int
    html: str
    fixes: tuple[Fix, ...] = ()


class Example(Struct, frozen=True):
    """A program to begin with, and an expression to run."""

    title: str
    text: str
    expression: str


class Answer(Struct, frozen=True, omit_defaults=True):
    """The answer to any question; what was not asked is left out. `fault` says in a sentence what else went wrong."""

    findings: tuple[Finding, ...] = ()
    signatures: str = ""
    text: str = ""
    html: str = ""
    result: str = ""
    printed: str = ""
    ir: str = ""
    picture: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[Example, ...] = field(default=())
    fault: str = ""
