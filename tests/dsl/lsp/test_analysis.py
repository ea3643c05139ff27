"""What a keystroke need not wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.lsp.analysis import Analysis
from typechecker.program import check

LAYERS = "def scale(x: f32[n]) -> f32[n] = 2.0 * x\n"
MODEL = "import layers\n\ndef twice(x: f32[n]) -> f32[n] = layers.scale(layers.scale(x))\n"


def test_diagnostics_do_not_wait_for_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(program: object) -> None:
        raise AssertionError("the program is put together")

    monkeypatch.setattr(check, "reachable", fail)
    analysis = Analysis()
    layers, model = tmp_path / "layers.dsl", tmp_path / "model.dsl"
    analysis.open(layers, LAYERS)
    analysis.open(model, MODEL)
    assert analysis.diagnostics(model) == []
    with pytest.raises(AssertionError, match="the program is put together"):
        _ = analysis.programs(model)[0].result.program
    analysis.open(layers, LAYERS.replace("scale", "shift"))
    assert [d.code for d in analysis.diagnostics(model)] == ["E0205"]
