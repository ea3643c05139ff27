"""`dsl cache`: what is kept on disk of earlier runs, where, and how to be rid of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dsl.disk_cache import DiskCache, open_cache

KINDS: Mapping[str, str] = MappingProxyType({"check": "checked texts", "xla": "compiled programs"})


def print_paths() -> None:
    """The folders, one a line; nothing where the cache is off or cannot be used."""
    for folder in dict.fromkeys(str(store.folder) for store in _stores()):
        print(folder)


def print_info() -> None:
    """How many entries of each kind there are, and their bytes together."""
    for store in _stores():
        sizes = [size for _, size, _ in store.entries()]
        print(f"{len(sizes)} {KINDS[store.kind]}, {sum(sizes) / 1e6:.1f} MB, in {store.folder}")
    if not any(_stores()):
        print("the cache is off, or its folder cannot be used")


def clear() -> None:
    """Forget everything."""
    for store in _stores():
        store.clear()


def _stores() -> Iterator[DiskCache]:
    yield from filter(None, (open_cache(os.environ, kind) for kind in KINDS))
