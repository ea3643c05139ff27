"""Source text to `ast.Module`, with every syntax error of the text. The only importer of lark.

A text is cut at the declaration keywords in column 0 and each piece is read by a run of its own: no error
leaks from one declaration into another, and the garbage collector never walks a growing stack. Within a
piece `recover` finds the next place from which reading can go on. What comes out has no node deeper than
`MAX_DEPTH`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.grammar import Rule
from lark.lexer import LexerState, LexerThread, TerminalDef
from lark.parsers.lalr_interactive_parser import InteractiveParser
from lark.parsers.lalr_parser_state import ParseConf, ParserState
from lark.utils import TextSlice

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.records import replace
from dsl.syntax import ast, errors
from dsl.syntax.build import Builder
from dsl.syntax.build_types import DefHead
from dsl.syntax.explanations import explain
from dsl.syntax.layout import ALWAYS_LEXED, MAX_NESTING, Layout, NestedTooDeeply, first_column
from dsl.syntax.parse_failure import Explanation, Problem, Seen
from dsl.syntax.recover import declared_name, resume_line, unwind
from dsl.syntax.scan import Scanner
from dsl.syntax.show import too_deep
from dsl.syntax.suppress_cascades import without_cascades
from dsl.syntax.top_level_split import Piece, attributed, cut, misplaced_tabs, overlong_line, whole

MAX_LINE = 100_000
"""Characters of a line; a longer one is not read."""

MAX_DEPTH = 1000
"""Levels of a tree. Passes that recurse over it need not guard themselves if they afford this depth."""

TABLE = "grammar.json"
"""The tables of `grammar.lark`, made by `python -m dsl.syntax.parse` and checked by a test."""

_MAX_ERRORS = 100
_STARTS = ("declaration", "script")


class _Nothing:
    """The layout stands between lexer and parser run by run; lark is told only which terminals it needs."""

    always_accept = ALWAYS_LEXED

    def process(self, stream: Any) -> Any:
        return stream


def build_grammar(text: str, *, strict: bool = False) -> lark.Lark:
    """The parser of a grammar's text; `strict` refuses every conflict and every ambiguity of terminals."""
    return lark.Lark(
        text,
        parser="lalr",
        lexer="contextual",
        start=list(_STARTS),
        postlex=_Nothing(),
        maybe_placeholders=False,
        strict=strict,
    )


class Grammar(NamedTuple):
    """What a run needs of lark: the tables, the lexer, the rules with the names of their methods."""

    parser: Any
    lexer: Any
    rules: tuple[tuple[Any, str], ...]


def freeze(made: lark.Lark, text: str) -> str:
    """The tables of a grammar as JSON, marked with what they were made from."""
    data, memo = made.memo_serialize([TerminalDef, Rule])
    data["options"] = {name: data["options"][name] for name in ("parser", "lexer", "start")}
    frozen = {"made_from": _digest(text), "data": data, "memo": memo}
    return json.dumps(frozen, separators=(",", ":"), default=str) + "\n"


def thaw(frozen: str, text: str) -> lark.Lark | None:
    """The parser in tables that `freeze` wrote; None if they are not those of this grammar and lark."""
    try:
        parts = json.loads(frozen)
        if parts["made_from"] != _digest(text):
            return None
        table = parts["data"]["parser"]["parser"]
        table["tokens"] = _by_number(table["tokens"])
        table["states"] = {int(state): _by_number(row) for state, row in table["states"].items()}
        return lark.Lark._load_from_dict(parts["data"], _by_number(parts["memo"]), postlex=_Nothing())
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _digest(text: str) -> str:
    return hashlib.sha256(f"{lark.__version__}\n{text}".encode()).hexdigest()


def _by_number(row: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in row.items()}


@cache
def grammar() -> Grammar:
    """The tables of the language, once per process: read from the package, else built."""
    folder = resources.files(__package__)
    text = folder.joinpath("grammar.lark").read_text(encoding="utf-8")
    table = folder.joinpath(TABLE)
    made = thaw(table.read_text(encoding="utf-8"), text) if table.is_file() else None
    made = made or build_grammar(text)
    rules = tuple((rule, str(rule.alias or "")) for rule in made.rules)
    return Grammar(made.parser.parser.parser, Scanner(made.parser.lexer.lexer, _token), rules)


_HAND_ON = itemgetter(0)
_SECOND = itemgetter(1)


