"""`pmap` is `vmap` on several devices, and `shard` a `vmap` for each axis of its mesh: random programs whose elements
speak, under chains of transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.region import CannotTransform
from dsl.ir.verify import verify
from dsl.ops.collective import PPERMUTE, PSUM
from dsl.ops.control import CHECKPOINT, DOTS, CheckpointParams
from dsl.ops.control.call import call
from dsl.ops.elementwise import add, mul
from dsl.ops.layout import reduce_sum, reshape
from dsl.ops.named_axes import NamedAxisParams, PermuteParams
from dsl.ops.sharding.parts import Cut, Cuts, join_axis, split_axis, whole_type
from dsl.transforms.jvp import jvp
from dsl.transforms.pipeline import LOWERING, over_devices, run
from dsl.transforms.shard import pmap, shard
from dsl.transforms.vmap import vmap
from lowering.stablehlo.module import lower
from lowering.xla.backends import choice
from lowering.xla.compile import compile
from tests.support.cases import some
from tests.support.derivative import grad
from tests.support.programs import VECTOR, number, program, random_values
from tests.support.speaking_programs import AXIS, Mesh, row, speaking_program

pytestmark = pytest.mark.cpu

Array = np.ndarray[Any, Any]


def gradient(f: Function) -> Function:
    """Of the sum of the squares of all results, in all parameters."""

    def scalar(b: Builder, *xs: Atom) -> Atom:
        total: Atom = number(0.0)
        for y in call(b, f, xs):
            total = add(b, total, reduce_sum(b, mul(b, y, y), range(y.type.rank)))
        return total

    return grad(program(f.param_types, scalar), range(len(f.params)))


def tangents(f: Function) -> Function:
    return jvp(f, (True,) * len(f.params), (True,) * len(f.results)).function


def batched(f: Function) -> Function:
    return vmap(f, [0 if k % 2 else None for k in range(len(f.params))], [-1] * len(f.results), 2)


def remembered(f: Function) -> Function:
    return program(f.param_types, lambda b, *xs: CHECKPOINT(b, CheckpointParams(f, DOTS), *xs))


STEPS: tuple[Callable[[Function], Function], ...] = (gradient, tangents, batched, remembered)
Mapped = Callable[..., Function]


def made(over: Mapped, seed: int, size: int) -> Function:
    """A random program of `size` elements, mapped by `vmap` or `pmap` between transformations."""
    random = Random(seed)
    f = speaking_program(seed, row(size))
    for step in random.choices(STEPS, k=random.choice((0, 0, 1))):
        f = step(f)
    sources = [random.choice((0, -1, None)) for _ in f.params]
    sources[0] = 0
    f = over(f, sources, [random.choice((0, -1)) for _ in f.results], size, None, AXIS)
    for step in random.choices(STEPS, k=random.choice((0, 1, 2))):
        f = step(f)
    verify(f)
    return f


def on_devices(f: Function, count: int, values: Sequence[Array]) -> list[Array]:
    placed = run(f, over_devices(LOWERING, count), check=True)
    executable = compile(lower(placed, devices=count), devices=choice().devices)
    assert len(executable.place.devices) == count
    return [np.asarray(y) for y in executable(*values)]


def agree(found: Sequence[Array], wanted: Sequence[Array], seed: int) -> None:
    for x, y in zip(found, wanted, strict=True):
        assert np.all(np.isfinite(y)), seed
        np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-8, err_msg=str(seed))


@pytest.mark.parametrize("block", range(4))
def test_all_elements_on_one_device(block: int) -> None:
    for seed in some(range(10 * block, 10 * block + 10)):
        size = 1 + seed % 4
        f, same = made(pmap, seed, size), made(vmap, seed, size)
        values = random_values(seed, f.param_types)
        agree(evaluate(run(f, LOWERING, check=True), values), evaluate(run(same, LOWERING), values), seed)


@pytest.mark.parametrize("seed", range(12))
def test_elements_shared_out_over_devices(seed: int) -> None:
    count = (2, 4, 8)[seed % 3]
    size = count * (1 + (seed // 3) % 2 if count < 8 else 1)
    f, same = made(pmap, seed, size), made(vmap, seed, size)
    values = random_values(seed, f.param_types)
    agree(on_devices(f, count, values), evaluate(run(same, LOWERING), values), seed)


# --- meshes -----------------------------------------------------------------------------------------------


def lifted(f: Function) -> Function:
    """With results that have an axis."""
    return program(
        f.param_types, lambda b, *xs: tuple([y if y.type.rank else reshape(b, y, (1,)) for y in call(b, f, xs)])
    )


def random_cut(random: Random, type: Tensor, mesh: Mesh) -> Cut:
    return tuple([random.choice((None, *range(type.rank))) for _ in mesh])


def mapped(f: Function, mesh: Mesh, in_cuts: Cuts, out_cuts: Cuts) -> Function:
    """A `vmap` for each axis of the mesh, with the parts along axes of their own."""
    for k, axis in reversed(list(enumerate(mesh))):
        f = mapped_once(f, axis, [cut[k] for cut in in_cuts], [cut[k] for cut in out_cuts])
    return f


def mapped_once(
    f: Function, axis: NamedAxisParams, sources: Sequence[int | None], targets: list[int | None]
) -> Function:
    over = vmap(
        f,
        [None if a is None else 0 for a in sources],
        [None if a is None else 0 for a in targets],
        axis.size,
        None,
        axis.name,
    )
    types = [whole_type(p, (a,), (axis.size,)) for p, a in zip(f.param_types, sources, strict=True)]

    def write(b: Builder, *xs: Atom) -> tuple[Atom, ...]:
        own = zip(xs, f.param_types, sources, strict=True)
        outs = call(b, over, [split_axis(b, x, part, a, axis.size) for x, part, a in own])
        return tuple([y if a is None else join_axis(b, y, a, axis.size) for y, a in zip(outs, targets, strict=True)])

    return program(types, write)


def on_a_mesh(seed: int, mesh: Mesh) -> tuple[Function, Function]:
    """A random program over a mesh, between transformations, and the same of maps."""
    random = Random(seed)
    f = lifted(speaking_program(seed, mesh))
    for step in random.choices(STEPS, k=random.choice((0, 0, 1))):
        f = lifted(step(f))
    in_cuts = tuple([random_cut(random, t, mesh) for t in f.param_types])
    out_cuts = tuple([tuple([random.randrange(t.rank) for _ in mesh]) for t in f.result_types])
    sharded, same = shard(f, mesh, in_cuts, out_cuts), mapped(f, mesh, in_cuts, out_cuts)
    for step in random.choices(STEPS, k=random.choice((0, 1, 2))):
        sharded, same = step(sharded), step(same)
    verify(sharded)
    return sharded, same


def sizes_of(seed: int) -> Mesh:
    sizes = ((2, 2), (4, 2), (2, 4), (2, 2, 2), (1, 4))[seed % 5]
    return tuple([NamedAxisParams(name, size) for name, size in zip("ijk", sizes, strict=False)])


@pytest.mark.parametrize("seed", range(15))
def test_a_mesh_is_a_map_for_each_of_its_axes(seed: int) -> None:
    sharded, same = on_a_mesh(seed, sizes_of(seed))
    values = random_values(seed, sharded.param_types)
    wanted = evaluate(run(same, LOWERING), values)
    agree(evaluate(run(sharded, LOWERING, check=True), values), wanted, seed)
    if seed % 3 == 0:
        agree(on_devices(sharded, (4, 2, 4, 8, 4)[seed % 5], values), wanted, seed)


@pytest.mark.parametrize("seed", range(12))
def test_a_shard_in_a_pmap_is_a_map_in_a_map(seed: int) -> None:
    """With derivatives, batches and checkpoints between them."""
    row_of_two = (NamedAxisParams("k", 2),)

    def nested(over: Mapped, cut: Callable[[Function, Mesh, Cuts, Cuts], Function]) -> Function:
        random, mesh = Random(seed), sizes_of(0)
        f = lifted(speaking_program(seed, mesh + row_of_two, steps=4))
        in_cuts = tuple([random_cut(random, t, mesh) for t in f.param_types])
        f = cut(f, mesh, in_cuts, tuple([tuple([random.randrange(t.rank) for _ in mesh]) for t in f.result_types]))
        for step in random.choices(STEPS, k=random.choice((0, 1))):
            f = lifted(step(f))
        f = over(f, [0] * len(f.params), [0] * len(f.results), 2, None, "k")
        for step in random.choices(STEPS, k=random.choice((0, 1))):
            f = step(f)
        return f

    made, same = nested(pmap, shard), nested(vmap, mapped)
    verify(made)
    values = random_values(seed, made.param_types)
    wanted = evaluate(run(same, LOWERING), values)
    agree(evaluate(run(made, LOWERING, check=True), values), wanted, seed)
    if seed == 0:
        agree(on_devices(made, 2, values), wanted, seed)


@pytest.mark.parametrize("devices", [2, 4, 8])
def test_axes_are_shared_out_from_the_first_on(devices: int) -> None:
    mesh = sizes_of(1)
    f = program(
        (VECTOR,),
        lambda b, x: mul(b, x, PSUM(b, mesh[1], PPERMUTE(b, PermuteParams("i", 4, ((0, 1), (3, 0))), x)[0])[0]),
    )
    made = shard(f, mesh, ((0, 0),), ((0, 0),))
    values = random_values(0, made.param_types)
    agree(on_devices(made, devices, values), evaluate(run(made, LOWERING), values), devices)


def test_a_result_that_differs_along_an_axis_is_cut_along_it() -> None:
    mesh = sizes_of(0)
    f = program((VECTOR,), lambda b, x: PSUM(b, mesh[0], x)[0])
    shard(f, mesh, ((0, None),), ((None, None),))
    with pytest.raises(CannotTransform, match="along the axis `j`"):
        shard(f, mesh, ((0, 0),), ((None, None),))


def test_a_result_that_differs_needs_an_axis() -> None:
    square = program((VECTOR,), lambda b, x: mul(b, x, x))
    with pytest.raises(CannotTransform, match="differs between the elements"):
        pmap(square, (0,), (None,), 2)
