"""A run of a marked program as stops, to be gone through forward and backward.

The evaluator runs the program, and a `Recorder` keeps where it was. It keeps the last stops alone: others are found
again by another run, which gives the same, since nothing outside can change it. What Python functions gave is kept, and
nothing is printed: both are part of the recording. Read next: `frames`, `prompt`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from dsl.diagnostics.source import Span
from dsl.host.calls.nan_checks import has_nan, is_finite
from dsl.interactive.debugger.frames import ROOT, Event, Frame, Happening, Owners, Stop
from dsl.interp import evaluate_watched
from dsl.ir.function import Equation, Function
from dsl.ir.op import Op
from dsl.ops.io import CallbackParams, PrintParams, lines_of
from dsl.ops.marks import CHECK, ENTER, LEAVE, LINE, STATIC, NamedParams, StepParams

Array: TypeAlias = "np.ndarray[Any, Any]"
Results: TypeAlias = tuple[Array, ...]
Matches: TypeAlias = Callable[[Stop], bool]

KEPT = 4_000
"""So many stops are kept at once."""
BYTES = 1 << 29
"""So much memory of the values that were named between these."""


class Enough(Exception):
    """Ends a run of which no more is to be known."""


class Answers:
    """The results of functions of Python, in order: they are called once, however often the program is run."""

    def __init__(self) -> None:
        self._given: list[Results] = []

    def ask(self, number: int, compute: Callable[[], Results]) -> Results:
        """The results of a call, which is made if it is the next one."""
        if number == len(self._given):
            self._given.append(compute())
        return self._given[number]


class Recorder:
    """Watches one run, and keeps stops; `seen` is called with each when all is known that happens before the next."""

    def __init__(self, owners: Owners, answers: Answers, seen: Callable[[Stop], None]) -> None:
        self._owners = owners
        self._answers = answers
        self._seen = seen
        self._asked = 0
        self._number = 0
        self._frame = ROOT
        self._last = ROOT
        self._place: tuple[Span, Frame, int] | None = None
        self._events: list[Event] = []
        self._bound = True
        self._bytes = 0

    def watch(self, equation: Equation, arrays: Sequence[Array], compute: Callable[[], Results]) -> Results:
        """Evaluate an equation, and note what it says of the text."""
        params, span = equation.params, equation.span
        if isinstance(params, NamedParams):
            return self._name(params, arrays[0], span)
        if isinstance(params, StepParams):
            return self._step(params, arrays, span)
        if span is not None and not span.source.in_library and self._owners.of(span).head != span.start:
            self._arrive(span)
        match params:
            case PrintParams():
                for line in lines_of(params, tuple(arrays)):
                    self._happens(Happening.PRINTED, line, span)
                return ()
            case CallbackParams():
                self._asked += 1
                return self._answers.ask(self._asked - 1, compute)
        results = compute()
        if isinstance(equation.op, Op):
            self._look_at(equation.op.name, arrays, results, span)
        return results

    def end(self, span: Span) -> None:
        """The run is over; the names are those that the function had at last."""
        self._frame = self._last
        self._stop(span)
        self._flush(is_end=True)

    # ------------------------------------------------------------ what the marks say

    def _name(self, params: NamedParams, array: Array, span: Span | None) -> Results:
        if span is not None:
            self._belong(span)
        self._frame = self._frame.with_array(params, array)
        self._bound = True
        self._bytes += array.nbytes
        return (array,)

    def _step(self, params: StepParams, arrays: Sequence[Array], span: Span | None) -> Results:
        match params.what:
            case _ if params.what == ENTER:
                self._frame = self._frame.primal.entering(params.name, span)
                self._bound = True
            case _ if params.what == LEAVE:
                self._last = self._frame.primal
                self._frame = self._last.leaving()
            case _ if params.what == STATIC:
                self._frame = self._frame.with_static(params)
                self._bound = True
            case _ if params.what == CHECK:
                if np.any(arrays[0]):
                    self._happens(Happening.FAILED, params.text, span)
            case _:
                assert params.what == LINE
                if span is not None:
                    self._arrive(span, again=self._bound)
        return ()

    def _belong(self, span: Span) -> None:
        """Be in the frame that a place of the text belongs to: outside of the current function it is a derivative."""
        self._frame = self._frame.at(self._owners.of(span))

    def _arrive(self, span: Span, again: bool = False) -> None:
        """Come to a place. It is a stop if the line is another one; or the same one `again`, with other names."""
        self._belong(span)
        line = span.source, span.source.row(span.start)
        if again or self._frame.line != line:
            self._frame = self._frame.on(line)
            self._stop(span)

    def _stop(self, span: Span) -> None:
        self._flush()
        self._place = span, self._frame, self._bytes
        self._bound = False
        self._bytes = 0

    def _flush(self, is_end: bool = False) -> None:
        """Give out the stop that is behind, with what happened there."""
        if self._place is None:
            return
        span, frame, size = self._place
        stop = Stop(self._number, span, frame, tuple(self._events), size, is_end)
        self._number += 1
        self._events = []
        self._place = None
        self._seen(stop)

    # ------------------------------------------------------------ what happens

    def _happens(self, what: Happening, text: str, span: Span | None) -> None:
        self._events.append(Event(what, text, span or (self._place[0] if self._place else None)))

    def _look_at(self, name: str, arrays: Sequence[Array], results: Results, span: Span | None) -> None:
        """Note where numbers first are no finite ones."""
        if arrays and not all(map(is_finite, results)) and all(map(is_finite, arrays)):
            kind = "NaN" if any(has_nan(x) for x in results) else "an infinity"
            self._happens(Happening.NOT_FINITE, f"{kind} comes out of `{name}`", span)


class Recording:
    """The stops of a run by number, from 0. The last one is its end."""

    def __init__(self, function: Function, arrays: Sequence[Array], owners: Owners, end: Span) -> None:
        self._function = function
        self._arrays = arrays
        self._owners = owners
        self._end = end
        self._answers = Answers()
        self._kept: deque[Stop] = deque()
        self._length: int | None = None
        self.results: Results | None = None
        """What the program gives, once a run has come to its end."""

    def stop(self, number: int) -> Stop | None:
        """The stop of this number; None behind the end."""
        if self._length is not None and number >= self._length:
            return None
        if not self._is_kept(number):
            self._run_to(number + KEPT // 2)
        return self._kept[number - self._kept[0].number] if self._is_kept(number) else None

    def first(self, start: int, matches: Matches) -> Stop | None:
        """The first stop from `start` on that matches."""
        found: Stop | None = None
        for stop in self._known_from(start):
            if matches(stop):
                return stop
            start = stop.number + 1

        def look(stop: Stop) -> None:
            nonlocal found
            if found is None and stop.number >= start and matches(stop):
                found = stop
            if found is not None and stop.number >= found.number + KEPT // 2:
                raise Enough

        if self._length is None or start < self._length:
            self._run(look)
        return found

    def last(self, end: int, matches: Matches) -> Stop | None:
        """The last stop before `end` that matches."""
        for number in range(end - 1, self._kept[0].number - 1 if self._kept else end, -1):
            stop = self.stop(number)
            if stop is not None and matches(stop):
                return stop
            end = number
        found: Stop | None = None

        def look(stop: Stop) -> None:
            nonlocal found
            if stop.number >= end:
                raise Enough
            if matches(stop):
                found = stop

        if end > 0:
            self._run(look)
        return found

    def events(self, start: int, end: int) -> Iterator[Event]:
        """Return the events at the stops between two numbers."""
        for number in range(start, end):
            stop = self.stop(number)
            if stop is not None:
                yield from stop.events

    def _known_from(self, start: int) -> Iterator[Stop]:
        if self._is_kept(start):
            yield from list(self._kept)[start - self._kept[0].number :]

    def _is_kept(self, number: int) -> bool:
        return bool(self._kept) and self._kept[0].number <= number <= self._kept[-1].number

    def _run_to(self, number: int) -> None:
        def look(stop: Stop) -> None:
            if stop.number >= number:
                raise Enough

        self._run(look)

    def _run(self, look: Callable[[Stop], None]) -> None:
        """Run the program until `look` has seen enough, and keep the stops at the end of that."""
        kept: deque[Stop] = deque()
        total = 0

        def seen(stop: Stop) -> None:
            nonlocal total
            kept.append(stop)
            total += stop.bytes
            while len(kept) > KEPT or (total > BYTES and len(kept) > 1):
                total -= kept.popleft().bytes
            look(stop)

        recorder = Recorder(self._owners, self._answers, seen)
        with suppress(Enough):
            self.results = evaluate_watched(self._function, self._arrays, recorder.watch)
            recorder.end(self._end)
        self._kept = kept
        if kept[-1].is_end:
            self._length = kept[-1].number + 1
