"""The line that the first NaN or infinity of a result comes from: found by the evaluator, in a second run.

What is not finite on the way and does not reach a result is no matter. Read next: `nan_checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import CheckError, Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.host.calls.nan_checks import has_nan, is_finite
from dsl.host.functions.specialisation import Marked
from dsl.interp import Array, evaluate_watched
from dsl.ir.function import Equation
from dsl.ir.op import Op
from dsl.ops.io import PRINT


class Origin(Struct, frozen=True, eq=False):
    """An op whose results are the first that are not finite, and its place in the text."""

    op: str
    is_nan: bool
    span: Span | None


class _Origins:
    """Watches a run: where the arrays that are not finite come from, by identity. The arrays are kept, so that no other
    one can have theirs."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Origin, Array]] = {}
        self._places: list[Span | None] = [None]
        self._last: Origin | None = None

    def of(self, x: Array) -> Origin | None:
        """Where an array comes from; None if it is finite, an argument or written in the text."""
        known = self._known.get(id(x))
        return None if known is None else known[0]

    def watch(
        self, equation: Equation, arrays: Sequence[Array], compute: Callable[[], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        """Evaluate an equation; nothing is printed a second time."""
        if equation.op is PRINT:
            return ()
        before, self._last = self._last, None
        self._places.append(self._place(equation))
        results = compute()
        place = self._places.pop()
        for y in results:
            if id(y) not in self._known and not is_finite(y):
                found = self._found(equation, arrays, y, place)
                if found is not None:
                    self._last = found
                    self._known[id(y)] = found, y
        self._last = self._last or before
        return results

    def _place(self, equation: Equation) -> Span | None:
        """The place of an equation in the text of a user: of one in the library, that of the call."""
        span = equation.span
        return self._places[-1] if span is None or span.source.in_library else span

    def _found(self, equation: Equation, arrays: Sequence[Array], y: Array, place: Span | None) -> Origin | None:
        inside = None if isinstance(equation.op, Op) else self._last
        given = inside or next((o for o in map(self.of, arrays) if o is not None), None)
        if given is not None or not arrays or not isinstance(equation.op, Op):
            return given
        is_new = all(map(is_finite, arrays)) or (has_nan(y) and not any(map(has_nan, arrays)))
        return Origin(equation.op.name, has_nan(y), place) if is_new else None


def nan_error(call: Marked, definition: core.Function) -> CheckError:
    """The error about a call whose result is not finite."""
    origins = _Origins()
    with np.errstate(all="ignore"):
        results = evaluate_watched(call.function, call.arrays, origins.watch)
    name = definition.written_name
    bad = [x for x in results if not is_finite(x)]
    kind = "NaN" if any(map(has_nan, bad)) else "an infinity" if bad else "NaN or an infinity"
    found = next((o for o in map(origins.of, bad) if o is not None), None)
    message = f"the result of `{name}` holds {kind}"
    if found is not None:
        first = "NaN" if found.is_nan else "infinity"
        label = Label(found.span or definition.span, f"the first {first} comes out of `{found.op}` here")
        return CheckError([Diagnostic("E0943", message, label)])
    if not all(map(is_finite, call.arrays)):
        return CheckError([Diagnostic("E0943", message, Label(definition.span, "so does an argument"))])
    why = "it is one that the text says" if bad else "the evaluator rounds otherwise, and gives finite numbers"
    help = Help("`debug` shows the values of each line")
    return CheckError([Diagnostic("E0943", message, Label(definition.span, why), help=(help,))])
