"""A release as its users get it: `make release` builds it, installs the wheel alone on each Python, and writes what it
brings.

In `dist`: the sdist, the wheel that is built from it, a bill of materials (CycloneDX) of the wheel with all that it
installs, and a table of their licences. On each supported Python that this machine has, the wheel runs `.ci/smoke.py`
and the demonstration in a folder without the sources, where no compiler is found. For a Python that is not here, wheels
of all dependencies are looked up.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
# Isolated: the checkout would count as an installation.
PIP = ("-I", "-m", "pip", "--quiet", "--disable-pip-version-check")
PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SINGLE = "Programming Language :: Python :: 3."


def main() -> None:
    wheel = built()
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, DIST.iterdir()))
    tried = [version for version in versions() if tried_on(version, wheel)]
    if not tried:
        sys.exit("no supported Python is here: nothing was tried")
    print(f"{wheel.name} runs on Python {', '.join(tried)}; see {DIST}")


def built() -> Path:
    """The wheel, built from the sdist alone."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT), quiet=True)
    (wheel,) = DIST.glob("*.whl")
    assert wheel.name == f"{PROJECT['name']}-{PROJECT['version']}-py3-none-any.whl", wheel
    return wheel


def versions() -> list[str]:
    """The versions of Python that the metadata name: `3.11`."""
    found = [each.removeprefix(SINGLE) for each in PROJECT["classifiers"] if each.startswith(SINGLE)]
    return [f"3.{minor}" for minor in found]


def tried_on(version: str, wheel: Path) -> bool:
    """Install and run the wheel on this Python; return whether it is on this machine."""
    python = interpreter(version)
    with TemporaryDirectory() as folder:
        if python is None:
            options = ("--dry-run", "--target", folder, "--python-version", version)
            run(sys.executable, *PIP, "install", "--only-binary=:all:", *options, str(wheel))
            print(f"no Python {version} on this machine; all that the wheel needs has wheels for it")
            return False
        environment = Path(folder) / "env"
        run(python, "-m", "venv", str(environment))
        own = str(environment / "bin" / "python")
        run(own, *PIP, "install", "--only-binary=:all:", str(wheel))
        if version == versions()[0]:
            write_materials(own)
        run(own, *PIP, "install", "--only-binary=:all:", f"{wheel}[plot]")
        use(own, Path(folder) / "work")
    return True


def interpreter(version: str) -> str | None:
    """The Python of a version on the path, or among those of pyenv."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for candidate in (f"python{version}", *map(str, root.glob(f"versions/{version}.*/bin/python"))):
        asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        try:
            answer = subprocess.run(asked, capture_output=True, text=True, timeout=60)
        except OSError:
            continue
        if answer.stdout.strip() == version:
            return candidate
    return None


def use(python: str, folder: Path) -> None:
    """Run the demonstration where only the wheel and the examples are, and no compiler."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / ".ci" / "smoke.py", folder)
    bare = {"PATH": str(Path(python).parent), "CC": "/bin/false", "HOME": str(folder), "MPLCONFIGDIR": str(folder)}
    found = subprocess.run([python, "-c", "import dsl; print(dsl.__file__)"], cwd=folder, env=bare, capture_output=True)
    assert Path(found.stdout.decode()).is_relative_to(Path(python).parents[1]), found
    for script in ("smoke.py", "examples/demo.py"):
        run(python, script, cwd=folder, env=bare)
    assert (folder / "out" / "demo.png").stat().st_size > 10_000


# ---------------------------------------------------------------- what is shipped


def write_materials(python: str) -> None:
    """Write the bill of materials of an environment and the licences in it. Ends the release if one has none."""
    path = DIST / f"{PROJECT['name']}-{PROJECT['version']}.cdx.json"
    options = ("--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "library", "--output-reproducible")
    run(sys.executable, "-m", "cyclonedx_py", "environment", *options, "-o", str(path), python)
    table = list(licences(json.loads(path.read_text(encoding="utf-8"))))
    unknown = [name for name, _, licence in table if not licence]
    if unknown:
        sys.exit(f"no licence is known of {', '.join(unknown)}")
    lines = ["| package | version | licence |", "|---|---|---|", *[f"| {' | '.join(row)} |" for row in table]]
    (DIST / "licences.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


def licences(bill: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Name, version and licences of each component of a bill of materials, but for what makes the environment."""
    for component in bill["components"]:
        if component["name"] not in ("pip", "setuptools"):
            found = {_licence(each) for each in component.get("licenses", ())}
            yield component["name"], component["version"], " AND ".join(sorted(found))


def _licence(found: Mapping[str, Any]) -> str:
    """A licence of a component: an expression, an identifier, or the first line of a text."""
    named = found.get("license", {})
    name = found.get("expression") or named.get("id") or named.get("name") or named["text"]["content"]
    return str(name).strip().splitlines()[0]


def run(*command: str, quiet: bool = False, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    """Run a command, and end the release with its output if it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=quiet, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed\n{done.stdout or ''}{done.stderr or ''}")


if __name__ == "__main__":
    main()
