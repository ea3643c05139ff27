"""Source text to `ast.Module`, with every syntax error of the text.

A text is cut at the declaration keywords in column 0 and each piece is read by a run of its own: no error
leaks from one declaration into another, and the garbage collector never walks a growing stack. Within a
piece `recover` finds the next place from which reading can go on. What comes out has no node deeper than
`MAX_DEPTH`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.late_names import LateModule
from dsl.records import replace
from dsl.syntax import ast, errors
from dsl.syntax.build import Builder
from dsl.syntax.build_types import DefHead
from dsl.syntax.lalr import Maker, Parser
from dsl.syntax.layout import MAX_NESTING, Layout, NestedTooDeeply, first_column, longest_path
from dsl.syntax.parse_failure import Explanation, Problem, Seen
from dsl.syntax.recover import declared_name, resume_line, unwind
from dsl.syntax.scan import Scanner
from dsl.syntax.show import too_deep
from dsl.syntax.suppress_cascades import without_cascades
from dsl.syntax.tables import tables
from dsl.syntax.tokens import Token, Unexpected
from dsl.syntax.top_level_split import (
    Piece,
    are_attributes,
    cut,
    join_attributes,
    misplaced_tabs,
    overlong_line,
    reordering_controls,
    whole,
)

if TYPE_CHECKING:
    from dsl.syntax import explanations
else:  # a text without errors needs none
    explanations = LateModule("dsl.syntax.explanations")

MAX_TEXT = 1_000_000
"""Characters of a text; a longer one is not read, since checking it would take minutes."""

MAX_LINE = 100_000
"""Characters of a line; a longer one is not read."""

MAX_DEPTH = 1000
"""Levels of a tree. Passes that recurse over it need not guard themselves if they afford this depth."""

_MAX_ERRORS = 100


@cache
def scanner() -> Scanner:
    """The scanner of the language, once per process; it remembers the words that it has seen."""
    return Scanner(tables())


_HAND_ON = itemgetter(0)
_SECOND = itemgetter(1)


_SPECIAL: Mapping[str, Maker] = MappingProxyType(
    {"": None, "list_closed": _HAND_ON, "second": _SECOND, "inside": _SECOND}
)


def _makers(builder: Builder) -> list[Maker]:
    """Return the constructor of each rule's value."""
    methods = [rule.method for rule in tables().rules]
    return [_SPECIAL[name] if name in _SPECIAL else getattr(builder, name) for name in methods]


