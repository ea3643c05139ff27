"""`dsl.plan`: layouts of the arguments of a function over a mesh, the fastest first, within a memory.

Read next: `dsl.transforms.planning`, which searches; `definitions`, `compiled`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, prod
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from dsl import records
from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.settings import instance_of, integer, setting_error
from dsl.host.argument_errors import misused
from dsl.host.compiling.estimates import scaled
from dsl.host.functions.function import Function
from dsl.host.functions.transforms import axes_of_mesh, function_of, jit
from dsl.host.measures.costs import arguments_of, placed
from dsl.host.plans.byte_counts import byte_count
from dsl.host.plans.checkpoints import variants
from dsl.host.plans.compiled import Compiled, compiled
from dsl.host.plans.definitions import definition_of, passes
from dsl.host.plans.layout import PlannedLayout
from dsl.host.plans.specs import Cut, Leaf, leaves_of, tree_of
from dsl.ir.function import Function as IRFunction
from dsl.ops.named_axes import NamedAxisParams
from dsl.staging.values import Argument, DefValue, Value
from dsl.transforms.layout_facts import Layout
from dsl.transforms.planning import Answer, Found, Group, Machine, Question, score
from dsl.transforms.planning import plan as search
from dsl.types.type import TupleType, Type
from lowering.xla.places import Mesh

MACHINES: Mapping[str, Machine] = MappingProxyType(
    {"cpu": Machine(1e10, 1.5e9, 2e9, 5e-5), "gpu": Machine(1e14, 2e12, 1e11, 1e-5)}
)
"""What a device does in a second, roughly: that of one CPU shared among several, or a GPU or TPU of a data centre."""
_TRIED = 6
"""How often the bound of the search is lowered where what XLA compiles takes more memory than the model says."""


@dataclass(frozen=True)
class Plan:
    """Layouts of a call over the mesh, the fastest first by the model; `proven` says whether it has no better one."""

    __module__ = "dsl"

    mesh: Mapping[str, int]
    layouts: tuple[PlannedLayout, ...]
    proven: bool

    @property
    def best(self) -> PlannedLayout:
        """Return the first layout."""
        return self.layouts[0]

    def __str__(self) -> str:
        return "\n\n".join([f"{rank}. {each}" for rank, each in enumerate(self.layouts, 1)])


class _Staged(Struct, frozen=True):
    """A function placed on a mesh, its arrays by parameter and in the result, and what they are made of."""

    function: IRFunction
    ins: Mapping[str, Argument]
    result: Value
    leaves: tuple[Leaf, ...]
    made: tuple[Leaf, ...]


def plan(
    f: Function,
    mesh: Mesh | Mapping[str, int],
    sizes: Mapping[str, Any] = MappingProxyType({}),
    /,
    *,
    memory: str | int | None = None,
    platform: str = "gpu",
    count: int = 5,
    check_compiled: bool = False,
) -> Plan:
    """Propose layouts of the arguments of `f`, a function of a program, over a mesh such as `{"data": 4, "model": 2}`,
    that take no more than `memory` on each device. The devices need not exist. `sizes` are the sizes in the types of
    `f` and its static arguments, by name.

    A result that has the type of an argument lies as that does; others lie as they come out. With `check_compiled`, XLA
    compiles each layout for a mesh of existing devices (`dsl.Mesh`), and says what it sends and its memory. Raises
    `DslError` E1008 for what is no mesh, E1021 where no layout fits into the memory, `SettingError` E0919 for other
    options that are none.
    """
    function_of("plan", f)
    return planned(f, mesh, arguments_of(f, sizes), memory, platform, count, check_compiled)


def planned(
    f: Function,
    mesh: Mesh | Mapping[str, int],
    given: Mapping[str, Any],
    memory: str | int | None,
    platform: str,
    count: int,
    check_compiled: bool,
) -> Plan:
    """Propose layouts of a call with these arguments, of which only types matter."""
    if not isinstance(f.value, DefValue):
        raise misused("E0812", "`dsl.plan` takes a function of a program, without a transformation", f.definition)
    axes = axes_of_mesh(f, mesh)
    if not axes:
        raise misused("E1008", 'a mesh has at least one axis, as `{"data": 4, "model": 2}` has', f.definition)
    if instance_of("platform", platform, str) not in MACHINES:
        raise setting_error(f"`platform` is one of {', '.join(MACHINES)}, not {platform!r}")
    if instance_of("check_compiled", check_compiled, bool) and not isinstance(mesh, Mesh):
        raise setting_error("`check_compiled` compiles for devices: the mesh is a `dsl.Mesh` then")
    room = inf if memory is None else byte_count(memory, "memory")
    over = mesh if isinstance(mesh, Mesh) else None
    asked = _Asked(axes, given, MACHINES[platform], over, room, integer("count", count, 1), check_compiled)
    answer = _Planner(f, asked).answer()
    found = [answer, *_with_checkpoints(f, asked)] if answer.tight else [answer]
    layouts = [layout for each in found for layout in each.layouts]
    if not layouts:
        raise _nothing(f, room, min(each.least for each in found))
    best = sorted(layouts, key=asked.score)[:count]
    return Plan(axes, tuple(best), all(each.proven for each in found))


def _nothing(f: Function, room: float, least: int) -> DslError:
    found = f"the least that a layout was found to take is {scaled(least)}B"
    if least <= room:
        return misused("E1021", f"none of the layouts of `{f.__name__}` that fit can be written", f.definition)
    message = f"no layout of `{f.__name__}` fits into a memory of {scaled(int(room))}B: {found}"
    return misused("E1021", message, f.definition, "use more devices, or smaller sizes")


class _Asked(Struct, frozen=True):
    """The question about a function."""

    mesh: Mapping[str, int]
    given: Mapping[str, Any]
    machine: Machine
    over: Mesh | None
    room: float
    count: int
    check: bool
    looks: int = 2000

    def score(self, layout: PlannedLayout) -> float:
        """Return the score by the model, of the communication and the memory that XLA has compiled."""
        found, machine = layout.compiled, self.machine
        if found is None:
            return score(layout.seconds, layout.peak)
        talk = found.sent / machine.link + found.exchanges * machine.latency
        return score(layout.flops / machine.flops + layout.bytes / machine.memory + talk, found.peak)


class _Answer(Struct, frozen=True):
    """Layouts within the room; whether the fastest of all is not among them; the least memory that was seen; and
    whether nothing is better by the model."""

    layouts: tuple[PlannedLayout, ...]
    tight: bool
    least: int
    proven: bool


def _with_checkpoints(f: Function, asked: _Asked) -> Iterator[_Answer]:
    """The answers for the program with checkpoints."""
    for places, g in variants(f):
        found = _Planner(g, records.replace(asked, looks=asked.looks // 4)).answer()
        edits = tuple(map(str, places))
        yield records.replace(found, layouts=tuple([replace(each, checkpoints=edits) for each in found.layouts]))


class _Planner:
    """Plans one function."""

    def __init__(self, f: Function, asked: _Asked) -> None:
        self._f = f
        self._asked = asked
        self._staged = _staged(f, asked.mesh, asked.given)
        self._question = _question(self._staged, asked.mesh, asked.machine, f)
        self._measures: dict[str, Compiled] = {}

    def answer(self) -> _Answer:
        """The layouts within the room."""
        room = self._asked.room
        fastest = search(self._question, inf, self._asked.count, self._asked.looks)
        if self._asked.check:
            return self._compiled(fastest)
        tight = fastest.found[0].peak > room
        answer = search(self._question, room, self._asked.count, self._asked.looks) if room < inf else fastest
        return _Answer(tuple(self._shown(answer)), tight, answer.least, answer.proven)

    def _shown(self, answer: Answer) -> Iterator[PlannedLayout]:
        """The layouts that the checker accepts."""
        for found in answer.found:
            layout = self._layout(found)
            if passes(self._f, layout.definition):
                yield layout

    def _compiled(self, answer: Answer) -> _Answer:
        """Search within less and less by the model until what XLA compiles fits."""
        room, tight, least = self._asked.room, False, inf
        for _ in range(_TRIED):
            measured = [(each, self._measured(each)) for each in self._shown(answer)]
            least = min([each.peak for _, each in measured], default=least)
            fitting = [replace(layout, compiled=each) for layout, each in measured if each.peak <= room]
            if fitting or not measured:
                return _Answer(tuple(fitting), tight, int(least), answer.proven)
            tight, lowest = True, min(layout.peak for layout, _ in measured)
            bound = max(lowest * min([0.9, *[room / each.peak for _, each in measured]]), answer.least)
            if bound >= lowest:
                break
            answer = search(self._question, bound, self._asked.count, self._asked.looks)
        return _Answer((), True, int(least), answer.proven)

    def _measured(self, layout: PlannedLayout) -> Compiled:
        known = self._measures.get(layout.definition)
        if known is None:
            assert self._asked.over is not None
            made = jit(self._f, **layout.shardings(self._asked.over))
            known = self._measures[layout.definition] = compiled(made.compile(**self._asked.given))
        return known

    def _layout(self, found: Found) -> PlannedLayout:
        staged, names = self._staged, [axis.name for axis in self._question.mesh]
        ins, outs = ([_cut(layout, names) for layout in several] for several in (found.ins, found.outs))
        cuts = iter(ins)
        trees = {name: tree_of(argument, cuts) for name, argument in staged.ins.items()}
        result = tree_of(staged.result, iter(outs))
        lying = [*zip(staged.leaves, ins, strict=False), *zip(staged.made, outs, strict=False)]
        return PlannedLayout(
            found.work.flops,
            found.work.moved,
            found.peak,
            dict(found.work.sent),
            found.seconds,
            definition_of(self._f, self._asked.mesh, trees, result, lying),
            ins=trees,
            outs=result,
        )


def _cut(layout: Layout, names: Sequence[str]) -> Cut:
    places = {axis.name: place for axis, place in layout.items()}
    return Cut(tuple([(name, places[name]) for name in names if name in places]))


def _staged(f: Function, mesh: Mapping[str, int], given: Mapping[str, Any]) -> _Staged:
    function, staged, binding = placed(f, prod(mesh.values()), given)
    pairs = list(zip(f.signature.params, binding.args, strict=True))
    arrays = {p.name: argument for p, argument in pairs if p.counts and not p.static}
    leaves = [leaf for p, argument in pairs if p.name in arrays for leaf in leaves_of(p.name, argument, p.type)]
    made = leaves_of("result", staged.output, f.signature.result)
    return _Staged(function, arrays, staged.output, tuple(leaves), tuple(made))


def _question(staged: _Staged, mesh: Mapping[str, int], machine: Machine, f: Function) -> Question:
    """Arrays that lie alike are those of one name, whichever number of a list they have; results with the type of a
    parameter lie as it does."""
    groups: dict[str, list[int]] = {}
    for number, leaf in enumerate(staged.leaves):
        if leaf.sizes is not None:
            groups.setdefault(re.sub(r"\.\d+(?=\.|$)", ".*", leaf.name), []).append(number)
    types = staged.function.param_types
    alike = [
        Group(tuple(each), types[each[0]]) if len({types[k] for k in each}) == 1 else None for each in groups.values()
    ]
    single = [
        Group((k,), types[k]) for each, group in zip(groups.values(), alike, strict=True) if not group for k in each
    ]
    found = (*[group for group in alike if group is not None], *single)
    return Question(staged.function, _axes(mesh), found, dict(_ties(staged, f)), machine)


def _axes(mesh: Mapping[str, int]) -> tuple[NamedAxisParams, ...]:
    stride, found = prod(mesh.values()), list[NamedAxisParams]()
    for name, size in mesh.items():
        stride //= size
        if size > 1:
            found.append(NamedAxisParams(name, size, stride))
    return tuple(found)


def _ties(staged: _Staged, f: Function) -> Iterator[tuple[int, int | None]]:
    """For each result that is the next of an argument, the number of that; for one whose sizes the signature does not
    have, None: it is whole."""
    starts: dict[Type, str] = {}
    for parameter in f.signature.params:
        starts.setdefault(parameter.type, parameter.name)
    names = {leaf.name: number for number, leaf in enumerate(staged.leaves)}
    result = f.signature.result
    parts = {f"result.{k}": t for k, t in enumerate(result.parts)} if isinstance(result, TupleType) else {}
    known = {path: starts[t] for path, t in {"result": result, **parts}.items() if t in starts}
    for number, leaf in enumerate(staged.made):
        path = next((path for path in known if leaf.name == path or leaf.name.startswith(f"{path}.")), None)
        origin = None if path is None else names.get(known[path] + leaf.name.removeprefix(path))
        if origin is not None:
            yield number, origin
        elif leaf.sizes is None:
            yield number, None
