"""A debugged call: where one stands in its recording, what is broken at, and what each command does.

Independent of terminals. Read next: `recording`, `prompt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, DslError, Help, InputError, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.functions.function import Function
from dsl.host.functions.specialisation import Marked
from dsl.interactive.debugger import view
from dsl.interactive.debugger.expressions import Expressions, is_condition
from dsl.interactive.debugger.frames import Frame, Happening, Names, Owner, Owners, Stop
from dsl.interactive.debugger.recording import Recording
from dsl.interactive.debugger.scopes import Scopes
from dsl.tools.results import show

HELP = """\
  step, s            the next line, also of a function that is called
  next, n            the next line of this function
  out, o             the line where this function is left
  continue, c        the next line that a break stands on
  back step, rs      the same backward: rs, rn, ro, rc
  start, end         the first line; the end, with the result
  goto N             stop number N
  names, a           all names here, with their values
  print E, p E       the value of an expression here; `E` alone does, too
  where, w           the calls that are open; `up` and `down` look at the names of another one
  list, l            the lines around
  break L, b L       stop on line L, or in the function L; `break L if E`: where E is true; `break nan`: where NaN or
                     an infinity first comes about; `break check`: where a check fails; `break` lists them
  delete N           take back break N; `delete` all of them
  quit, q            leave (Ctrl-D)
