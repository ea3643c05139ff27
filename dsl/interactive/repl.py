"""`dsl repl`: programs at a prompt.

Read next: `session`, which knows what was entered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer

from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.files import read_source
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import LIBRARY, Source
from dsl.editors.pygments_lexer import DslLexer
from dsl.interactive.session import Session
from dsl.syntax.library_text import library_text
from dsl.syntax.parse import parse, parse_expression
from dsl.syntax.sources import library
from dsl.syntax.tables import tables
from dsl.syntax.words import keywords

HELP = """\
Enter an expression, `let name = …`, or a declaration; a block ends with an empty line.
  :type e    the type of an expression, which is not computed
  :ir e      its IR
  :time e    what compiling and calling it takes
  :load f    the declarations of a file
  :text      all declarations so far
  :quit      leave (Ctrl-D)"""


class Repl:
    """A session and what is printed about it."""

    def __init__(self, session: Session, say: Callable[[str], None], complain: Callable[[Diagnostic], None]) -> None:
        self._session = session
        self._say = say
        self._complain = complain

    @property
    def commands(self) -> Mapping[str, Callable[[str], str]]:
        """Return the colon commands by name: functions from the rest of the line to the output."""
        return {
            ":type": self._session.type,
            ":ir": self._session.ir,
            ":time": self._time,
            ":load": self._load,
            ":text": lambda _: self._session.text,
            ":help": lambda _: HELP,
        }

    def enter(self, text: str) -> None:
        """Carry out what was entered, and print what comes of it or what is wrong."""
        try:
            self._say_of(text.strip("\n"))
        except DslError as error:
            for diagnostic in error.diagnostics:
                self._complain(diagnostic)

    def _say_of(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word.startswith(":"):
            command = self.commands.get(word)
            self._say(f"there is no `{word}`; :help lists what there is" if command is None else command(rest.strip()))
        elif text.strip():
            found = self._session.enter(text)
            self._say("" if found is None else f"{found.value} : {found.type}")

    def _time(self, text: str) -> str:
        first, later = self._session.time(text)
        return f"first call {first * 1e3:.1f} ms, then {later * 1e6:.0f} µs"

    def _load(self, name: str) -> str:
        self._session.load(read_source(Path(name)).text)
        return ""


def is_whole(text: str) -> bool:
    """Return whether what was entered can be carried out: a block is ended by an empty line, a line must be
    readable."""
    if text.startswith(":") or text.rstrip(" ").endswith("\n") or not text.strip():
        return True
    bare = re.sub(f"{tables().terminals['STRING']}|{tables().terminals['COMMENT']}", "", text)
    if "\n" in text or len(re.findall(r"[(\[{]", bare)) > len(re.findall(r"[)\]}]", bare)):
        return False
    source = Source("<prompt>", text)
    tree, problems = parse(source)
    if not tree.declarations:
        _, problems = parse_expression(source)
    return not any(d.primary.span.end >= len(text.rstrip()) for d in problems)


class Names(Completer):
    """Names of the session and of the library, and words."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yield the completions of the word before the cursor."""
        word = document.get_word_before_cursor(WORD=False)
        known = [*self._session.names, *_library_names(), *keywords()]
        for name in dict.fromkeys(known):
            if word and name.startswith(word) and name.isidentifier():
                yield Completion(name, -len(word))


def _library_names() -> Iterator[str]:
    source = library("prelude")
    assert source is not None and source.name.startswith(LIBRARY)
    yield from (written.name for written in library_text(source).definitions if not written.name.startswith("_"))


def run_repl(complain: Callable[[Diagnostic], None], **terminal: Any) -> int:
    """Read and answer until the end of the input."""
    session = Session()
    repl = Repl(session, lambda text: print(text) if text else None, complain)
    prompt: PromptSession[str] = PromptSession(
        history=_history(),
        lexer=PygmentsLexer(DslLexer),
        completer=Names(session),
        multiline=True,
        key_bindings=_keys(),
        prompt_continuation="... ",
        **terminal,
    )
    print("puredsl; :help says what can be entered")
    while True:
        try:
            text = prompt.prompt(">>> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return 0
        if text.strip() == ":quit":
            return 0
        repl.enter(text)


def _history() -> History:
    folder = platformdirs.user_state_path("puredsl")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(folder / "history"))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_whole(buffer.text):
            buffer.validate_and_handle()
        else:
            line = buffer.document.current_line
            buffer.insert_text("\n" + line[: len(line) - len(line.lstrip())])

    return keys
