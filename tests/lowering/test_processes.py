"""Groups of processes: how they are described, and that all are told alike when one is missing, lost or elsewhere.

Threads stand for processes here, and nothing of XLA runs. Groups of real processes are in `tests/e2e`.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics.diagnostic import DeviceError
from lowering.processes.coordinator import Coordinator
from lowering.processes.group import Group, described
from lowering.processes.heartbeats import Heartbeats
from lowering.processes.member import Member, start_coordinator
from lowering.processes.topics import Topic
from tests.support.cases import some, some_of_example

HOST = "127.0.0.1"
PATIENCE = 2.0
"""Seconds, where none is waited for in vain: far more than the threads need on a busy machine."""

SHORT = 0.5
"""Seconds, where one is waited for in vain."""


@contextmanager
def coordinator(count: int, seconds: float) -> Iterator[int]:
    """The port of one for so many processes."""
    listening = socket.create_server((HOST, 0))
    serving = Coordinator(count, seconds, lambda: "service").serve(listening)
    thread = Thread(target=asyncio.run, args=(serving,))
    port: int = listening.getsockname()[1]
    thread.start()
    yield port
    thread.join(5)
    assert not thread.is_alive()


def outcomes(
    count: int,
    behave: Callable[[Member], object],
    groups: Sequence[Group] | None = None,
    seconds: float = PATIENCE,
    before: Callable[[int], object] = str,
) -> list[str]:
    """What becomes of each process: what it returns, or the error that it gets."""

    def run(group: Group) -> str:
        member: Member | None = None
        try:
            member = Member(group, seconds)
            return str(behave(member))
        except DeviceError as error:
            return f"{error.diagnostics[0].code} {error.diagnostics[0].message}"
        finally:
            if member is not None:
                member._close()  # as when its process ends without a word

    with coordinator(count, seconds) as port, ThreadPoolExecutor() as threads:
        before(port)
        found = groups or [Group(HOST, port, count, id) for id in range(count)]
        return list(threads.map(run, [Group(HOST, port, each.count, each.id) for each in found]))


def test_all_get_the_notes_of_all() -> None:
    def behave(member: Member) -> object:
        return member.service, member.meet(Topic("a"), str(member.group.id)), member.meet(Topic("b"), "same")

    assert outcomes(3, behave) == [str(("service", ["0", "1", "2"], ["same"] * 3))] * 3


def test_a_late_process_is_named_to_all_and_to_itself() -> None:
    def behave(member: Member) -> object:
        if member.group.id == 1:
            time.sleep(2 * SHORT)
        return member.meet(Topic("`f`"))

    late = outcomes(3, behave, seconds=SHORT)
    assert late == ["E1013 process 1 did not come to `f` within 0.5 s"] * 3


def test_processes_that_do_not_join_are_named() -> None:
    present = [Group(HOST, 0, 4, id) for id in (0, 2)]
    absent = outcomes(4, Member.leave, present, SHORT)
    assert absent == ["E1013 processes 1 and 3 did not come to the group within 0.5 s"] * 2


@pytest.mark.parametrize("lost", (0, 1))
def test_a_lost_process_is_named_to_those_that_wait_and_those_that_compute(lost: int) -> None:
    def behave(member: Member) -> object:
        if member.group.id == lost:
            return "lost"
        if member.group.id == 2:
            member.check(10)
        return member.meet(Topic("`f`"))

    told = [f"E1013 process {lost} has ended", "lost"]
    assert all(text.startswith(tuple(told)) for text in some(outcomes(3, behave)))


def test_a_process_that_leaves_is_missed_when_the_others_go_on() -> None:
    def behave(member: Member) -> object:
        if member.group.id == 0:
            return member.meet(Topic("`f`"))
        member.leave()
        return "done"

    assert outcomes(2, behave) == ["E1013 process 1 has ended, and the others cannot go on to `f`", "done"]


def test_a_lost_process_is_named_with_the_step_that_all_had_begun() -> None:
    def behave(member: Member) -> object:
        member.meet(Topic("`long`", "(f32[4])", "1"))
        if member.group.id != 1:
            member.check(10)
        return "lost"

    told = "E1013 process 1 has ended; the last step that all processes began together is `long`"
    assert outcomes(3, behave) == [told, "lost", told]


def freeze(member: Member, end: Event) -> str:
    """As a process that is stopped: its connections stay open, and nothing comes."""
    member._over.set()
    end.wait(10)
    return "frozen"


def test_a_frozen_process_is_named_to_those_that_wait_for_it() -> None:
    end, longest = Event(), []

    def behave(member: Member) -> object:
        member.meet(Topic("`long`"))
        if member.group.id == 1:
            return freeze(member, end)
        started = time.monotonic()
        try:
            with member.waiting():
                member.check(10)
                return "not told"
        finally:
            longest.append(time.monotonic() - started)
            end.set()

    told = "E1013 process 1 has not answered for 0.5 s; the last step that all processes began together is `long`"
    assert outcomes(3, behave, seconds=SHORT) == [told, "frozen", told]
    assert len(longest) == 2 and max(longest) < SHORT + 5


def test_what_waits_inside_of_a_call_learns_of_a_frozen_process_too() -> None:
    """Nobody reads the first connection there: the answer to a heartbeat tells."""
    end = Event()

    def behave(member: Member) -> object:
        if member.group.id == 1:
            return freeze(member, end)
        with member.waiting():
            while member._fault is None:
                time.sleep(0.01)
        end.set()
        raise member._fault

    told = "E1013 process 1 has not answered for 0.5 s; the last step that all processes began together is the group"
    assert outcomes(2, behave, seconds=SHORT) == [told, "frozen"]


def test_a_process_without_heartbeats_is_not_missed_while_nobody_waits() -> None:
    end = Event()

    def behave(member: Member) -> object:
        if member.group.id == 1:
            return freeze(member, end)
        member.check(3 * SHORT)
        end.set()
        return "computed"

    assert outcomes(2, behave, seconds=SHORT) == ["computed", "frozen"]


@given(st.lists(st.dictionaries(st.integers(0, 3), st.booleans()), max_size=40))
def test_only_silence_that_another_process_waits_through_counts(intervals: list[dict[int, bool]]) -> None:
    heartbeats, limit = Heartbeats(5), 10
    for end, heard in enumerate(some_of_example(intervals), 1):
        for id, waits in heard.items():
            heartbeats.hear(id, waits)
        frozen = heartbeats.missing(range(4))
        for id in range(4):
            last = max([k for k, beats in enumerate(intervals[:end]) if id in beats], default=-1)
            waited = [beats for beats in intervals[last + 1 : end] if any(beats.values())]
            assert (id in frozen) == (id not in heard and len(waited) >= limit)


def test_the_next_steps_are_told_apart_by_names_or_types_or_codes() -> None:
    def come_to(*topics: Topic) -> list[str]:
        return outcomes(len(topics), lambda m: m.meet(topics[m.group.id]))

    f, g, other = Topic("`f`", "(f32[2])", "a" * 64), Topic("`g`", "(f32[2])", "b"), Topic("`f`", "(f32[4])", "c")
    assert come_to(f, g, f) == ["E1015 processes 0 and 2 come to `f`, process 1 comes to `g`"] * 3
    assert come_to(f, other) == ["E1015 process 0 comes to `f` of (f32[2]), process 1 comes to `f` of (f32[4])"] * 2
    codes = (
        "process 0 comes to `f` of (f32[2]) with the code aaaaaaaa, process 1 comes to `f` of (f32[2]) with the code b"
    )
    assert come_to(f, Topic("`f`", "(f32[2])", "b")) == [f"E1015 {codes}"] * 2
    assert (
        come_to(f, other, g)
        == ["E1015 process 0 comes to `f` of (f32[2]), process 1 comes to `f` of (f32[4]), process 2 comes to `g`"] * 3
    )


def test_counts_and_numbers_that_do_not_fit_are_named() -> None:
    def wrong(*groups: Group) -> list[str]:
        return outcomes(2, lambda m: m.meet(Topic("`f`")), groups, SHORT)

    counts = "E1014 process 1 says that there are 3 processes, and process 0 says 2"
    assert wrong(Group(HOST, 0, 2, 0), Group(HOST, 0, 3, 1)) == [counts] * 2
    assert wrong(Group(HOST, 0, 2, 0), Group(HOST, 0, 2, 0)) == ["E1014 two processes say that they are process 0"] * 2
    number = "E1014 a process says that it is process 7, and the group has 2"
    assert wrong(Group(HOST, 0, 2, 0), Group(HOST, 0, 2, 7)) == [number] * 2


STRAYS = (
    b"GET / HTTP/1.1\r\n\r\n",
    bytes(range(256)) * 100,
    b"[]\n",
    b"{}\n",
    b'{"pulse": 1}\nno\n',
    b'{"pulse": "x"}\n',
    b'{"id": 0, "count": 3}\n',
    b'{"id": -1, "count": 2}\n',
    b'{"id": [], "count": 2}\n',
    b"",
    b'{"id": 1, "count": 2}\n',
)


@pytest.mark.parametrize("early", (True, False))
def test_a_group_goes_on_whatever_else_comes_to_its_port(early: bool) -> None:
    """Other programs, and processes with a number that is taken; before and after all have joined."""
    with ExitStack() as strays:

        def send(port: int) -> None:
            for words in STRAYS[:-1] if early else STRAYS:
                stray = strays.enter_context(socket.create_connection((HOST, port)))
                stray.sendall(words)

        def behave(member: Member) -> object:
            if member.group.id == 0 and not early:
                send(member.group.port)
                with pytest.raises(DeviceError, match="two processes say that they are process 1"):
                    Member(Group(HOST, member.group.port, 2, 1), PATIENCE)
            met = [member.meet(Topic(name)) for name in "abc"]
            member.leave()
            return len(met)

        assert outcomes(2, behave, before=send if early else str) == ["3", "3"]


def test_an_interrupt_in_a_meeting_takes_the_process_out_of_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer that it did not wait for is not taken for that of the next meeting."""

    def interrupted(silence: DeviceError | None = None) -> list[str]:
        raise KeyboardInterrupt

    def behave(member: Member) -> object:
        if member.group.id == 1:
            time.sleep(0.2)
            return member.meet(Topic("`f`"))
        with monkeypatch.context() as patch:
            patch.setattr(member, "_answer", interrupted)
            with pytest.raises(KeyboardInterrupt):
                member.meet(Topic("`f`"))
        return member.meet(Topic("`g`"))

    told, other = outcomes(2, behave)
    assert told == "E1013 this process was interrupted while it waited for the others, and has left them"
    assert other.startswith("E1013 process 0 has ended")


