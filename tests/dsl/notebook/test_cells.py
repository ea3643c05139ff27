"""Cells share one program; what a change breaks is left out until it fits again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.notebook.cells import Cells
from dsl.notebook.chunks import chunks_of, joined
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.syntax.sources import embedded_source
from tests.support.cases import some

EXAMPLES = Path(__file__).parents[3] / "examples"
FIRST = "def f(x: f32[n]) -> f32[n] = x * 2.0\n\nlet width = 3\n"
SECOND = "## Plus one.\ndef g(x: f32[n]) = f(x) + 1.0\ndef h(x: f32[n]) = g(x)\n"


def run(cells: Cells, *texts: str) -> None:
    for number, text in enumerate(texts, 1):
        cells.run(text, f"cell {number}")


def test_cells_see_what_earlier_ones_define() -> None:
    cells = Cells()
    run(cells, FIRST)
    outcome = cells.run(SECOND, "cell 2")
    assert outcome.declared == ("g", "h") and outcome.again == () and not outcome.refused
    assert outcome.program is not None
    assert outcome.program.h.interpret([1.0, 2.0]).tolist() == [3.0, 5.0] and outcome.program.width == 3


def test_what_depends_on_a_new_definition_is_checked_again() -> None:
    cells = Cells()
    run(cells, FIRST, SECOND)
    outcome = cells.run("def f(x: f32[n]) -> f32[n] = x * 3.0\n", "cell 3")
    assert outcome.again == ("g", "h") and outcome.program is not None
    assert outcome.program.h.interpret([1.0]).tolist() == [4.0]
    assert cells.run("let width = 4\n", "cell 4").again == ()


def test_a_name_of_the_library_that_a_cell_takes_is_told() -> None:
    cells = Cells()
    run(cells, "def f(x: f32[n]) where n >= 1 = mean(x)\n")
    outcome = cells.run("def mean(x: f32[n]) = 7.0\n", "cell 2")
    assert outcome.again == ("f",) and outcome.program is not None
    assert float(outcome.program.f.interpret([1.0, 2.0])) == 7.0


def test_what_no_longer_fits_waits_until_it_does() -> None:
    cells = Cells()
    run(cells, FIRST, SECOND)
    outcome = cells.run("def f(x: f32[n], y: f32) -> f32[n] = x * y\n", "cell 3")
    assert [*outcome.refused] == ["g", "h"] and outcome.program is not None
    assert "g" not in dir(outcome.program)
    (reason,) = outcome.refused["g"]
    assert reason.code == "E0307" and repr(reason.primary.span) == "<cell 2>:3:20"
    assert reason.secondary[0].span.source.name == "<cell 3>"
    assert cells.run("let other = 1\n", "cell 4").refused == {}
    again = cells.run(FIRST, "cell 5")
    assert again.fits == ("g", "h") and again.program is not None and "h" in dir(again.program)


def test_a_wrong_cell_changes_nothing() -> None:
    cells = Cells()
    run(cells, FIRST)
    for text, code, place in (
        ("def f(x: f32[n], y: f32[k]) = x + y\n", "E0401", "<cell 2>:2:31"),
        ("def f(x: f32[n] = x\n", "E0102", "<cell 2>:2:6"),
        ("def f(x: f32) = x\ndef f(x: i32) = x\n", "E0206", "<cell 2>:3:5"),
    ):
        with pytest.raises(dsl.DslError) as error:
            cells.run(text, "cell 2")
        assert error.value.code == code and repr(error.value.diagnostics[0].primary.span) == place
    program = cells.run("let one = 1\n", "cell 3").program
    assert program is not None and program.f.interpret([1.0]).tolist() == [2.0]


def test_a_cell_that_needs_a_refused_name_is_told_why_that_is() -> None:
    cells = Cells()
    run(cells, FIRST, SECOND, "def f() = 1.0\n")
    with pytest.raises(dsl.DslError) as error:
        cells.run("def k(x: f32[n]) = g(x)\n", "cell 4")
    assert [d.code for d in error.value.diagnostics] == ["E0201", "E0307"]


def test_a_cell_with_a_name_is_a_module() -> None:
    cells = Cells()
    first = cells.run_named("m", "def twice(x: f32[n]) = 2.0 * x\n")
    assert first.program is None and [*first.programs] == ["m"]
    run(
        cells, "from m import twice as t, twice\nimport m\n", "def u(x: f32[n]) = t(x)\ndef v(x: f32[n]) = m.twice(x)\n"
    )
    cells.run_named("other", "import m\ndef w(x: f32[n]) = m.twice(x)\n")
    outcome = cells.run_named("m", "def twice(x: f32[n]) = 4.0 * x\n")
    assert outcome.again == ("other", "u", "v") and outcome.program is not None
    assert outcome.program.u.interpret([1.0]).tolist() == [4.0]
    assert outcome.programs["other"].w.interpret([1.0]).tolist() == [4.0]
    broken = cells.run_named("m", "def twice(x: i32[n]) = 4 * x\n")
    assert [*broken.refused] == ["other", "u", "v"]
    mended = cells.run_named("m", "def twice(x: f32[n]) = 5.0 * x\n")
    assert mended.fits == ("other", "u", "v")


def test_a_module_that_does_not_have_a_name_any_more_takes_its_imports_along() -> None:
    cells = Cells()
    cells.run_named("m", "def one() = 1.0\ndef two() = 2.0\n")
    run(cells, "from m import one, two\n", "def f() = one()\ndef g() = two()\n")
    outcome = cells.run_named("m", "def two() = 2.0\n")
    assert [*outcome.refused] == ["one", "f"] and outcome.program is not None and dir(outcome.program) == ["g"]


def test_a_file_beside_the_notebook_is_imported(tmp_path: Path) -> None:
    (tmp_path / "near.dsl").write_text("def one() = 1.0\n", encoding="utf-8")
    outcome = Cells(tmp_path).run("import near\ndef f() = near.one()\n", "cell 1")
    assert outcome.program is not None and outcome.program.f.interpret() == 1.0


def test_a_new_import_concerns_nothing_else() -> None:
    cells = Cells()
    cells.run_named("m", "def one() = 1.0\n")
    cells.run_named("n", "def two() = 2.0\n")
    run(cells, "import m\n", "import n\ndef f() = m.one()\ndef g() = n.two()\n")
    assert cells.run("import optim\n", "cell 3").again == ()
    assert cells.run_named("m", "def one() = 3.0\n").again == ("f",)
    assert cells.run_named("m", "def one() = 3.0\n").again == ()


def test_what_imports_a_file_that_was_edited_is_checked_again(tmp_path: Path) -> None:
    (tmp_path / "far.dsl").write_text("def one() = 1.0\n", encoding="utf-8")
    (tmp_path / "near.dsl").write_text("import far\ndef one() = far.one()\n", encoding="utf-8")
    cells = Cells(tmp_path)
    run(cells, "import near\n", "def f() = near.one()\ndef g() = 1.0\n")
    assert cells.run("let a = 1\n", "cell 3").again == ()
    (tmp_path / "far.dsl").write_text("def one() = 2.0\n", encoding="utf-8")
    outcome = cells.run("let b = 1\n", "cell 4")
    assert outcome.again == ("f",) and outcome.program is not None and outcome.program.f.interpret() == 2.0


NAMES = "abcd"


@st.composite
def a_cell(draw: st.DrawFn) -> tuple[str, str | None, int]:
    """A definition: its name, an earlier name of the alphabet that it calls with one argument, and its parameters."""
    place = draw(st.integers(0, 3))
    return NAMES[place], draw(st.sampled_from([None, *NAMES[:place]])), draw(st.sampled_from([1, 1, 2]))


def fitting(known: dict[str, tuple[str | None, int]]) -> set[str]:
    """The names whose definitions fit: all that they call does, and takes one argument."""
    found: set[str] = set()
    for name in NAMES:
        callee, _ = known.get(name, (None, 0))
        if name in known and (callee is None or (callee in found and known[callee][1] == 1)):
            found.add(name)
    return found


@settings(max_examples=5)
@given(st.lists(a_cell(), min_size=3, max_size=5))
def test_after_any_cells_the_program_is_made_of_the_last_definitions(
    written: list[tuple[str, str | None, int]],
) -> None:
    cells, known = Cells(), dict[str, tuple[str | None, int]]()
    for name, callee, count in some(written):
        params = ", ".join([f"x{k}: f32" for k in range(count)])
        text = f"def {name}({params}) -> f32 = {f'{callee}(x0)' if callee else 'x0'}\n"
        if callee is None or (callee in fitting(known) and known[callee][1] == 1):
            program = cells.run(text, "cell").program
            known[name] = callee, count
            assert program is not None and {*dir(program)} == fitting(known)
        else:
            with pytest.raises(dsl.DslError):
                cells.run(text, "cell")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.dsl")), ids=lambda path: str(path.stem))
def test_places_of_a_notebook_are_those_of_its_cells(path: Path) -> None:
    cell = embedded_source("<cell>", path.read_text(encoding="utf-8"), 1)
    tree, _ = parse(cell)
    text = joined([*reversed(chunks_of(tree))])
    placed, _ = parse(text.source)
    assert placed.declarations
    for declaration in placed.declarations:
        span, written = declaration.span.placed, declaration.span.text
        one_of_several = isinstance(declaration, ast.FromImport) and span.text.endswith(written.split()[-1])
        assert span.source is cell and (span.text == written or one_of_several)
