"""`dsl.cost`: what a function takes on each device, from its IR alone: nothing is compiled, and no device is needed.

Read next: `dsl.transforms.estimate`, which adds up; `size_polynomials`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from dsl.core.core import Signature
from dsl.diagnostics.diagnostic import DslError
from dsl.host.argument_errors import Problem, argument_error, misused
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.shares import check_shares
from dsl.host.arguments.specimens import specimens
from dsl.host.arguments.static_arguments import static_value
from dsl.host.compiling.compile_errors import Progress, compiling
from dsl.host.compiling.estimates import scaled
from dsl.host.functions.function import Function
from dsl.host.functions.transforms import axes_of_mesh, function_of
from dsl.host.measures.size_polynomials import Measure, Polynomial, polynomials
from dsl.host.results.shape_dtype_struct import stand_in_of
from dsl.ir.function import Function as IRFunction
from dsl.ops.sharding.parts import count_parts
from dsl.staging.stage import Staged
from dsl.transforms.estimate import peak_of_spread
from dsl.transforms.layouts import spread_of
from dsl.transforms.pipeline import LOWERING, over_devices, run
from dsl.transforms.placement import outermost
from dsl.types.type import SIZE
from lowering.xla.places import Mesh


@dataclass(frozen=True)
class Estimate:
    """The cost of one call on each of `devices`: operations; bytes read and written if each op runs alone; peak memory;
    bytes sent to other devices, by axis."""

    __module__ = "dsl"

    devices: int
    flops: int
    bytes: int
    peak: int
    sent: Mapping[str, int]
    find_polynomials: Callable[[], Mapping[str, Polynomial]] = field(repr=False, compare=False)

    @cached_property
    def polynomials(self) -> Mapping[str, Polynomial]:
        """Return the costs that are polynomials in the sizes, by name. Finding them takes longer than the numbers."""
        return self.find_polynomials()

    def __str__(self) -> str:
        rows = [
            ("flops", f"{scaled(self.flops)}flops"),
            ("bytes", f"{scaled(self.bytes)}B read and written"),
            ("peak", f"{scaled(self.peak)}B at once"),
            *[(f"sent {name}", f"{scaled(count)}B sent along `{name}`") for name, count in self.sent.items()],
        ]
        return "\n".join([words + self._formula(name) for name, words in rows])

    def _formula(self, name: str) -> str:
        found = self.polynomials.get(name)
        return "" if found is None else f" = {found}"


def cost(f: Function, mesh: Mesh | Mapping[str, int] | None = None, /, **given: Any) -> Estimate:
    """Estimate the cost of a call of `f` on each device of a mesh such as `{"data": 4, "model": 2}`, or on one device.
    The devices need not exist. `given` are the sizes in the types of `f` and its static arguments, by name.

    Of a loop without a limit one step is counted, of a choice the larger branch; what XLA partitions is counted by its
    part as far as annotations reach, and what it fuses apart. Raises `DslError` E0812 for a name that is none of these,
    E0909 for what is no size, E1007 where the devices cannot share the parts equally.
    """
    function_of("cost", f)
    axes = axes_of_mesh(f, {} if mesh is None else mesh)
    given = _known(f, given)
    sizes = {name: value for name, value in given.items() if type(value) is int}
    return estimate(f, prod(axes.values()), sizes, lambda point: _arguments(f.signature, {**given, **point}))


def arguments_of(f: Function, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of `f` of which only types matter, from its sizes and its static arguments by name. Raises
    `DslError` E0812 for a name that is none of these, E0909 for what is no size."""
    return _arguments(f.signature, _known(f, given))


def _known(f: Function, given: Mapping[str, Any]) -> dict[str, Any]:
    known = [*[size.name for size in f.signature.sizes], *[p.name for p in f.signature.params if p.static]]
    for name in given:
        if name not in known:
            what = f"`{f.__name__}` has no size or static argument `{name}`; it has {', '.join(known) or 'none'}"
            raise misused("E0812", what, f.definition)
    return {**given, **_checked_sizes(f, given)}


def cost_of_call(f: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Estimate:
    """Estimate the cost of a call with these arguments on one device. Its polynomials are in the sizes of the types of
    `f`, as far as arguments of other sizes can be made."""
    values = f.binder.read(args, kwargs).values
    _, binding, _ = f.staged(args, kwargs)
    known = {} if binding.variables is None else binding.variables.sizes
    sizes = {size.name: known[size] for size in f.signature.sizes if type(known.get(size)) is int}
    statics = {p.name: values[p.name] for p in f.signature.params if p.static and p.name in values}

    def arguments(point: Mapping[str, int]) -> Mapping[str, Any]:
        return values if point == sizes else _arguments(f.signature, {**statics, **point})

    return estimate(f, 1, sizes, arguments)


def _checked_sizes(f: Function, given: Mapping[str, Any]) -> dict[str, Any]:
    """Raises `ArgumentError` E0909 for one that is no size."""
    names = [size.name for size in f.signature.sizes if size.name in given]
    try:
        return {name: static_value(given[name], SIZE, name) for name in names}
    except Problem as problem:
        raise argument_error([problem], f.definition) from None


def estimate(
    f: Function,
    devices: int,
    sizes: Mapping[str, int],
    arguments: Callable[[Mapping[str, int]], Mapping[str, Any]],
) -> Estimate:
    """Estimate the cost for arguments constructed from sizes."""

    def measure(point: Mapping[str, int]) -> dict[str, int]:
        return _measured(f, devices, arguments(point))

    found = measure(sizes)
    sent = {name.removeprefix("sent "): count for name, count in found.items() if name.startswith("sent ")}
    return Estimate(
        devices, found["flops"], found["bytes"], found["peak"], sent, lambda: next(_formulas(sizes, measure), {})
    )


def _formulas(sizes: Mapping[str, int], measure: Measure) -> Iterator[dict[str, Polynomial]]:
    """From sizes below those that are given where these can be divided, as meshes do, then from larger ones."""
    eighths = {name: size // 8 if size % 64 == 0 else size for name, size in sizes.items()}
    for units in (eighths, sizes):
        with suppress(DslError):
            yield polynomials(units, measure)


def _measured(f: Function, devices: int, arguments: Mapping[str, Any]) -> dict[str, int]:
    function, _, _ = placed(f, devices, arguments)
    spread = spread_of(function)
    sent = {f"sent {name}": sent for name, sent in spread.work.sent}
    return {"flops": spread.work.flops, "bytes": spread.work.moved, "peak": peak_of_spread(spread), **sent}


def placed(f: Function, devices: int, arguments: Mapping[str, Any]) -> tuple[IRFunction, Staged, Binding]:
    """Return the IR of a call on so many devices, ready to be lowered. Raises `DslError` E1007 where these cannot share
    its parts equally."""
    staged, binding, _ = f.staged((), {**arguments, **({"key": 0} if f.draws else {})})
    meshes = list(outermost(staged.function))
    count = min([devices, *map(count_parts, meshes)])
    try:
        check_shares(meshes, count, "")
    except Problem as problem:
        raise argument_error([problem], f.definition) from None
    with compiling(f.__name__, Progress()):
        return run(staged.function, over_devices(LOWERING, count)), staged, binding


def _arguments(signature: Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    statics = {p.name: given[p.name] for p in signature.params if p.static and p.name in given}
    sizes = {size: given[size.name] for size in signature.sizes if size.name in given}
    sizes |= {p.size: given[p.name] for p in signature.params if p.size is not None and p.name in given}
    return {**statics, **specimens(signature, sizes, stand_in_of)}
