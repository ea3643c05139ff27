"""Writing a file so that it is either the old one or the new one, never half of either."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from dsl.diagnostics.files import file_error, reason


def write_atomically(path: Path, *data: bytes | memoryview) -> None:
    """Replace the content of `path`, which may be new; permissions stay. Raises `InputError` E0966."""
    target = path.resolve()  # a link keeps pointing at what was replaced
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise file_error("E0966", path, f"cannot write `{path}`: {reason(error)}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _permissions(target))
        os.replace(temporary, target)
        _keep_name(target.parent)
    except OSError as error:
        raise file_error("E0966", path, f"cannot write `{path}`: {reason(error)}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder and those around it that are missing. Raises `InputError` E0966."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error("E0966", path, f"cannot make the folder `{path}`: {reason(error)}") from None


def _keep_name(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _permissions(target: Path) -> int:
    """Return the permissions of the file that is replaced, or the default ones of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
