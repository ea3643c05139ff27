"""The gallery is what `make gallery` writes, and every picture in it is there."""

from __future__ import annotations

from examples.gallery import DOCS, PAGE, drawing, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_example_that_draws_is_described() -> None:
    shown = [each for each in drawing() if (DOCS / "gallery" / each.picture).is_file()]
    assert len(shown) >= 12
    assert all(each.what.endswith(".") and each.shows.endswith(".") for each in shown)
