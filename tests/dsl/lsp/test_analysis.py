"""What a keystroke need not wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.lsp.analysis import Analysis
from typechecker.program import assembly

LAYERS = "def scale(x: f32[n]) -> f32[n] = 2.0 * x\n"
MODEL = "import layers\n\ndef twice(x: f32[n]) -> f32[n] = layers.scale(layers.scale(x))\n"


def test_diagnostics_do_not_wait_for_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(program: object) -> None:
        raise AssertionError("the program is put together")

    monkeypatch.setattr(assembly, "reachable", fail)
    analysis = Analysis()
    layers, model = tmp_path / "layers.dsl", tmp_path / "model.dsl"
    analysis.open(layers, LAYERS)
    analysis.open(model, MODEL)
    assert analysis.diagnostics(model) == []
    with pytest.raises(AssertionError, match="the program is put together"):
        _ = analysis.programs(model)[0].result.program
    analysis.open(layers, LAYERS.replace("scale", "shift"))
    assert [d.code for d in analysis.diagnostics(model)] == ["E0205"]


def test_files_near_by_are_indexed_before_a_request_needs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "layers.dsl").write_text(LAYERS)
    (tmp_path / "other.dsl").write_text(MODEL.replace("twice", "again"))
    (tmp_path / "unreadable.dsl").write_bytes(b"\xff")
    (tmp_path / ".#model.dsl").symlink_to("user@machine.1234")
    model = tmp_path / "model.dsl"
    analysis = Analysis()
    analysis.open(model, MODEL)
    count = 0
    while analysis.index_one(model):
        count += 1
    assert count == 4
    (tmp_path / "unreadable.dsl").unlink()
    monkeypatch.setattr("dsl.lsp.analysis.check_source", lambda *_: pytest.fail("a request checks a file"))
    (checked,) = analysis.programs(model)
    mention = checked.index.mention_at(MODEL.index("scale"))
    assert mention is not None
    files = [Path(found.span.source.name).stem for found in analysis.mentions(model, mention.symbol)]
    assert sorted(files) == ["layers", "model", "model", "other", "other"]
    analysis.open(model, MODEL + "# changed\n")
    monkeypatch.undo()
    assert analysis.index_one(model)
    assert not analysis.index_one(model)
