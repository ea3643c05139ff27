"""Placement: what is cut into parts is laid over devices, an equal share of the parts on each.

Only the outermost is; what is cut again inside of a part stays on its device, where `expand` maps it. Read next:
`dsl.ops.sharding.shard`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from operator import mul
from typing import Any

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function
from dsl.ir.region import Batched, Flags, NamedAxis
from dsl.ir.walk import bodies
from dsl.ops.sharding.parts import Mesh, count_parts
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import map_bodies
from dsl.transforms.vmap import batch


def outermost(function: Function) -> Iterator[Mesh]:
    """The meshes of what is cut into more than one part, and not inside of another such."""
    for equation in function.equations:
        mesh = _mesh(equation)
        if count_parts(mesh) > 1:
            yield mesh
        else:
            for body in bodies(equation):
                yield from outermost(body)


def _mesh(equation: Equation) -> Mesh:
    params: Any = equation.params
    return () if equation.op.place is None else params.mesh


def common_mesh(devices: int, meshes: Iterable[Sequence[int]]) -> tuple[int, ...] | None:
    """The sizes of a mesh of all devices of whose neighbouring axes those of each of the meshes are made; None if there
    is no such mesh."""
    counts = sorted({1, devices, *[count for sizes in meshes for count in accumulate(sizes, mul)]})
    pairs = list(pairwise(counts))
    return None if any(high % low for low, high in pairs) else tuple([high // low for low, high in pairs])


def place(function: Function, devices: int, memo: Memo | None = None) -> Function:
    """`function` on so many devices, among which the parts of everything that is `outermost` can be shared."""
    table = memo or Memo()
    return table.once(("place", function, devices), lambda: _place(function, devices, table))


def _place(function: Function, devices: int, memo: Memo) -> Function:
    def recur(body: Function, batched: Flags, force: Flags, size: int, axis: NamedAxis | None = None, /) -> Batched:
        return batch(body, batched, force, size, memo, axis)

    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in function.equations:
        moved = rename(equation, values)
        b.span = equation.span
        if moved.op.place is not None and count_parts(_mesh(moved)) > 1:
            outs = moved.op.place(b, moved, devices, recur)
            values.update(zip(equation.outputs, outs, strict=True))
        else:
            params = map_bodies(moved, lambda body: place(body, devices, memo))
            b.equations.append(Equation(moved.op, params, moved.inputs, moved.outputs, moved.span))
    results = tuple([values.get(r, r) for r in function.results])
    return Function(function.name, function.params, tuple(b.equations), results)
