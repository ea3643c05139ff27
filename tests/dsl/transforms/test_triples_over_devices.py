"""A slice of the compositions of three transformations over devices; `make fuzz` takes all of them."""

from __future__ import annotations

import pytest

from tests.dsl.transforms.triples_over_devices import TRIPLES, compare

pytestmark = pytest.mark.cpu


@pytest.mark.parametrize("seed", range(0, len(TRIPLES), 19))
def test_a_composition_equals_that_of_maps(seed: int) -> None:
    compare(seed, devices=2 if seed % 4 == 0 else 1)
