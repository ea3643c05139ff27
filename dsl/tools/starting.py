"""`dsl new`: the files of a project whose programs others install and import. Its texts are in the folder `project`."""

from __future__ import annotations

import keyword
from pathlib import Path

from dsl.diagnostics.atomic import make_folder, write_atomically
from dsl.diagnostics.files import file_error
from dsl.syntax.words import hard_keywords
from dsl.version import VERSION
from typechecker.declarations.modules import library_modules

TEMPLATE, SUFFIX = Path(__file__).parent / "project", ".txt"


def start_project(folder: Path) -> int:
    """Write a new project into a folder of its name. Raises `InputError` E0966 if programs or Python cannot
    import the name, or if the folder has files."""
    name = folder.name.replace("-", "_")
    _refuse(folder, name)
    for source in sorted(file for file in TEMPLATE.rglob(f"*{SUFFIX}") if file.is_file()):
        target = folder / _filled(str(source.relative_to(TEMPLATE)).removesuffix(SUFFIX), folder.name, name)
        make_folder(target.parent)
        text = _filled(source.read_text(encoding="utf-8"), folder.name, name)
        write_atomically(target, text.encode("utf-8"))
    print(f"wrote {folder}; next: pip install -e '{folder}[test]'")
    return 0


def _refuse(folder: Path, name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name in hard_keywords():
        raise file_error("E0966", folder, f"`{name}` cannot be the name of a package", "letters, digits and `_`")
    if name in library_modules():
        raise file_error("E0966", folder, f"`{name}` is a module of the library", "choose another name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise file_error("E0966", folder, f"`{folder}` exists and is not empty", "choose another folder")


def _filled(text: str, distribution: str, name: str) -> str:
    minor = ".".join(VERSION.split(".")[:2])
    for hole, value in (("__NAME__", name), ("__DISTRIBUTION__", distribution), ("__MINOR__", minor)):
        text = text.replace(hole, value)
    return text
