"""Texts that nobody would write, for the checker to survive: random characters, random tokens, mutated programs.

The same number gives the same text. `python -m tests.typechecker.fuzz [count [first]]` checks that many of them and
prints every one that the checker raises on, or takes too long for.
"""

from __future__ import annotations

import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from types import FrameType

from dsl.diagnostics.render import render_plain
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library
from tests.typechecker.test_corpus import CORPUS

LIMIT = 10.0  # seconds for one text of a few lines: far beyond what any takes
TOKEN = re.compile(r"##?[^\n]*|\"[^\"\n]*\"|[\d][\w.]*|\w+|//|\*\*|->|\|>|[<>=!:+]=|<<|>>|\s+|.")
TEXTS = tuple(case.texts[""] for case in CORPUS if len(case.texts[""]) < 1500)
VOCABULARY = """
    def static type enum effect import from as let fn if then else match with do fold scan iterate while for in assert
    and or not true false none where limit reverse unroll rng checks state accum handler resume key f32 f64 i32 bool
    c64 idx int float shape axes size dtype x y n m s a f g p k i _ 0 1 2 3 -1 1.5 2.0j 1e30 99999999999 "text" "{}"
    ( ) [ ] { } , : . = == != < <= > >= + - * / // % @ ** & | ^ ~ << >> |> -> ! := += ? ... *s zeros ones sum mean max
    reshape concatenate transpose grad vmap jvp vjp scan range zip enumerate where einsum tree_map split fold_in
    fresh_key print emit .at .T .shape [0] [:] [None] stop_gradient cast f32(x) axis=0 keepdims=true
"""
INFIX = "+ - * / // % @ ** & | ^ << >> == != < <= > >= and or |>"
WORDS: Sequence[str] = tuple(VOCABULARY.split())
OPERATORS = frozenset(INFIX.split())
MEMBERS: Mapping[str, Sequence[str]] = {
    "number": ("0", "1", "2", "7", "-1", "1.0", "0.5", "2.0j", "1e300", "4294967296", "true"),
    "name": tuple(word for word in WORDS if word.isidentifier()),
    "operator": tuple(INFIX.split()),
    "other": ("(", ")", "[", "]", ",", ".", ":", "=", "->", "!", "{", "}", "-", "?"),
}
CHARACTERS = "abxyzn0123456789_ \n\t()[]{}.,:;=+-*/%@!|&^~<>?'\"\\#é\u2028\x00\ud800🙂"


class TooLong(BaseException):
    """The checker took longer than LIMIT. No `Exception`, so that nothing on the way catches it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A text that the checker did not survive, and how."""

    number: int
    text: str
    how: str


# ---------------------------------------------------------------- texts


def characters(random: Random) -> str:
    if random.random() < 0.3:
        return random.randbytes(random.randrange(200)).decode("utf-8", errors="replace")
    return "".join(random.choice(CHARACTERS) for _ in range(random.randrange(200)))


def tokens(random: Random) -> str:
    """Random words; half of the time below a head that is right."""
    glue = ("", " ", " ", " ", "\n    ", "\n")
    start = random.choice(("", "def f(x: f32[n, m], y: f32[n], k: key, static s: int) -> f32[n] = ", "type A[n] = "))
    return start + "".join(random.choice(WORDS) + random.choice(glue) for _ in range(random.randrange(1, 40)))


def broken(random: Random) -> str:
    """A program with characters, lines or halves taken out, doubled or moved."""
    text = random.choice(TEXTS)
    for _ in range(random.randrange(1, 4)):
        a, b = sorted(random.randrange(len(text) + 1) for _ in range(2))
        b = min(b, a + random.choice((1, 3, 20, 200)))
        lines = text.splitlines(keepends=True)
        text = random.choice(
            (
                text[:a] + text[b:],
                text[:b] + text[a:],
                text[:a] + random.choice(CHARACTERS) + text[a:],
                "".join(random.sample(lines, len(lines))),
                text[:a] + random.choice(TEXTS)[a:],
            )
        )
    return text


def retold(random: Random) -> str:
    """A program with some tokens replaced by others of the same kind: mostly it still parses."""
    pieces = TOKEN.findall(random.choice(TEXTS))
    kinds = [kind(piece) for piece in pieces]
    for _ in range(random.randrange(1, 5)):
        places = [i for i, name in enumerate(kinds) if name != "blank"]
        if not places:
            break
        place = random.choice(places)
        alike = [p for p, name in zip(pieces, kinds, strict=True) if name == kinds[place]]
        pieces[place] = random.choice(alike if random.random() < 0.7 else MEMBERS[kinds[place]])
    return "".join(pieces)


def enlarged(random: Random) -> str:
    """A program with some integers so large that no word of a machine holds them, no double, or none at all."""
    pieces = TOKEN.findall(random.choice(TEXTS))
    places = [place for place, piece in enumerate(pieces) if piece.isdecimal()]
    for place in random.sample(places, min(len(places), random.randrange(1, 3))):
        sign, step = random.choice(("", "", "-")), random.choice((-1, 0, 1))
        pieces[place] = f"{sign}{2 ** random.choice((31, 32, 63, 64, 128, 1024, 2000)) + step}"
    return "".join(pieces)


def kind(piece: str) -> str:
    if piece.isspace() or piece.startswith("#"):
        return "blank"
    if piece[0].isdigit():
        return "number"
    if piece.isidentifier():
        return "name"
    return "operator" if piece in OPERATORS else "other"


KINDS: Sequence[Callable[[Random], str]] = (characters, tokens, broken, retold, retold, enlarged)


def text_of(number: int) -> str:
    """The text of a number; kinds take turns."""
    return KINDS[number % len(KINDS)](Random(number))


# ---------------------------------------------------------------- checking them


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TooLong in this thread after a while."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def survive(text: str, limit: float = LIMIT) -> str | None:
    """Check a text, look at every place that is reported, and draw it; None, or how it failed."""
    source = Source("fuzz.dsl", text)
    try:
        with limited(limit):
            result = check_source(source, cache=known_library())
            if result.ok and result.program is None:
                return "no error is reported, and there is no program"
            for found in result.diagnostics:
                span = found.primary.span
                if not 0 <= span.start <= span.end <= len(span.source.text):
                    return f"{found.code} is reported outside of the text: {span.start} to {span.end}"
                render_plain(found)
    except TooLong:
        return f"took longer than {limit} s"
    except Exception:
        return traceback.format_exc(limit=-4)
    return None


def failures(first: int, count: int) -> Iterator[Failure]:
    for number in range(first, first + count):
        text = text_of(number)
        how = survive(text)
        if how is not None:
            yield Failure(number, text, how)


def main(words: Sequence[str]) -> int:
    count, first = int(words[0]) if words else 20_000, int(words[1]) if len(words) > 1 else 0
    began, found = time.perf_counter(), 0
    causes: Counter[str] = Counter()
    for failure in failures(first, count):
        found += 1
        cause = "\n".join(failure.how.strip().splitlines()[-3:])
        causes[cause] += 1
        if causes[cause] <= 2:
            print(f"---- text {failure.number}\n{failure.text}\n{failure.how}", flush=True)
    for cause, times in causes.most_common():
        print(f"{times} times: {cause}")
    print(f"{count} texts from {first}: {found} failures, {time.perf_counter() - began:.0f} s")
    return min(1, found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
