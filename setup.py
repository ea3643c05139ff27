"""The one step of a build that `pyproject.toml` cannot state: a wheel brings the record of the checked library."""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithLibrary(build_py):
    """Copies the packages, and has the copy check its library. A checkout checks what it needs of it."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib).resolve()
            path = os.pathsep.join([str(folder), *filter(None, sys.path)])  # what the build may import, behind the copy
            environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, "-m", "typechecker.program.write_library"]
            subprocess.run(command, cwd=folder, env=environment, check=True)


setup(cmdclass={"build_py": BuildWithLibrary})
