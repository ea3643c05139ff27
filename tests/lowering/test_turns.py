"""Programs over several devices start in one order; the host waits for them only where devices share threads."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from lowering.lowered import CPU
from lowering.xla import adapter
from lowering.xla.backends import Backend, backend
from lowering.xla.turns import Turns


class Buffer:
    """A result that is on its way."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def is_deleted(self) -> bool:
        return False

    def is_ready(self) -> bool:
        return True


def run_three(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    log: list[str] = []

    def wait(buffers: list[Any]) -> None:
        log.extend(f"wait for {buffer.name}" for buffer in buffers)

    def start(name: str) -> list[Any]:
        log.append(f"start {name}")
        return [Buffer(name, log)]

    monkeypatch.setattr(adapter, "block_all", wait)
    for name in ("a", "b", "c"):
        turns.take(partial(start, name))
    assert turns.end()
    return log


def test_devices_that_share_threads_run_one_program_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    log = run_three(Turns(), monkeypatch)
    assert log == ["start a", "wait for a", "start b", "wait for b", "start c", "wait for c"]


def test_devices_with_queues_of_their_own_make_nobody_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    log = run_three(Turns(shared_threads=False), monkeypatch)
    assert log == ["start a", "start b", "start c", "wait for c"]


def test_the_platform_decides() -> None:
    raw = backend(CPU).raw
    assert Backend(CPU, raw).turns.shared_threads
    assert not Backend("cuda", raw).turns.shared_threads
