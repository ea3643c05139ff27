"""How much work an equation is: operations, bytes, and what members of a named axis send each other.

Ops declare what their defaults do not tell; `dsl.transforms.estimate` adds it up. Knows no op. Read next: `op`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Work(Struct, frozen=True):
    """`flops`: operations with numbers. `moved`: bytes that are read and written where each op runs alone. `sent`:
    bytes that each member of a named axis sends to others, by the name. `exchanges`: how often it does so."""

    flops: int = 0
    moved: int = 0
    sent: tuple[tuple[str, int], ...] = ()
    exchanges: int = 0


def total(parts: Sequence[Work]) -> Work:
    """One after the other."""
    sent: dict[str, int] = {}
    for part in parts:
        for name, count in part.sent:
            sent[name] = sent.get(name, 0) + count
    flops, moved, exchanges = (sum(getattr(p, name) for p in parts) for name in ("flops", "moved", "exchanges"))
    return Work(flops, moved, tuple(sent.items()), exchanges)


def repeated(work: Work, times: int) -> Work:
    """So many times."""
    sent = tuple([(name, count * times) for name, count in work.sent])
    return Work(work.flops * times, work.moved * times, sent, work.exchanges * times)


def largest(parts: Sequence[Work]) -> Work:
    """One of several, whichever is most."""
    names = dict.fromkeys([name for part in parts for name, _ in part.sent])
    sent = [(name, max(dict(part.sent).get(name, 0) for part in parts)) for name in names]
    flops, moved, exchanges = (max(getattr(p, name) for p in parts) for name in ("flops", "moved", "exchanges"))
    return Work(flops, moved, tuple(sent), exchanges)
