"""`dsl.save` and `dsl.load_arrays`: trees of arrays as files of safetensors, which other libraries read.

Read next: `tree`.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, numpy

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.files import file_error, reason
from dsl.host import tree
from lowering.xla.array import Array, array


def save(path: str | PathLike[str], arrays: Any) -> None:
    """Writes every leaf under its dotted name, `layers.0.w`; the file is there as a whole or not at all. Raises
    `InputError` E0966."""
    names, found = tree.paths(arrays), tree.leaves(arrays)
    elements = [np.asarray(array(leaf), order="C") for leaf in found]
    data = {name or "array": x for name, x in zip(names, elements, strict=True)}
    try:
        write_atomically(Path(path), numpy.save(data))
    except SafetensorError as fault:
        raise file_error("E0966", path, f"`{path}` cannot hold these arrays: {fault}") from None


def load_arrays(path: str | PathLike[str], like: Any = None) -> Any:
    """The arrays of a file: as nested dicts, or in the containers of `like`, which must have the same leaves. Raises
    `InputError` E0960, and E0962 for what is no such file or has other arrays."""
    try:
        found = {name: array(value) for name, value in numpy.load_file(Path(path)).items()}
    except OSError as fault:
        raise file_error("E0960", path, f"cannot read `{path}`: {reason(fault)}") from None
    except SafetensorError as fault:
        raise file_error("E0962", path, f"`{path}` is not a file of safetensors: {fault}") from None
    return _nested(found) if like is None else _in_containers(path, found, like)


def _in_containers(path: str | PathLike[str], found: Mapping[str, Array], like: Any) -> Any:
    names = [name or "array" for name in tree.paths(like)]
    missing, extra = [n for n in names if n not in found], [n for n in found if n not in names]
    if missing or extra:
        what = f"has no `{missing[0]}`" if missing else f"has `{extra[0]}`, which `like` does not have"
        raise file_error("E0962", path, f"`{path}` {what}")
    values = iter([found[name] for name in names])
    return tree.map(lambda _: next(values), like)


def _nested(found: Mapping[str, Array]) -> Any:
    if set(found) == {"array"}:
        return found["array"]
    made: dict[str, Any] = {}
    for name, value in found.items():
        *outer, last = name.split(".")
        inside = made
        for part in outer:
            inside = inside.setdefault(part, {})
        inside[last] = value
    return made
