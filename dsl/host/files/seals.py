"""A digest of a whole file of safetensors in its own metadata, which finds any byte that was lost or changed.

The digest is taken while its own place holds zeros. Read next: `saving`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

SEAL = "puredsl.sha256"
"""The name of the digest in the metadata of a file."""

BLANK = "0" * 64
"""The value in the place of the digest while it is taken."""

_LONGEST_HEADER = 100_000_000
"""The limit of safetensors."""


def sealed(data: bytes) -> tuple[bytes | memoryview, ...]:
    """Return the parts of a file whose metadata has `BLANK` for a seal, with the digest in its place."""
    start = _place(data[: 8 + _header_size(data)])
    digest = hashlib.sha256(data).hexdigest().encode()
    view = memoryview(data)
    return view[:start], digest, view[start + len(BLANK) :]


def check_seal(path: Path) -> None:
    """Raise ValueError if the content of a file is not the one that was sealed."""
    with path.open("rb") as file:
        head = file.read(8)
        size = _header_size(head)
        if len(head) < 8 or size > _LONGEST_HEADER:
            raise ValueError("its header is damaged")
        head += file.read(size)
        start = _place(head)
        found = hashlib.sha256(head[:start] + BLANK.encode() + head[start + len(BLANK) :])
        while chunk := file.read(1 << 20):
            found.update(chunk)
    if found.hexdigest().encode() != head[start : start + len(BLANK)]:
        raise ValueError("its content is not the one that was written")


def _header_size(data: bytes) -> int:
    return int.from_bytes(data[:8], "little")


def _place(head: bytes) -> int:
    """Return the place of the digest in a header. Raises ValueError if it has none."""
    name = f'"{SEAL}":"'.encode()
    at = head.find(name)
    if at < 0 or head[at + len(name) + len(BLANK) : at + len(name) + len(BLANK) + 1] != b'"':
        raise ValueError("it has no digest of its content")
    return at + len(name)
