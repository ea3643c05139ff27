"""`docs/ops.md` is what the table of ops says."""

from __future__ import annotations

from pathlib import Path

from dsl.ops.matrix import matrix
from dsl.ops.table import OPS
from tests.support.cases import some

PAGE = Path(__file__).parents[3] / "docs" / "ops.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text("utf8") == matrix(), "run: python -m dsl.ops.matrix > docs/ops.md"


def test_the_page_has_every_op() -> None:
    assert all(f"\n| `{name}` |" in matrix() for name in some(OPS))
