"""A whole function as a StableHLO module: `lower(function)` gives text that XLA compiles.

Knows nothing of any op: `registry` says which rule writes which. Read next: `context`, then one family.
"""

from __future__ import annotations

import re
from collections import ChainMap, Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from math import prod
from typing import TypeAlias

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.walk import equations
from dsl.ops.foreign import ForeignParams
from dsl.ops.sharding.shard import ShardParams
from dsl.ops.sharding.with_sharding import ShardingParams
from dsl.transforms.placement import common_mesh
from dsl.types.process_settings import paused_collector
from lowering.lowered import CPU, FUSIBLE, RUN_TYPE, Callback, CompileHints, Lowered, Tilings
from lowering.stablehlo import collective
from lowering.stablehlo.apart import Fences, apart_ahead, emit_apart, fence
from lowering.stablehlo.context import RUN, TOKEN, Context, Locations
from lowering.stablehlo.control import PREDICATE, emit_barrier, switch
from lowering.stablehlo.guarded import Guarded, planned
from lowering.stablehlo.in_place import NOWHERE, Places, places
from lowering.stablehlo.kept import keep_shared, shared
from lowering.stablehlo.registry import rules_for
from lowering.stablehlo.regrouped import is_regrouped
from lowering.stablehlo.waves import emit_any_far, emit_formula, is_guarded
from lowering.stablehlo.work import is_beside_libraries, is_computed_where_used, mean_elements
from lowering.tiling import Tiling, tiling

Settle: TypeAlias = Callable[[ForeignParams], ForeignParams]
"""Makes functions of another compiler, which are for all sizes, ones for the sizes of a call."""


def lower(
    function: Function,
    *,
    locations: bool = True,
    donate: Collection[int] = (),
    devices: int = 1,
    laid: tuple[Tilings, Tilings] | None = None,
    settle: Settle | None = None,
    platform: str = CPU,
) -> Lowered:
    """Writes `function` as a module with one public `@main`.

    `locations` gives every operation its source place. The buffers of the parameters numbered in `donate` may
    be reused by the results: the caller gives them up. The function is one program over `devices`, whose parameters and
    results lie as `laid` says, or as what is done on each device wants them. `settle` is for functions of another
    compiler that are for all sizes: it gives them at those of a call. `platform` is that of the devices: each has
    routines of its own.
    """
    with paused_collector():
        return _lower(function, locations, donate, devices, laid, settle, platform)


def _lower(
    function: Function,
    locations: bool,
    donate: Collection[int],
    devices: int,
    laid: tuple[Tilings, Tilings] | None,
    settle: Settle | None,
    platform: str,
) -> Lowered:
    params, results = ((), ()) if devices == 1 else laid or laid_out(function, devices)
    meshes = [[axis.size for axis in params.mesh] for _, params in _placed(equations(function))]
    mesh = common_mesh(devices, [*meshes, *[[count for count, _ in cut] for cut in (*params, *results)]])
    assert mesh is not None, "what is placed together fits one mesh"
    boundary = _boundary(function, donate, params, results, mesh)
    found = _places(function, devices, platform)

    used = Writer(Locations() if locations else None, mesh, settle, platform, found)
    text = used.module(function, boundary)
    return Lowered(
        name=function.name,
        text=text,
        param_types=function.param_types,
        result_types=function.result_types,
        callbacks=tuple(used.callbacks),
        donated=tuple(sorted(donate)),
        devices=devices,
        param_tilings=params,
        result_tilings=results,
        hints=used.hints(function),
        platform=platform,
    )


def _places(function: Function, devices: int, platform: str) -> Places:
    """Return where a program computes its results. Kernels that read by joined axes count as in place: they suit the
    same emitters. Over several devices none is kept apart: the first element of an array lies on one of them, which
    would have to send it to the others."""
    if platform != CPU:
        return NOWHERE
    if is_regrouped(function):
        return Places(True, {})
    found = places(function)
    return Places(True, {}) if found.apart and devices > 1 else found


def _opening(name: str, mesh: Sequence[int]) -> str:
    symbol = re.sub(r"\W", "_", name)
    if not mesh:
        return f"module @{symbol} {{"
    counts = f"mhlo.num_partitions = {prod(mesh)} : i32, mhlo.num_replicas = 1 : i32"
    return f"module @{symbol} attributes {{{counts}}} {{\n{collective.mesh(mesh)}"


def _placed(found: Iterable[Equation]) -> Iterator[tuple[Equation, ShardParams | ShardingParams]]:
    """Yield the equations that partition values among devices."""
    for equation in found:
        if isinstance(equation.params, ShardParams | ShardingParams):
            yield equation, equation.params


def laid_out(function: Function, devices: int) -> tuple[Tilings, Tilings]:
    """How parameters and results lie: as they are cut for the devices, and whole where nothing is said."""
    found: dict[Atom, Tiling] = {}
    whole = tiling([(devices, None)])
    for equation, params in _placed(function.equations):
        pairs = zip((*equation.inputs, *equation.outputs), (*params.in_cuts, *params.out_cuts), strict=True)
        for atom, cut in pairs:
            if any(axis is not None for axis in cut):
                found.setdefault(atom, collective.tiling_of(cut, params.mesh, devices))
    lists = (function.params, function.results)
    of_params, of_results = (tuple([found.get(atom, whole) for atom in atoms]) for atoms in lists)
    return of_params, of_results


