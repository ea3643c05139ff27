"""A test that asserts only inside of loops shows nothing where a loop does not run: it must say that there are cases.

The loops that count as run are those over something that is written out, and over `some(...)`, which fails where there
are no cases. The guard follows the functions of the tests by their names, and is shown to fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support.cases import some

ROOT = Path(__file__).parents[2]
SAME_LENGTH_OR_MORE = {"sorted", "tuple", "list", "set", "frozenset", "reversed", "map", "product"}
OF_MAPPINGS = {"items", "keys", "values"}
CHECKS_OF_LIBRARIES = re.compile(r"assert_\w+|raises|warns|fail")
Function: TypeAlias = ast.FunctionDef
Bindings: TypeAlias = Mapping[str, Sequence[ast.expr]]


# ---------------------------------------------------------------- loops that run


@dataclass(frozen=True, slots=True)
class Names:
    """The values that are assigned to names, of a module and of a function in it."""

    bound: Bindings

    def has_elements(self, node: ast.expr) -> bool:
        """Whether iteration over the expression certainly gives an element."""
        match node:
            case ast.Tuple(elts) | ast.List(elts) | ast.Set(elts):
                return any(not isinstance(e, ast.Starred) or self.has_elements(e.value) for e in elts)
            case ast.Dict(keys):
                return any(key is not None for key in keys)
            case ast.Constant(value):
                return isinstance(value, str | bytes) and bool(value)
            case ast.Name(name):
                values = self.bound.get(name, ())
                return bool(values) and all(self.has_elements(value) for value in values)
            case ast.BinOp(left, ast.Add() | ast.BitOr(), right):
                return self.has_elements(left) or self.has_elements(right)
            case ast.ListComp(_, generators) | ast.SetComp(_, generators) | ast.GeneratorExp(_, generators):
                return all(self.has_elements(each.iter) and not each.ifs for each in generators)
            case ast.Call(ast.Name(name), arguments, keywords):
                return self._call_has_elements(name, arguments, keywords)
            case ast.Call(ast.Attribute(value, name), []):
                return name in OF_MAPPINGS and self.has_elements(value)
        return False

    def _call_has_elements(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> bool:
        match name:
            case "some" | "some_of_example":
                return True
            case "range":
                return _numbers(arguments)
            case "zip":
                strict = any(keyword.arg == "strict" and ast.unparse(keyword.value) == "True" for keyword in keywords)
                return (any if strict else all)([self.has_elements(each) for each in arguments])
            case "map":
                return all(self.has_elements(each) for each in arguments[1:])
            case "MappingProxyType" | "dict" | "enumerate":
                return bool(arguments) and self.has_elements(arguments[0])
        return name in SAME_LENGTH_OR_MORE and all(self.has_elements(each) for each in arguments)


def _numbers(arguments: list[ast.expr]) -> bool:
    """Whether these are the arguments of a range that is written out and has elements."""
    try:
        return len(range(*map(ast.literal_eval, arguments))) > 0
    except (ValueError, TypeError):
        return False


def bindings(statements: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for statement in statements:
        match statement:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                found.setdefault(name, []).append(value)
    return found


# ---------------------------------------------------------------- checks


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the tests, and the functions that its names mean, each as a module and a name in it."""

    name: str
    tree: ast.Module
    functions: Mapping[str, Function]
    meanings: Mapping[str, str]

    def meaning(self, called: ast.expr) -> str:
        """The function that is called; of a method, the one of that name in this module."""
        match called:
            case ast.Attribute(ast.Name(module), name) if module in self.meanings:
                return f"{self.meanings[module]}.{name}"
            case ast.Attribute(_, name):
                return f"{self.name}.{name}"
        return self.meanings.get(ast.unparse(called), "")


def read(root: Path, path: Path) -> Module:
    name = path.relative_to(root).with_suffix("").as_posix().replace("/", ".")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    imported = {
        each.asname or each.name: f"{node.module}.{each.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    return Module(name, tree, functions, imported | {each: f"{name}.{each}" for each in functions})


def asserts(node: ast.AST, module: Module, checking: Set[str]) -> bool:
    """Whether the node is an assertion, or the call of what asserts."""
    match node:
        case ast.Assert():
            return True
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)) if CHECKS_OF_LIBRARIES.fullmatch(name):
            return True
        case ast.Call(called):
            return module.meaning(called) in checking
    return False


