"""Files that are no whole artifact: each is refused by one diagnostic, and nothing of it is used."""

from __future__ import annotations

import io
import random
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs
from safetensors.numpy import load, save

import dsl
from dsl.host.artifacts.container import Contents, packed, unpacked

SEED = 7


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.dslx"
    m = dsl.program("## Twice.\ndef double(x: f32[n], static by: int = 2) -> f32[n] where n >= 1 = by * x")
    dsl.save_artifact(path, m.double, {"x": [1.0]}, {"x": [1.0, 2.0]}, devices=[])
    return path.read_bytes()


def flipped(data: bytes, draw: random.Random) -> bytes:
    """One bit, of the header as often as of the rest."""
    header = 8 + int.from_bytes(data[:8], "little")
    place = draw.randrange(header) if draw.random() < 0.5 else draw.randrange(header, len(data))
    changed = bytearray(data)
    changed[place] ^= 1 << draw.randrange(8)
    return bytes(changed)


def rearranged(data: bytes, draw: random.Random) -> bytes:
    """Members exchanged, left out, doubled or renamed."""
    parts = load(data)
    first, second = draw.sample(sorted(parts), 2)
    match draw.randrange(4):
        case 0:
            parts[first], parts[second] = parts[second], parts[first]
        case 1:
            del parts[first]
        case 2:
            parts[f"{first}.copy"] = parts[first]
        case _:
            parts[f"{first}x"] = parts.pop(first)
    return bytes(save(parts))


def bomb() -> bytes:
    """A megabyte of zeros as a kilobyte."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest", bytes(1 << 20))
    return made.getvalue()


def other_contents(contents: Contents) -> Iterator[Contents]:
    """Files with right digests that say what is not so."""
    manifest, members = contents.manifest, contents.members
    for format, version in ((2, manifest.puredsl), (1, "0.0.0"), (-1, "")):
        yield structs.replace(contents, manifest=structs.replace(manifest, format=format, puredsl=version))
    yield structs.replace(contents, manifest=structs.replace(manifest, programs=manifest.programs[:1]))
    yield structs.replace(contents, manifest=structs.replace(manifest, signature="nowhere"))
    names = (b"os:system", b"dsl.diagnostics.atomic:write_atomically", b"dsl.types.dtype:nothing")
    tables = [members["signature"].replace(b"dsl.types.dtype:F32", name) for name in names]
    for table in (*tables, b"[" * 100_000, b"[[],[]]", b"[[],[1]]", b"\xff", b'[["dsl.core.core:Signature"],[[0]]]'):
        yield structs.replace(contents, members={**members, "signature": table})


def damaged(data: bytes, path: Path) -> Iterator[bytes]:
    draw = random.Random(SEED)
    yield from (flipped(data, draw) for _ in range(260))
    yield from (data[: draw.randrange(len(data))] for _ in range(80))
    yield from (data + draw.randbytes(draw.randint(1, 9)) for _ in range(20))
    yield from (rearranged(data, draw) for _ in range(80))
    yield from (draw.randbytes(draw.randrange(400)) for _ in range(40))
    yield from ((1 << draw.randrange(64)).to_bytes(8, "little") + data[8:] for _ in range(20))
    yield from (bomb(), b"{}" * 50, b"\0" * 8, b"\xff" * 16)
    path.write_bytes(data)
    yield from map(packed, other_contents(unpacked(path)))


def test_damaged_artifacts_are_refused_by_one_diagnostic(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.dslx"
    codes: Counter[str] = Counter()
    for data in damaged(whole, path):
        if data == whole:
            continue
        path.write_bytes(data)
        with pytest.raises(dsl.InputError) as caught:
            dsl.load_artifact(path)
        (diagnostic,) = caught.value.diagnostics
        codes[diagnostic.code] += 1
    assert sum(codes.values()) >= 500
    assert codes.keys() == {"E0968", "E0969"}


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(dsl.InputError, match="E0960"):
        dsl.load_artifact(tmp_path / "a.dslx")
