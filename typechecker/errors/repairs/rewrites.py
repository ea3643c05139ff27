"""Rewrites: a rule `PATTERN => TEXT` puts one piece of syntax in place of another; both are written as in a program.

A rule that begins with `for` puts one clause of a loop in place of another. A capital letter stands for what is there:
`I` to `N` for a number, `D` for a dtype, `Q` for what stands in quotes, `R` and `S` for any number of arguments or
items, any other one for one expression, pattern or field. A letter on the right alone is open: each value that it may
have is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.records import is_record, replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes, parts
from dsl.types.dtype import BY_NAME
from typechecker.errors.repairs.trees import bare, operand, read

Found: TypeAlias = Mapping[str, str]
"""The texts that letters stand for."""

Site: TypeAlias = ast.Expr | ast.ForClause
"""What rules change."""

NUMBERS: Mapping[str, Sequence[str]] = MappingProxyType(dict.fromkeys("IJKLMN", ("0", "1", "2", "3")))
DTYPES: Mapping[str, str] = MappingProxyType(
    {
        "float": "f32",
        "double": "f64",
        "half": "f16",
        "bfloat16": "bf16",
        **dict.fromkeys(("Array", "FloatTensor", "Tensor", "ndarray"), "f32"),
        "complex": "c64",
        "int": "i32",
        "long": "i64",
        **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
        **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
        **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
        **{f"complex{bits}": f"c{bits}" for bits in (64, 128)},
    }
)
"""NumPy's names of dtypes."""

_RESTS = ("R", "S")