def checking_functions(modules: Sequence[Module]) -> Set[str]:
    """The functions that assert, themselves or by one that does."""
    calls = {
        f"{module.name}.{name}": {module.meaning(node.func) for node in ast.walk(f) if isinstance(node, ast.Call)}
        for module in modules
        for name, f in module.functions.items()
    }
    found = {
        f"{module.name}.{name}"
        for module in modules
        for name, f in module.functions.items()
        if any(asserts(node, module, frozenset()) for node in ast.walk(f))
    }
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return found


@dataclass(frozen=True, slots=True)
class Checks:
    """What a test checks: of each assertion, whether the loops around it certainly run."""

    module: Module
    names: Names
    checking: Set[str]

    def of(self, node: ast.AST, sure: bool = True) -> Iterator[bool]:
        match node:
            case ast.Assert(ast.Call(ast.Name("all"), [ast.GeneratorExp(_, generators)])):
                yield sure and all(self.names.has_elements(each.iter) for each in generators)
                return
            case ast.For(_, iterated):
                sure = sure and self.names.has_elements(iterated)
            case ast.While():
                sure = False
            case _ if asserts(node, self.module, self.checking):
                yield sure
        for child in ast.iter_child_nodes(node):
            yield from self.of(child, sure)


def without_cases(root: Path, *folders: str) -> list[str]:
    """The tests that may end without having checked anything."""
    modules = [read(root, path) for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    checking = checking_functions(modules)
    return [
        f"{module.name}:{test.lineno} {name}"
        for module in modules
        for name, test in module.functions.items()
        if name.startswith("test")
        if (
            found := list(
                Checks(module, Names(bindings(module.tree.body) | bindings(ast.walk(test))), checking).of(test)
            )
        )
        if not any(found)
    ]


def test_every_test_that_loops_has_cases() -> None:
    assert without_cases(ROOT, "tests") == []


VACUOUS = (
    "for case in cases(): assert case",
    "for case in [c for c in (1, 2) if c]: assert case",
    "assert all(case for case in cases())",
    "for x, y in zip(cases(), cases(), strict=True): assert x == y",
    "for k in range(len(cases())): assert k",
    "for case in (1, 2):\n        for part in cases(): agree(part)",
    "while cases(): agree(1)",
    "for case in cases():\n        with pytest.raises(ValueError): int(case)",
    "for case in cases(): indirectly(case)",
    "for case in cases(): support.check(case)",
)
SURE = (
    "for case in some(cases()): assert case",
    "for case in (1, 2): assert case",
    "for case in [*cases(), 1]: agree(case)",
    "for case in MORE.items(): assert case",
    "for case in [c + 1 for c in MORE]: assert case",
    "found = [1, 2]\n    for case in found: assert case",
    "for case in cases(): assert case\n    agree(1)",
    "for x, y in zip(cases(), (1, 2), strict=True): assert x == y",
    "for k, case in enumerate(range(3), 1): assert k > case",
    "for case in cases(): nothing(case)",
    "assert all(case for case in some(cases()))",
)
BEFORE = """
from tests import support
from tests.support import some
MORE = {1: 2}
def agree(x): assert x
def indirectly(x): agree(x)
def nothing(x): return x
"""


def guarded(root: Path, body: str) -> list[str]:
    (root / "tests").mkdir()
    (root / "tests" / "support.py").write_text("def check(x):\n    assert x\n")
    (root / "tests" / "a.py").write_text(f"{BEFORE}def test_it():\n    {body}\n")
    return without_cases(root, "tests")


@pytest.mark.parametrize("body", VACUOUS)
def test_the_guard_sees_loops_that_may_not_run(body: str, tmp_path: Path) -> None:
    assert guarded(tmp_path, body) == ["tests.a:8 test_it"]


@pytest.mark.parametrize("body", SURE)
def test_the_guard_lets_pass_what_certainly_checks(body: str, tmp_path: Path) -> None:
    assert guarded(tmp_path, body) == []


def test_no_cases_are_a_failure() -> None:
    assert some(range(2)) == (0, 1)
    with pytest.raises(AssertionError, match="no cases"):
        some(())
