"""Programs that are right: what tree they give."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import parse, parse_expression
from dsl.syntax.show import show

CORPUS = Path(__file__).parent / "corpus"


def expression(text: str) -> ast.Expr:
    node, wrong = parse_expression(Source("x", text))
    assert not wrong, [(d.code, d.message) for d in wrong]
    return node


def module(text: str) -> ast.Module:
    node, wrong = parse(Source("x", text))
    assert not wrong, [(d.code, d.message, d.primary.span) for d in wrong]
    return node


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.dsl")), ids=lambda path: path.stem)
def test_the_corpus_parses(path: Path) -> None:
    assert module(path.read_text(encoding="utf-8")).declarations


SAME_TREE = [
    ("a + b * c", "a + (b * c)"),
    ("a - b - c", "(a - b) - c"),
    ("a ** b ** c", "a ** (b ** c)"),
    ("-a ** b", "-(a ** b)"),
    ("a ** -b", "a ** (-b)"),
    ("a ** -b ** c * d", "(a ** (-(b ** c))) * d"),
    ("-a * b", "(-a) * b"),
    ("- - a", "-(-a)"),
    ("~a & b | c ^ d", "((~a) & b) | (c ^ d)"),
    ("a << b + c", "a << (b + c)"),
    ("a & b << c", "a & (b << c)"),
    ("a | b == c", "(a | b) == c"),
    ("not a == b", "not (a == b)"),
    ("not a and b or c", "((not a) and b) or c"),
    ("a or b and c", "a or (b and c)"),
    ("a and not b", "a and (not b)"),
    ("a @ b * c // d % e", "(((a @ b) * c) // d) % e"),
    ("a |> f |> g", "(a |> f) |> g"),
    ("a or b |> f", "(a or b) |> f"),
    ("a |> f or b", "a |> (f or b)"),
    ("a < b + 1", "a < (b + 1)"),
    ("a.b(c)[d].0", "(((a.b)(c))[d]).0"),
    ("-a.b", "-(a.b)"),
    ("a.0.1", "(a.0).1"),
    ("fn x -> x + 1", "fn (x) -> (x + 1)"),
    ("fn x -> fn y -> x", "fn x -> (fn y -> x)"),
    ("if a then b else c + d", "if a then b else (c + d)"),
    ("if a then b else if c then d else e", "if a then b else (if c then d else e)"),
    ("a |> fn x -> x |> g", "a |> (fn x -> (x |> g))"),
    ("fold a = 0 for x in xs do a + x |> f", "fold a = 0 for x in xs do ((a + x) |> f)"),
    ("fold a = if b then c else d for x in xs do a", "fold a = (if b then c else d) for x in xs do a"),
    ("[fold a = 0 for x in xs do a for y in ys]", "[(fold a = 0 for x in xs do a) for y in ys]"),
    ("a\n  |> f", "a |> f"),
    ("(a +\n b)", "a + b"),
    ("f(a,\n b,\n)", "f(a, b)"),
    ("if a\n  then b\n  else c", "if a then b else c"),
    ("if a then\n  b\nelse\n  c", "if a then b else c"),
    ("a\n* b", "a * b"),
    ("x\n.f(y)", "x.f(y)"),
    ("f(fn x ->\n    x, b)", "f(fn x -> x, b)"),
    ("f(a=\n    b\n, c=d)", "f(a=b, c=d)"),
    ("x |> fn a ->\n    a\n|> g", "(x |> (fn a -> a)) |> g"),
    ("x  # nor here\n|> f", "x |> f"),
    ("(a\n# or\n, b)", "(a, b)"),
    ("f(if a then\n    b\n  else\n    c, d)", "f(if a then b else c, d)"),
    ("x[:, None]", "x[ : , None ]"),
    ("1_000 + 0x1F", "1000 + 31"),
    ('"a\\n\\"\\x41"', '"a\\n\\"A"'),
]


@pytest.mark.parametrize(("text", "meaning"), SAME_TREE, ids=[text for text, _ in SAME_TREE])
def test_grouping(text: str, meaning: str) -> None:
    assert show(expression(text)) == show(expression(meaning))


SHOWN = [
    ("3", "NumberLit(3)"),
    ("2.5e-3", "NumberLit(0.0025)"),
    ("1e3", "NumberLit(1000.0)"),
    ("2.0j", "NumberLit(2j)"),
    ("()", "TupleLit(())"),
    ("(a,)", "TupleLit((Name('a'),))"),
    ("[]", "ListLit(())"),
    ("{}", "RecordLit(())"),
    ("none", "NoneLit(False)"),
    ("x[None]", "Index(Name('x'), (NoneLit(True),))"),
    ("x[::2]", "Index(Name('x'), (Slice(None, None, NumberLit(2)),))"),
    ("x[a:b:c]", "Index(Name('x'), (Slice(Name('a'), Name('b'), Name('c')),))"),
    ("x[...]", "Index(Name('x'), (EllipsisItem(),))"),
    ("f(*a)", "Call(Name('f'), (Argument(None, Splice(Name('a'))),))"),
    ("a < b <= c", "Compare((Name('a'), Name('b'), Name('c')), ('<', '<='))"),
    (
        "(a < b) < c",
        "Compare((Compare((Name('a'), Name('b')), ('<',)), Name('c')), ('<',))",
    ),
    ("{w = a, b = c}", "RecordLit(((Ident('w'), Name('a')), (Ident('b'), Name('c'))))"),
    ("s := 1\ns", "Block((CellWrite(Ident('s'), ':=', NumberLit(1)),), Name('s'))"),
    ("x[0] = 1\nx", "Block((Assignment(Index(Name('x'), (NumberLit(0),)), '=', NumberLit(1)),), Name('x'))"),
    ("x -= 1\nx", "Block((Assignment(Name('x'), '-=', NumberLit(1)),), Name('x'))"),
    ("f()\n(a)", "Block((ExprStatement(Call(Name('f'), ())),), Name('a'))"),
    ("fn () -> a", "Lambda((), Name('a'))"),
    (
        "fn ((a, _)) -> a",
        "Lambda((LambdaParam(TuplePattern((NamePattern('a'), WildcardPattern()), ()), None),), Name('a'))",
    ),
]


@pytest.mark.parametrize(("text", "tree"), SHOWN, ids=[text for text, _ in SHOWN])
def test_trees(text: str, tree: str) -> None:
    assert show(expression(text)) == tree


def test_rows_belong_to_the_nearest_arrow() -> None:
    first, second, third = module(
        "def f(g: A -> B ! e) -> C ! io = g\ndef h() -> ((A) -> B) ! io = h\ndef k() -> (A) -> B ! io = k\n"
    ).declarations
    assert isinstance(first, ast.Def) and isinstance(second, ast.Def) and isinstance(third, ast.Def)
    argument = first.params[0].type
    assert isinstance(argument, ast.FunctionTypeExpr) and argument.effects is not None
    assert first.effects is not None and first.effects.labels[0].path[0].name == "io"
    assert isinstance(second.result, ast.FunctionTypeExpr) and second.result.effects is None
    assert second.effects is not None
    assert isinstance(third.result, ast.FunctionTypeExpr) and third.result.effects is not None
    assert third.effects is None


def test_documentation_comments() -> None:
    read = module("## The module.\n\n## One.\n## Two.\ndef f() = 1\n\n# plain\ndef g() = 2\n")
    f, g = read.declarations
    assert isinstance(f, ast.Def) and isinstance(g, ast.Def)
    assert (read.doc, f.doc, g.doc) == ("The module.", "One.\nTwo.", None)


def test_keyword_only_parameters() -> None:
    (f,) = module("def f(x: f32, *, static k: int = 3, y) = x\n").declarations
    assert isinstance(f, ast.Def)
    assert [(p.name.name, p.keyword_only, p.static) for p in f.params] == [
        ("x", False, False),
        ("k", True, True),
        ("y", True, False),
    ]


def test_a_long_block_is_flat_and_quick_to_read() -> None:
    lines = "".join(f"    let x{i} = x{i - 1} + {i}.0\n" for i in range(1, 5001))
    (f,) = module(f"def f(x0: f32) -> f32 =\n{lines}    x5000\n").declarations
    assert isinstance(f, ast.Def) and isinstance(f.body, ast.Block)
    assert len(f.body.statements) == 5000
