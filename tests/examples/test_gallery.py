"""The gallery is what `make gallery` writes, and every picture in it is there."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from examples.gallery import DOCS, DRAWN, PAGE, drawing, page
from tests.support.cases import some


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def drawn() -> bytes:
    """A line of many points that none sees, with a clip path, whose id would be random."""
    figure = Figure(figsize=(3, 2))
    line = np.sin(np.linspace(0.0, 3.0, 5000)) + 0.05 * np.cos(np.arange(5000.0))
    figure.subplots().plot(line)
    with BytesIO() as file:
        figure.savefig(file, format="svg")
        return file.getvalue()


def test_pictures_have_the_same_bytes_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn() != drawn()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DRAWN["SOURCE_DATE_EPOCH"])
    with rc_context(fname=Path(DRAWN["MATPLOTLIBRC"])):
        found = drawn()
        assert found == drawn()
    assert len(found) < 0.6 * len(drawn())


def test_pictures_of_the_gallery_are_small_and_have_no_date() -> None:
    for path in some((DOCS / "gallery").glob("*.*")):
        assert path.stat().st_size < 200_000, path.name
        if path.suffix == ".svg" and b"<dc:date>" in path.read_bytes():
            assert b"<dc:date>1970-01-01T00:00:00" in path.read_bytes(), path.name


def test_every_example_that_draws_is_shown_and_described() -> None:
    """But the demonstration, which `make demo` runs."""
    shown = [each for each in drawing() if (DOCS / "gallery" / each.picture).is_file()]
    assert {each.name for each in drawing()} - {each.name for each in shown} == {"demo"} and len(shown) >= 13
    assert all(each.what.endswith(".") and each.shows.endswith(".") for each in shown)
