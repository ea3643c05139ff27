"""Help offers edits, and `test_corpus` sees that they remove their error: that there are many, and that one which does
not would be seen."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from dsl.diagnostics.diagnostic import Edit
from tests.support.corpus import ProgramText, read_programs
from tests.support.names_in_helps import bound_in, unknown_in
from tests.support.offered_edits import assert_edits_remove_their_errors, mended, offered

REFUSED = sorted((Path(__file__).parent / "cases" / "reject").glob("*.dsl"))


def test_many_errors_offer_edits() -> None:
    missing = {"E0201", "E0301", "E0302", "E0306", "E0401", "E0601", "E0603", "E0701"}
    others: set[str] = set()
    programs = [program for file in REFUSED for program in read_programs(file)]
    for program in Random(0).sample(programs, len(programs)):
        found = {error.code for error, _ in offered(program)}
        others |= found - missing
        missing -= found
        if not missing and len(others) >= 15:
            return
    pytest.fail(f"no edit is offered for {missing}, and for {others} alone beside them")


def test_an_edit_that_does_not_help_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    program = ProgramText("f", Path("f.dsl"), 1, {"": "def f(x: f32) -> f32 = meen(x)\n"})
    assert_edits_remove_their_errors(program)
    (error,) = program.errors()
    assert mended(program, error.help[0].edits).errors() == []
    useless = (Edit(error.primary.span, "maen"),)
    assert [e.code for e in mended(program, useless).errors()] == ["E0201"]
    monkeypatch.setattr("tests.support.offered_edits.mended", _misspell)
    with pytest.raises(AssertionError, match="maen"):
        assert_edits_remove_their_errors(program)


@pytest.mark.parametrize(
    ("code", "unknown"),
    [
        ("where(arange(at.shape[0]) < s, at, 0)", ["at", "at"]),
        ("with accum s: number do", ["number"]),
        ("let total = sum(s) + v", []),
        ("scan s = start for x in xs do (s, out)", []),
    ],
)
def test_a_name_of_no_scope_is_seen(code: str, unknown: list[str]) -> None:
    assert unknown_in(code, {"s"}, bound_in(code)) == unknown


def _misspell(program: ProgramText, edits: tuple[Edit, ...]) -> ProgramText:
    return mended(program, tuple([Edit(edit.span, "maen") for edit in edits]))


def _helps(text: str) -> list[str]:
    program = ProgramText("f", Path("f.dsl"), 1, {"": text})
    return [advice.text for error in program.errors() for advice in error.help]


@pytest.mark.parametrize("said", ["# k2 is for later", '    print("k2")', "# let (k1, k2) = split(k3)"])
def test_comments_and_strings_change_no_help(said: str) -> None:
    head = "from random import split, normal\n\ndef f(k: key) -> f32 ! io =\n    let (k1, k2) = split(k)\n"
    plain, told = [
        _helps(f'{head}    {line.strip()}\n    print("x")\n    normal(k1) + normal(k1)\n') for line in ("", said)
    ]
    assert plain == told == ["`k2` is not used yet: did you mean it?"]


def test_an_edit_that_does_not_remove_its_error_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x: f32) -> f32 = meen(x)\n"
    program = ProgramText("f", Path("f.dsl"), 1, {"": text})
    (error,) = program.errors()
    assert [edit.text for advice in error.help for edit in advice.edits] == ["mean"]
    monkeypatch.setattr("typechecker.errors.names.suggestion", lambda name, known: "maen")
    wrong = ProgramText("f", Path("f.dsl"), 1, {"": f"{text}\n"})
    (error,) = wrong.errors()
    assert [advice.text for advice in error.help] == ["did you mean `maen`?"]
    assert not any(advice.edits for advice in error.help)


def test_two_masks_that_are_alike_are_to_be_named_once() -> None:
    (help,) = _helps("def f(x: f32[n], y: f32[n]) = x[x > 0.0] + y[x > 0.0]\n")
    assert help.startswith("name the mask once")


def test_of_several_parts_none_is_the_mend() -> None:
    made = "def pair(x: f32) -> (f32, f32) = (x, exp(x))\ndef f(x: f32) -> f32 =\n    let p = pair(x)\n    p\n"
    program = ProgramText("f", Path("f.dsl"), 1, {"": made})
    (advice, *_) = [advice for error in program.errors() for advice in error.help]
    assert advice.text == "parts of that type: `p.0`, `p.1`"
    assert advice.edits == () and [option.text for option in advice.options] == ["p.0", "p.1"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("def f(static k: int? = none) -> f32 = f32(k)\n", "if k == none then … else k"),
        ("def f(x: f32[n]) -> f32 =\n    let y = x[x > 0.0]\n    max(y)\n", "if y.shape[0] >= 1 then max(y) else …"),
    ],
)
def test_a_value_that_the_program_decides_is_left_open(text: str, shown: str) -> None:
    program = ProgramText("f", Path("f.dsl"), 1, {"": text})
    (advice,) = [advice for error in program.errors() for advice in error.help]
    assert f"`{shown}`" in advice.text and advice.edits == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "type T[d] = {w: f32[d], step: i32}\ndef f(s: T[d], g: T[d], lr: f32) -> T[d] = s - lr * g\n",
            "`g.step` is `i32`: compute the other fields alone, as in `g.w`",
        ),
        ("def f(n: f32) -> f32 =\n    let y = y + n\n    y\n", "a name is not in scope in its own definition"),
        ("def f(x: f32[n], y: f32[n], w: f32) -> f32[n] = x + y * grad(sum)\n", ""),
        (
            "def f(x: f32[t, d], k: i32) -> f32[t, d] = where(arange(t) < k, x, 0.0)\n",
            "did you mean `where((arange(t) < k)[:, None], x, 0.0)`?",
        ),
        (
            "def f(x: f32[n], i: i32) -> f32 =\n    assert i >= 0\n    sum(x)\n",
            "declare it after the result: `-> f32 ! check`",
        ),
        (
            'def f(x: f32[n]) -> f32 = sum(x, spare="a => {}")\n',
            'it has no such option: leave `spare="a => {}"` out',
        ),
        ("def f(x: f32[n]) -> f32 = sum(x, R=0)\n", "it has no such option: leave `R=0` out"),
        ("def f(x: f32, static k: float?) -> f32 = x * k\n", "`k` may be `none`: provide a value for that case"),
        ("def f(x: f32, static b: bool?) -> f32 = if b then x else 0.0\n", "`b` may be `none`: provide a value"),
        (
            "def f(x: f32[n], static k: int?) -> f32[n] = (sum(x, axis=k), x)\n",
            "if that is what is meant, declare the result",
        ),
        (
            "type Model[n] = {w: f32[n], b: f32}\n## Maps x => y, with {} of it.\n"
            "def make(x: f32[n]) -> Model[n] = {w=x, b=0.0}\ndef use(m: Model[n]) -> f32 = sum(m.w) + m.b\n"
            "def g(x: f32[3]) -> f32 = use(x)\n",
            "`make(x)` makes one: maps x => y, with {} of it",
        ),
        (
            "def f(x: f32) -> f32 = if x > 0.0 then x\n",
            "an `if` is a value: write `else` and the value of the other case",
        ),
        (
            "def f(x: f32[n, d], label: i32) -> f32[d] = x[label]\n",
            "if `label` is always in bounds, as",
        ),
    ],
)
def test_words_of_what_no_edit_mends(text: str, said: str) -> None:
    helps = _helps(text)
    assert (helps and helps[0].startswith(said)) if said else not any("not used yet" in each for each in helps)


def test_what_a_check_of_bounds_is_for_is_said_of_no_other_check() -> None:
    bounds = _helps("def f(x: f32[n], i: i32) -> f32 = x[i]\n")
    called = _helps("def g(x: f32) -> f32 ! check =\n    assert x > 0.0\n    x\ndef f(x: f32) -> f32 = g(x)\n")
    assert bounds[1].startswith("if an index out of bounds is to stop the run, declare it after the result")
    assert called[0].startswith("declare it after the result")


def test_a_name_in_place_of_a_path_takes_all_of_it() -> None:
    text = "import stats\ndef f(x: f32[n]) -> f32[n] = stats . norm . cdf(x)\n"
    (error,) = (program := ProgramText("f", Path("f.dsl"), 1, {"": text})).errors()
    assert mended(program, error.help[0].edits).errors() == []