An empty line does the last command again."""


class Break(Struct, frozen=True):
    """A breakpoint: a line, with a condition if any, or an event on a line."""

    text: str
    line: tuple[Source, int] | None = None
    condition: str = ""
    what: Happening | None = None


Command: TypeAlias = Callable[[str], None]
_HAPPENINGS: Mapping[str, Happening] = MappingProxyType({"nan": Happening.NOT_FINITE, "check": Happening.FAILED})
_BEGINS_LIKE_A_NAME = re.compile(r"\w+ *([*/@.\[(<>=!&|^%]|[-+] )")
"""The first word is no command but a name: something is done to it."""
_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "s": "step",
        "n": "next",
        "o": "out",
        "c": "continue",
        "rs": "back step",
        "rn": "back next",
        "ro": "back out",
        "rc": "back continue",
        "back": "back step",
        "a": "names",
        "p": "print",
        "w": "where",
        "l": "list",
        "b": "break",
        "h": "help",
        "q": "quit",
    }
)


class Debugged:
    """A call that is debugged; `say` shows a text."""

    def __init__(self, function: Function, call: Marked, folder: Path | None, say: Callable[[str], None]) -> None:
        owners = Owners(function.program.core)
        self._function = function
        self._call = call
        self._folder = folder
        self._say = say
        self._owners = owners
        self._scopes = Scopes(call.function, owners)
        self._recording = Recording(call.function, call.arrays, owners, function.definition.span)
        self._main = owners.of(function.definition.span)
        self._expressions: dict[Source, Expressions] = {}
        self._breaks: dict[int, Break] = {}
        self._numbers = 0
        self._up = 0
        first = self._recording.stop(0)
        assert first is not None
        self._here = first
        self.commands: Mapping[str, Command] = MappingProxyType(
            {
                "step": lambda _: self._forward(lambda stop: True),
                "next": lambda _: self._forward(self._is_next),
                "out": lambda _: self._forward(self._is_outside),
                "continue": lambda _: self._forward(self._is_broken),
                "back step": lambda _: self._backward(lambda stop: True),
                "back next": lambda _: self._backward(self._is_next),
                "back out": lambda _: self._backward(self._is_outside),
                "back continue": lambda _: self._backward(self._is_broken),
                "start": lambda _: self._go(self._recording.stop(0)),
                "end": lambda _: self._forward(lambda stop: stop.is_end),
                "goto": self._goto,
                "names": lambda _: self._say(view.names(self._frame.names) or "  no names yet"),
                "print": self._print,
                "where": lambda _: self._where(),
                "up": lambda _: self._look(1),
                "down": lambda _: self._look(-1),
                "list": lambda _: self._say(view.code(self._here, view.AROUND)),
                "break": self._break,
                "delete": self._delete,
                "help": lambda _: self._say(HELP),
            }
        )

    def begin(self) -> None:
        """Show the first line."""
        self._show({})

    def enter(self, text: str) -> None:
        """Carry out a command. Raises `DslError`."""
        entered, text = text, expanded(text)
        if _BEGINS_LIKE_A_NAME.match(entered):
            self._print(entered)
            return
        for length in (2, 1):
            words = text.split(None, length)
            command = self.commands.get(" ".join(words[:length]))
            if command is not None:
                command(words[length] if len(words) > length else "")
                return
        self._require_no_command(text.split()[0])
        self._print(text)

    def _require_no_command(self, word: str) -> None:
        """Refuse a word that is nearly a command and no name here. Raises `InputError` E0976."""
        near = get_close_matches(word, self.commands, n=1, cutoff=0.7)
        if near and word not in self._frame.values():
            raise _wrong(f"there is no command `{word}`", f"did you mean `{near[0]}`?")

    # ------------------------------------------------------------ going on

    def _forward(self, matches: Callable[[Stop], bool]) -> None:
        here = self._here
        if here.is_end:
            self._say("this is the end; `back` goes back")
            return
        found = self._recording.first(here.number + 1, matches) or self._recording.first(here.number + 1, _is_end)
        assert found is not None
        printed = [e for e in self._recording.events(here.number, found.number) if e.what is Happening.PRINTED]
        self._here, self._up = found, 0
        self._say(view.events(printed))
        self._show(_seen(here.frame, found.frame))

    def _backward(self, matches: Callable[[Stop], bool]) -> None:
        if self._here.number == 0:
            self._say("this is the start")
            return
        found = self._recording.last(self._here.number, matches) or self._recording.stop(0)
        self._go(found)

    def _go(self, stop: Stop | None) -> None:
        assert stop is not None
        self._here, self._up = stop, 0
        self._show(stop.frame.names)

    def _goto(self, text: str) -> None:
        stop = self._recording.stop(int(text)) if text.isdigit() else None
        if stop is None:
            raise _wrong(f"there is no stop {text!r}", "stops are numbered from 0; `goto 3` goes to number 3")
        self._go(stop)

    def _is_next(self, stop: Stop) -> bool:
        return stop.is_end or stop.frame.depth <= self._here.frame.depth

    def _is_outside(self, stop: Stop) -> bool:
        return stop.is_end or stop.frame.depth < self._here.frame.depth

    # ------------------------------------------------------------ what is shown

    def _show(self, before: Names) -> None:
        here = self._here
        if here.is_end:
            self._say(view.place(here))
            self._say_result()
            return
        self._say(view.changed(before, here.frame.names))
        self._say(view.place(here))
        self._say(view.code(here))
        self._say(view.events([e for e in here.events if e.what is not Happening.PRINTED]))

    def _say_result(self) -> None:
        assert self._recording.results is not None
        self._say(show(self._call.value_of(self._recording.results), self._function.signature.result))

    @property
    def _frame(self) -> Frame:
        """The frame that is looked at."""
        frame = self._here.frame
        for _ in range(self._up):
            assert frame.caller is not None
            frame = frame.caller
        return frame

    def _where(self) -> None:
        rows = list(view.calls(self._here.frame))
        self._say("\n".join(f"{'>' if k == self._up else ' '} {row}" for k, row in enumerate(rows)))

    def _look(self, further: int) -> None:
        wanted = self._up + further
        if not 0 <= wanted < self._here.frame.depth:
            raise _wrong("there is no such call", "`where` lists the calls that are open")
        self._up = wanted
        self._where()

    # ------------------------------------------------------------ expressions

    def _print(self, text: str) -> None:
        frame = self._frame
        self._say(view.result(self._over(frame).evaluate(text, frame.values()).value))

    def _over(self, frame: Frame) -> Expressions:
        return self._in(self._main.source if frame.owner is None else frame.owner.source)

    def _in(self, source: Source) -> Expressions:
        if source not in self._expressions:
            self._expressions[source] = Expressions(source, self._folder)
        return self._expressions[source]

    # ------------------------------------------------------------ breaks

    def _break(self, text: str) -> None:
        if not text:
            self._say("\n".join(f"  {k}: {each.text}" for k, each in self._breaks.items()) or "  no breaks")
            return
        made = self._made(text)
        self._numbers += 1
        self._breaks[self._numbers] = made
        self._say(f"  {self._numbers}: {made.text}")

    def _made(self, text: str) -> Break:
        if text in _HAPPENINGS:
            return Break(text, what=_HAPPENINGS[text])
        place, _, condition = (part.strip() for part in text.partition(" if "))
        source, row = self._line(place)
        if condition:
            names = self._scopes.names(source, row)
            if names is not None:
                self._in(source).check(is_condition(condition), names)
        shown = f"{source.placed.name}:{self._shown(source, row)}" + (f" if {condition}" if condition else "")
        return Break(shown, (source, row), condition)

    def _line(self, place: str) -> tuple[Source, int]:
        """The line that is meant: its number in the text here, or the name of a function. Raises `InputError` E0976."""
        source = (self._frame.owner or self._main).source
        if place.isdigit():
            row = int(place) - self._shown(source, 0)
            if row in self._scopes.rows.get(source, ()):
                return source, row
            nearest = self._scopes.nearest(source, row)
            help = [] if nearest is None else [f"the nearest line that is evaluated is {self._shown(source, nearest)}"]
            raise _wrong(f"nothing is evaluated on line {place} of {source.placed.name}", *help)
        owner = self._owners.named(place)
        row_of = None if owner is None else self._scopes.first_row(owner)
        if owner is None or row_of is None:
            raise _wrong(f"`{place}` is neither a line nor a function that is called", self._known_functions())
        return owner.source, row_of

    def _shown(self, source: Source, row: int) -> int:
        """The number of a row, in the file it is in."""
        start = source.line_starts[min(max(row, 0), len(source.line_starts) - 1)]
        return source.placed.position(start)[0] + row - source.row(start)

    def _known_functions(self) -> str:
        owners: set[Owner] = {
            self._owners.at(source, row) for source, rows in self._scopes.rows.items() for row in rows
        }
        return f"called are {', '.join(sorted(f'`{owner.name}`' for owner in owners if owner.name))}"

    def _delete(self, text: str) -> None:
        if text and (not text.isdigit() or int(text) not in self._breaks):
            raise _wrong(f"there is no break {text!r}", "`break` lists them")
        for number in [int(text)] if text else [*self._breaks]:
            del self._breaks[number]

    def _is_broken(self, stop: Stop) -> bool:
        return any(self._holds(each, stop) for each in self._breaks.values())

    def _holds(self, each: Break, stop: Stop) -> bool:
        if each.what is not None:
            return stop.has(each.what)
        assert each.line is not None
        if not stop.is_on(*each.line):
            return False
        return not each.condition or self._is_true(each.condition, stop.frame)

    def _is_true(self, condition: str, frame: Frame) -> bool:
        """Return whether a condition holds. It does not if a name in it has no value yet."""
        try:
            return bool(self._over(frame).evaluate(is_condition(condition), frame.values()).value)
        except DslError:
            return False


def expanded(text: str) -> str:
    """A command without its abbreviation."""
    word, _, rest = text.strip().partition(" ")
    if word == "back" and rest:
        step, _, more = rest.strip().partition(" ")
        return f"back {_SHORT.get(step, step)} {more}".strip()
    return f"{_SHORT.get(word, word)} {rest.strip()}".strip()


def _seen(before: Frame | None, now: Frame) -> Names:
    """The names of a frame as they were shown before: in it, in a call out of it, in the call that it derives."""
    known: Names = {}
    if now.is_derivative and now.caller is not None and now.owner is not None:
        known = now.caller.left.get(now.owner) or {}
    while before is not None:
        if before.owner == now.owner and before.depth == now.depth:
            return {**known, **before.names}
        if now.is_derivative and now.owner is not None and now.owner in before.derived:
            return {**known, **before.derived[now.owner]}
        before = before.caller
    return known


def _is_end(stop: Stop) -> bool:
    return stop.is_end


def _wrong(message: str, *help: str) -> InputError:
    place = Label(Span(Source("<prompt>", ""), 0, 0))
    return InputError([Diagnostic("E0976", message, place, help=tuple([Help(text) for text in help]))])
