"""puredsl: a pure functional, effect-typed array language embedded in Python.

The public face and nothing else: every name is imported from where it is defined when it is first used,
so that `import dsl` starts no backend and checking a program needs none.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.tracebacks import shorten_uncaught
from dsl.late_names import late
from dsl.offers import OFFERS
from dsl.siblings import check_siblings

if TYPE_CHECKING:
    from dsl import checkpoints, data, training
    from dsl.diagnostics.diagnostic import (
        ArgumentError,
        CheckError,
        DeviceError,
        Diagnostic,
        DslError,
        DslSyntaxError,
        DslTypeError,
        EffectError,
        InputError,
        InternalError,
        MutationError,
        NameResolutionError,
        ShapeError,
        StageError,
        TransformError,
    )
    from dsl.host import tree
    from dsl.host.arguments.accepted import ArrayLike, RecordLike, RecordObject
    from dsl.host.arguments.keys import key
    from dsl.host.artifacts.artifact import Artifact, load_artifact
    from dsl.host.artifacts.build import save_artifact
    from dsl.host.calls.nan_checks import nan_checks
    from dsl.host.files.saving import load_arrays, save
    from dsl.host.functions.function import Function
    from dsl.host.functions.sparse_derivatives import Sparsity, sparse_hessian, sparse_jacobian
    from dsl.host.functions.transforms import (
        checkpoint,
        custom_jvp,
        custom_vjp,
        eval_shape,
        grad,
        hessian,
        hvp,
        jacfwd,
        jacrev,
        jit,
        jvp,
        linearize,
        make_ir,
        pmap,
        shard,
        value_and_grad,
        value_and_jacfwd,
        vjp,
        vmap,
    )
    from dsl.host.machines import distributed
    from dsl.host.machines.devices import default_device, device_count, device_put, devices, set_cpu_devices
    from dsl.host.machines.profiling import profile
    from dsl.host.measures.check_grads import check_grads
    from dsl.host.measures.costs import Estimate, cost
    from dsl.host.plans.layout import PlannedLayout
    from dsl.host.plans.plan import Plan, plan
    from dsl.host.programs.define import define
    from dsl.host.programs.importer import install_importer
    from dsl.host.programs.library import library_program
    from dsl.host.programs.program import Program, constants, core_of, doc, functions, load, program, variants, warnings
    from dsl.host.python_types.boundary import checked
    from dsl.host.python_types.boundary import checked as check
    from dsl.host.python_types.language import Static
    from dsl.host.results.shape_dtype_struct import ShapeDtypeStruct
    from dsl.host.results.variants import Variant, Variants
    from dsl.notebook.magics import load_ipython_extension
    from dsl.ops.sinks import on_emit
    from dsl.types.dtype import BF16 as bf16
    from dsl.types.dtype import BOOL as bool_
    from dsl.types.dtype import C64 as c64
    from dsl.types.dtype import C128 as c128
    from dsl.types.dtype import F16 as f16
    from dsl.types.dtype import F32 as f32
    from dsl.types.dtype import F64 as f64
    from dsl.types.dtype import I8 as i8
    from dsl.types.dtype import I16 as i16
    from dsl.types.dtype import I32 as i32
    from dsl.types.dtype import I64 as i64
    from dsl.types.dtype import U8 as u8
    from dsl.types.dtype import U16 as u16
    from dsl.types.dtype import U32 as u32
    from dsl.types.dtype import U64 as u64
    from dsl.version import VERSION as __version__
    from lowering.xla.array import Array, array
    from lowering.xla.places import Device, Mesh, Sharding

    differences = library_program("differences")
    fft = library_program("fft")
    graph = library_program("graph")
    image = library_program("image")
    interpolate = library_program("interpolate")
    linalg = library_program("linalg")
    nn = library_program("nn")
    ode = library_program("ode")
    optim = library_program("optim")
    prelude = library_program("prelude")
    prob = library_program("prob")
    ragged = library_program("ragged")
    random = library_program("random")
    signal = library_program("signal")
    solve = library_program("solve")
    sparse = library_program("sparse")
    special = library_program("special")
    stats = library_program("stats")

_ERRORS = (
    *("ArgumentError", "CheckError", "DeviceError", "Diagnostic", "DslError", "DslSyntaxError"),
    *("DslTypeError", "EffectError", "InputError", "InternalError", "MutationError", "NameResolutionError"),
    *("ShapeError", "StageError", "TransformError"),
)
_TRANSFORMS = (
    *(
        "checkpoint",
        "custom_jvp",
        "custom_vjp",
        "eval_shape",
        "grad",
        "hessian",
        "hvp",
        "jacfwd",
        "jacrev",
        "jit",
        "jvp",
        "linearize",
        "make_ir",
    ),
    *("pmap", "shard", "value_and_grad", "value_and_jacfwd", "vjp", "vmap"),
)
_SPARSE = ("Sparsity", "sparse_hessian", "sparse_jacobian")
_PROGRAMS = ("program", "load", "constants", "core_of", "doc", "functions", "variants", "warnings")
_DEVICES = ("default_device", "device_count", "device_put", "devices", "set_cpu_devices")
_DTYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bf16", "f16", "f32", "f64", "c64", "c128")

_HOMES = MappingProxyType(
    {
        **{name: ("dsl.diagnostics.diagnostic", name) for name in _ERRORS},
        **{name: ("dsl.host.functions.transforms", name) for name in _TRANSFORMS},
        **{name: ("dsl.host.functions.sparse_derivatives", name) for name in _SPARSE},
        **{name: ("dsl.types.dtype", name.upper()) for name in _DTYPES},
        "bool_": ("dsl.types.dtype", "BOOL"),
        **{name: ("dsl.host.arguments.accepted", name) for name in ("ArrayLike", "RecordLike", "RecordObject")},
        **{name: ("dsl.host.results.variants", name) for name in ("Variant", "Variants")},
        **dict.fromkeys(("check", "checked"), ("dsl.host.python_types.boundary", "checked")),
        "tree": ("dsl.host.tree", ""),
        **{name: (f"dsl.{name}", "") for name in ("checkpoints", "data", "training")},
        "distributed": ("dsl.host.machines.distributed", ""),
        **{name: ("dsl.host.files.saving", name) for name in ("load_arrays", "save")},
        **{name: ("dsl.host.artifacts.artifact", name) for name in ("Artifact", "load_artifact")},
        "profile": ("dsl.host.machines.profiling", "profile"),
        "save_artifact": ("dsl.host.artifacts.build", "save_artifact"),
        "Static": ("dsl.host.python_types.language", "Static"),
        "on_emit": ("dsl.ops.sinks", "on_emit"),
        "Function": ("dsl.host.functions.function", "Function"),
        "Program": ("dsl.host.programs.program", "Program"),
        **{name: ("dsl.host.programs.program", name) for name in _PROGRAMS},
        **{name: ("dsl.host.machines.devices", name) for name in _DEVICES},
        "check_grads": ("dsl.host.measures.check_grads", "check_grads"),
        "cost": ("dsl.host.measures.costs", "cost"),
        "Estimate": ("dsl.host.measures.costs", "Estimate"),
        **{name: ("dsl.host.plans.plan", name) for name in ("Plan", "plan")},
        "PlannedLayout": ("dsl.host.plans.layout", "PlannedLayout"),
        "ShapeDtypeStruct": ("dsl.host.results.shape_dtype_struct", "ShapeDtypeStruct"),
        "key": ("dsl.host.arguments.keys", "key"),
        "nan_checks": ("dsl.host.calls.nan_checks", "nan_checks"),
        "define": ("dsl.host.programs.define", "define"),
        "install_importer": ("dsl.host.programs.importer", "install_importer"),
        "load_ipython_extension": ("dsl.notebook.magics", "load_ipython_extension"),
        "__version__": ("dsl.version", "VERSION"),
        "Array": ("lowering.xla.array", "Array"),
        "Device": ("lowering.xla.places", "Device"),
        "Mesh": ("lowering.xla.places", "Mesh"),
        "Sharding": ("lowering.xla.places", "Sharding"),
        "array": ("lowering.xla.array", "array"),
    }
)

__all__ = [
    "ArgumentError",
    "Array",
    "ArrayLike",
    "Artifact",
    "CheckError",
    "Device",
    "DeviceError",
    "Diagnostic",
    "DslError",
    "DslSyntaxError",
    "DslTypeError",
    "EffectError",
    "Estimate",
    "Function",
    "InputError",
    "InternalError",
    "Mesh",
    "MutationError",
    "NameResolutionError",
    "Plan",
    "PlannedLayout",
    "Program",
    "RecordLike",
    "RecordObject",
    "ShapeDtypeStruct",
    "ShapeError",
    "Sharding",
    "Sparsity",
    "StageError",
    "Static",
    "TransformError",
    "Variant",
    "Variants",
    "__version__",
    "array",
    "bf16",
    "bool_",
    "c64",
    "c128",
    "check",
    "check_grads",
    "checked",
    "checkpoint",
    "checkpoints",
    "constants",
    "core_of",
    "cost",
    "custom_jvp",
    "custom_vjp",
    "data",
    "default_device",
    "define",
    "device_count",
    "device_put",
    "devices",
    "distributed",
    "doc",
    "eval_shape",
    "f16",
    "f32",
    "f64",
    "functions",
    "grad",
    "hessian",
    "hvp",
    "i8",
    "i16",
    "i32",
    "i64",
    "install_importer",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "key",
    "linearize",
    "load",
    "load_arrays",
    "load_artifact",
    "load_ipython_extension",
    "make_ir",
    "nan_checks",
    "on_emit",
    "plan",
    "pmap",
    "profile",
    "program",
    "save",
    "save_artifact",
    "set_cpu_devices",
    "shard",
    "sparse_hessian",
    "sparse_jacobian",
    "training",
    "tree",
    "u8",
    "u16",
    "u32",
    "u64",
    "value_and_grad",
    "value_and_jacfwd",
    "variants",
    "vjp",
    "vmap",
    "warnings",
]
if TYPE_CHECKING:
    __all__ += [
        "differences",
        "fft",
        "graph",
        "image",
        "interpolate",
        "linalg",
        "nn",
        "ode",
        "optim",
        "prelude",
        "prob",
        "ragged",
        "random",
        "signal",
        "solve",
        "sparse",
        "special",
        "stats",
    ]


def _library() -> dict[str, tuple[str, str]]:
    """The modules of the library are programs: `dsl.nn.softmax(x)`."""
    names: list[str] = import_module("stdlib").module_names()
    return {name: ("dsl.host.programs.library", name) for name in names}


_ABOVE = MappingProxyType(
    {
        "as_jax": ("dsl.interop.jax", "as_jax"),
        "array_api": ("dsl.array_api", ""),
        "indexing": ("dsl.array_api.indexing", ""),
        "debug": ("dsl.interactive.debugger", "debug"),
    }
)
"""What packages ask of those above them."""

__getattr__ = late(__name__, _HOMES, _library)
OFFERS.offer(_ABOVE)
shorten_uncaught()
check_siblings()


def __dir__() -> list[str]:
    return sorted([*__all__, *_library()])
