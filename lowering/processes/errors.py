"""What is said of groups of processes that are incomplete, described wrongly, or do not agree. Words only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.diagnostics.diagnostic import DeviceError
from lowering.xla.device_errors import device_error

_WAIT = "`timeout` of `dsl.distributed.initialize` says how long processes wait for each other"


def not_described(name: str) -> DeviceError:
    help = "give it to `dsl.distributed.initialize`, or start the processes by `dsl run --processes`, Slurm or Open MPI"
    return device_error("E1014", f"`{name}` is missing: neither an argument nor the environment says it", help)


def invalid(what: str) -> DeviceError:
    return device_error("E1014", what)


def initialized_twice() -> DeviceError:
    return device_error("E1014", "this process belongs to a group already")


def too_late() -> DeviceError:
    help = "call `dsl.distributed.initialize` first of all"
    return device_error("E1014", "the processor is in use, and cannot be shared with other processes any more", help)


def port_taken(address: str) -> DeviceError:
    help = "choose another port, the same for all processes"
    return device_error("E1014", f"the coordinator cannot listen at {address}, which another program uses", help)


def no_coordinator(address: str, seconds: float) -> DeviceError:
    """Nobody at the address speaks as a coordinator does."""
    what = f"process 0, whose coordinator listens at {address}, was not there within {seconds:g} s"
    return device_error("E1013", what, f"is it running, and does another program use the port? {_WAIT}")


def coordinator_lost(address: str) -> DeviceError:
    return device_error("E1013", f"the coordinator at {address} has ended, and with it the group of processes")


def misnumbered(count: int, id: int, expected: int) -> DeviceError:
    """A process that says another number of processes than process 0."""
    return device_error("E1014", f"process {id} says that there are {count} processes, and process 0 says {expected}")


def same_number(id: int) -> DeviceError:
    return device_error("E1014", f"two processes say that they are process {id}")


def absent(ids: Sequence[int], what: str, seconds: float) -> DeviceError:
    return device_error("E1013", f"{processes(ids)} did not come to {what} within {seconds:g} s", _WAIT)


def gone(ids: Sequence[int], what: str) -> DeviceError:
    has = "has" if len(ids) == 1 else "have"
    help = "what it printed last may say why"
    return device_error("E1013", f"{processes(ids)} {has} ended, and the others cannot go on to {what}", help)


def disagreement(topics: Mapping[int, str]) -> DeviceError:
    """What each process is about to do together with the others."""
    groups: dict[str, list[int]] = {}
    for id, topic in sorted(topics.items()):
        groups.setdefault(topic, []).append(id)
    said = [f"{processes(ids)} {'comes' if len(ids) == 1 else 'come'} to {topic}" for topic, ids in groups.items()]
    if len({topic.partition(" #")[0] for topic in groups}) < len(groups):
        said = [text.replace(" #", ", made for code ") for text in said]
    else:
        said = [text.partition(" #")[0] for text in said]
    help = "all processes of a group run the same programs in the same order, on arrays of the same types"
    return device_error("E1015", ", ".join(said), help)


def processes(ids: Sequence[int]) -> str:
    """`process 1`, or `processes 1 and 3`."""
    if len(ids) == 1:
        return f"process {ids[0]}"
    return f"processes {', '.join(map(str, ids[:-1]))} and {ids[-1]}"
