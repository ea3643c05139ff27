"""An op that is mapped over an axis whose size a run decides is, once padded, the op mapped over the true size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Function
from dsl.ir.op import NotEvaluable, Op, Sample
from dsl.ir.region import CannotTransform, Problem
from dsl.ir.sizes import as_extent
from dsl.ops.table import OPS
from dsl.transforms.pad import pad_around
from dsl.transforms.vmap import vmap
from dsl.types.names import SizeVar
from dsl.types.size import Size
from tests.support.cases import some
from tests.support.op_samples import arrays_of, distinct

BOUND, TRUE = 3, 2
VAR = SizeVar(7001, "k", traced=True, bound=BOUND)
ALONE = ("with_sharding",)
"""An axis that is cut over devices has a size that every run shares."""
REFUSED = ("conv_general",)
"""Convolutions with a kernel for each element become one with that many groups, a static number."""
MAPPED = [
    op
    for op in OPS.values()
    if isinstance(op, Op) and op.effect is None and not isinstance(op.evaluate, NotEvaluable) and op.name not in ALONE
]


def function_of(op: Op[Any], sample: Sample[Any]) -> Function:
    b = Builder()
    xs = tuple([b.param(t) for t in sample.inputs])
    return b.finish(op.name, b.emit(op, sample.params, xs))


@pytest.mark.parametrize("op", MAPPED, ids=lambda op: op.name)
@pytest.mark.parametrize("rest", [float("nan"), 1e30])
def test_padding_does_not_reach_the_elements_of_a_map(op: Op[Any], rest: float) -> None:
    for sample in some(distinct(op)):
        function, count = function_of(op, sample), len(sample.inputs)
        if not count:
            continue
        over = [0] * count, [0] * len(function.results)
        arrays = [np.stack(parts) for parts in zip(*(arrays_of(op, sample) for _ in range(TRUE)), strict=True)]
        exact = evaluate(vmap(function, *over, TRUE), arrays)
        mapped = vmap(function, *over, as_extent(Size.of(VAR)))
        if op.name in REFUSED:
            with pytest.raises(CannotTransform) as refused:
                pad_around(mapped, [VAR], rest)
            assert refused.value.problem is Problem.NEEDS_SIZE
            continue
        padded = pad_around(mapped, [VAR], rest)
        found = evaluate(padded, [np.asarray(TRUE, np.int32), *map(filled, arrays)])
        for one, other in some(zip(exact, found, strict=True)):
            np.testing.assert_array_equal(one, other[:TRUE], err_msg=str(sample))


def filled(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array with rows behind its end that no element may see."""
    more = np.zeros((BOUND - TRUE, *array.shape[1:]), array.dtype)
    return np.concatenate([array, more])
