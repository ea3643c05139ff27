"""Linguist finds programs, and nothing else that ends in `.dsl`."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dsl.editors.linguist import FOLDER, files
from dsl.editors.textmate import EXTENSION
from tests.support.cases import some

yaml: Any = import_module("yaml")
ROOT = Path(__file__).parents[3]
TEXTS = sorted([*(ROOT / "examples").rglob("*.dsl"), *(ROOT / "stdlib").rglob("*.dsl")])
RULES = yaml.safe_load(files()["heuristics.yml"])
PATTERN = re.compile(RULES[0]["rules"][0]["pattern"], re.MULTILINE)
OTHERS = (
    'workspace "Name" {\n    model {\n        u = person "User"\n    }\n    !include other.dsl\n}\n',
    '<!DOCTYPE style-sheet PUBLIC "-//James Clark//DTD DSSSL Style Sheet//EN">\n(define %paper% "A4")\n',
    'rule "one"\nwhen\n    $p : Person(age > 18)\nthen\nend\n',
    "[when]There is a person=Person()\n[then]Log=log();\n",
    "pipelineJob('build') {\n    definition { }\n}\n",
)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_programs_are_found(path: Path) -> None:
    assert PATTERN.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", OTHERS)
def test_files_of_other_languages_are_not(text: str) -> None:
    assert PATTERN.search(text) is None


def test_the_entries_are_those_that_are_made_now() -> None:
    for name, text in some(files().items()):
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "python -m dsl.editors.linguist"


def test_the_entry_names_the_grammar_of_the_extension() -> None:
    (entry,) = yaml.safe_load(files()["languages.yml"]).values()
    grammar = json.loads((EXTENSION / "syntaxes" / "dsl.tmLanguage.json").read_text(encoding="utf-8"))
    assert entry["tm_scope"] == grammar["scopeName"]
    assert RULES[0]["extensions"] == entry["extensions"]
    assert {"type", "color", "ace_mode", "language_id"} < set(entry)
