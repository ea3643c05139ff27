"""A slice of `every_composition`."""

from __future__ import annotations

import pytest

from tests.dsl.transforms.every_composition import failures


@pytest.mark.parametrize("seed", range(12))
def test_every_composition_of_up_to_three(seed: int) -> None:
    assert list(failures(seed)) == []
