"""Packages of programs: made by `dsl new`, built as a wheel, installed, imported by programs and by Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsl.diagnostics.source import Source
from dsl.syntax.packages import package_of, packaged
from typechecker import check_source

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "examples" / "package"
USER = """\
import kernels.stationary

def covariance(x: f32[n, d]) -> f32[n, n] = stationary.gram(fn (a, b) -> stationary.rbf(a, b, 0.5), x)
"""
FROM_PYTHON = """\
import numpy as np
from kernels import stationary
import dsl

m = dsl.load("user.dsl")
x = np.float32([[0.0], [0.5], [1.0]])
np.testing.assert_allclose(m.covariance(x), np.exp(-2.0 * (x - x.T) ** 2), rtol=1e-6)
np.testing.assert_allclose(stationary.rbf(x[0], x[1], 0.5), np.exp(-0.5), rtol=1e-6)
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = os.environ | environment
    return subprocess.run([*map(str, command)], cwd=cwd, env=variables, capture_output=True, text=True, timeout=120)


def dsl(*arguments: str | Path, cwd: Path, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, (str(site or ""), os.environ.get("PYTHONPATH", ""))))
    return run(sys.executable, "-m", "dsl", *arguments, cwd=cwd, PYTHONPATH=path)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel of the example is installed."""
    made = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, made / "source")
    install = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    done = run(*install, "--target", made / "site", made / "source", cwd=made)
    assert done.returncode == 0, done.stderr
    return made / "site"


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(site))
    yield site


def test_a_program_imports_an_installed_package(site: Path, tmp_path: Path) -> None:
    (tmp_path / "user.dsl").write_text(USER)
    (tmp_path / "user.py").write_text(FROM_PYTHON)
    checked = dsl("check", "user.dsl", cwd=tmp_path, site=site)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout
    ran = run(sys.executable, "user.py", cwd=tmp_path, PYTHONPATH=str(site))
    assert ran.returncode == 0, ran.stderr


def test_a_missing_module_of_a_package_names_its_version(installed: Path) -> None:
    (wrong,) = check_source(Source("t.dsl", "import kernels.periodic\n")).diagnostics
    assert (wrong.code, wrong.primary.span.text) == ("E0203", "kernels.periodic")
    assert [help.text for help in wrong.help] == ["`puredsl-kernels` 1.0.0 is installed, and has no such module"]


def test_a_package_for_another_version_is_refused(installed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(installed, other)
    (metadata,) = other.glob("*.dist-info/METADATA")
    metadata.write_text(metadata.read_text().replace("puredsl>=0.1", "puredsl>=7"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(other))
        (wrong,) = check_source(Source("t.dsl", "import kernels.stationary\n")).diagnostics
    assert wrong.code == "E0203"
    assert wrong.message.startswith("`puredsl-kernels` 1.0.0 needs puredsl >=7; this is ")


def test_the_own_folder_and_the_library_come_first(installed: Path, tmp_path: Path) -> None:
    assert packaged("kernels.distances") is not None
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "distances.dsl").write_text("def own(x: f32) -> f32 = x\n")
    text = "import kernels.distances\n\ndef f(x: f32) -> f32 = distances.own(x)\n"
    assert check_source(Source("t.dsl", text), folder=tmp_path).diagnostics == ()


def test_a_link_out_of_a_package_is_not_followed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.dsl").write_text("def f(x: f32) -> f32 = x\n")
    link = installed / "kernels" / "secret.dsl"
    link.symlink_to(tmp_path / "secret.dsl")
    assert packaged("kernels.secret") is None
    link.unlink()
    assert packaged("kernels") is None and package_of("numpy") is None


def test_programs_of_a_package_import_one_another_before_it_is_installed() -> None:
    checked = dsl("check", "kernels", cwd=PACKAGE)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout


def test_a_new_project_is_right(tmp_path: Path) -> None:
    assert dsl("new", "my-lines", cwd=tmp_path).returncode == 0
    project = tmp_path / "my-lines"
    assert (project / "my_lines" / "py.typed").read_text() == ""
    assert "__" not in (project / "pyproject.toml").read_text()
    for command in ("fmt --check my_lines", "check my_lines", "test my_lines", "stubs my_lines/lines.dsl"):
        done = dsl(*command.split(), cwd=project)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "\nfit: " in (project / "my_lines" / "lines.pyi").read_text()
    assert dsl("doc", "my_lines", "-o", "site", cwd=project).returncode == 0
    assert "Lines, and the one that fits points best." in (project / "site" / "index.html").read_text()
    assert "least squares" in (project / "site" / "lines.html").read_text()
    tested = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=project)
    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize("name", ["nn", "1st", "lambda", "let"])
def test_names_that_cannot_be_imported_are_refused(name: str, tmp_path: Path) -> None:
    refused = dsl("new", name, cwd=tmp_path)
    assert refused.returncode == 1 and "E0966" in refused.stderr + refused.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "notes.txt").write_text("mine")
    refused = dsl("new", "lines", cwd=tmp_path)
    assert refused.returncode == 1 and "is not empty" in refused.stderr + refused.stdout
    assert [file.name for file in (tmp_path / "lines").iterdir()] == ["notes.txt"]
    (tmp_path / "empty").mkdir()
    assert "has no programs" in dsl("doc", "empty", cwd=tmp_path).stderr
