"""Routines that compiled programs call beside their own code, made known to XLA, and plugins that run programs.

Read next: `plugins`, for where they are found; `lowering.stablehlo.lapack`, for the calls.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from jaxlib import xla_client

from lowering.xla.adapter import RawClient, release_with_garbage


def plugin_client(platform: str, library: str, options: dict[str, Any], extension: str | None = None) -> RawClient:
    """The devices that a plugin knows, from its shared library. `extension` is the module that hands the plugin what
    its programs call."""
    release_with_garbage()
    name = f"puredsl_{platform}"  # jax fails to load a plugin whose name is taken
    if not xla_client.pjrt_plugin_loaded(name):
        loaded = xla_client.load_pjrt_plugin_dynamically(name, library)
        if extension is not None:
            _connect(platform, loaded, importlib.import_module(extension))
    if not xla_client.pjrt_plugin_initialized(name):
        xla_client.initialize_pjrt_plugin(name)
    return xla_client.make_c_api_client(name, options)


def _connect(platform: str, loaded: Any, extension: Any) -> None:
    """Let routines and types that are registered for a platform reach its plugin, those that call Python first."""
    name = platform.upper()
    xla_client.register_custom_type_handler(name, partial(extension.register_custom_type, loaded))
    xla_client.register_custom_call_handler(name, partial(extension.register_custom_call_target, loaded))
    for spelled, type_ in extension.ffi_types().items():
        xla_client.register_custom_type(spelled, type_, platform=name)
    for spelled, routine in extension.ffi_handlers().items():
        xla_client.register_custom_call_target(spelled, routine, platform=name, api_version=1)


def import_lapack() -> None:
    """Makes LAPACK known to XLA. This imports scipy's, which takes long: for programs that need it only."""
    _register("jaxlib.lapack")
    native: Any = importlib.import_module("jaxlib.cpu._lapack")
    native.initialize()


def import_solvers() -> None:
    """Makes the routines of GPUs known to XLA, those of the plugins that are installed."""
    _register("jaxlib.gpu_solver")
    _register("jaxlib.gpu_linalg")


def _register(module: str) -> None:
    listed: Any = importlib.import_module(module)
    for platform, targets in listed.registrations().items():
        for name, capsule, api_version in targets:
            xla_client.register_custom_call_target(name, capsule, platform=platform, api_version=api_version)
