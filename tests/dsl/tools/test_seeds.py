"""Functions that draw random numbers, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import dsl
from dsl.tools.named_programs import Request
from dsl.tools.running import print_ir, print_lowered, run_function

TEXT = """
from random import normal
def draws(static n: int) -> f32[n] ! rand where n >= 0 = normal(fresh_key(), [n])
def takes(k: key) -> f32 = normal(k)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.dsl"
    path.write_text(TEXT)
    return path


def test_a_seed_is_an_argument(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    m = dsl.load(program)
    run_function(Request(program, "draws", statics=("n=1",), scalars=("key=7",)), None)
    assert f"{float(m.draws(1, key=7)[0]):.5f}"[:6] in capsys.readouterr().out
    run_function(Request(program, "takes", scalars=("k=7",)), None)
    assert f"{float(m.takes(dsl.key(7))):.5f}"[:6] in capsys.readouterr().out


def test_no_seed_is_refused(program: Path) -> None:
    for scalars in ((), ("key=x",)):
        with pytest.raises(dsl.ArgumentError) as caught:
            run_function(Request(program, "draws", statics=("n=1",), scalars=scalars), None)
        assert caught.value.code == "E0914"


def test_types_need_no_seed(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_ir(Request(program, "draws", statics=("n=3",)), "text")
    assert "f32[3]" in capsys.readouterr().out
    print_lowered(Request(program, "draws", statics=("n=3",)), "stablehlo")
    assert "tensor<3xf32>" in capsys.readouterr().out
