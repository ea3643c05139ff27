"""What is read of the processor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lowering.xla.processor import features, thread_count


def test_features_are_those_of_the_first_processor(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text("processor\t: 0\nflags\t\t: fpu avx512_vbmi2\n\nprocessor\t: 1\nflags\t\t: fpu\n")
    assert features(path) == {"fpu", "avx512_vbmi2"}
    path.write_text("processor : 0\nFeatures : fp asimd\n")
    assert not features(path)
    assert not features(tmp_path / "missing")


@pytest.mark.parametrize("given", ["3", " 3", "+3", "003"])
def test_the_threads_of_xla_are_those_that_the_environment_says(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPROC", given)
    assert thread_count() == 3


@pytest.mark.parametrize("given", [None, "", "0", "-5", "many", "1e1", "\u0663", "3000000000", "9" * 5000])
def test_other_numbers_of_threads_are_not_read(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPROC", raising=False)
    if given is not None:
        monkeypatch.setenv("NPROC", given)
    assert thread_count() == len(os.sched_getaffinity(0))
