"""Messages about process groups that are incomplete, wrongly described, or inconsistent. Text only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.diagnostics.diagnostic import DeviceError
from lowering.processes.topics import Topic
from lowering.xla.device_errors import device_error

_LAST_WORDS = "what it printed last may say why"
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


def no_such_number(id: int, count: int) -> DeviceError:
    return device_error("E1014", f"a process says that it is process {id}, and the group has {count}")


def absent(ids: Sequence[int], topic: Topic, seconds: float) -> DeviceError:
    return device_error("E1013", f"{processes(ids)} did not come to {topic.name} within {seconds:g} s", _WAIT)


def gone_before(ids: Sequence[int], topic: Topic) -> DeviceError:
    """Processes have ended that others wait for at a step."""
    return device_error("E1013", f"{_ended(ids)}, and the others cannot go on to {topic.name}", _LAST_WORDS)


def gone(ids: Sequence[int], begun: Topic | None) -> DeviceError:
    """Processes have ended after all had begun a step, if any."""
    return device_error("E1013", f"{_ended(ids)}{_after(begun)}", _LAST_WORDS)


def frozen(ids: Sequence[int], begun: Topic | None, seconds: float) -> DeviceError:
    """Processes are there, and do not run."""
    has = "has" if len(ids) == 1 else "have"
    help = f"was it stopped, is its machine out of memory, or is the network lost? {_WAIT}"
    return device_error("E1013", f"{processes(ids)} {has} not answered for {seconds:g} s{_after(begun)}", help)


def interrupted() -> DeviceError:
    help = "end all processes of the group, and start them again"
    return device_error("E1013", "this process was interrupted while it waited for the others, and has left them", help)


def forked() -> DeviceError:
    return device_error("E1014", "this process was forked from one of a group, and does not belong to the group")


def _ended(ids: Sequence[int]) -> str:
    return f"{processes(ids)} {'has' if len(ids) == 1 else 'have'} ended"


def _after(begun: Topic | None) -> str:
    return "" if begun is None else f"; the last step that all processes began together is {begun.name}"


def disagreement(topics: Mapping[int, Topic]) -> DeviceError:
    """The next step of each process, where they differ: by name, or by the types of arguments, or by their code."""
    groups: dict[Topic, list[int]] = {}
    for id, topic in sorted(topics.items()):
        groups.setdefault(topic, []).append(id)
    said = [f"{processes(ids)} {'comes' if len(ids) == 1 else 'come'} to " for ids in groups.values()]
    described = [f"{start}{_described(topic, [*groups])}" for start, topic in zip(said, groups, strict=True)]
    help = "all processes of a group run the same programs in the same order, on arrays of the same types"
    return device_error("E1015", ", ".join(described), help)


def _described(topic: Topic, others: Sequence[Topic]) -> str:
    """Describe a step as far as it differs from the others."""
    like = [other for other in others if other.name == topic.name]
    if len(like) == 1:
        return topic.name
    if [other.types for other in like].count(topic.types) == 1:
        return f"{topic.name} of {topic.types}"
    return f"{topic.name} of {topic.types} with the code {topic.code[:8]}"


def processes(ids: Sequence[int]) -> str:
    """`process 1`, or `processes 1 and 3`."""
    if len(ids) == 1:
        return f"process {ids[0]}"
    return f"processes {', '.join(map(str, ids[:-1]))} and {ids[-1]}"
