"""The words and terminals of the grammar, for those who show programs: editors, highlighters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from dsl.syntax.tables import tables

_WORD = re.compile(r"(?<![\w\\?])([a-z]+)\(\?!\\w\)")


@cache
def words_of() -> Mapping[str, tuple[str, ...]]:
    """By terminal, the words that it stands for; terminals of signs stand for none."""
    found = {name: tuple(_WORD.findall(pattern)) for name, pattern in tables().terminals.items() if name != "NAME"}
    return MappingProxyType({name: words for name, words in found.items() if words})


def keywords() -> list[str]:
    """Every word with a meaning of its own, those among them that may also be names."""
    return sorted({word for words in words_of().values() for word in words})


def hard_keywords() -> list[str]:
    """The words that are never names."""
    name = re.compile(tables().terminals["NAME"])
    return [word for word in keywords() if name.fullmatch(word) is None]


def handler_words() -> list[str]:
    """The words that name a handler behind `with`."""
    first = {symbol for row in tables().states if "handler" in row for symbol in row}
    return sorted(word for terminal in first for word in words_of().get(terminal, ()))
