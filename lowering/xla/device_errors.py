"""Messages about missing, misnamed or mismatched devices. Text only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dsl.diagnostics.diagnostic import DeviceError, Diagnostic, Help, Label
from dsl.diagnostics.source import Source, Span

_NOWHERE = Label(Span(Source("<python>", ""), 0, 0))


def device_error(code: str, message: str, help: str = "") -> DeviceError:
    return DeviceError([Diagnostic(code, message, _NOWHERE, help=(Help(help),) if help else ())])


def out_of_memory(what: str, place: str) -> DeviceError:
    """An array whose elements could not be computed."""
    return device_error("E1001", f"{what} was not computed: what it needed did not fit into the memory of {place}")


def apart(places: Sequence[tuple[str, object]]) -> DeviceError:
    """Arguments of one call that lie on different devices: what they are called and where they lie."""
    where = ", and ".join([f"{name} is {place}" for name, place in places])
    help = "bring them together: `dsl.device_put(x, device)`"
    return device_error("E1002", f"the arrays of a call lie on one device: {where}", help)


def different_devices(call: str, shardings: Sequence[object]) -> DeviceError:
    """Shardings of the arguments and results of one function."""
    said = ", and another ".join(map(str, shardings))
    return device_error("E1002", f"the shardings of `{call}` are over the same devices: one is {said}")


def too_late() -> DeviceError:
    """The number of devices is set when the processor has been used."""
    help = "call `dsl.set_cpu_devices` before anything is computed, or set DSL_CPU_DEVICES"
    return device_error("E1003", "the processor is in use, and the number of its devices cannot change any more", help)


def not_a_count(given: object, name: str) -> DeviceError:
    return device_error("E1003", f"{name} is {given!r}, and the processor is used as at least one device")


def no_device(name: str, known: Sequence[object]) -> DeviceError:
    """A device that does not exist, and those that do."""
    return device_error("E1004", f"there is no device `{name}`", f"there are {', '.join(map(str, known))}")


def no_platform(name: str, known: Sequence[str]) -> DeviceError:
    return device_error("E1004", f"there is no platform `{name}`", f"one of {', '.join(known)}")


def no_plugin(platform: str, extra: str) -> DeviceError:
    return device_error(
        "E1005", f"no plugin for `{platform}` is installed", f"install it: `pip install 'puredsl[{extra}]'`"
    )


def no_driver(platform: str, reason: str) -> DeviceError:
    """A plugin that finds no device to work with."""
    return device_error("E1005", f"`{platform}` has no working device: {reason.strip().splitlines()[0]}")


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The guard of an array that a `call` was given as its argument `name` and has taken over."""

    type: str
    call: str
    name: str

    def __call__(self) -> None:
        kept = f"keep a copy: `dsl.array(np.asarray({self.name}).copy())` before the call"
        message = f"this {self.type} was given up as `{self.name}` to a call of `{self.call}`"
        raise device_error("E1017", message, f"use what `{self.call}` returned, or {kept}")


def given_twice(call: str, name: str, other: str) -> DeviceError:
    """One array as two arguments, of which one is given up."""
    twice = f"as `{name}` and as `{other}`" if other != name else f"twice within `{name}`"
    return device_error("E1017", f"an array is given to `{call}` {twice}, and `{name}` is given up")


def forked() -> DeviceError:
    """A process whose parent has the threads that it would need."""
    help = 'start processes by `multiprocessing.get_context("spawn")` or `"forkserver"`, or before anything is computed'
    what = "this process was forked from one that had used its devices, whose threads stayed there"
    return device_error("E1020", f"{what}: it can only run what was compiled and takes no thread", help)


def elsewhere(type: object, sharding: object) -> DeviceError:
    """Report a read of an array with shards in other processes."""
    whole = "`dsl.distributed.gather(x)` to copy the full array to every process"
    help = f"use `.addressable_shards` for the local shards, or {whole}"
    return device_error("E1016", f"not all parts of {type} are in this process: {sharding}", help)


def not_a_spec(given: object, names: Sequence[str]) -> DeviceError:
    """Report an invalid spec of the axes that a mesh of these names partitions; it may be the inverse, a name per
    axis."""
    listed = given if isinstance(given, tuple | list) else [given]
    named = given.items() if isinstance(given, Mapping) else enumerate(listed)
    cuts = {name: axis for axis, name in named if name in names} or dict.fromkeys(names[:1], 0)
    help = f"name for axes of the mesh which axis of the array they cut: `{cuts}`"
    return device_error("E1010", f"{given!r} does not say how an array is cut", help)


def uneven(type: object, cuts: Sequence[tuple[int, int]], devices: Sequence[object]) -> DeviceError:
    """An array that cannot be cut into so many equal parts along axes, one for each device."""
    parts = " and ".join([f"{count} equal parts along axis {axis}" for axis, count in cuts])
    return device_error("E1006", f"{type} cannot be cut into {parts}, one for each of {', '.join(map(str, devices))}")
