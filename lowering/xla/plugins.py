"""Platforms beside the processor: where their plugins are found, without importing anything of jax.

A plugin is a shared library in a package. `jax_plugins` is a namespace, so that looking for a module in it runs no
code. Knows nothing of arrays. Read next: `backends`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Plugin:
    """`modules`: where the library named `library` may be found, the newest first. `extra`: what to install for it.
    `variable`: of the environment, names the library itself. `is_gpu`: it takes the options of a GPU. `extensions`:
    modules that hand it routines, the newest first. `needs`: libraries that it calls, in the order of loading."""

    modules: tuple[str, ...]
    library: str
    extra: str
    variable: str | None = None
    is_gpu: bool = True
    extensions: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


_NVIDIA = (
    *("cu13/lib/libcudart.so.13", "cu13/lib/libnvrtc.so.13", "cu13/lib/libcublas.so.13", "cu13/lib/libcublasLt.so.13"),
    *("cuda_runtime/lib/libcudart.so.12", "cuda_nvrtc/lib/libnvrtc.so.12", "cublas/lib/libcublas.so.12"),
    *("cublas/lib/libcublasLt.so.12", "nccl/lib/libnccl.so.2", "cu13/lib/libcupti.so.13"),
    *("cuda_cupti/lib/libcupti.so.12", "cu13/lib/libcusparse.so.12", "cusparse/lib/libcusparse.so.12"),
    *("cu13/lib/libcusolver.so.12", "cusolver/lib/libcusolver.so.11", "cu13/lib/libcufft.so.12"),
    *("cufft/lib/libcufft.so.11", "nvshmem/lib/libnvshmem_host.so.3", "cudnn/lib/libcudnn.so.9"),
)
"""Below the folders of `nvidia`, a namespace package whose parts are installed beside the plugin."""


PLUGINS: Mapping[str, Plugin] = MappingProxyType(
    {
        "tpu": Plugin(("libtpu",), "libtpu.so", "tpu", "TPU_LIBRARY_PATH", is_gpu=False),
        "cuda": Plugin(
            ("jax_plugins.xla_cuda13", "jax_plugins.xla_cuda12"),
            "xla_cuda_plugin.so",
            "cuda13",
            extensions=("jax_cuda13_plugin.cuda_plugin_extension", "jax_cuda12_plugin.cuda_plugin_extension"),
            needs=_NVIDIA,
        ),
        "rocm": Plugin(
            ("jax_plugins.xla_rocm7", "jax_plugins.xla_rocm60"),
            "xla_rocm_plugin.so",
            "rocm",
            extensions=("jax_rocm7_plugin.rocm_plugin_extension", "jax_rocm60_plugin.rocm_plugin_extension"),
        ),
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


def extension_of(plugin: Plugin) -> str | None:
    """The module that hands it routines; None if none is installed."""
    return next((name for name in plugin.extensions if _folder(name) is not None), None)


def load_libraries(plugin: Plugin) -> None:
    """Loads the installed libraries that it calls, where its own search would not find them."""
    if not plugin.needs:
        return
    namespace = find_spec("nvidia")
    roots = [] if namespace is None else list(namespace.submodule_search_locations or ())
    for path in [Path(root) / name for name in plugin.needs for root in roots]:
        if path.exists():
            ctypes.CDLL(str(path))


def _folder(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
