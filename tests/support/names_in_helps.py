"""Names in what helps write: where code speaks of a variable of the program, its other names are of the program, of the
language or of the library, or the help itself binds them.

What has an edit is tried as well (`offered_edits`). Code without a variable of the program only shows a form, and one
letter stands for what the reader has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsl.syntax.words import handler_words, keywords
from dsl.types.dtype import BY_NAME, CLASSES
from dsl.types.effect import CHECK, DIV, IO, RAND
from tests.support.corpus import ProgramText
from tests.support.leaks import LIBRARY, NAMES
from typechecker.types.type_expressions import STATIC_KINDS

_CODE = re.compile(r"`([^`]+)`")
_STRING = re.compile(r'"[^"]*"')
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_BOUND = re.compile(r"\b(?:let|for|fn|def|import|fold|scan|iterate) \(*([\w, ]+)")
_LABELLED = re.compile(r"\b(\w+) *(?:: |=(?!=))")
_OF_LANGUAGE = (*keywords(), *handler_words(), *BY_NAME, *CLASSES, *STATIC_KINDS, *map(str, (RAND, CHECK, IO, DIV)))
KNOWN = frozenset((*NAMES, *_OF_LANGUAGE, *(file.stem for file in LIBRARY), "None", "idx", "inf", "key", "axis"))


def unknown_names(program: ProgramText) -> Iterator[str]:
    """The names of no scope in the helps of a program, each with its help."""
    own = {*_NAME.findall("\n".join(program.texts.values())), *program.texts} - KNOWN
    for text in (advice.text for error in program.errors() for advice in error.help):
        pieces = [_STRING.sub("", found) for found in _CODE.findall(text) if "…" not in found]
        bound = bound_in(" ".join(pieces))
        for code in pieces:
            yield from (f"{name} in {text}" for name in unknown_in(code, own, bound))


def bound_in(code: str) -> set[str]:
    """The names that code binds."""
    return {name for names in _BOUND.findall(code) for name in _NAME.findall(names)}


def unknown_in(code: str, own: set[str], bound: set[str]) -> list[str]:
    """The names in code that are none of a program's `own`, if some of these are in it; nor are they `bound`."""
    found, here = _NAME.findall(code), KNOWN | own | bound | {*_LABELLED.findall(code)}
    return [name for name in found if len(name) > 1 and name not in here] if own & {*found} - bound else []
