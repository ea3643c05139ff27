"""The language for editors that use tree-sitter: `python -m dsl.editors.tree_sitter` writes `grammar.js` of
`editors/tree-sitter-puredsl` from the grammar of the language, and its queries for colours.

Rules are those of the grammar. One that may be empty is optional where it is named, one of a single part hands that
part on, and operators have the precedence of `dsl.syntax.operators`. The layout is the scanner's, in C.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from dsl.syntax.make_tables import Production, productions
from dsl.syntax.operators import BINARY, PREFIXES, RIGHT
from dsl.syntax.tables import GRAMMAR, tables
from dsl.syntax.words import hard_keywords, keywords, words_of
from dsl.types.dtype import BY_NAME

FOLDER = Path(__file__).parents[2] / "editors" / "tree-sitter-puredsl"
ZED = FOLDER.parent / "zed"

TOKENS: Mapping[str, str] = MappingProxyType(
    {
        "NAME": "$.identifier",
        "NUMBER": "$.number",
        "STRING": "$.string",
        "POSITION": "$.position",
        "INDENT": "$._indent",
        "NEWLINE": "$._newline",
        "DEDENT": "$._dedent",
    }
)
EXTERNAL = ("INDENT", "NEWLINE", "DEDENT", "LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COMMA")
EXTERNAL_WORDS = ("ASSERT", "FOLD", "SCAN", "FOR")
VALUES = frozenset({"TRUE", "FALSE", "NONE", "ELLIPSIS"})
"""The words that are nodes by themselves."""

HIDDEN = re.compile(r"list_(?:first|more|more_nl|barred|closed)|second|inside")
"""The methods of the builder that make no node of their own."""

LIST = re.compile(r"(many|items)\{(\w+)\}")
"""A list, which may end with a comma if it is of `items`."""

CHAIN = frozenset({"chain", "operand"})
"""The rules that read operators flat."""

_LOOKAROUND = re.compile(r"\(\?[!=](?:\[(?:\\.|[^\]])*\]|\\.|\((?:\\.|[^)])*\)|[^)])*\)")


class Writer:
    """The rules of `grammar.js`, from those of the grammar."""

    def __init__(self, rules: Sequence[Production]) -> None:
        self._rules = [rule for rule in rules if "ERROR" not in rule.parts]
        self._nullable = {rule.symbol for rule in self._rules if not rule.parts}
        symbols = dict.fromkeys(rule.symbol for rule in self._rules)
        self._symbols = [s for s in symbols if s not in {*CHAIN, "script"} and not LIST.fullmatch(s)]
        self._named: dict[tuple[str, str], list[str]] = {}
        for rule in self._rules:
            if rule.parts and self._is_node(rule) and rule.symbol in self._symbols:
                self._named.setdefault((rule.symbol, rule.method), []).append(self._sequence(rule))
        self._owners: dict[str, list[str]] = {}
        for symbol, method in self._named:
            self._owners.setdefault(method, []).append(symbol)

    def _is_node(self, rule: Production) -> bool:
        if not rule.method or HIDDEN.fullmatch(rule.method):
            return False
        return len(rule.parts) > 1 or rule.parts[0] in VALUES

    def rules(self) -> Iterator[tuple[str, str]]:
        """Yield the names of the rules with their bodies."""
        for symbol in self._symbols:
            yield _hidden(symbol), _choice(self._alternatives(symbol))
        for (symbol, method), bodies in self._named.items():
            yield self._own(symbol, method), _choice(bodies)
        yield from _chain()

    def _alternatives(self, symbol: str) -> list[str]:
        own = [rule for rule in self._rules if rule.symbol == symbol and rule.parts]
        return list(dict.fromkeys([self._node(r) if self._is_node(r) else self._sequence(r) for r in own]))

    def _node(self, rule: Production) -> str:
        own = self._own(rule.symbol, rule.method)
        return f"$.{own}" if own == rule.method else f"alias($.{own}, $.{rule.method})"

    def _own(self, symbol: str, method: str) -> str:
        """The name of the rule of a node: that of the method, unless another symbol has nodes of this name."""
        return method if self._owners[method][0] == symbol else f"_{symbol}_{method}"

    def _sequence(self, rule: Production) -> str:
        parts = [self._part(part) for part in rule.parts]
        return parts[0] if len(parts) == 1 else f"seq({', '.join(parts)})"

    def _part(self, part: str) -> str:
        if part.isupper():
            return _terminal(part)
        listed = LIST.fullmatch(part)
        if listed is not None:
            return f"{listed[1]}({self._part(listed[2])})"
        name = f"$.{_hidden(part)}"
        return f"optional({name})" if part in self._nullable else name


def _hidden(symbol: str) -> str:
    return f"_{symbol}"


def _choice(alternatives: Iterable[str]) -> str:
    found = list(alternatives)
    return found[0] if len(found) == 1 else f"choice({', '.join(found)})"


def _terminal(name: str) -> str:
    """A terminal by its text, or by its name where it has many."""
    if name in TOKENS:
        return TOKENS[name]
    return _choice(json.dumps(text) for text in texts(name))


def texts(name: str) -> list[str]:
    """The texts of a terminal that is a word or some signs."""
    pattern = _LOOKAROUND.sub("", tables().terminals[name])
    bare = pattern[3:-1] if pattern.startswith("(?:") else pattern
    found = re.split(r"(?<!\\)\|", bare)
    return [re.sub(r"\\(.)", r"\1", text) for text in found]


def _regex(name: str) -> str:
    """A terminal as a regular expression of JavaScript."""
    pattern = _LOOKAROUND.sub("", tables().terminals[name]).replace("\n", "\\n")
    return f"/{pattern}/"


def _chain() -> Iterator[tuple[str, str]]:
    """Operands and operators by precedence."""
    yield "_chain", "choice($._postfix, $.prefixed, $.binary)"
    prefixes = [
        f"prec({level}, seq({_choice(map(json.dumps, signs))}, $._chain))" for level, signs in _by_level(PREFIXES)
    ]
    yield "prefixed", _choice(prefixes)
    levels = []
    for level, signs in _by_level(BINARY):
        side = "right" if signs[0] in RIGHT else "left"
        written = ["seq('not', 'in')" if sign == "not in" else json.dumps(sign) for sign in signs]
        levels.append(f"prec.{side}({level}, seq($._chain, field('operator', {_choice(written)}), $._chain))")
    yield "binary", _choice(levels)


def _by_level(table: Mapping[str, int]) -> list[tuple[int, list[str]]]:
    levels = sorted(set(table.values()))
    return [(level, [sign for sign, own in table.items() if own == level]) for level in levels]


HEAD = """// Written by `python -m dsl.editors.tree_sitter` from the grammar of the language, `dsl/syntax/grammar.lark`.