def _callbacks(builder: Builder, rules: tuple[tuple[Any, str], ...]) -> dict[Any, Any]:
    special = {"": _HAND_ON, "list_closed": _HAND_ON, "second": _SECOND, "inside": _SECOND}
    return {rule: special[name] if name in special else getattr(builder, name) for rule, name in rules}


class _Run:
    """One run of the parser over `text[piece.start:piece.end]`."""

    def __init__(self, builder: Builder, callbacks: dict[Any, Any], start: str, piece: Piece) -> None:
        self.builder = builder
        self.source = builder.source
        self.piece = piece
        self.problems = 0
        tables = grammar()
        text = self.source.text
        self.layout = Layout(tables.lexer, text, _token_at, first_column(text, piece.start))
        self.lexer_state = LexerState(TextSlice(text, 0, piece.end))
        self.lexer_state.line_ctr.char_pos = piece.start
        thread = LexerThread(self.layout, self.lexer_state)
        conf = ParseConf(tables.parser.parse_table, callbacks, start)
        self.parser = tables.parser
        self.state = ParserState(conf, thread)

    def read(self) -> Any:
        """The node of the piece, or None where not even its head was understood."""
        progress = (-1, 0)
        while True:
            try:
                return self.parser.parse_from_state(self.state)
            except NestedTooDeeply as problem:
                span = Span(self.source, problem.start, problem.start + 1)
                self.builder.report(errors.nested_too_deeply(span, MAX_NESTING, "open brackets and blocks"))
                return self._head()
            except UnexpectedInput as problem:
                self.problems += 1
                complete, value = self._complete(problem)
                if complete:
                    return value
                if not self._recover(problem):
                    return self._head()
                now = (self.lexer_state.line_ctr.char_pos, -len(self.state.state_stack))
                if now <= progress or self.problems >= _MAX_ERRORS:
                    return self._head()
                progress = now

    def _problem(self, problem: UnexpectedInput) -> Problem:
        text = self.source.text
        if isinstance(problem, UnexpectedCharacters):
            at = problem.pos_in_stream
            found = Seen("", text[at], at, at + 1)
        else:
            token = problem.token
            kind, start, end = token.type, token.start_pos, token.end_pos
            if kind == "$END":
                start = end = self.piece.end
            found = Seen(kind, text[start:end], start, end)
        history = [t for t in self.layout.history[-40:] if t.end_pos <= found.start and t.type != "DEDENT"]
        before = tuple(_seen(text, token) for token in history)
        bracket = self.layout.bracket
        thread = self.state.lexer
        expected = InteractiveParser(self.parser, self.state, thread).accepts()
        opener = None if bracket is None else bracket.start
        return Problem(self.source, found, before, frozenset(expected), opener)

    def _complete(self, problem: UnexpectedInput) -> tuple[bool, Any]:
        """A declaration that is whole, with a line below it that starts none."""
        if not isinstance(problem, UnexpectedToken) or problem.token.type not in ("NEWLINE", "BAD_INDENT"):
            return False, None
        table = self.state.parse_conf.states
        if len(self.layout.stack) > 1 or "$END" not in table[self.state.position]:
            return False, None
        if "$END" not in InteractiveParser(self.parser, self.state, self.state.lexer).accepts():
            return False, None
        self.builder.report(explain(replace(self._problem(problem), expected=frozenset(["$END"]))).diagnostic)
        return True, self.state.feed_token(lark.Token("$END", "", 0), True)

    def _recover(self, problem: UnexpectedInput) -> bool:
        """Report what is wrong and make the parser ready to go on; False where it cannot."""
        stop = self._problem(problem)
        explanation = explain(stop)
        self.builder.report(explanation.diagnostic)
        if self._goes_on(explanation, stop.found):
            return True
        target = unwind(self.state.value_stack, self._accepts_error)
        if target is None:
            return False
        point, levels = target.keep, self.layout.snapshots.get(target.snapshot, self.layout.stack[:1])
        del self.state.value_stack[point:]
        del self.state.state_stack[point + 1 :]
        self.layout.restore(tuple(levels))
        column = self.layout.stack[-1].column
        at = resume_line(self.source.text, stop.found.start, self.piece.end, column)
        first = self.state.value_stack[-1].end_pos if point else self.piece.start
        broken = lark.Token("ERROR", "", first, end_pos=max(first, stop.found.start))
        self.state.feed_token(broken)
        self.lexer_state.line_ctr.char_pos = at
        return True

    def _goes_on(self, explanation: Explanation, found: Seen) -> bool:
        if explanation.instead is None:
            return False
        end = explanation.end or found.end
        self.lexer_state.line_ctr.char_pos = end
        self.layout.resume()
        try:
            for kind in explanation.instead:
                value = _STAND_INS.get(kind, found.text)
                self.state.feed_token(lark.Token(kind, value, found.start, end_pos=end))
        except UnexpectedToken:
            return False
        return True

    def _accepts_error(self, depth: int) -> bool:
        """Whether a stand-in may follow the first `depth` values of the stack."""
        return "ERROR" in self.state.parse_conf.states[self.state.state_stack[depth]]

    def _head(self) -> Any:
        """What is left of a declaration that was given up: its head, if that was whole."""
        stack = self.state.value_stack
        if stack and isinstance(stack[0], DefHead):
            at = Span(self.source, self.piece.end, self.piece.end)
            return stack[0].define(ast.ErrorExpr(at))
        return None


