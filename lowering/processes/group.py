"""The description of a group of processes: as it is given, or as schedulers leave it in the environment.

`DSL_COORDINATOR`, `DSL_PROCESSES` and `DSL_PROCESS` come first, then what Slurm, Open MPI and Kubernetes set. Knows
nothing of sockets. Read next: `member`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lowering.processes import errors

Environment = Mapping[str, str]

GROUP = "DSL_PROCESSES"
"""Of the environment: how many processes `dsl run --processes` has started, of which this is one."""

PORTS = range(61_000, 65_000)
"""Where the coordinator of a scheduler's job listens: its number says at which of these."""


@dataclass(frozen=True, slots=True)
class Group:
    """`count` processes, of which this one is number `id`; they find each other at `host`:`port`."""

    host: str
    port: int
    count: int
    id: int

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Where a scheduler says how many processes there are, which one this is, and how to find the first of them."""

    count: str
    id: str
    coordinator: Callable[[Environment], str | None]


def described(coordinator: str | None, count: int | None, id: int | None, environment: Environment) -> Group:
    """The group as the arguments say, and for those that are None the environment. Raises `DeviceError` E1014."""
    if coordinator is None:
        coordinator = _first(environment, lambda s: s.coordinator(environment))
    if count is None:
        count = _number(_first(environment, lambda s: environment.get(s.count)), "num_processes")
    if id is None:
        id = _number(_first(environment, lambda s: environment.get(s.id)), "process_id")
    if coordinator is None:
        raise errors.not_described("coordinator")
    host, _, port = coordinator.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise errors.invalid(f"coordinator is {coordinator!r}, and is written `host:port`")
    if count < 1:
        raise errors.invalid(f"num_processes is {count}, and a group has at least one process")
    if not 0 <= id < count:
        raise errors.invalid(f"process_id is {id}, and num_processes {count}: they are numbered from 0 to {count - 1}")
    return Group(host, int(port), count, id)


def _first(environment: Environment, read: Callable[[Scheduler], str | None]) -> str | None:
    return next((found for scheduler in _SCHEDULERS if (found := read(scheduler)) is not None), None)


def _number(text: str | None, name: str) -> int:
    if text is None:
        raise errors.not_described(name)
    if not text.isdecimal():
        raise errors.invalid(f"{name} is {text!r} in the environment, and is a number")
    return int(text)


def _port(job: str) -> int:
    return PORTS[int(re.sub(r"\D", "", job) or 0) % len(PORTS)]


def _of_slurm(environment: Environment) -> str | None:
    """The first of `node[03-05,7],other`."""
    nodes = environment.get("SLURM_STEP_NODELIST") or environment.get("SLURM_JOB_NODELIST")
    found = re.match(r"([^\[,]+)(?:\[([^\],-]+))?", nodes or "")
    return found and f"{found[1]}{found[2] or ''}:{_port(environment.get('SLURM_JOB_ID', ''))}"


def _of_open_mpi(environment: Environment) -> str | None:
    """The launcher's machine, from `1531576320.0;tcp://10.96.0.1,10.148.0.1:34911`; or this one."""
    found = re.match(r"(\d+)\.\d+;tcp\d?://\[?([^,\]:]+)", environment.get("OMPI_MCA_orte_hnp_uri", ""))
    return found and f"{found[2]}:{_port(found[1])}"


def _of_kubernetes(environment: Environment) -> str | None:
    """The first pod of an indexed job, `job-0`, in the same subdomain."""
    if "JOB_COMPLETION_INDEX" not in environment or "HOSTNAME" not in environment:
        return None
    pod, dot, domain = environment["HOSTNAME"].partition(".")
    return f"{pod.rpartition('-')[0]}-0{dot}{domain}:{PORTS[0]}"


_SCHEDULERS = (
    Scheduler(GROUP, "DSL_PROCESS", lambda environment: environment.get("DSL_COORDINATOR")),
    Scheduler("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", _of_slurm),
    Scheduler("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", _of_open_mpi),
    Scheduler("JOB_COMPLETIONS", "JOB_COMPLETION_INDEX", _of_kubernetes),
)