def rewrites(
    sites: Sequence[Site], rules: Iterable[str], open_: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Iterator[Edit]:
    """Yield what the rules make of the sites, the first rule first; one of a letter alone is for the first site."""
    for rule in map(_rule, rules):
        for site in sites[:1] if _letter(rule.pattern) else sites:
            for found in _match(rule.pattern, site, {}):
                yield from (Edit(site.span, each) for each in _filled(rule, found, {**NUMBERS, **open_}))
            yield from _around_a_block(rule, site, {**NUMBERS, **open_})


def _around_a_block(rule: _Rule, site: Site, open_: Mapping[str, Sequence[str]]) -> Iterator[Edit]:
    """Yield the loops that a rule makes of one whose body has statements, which stay as they are above its value."""
    if isinstance(site, ast.Loop) and isinstance(site.body, ast.Block) and _DO in rule.text:
        value = site.body.result.span
        above = value.source.text[site.body.span.start : value.start]
        for found in _match(rule.pattern, replace(site, body=site.body.result), {}):
            for head, _, last in (each.partition(_DO) for each in _filled(rule, found, open_)):
                yield Edit(site.span, f"{head} do{_before_the_body(site)}{above}{last}")


def _before_the_body(site: ast.Loop) -> str:
    text = site.span.source.text[site.span.start : site.body.span.start]
    return text[len(text.rstrip()) :]


_FOR, _DO, _IN_FRONT = "for ", " do ", "[0 for "


class _Rule(Struct, frozen=True):
    """`letters` are those of the text, each with its place and whether what it stands for has to hold together."""

    pattern: Site
    text: str
    letters: tuple[tuple[int, str, bool], ...]


@lru_cache(maxsize=512)
def _rule(rule: str) -> _Rule:
    of_clause = rule.startswith(_FOR)
    left, text = rule.removeprefix(_FOR).split(f" => {_FOR}" if of_clause else " => ")
    pattern, made = (_clause(left), _clause(text)) if of_clause else (read(left), read(text))
    tight = {start - len(_IN_FRONT) * of_clause for start in _tight(made)}
    if pattern is None:
        raise ValueError(f"not a rule: {rule}")
    alone = [k for k, each in enumerate(text) if each.isupper() and not f"{text[:k]} "[k - 1].isalnum()]
    letters = [k for k in alone if not text[k + 1 : k + 2].isalnum() and text[k - 1 : k + 1] != ".T"]
    return _Rule(pattern, text, tuple([(k, text[k], k in tight) for k in letters]))


def _clause(text: str) -> ast.ForClause | None:
    made = read(f"{_IN_FRONT}{text}]")
    return made.clauses[0] if isinstance(made, ast.Comprehension) else None


def _tight(text: Site | None) -> set[int]:
    """Return the starts of the operands in a text."""
    found = set[int]()
    for node in nodes(text):
        match node:
            case ast.Call(inner) | ast.Index(inner) | ast.Field(inner):
                found.add(inner.span.start)
            case ast.Binary() | ast.Unary() | ast.Compare():
                found |= {each.span.start for each in nodes(node) if isinstance(each, ast.Name)}
            case _:
                pass
    return found


def _letter(node: object) -> str | None:
    match node:
        case ast.Ident("T"):
            return None
        case ast.Name(text) | ast.NamePattern(text) | ast.Ident(text) if len(text) == 1 and text.isupper():
            return text
        case ast.Argument(None, value):
            return _letter(value)
        case _:
            return None


def _match(pattern: object, node: object, found: Found) -> Iterator[Found]:
    letter = _letter(pattern)
    match pattern, node:
        case Span(), _:
            yield found
        case tuple(), tuple():
            yield from _match_all(pattern, node, found)
        case _ if letter is not None:
            text = _bound(letter, node)
            if text is not None and found.get(letter, text) == text:
                yield {**found, letter: text}
        case ast.Argument(ast.Ident(name), value), ast.Argument(ast.Ident(other), of_other):
            yield from _match(value, of_other, found) if name == other else ()
        case ast.Call(function, args), ast.Call(called, given):
            named = [arg.name.name for arg in args if arg.name is not None]
            ordered = sorted(given, key=lambda arg: arg.name is not None and arg.name.name in named)
            yield from _match_all((function, args), (called, tuple(ordered)), found)
        case _ if is_record(pattern) and type(pattern) is type(node):
            yield from _match_all(parts(pattern), parts(node), found)
        case _ if not is_record(pattern) and type(pattern) is type(node) and pattern == node:
            yield found
        case _:
            pass


def _match_all(patterns: Sequence[object], given: Sequence[object], found: Found) -> Iterator[Found]:
    if not patterns:
        yield from () if given else (found,)
    elif (letter := _letter(patterns[0])) in _RESTS and letter is not None:
        for k in range(len(given) + 1):
            text = ", ".join([_text(each) for each in given[:k]])
            yield from _match_all(patterns[1:], given[k:], {**found, letter: text})
    elif given:
        for each in _match(patterns[0], given[0], found):
            yield from _match_all(patterns[1:], given[1:], each)


def _text(node: object) -> str:
    span = getattr(node, "span", None)
    return span.text if isinstance(span, Span) else ""


def _bound(letter: str, node: object) -> str | None:
    """Return the text that a letter stands for at a node; None where it stands for other things."""
    value = node.value if isinstance(node, ast.Argument) and node.name is None else node
    text = _text(value)
    if isinstance(value, ast.Argument | ast.Splice) or not text:
        return None
    if letter == "D":
        return dtype_named(text)
    if letter == "Q":
        return value.value if isinstance(value, ast.StringLit) else None
    number = value.operand if isinstance(value, ast.Unary) else value
    return text if letter not in NUMBERS or isinstance(number, ast.NumberLit) else None


def dtype_named(text: str) -> str | None:
    """Return the dtype that a name of another library, or one in quotes, stands for."""
    name = text.strip("\"'")
    return next((each for each in (name, DTYPES.get(name, "")) if each in BY_NAME), None)


def _filled(rule: _Rule, found: Found, open_: Mapping[str, Sequence[str]]) -> Iterator[str]:
    free = [letter for letter in dict.fromkeys(letter for _, letter, _ in rule.letters) if letter not in found]
    for values in product(*(open_.get(letter, ()) for letter in free)):
        known, written = {**found, **dict(zip(free, values, strict=True))}, rule.text
        for at, letter, is_tight in reversed(rule.letters):
            written = f"{written[:at]}{_fitting(known[letter], is_tight) or _NOTHING}{written[at + 1 :]}"
        for nothing in (f"{_NOTHING}, ", f", {_NOTHING}", _NOTHING):
            written = written.replace(nothing, "")
        yield written


_NOTHING = "\0"


def _fitting(text: str, is_tight: bool) -> str:
    """Return a text as it may stand in an expression."""
    if is_tight:
        return text if isinstance(read(text), ast.NumberLit) else operand(text)
    return bare(text)
