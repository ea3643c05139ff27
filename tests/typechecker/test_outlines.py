"""The outline of a text of the library is what looking through the text gives, from its record or without one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dsl.disk_cache import LIBRARY, open_cache
from dsl.syntax.library_text import text_of
from dsl.syntax.sources import library
from tests.support.cases import some
from typechecker.declarations.dependencies import cycles_of, mentions
from typechecker.declarations.modules import library_modules
from typechecker.declarations.records import Outline, Records, outline, outlined, recorded_outline


@pytest.fixture
def records(tmp_path: Path) -> Records:
    tmp_path.chmod(0o700)
    return Records(kept=open_cache({"DSL_CACHE": "on", "DSL_CACHE_DIR": str(tmp_path)}, LIBRARY, 1 << 20))


def test_a_record_says_what_the_text_says(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [source for name in library_modules() if (source := library(name)) is not None]
    for source in some(sources):
        assert outlined(records, source) == outline(source)
    monkeypatch.setattr("typechecker.declarations.records.outline", None)
    for source in some(sources):
        assert outlined(records, source).parts.definitions


@pytest.mark.parametrize("text", ["", "[]", '{"parts": 1}'])
def test_a_record_that_is_spoiled_is_none(records: Records, text: str) -> None:
    source = library("prelude")
    assert source is not None
    records.put(recorded_outline(source)[0], text)
    assert outlined(records, source) == outline(source)


@pytest.mark.parametrize("name", library_modules())
def test_words_tell_which_definitions_call_themselves(name: str) -> None:
    source = library(name)
    assert source is not None
    found = msgspec.json.decode(recorded_outline(source)[1], type=Outline)
    definitions = text_of(source, found.parts).definitions
    names = {written.name: place for place, written in reversed(list(enumerate(definitions)))}
    called = [{names[n] for n in mentions(written.node) if n in names} for written in definitions]
    assert set(found.cycles) == {tuple(sorted(cycle)) for cycle in cycles_of(dict(enumerate(called)))}
