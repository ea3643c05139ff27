"""The table of intrinsics, its documentation and the library agree."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import stdlib
from dsl.core.static_math import STATIC
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.staging import intrinsics
from dsl.staging.intrinsics.elementwise import ELEMENTWISE
from dsl.staging.intrinsics.linear import einsum
from dsl.staging.intrinsics.table import TABLE
from dsl.staging.values import as_atom
from dsl.types.dtype import F64

LIBRARY = Path(stdlib.__file__).parent
ONE = (
    *("exp", "log1p", "sqrt", "cbrt", "sin", "tanh", "sigmoid", "erf", "erf_inv", "lgamma", "digamma"),
    *("floor", "round", "sign", "abs"),
)


def test_every_intrinsic_is_documented() -> None:
    documented = set(re.findall(r"[a-z_][a-z_0-9]*", intrinsics.__doc__ or ""))
    assert sorted(set(TABLE) - documented) == []


def test_the_library_uses_known_intrinsics() -> None:
    used = {
        name
        for path in LIBRARY.rglob("*.dsl")
        for name in re.findall(r"\bintrinsic\.([a-z_0-9]+)\(", path.read_text(encoding="utf-8"))
    }
    assert used
    assert sorted(used - set(TABLE)) == []


@pytest.mark.parametrize("name", ONE)
def test_static_numbers_and_arrays_agree(name: str) -> None:
    for value in (-0.75, 0.25, 0.5):
        b = Builder()
        x = b.param(Tensor(F64))
        function = b.finish(name, [as_atom(ELEMENTWISE[name](b, x))])
        (found,) = evaluate(function, [np.asarray(value)])
        np.testing.assert_allclose(found, float(STATIC[name](value).real), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "spec",
    ["ij,jk->ik", "ij,jk", "ij->ji", "ij->", "ii->i", "ii", "bij,bjk->bik", "...ij,...jk->...ik", "i,j->ij"],
)
def test_einsum(spec: str) -> None:
    sizes = {"i": 3, "j": 3, "k": 4, "b": 2}
    terms = spec.partition("->")[0].replace("...", "b").split(",")
    random = np.random.default_rng(0)
    arrays = [random.normal(size=[sizes[c] for c in term]) for term in terms]
    b = Builder()
    params = [b.param(Tensor(F64, x.shape)) for x in arrays]
    function = b.finish("einsum", [as_atom(einsum(b, *params, spec=spec))])
    (found,) = evaluate(function, arrays)
    np.testing.assert_allclose(found, np.einsum(spec, *arrays), rtol=1e-12)