def _token(kind: str, text: str, start: int, end: int) -> Any:
    return lark.Token(kind, text, start, end_pos=end)


def _token_at(kind: str, token: Any) -> Any:
    return lark.Token(kind, "", token.start_pos, end_pos=token.end_pos)


_STAND_INS: Mapping[str, str] = MappingProxyType({"NUMBER": "0", "STRING": '""', "OP": "=="})
"""What a token put in by an explanation says, where that matters."""


class Reading(NamedTuple):
    """What reading a text gives: the module, what is wrong, the tokens of each piece with layout."""

    module: ast.Module
    diagnostics: tuple[Diagnostic, ...]
    tokens: tuple[tuple[Piece, tuple[Seen, ...]], ...]


def parse(source: Source) -> tuple[ast.Module, tuple[Diagnostic, ...]]:
    """The module of a text and all its syntax errors, in order of place. Never raises for bad input."""
    reading = read(source, keep_tokens=False)
    return reading.module, reading.diagnostics


def read(source: Source, *, keep_tokens: bool = True) -> Reading:
    """As `parse`, with the tokens."""
    builder = Builder(source)
    pieces, doc = cut(source)
    if _refused(source, builder):
        return Reading(ast.Module(source, (), doc), tuple(builder.diagnostics), ())
    if source.in_library:
        pieces = attributed(source, pieces)
    found = read_pieces(source, pieces, builder, keep_tokens=keep_tokens)
    return found._replace(module=replace(found.module, doc=doc))


def read_pieces(
    source: Source, pieces: Sequence[Piece], builder: Builder | None = None, *, keep_tokens: bool = False
) -> Reading:
    """The declarations in some pieces of a text, which may be read."""
    builder = builder or Builder(source)
    callbacks = _callbacks(builder, grammar().rules)
    declarations: list[ast.Declaration] = []
    attributes: dict[Span, tuple[ast.Attribute, ...]] = {}
    broken: list[str] = []
    tokens: list[tuple[Piece, tuple[Seen, ...]]] = []
    for piece in pieces:
        if source.text[piece.start] in " \t":
            builder.report(errors.indented_declaration(Span(source, piece.start, piece.start + 1)))
        run = _Run(builder, callbacks, "declaration", piece)
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
    if _refused(source, builder):
        return nothing, tuple(builder.diagnostics)
    piece = whole(source)
    if piece is None:
        return nothing, (errors.error("E0101", "expected an expression, found nothing", nothing.span),)
    run = _Run(builder, _callbacks(builder, grammar().rules), "script", piece)
    node = _shallow(run.read(), run, builder)
    _close_piece(builder)
    return (nothing if node is None else node), without_cascades(builder.diagnostics)


def _refused(source: Source, builder: Builder) -> bool:
    tabs = misplaced_tabs(source)
    if tabs:
        builder.report(errors.tabs(tabs))
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
    if len(run.layout.history) <= MAX_DEPTH or node is None:
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


def main() -> None:
    """Write the tables of the grammar beside it."""
    here = Path(__file__).parent
    text = (here / "grammar.lark").read_text(encoding="utf-8")
    (here / TABLE).write_text(freeze(build_grammar(text, strict=True), text), encoding="utf-8")


if __name__ == "__main__":
    main()
