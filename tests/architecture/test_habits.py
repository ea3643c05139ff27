"""Habits of the code: no mutable globals, nothing unfinished or silenced; each guard is shown to fail."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")
MUTABLE_CALLS = {"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"}
READ_ONLY = {"Mapping", "Sequence", "Set", "Collection"}  # types through which nothing can be changed
NAMELESS = {"utils", "util", "misc", "helpers", "helper", "common"}
PROCESS_WIDE = {
    "dsl/offers.py": "the public face says once, when it is imported, where packages above are",
    "dsl/types/process_settings.py": "settings of the interpreter are one for the process, and are put back",
}
"""Modules with an instance that changes, and the reason."""
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError|type:\s*ignore|#\s*noqa")


def sources(root: Path, *folders: str) -> Iterator[tuple[str, Path]]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield path.relative_to(root).as_posix(), path


def is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        name = value.func.id if isinstance(value.func, ast.Name) else getattr(value.func, "attr", "")
        return name in MUTABLE_CALLS
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def is_read_only(node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether the name is declared with a type that has no way to change the value, or is `__all__`."""
    if isinstance(node, ast.AnnAssign):
        annotation = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
        return ast.unparse(annotation) in READ_ONLY
    return ast.unparse(node.targets[0]) == "__all__"


def is_frozen(node: ast.ClassDef) -> bool:
    """Whether a class is declared as one whose instances stay as they are made."""
    declared = [*node.keywords, *[k for d in node.decorator_list if isinstance(d, ast.Call) for k in d.keywords]]
    return any(k.arg == "frozen" and ast.unparse(k.value) == "True" for k in declared)


def is_changing(node: ast.ClassDef) -> bool:
    """Whether instances change: they are declared as records that may, keep a collection of their own, or have a method
    that stores something in them."""
    if is_frozen(node):
        return False
    declared = [*node.bases, *node.decorator_list]
    if any(ast.unparse(d).partition("(")[0].rpartition(".")[2] in ("dataclass", "Struct") for d in declared):
        return True
    methods = [m for m in node.body if isinstance(m, ast.FunctionDef)]
    return any(stores_in_self(m) for m in methods)


def stores_in_self(method: ast.FunctionDef) -> bool:
    """Whether a method changes its instance; one that makes it does by keeping something that can be changed."""
    making = method.name in ("__init__", "__new__", "__post_init__", "__set_name__")
    for node in ast.walk(method):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            inside = any(t is not None and ast.unparse(t).startswith("self.") for t in targets)
            if inside and (not making or is_mutable(node.value)):
                return True
    return False


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def changing_classes(root: Path) -> set[tuple[str, str]]:
    """The module and the name of each."""
    return {
        (module_name(name), node.name)
        for name, path in sources(root, *PACKAGES)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and is_changing(node)
    }