const many = part => seq(part, repeat(seq(",", part)));
const items = part => seq(many(part), optional(","));

module.exports = grammar({
  name: "puredsl",
  extras: $ => [/[\\s\\uFEFF]/, $.comment, $._break],
  word: $ => $.identifier,
"""


@cache
def grammar() -> str:
    """The text of `grammar.js`."""
    outside = [_terminal(name) for name in (*EXTERNAL, *EXTERNAL_WORDS)]
    rules = dict(Writer(productions(GRAMMAR.read_bytes())).rules())
    fixed = {
        "source_file": "repeat(choice(seq($._declaration, $._newline), seq($.attribute, $._newline)))",
        "attribute": 'seq("@", $.identifier, optional(seq("(", many(choice($.identifier, $.number)), ")")))',
    }
    tokens = {
        "identifier": r"/[\p{XID_Start}_][\p{XID_Continue}]*/",
        **{TOKENS[name].removeprefix("$."): _regex(name) for name in ("NUMBER", "POSITION", "STRING")},
        "comment": "/#[^\\n]*/",
    }
    outside_words = {word for name in EXTERNAL_WORDS for word in words_of()[name]}
    words = [json.dumps(word) for word in hard_keywords() if word not in outside_words]
    lines = [f"    {name}: $ => {body},\n" for name, body in {**fixed, **rules, **tokens}.items()]
    externals = f"  externals: $ => [{', '.join(outside)}, $._break, $._recovering],\n"
    externals += f"  reserved: {{ global: $ => [{', '.join(words)}] }},\n"
    return f"{HEAD}{externals}  rules: {{\n{''.join(lines)}  }},\n}});\n"


def highlights() -> str:
    """The query that gives nodes their colours."""
    values = {word for name in VALUES for word in words_of().get(name, ())}
    signs = sorted(
        {sign for sign in (*BINARY, *PREFIXES, *texts("ASSIGN_OP"), *texts("CELL_OP")) if not sign[0].isalpha()}
    )
    said = {
        "KEYWORDS": [word for word in keywords() if word not in values],
        "SIGNS": [*signs, "|>", "->", "="],
        "DTYPES": sorted(BY_NAME),
    }
    return re.sub("[A-Z]{5,}", lambda found: " ".join(map(json.dumps, said[found[0]])), QUERY)


QUERY = """; Written by `python -m dsl.editors.tree_sitter`. Of several patterns that match a node the last one counts.

(identifier) @variable
(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^##"))
(string) @string
[(number) (position)] @number
(boolean) @boolean
(none) @constant.builtin
(attribute "@" @attribute . (identifier) @attribute)
(type_index . (identifier) @type)
((identifier) @type.builtin (#any-of? @type.builtin DTYPES))
(path_more . (identifier) @module)
(import_plain (identifier) @module)
(import_as "import" . (identifier) @module)
(from_import "from" . (identifier) @module)
(param_plain . (identifier) @variable.parameter)
(param_static . "static" . (identifier) @variable.parameter)
(lambda_expr "fn" . (identifier) @variable.parameter)
(lambda_param . (identifier) @variable.parameter)
(argument_named . (identifier) @variable.parameter)
(field "." . (identifier) @property)
(pair . (identifier) @property)
(call . (identifier) @function.call)
(call . (field "." . (identifier) @function.call))
(call_empty . (identifier) @function.call)
(call_empty . (field "." . (identifier) @function.call))
(definition (def_head . "def" . (identifier) @function))
(definition (def_head . (def_static) . (identifier) @function))
(type_decl . "type" . (identifier) @type)
(enum_decl . "enum" . (identifier) @type)
(effect_decl . "effect" . (identifier) @type)
(variant_fields . (identifier) @constructor)
(arm_variant . (identifier) @constructor)
[SIGNS] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter
[KEYWORDS] @keyword
"""


def config() -> str:
    """The text of `tree-sitter.json`."""
    found = {
        "grammars": [
            {
                "name": "puredsl",
                "camelcase": "Puredsl",
                "scope": "source.dsl",
                "path": ".",
                "file-types": ["dsl"],
                "highlights": ["queries/highlights.scm"],
            }
        ],
        "metadata": {
            "version": "0.1.0",
            "license": "Apache-2.0",
            "description": "The grammar of puredsl for tree-sitter",
        },
    }
    return json.dumps(found, indent=2) + "\n"


def files() -> Mapping[Path, str]:
    """By place, what is written: of tree-sitter, and the colours of the extension for Zed, which are the same."""
    return {
        FOLDER / "grammar.js": grammar(),
        FOLDER / "tree-sitter.json": config(),
        FOLDER / "queries" / "highlights.scm": highlights(),
        ZED / "languages" / "puredsl" / "highlights.scm": highlights(),
    }


def main() -> None:
    """Write the grammar and the queries."""
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