@dataclass(frozen=True, slots=True)
class Boundary:
    """The attributes of parameters and results, as text; none at all if there are none."""

    params: Sequence[str] = ()
    results: Sequence[str] = ()
    run: str = ""


def _boundary(
    function: Function, donate: Collection[int], params: Tilings, results: Tilings, mesh: Sequence[int]
) -> Boundary:
    where = [collective.lies(t, cut, mesh) for t, cut in zip(function.param_types, params, strict=False)]
    donors = ["jax.buffer_donor = true" if k in donate else "" for k in range(len(function.params))]
    of_params = [", ".join(filter(None, pair)) for pair in zip_longest(donors, where, fillvalue="")]
    of_results = [collective.lies(t, cut, mesh) for t, cut in zip(function.result_types, results, strict=False)]
    of_run = collective.lies(RUN_TYPE, tiling([(prod(mesh), None)]), mesh) if mesh else ""
    attributes = [[f" {{{text}}}" if text else "" for text in texts] for texts in (of_params, of_results, [of_run])]
    return Boundary(attributes[0], attributes[1], attributes[2][0])


class Writer:
    """One module being written: private functions, callbacks and source places, shared by all its bodies."""

    def __init__(
        self,
        locations: Locations | None,
        mesh: tuple[int, ...],
        settle: Settle | None = None,
        platform: str = CPU,
        places: Places = NOWHERE,
    ) -> None:
        self.locations = locations
        self.mesh = mesh
        self.platform = platform
        self._rules = rules_for(platform)
        self._settle = settle
        self._places = places
        self._fences: Fences = {}
        self.callbacks: list[Callback] = []
        self.pointwise = 0
        self.keeps_parts = False
        self.is_guarded = False
        self.long: dict[Function, bool] = {}
        self._privates: dict[Function, str] = {}
        self._private_lines: list[str] = []
        self._included: set[str] = set()
        self._io: dict[Function, bool] = {}
        self._numbers: dict[Equation, int] = {}
        self._readers: dict[Function, Mapping[Atom, int]] = {}

    def module(self, function: Function, boundary: Boundary) -> str:
        """The text of the whole module, whose public function this is."""
        main = [*self.function(function, "main", "public", boundary), *self._private_lines, *self._written_fences()]
        definitions = () if self.locations is None else self.locations.definitions()
        lines = [_opening(function.name, self.mesh), *main, "}", *definitions, ""]
        return "\n".join(lines)

    @property
    def in_place(self) -> bool:
        """Return whether the program, as far as it is written, computes many elements in the place of others. Results
        are kept apart only if all can be, in a program that XLA fuses."""
        in_place = self._places.in_place or self.keeps_parts
        return in_place or bool(self._places.apart and self.pointwise > FUSIBLE)

    def hints(self, function: Function) -> CompileHints:
        """Return what decides how XLA compiles the function, once it is written."""
        elements, is_minor = mean_elements(function), is_beside_libraries(function)
        return CompileHints(self.pointwise, elements, self.in_place, is_minor, self.is_guarded)

    def _written_fences(self) -> Iterator[str]:
        for (type, source), name in self._fences.items():
            yield from fence(Context(self, None), name, type, source, not self.in_place)

    def function(self, function: Function, name: str, visibility: str, boundary: Boundary) -> list[str]:
        """The lines of one function. A private one that prints takes a token first and returns one first; each that
        prints takes the number of the run last."""
        cx = Context(self, self.locations)
        io = self.has_io(function)
        threaded = io and visibility == "private"
        cx.is_at_top = visibility == "public"
        operands = [f"%a{number}" for number in range(len(function.params))]
        given = zip_longest(operands, map(cx.type, function.param_types), boundary.params, fillvalue="")
        header = [f"{operand}: {type}{attributes}" for operand, type, attributes in given]
        if io:
            header.append(f"{RUN}: {cx.type(RUN_TYPE)}{boundary.run}")
            cx.token = "%token" if threaded else cx.emit(f"stablehlo.create_token : {TOKEN}")
        results = list(self.inline(cx, function, operands))
        types = [cx.type(t) for t in function.result_types]
        targets = [f"{type}{attributes}" for type, attributes in zip_longest(types, boundary.results, fillvalue="")]
        if threaded:
            header, results = [f"%token: {TOKEN}", *header], [str(cx.token), *results]
            types, targets = [TOKEN, *types], [TOKEN, *targets]
        end = f"return {', '.join(results)} : {', '.join(types)}" if types else "return"
        opening = f"func.func {visibility} @{name}({', '.join(header)}) -> ({', '.join(targets)}) {{"
        return [opening, *cx.lines, end, "}"]

    def inline(self, cx: Context, body: Function, operands: Sequence[str]) -> tuple[str, ...]:
        """The body in the place of its use. It is closed, and may have values in common with what is around it."""
        around = cx.body, cx.names, cx.made
        names: dict[Var, str] = dict(zip(body.params, operands, strict=True))
        made: dict[Atom, Equation] = {}
        cx.body, cx.names, cx.made = body, names, made
        long = shared(cx, body) if cx.is_for_cpu else ()
        for step in planned(body) if cx.is_for_cpu else body.equations:
            if isinstance(step, Guarded):
                names.update(zip(step.results, self._guarded(cx, step), strict=True))
            else:
                self._write(cx, step)
                keep_shared(cx, step, long)
        results = tuple([cx.operand(atom) for atom in body.results])
        cx.body, cx.names, cx.made = around
        cx.pointwise += sum(map(is_computed_where_used, body.equations))
        self.pointwise = max(self.pointwise, cx.pointwise)
        return results

    def _write(self, cx: Context, equation: Equation, by_formula: bool = False) -> None:
        """One equation, whose operands have names."""
        names, operand_of = cx.names, cx.operand
        self._locate(cx, equation)
        sources, place = self._places.apart.get(equation, ()), None
        if by_formula and is_guarded(equation):
            outputs: Sequence[str] = [emit_formula(cx, equation)]
        else:
            inputs = [names[x] if type(x) is Var else operand_of(x) for x in equation.inputs]
            if sources and (place := apart_ahead(equation)) is not None:
                inputs[place] = emit_apart(cx, self._fences, inputs[place], equation.inputs[place].type, sources)
            outputs = self._rules[equation.op.name](cx, equation.params, equation, inputs)
        if sources and place is None:
            outputs = [emit_apart(cx, self._fences, outputs[0], equation.outputs[0].type, sources)]
        names.update(zip(equation.outputs, outputs, strict=True))
        cx.made.update(dict.fromkeys(equation.outputs, equation))

    def _locate(self, cx: Context, equation: Equation) -> None:
        """Say where in the source what is written next comes from."""
        if self.locations is not None:
            cx.where = "" if equation.span is None else self.locations.suffix(equation.span)

    def _guarded(self, cx: Context, section: Guarded) -> Sequence[str]:
        """Equations under a test, in two branches. Their results are in memory, so nothing counts as made by them."""
        self._locate(cx, section.waves[0])
        far = emit_any_far(cx, section.waves)
        self.is_guarded = True
        types = [y.type for y in section.results]
        branches = [partial(self._section, cx, section, by_formula) for by_formula in (False, True)]
        found = switch(cx, False, far, PREDICATE, types, branches)
        for equation in section.equations:
            for y in equation.outputs:
                del cx.made[y]
        return found

    def _section(self, cx: Context, section: Guarded, by_formula: bool, inner: Context) -> Sequence[str]:
        """One branch. Behind a barrier XLA does not compute both, and select. What is kept in memory is not computed
        again."""
        inner.body, inner.names, inner.made = cx.body, ChainMap({}, cx.names), cx.made
        for equation in section.ahead:
            if not cx.made.keys().isdisjoint(equation.outputs):
                self._write(inner, equation)
        if not by_formula:
            arguments = [x for x in dict.fromkeys(w.inputs[0] for w in section.waves) if isinstance(x, Var)]
            fenced = emit_barrier(inner, [inner.names[x] for x in arguments], [x.type for x in arguments])
            inner.names.update(zip(arguments, fenced, strict=True))
        for equation in section.equations:
            self._write(inner, equation, by_formula)
        return [inner.names[y] for y in section.results]

    def private(self, body: Function) -> str:
        name = self._privates.get(body)
        if name is None:
            name = self._privates[body] = f"f{len(self._privates)}"
            self._private_lines += self.function(body, name, "private", Boundary())
        return name

    def include(self, functions: str) -> None:
        if functions not in self._included:
            self._included.add(functions)
            self._private_lines.append(functions)

    def readers(self, body: Function) -> Mapping[Atom, int]:
        known = self._readers.get(body)
        if known is None:
            read = [x for equation in body.equations for x in {*equation.inputs} if type(x) is Var]
            known = self._readers[body] = Counter(read)
        return known

    def settled(self, params: ForeignParams) -> ForeignParams:
        assert self._settle is not None, "a program with functions for all sizes is lowered by what can settle them"
        return self._settle(params)

    def callback(self, equation: Equation) -> int:
        number = self._numbers.get(equation)
        if number is None:
            number = self._numbers[equation] = len(self.callbacks)
            self.callbacks.append(Callback(equation, tuple([x.type for x in equation.inputs])))
        return number

    def has_io(self, body: Function) -> bool:
        known = self._io.get(body)
        if known is None:
            known = self._io[body] = any(map(self._prints, body.equations))
        return known

    def _prints(self, equation: Equation) -> bool:
        bodies = getattr(equation.op, "bodies", None)
        if bodies is not None:
            return any(map(self.has_io, bodies(equation.params)))
        return getattr(equation.op, "effect", None) == "io"
