"""The options of `dsl.jit`: which arguments are donated, the shardings of arrays, and the effort of compiling.

A tree of shardings follows the containers of an argument or a result, and may end before the leaves. Between the
boundaries XLA decides how values lie, and which collectives that takes. Read next: `compiler`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import TRANSFORMATIONS
from dsl.host.argument_errors import misused
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Devices, Where
from dsl.host.arguments.pytree import flatten
from dsl.host.arguments.shares import check_shares
from dsl.host.calls.call_binder import Callee
from dsl.host.calls.faults import explained_faults
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.checking.function_terms import term_of
from dsl.host.compiling.compile_errors import Progress, lower_program
from dsl.host.functions.compiler import Way
from dsl.host.functions.function import Function, restored
from dsl.ir.function import Tensor
from dsl.staging.stage import Staged
from dsl.staging.values import FunctionValue, Missing, RecordValue, Slot, Transformed, TupleValue, Value, leaves
from dsl.transforms.placement import outermost
from lowering.lowered import Lowered as StableHLO
from lowering.tiling import Tiling, tiling
from lowering.xla import device_errors
from lowering.xla.array import Array
from lowering.xla.compile import Effort
from lowering.xla.places import Sharding, format_devices

Shardings: TypeAlias = "Sharding | Sequence[Shardings] | Mapping[str, Shardings] | None"


class Fields(Struct, frozen=True):
    """Shardings of a record, by field."""

    parts: tuple[tuple[str, Laid], ...]


Laid: TypeAlias = "Sharding | tuple[Laid, ...] | Fields | None"
"""How the arrays of a tree lie; whole on all devices where that is None."""


class Tailoring(Struct, frozen=True):
    """`donated`: parameters whose arrays are given up to every call. `ins`: how those of parameters lie, by name;
    `outs`: those of the result. `effort`: how the first program is compiled."""

    donated: tuple[str, ...] = ()
    ins: tuple[tuple[str, Laid], ...] = ()
    outs: Laid = None
    effort: Effort = "full"

    @property
    def shardings(self) -> list[Sharding]:
        return [*_shardings(self.outs), *[each for _, laid in self.ins for each in _shardings(laid)]]

    @property
    def options(self) -> str:
        """The options of `dsl.jit` that are given, for messages."""
        given = {"donate": self.donated, "in_shardings": self.ins, "out_shardings": self.outs is not None}
        given |= {"effort": self.effort == "fast"}
        return ", ".join([f"`{name}`" for name, value in given.items() if value])

    def over(self, inner: Tailoring) -> Tailoring:
        """Combine two of them: what this one leaves open is as in the inner one, and both donate."""
        ins = tuple(sorted({**dict(inner.ins), **dict(self.ins)}.items()))
        donated = tuple(dict.fromkeys((*inner.donated, *self.donated)))
        effort: Effort = "fast" if "fast" in (self.effort, inner.effort) else "full"
        return Tailoring(donated, ins, inner.outs if self.outs is None else self.outs, effort)


def laid_of(f: Function, given: Shardings) -> Laid:
    """Return shardings as a comparable value. Raises `ArgumentError` E0812 if one is not a sharding and contains
    none."""
    match given:
        case None | Sharding():
            return given
        case Mapping():
            return Fields(tuple([(name, laid_of(f, given[name])) for name in sorted(given, key=str)]))
        case list() | tuple():
            return tuple([laid_of(f, each) for each in given])
        case _:
            raise misused(
                "E0812",
                f"{given!r} is not a sharding; an example of one is `dsl.Sharding(dsl.devices(), axis=0)`",
                f.definition,
            )


def _shardings(laid: Laid) -> Iterator[Sharding]:
    match laid:
        case Sharding():
            yield laid
        case Fields(parts):
            for _, part in parts:
                yield from _shardings(part)
        case tuple():
            for part in laid:
                yield from _shardings(part)


_ITSELF = "pass the function itself: options of `dsl.jit` apply to calls from Python alone"


class Tailored(Way):
    """The way that a tailoring says. Raises `DeviceError` E1002 for shardings over different devices."""

    kept = False

    def __init__(self, callee: Callee, tailoring: Tailoring) -> None:
        self.tailoring = tailoring
        self.effort = tailoring.effort
        self._callee = callee
        _check_names(callee, "donate", tailoring.donated)
        _check_names(callee, "in_shardings", [name for name, _ in tailoring.ins])
        found = {each.devices: each for each in tailoring.shardings}
        if len(found) > 1:
            raise device_errors.different_devices(callee.name, list(found.values()))
        self._devices = next(iter(found), None)

    def devices(self, staged: Staged, binding: Binding, places: Where, values: Mapping[str, Any]) -> Devices:
        """The devices of the shardings, where there are some."""
        if self._devices is None:
            return super().devices(staged, binding, places, values)
        ins, outs = self._laid(staged, binding, self._devices)
        meshes = [[count for count, _ in cut] for cut in (*ins, *outs)]
        mapped = list(outermost(staged.function))
        check_shares(mapped, len(self._devices), format_devices(self._devices), meshes)
        return self._devices

    def is_placed(self, staged: Staged) -> bool:
        """Return whether shardings, or something else than its arrays, say where the function runs."""
        return self._devices is not None or super().is_placed(staged)

    def lowered(self, staged: Staged, binding: Binding, progress: Progress, devices: Devices) -> StableHLO:
        """The function as StableHLO, which may use the memory of what is donated."""
        counts = [len(_slots(argument)) for argument in binding.args]
        params = self._callee.signature.params
        names = [p.name for p, count in zip(params, counts, strict=True) for _ in range(count)]
        donate = [k for k, name in enumerate(names) if name in self.tailoring.donated]
        laid = None if self._devices is None or len(devices) == 1 else self._laid(staged, binding, self._devices)
        return lower_program(staged.function, progress, devices, donate, laid)

    def _laid(
        self, staged: Staged, binding: Binding, devices: Devices
    ) -> tuple[tuple[Tiling, ...], tuple[Tiling, ...]]:
        """How the inputs and the results lie. Raises `DeviceError` E1006 where an axis cannot be cut so."""
        whole, given = tiling([(len(devices), None)]), dict(self.tailoring.ins)
        ins: list[Tiling] = []
        for parameter, argument in zip(self._callee.signature.params, binding.args, strict=True):
            for path, t, sharding in self._spread(given.get(parameter.name), argument, parameter.name):
                ins.append(_fitting(path, t, sharding, whole))
        results = self._spread(self.tailoring.outs, staged.output, f"the result of `{self._callee.name}`")
        outs = [_fitting(path, t, sharding, whole) for path, t, sharding in results]
        ins += [whole] * (len(staged.function.params) - len(ins))  # a key
        outs += [whole] * (len(staged.function.results) - len(outs))  # the number of a failed check
        return tuple(ins), tuple(outs)

    def _spread(self, laid: Laid, value: Any, path: str) -> Iterator[tuple[str, Tensor, Sharding | None]]:
        """Each leaf of a skeleton with its path, its type, and how it lies."""
        if laid is None or isinstance(laid, Sharding):
            yield from [(path, slot.type, laid) for slot in _slots(value)]
            return
        match laid, value:
            case Fields(parts), RecordValue(fields) if {n for n, _ in parts} <= {n for n, _ in fields}:
                known = dict(parts)
                for name, part in fields:
                    yield from self._spread(known.get(name), part, f"{path}.{name}")
            case tuple(), TupleValue(parts) if len(laid) == len(parts):
                for k, (each, part) in enumerate(zip(laid, parts, strict=True)):
                    yield from self._spread(each, part, f"{path}.{k}")
            case _:
                what = f"the shardings of {path} do not follow its containers"
                raise misused("E0812", what, self._callee.definition)


class TailoredFunction(Function):
    """A function that is compiled as its `tailoring` says."""

    def __init__(self, program: CheckedProgram, value: FunctionValue, tailoring: Tailoring) -> None:
        super().__init__(program, value, Tailored(Callee.of(value), tailoring))
        self.tailoring = tailoring

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.program, term_of(self.value), self.tailoring)

    def _derived(self, made: Transformed) -> Function:
        """Keep the tailoring where the result is called alike. Raises `ArgumentError` E0812 elsewhere."""
        row = TRANSFORMATIONS[made.kind]
        if not row.called_alike:
            given = f"{self.tailoring.options} of `dsl.jit` would be lost"
            what = f"{given}: a call under `{row.kind}` has other arguments or results than one of `{self.__name__}`"
            last = f"apply `dsl.jit` last: to `dsl.{row.kind}({self.__name__}, …)`"
            raise misused("E0812", what, self.definition, _ITSELF if row.at_once else last)
        return tailored(super()._derived(made), self.tailoring)

    def check_inside(self, use: str) -> None:
        what = f"`{use}` is `{self.__name__}` with {self.tailoring.options} of `dsl.jit`, which would be lost"
        raise misused("E0812", what, self.definition, _ITSELF)


class DonatingFunction(TailoredFunction):
    """A function that takes the arrays of some parameters away from its caller."""

    _repeats = False

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        with explained_faults(self.definition):
            given = [(name, x) for name, value in self.binder.named(args, kwargs)[0].items() for x in _arrays(value)]
        taken = [(name, x) for name, x in given if name in self.tailoring.donated]
        names: dict[int, list[str]] = {}
        for name, x in given:
            names.setdefault(id(x), []).append(name)
        for name, x in taken:
            others = names[id(x)]
            if len(others) > 1:
                raise device_errors.given_twice(self.__name__, name, others[0] if others[0] != name else others[1])
        result = super()._called(*args, **kwargs)
        for name, x in taken:
            x.give_up(self.__name__, name)
        return result


def _check_names(callee: Callee, option: str, names: Sequence[str]) -> None:
    traced = [parameter.name for parameter in callee.signature.params if parameter.counts]
    for name in names:
        if name not in traced:
            what = f"`{option}` names `{name}`, and the arrays of `{callee.name}` are {', '.join(traced) or 'none'}"
            raise misused("E0812", what, callee.definition)


def _fitting(path: str, type: Tensor, sharding: Sharding | None, whole: Tiling) -> Tiling:
    if sharding is None or sharding.parts == 1:
        return whole
    if not sharding.fits(type.shape):
        raise device_errors.uneven(f"{path}, {type},", sharding.cuts, sharding.devices)
    return sharding.tiling


def _slots(argument: Value | Missing) -> list[Slot]:
    return [] if isinstance(argument, Missing) else [leaf for leaf in leaves(argument) if isinstance(leaf, Slot)]


def _arrays(value: Any) -> list[Array]:
    """The arrays of a traced argument."""
    found: list[Any] = []
    flatten(value, found, [])
    return [x for x in found if type(x) is Array]


def tailored(f: Function, tailoring: Tailoring) -> TailoredFunction:
    """The function compiled so, beside how it is compiled already; the same one for the same tailoring."""
    if isinstance(f, TailoredFunction):
        tailoring = tailoring.over(f.tailoring)
    found = f.variants.get(tailoring)
    if found is None:
        made = DonatingFunction if tailoring.donated else TailoredFunction
        found = f.variants[tailoring] = made(f.program, f.value, tailoring)
    assert isinstance(found, TailoredFunction)
    return found


def _restored(program: CheckedProgram, term: core.Expr, tailoring: Tailoring) -> Function:
    """A function that was pickled."""
    return tailored(restored(program, term), tailoring)
