"""The formatter behind `dsl fmt`: one spelling of blanks, indentation and comments for every program.

It works on the tokens of `parse`, keeps the writer's line breaks, and adds some where a line is longer than
`WIDTH`: before the `where` of a head, before a loop that a `let` binds, between the branches of an `if`, at its
operators, in parentheses if it has no brackets around it, else around and inside of a bracket. Blocks are four blanks
deeper than the line that opens them.
The tree of what comes out is the tree of what went in: this is checked each time, and a text for which it
failed would be handed back as it is. Read next: `spacing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.layout import column_of
from dsl.syntax.operators import precedence
from dsl.syntax.parse import Reading, parse_with_tokens
from dsl.syntax.parse_failure import OPERAND_ENDS, Seen
from dsl.syntax.show import show
from dsl.syntax.spacing import Spacing
from dsl.syntax.top_level_split import Piece

Edit: TypeAlias = tuple[int, str]
"""A place in the text of the writer, and what is inserted there."""

WIDTH = 100
STEP = 4
_MAX_BLANK: Mapping[bool, int] = MappingProxyType({True: 2, False: 1})  # at top level; within a declaration
_CLOSERS = ("RPAR", "RSQB", "RBRACE")


def format_source(source: Source) -> str:
    """The text of `source`, formatted. Raises `DslError` if it has syntax errors."""
    reading = parse_with_tokens(source, attributes=True)
    if reading.diagnostics:
        raise DslError(reading.diagnostics)
    out: list[str] = []
    at = 0
    for piece, tokens in reading.tokens:
        out.extend(_between(source.text[at : piece.start], bool(out)))
        out.extend(_lines_of(source, piece, tokens))
        at = piece.end
    out.extend(_between(source.text[at:] + "\n", bool(out)))
    while out and not out[-1]:
        out.pop()
    text = "".join(line + "\n" for line in out)
    return text if _same(reading.module, text) else source.text


def _lines_of(source: Source, piece: Piece, tokens: tuple[Seen, ...]) -> list[str]:
    """The lines of one declaration. One that has to be edited before is read and formatted again."""
    writer = _Writer(source, piece, tokens)
    lines = writer.lines()
    if not writer.edits:
        return lines
    text = source.text[piece.start : piece.end]
    before = _read(Source(source.name, text)).module
    edited = _edited(text, {(place - piece.start, insertion) for place, insertion in writer.edits})
    return (format_source(Source(source.name, edited)) if _same(before, edited) else text).rstrip("\n").split("\n")


def _edited(text: str, edits: set[Edit]) -> str:
    for place, insertion in sorted(edits, reverse=True):
        text = text[:place] + insertion + text[place:]
    return text


def _same(before: ast.Module, text: str) -> bool:
    after = _read(Source(before.source.name, text))
    return not after.diagnostics and _content(before) == _content(after.module)


def _read(source: Source) -> Reading:
    return parse_with_tokens(source, keep_tokens=False, attributes=True)


def _content(module: ast.Module) -> tuple[object, ...]:
    """Return all that a text says, without its places."""
    return show(module.declarations), module.doc, [*module.attributes.values()]


def _between(text: str, inner: bool) -> list[str]:
    """The comments and blank lines between declarations."""
    lines = [_comment_line(line, inner) for line in text.split("\n")[:-1]]
    if inner and lines and not lines[0]:
        lines = lines[1:]  # the rest of the line on which the declaration above ends
    return _squeezed(lines, _MAX_BLANK[True], keep_first=inner)


def _comment_line(line: str, inner: bool) -> str:
    """A line between declarations; a comment that is indented still belongs to the body above."""
    bare = line.strip()
    column = column_of(line, 0, len(line) - len(line.lstrip()))
    return " " * (-(-column // STEP) * STEP) + bare if bare and inner else bare


def _squeezed(lines: list[str], most: int, *, keep_first: bool) -> list[str]:
    out: list[str] = []
    blank = 0 if keep_first else most
    for line in lines:
        blank = 0 if line else blank + 1
        if blank <= most:
            out.append(line)
    return out


_OPERATORS = frozenset(["OP", "PIPE"])
_PLAIN = OPERAND_ENDS | _OPERATORS | {"PREFIX", "NOT", "COMMA", "DOT", "LPAR", "LSQB", "LBRACE"}
"""What an expression without keywords is made of, or a pattern."""
_CHAINED = _PLAIN | {"FN", "ARROW"}
_DEFINES = frozenset(["DEF", "STATIC"])
_HEADS = _DEFINES | {"LET"}
"""What a line begins with whose `=` opens a body; the `->` of an arm does, too."""


_LOOPS = frozenset(["FOLD", "SCAN", "ITERATE"])


class _Gap(NamedTuple):
    """The layout before a token, besides blanks."""

    layout: tuple[str, ...]  # the layout tokens
    broken: bool  # whether there is a line break
    trailing: str  # the comment on the line above
    own: tuple[tuple[int, str], ...]  # the lines between: column and comment, or empty


@dataclass
class _Line:
    """An output line while it is written."""

    indent: int
    tokens: list[int] = field(default_factory=list)
    comment: str = ""

    def text(self, words: list[str]) -> str:
        code = " " * self.indent + "".join(words) if words else ""
        return f"{code}  {self.comment}" if self.comment else code


class _Block(NamedTuple):
    """An open block: its column in the source, its column here, and the indent of the line that opened it."""

    column: int
    indent: int
    opened_at: int


class _Writer:
    """The lines of one declaration."""

    def __init__(self, source: Source, piece: Piece, tokens: tuple[Seen, ...]) -> None:
        self._text = source.text
        self._piece = piece
        self._tokens = [token for token in tokens if token.kind not in ("INDENT", "NEWLINE", "DEDENT")]
        self._gaps = self._find_gaps(tokens)
        self._spacing = Spacing(self._tokens)
        self._chosen_by = self._find_choices()
        self._breaks: set[int] = set()
        self._moved = False
        self.edits: set[Edit] = set()
        """What lets lines that are too long be broken: parentheses around operators, blocks for branches."""

    def lines(self) -> list[str]:
        """The declaration, with brackets spread until every line fits or none can be spread."""
        while True:
            written = self._write()
            more: set[int] = set().union(*map(self._spread, written)) - self._breaks
            if not more:
                return self._rendered(written)
            self._breaks |= more

    def _find_gaps(self, tokens: tuple[Seen, ...]) -> list[_Gap]:
        gaps, layout, end = [], [], self._piece.start
        for token in tokens:
            if token.kind in ("INDENT", "NEWLINE", "DEDENT"):
                layout.append(token.kind)
                continue
            gaps.append(self._gap(tuple(layout), end, token.start))
            layout, end = [], token.end
        gaps.append(self._gap((), end, self._piece.end))
        return gaps

    def _gap(self, layout: tuple[str, ...], start: int, end: int) -> _Gap:
        first, *rest = self._text[start:end].split("\n")
        own: list[tuple[int, str]] = []
        for line in rest[:-1]:
            own.append((len(line) - len(line.lstrip()), line.strip()))
        return _Gap(layout, bool(rest), first.strip(), tuple(own))

    # ------------------------------------------------------------ lines

    def _write(self) -> list[_Line]:
        lines = [_Line(0)]
        blocks = [_Block(0, 0, 0)]
        starts = [_Line(0)]  # the lines on which the open statements began, one a block
        bracket_indent: dict[int, int] = {}
        begun: dict[int, int] = {}  # the indents of the lines, by the tokens that begin them
        for at, token in enumerate(self._tokens):
            gap = self._gaps[at]
            closed = None
            line = lines[-1]
            if self._is_rest_of_choice(at):
                blocks.append(_Block(self._column(token.start), line.indent, line.indent))
                starts.append(line)
            elif (gap.broken and not self._joins(at, line)) or at in self._breaks:
                outer = list(blocks)
                for kind in gap.layout:
                    if kind == "DEDENT":
                        closed = blocks.pop()
                        starts.pop()
                    elif kind == "INDENT":
                        base = 0 if self._opens_body(at, len(blocks)) else line.indent
                        blocks.append(_Block(self._column(token.start), base + STEP, base))
                        starts.append(line)
                indent = self._indent(at, gap, blocks, closed, starts[-1], bracket_indent, begun)
                begun[at] = indent
                line.comment = gap.trailing
                lines.extend(self._comments(gap, outer if closed else blocks, indent))
                line = _Line(indent)
                lines.append(line)
                if gap.layout and gap.layout[-1] in ("INDENT", "NEWLINE"):
                    starts[-1] = line
            else:
                for _ in gap.layout:  # dedents at a comma or a closing bracket
                    blocks.pop()
                    starts.pop()
            line.tokens.append(at)
            if token.kind in ("LPAR", "LSQB", "LBRACE"):
                bracket_indent[at] = line.indent
        lines[-1].comment = self._gaps[-1].trailing
        return lines

    def _find_choices(self) -> dict[int, int]:
        """The `if` of each `else`; that of a chain is the `else` in front of it, where the `if` follows an `else`."""
        found: dict[int, int] = {}
        open_: list[int] = []
        for at, token in enumerate(self._tokens):
            if token.kind == "IF":
                open_.append(at - 1 if at and self._tokens[at - 1].kind == "ELSE" else at)
            elif token.kind == "ELSE" and open_ and self._tokens[at + 1].kind != "STRING":
                found[at] = open_.pop()
        return found

    def _is_rest_of_choice(self, at: int) -> bool:
        """Return whether a block after `else` is an `if` and nothing else, which goes to the line of the `else`."""
        gap = self._gaps[at]
        chained = self._tokens[at].kind == "IF" and at and self._tokens[at - 1].kind == "ELSE"
        if not chained or gap.layout != ("INDENT",) or gap.trailing or any(text for _, text in gap.own):
            return False
        depth = 1
        for later in self._gaps[at + 1 :]:
            for kind in later.layout:
                depth += (kind == "INDENT") - (kind == "DEDENT")
                if depth == 0 or (depth == 1 and kind == "NEWLINE"):
                    return depth == 0
        return True

    def _joins(self, at: int, line: _Line) -> bool:
        """Return whether a result follows the parenthesis that closes parameters on lines of their own."""
        result = self._tokens[at].kind == "ARROW" and self._spacing.opener(at) < 0 and self._tokens[0].kind in _DEFINES
        gap = self._gaps[at]
        return result and line.tokens == [at - 1] and not (gap.layout or gap.trailing or gap.own)

    def _indent(
        self,
        at: int,
        gap: _Gap,
        blocks: list[_Block],
        closed: _Block | None,
        statement: _Line,
        bracket_indent: dict[int, int],
        begun: dict[int, int],
    ) -> int:
        if gap.layout and gap.layout[-1] in ("INDENT", "NEWLINE"):
            return blocks[-1].indent
        opener = self._spacing.opener(at)
        if (choice := self._chosen_by.get(at)) in begun:
            return begun[choice]
        if self._tokens[at].kind in _CLOSERS:
            return bracket_indent.get(self._spacing.opened_by.get(at, -1), 0)
        within = opener >= 0 and bracket_indent[opener] >= blocks[-1].indent
        if closed is not None and not (within and self._tokens[at].kind == "FOR"):
            return closed.opened_at
        if within:
            return bracket_indent[opener] + STEP
        if self._tokens[at].kind == "BAR" and self._tokens[statement.tokens[0]].kind == "BAR":
            return statement.indent
        return statement.indent + STEP

    def _opens_body(self, at: int, depth: int) -> bool:
        """Return whether the block that begins at a token is the body of the whole declaration."""
        return depth == 1 and self._tokens[at - 1].kind == "EQ" and self._spacing.opener(at) < 0

    def _comments(self, gap: _Gap, blocks: list[_Block], indent: int) -> list[_Line]:
        """The lines that stand alone before a token: comments keep to the block whose column they have."""
        squeezed = _squeezed([text for _, text in gap.own], _MAX_BLANK[False], keep_first=True)
        columns = iter([column for column, text in gap.own if text])
        out = []
        for text in squeezed:
            if not text:
                out.append(_Line(0))
                continue
            column = next(columns)
            deeper = [block.indent for block in blocks if block.column <= column and block.indent > indent]
            out.append(_Line(max(deeper, default=indent), comment=text))
        return out

    def _column(self, at: int) -> int:
        return column_of(self._text, self._text.rfind("\n", 0, at) + 1, at)

    # ------------------------------------------------------------ width

    def _words(self, line: _Line) -> list[str]:
        words: list[str] = []
        for at in line.tokens:
            blank = bool(words) and self._spacing.blank(at)
            words.append((" " if blank else "") + self._tokens[at].text)
        return words

    def _rendered(self, written: list[_Line]) -> list[str]:
        out = []
        for line in written:
            if line.tokens:
                out.append(line.text(self._words(line)))
            else:
                out.append(" " * line.indent + line.comment if line.comment else "")
        return out

    def _spread(self, line: _Line) -> set[int]:
        """The breaks that shorten a line which is too long: before a body that fits on a line of its own,
        at commas or operators of the brackets it stands in, else around and inside of the widest bracket."""
        words = self._words(line)
        if line.indent + sum(map(len, words)) <= WIDTH:
            return set()
        body = self._body(line)
        if body is not None and line.indent + STEP + sum(map(len, words[body:])) <= WIDTH:
            return {line.tokens[body]}
        if (where := self._where(line, words)) is not None:
            return {where}
        around = self._spacing.opener(line.tokens[0])
        commas = self._after_commas(line.tokens[:-1], around) - {line.tokens[0]}
        if commas and around >= 0:
            return commas
        operators = self._operators(line.tokens[body or 0 :])
        if operators and around >= 0:
            return set(operators)
        if self._moves_loop(line):
            return set()
        last = self._last_operand(line, words, operators)
        if last:
            return last - self._breaks
        if self._ends_statement(line):
            edits = self._branches(line, body) or (self._in_parentheses(line.tokens[body or 0 :]) if operators else [])
            self.edits.update(edits)
            if edits:
                return set()
        return self._around_widest(set(line.tokens)) - self._breaks

    def _where(self, line: _Line, words: list[str]) -> int | None:
        """The `where` of a head that goes to a line of its own, if what stands before it fits on one."""
        kinds = [self._tokens[at].kind for at in line.tokens]
        outer = [k for k, at in enumerate(line.tokens) if k and self._spacing.opener(at) < 0 and kinds[k] == "WHERE"]
        fits = bool(outer) and line.indent + sum(map(len, words[: outer[0]])) <= WIDTH
        return line.tokens[outer[0]] if fits else None

    def _last_operand(self, line: _Line, words: list[str], operators: list[int]) -> set[int]:
        """The breaks around and inside of the bracket that ends a statement, if it is the second of two operands and
        what stands before it fits on the line."""
        opener = self._spacing.opened_by.get(line.tokens[-1], -1)
        if len(operators) != 1 or not operators[0] < opener or not self._ends_statement(line):
            return set()
        called = self._tokens[opener - 1].kind in OPERAND_ENDS and opener - 1 > operators[0]
        before = line.indent + sum(map(len, words[: line.tokens.index(opener) + 1]))
        return self._around(opener, line.tokens[-1]) if called and before <= WIDTH else set()

    def _moves_loop(self, line: _Line) -> bool:
        """Put a loop whose result a `let` binds on a line of its own, with all that is in it four blanks deeper."""
        kinds = [self._tokens[at].kind for at in line.tokens]
        if kinds[0] != "LET" or kinds[-1] != "DO" or self._moved:
            return False
        outer = [k for k, at in enumerate(line.tokens) if self._spacing.opener(at) < 0 and kinds[k] == "EQ"]
        if not outer or kinds[outer[0] + 1] not in _LOOPS:
            return False
        self._moved = True
        begin = self._tokens[line.tokens[0]].start
        self.edits.add((self._tokens[line.tokens[outer[0] + 1]].start, "\n" + " " * (self._column(begin) + STEP)))
        end = self._end_of_statement(line.tokens[-1])
        at = self._text.find("\n", self._tokens[line.tokens[-1]].end)
        while 0 <= at < end:
            if self._text[at + 1 : at + 2] != "\n":
                self.edits.add((at + 1, " " * STEP))
            at = self._text.find("\n", at + 1)
        return True

    def _end_of_statement(self, last: int) -> int:
        """Where the statement ends whose first line ends with a token that opens a block."""
        depth = 0
        for at in range(last + 1, len(self._tokens)):
            for kind in self._gaps[at].layout:
                depth += (kind == "INDENT") - (kind == "DEDENT")
                if depth < 0 or (depth == 0 and kind == "NEWLINE"):
                    return self._tokens[at - 1].end
        return self._tokens[-1].end

    def _in_parentheses(self, chain: list[int]) -> list[Edit]:
        return [(self._tokens[chain[0]].start, "("), (self._tokens[chain[-1]].end, ")")]

    def _branches(self, line: _Line, body: int | None) -> list[Edit]:
        """The branches of an `if` that is a statement, or its body, as blocks."""
        start = line.tokens[body or 0]
        if self._tokens[start].kind != "IF":
            return []
        column = self._column(self._tokens[line.tokens[0]].start) + (STEP if body else 0)
        outer = [at for at in line.tokens if at >= start and self._spacing.opener(at) == self._spacing.opener(start)]
        breaks = self._around_branches(outer, column) | ({start: column} if body else {})
        return [(self._tokens[at].start, "\n" + " " * indent) for at, indent in breaks.items()]

    def _around_branches(self, outer: list[int], column: int) -> dict[int, int]:
        """Where the lines of a choice begin that is the rest of a statement, and in which columns; `else if` is one."""
        breaks: dict[int, int] = {}
        depth = 0
        for at in outer:
            kind = self._tokens[at].kind
            depth += (kind == "IF") - (kind == "ELSE")
            if kind == "THEN" and depth == 1:
                breaks[at + 1] = column + STEP
            elif kind == "ELSE" and depth == 0:
                breaks[at] = column
                if self._tokens[at + 1].kind != "IF":
                    return breaks | {at + 1: column + STEP}
        return breaks

    def _around_widest(self, here: set[int]) -> set[int]:
        """The breaks around and inside of the widest bracket on a line."""
        pairs = [(o, c) for o, c in self._spacing.partner.items() if o in here and c in here and c > o + 1]
        if not pairs:
            return set()
        return self._around(*max(pairs, key=lambda pair: self._tokens[pair[1]].start - self._tokens[pair[0]].start))

    def _around(self, opener: int, closer: int) -> set[int]:
        """The breaks around and inside of a bracket."""
        return {opener + 1, closer} | self._after_commas(range(opener + 1, closer), opener)

    def _after_commas(self, inside: Iterable[int], opener: int) -> set[int]:
        """Where the parts of a bracket begin, but for the first; those of a comprehension are its value and its
        clauses."""
        clauses = [at for at in inside if self._tokens[at].kind == "FOR" and self._spacing.opener(at) == opener]
        if clauses:
            return set(clauses)
        return {at + 1 for at in inside if self._tokens[at].kind == "COMMA" and self._spacing.opener(at) == opener}

    def _operators(self, chain: list[int]) -> list[int]:
        """The loosest operators of a chain that is nothing else, the last ones to be computed."""
        depth = self._spacing.opener(chain[0])
        outer = [at for at in chain if self._spacing.opener(at) == depth]
        if not all(self._tokens[at].kind in _CHAINED for at in outer) or self._tokens[chain[0]].kind in _OPERATORS:
            return []
        found = [at for at in outer if self._tokens[at].kind in _OPERATORS]
        loosest = min(map(self._tightness, found), default=0)
        return [at for at in found if self._tightness(at) == loosest]

    def _tightness(self, at: int) -> int:
        """How tightly an operator binds; pipes are looser than all others."""
        return -1 if self._tokens[at].kind == "PIPE" else precedence(self._tokens[at].text)

    def _ends_statement(self, line: _Line) -> bool:
        """Return whether a line is a statement from its start to its end."""
        after = self._gaps[line.tokens[-1] + 1].layout
        begins = line.tokens[0] == 0 or bool(self._gaps[line.tokens[0]].layout)
        return begins and (bool(after) or line.tokens[-1] + 1 == len(self._tokens))

    def _body(self, line: _Line) -> int | None:
        """The position in a line where the body of its definition begins, or of its `let` or its arm, if that is an
        `if` or has operators of its own."""
        depth, kinds = self._spacing.opener(line.tokens[0]), [self._tokens[at].kind for at in line.tokens]
        outer = [k for k, at in enumerate(line.tokens) if self._spacing.opener(at) == depth]
        opens = "EQ" if kinds[0] in _HEADS else "ARROW"
        first = next((k for k in outer if kinds[k] == opens), None)
        if first is None or first + 1 == len(kinds):
            return None
        if opens == "ARROW" and not _PLAIN.issuperset(kinds[k] for k in outer if k < first):
            return None
        operators = any(k > first and kinds[k] in _OPERATORS for k in outer)
        return first + 1 if operators or kinds[0] in _DEFINES or kinds[first + 1] == "IF" else None
