"""The page as a site of files, whose answers Pyodide computes in the browser: Python as WebAssembly.

puredsl and what it needs that Pyodide does not have travel with the site. Read next: `browser/worker.js`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from dsl.diagnostics.atomic import make_folder, write_atomically
from dsl.playground.server import page_files

PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
"""The distribution of Pyodide that the page loads."""
PACKAGES, FOR_RUNS = ("msgspec", "platformdirs", "pygments"), ("numpy", "ml-dtypes")
"""The packages of that distribution that the page needs, and those that a run needs as well."""
OWN = ("dsl", "typechecker", "lowering", "stdlib")
BROUGHT = ("markdown-it-py", "mdurl")
"""Distributions of pure Python that Pyodide does not have."""
_LEFT_OUT = (".pyc", ".so")


def write_site(folder: Path) -> None:
    """Write the page, for any server of files."""
    files = {**page_files(), **_files_of_browser()}
    config = {"pyodide": PYODIDE, "packages": PACKAGES, "run": FOR_RUNS}
    files |= {"puredsl.zip": packed(), "config.json": json.dumps(config, indent=2).encode()}
    make_folder(folder)
    for name, content in files.items():
        write_atomically(folder / name, content)


def _files_of_browser() -> dict[str, bytes]:
    found = resources.files("dsl.playground").joinpath("browser").iterdir()
    return {file.name: file.read_bytes() for file in found}


def packed() -> bytes:
    """The packages that travel with the site, as an archive."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, path in [*_own_files(), *_brought_files()]:
            archive.write(path, name)
    return buffer.getvalue()


def _own_files() -> Iterator[tuple[str, Path]]:
    for package in OWN:
        root = Path(str(resources.files(package)))
        yield from ((f"{package}/{path.relative_to(root).as_posix()}", path) for path in _below(root))


def _below(root: Path) -> Iterator[Path]:
    """The files of a package; a folder may be a link."""
    for path in sorted(root.iterdir()):
        if path.is_dir():
            yield from _below(path)
        elif path.suffix not in _LEFT_OUT:
            yield path


def _brought_files() -> Iterator[tuple[str, Path]]:
    for distribution in BROUGHT:
        for file in metadata.files(distribution) or ():
            path = Path(str(file.locate()))
            if ".." not in file.parts and path.suffix not in _LEFT_OUT and path.is_file():
                yield file.as_posix(), path
