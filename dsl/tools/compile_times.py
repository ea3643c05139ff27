"""`dsl explain-compile`: what XLA spends its time on while it compiles a function. Read next: `running`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from dsl.tools.named_programs import Request
from dsl.tools.running import specialise
from lowering.xla import adapter
from lowering.xla.backends import choice
from lowering.xla.compile import flags_for, register_routines

SHOWN = 15
Events = Sequence[tuple[str, float, float]]
"""Names, starts and durations in seconds, of one thread."""


def explain_compile(request: Request) -> int:
    """Compile the function anew, and print the passes that took longest."""
    function, arguments = specialise(request)
    lowered, place = function.lower(**arguments), choice().place
    register_routines(lowered.stablehlo.text, lowered.stablehlo.platform)
    session = adapter.start_profiler()
    adapter.compile_text(place.raw, lowered.stablehlo.text, place.chosen, flags_for(lowered.stablehlo, place))
    times = by_pass(adapter.timed_events(session))
    total = sum(times.values())
    print(f"{function.__name__}: {total:.2f} s of all threads in XLA")
    for name in nlargest(SHOWN, times, key=times.__getitem__):
        seconds = times[name]
        print(f"{seconds:8.3f} s {100 * seconds / total:3.0f} %  {name}")
    return 0


def by_pass(threads: Iterable[Events]) -> Mapping[str, float]:
    """The seconds that each pass took without those that it started."""
    found: dict[str, float] = defaultdict(float)
    for events in threads:
        open_: list[tuple[str, float]] = []
        for name, start, duration in sorted(events, key=lambda event: (event[1], -event[2])):
            while open_ and open_[-1][1] <= start:
                open_.pop()
            if open_:
                found[open_[-1][0]] -= min(duration, open_[-1][1] - start)
            found[name] += duration
            open_.append((name, start + duration))
    return found