def class_names(module: str, tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Where the classes that a module names are defined: in it, or where it takes them from."""
    own = {node.name: (module, node.name) for node in tree.body if isinstance(node, ast.ClassDef)}
    taken = [
        (node.module or "", alias) for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    return {alias.asname or alias.name: (source, alias.name) for source, alias in taken} | own


def mutable_globals(root: Path) -> list[str]:
    """Module-level names through which something can be changed from anywhere: collections, and instances of classes of
    the project that change."""
    changing = changing_classes(root)
    found: list[str] = []
    for name, path in sources(root, *PACKAGES):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        homes = class_names(module_name(name), tree)
        classes = {own for own, home in homes.items() if home in changing and name not in PROCESS_WIDE}
        found += [
            f"{name}:{node.lineno}"
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and not is_read_only(node)
            if is_mutable(node.value) or makes_one_of(node.value, classes)
        ]
    return found


def makes_one_of(value: ast.expr | None, classes: set[str]) -> bool:
    calls = value.elts if isinstance(value, ast.Tuple) else [value]
    return any(isinstance(c, ast.Call) and ast.unparse(c.func) in classes for c in calls)


def unfinished(root: Path, *folders: str) -> list[str]:
    return [
        f"{name}:{number}"
        for name, path in sources(root, *folders)
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNFINISHED.search(line)
    ]


def warnings_of_their_own(root: Path) -> list[str]:
    """Warnings of Python that are not issued by `dsl.diagnostics.frames.warn`, which finds the user's line."""
    return [
        f"{name}:{node.lineno}"
        for name, path in sources(root, *PACKAGES)
        if name != "dsl/diagnostics/frames.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(alias.name == "warnings" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "warnings")
        or (isinstance(node, ast.keyword) and node.arg == "stacklevel")
    ]


FINISHING = {"assembly", "bodies", "check", "judgements", "loading", "program_checker", "rechecking", "recorded"}
"""The modules of the checker that fill in the definitions of a module or hand them on."""


def bodies_read_unseen(root: Path) -> list[str]:
    """Rules that read the body of a definition otherwise than by `ProgramChecker.checked`, which takes note of it."""
    return [
        f"{name}:{node.lineno}"
        for name, path in sources(root, "typechecker")
        if path.stem not in FINISHING
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "checked"
        if ast.unparse(node.value).rpartition(".")[2] not in ("program", "handlers")
    ]


SUBORDINATE = re.compile(r"(?:What|That|Whether|Those|As|The same)\b")
"""First words of a docstring that describe a thing without naming it."""


def unnamed(root: Path) -> list[str]:
    """Docstrings that begin with a subordinate clause or a pronoun instead of a verb or a noun."""
    return [
        f"{name}:{node.body[0].lineno}"
        for name, path in sources(root, *PACKAGES)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if SUBORDINATE.match(ast.get_docstring(node) or "")
    ]


def undocumented(root: Path) -> list[str]:
    """Modules without a docstring; an empty `__init__.py` has nothing to say."""
    return [
        name
        for name, path in sources(root, *PACKAGES)
        if (tree := ast.parse(path.read_text(encoding="utf-8"))).body and ast.get_docstring(tree) is None
    ]


def unexplained(root: Path, *folders: str) -> list[str]:
    """Public functions, classes and methods without a docstring."""
    return [
        f"{name}:{node.lineno} {node.name}"
        for name, path in sources(root, *folders)
        for parent in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(parent, ast.Module | ast.ClassDef) and not getattr(parent, "name", "").startswith("_")
        for node in parent.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if not node.name.startswith("_") and ast.get_docstring(node) is None
    ]


def nameless(root: Path) -> list[str]:
    """Modules and packages named after nothing."""
    return [name for name, _ in sources(root, *PACKAGES) if NAMELESS & set(re.split(r"[/.]", name))]


LOSING = re.compile(r"def __del__\b|\bWeak(Value|Key)Dictionary\b|\bfinalize\b|\bCFUNCTYPE\b|gc\.callbacks")
INTERRUPTS_KEPT = ("lowering/xla/adapter.py",)
"""Modules whose callback of the garbage collector runs no Python."""


def losing_interrupts(root: Path) -> list[str]:
    """Functions that Python calls itself, and whose exceptions it drops: an interrupt that comes there is lost."""
    return [
        f"{name}:{number}"
        for name, path in sources(root, *PACKAGES)
        if name not in INTERRUPTS_KEPT
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LOSING.search(line)
    ]


def unchecked(root: Path) -> list[str]:
    """Return the folders with Python code that mypy does not check, except hidden and ignored ones."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    ignored = (".*/", *(root / ".gitignore").read_text(encoding="utf-8").split())
    return [
        folder.name
        for folder in sorted(root.iterdir())
        if folder.is_dir() and not any(fnmatch(f"{folder.name}/", pattern) for pattern in ignored)
        if folder.name not in settings["files"] and any(folder.rglob("*.py"))
    ]


def test_mypy_checks_every_folder() -> None:
    assert unchecked(ROOT) == []


def test_the_guard_of_folders_can_fail(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\nfiles = ["dsl"]\n')
    (tmp_path / ".gitignore").write_text("build/\n*.egg-info/\n")
    for name in ("dsl/a.py", "benchmarks/a/b.py", "data/a.csv", ".venv/a.py", "build/a.py", "dsl.egg-info/a.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("")
    assert unchecked(tmp_path) == ["benchmarks"]


def test_no_interrupt_is_lost_where_python_drops_exceptions() -> None:
    assert losing_interrupts(ROOT) == []


@pytest.mark.parametrize(
    "line", ["    def __del__(self):", "x = WeakValueDictionary()", "weakref.finalize(x, f)", "gc.callbacks.append(f)"]
)
def test_the_guard_of_interrupts_can_fail(tmp_path: Path, line: str) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "part.py").write_text(f"{line}\n", encoding="utf-8")
    assert losing_interrupts(tmp_path) == ["dsl/part.py:1"]


def test_no_module_has_mutable_globals() -> None:
    assert mutable_globals(ROOT) == []


@pytest.mark.parametrize(
    "text",
    [
        "class Kept:\n    def __init__(self):\n        self.all = {}\nKEPT = Kept()\n",
        "class Count:\n    def more(self):\n        self.n += 1\nA, B = Count(), Count()\n",
        "@dataclass\nclass Record:\n    n: int\nONE: Record = Record(1)\n",
        "class Node(Struct, eq=False):\n    n: int\nONE = Node(1)\n",
    ],
)
def test_an_instance_that_changes_is_a_mutable_global(tmp_path: Path, text: str) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "a.py").write_text(text)
    (tmp_path / "dsl" / "b.py").write_text("from dsl.a import Kept\nMORE = Kept()\n")
    (tmp_path / "dsl" / "c.py").write_text("class Fixed(Struct, frozen=True):\n    n: int\nONE = Fixed(1)\n")
    last = len(text.splitlines())
    assert mutable_globals(tmp_path) == [f"dsl/a.py:{last}", *(["dsl/b.py:2"] if "Kept" in text else [])]


def test_modules_with_instances_that_change_are_there() -> None:
    assert [name for name in PROCESS_WIDE if not (ROOT / name).exists()] == []


def test_nothing_is_left_unfinished_or_silenced() -> None:
    assert unfinished(ROOT, *PACKAGES, "tests", "examples", "benchmarks") == []


def test_every_module_says_what_it_is() -> None:
    assert undocumented(ROOT) == []


def test_ir_and_ops_are_explained() -> None:
    assert unexplained(ROOT, "dsl/ir", "dsl/ops") == []


def test_the_guard_sees_an_unexplained_function(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "a.py").write_text("def f():\n    return 1\nclass _A:\n    def g(self):\n        return 1\n")
    assert unexplained(tmp_path, "dsl") == ["dsl/a.py:1 f"]


def test_modules_are_named_after_what_they_are() -> None:
    assert nameless(ROOT) == []


def test_the_guards_see_what_is_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "dsl" / "utils"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text(
        "__all__ = ['x']\nx: dict[str, int] = {}\ny: Mapping[int, int] = {1: 2}\nz = list(y)\n"
    )
    (folder / "b.py").write_text('"""Documented."""\nx = 1  # TODO\ny: str = x  # type: ignore[assignment]\n')
    assert mutable_globals(tmp_path) == ["dsl/utils/a.py:2", "dsl/utils/a.py:4"]
    assert unfinished(tmp_path, "dsl") == ["dsl/utils/b.py:2", "dsl/utils/b.py:3"]
    assert undocumented(tmp_path) == ["dsl/utils/a.py"]
    assert nameless(tmp_path) == ["dsl/utils/__init__.py", "dsl/utils/a.py", "dsl/utils/b.py"]


def test_bodies_are_read_where_it_is_noted() -> None:
    assert bodies_read_unseen(ROOT) == []


def test_the_guard_of_bodies_can_fail(tmp_path: Path) -> None:
    (tmp_path / "typechecker").mkdir()
    text = "def f(info, program):\n    return info.checked, program.checked\n"
    (tmp_path / "typechecker" / "rule.py").write_text(text)
    assert bodies_read_unseen(tmp_path) == ["typechecker/rule.py:2"]


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    assert unnamed(ROOT) == []


def test_the_guard_of_first_words_can_fail(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    bad = ["What", "That is", "Whether it", "Those of", "As many", "The same"]
    text = "".join(f'def f{k}():\n    """{words} x."""\n' for k, words in enumerate([*bad, "Assert it", "Whatever"]))
    (tmp_path / "dsl" / "a.py").write_text(text)
    assert unnamed(tmp_path) == [f"dsl/a.py:{2 * k + 2}" for k in range(len(bad))]


def test_warnings_are_issued_in_one_place() -> None:
    assert warnings_of_their_own(ROOT) == []


def test_the_guard_of_warnings_can_fail(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    text = "import warnings\nfrom warnings import warn\nlog.warning('x', stacklevel=2)\n"
    (tmp_path / "dsl" / "a.py").write_text(text)
    assert sorted(warnings_of_their_own(tmp_path)) == ["dsl/a.py:1", "dsl/a.py:2", "dsl/a.py:3"]