def test_a_port_of_another_program_is_told_on_both_sides() -> None:
    with socket.create_server((HOST, 0)) as other:
        group = Group(HOST, other.getsockname()[1], 2, 0)
        with pytest.raises(DeviceError, match=f"cannot listen at {group.address}, which another program uses"):
            start_coordinator(group, SHORT)
        with pytest.raises(DeviceError, match="process 0, whose coordinator listens at"):
            Member(Group(HOST, group.port, 2, 1), SHORT)


@settings(max_examples=12)
@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(st.sampled_from("ab"), max_size=3), min_size=n, max_size=n))
)
def test_processes_go_on_as_long_as_all_come_to_the_same(topics: list[list[str]]) -> None:
    """Each comes to its own list of topics, one after the other, and leaves."""
    passed: list[list[str]] = [[] for _ in topics]

    def behave(member: Member) -> str:
        for topic in topics[member.group.id]:
            member.meet(Topic(topic))
            passed[member.group.id].append(topic)
        member.leave()
        return "done"

    found = outcomes(len(topics), behave)
    shared = 0
    while all(len(each) > shared for each in topics) and len({each[shared] for each in topics}) == 1:
        shared += 1
    assert [len(each) for each in passed] == [shared] * len(topics)
    errors = {text for text in found if text != "done"}
    assert len(errors) <= 1 and bool(errors) == any(len(each) > shared for each in topics)


