"""The extension for Zed, ready to be installed: `python -m dsl.editors.zed` writes `out/zed-puredsl`.

Zed fetches a grammar from a Git repository, at a revision. The folder that `make tree-sitter` writes becomes such a
repository. Its address is that of `Grammar` in `project.urls` of `pyproject.toml`, to which it is pushed for a release;
without one it is the folder itself, for this machine. The version is that of the project.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "editors" / "zed"
GRAMMAR = ROOT / "out" / "tree-sitter-puredsl"
TARGET = ROOT / "out" / "zed-puredsl"
VERSIONED = ("extension.toml", "Cargo.toml")
_AUTHOR = ("-c", "user.name=puredsl", "-c", "user.email=puredsl@localhost", "-c", "commit.gpgsign=false")


def git(folder: Path, *command: str, **around: str) -> str:
    """Run a command of Git in a folder, and return what it prints."""
    whole = ["git", *_AUTHOR, *command]
    done = subprocess.run(whole, cwd=folder, env={**os.environ, **around}, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def revision(grammar: Path, date: str) -> str:
    """Make a folder a repository with its files as they are, committed at a date, and return the revision, which
    depends on files and date alone. Raises FileNotFoundError where no parser has been generated."""
    if not (grammar / "src" / "parser.c").is_file():
        raise FileNotFoundError(f"{grammar} has no parser; `make tree-sitter` generates it")
    shutil.rmtree(grammar / ".git", ignore_errors=True)
    (grammar / ".gitignore").write_text("*.so\n", encoding="utf-8")
    git(grammar, "init", "--quiet")
    git(grammar, "add", "--all")
    git(grammar, "commit", "--quiet", "--message=puredsl", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    return git(grammar, "rev-parse", "HEAD")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a manifest with other values of some keys at the beginning of a line. Raises ValueError for a key that is
    not there once."""
    for key, value in values.items():
        line = f'{key} = "{value}"'.replace("\\", r"\\")
        text, count = re.subn(rf'^{key} = "[^"]*"$', line, text, flags=re.M)
        if count != 1:
            raise ValueError(f"`{key}` occurs {count} times in the manifest, not once")
    return text


def write(project: Mapping[str, object], grammar: Path, date: str, target: Path = TARGET) -> None:
    """Write the extension of a project, whose table in `pyproject.toml` this is."""
    urls = project.get("urls", {})
    address = urls.get("Grammar") if isinstance(urls, dict) else None
    version = str(project["version"])
    source = {"repository": address or grammar.resolve().as_uri(), "rev": revision(grammar, date)}
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(SOURCE, target)
    for name in VERSIONED:
        manifest = target / name
        values = {"version": version, **(source if name == "extension.toml" else {})}
        manifest.write_text(filled(manifest.read_text(encoding="utf-8"), values), encoding="utf-8")


def main() -> None:
    """Write the extension of this project. Its date is that of the last commit."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    try:
        write(project, GRAMMAR, git(ROOT, "log", "-1", "--format=%cI"))
    except FileNotFoundError as fault:
        sys.exit(str(fault))
    print(TARGET)


if __name__ == "__main__":
    main()
