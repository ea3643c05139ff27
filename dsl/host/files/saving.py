"""`dsl.save` and `dsl.load_arrays`: trees of arrays as files of safetensors, which other libraries read.

Arrays that are cut over devices are saved in parts, by the processes that hold them. Read next: `part_files`, `tree`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from glob import escape
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from msgspec import DecodeError, Struct
from safetensors import SafetensorError, numpy

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.files import file_error, reason
from dsl.diagnostics.settings import path_of
from dsl.host import tree
from dsl.host.files.part_files import Cut, NDArray, Reader, described, file_of, is_cut, metadata, own_parts
from dsl.host.files.seals import BLANK, SEAL, sealed
from dsl.ir.function import Tensor
from lowering.processes.member import membership
from lowering.processes.topics import Topic
from lowering.xla import device_errors, numeric
from lowering.xla.array import Array, array
from lowering.xla.backends import place_of, process_id

TOKEN = 8
"""The length of the word that tells the parts of one save from those of another."""


def save(path: str | PathLike[str], arrays: Any) -> None:
    """Write every leaf under its dotted name, `layers.0.w`; the file is there as a whole or not at all. Raises
    `InputError` E0966.

    Parts of arrays that are cut over devices go into files beside it, `path.….0`, which the file names: until it is
    there, what was saved before stays. All processes of a group call this, and each writes its own parts.
    """
    target = path_of("path", path)
    write(target, held(target, arrays), {})


class Held(Struct, frozen=True):
    """The arrays of a tree on their way into a file: whole ones, the parts of this process, and where all parts go."""

    token: str
    whole: dict[str, NDArray]
    own: dict[str, NDArray]
    cuts: dict[str, Cut]


def held(path: str | PathLike[str], arrays: Any, *, copied: bool = False) -> Held:
    """Read the arrays of a tree, as copies that nothing changes later if `copied` is set. Raises `InputError` E0966 for
    leaves that no file can hold."""
    target, leaves = Path(path), named(path, arrays)
    cut = {name: leaf for name, leaf in leaves.items() if is_cut(leaf)}
    (token, *_) = met("saving", uuid4().hex[:TOKEN])
    parts = {key: shard.data for name, x in cut.items() for key, shard in own_parts(name, x, process_id())}
    whole = {name: leaf for name, leaf in leaves.items() if name not in cut}
    return Held(
        token,
        {name: _read(path, name, leaf, copied) for name, leaf in whole.items()},
        {name: _read(path, name, leaf, copied) for name, leaf in parts.items()},
        {name: described(target, token, name, x) for name, x in cut.items()},
    )


def write(path: str | PathLike[str], found: Held, notes: Mapping[str, str]) -> None:
    """Write what is held, with `notes` in the metadata of the file; a seal among them goes into files of parts, too.
    Raises `InputError` E0966."""
    target = Path(path)
    if found.own:
        seals = {name: note for name, note in notes.items() if name == SEAL}
        _write(path, target.with_name(file_of(target, found.token, process_id())), found.own, seals)
    met("the parts that are saved")
    if process_id() == 0:
        _write(path, target, found.whole, {**metadata(found.cuts), **notes})
        remove_parts(target, but=found.token)
    met("what was saved")


def named(path: str | PathLike[str], arrays: Any) -> dict[str, Any]:
    """The leaves by their names in the file. Raises `InputError` E0966 if two have one name."""
    leaves: dict[str, Any] = {}
    for name, leaf in zip(tree.paths(arrays), tree.leaves(arrays), strict=True):
        name = name or "array"
        if name in leaves or name == "__metadata__":
            what = "two leaves are named" if name in leaves else "no leaf can be named"
            raise file_error("E0966", path, f"`{path}` cannot hold these arrays: {what} `{name}`")
        leaves[name] = leaf
    return leaves


def _read(path: str | PathLike[str], name: str, leaf: Any, copied: bool) -> NDArray:
    try:
        return np.array(array(leaf), order="C", copy=copied or None)
    except TypeError as fault:
        raise file_error("E0966", path, f"`{path}` cannot hold `{name}`: {fault}") from None


def in_group() -> bool:
    """Return whether this process saves together with others."""
    return membership().member is not None


def met(topic: str, note: str = "") -> list[str]:
    """The notes of all processes of the group, when all have come here."""
    member = membership().member
    return [note] if member is None else member.meet(Topic(topic), note)


def _write(named: str | PathLike[str], path: Path, arrays: dict[str, NDArray], notes: dict[str, str]) -> None:
    try:
        data = numpy.save(arrays, notes)
    except SafetensorError as fault:
        raise file_error("E0966", named, f"`{named}` cannot hold these arrays: {fault}") from None
    write_atomically(path, *(sealed(data) if notes.get(SEAL) == BLANK else (data,)))


def remove_parts(path: Path, but: str = "") -> None:
    """Remove the shard files of earlier saves, complete or not."""
    for file in path.parent.glob(f"{escape(path.name)}.*"):
        token, _, process = file.name.removeprefix(f"{path.name}.").partition(".")
        if token != but and len(token) == TOKEN and process.isdecimal():
            with suppress(OSError):
                file.unlink()


def load_arrays(path: str | PathLike[str], like: Any = None) -> Any:
    """The arrays of a file: as nested dicts, or in the containers of `like`, which must have the same leaves. Where a
    leaf of `like` is an array over several devices, what is loaded lies as it does, however it was saved, and each
    process reads its own parts. Raises `InputError` E0960, and E0962 for what is no such file or has other arrays."""
    file = path_of("path", path)
    try:
        with ExitStack() as files:
            reader = Reader(file, files)
            if like is None:
                return nested(reader)
            return _in_containers(file, reader, like)
    except OSError as fault:
        raise file_error("E0960", path, f"cannot read `{path}`: {reason(fault)}") from None
    except (SafetensorError, DecodeError, ValueError) as fault:
        raise file_error("E0962", path, f"`{path}` is not a file of safetensors: {fault}") from None


def loaded(reader: Reader, name: str, like: Any) -> Array:
    """Return an array of the file, laid out as `like` is if that lies over several devices."""
    shape = reader.shape(name)
    if not isinstance(like, Array) or len(like.devices) == 1:
        return array(reader.read(name, tuple([slice(0, n) for n in shape])))
    place = place_of(like.sharding)
    if not like.sharding.fits(shape):
        raise device_errors.uneven(f"`{name}` of shape {list(shape)}", like.sharding.cuts, like.devices)
    parts = [np.array(reader.read(name, index)) for index in place.slices(shape)]
    placed = place.placed(Tensor(numeric.type_of(parts[0]).dtype, shape))
    return Array(place.from_parts(parts, placed), placed)


def _in_containers(path: str | PathLike[str], reader: Reader, like: Any) -> Any:
    names = [name or "array" for name in tree.paths(like)]
    missing, extra = [n for n in names if n not in reader.names], [n for n in reader.names if n not in names]
    if missing or extra:
        what = f"has no `{missing[0]}`" if missing else f"has `{extra[0]}`, which `like` does not have"
        raise file_error("E0962", path, f"`{path}` {what}")
    values = iter([loaded(reader, name, leaf) for name, leaf in zip(names, tree.leaves(like), strict=True)])
    return tree.map(lambda _: next(values), like)


def nested(reader: Reader) -> Any:
    """Return the arrays of a file as nested dicts, or the only one if it has no name."""
    found = {name: loaded(reader, name, None) for name in reader.names}
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