class _Run:
    """One run of the parser over `text[piece.start:piece.end]`."""

    def __init__(self, builder: Builder, makers: Sequence[Maker], start: str, piece: Piece) -> None:
        self.builder = builder
        self.source = builder.source
        self.piece = piece
        self.problems = 0
        self.text, self.at, self.end = self.source.text, piece.start, piece.end
        self.layout = Layout(scanner(), self.text, first_column(self.text, piece.start))
        self.parser = Parser(tables(), makers, start)

    def read(self) -> Any:
        """The node of the piece, or None where not even its head was understood."""
        progress = (-1, 0)
        while True:
            try:
                return self.parser.parse(self.layout.lex(self, self.parser))
            except NestedTooDeeply as problem:
                span = Span(self.source, problem.start, problem.start + 1)
                self.builder.report(errors.nested_too_deeply(span, MAX_NESTING, "open brackets and blocks"))
                return self._head()
            except Unexpected as problem:
                self.problems += 1
                complete, value = self._complete(problem)
                if complete:
                    return value
                if not self._recover(problem):
                    return self._head()
                now = (self.at, -len(self.parser.states))
                if now <= progress or self.problems >= _MAX_ERRORS:
                    return self._head()
                progress = now

    def _problem(self, problem: Unexpected) -> Problem:
        start, end = (self.end, self.end) if problem.kind == "$END" else (problem.start, problem.end)
        found = Seen(problem.kind, self.text[start:end], start, end)
        history = [t for t in self.layout.history[-40:] if t.end_pos <= start and t.type != "DEDENT"]
        before = tuple(_seen(self.text, token) for token in history)
        bracket = self.layout.bracket
        return Problem(self.source, found, before, self.parser.accepted(), None if bracket is None else bracket.start)

    def _complete(self, problem: Unexpected) -> tuple[bool, Any]:
        """A declaration that is whole, with a line below it that starts none."""
        if problem.kind not in ("NEWLINE", "BAD_INDENT") or len(self.layout.stack) > 1:
            return False, None
        if "$END" not in self.parser.accepted():
            return False, None
        self.builder.report(
            explanations.explain(replace(self._problem(problem), expected=frozenset(["$END"]))).diagnostic
        )
        return True, self.parser.parse(())

    def _recover(self, problem: Unexpected) -> bool:
        """Report what is wrong and make the parser ready to go on; False where it cannot."""
        stop = self._problem(problem)
        explanation = explanations.explain(stop)
        self.builder.report(explanation.diagnostic)
        if self._goes_on(explanation, stop.found):
            return True
        target = unwind(self.parser.values, self._accepts_error)
        if target is None:
            return False
        point, levels = target.keep, self.layout.snapshots.get(target.snapshot, self.layout.stack[:1])
        del self.parser.values[point:]
        del self.parser.states[point + 1 :]
        self.layout.restore(tuple(levels))
        column = self.layout.stack[-1].column
        at = resume_line(self.source.text, stop.found.start, self.piece.end, column, listed=self.layout.is_listed)
        first = self.parser.values[-1].end_pos if point else self.piece.start
        self.parser.feed([Token("ERROR", "", first, max(first, stop.found.start))])
        self.at = at
        return True

    def _goes_on(self, explanation: Explanation, found: Seen) -> bool:
        if explanation.instead is None:
            return False
        end = explanation.end or found.end
        self.at = end
        self.layout.resume()
        instead = [Token(kind, _STAND_INS.get(kind, found.text), found.start, end) for kind in explanation.instead]
        try:
            self.parser.feed(instead)
        except Unexpected:
            return False
        return True

    def _accepts_error(self, depth: int) -> bool:
        """Return whether a stand-in may follow the first `depth` values of the stack."""
        return "ERROR" in tables().states[self.parser.states[depth]]

    def _head(self) -> Any:
        """Return the head of an unreadable declaration, if that is complete."""
        stack = self.parser.values
        if stack and isinstance(stack[0], DefHead):
            at = Span(self.source, self.piece.end, self.piece.end)
            return stack[0].define(ast.ErrorExpr(at))
        return None


_STAND_INS: Mapping[str, str] = MappingProxyType({"NUMBER": "0", "STRING": '""', "OP": "==", "NOT": "not"})
"""What a token put in by an explanation says, where that matters."""


class Reading(NamedTuple):
    """The result of reading a source: the module, the errors, and the tokens of each piece with layout."""

    module: ast.Module
    diagnostics: tuple[Diagnostic, ...]
    tokens: tuple[tuple[Piece, tuple[Seen, ...]], ...]


def parse(source: Source) -> tuple[ast.Module, tuple[Diagnostic, ...]]:
    """The module of a text and all its syntax errors, in order of place. Never raises for bad input."""
    reading = parse_with_tokens(source, keep_tokens=False)
    return reading.module, reading.diagnostics


def parse_with_tokens(source: Source, *, keep_tokens: bool = True, attributes: bool = False) -> Reading:
    """Parse a source, as `parse` does, and keep the tokens. With `attributes` lines such as `@elements(x)` are read in
    any text, as in those of the library."""
    builder = Builder(source)
    if refused(source, builder):
        return Reading(ast.Module(source, (), None), tuple(builder.diagnostics), ())
    pieces, doc = cut(source)
    if source.in_library or (attributes and are_attributes(source, pieces)):
        pieces = join_attributes(source, pieces)
    found = read_pieces(source, pieces, builder, keep_tokens=keep_tokens)
    return found._replace(module=replace(found.module, doc=doc))


