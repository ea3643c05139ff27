"""Platforms beside the processor: where their plugins are found, without importing anything of jax.

A plugin is a shared library in a package. `jax_plugins` is a namespace, so that looking for a module in it runs no
code. Knows nothing of arrays. Read next: `backends`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Plugin:
    """`modules`: where the library named `library` may be found, the newest first. `extra`: what to install for it.
    `variable`: of the environment, names the library itself. `is_gpu`: it takes the options of a GPU."""

    modules: tuple[str, ...]
    library: str
    extra: str
    variable: str | None = None
    is_gpu: bool = True


PLUGINS: Mapping[str, Plugin] = MappingProxyType(
    {
        "tpu": Plugin(("libtpu",), "libtpu.so", "tpu", "TPU_LIBRARY_PATH", is_gpu=False),
        "cuda": Plugin(("jax_plugins.xla_cuda13", "jax_plugins.xla_cuda12"), "xla_cuda_plugin.so", "cuda13"),
        "rocm": Plugin(("jax_plugins.xla_rocm7", "jax_plugins.xla_rocm60"), "xla_rocm_plugin.so", "rocm"),
    }
)
"""By platform, in the order in which they are preferred to the processor."""


def library_of(plugin: Plugin) -> str | None:
    """The path of its shared library; None if it is not installed."""
    named = os.environ.get(plugin.variable) if plugin.variable is not None else None
    if named:
        return named
    for module in plugin.modules:
        folder = _folder(module)
        if folder is not None and (folder / plugin.library).exists():
            return str(folder / plugin.library)
    return None


def _folder(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
