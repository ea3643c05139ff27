"""The gallery is what `make gallery` writes, and every picture in it is there."""

from __future__ import annotations

from examples.gallery import DOCS, PAGE, drawing, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_example_that_draws_is_shown_and_described() -> None:
    """But the demonstration, which `make demo` runs."""
    shown = [each for each in drawing() if (DOCS / "gallery" / each.picture).is_file()]
    assert {each.name for each in drawing()} - {each.name for each in shown} == {"demo"} and len(shown) >= 13
    assert all(each.what.endswith(".") and each.shows.endswith(".") for each in shown)
