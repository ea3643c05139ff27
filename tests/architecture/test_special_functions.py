"""Ordinary functions are text of the library; the few that are rules of the checker are listed with their reasons."""

from __future__ import annotations

import re
from pathlib import Path

from dsl.core.transformation import TRANSFORMATIONS
from typechecker.builtins.table import table
from typechecker.effects import collectives

RECORD = Path(__file__).parents[2] / "docs" / "adr" / "0034-functions-that-are-rules.md"
EFFECTS = {"print", "emit", "checked", "fresh_key", "resume"}
LOOPS = {"range", "zip", "enumerate"}
BINDING = {"mesh", "with_sharding", "eval_shape"}


def test_rules_that_are_neither_effects_nor_transformations_are_listed() -> None:
    rows = re.findall(r"^\| (`.*?) \|", RECORD.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    others = set(map(str, TRANSFORMATIONS)) | set(collectives.table()) | EFFECTS | LOOPS
    special = set(map(str, table())) - others
    assert special == listed | BINDING
    assert len(special) <= 12
