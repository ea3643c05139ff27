"""The C library is told what to keep, unless the environment has decided that."""

from __future__ import annotations

import pytest

from lowering.xla.freed_memory import AHEAD, APART, KEPT, keep


class Library:
    """A C library that remembers what it was told."""

    def __init__(self, agrees: int = 1) -> None:
        self.agrees = agrees
        self.told: list[tuple[int, int]] = []

    def mallopt(self, number: int, value: int) -> int:
        self.told.append((number, value))
        return self.agrees


def test_freed_memory_is_kept() -> None:
    library = Library()
    assert keep({}, library)
    assert sorted(library.told) == [(-3, APART), (-2, AHEAD), (-1, KEPT)]
    assert not keep({}, Library(agrees=0))


@pytest.mark.parametrize(
    "environment",
    [{"MALLOC_TRIM_THRESHOLD_": "1"}, {"MALLOC_MMAP_THRESHOLD_": "1"}, {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}],
)
def test_the_environment_decides_before(environment: dict[str, str]) -> None:
    library = Library()
    assert not keep(environment, library)
    assert not library.told