OWN = {"DSL_COORDINATOR": "here:99", "DSL_PROCESSES": "4", "DSL_PROCESS": "2"}
SLURM = {
    "SLURM_STEP_NUM_TASKS": "8",
    "SLURM_PROCID": "7",
    "SLURM_JOB_ID": "4001",
    "SLURM_STEP_NODELIST": "gpu[03-05,9],x",
}
OPEN_MPI = {
    "OMPI_COMM_WORLD_SIZE": "2",
    "OMPI_COMM_WORLD_RANK": "1",
    "OMPI_MCA_orte_hnp_uri": "17.0;tcp://10.96.0.1,10.148.0.1:34911",
}
KUBERNETES = {"JOB_COMPLETIONS": "3", "JOB_COMPLETION_INDEX": "1", "HOSTNAME": "train-1.workers"}


@pytest.mark.parametrize(
    "environment, group",
    [
        (OWN, Group("here", 99, 4, 2)),
        (SLURM, Group("gpu03", 61_001, 8, 7)),
        (SLURM | {"SLURM_STEP_NODELIST": "one"}, Group("one", 61_001, 8, 7)),
        (OPEN_MPI, Group("10.96.0.1", 61_017, 2, 1)),
        (KUBERNETES, Group("train-0.workers", 61_000, 3, 1)),
        (KUBERNETES | OWN, Group("here", 99, 4, 2)),
    ],
)
def test_schedulers_describe_groups(environment: Mapping[str, str], group: Group) -> None:
    assert described(None, None, None, environment) == group
    assert described("a:1", 9, 0, environment) == Group("a", 1, 9, 0)


@pytest.mark.parametrize(
    "given, environment, message",
    [
        ((None, 2, 0), {}, "`coordinator` is missing"),
        (("a:1", None, 0), {}, "`num_processes` is missing"),
        (("a:1", 2, None), {"DSL_PROCESS": "one"}, "process_id is 'one'"),
        (("a", 2, 0), {}, "coordinator is 'a', and is written `host:port`"),
        (("a:70000", 2, 0), {}, "coordinator is 'a:70000'"),
        (("a:1", 0, 0), {}, "num_processes is 0"),
        (("a:1", 2, 2), {}, "process_id is 2, and num_processes 2: they are numbered from 0 to 1"),
    ],
)
def test_what_describes_no_group_is_refused(
    given: tuple[str | None, int | None, int | None], environment: Mapping[str, str], message: str
) -> None:
    with pytest.raises(DeviceError, match=message) as error:
        described(*given, environment)
    assert error.value.diagnostics[0].code == "E1014"
