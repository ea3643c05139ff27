"""Rewrite a file before mypy analyses it: an import of a program becomes the loading of its file, and a function under
`@dsl.define`, whose body Python never runs, needs no `return`.

    import model                 model = load("…/model.dsl")
    from pkg.model import fit    fit = load("…/model.dsl").fit

`import pkg.model` without `as` binds `pkg`, so it is left as it is. Read next: `hooks`, which checks what is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from mypy.modulefinder import mypy_path
from mypy.nodes import (
    ARG_POS,
    AssignmentStmt,
    Block,
    CallExpr,
    Decorator,
    Expression,
    Import,
    ImportBase,
    ImportFrom,
    MemberExpr,
    MypyFile,
    NameExpr,
    RaiseStmt,
    Statement,
    StrExpr,
)
from mypy.options import Options

from dsl.mypy.declarations import statements

LOAD, LOADER = "__dsl_load__", "dsl.host.programs.program"
S = TypeVar("S", bound=Statement)
_FROM = re.compile(r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n]*)", re.MULTILINE)
_NAME = re.compile(r"[\w.]+")
PYTHON = (".py", ".pyi", "/__init__.py", "/__init__.pyi")


class Programs:
    """Finds the file of a program that a module of Python imports."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def path(self, module: str, importer: str, file: str) -> Path | None:
        """The file of the program `module`, named in the module `importer`; None where it is of Python, or nowhere."""
        place = module.replace(".", "/")
        candidates = [folder / place for folder in self._folders(importer, file)] if place else []
        found = next((path for at in candidates if (path := at.with_suffix(".dsl")).is_file()), None)
        of_python = any(Path(f"{at}{suffix}").is_file() for at in candidates for suffix in PYTHON) if found else False
        return None if of_python else found

    def _folders(self, importer: str, file: str) -> Iterator[Path]:
        """Where modules are looked for: the folder that `importer` is imported from, then those of mypy."""
        yield Path(file).resolve().parents[len(package_of(importer, file)) - 1]
        yield from (Path(folder) for folder in (".", *self._options.mypy_path, *mypy_path()))

    def expect(self, module: str) -> None:
        """mypy does not miss the module: its imports were replaced."""
        self._options.per_module_options.setdefault(module, {})["ignore_missing_imports"] = True
        self._options.build_per_module_cache()


def absolute(module: str, relative: int, importer: list[str]) -> str:
    """The full name of a module that is named with `relative` dots in front."""
    return ".".join([*(importer[:-relative] if relative else []), *([module] if module else [])])


def imported_modules(text: str, importer: str, file: str) -> set[str]:
    """The modules that the text of a file may import, by full name."""
    package = package_of(importer, file)
    found: set[str] = set()
    for relative, module, names in _FROM.findall(text):
        of = absolute(module, len(relative), package)
        found |= {of, *(f"{of}.{name}" for name in _NAME.findall(names))}
    return found.union(*[_NAME.findall(names) for names in _IMPORT.findall(text)])


def package_of(importer: str, file: str) -> list[str]:
    """The parts of a module's name, with one more for a package, so that a dot in front takes one away."""
    return importer.split(".") + ["__init__"] * (Path(file).stem == "__init__")


def prepare(file: MypyFile, programs: Programs) -> bool:
    """Rewrites what a file says of programs; whether it imports any."""
    everything = list(statements(file.defs))
    for statement in everything:
        if isinstance(statement, Decorator) and any(map(_defines, statement.original_decorators)):
            statement.func.body.body.append(_at(RaiseStmt(NameExpr("AssertionError"), None), statement))
    read = _Reader(file, programs).read
    if not any(read(statement) != [statement] for statement in file.imports):
        return False
    for body in (file.defs, *(block.body for block in everything if isinstance(block, Block))):
        body[:] = [new for old in body for new in (read(old) if isinstance(old, ImportBase) else [old])]
    loader = ImportFrom(LOADER, 0, [("load", LOAD)])
    loader.is_top_level = True
    file.defs.insert(0, loader)
    left = [new for old in file.imports for new in read(old)]
    file.imports[:] = [loader, *(s for s in left if isinstance(s, ImportBase))]
    return True


def _defines(decorator: Expression) -> bool:
    return isinstance(decorator, NameExpr | MemberExpr) and decorator.name == "define"


class _Reader:
    """Rewrites the imports of one file."""

    def __init__(self, file: MypyFile, programs: Programs) -> None:
        self._file = file
        self._programs = programs

    def read(self, statement: ImportBase) -> list[Statement]:
        """The statement itself, unless it imports a program."""
        match statement:
            case Import(ids=ids):
                bound = {(m, name): self._path(m) for m, name in ids if name is not None or "." not in m}
                loads = [(to or m, _load(path)) for (m, to), path in bound.items() if path is not None]
                left: ImportBase = Import([pair for pair in ids if bound.get(pair) is None])
                return self._parts(statement, loads, left, len(ids))
            case ImportFrom(id=id, relative=relative, names=names):
                return self._names(statement, self._absolute(id, relative), names)
            case _:
                return [statement]

    def _names(self, statement: ImportFrom, module: str, names: list[tuple[str, str | None]]) -> list[Statement]:
        """Functions of a program, or programs of a package."""
        path = self._path(module)
        if path is not None:
            return [_assigned(to or name, MemberExpr(_load(path), name), statement) for name, to in names]
        found = {name: self._path(f"{module}.{name}") for name, _ in names}
        loads = [(to or name, _load(path)) for name, to in names if (path := found[name]) is not None]
        left = ImportFrom(statement.id, statement.relative, [pair for pair in names if found[pair[0]] is None])
        return self._parts(statement, loads, left, len(names))

    def _parts(
        self, statement: ImportBase, loads: list[tuple[str, CallExpr]], left: ImportBase, count: int
    ) -> list[Statement]:
        """A statement as it is, or the rest of it before what is loaded."""
        if not loads:
            return [statement]
        left.is_top_level = statement.is_top_level
        rest: list[Statement] = [_at(left, statement)] if len(loads) < count else []
        return rest + [_assigned(name, value, statement) for name, value in loads]

    def _path(self, module: str) -> Path | None:
        found = self._programs.path(module, self._file.fullname, self._file.path)
        if found is not None:
            self._programs.expect(module)
        return found

    def _absolute(self, module: str, relative: int) -> str:
        return absolute(module, relative, package_of(self._file.fullname, self._file.path))


def _load(path: Path) -> CallExpr:
    return CallExpr(NameExpr(LOAD), [StrExpr(str(path))], [ARG_POS], [None])


def _assigned(name: str, value: Expression, place: Statement) -> Statement:
    return _at(AssignmentStmt([NameExpr(name)], value), place)


def _at(statement: S, place: Statement) -> S:
    """The statement, and what it is made of, at the place of another."""
    parts: list[Expression | None] = []
    match statement:
        case AssignmentStmt(lvalues=lvalues, rvalue=value):
            parts = [*lvalues, value, *([value.expr] if isinstance(value, MemberExpr) else [])]
        case RaiseStmt(expr=raised):
            parts = [raised]
        case _:
            pass
    for node in (statement, *parts):
        if node is not None:
            node.set_line(place)
    return statement
