"""What is read of the processor."""

from __future__ import annotations

from pathlib import Path

from lowering.xla.processor import features


def test_features_are_those_of_the_first_processor(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text("processor\t: 0\nflags\t\t: fpu avx512_vbmi2\n\nprocessor\t: 1\nflags\t\t: fpu\n")
    assert features(path) == {"fpu", "avx512_vbmi2"}
    path.write_text("processor : 0\nFeatures : fp asimd\n")
    assert not features(path)
    assert not features(tmp_path / "missing")
