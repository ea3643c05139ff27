"""`dsl plan`: layouts of the arguments of a function over a mesh, as a table or as data. Read next: `running`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from dsl.host.compiling.estimates import scaled
from dsl.host.machines.devices import devices, set_cpu_devices
from dsl.host.plans.layout import PlannedLayout
from dsl.host.plans.plan import Plan, planned
from dsl.host.results.shape_dtype_struct import stand_in_of
from dsl.tools.named_programs import Request
from dsl.tools.running import of_program, prepare, typical
from dsl.tools.specimens import size_of
from dsl.tools.words import pairs
from lowering.xla.places import Mesh


def print_plan(
    request: Request,
    mesh: Sequence[str],
    memory: str | None,
    platform: str,
    count: int,
    compiled: bool,
    as_json: bool,
) -> int:
    """Print layouts of a call of the function on the devices of a mesh."""
    words = pairs([word for words in mesh for word in words.split(",")], "--mesh")
    axes = {name: size_of(name, text) for name, text in words.items()}
    dispatcher, given, seed = prepare(request)
    function = of_program(dispatcher, request)
    arguments = {**typical(function, given, pairs(request.sizes, "--size"), stand_in_of), **seed}
    over = simulated(axes) if compiled and axes and min(axes.values()) >= 1 else axes
    plan = planned(function, over, arguments, memory, platform, count, compiled)
    print(json.dumps(data_of(plan), indent=2) if as_json else "\n".join(table(plan)))
    return 0


def simulated(axes: Mapping[str, int]) -> Mesh:
    """A mesh of devices that the CPU simulates."""
    count = prod(axes.values())
    set_cpu_devices(count)
    return Mesh(devices("cpu")[:count], **axes)


def data_of(plan: Plan) -> dict[str, object]:
    """Return a plan as plain data."""
    layouts = [{"rank": rank, **layout.data} for rank, layout in enumerate(plan.layouts, 1)]
    return {"mesh": dict(plan.mesh), "proven": plan.proven, "layouts": layouts}


def table(plan: Plan) -> Iterator[str]:
    """The layouts with what each takes on a device, and the definition of the first."""
    yield f"{'rank':>4}{'time':>11}{'operations':>14}{'at once':>12}{'sent':>12}  layout"
    for rank, layout in enumerate(plan.layouts, 1):
        yield from _rows(rank, layout)
    yield ""
    yield "# the best by the model" if plan.proven else "# the best of those that were looked at"
    yield from [f"# {edit}" for edit in plan.best.checkpoints]
    yield plan.best.definition


def _rows(rank: int, layout: PlannedLayout) -> Iterator[str]:
    first, *rest = [*layout.checkpoints, *layout.specs_text]
    sent = sum(layout.sent.values())
    numbers = f"{scaled(layout.flops).strip():>14}{scaled(layout.peak) + 'B':>12}{scaled(sent) + 'B':>12}"
    yield f"{rank:4}{layout.seconds * 1e3:8.3g} ms{numbers}  {first}"
    if layout.compiled is not None:
        taken = f"{scaled(layout.compiled.peak) + 'B':>12}{scaled(layout.compiled.sent) + 'B':>12}"
        yield f"{'compiled':>29}{taken}  {rest.pop(0) if rest else ''}".rstrip()
    yield from [f"{'':55}{each}" for each in rest]
