"""The gallery is what `make gallery` writes, and every picture in it is there."""

from __future__ import annotations

from examples.gallery import DOCS, PAGE, drawing, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_example_that_draws_is_described() -> None:
    shown = [(name, what, picture) for name, what, picture in drawing() if (DOCS / "gallery" / picture).is_file()]
    assert len(shown) >= 3
    assert all(what.endswith(".") for _, what, _ in shown)
