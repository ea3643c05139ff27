"""The file of an artifact: members in a file of safetensors, each vouched for by a digest.

`manifest` (JSON) says what there is and has a digest of every other member; `digest` is that of the manifest. So
whatever is wrong with a file is found before any of it is used. Nothing in a file is compressed, and a header that
claims more than the file holds is refused by safetensors. Knows nothing of what members mean. Read next: `build`,
`artifact`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from safetensors import SafetensorError
from safetensors.numpy import load, save

from dsl.diagnostics.diagnostic import InputError
from dsl.diagnostics.files import file_error, read_bytes
from dsl.version import VERSION

FORMAT = 1
"""Of the members and what is in them. Signatures are written as this version of puredsl has them, so that another one
reads none."""

MANIFEST, DIGEST = "manifest", "digest"

_Form = TypeVar("_Form")


class Compiled(Struct, frozen=True, forbid_unknown_fields=True):
    """Code for a device: the member, and a mark of the machine."""

    device: str
    machine: str
    member: str


class Program(Struct, frozen=True, forbid_unknown_fields=True):
    """One choice of sizes, dtypes and static values: its arguments in words, and the members with its code."""

    arguments: str
    stablehlo: str
    code: tuple[Compiled, ...]


class Text(Struct, frozen=True, forbid_unknown_fields=True):
    """A program text that places are in, and where it sits in an enclosing file."""

    name: str
    line_offset: int
    column_offset: int
    member: str


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of an artifact. `signature` is the member that `dsl.core.codec.decode` reads."""

    format: int
    puredsl: str
    function: str
    doc: str | None
    signature: str
    texts: tuple[Text, ...]
    programs: tuple[Program, ...]
    digests: Mapping[str, str]

    @property
    def members(self) -> list[str]:
        """All members that it speaks of."""
        code = [compiled.member for program in self.programs for compiled in program.code]
        stablehlo = [program.stablehlo for program in self.programs]
        return [self.signature, *[text.member for text in self.texts], *stablehlo, *code]


class Contents(Struct, frozen=True):
    """An artifact whose bytes are what its digests say."""

    manifest: Manifest
    members: Mapping[str, bytes]


class _Version(Struct, frozen=True):
    """The part of a manifest that all versions share."""

    format: int
    puredsl: str


def packed(contents: Contents) -> bytes:
    """The bytes of the file. Digests are those of the members, whatever the manifest says."""
    digests = {name: _digest(data) for name, data in contents.members.items()}
    manifest = msgspec.json.encode(msgspec.structs.replace(contents.manifest, digests=digests))
    whole = {**contents.members, MANIFEST: manifest, DIGEST: bytes.fromhex(_digest(manifest))}
    return bytes(save({name: np.frombuffer(data, np.uint8) for name, data in whole.items()}))


def unpacked(path: str | PathLike[str]) -> Contents:
    """The artifact in a file. Raises `InputError`: E0960 where the file cannot be read, E0968 where it is damaged or no
    artifact, E0969 where another version has written it."""
    members = _members(path, read_bytes(path))
    manifest = members.pop(MANIFEST, None)
    if manifest is None or members.pop(DIGEST, None) != bytes.fromhex(_digest(manifest)):
        raise malformed(path, "its manifest is damaged or missing")
    version = _parsed(path, manifest, _Version)
    if (version.format, version.puredsl) != (FORMAT, VERSION):
        raise _other_version(path, version)
    found = Contents(_parsed(path, manifest, Manifest), members)
    digests = {name: _digest(data) for name, data in members.items()}
    if digests != found.manifest.digests or not digests.keys() >= set(found.manifest.members):
        raise malformed(path, "its parts are not those that its manifest names")
    return found


def malformed(path: str | PathLike[str], why: str) -> InputError:
    message = f"`{path}` is not an artifact, or is damaged: {why}"
    return file_error("E0968", path, message, "copy the file again, or build it anew with `dsl build`")


def _members(path: str | PathLike[str], data: bytes) -> dict[str, bytes]:
    try:
        found = load(data)
    except (SafetensorError, ValueError, KeyError) as fault:
        raise malformed(path, str(fault)) from None
    return {name: part.tobytes() for name, part in found.items()}


def _parsed(path: str | PathLike[str], manifest: bytes, form: type[_Form]) -> _Form:
    try:
        return msgspec.json.decode(manifest, type=form)
    except (msgspec.DecodeError, RecursionError) as fault:
        raise malformed(path, f"its manifest: {fault}") from None


def _other_version(path: str | PathLike[str], version: _Version) -> InputError:
    written = f"puredsl {version.puredsl} (format {version.format})"
    message = f"`{path}` is an artifact of {written}; this is puredsl {VERSION} (format {FORMAT})"
    return file_error("E0969", path, message, "build it anew with `dsl build`, or install the version that wrote it")


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