def read_pieces(
    source: Source, pieces: Sequence[Piece], builder: Builder | None = None, *, keep_tokens: bool = False
) -> Reading:
    """The declarations in some pieces of a text, which may be read."""
    builder = builder or Builder(source)
    makers = _makers(builder)
    declarations: list[ast.Declaration] = []
    attributes: dict[Span, tuple[ast.Attribute, ...]] = {}
    broken: list[str] = []
    tokens: list[tuple[Piece, tuple[Seen, ...]]] = []
    for piece in pieces:
        if source.text[piece.start] in " \t":
            builder.report(errors.indented_declaration(Span(source, piece.start, piece.start + 1)))
        run = _Run(builder, makers, "declaration", piece)
        node = _shallow(run.read(), run, builder)
        _close_piece(builder)
        if node is None:
            broken.extend(declared_name(source.text, piece))
        else:
            declarations.append(node if piece.doc is None else _documented(node, piece.doc))
            if piece.attributes:
                attributes[node.name.span] = piece.attributes
        if keep_tokens:
            tokens.append((piece, tuple(_seen(source.text, token) for token in run.layout.history)))
    module = ast.Module(source, tuple(declarations), None, tuple(broken), MappingProxyType(attributes))
    return Reading(module, without_cascades(builder.diagnostics), tuple(tokens))


def _seen(text: str, token: Any) -> Seen:
    return Seen(token.type, text[token.start_pos : token.end_pos], token.start_pos, token.end_pos)


def parse_expression(source: Source) -> tuple[ast.Expr, tuple[Diagnostic, ...]]:
    """One expression, or the statements of a block in column 0 and its value."""
    builder = Builder(source)
    nothing = ast.ErrorExpr(Span(source, 0, len(source.text)))
    if refused(source, builder):
        return nothing, tuple(builder.diagnostics)
    piece = whole(source)
    if piece is None:
        return nothing, (errors.error("E0101", "expected an expression, found nothing", nothing.span),)
    run = _Run(builder, _makers(builder), "script", piece)
    node = _shallow(run.read(), run, builder)
    _close_piece(builder)
    return (nothing if node is None else node), without_cascades(builder.diagnostics)


def refused(source: Source, builder: Builder) -> bool:
    """Report what is wrong with the characters of a text; return whether it is not to be read at all."""
    if len(source.text) > MAX_TEXT:
        builder.report(errors.text_too_long(Span(source, 0, 0), MAX_TEXT))
        return True
    tabs = misplaced_tabs(source)
    if tabs:
        builder.report(errors.tabs(tabs))
    controls = reordering_controls(source)
    if controls:
        builder.report(errors.reordering(controls))
    line = overlong_line(source, MAX_LINE)
    if line is None:
        return False
    builder.report(errors.line_too_long(line, MAX_LINE))
    return True


def _close_piece(builder: Builder) -> None:
    for span in builder.pythons:
        builder.report(errors.none_outside_index(span))
    builder.pythons.clear()


def _shallow(node: Any, run: _Run, builder: Builder) -> Any:
    """The node, unless it is deeper than `MAX_DEPTH`; a `def` then keeps its head."""
    if node is None or longest_path(token.type for token in run.layout.history) <= MAX_DEPTH:
        return node
    deepest = too_deep(node, MAX_DEPTH)
    if deepest is None:
        return node
    builder.report(errors.nested_too_deeply(deepest, MAX_DEPTH, "operators and forms within each other"))
    if not isinstance(node, ast.Def):
        return None
    bare = replace(node, body=ast.ErrorExpr(node.body.span))
    return bare if too_deep(bare, MAX_DEPTH) is None else None


def _documented(node: Any, doc: str) -> Any:
    return replace(node, doc=doc) if hasattr(node, "doc") else node
