"""Arrays that are cut over devices, as files of parts: which process writes which, and how the parts are found again.

The file that a tree is saved as names the parts in its metadata. It is written last, so that it names parts that are
there, and those of the save before stay until then. Read next: `saving`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from safetensors import safe_open

from dsl.host.files.seals import check_seal
from lowering.xla.array import Array, Shard

NDArray = np.ndarray[Any, Any]
KEY = "puredsl.parts"
"""Of the metadata of a file: a `Cut` for each array that is not in the file itself, as JSON."""


class Part(Struct, frozen=True):
    """The elements from `start` on are in a file beside, under the name of the array and the number of the part."""

    file: str
    name: str
    start: tuple[int, ...]


class Cut(Struct, frozen=True):
    """An array that lies in parts of this shape."""

    shape: tuple[int, ...]
    size: tuple[int, ...]
    parts: tuple[Part, ...]


def is_cut(leaf: object) -> bool:
    """Return whether an array lies in parts, which are saved where they are."""
    return isinstance(leaf, Array) and leaf.sharding.parts > 1


def file_of(path: Path, token: str, process: int) -> str:
    """The parts that a process writes in one save, beside the file that names them."""
    return f"{path.name}.{token}.{process}"


def described(path: Path, token: str, name: str, x: Array) -> Cut:
    """Where the parts of an array will be: each is written by the process of the first device that holds it."""
    writers: dict[int, int] = {}
    for k, device in enumerate(x.devices):
        writers.setdefault(x.sharding.number(k), device.process)
    slices = x.sharding.slices(x.shape)
    first = {x.sharding.number(k): slices[k] for k in reversed(range(len(slices)))}
    parts = [
        Part(file_of(path, token, process), f"{name}#{number}", tuple([s.start for s in first[number]]))
        for number, process in writers.items()
    ]
    return Cut(x.shape, tuple([s.stop - s.start for s in first[0]]), tuple(parts))


def own_parts(name: str, x: Array, process: int) -> Iterator[tuple[str, Shard]]:
    """Yield the shards of an array that this process writes."""
    seen: set[int] = set()
    mine = {shard.device: shard for shard in x.addressable_shards}
    for k, device in enumerate(x.devices):
        number = x.sharding.number(k)
        if number not in seen and device.process == process:
            yield f"{name}#{number}", mine[device]
        seen.add(number)


def metadata(cuts: dict[str, Cut]) -> dict[str, str]:
    return {KEY: msgspec.json.encode(cuts).decode()} if cuts else {}


def cuts_in(notes: Mapping[str, str] | None) -> dict[str, Cut]:
    """The arrays that lie beside a file, from its metadata. Raises `msgspec.DecodeError` for what is no such text."""
    return msgspec.json.decode((notes or {}).get(KEY, "{}"), type=dict[str, Cut])


class Reader:
    """Reads slices of the arrays of a file, of which only the parts that they touch are looked at. If the file is
    `sealed`, each file that is opened is held against its digest first, which raises ValueError if it differs."""

    def __init__(self, path: Path, files: ExitStack, *, sealed: bool = False) -> None:
        self._folder = path.parent
        self._files = files
        self._sealed = sealed
        self._opened = cache(self._open)
        self._whole = self._opened(path.name)
        self.notes: Mapping[str, str] = self._whole.metadata() or {}
        self.cuts = cuts_in(self.notes)
        self.names = [*self._whole.keys(), *self.cuts]

    def _open(self, name: str) -> Any:
        if Path(name).name != name:
            raise ValueError(f"its parts are not beside it, but in {name}")
        if self._sealed:
            check_seal(self._folder / name)
        return self._files.enter_context(safe_open(self._folder / name, "numpy"))

    def shape(self, name: str) -> tuple[int, ...]:
        if name in self.cuts:
            return self.cuts[name].shape
        return tuple(self._whole.get_slice(name).get_shape())

    def dtype(self, name: str) -> str:
        """The dtype of an array, as the language writes it."""
        if name in self.cuts:
            (part, *_) = self.cuts[name].parts
            found: str = self._opened(part.file).get_slice(part.name).get_dtype()
        else:
            found = self._whole.get_slice(name).get_dtype()
        return found.lower()

    def read(self, name: str, index: tuple[slice, ...]) -> NDArray:
        """The elements of a slice with known ends. Raises ValueError where parts of it are not there."""
        if name not in self.cuts:
            found: NDArray = self._whole.get_tensor(name)
            return found[index]
        cut = self.cuts[name]
        overlaps = [(part, _overlap(index, part.start, cut.size)) for part in cut.parts]
        touched = [(part, common) for part, common in overlaps if all(s.start < s.stop for s in common)]
        elements = [self._opened(part.file).get_tensor(part.name) for part, _ in touched or overlaps[:1]]
        whole = np.empty([s.stop - s.start for s in index], elements[0].dtype)
        if sum([prod([s.stop - s.start for s in common]) for _, common in touched]) != whole.size:
            raise ValueError(f"parts of `{name}` are missing")
        for (part, common), values in zip(touched, elements, strict=False):
            whole[_from(common, [s.start for s in index])] = values[_from(common, part.start)]
        return whole


def _overlap(index: Iterable[slice], start: Iterable[int], size: Iterable[int]) -> tuple[slice, ...]:
    """Return the intersection of a slice and a shard."""
    axes = zip(index, start, size, strict=True)
    return tuple([slice(max(s.start, first), min(s.stop, first + n)) for s, first, n in axes])


def _from(common: Iterable[slice], start: Iterable[int]) -> tuple[slice, ...]:
    """A slice counted from another start."""
    return tuple([slice(s.start - first, s.stop - first) for s, first in zip(common, start, strict=True)])
