"""`dsl.profile`: what XLA does while a block runs, as a trace that Perfetto opens, with the lines of programs.

Read next: `lowering.xla.hlo_places`.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.settings import path_of
from lowering.xla import adapter
from lowering.xla.backends import choice
from lowering.xla.hlo_places import places

Lines: TypeAlias = Mapping[tuple[str, str], Iterable[str]]
"""By module and instruction."""

TRACE = "*.trace.json.gz"


@contextmanager
def profile(folder: str | PathLike[str]) -> Iterator[None]:
    """Records what compiles and runs in the block, on all threads, below a folder: a `.trace.json.gz` for
    https://ui.perfetto.dev, where each operation has the lines of the program that it computes, and an `.xplane.pb` for
    TensorBoard. Calls of programs on GPUs return before these have finished: read a result in the block, or wait for it
    with `block_until_ready`. Raises RuntimeError within another profile."""
    target = path_of("folder", folder)
    target.mkdir(parents=True, exist_ok=True)
    before = set(target.rglob(TRACE))
    client = choice().place.raw
    session = adapter.start_profiler()
    try:
        yield
    finally:
        adapter.stop_profiler(session, str(target))
    lines = _lines(adapter.live_texts(client))
    for path in set(target.rglob(TRACE)) - before:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        _annotate(trace["traceEvents"], lines)
        write_atomically(path, gzip.compress(json.dumps(trace).encode()))


def _lines(texts: Iterable[str]) -> Lines:
    """Return the source lines of all programs, merged for programs of one name."""
    found: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for text in texts:
        module, named = places(text)
        for name, lines in named.items():
            found[module, name].update(dict.fromkeys(lines))
    return found


def _annotate(events: Iterable[dict[str, Any]], lines: Lines) -> None:
    """Gives operations their lines: as an argument, and with the last part of the path behind their names."""
    for event in events:
        given = event.get("args", {})
        found = lines.get((given.get("hlo_module", ""), given.get("hlo_op", "")))
        if found:
            given["source"] = ", ".join(found)
            event["name"] = f"{event['name']} ({', '.join([Path(line).name for line in found])})"
