"""Every op with bodies on its samples: types, evaluation, slopes, transposes, batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Function
from dsl.ir.op import RegionOp, Sample
from dsl.ir.verify import verify
from dsl.ops.control import CUSTOM_VJP, WHILE
from dsl.ops.control.call import call
from dsl.ops.extent import constant
from dsl.ops.table import OPS
from dsl.transforms.expand import expand
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.vmap import vmap
from tests.support.cases import some
from tests.support.derivative import forward, vjp
from tests.support.programs import Array, slope

REGIONS = [(op, s) for op in OPS.values() if isinstance(op, RegionOp) for s in op.samples]
IDS = [f"{op.name}{i}" for i, (op, _) in enumerate(REGIONS)]


def evaluate(f: Function, xs: Sequence[Array]) -> list[Array]:
    """The results; what parts of `shard` say to each other has a meaning only when all are mapped."""
    return list(interp.evaluate(expand(f), xs))


def applied(op: RegionOp[Any], sample: Sample[Any]) -> Function:
    b = Builder()
    return b.finish(op.name, op(b, sample.params, *[b.param(t) for t in sample.inputs]))


def drawn(f: Function, sample: Sample[Any], seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.uniform(*sample.domain, t.shape)).astype(t.dtype.numpy) for t in f.param_types]


def inexact(f: Function, xs: list[Array]) -> list[Array]:
    return [x for x, t in zip(xs, f.param_types, strict=True) if t.dtype.is_inexact]


def fixed(f: Function, xs: list[Array], kept: list[int]) -> Function:
    """The function of the params in `kept`, the others being constants."""
    b = Builder()
    values = [
        b.param(t) if i in kept else constant(b, x, t.dtype)
        for i, (t, x) in enumerate(zip(f.param_types, xs, strict=True))
    ]
    return b.finish(f.name, call(b, f, values))


def test_every_op_with_bodies_but_the_one_that_cannot_run_has_samples() -> None:
    missing = [op.name for op in OPS.values() if isinstance(op, RegionOp) and not op.samples]
    assert missing == ["custom_linear"]


@pytest.mark.parametrize(("op", "sample"), REGIONS, ids=IDS)
def test_slopes_and_transposes(op: RegionOp[Any], sample: Sample[Any]) -> None:
    f = applied(op, sample)
    verify(f)
    xs = drawn(f, sample)
    directions = drawn(f, sample, 1)
    # Indices stay where they are while the others move.
    numbers = [i for i, t in enumerate(f.param_types) if t.dtype.is_inexact]
    want = slope(fixed(f, xs, numbers), [xs[i] for i in numbers], [directions[i] for i in numbers])
    if op is not CUSTOM_VJP:
        found = evaluate(forward(f).function, [*xs, *inexact(f, directions)])[len(f.results) :]
        for p, q in zip(found, want, strict=True):
            np.testing.assert_allclose(p, q, rtol=1e-6, atol=1e-8)
    if op is WHILE and sample.params.limit is None:
        return
    back = vjp(f, numbers)
    known = [*xs, *evaluate(back.primal, xs)]
    cts = [np.cos(known[len(xs) + i]) for i in range(len(f.results))]
    given = [known[i] for i in back.residuals]
    pulled = evaluate(back.pull, [*given, *[c for c, n in zip(cts, back.nonzero, strict=True) if n]])
    left = sum(float(np.sum(c * t)) for c, t in zip(cts, want, strict=True))
    right = sum(float(np.sum(p * d)) for p, d in zip(pulled, inexact(f, directions), strict=True))
    assert left == pytest.approx(right, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("op", "sample"), REGIONS, ids=IDS)
def test_batches(op: RegionOp[Any], sample: Sample[Any]) -> None:
    f = applied(op, sample)
    count = len(f.params)
    for mapped in some(range(1, 2**count)):
        axes = [0 if mapped >> i & 1 else None for i in range(count)]
        g = vmap(f, axes, [0] * len(f.results), 2)
        verify(g)
        draws = [drawn(f, sample, seed) for seed in (1, 2)]
        xs = [np.stack([d[i] for d in draws]) if axes[i] == 0 else draws[0][i] for i in range(count)]
        each = [evaluate(f, [x if a is None else x[k] for x, a in zip(xs, axes, strict=True)]) for k in (0, 1)]
        for h in (g, run(g, LOWERING, check=True)):
            for y, column in zip(some(evaluate(h, xs)), zip(*each, strict=True), strict=True):
                np.testing.assert_allclose(y, np.stack(column), rtol=1e-12)
