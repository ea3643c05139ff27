"""What is said of a program's work, memory and time."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dsl
from dsl.__main__ import execute
from dsl.tools.compile_times import by_pass
from lowering.xla.hlo_places import places

TEXT = """
def energy(x: f32[n, n]) -> f32 =
    let y = x @ x
    sum(tanh(y))
"""
X = np.ones((64, 64), np.float32)


def test_cost_and_memory_are_said_in_words() -> None:
    energy = dsl.program(TEXT).energy
    cost, memory = energy.cost(X), energy.memory(X)
    assert cost["flops"] >= 2 * 64**3
    assert str(cost).startswith(f"{cost['flops'] / 1e3:.3g} k operations, 4.1 k values of functions such as exp, ")
    assert (memory.arguments, memory.results) == (4 * 64**2, 4)
    assert memory.peak >= memory.arguments + memory.results
    assert "16.4 kB arguments, 4 B results" in str(memory)


def test_a_profile_has_the_lines_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.dsl").write_text(TEXT)
    np.savez(tmp_path / "x.npz", x=X)
    words = ["run", str(tmp_path / "m.dsl"), "--input", str(tmp_path / "x.npz"), "--profile", str(tmp_path / "out")]
    assert execute(words) == 0
    assert "result" in capsys.readouterr().out
    (trace,) = (tmp_path / "out").rglob("*.trace.json.gz")
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    sources = {event["args"]["source"] for event in events if "source" in event.get("args", {})}
    assert any(f"{tmp_path / 'm.dsl'}:3" in source for source in sources), sources
    assert any("(m.dsl:3" in event.get("name", "") for event in events)


def test_one_profile_at_a_time(tmp_path: Path) -> None:
    with dsl.profile(tmp_path), pytest.raises(RuntimeError), dsl.profile(tmp_path):
        pass


def test_a_fusion_has_the_lines_of_what_is_fused() -> None:
    text = """HloModule f, is_scheduled=true

%fused (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  %a = f32[2]{0} sine(%p), metadata={source_file="m.dsl" source_line=2}
  ROOT %b = f32[2]{0} exponential(%a), metadata={source_file="<stdlib>/prelude.dsl" source_line=9}
}

ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  ROOT %fusion.1 = f32[2]{0} fusion(%x), kind=kLoop, calls=%fused, metadata={source_file="m.dsl" source_line=5}
}
"""
    module, found = places(text)
    assert module == "f"
    assert found == {"a": ["m.dsl:2"], "b": ["<stdlib>/prelude.dsl:9"], "fusion.1": ["m.dsl:2", "m.dsl:5"]}


def test_a_pass_is_charged_without_those_it_starts() -> None:
    events = [("all", 0.0, 10.0), ("first", 1.0, 4.0), ("inner", 2.0, 1.0), ("second", 6.0, 3.0), ("first", 9.5, 0.5)]
    found = by_pass([events, [("all", 0.0, 1.0)]])
    assert found == {"all": 3.5, "first": 3.5, "inner": 1.0, "second": 3.0}


def test_compile_times_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.dsl").write_text(TEXT)
    assert execute(["explain-compile", str(tmp_path / "m.dsl"), "--size", "n=4"]) == 0
    first, *passes = capsys.readouterr().out.splitlines()
    assert first.startswith("energy: ") and first.endswith(" s of all threads in XLA")
    assert len(passes) == 15 and all(" s " in line and " %  " in line for line in passes)


def test_compile_times_of_programs_that_call_lapack(tmp_path: Path) -> None:
    """In a process of its own: another test may have told XLA of the library."""
    (tmp_path / "m.dsl").write_text("import linalg\ndef f(x: f64[n, n]) -> f64[n] = linalg.eigvalsh(x)\n")
    command = [sys.executable, "-m", "dsl", "explain-compile", str(tmp_path / "m.dsl"), "f", "-n", "n=3"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.startswith("f: ")
