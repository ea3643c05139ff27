"""Calls of jaxlib under our names, with the differences between its versions.

Nothing here changes the state of the process that jaxlib keeps for jax (no `jax_jit` setters), and no call
used here but `shards` makes jaxlib import jax. So it works whether or not jax is installed, imported before, or
imported later. Read next: `places`.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil, prod
from typing import Any, TypeAlias

import numpy as np

# The runtime reads this when it is loaded; without it, every client logs two lines about itself.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

from jaxlib import _jax, xla_client
from jaxlib import version as jaxlib_version

from lowering.tiling import Tiling, counts
from lowering.xla import freed_memory

RawClient: TypeAlias = Any
RawDevice: TypeAlias = Any
RawSharding: TypeAlias = Any
RawExecutable: TypeAlias = Any
Buffer: TypeAlias = Any
"""jaxlib's `ArrayImpl`, a device array without operations. jaxlib ships no types: these names are
documentation."""

RuntimeFault: type[Exception] = _jax.JaxRuntimeError
VERSION: str = jaxlib_version.__version__

_COPY = _jax.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
_SHARE = _jax.HostBufferSemantics.ZERO_COPY
_ALWAYS = _jax.ArrayCopySemantics.ALWAYS_COPY


def is_out_of_memory(fault: Exception) -> bool:
    return "RESOURCE_EXHAUSTED" in str(fault)


class GivenUp(RuntimeError):
    """An array was read whose buffer had been donated to a program."""

    def __init__(self) -> None:
        super().__init__("this array was given up to a program, which used its memory for a result")


class Aval:
    """The attributes that jaxlib reads of an array's type, compared by identity."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.weak_type = False


def cpu_client(count: int | None, **others: Any) -> RawClient:
    """The processor as `count` devices; as many as XLA's flags say, which is one without any, if that is None. `others`
    are `shared` with other processes. It computes in the thread that starts a program: to hand one over to another
    thread, and to be woken by it, takes longer than to compute most."""
    release_with_garbage()
    freed_memory.keep()
    return xla_client.make_cpu_client(asynchronous=False, num_devices=count, **others)


NEVER = 10**8
"""Seconds after which jaxlib ends a process since another one is silent: `lowering.processes` notices that by itself,
and tells."""


def coordination_service(address: str, count: int) -> Any:
    """Where so many processes find each other's devices and connections, for as long as it is held."""
    return _jax.get_distributed_runtime_service(address, count, heartbeat_timeout=NEVER)


def shared(address: str, count: int, id: int, seconds: float) -> dict[str, Any]:
    """Return the arguments of a client for process `id` of `count`, whose devices communicate by Gloo."""
    found = _jax.get_distributed_runtime_client(
        address,
        id,
        init_timeout=ceil(seconds),
        heartbeat_timeout=NEVER,
        shutdown_on_destruction=False,
        use_compression=True,
    )
    found.connect()
    host = address.rpartition(":")[0]
    local = {"hostname": host} if host in ("127.0.0.1", "localhost") else {}
    collectives = _jax.make_gloo_tcp_collectives(distributed_client=found, **local)
    return {"distributed_client": found, "node_id": id, "num_nodes": count, "collectives": collectives}


def gpu_options() -> dict[str, Any]:
    """How a GPU shares out its memory, as the environment says (`XLA_PYTHON_CLIENT_…`)."""
    options: dict[str, Any] = xla_client.generate_pjrt_gpu_plugin_options()
    return options


def release_with_garbage() -> None:
    """jaxlib puts Python objects that its threads let go of on a list, for whoever collects garbage to free: without
    jax nobody does."""
    if _WHEN_COLLECTED not in gc.callbacks:
        gc.callbacks.append(_WHEN_COLLECTED)


class _Released:
    """Frees the objects when its attribute `stop` is read.

    Python drops the exceptions of a callback of the garbage collector, and the handlers of signals run within
    functions of Python: in one written in Python, an interrupt would be lost. Nothing here runs any.
    """

    free = staticmethod(_jax.collect_garbage)
    stop = property(operator.methodcaller("free"))


_WHEN_COLLECTED = partial(getattr, _Released())
"""Is called with the phase of a collection, `start` or `stop`, and facts about it."""


def devices(client: RawClient) -> list[RawDevice]:
    """Return the devices of all processes."""
    return sorted(client.devices(), key=lambda device: device.id)


def is_local(client: RawClient, device: RawDevice) -> bool:
    """Return whether a device belongs to this process."""
    return bool(device.process_index == client.process_index())


def device_list(chosen: Sequence[RawDevice]) -> Any:
    return _jax.DeviceList(tuple(chosen))


def replicated_sharding(chosen: Any) -> RawSharding:
    """The sharding of an array that is whole on each of the devices of a device list."""
    return _jax.GSPMDSharding(chosen, xla_client.HloSharding.replicate())


def tiled_sharding(chosen: Any, cut: Tiling, rank: int) -> RawSharding:
    """The sharding of an array that lies so over the devices of a device list."""
    axes = [rank if axis is None else axis for _, axis in cut]
    order = sorted(range(len(cut)), key=axes.__getitem__)
    copies = prod([count for count, axis in cut if axis is None])
    if copies == len(chosen):
        return replicated_sharding(chosen)
    parts, kinds = counts(cut, rank), []
    if copies > 1:
        parts, kinds = [*parts, copies], [xla_client.OpSharding.Type.REPLICATED]
    sharding = xla_client.HloSharding.iota_tile(parts, [count for count, _ in cut], order, kinds)
    return _jax.GSPMDSharding(chosen, sharding)


def compile_text(client: RawClient, text: str, chosen: Any, options: Sequence[tuple[str, Any]]) -> RawExecutable:
    return client.compile_and_load(text, chosen, compile_options(options, chosen))


def compile_with_callbacks(
    client: RawClient,
    text: str,
    chosen: Any,
    options: Sequence[tuple[str, Any]],
    callbacks: Sequence[Callable[..., tuple[Any, ...]]],
) -> RawExecutable:
    """Compile with callbacks, which jaxlib accepts only beside a parsed module."""
    return client.compile_and_load(parse(text), chosen, compile_options(options, chosen), list(callbacks))


EXTRA = "xla_backend_extra_options"
"""The name of the options that a backend reads by itself, a mapping from names to texts. It passes over names that it
does not know: they may be those of some versions only."""

_BUILD, _DEBUG, _EXTRA, _KEY, _VALUE = 3, 3, 500, 1, 2
"""The numbers of fields: the build options of a compilation, their debug options, the entries of `EXTRA` there, and the
key and the value of an entry."""


def _extra_options(given: Mapping[str, str]) -> bytes:
    """Return options of a compilation as a message of Protocol Buffers, which merges with another that it follows:
    jaxlib has no other way to set a mapping."""
    entries = [_field(_EXTRA, _field(_KEY, k.encode()) + _field(_VALUE, v.encode())) for k, v in given.items()]
    return _field(_BUILD, _field(_DEBUG, b"".join(entries)))


def _field(number: int, payload: bytes) -> bytes:
    return _number(number << 3 | 2) + _number(len(payload)) + payload


def _number(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first; a set eighth bit says that more follow."""
    low = value & 127
    return bytes([low]) if value == low else bytes([low | 128]) + _number(value >> 7)


def compile_options(options: Sequence[tuple[str, Any]], chosen: Any) -> Any:
    """For one program over all devices of a device list."""
    ids = [[device.id for device in chosen]]
    made = xla_client.CompileOptions()
    for name, value in options:
        if name == EXTRA:
            made = made.ParseFromString(made.SerializeAsString() + _extra_options(value))
    made.env_option_overrides = [option for option in options if option[0] != EXTRA]
    build = made.executable_build_options
    made.num_partitions = build.num_partitions = len(ids[0])
    made.device_assignment = build.device_assignment = xla_client.DeviceAssignment.create(np.array(ids, np.int32))
    build.use_spmd_partitioning = build.use_shardy_partitioner = len(ids[0]) > 1
    return made


def parse(text: str) -> Any:
    """An MLIR module, parsed and verified."""
    ir, context = _mlir()
    return ir.Module.parse(text, context)


def renamed(text: str, prefix: str) -> str:
    """The functions of a module, private and under names with this prefix, as text without the module."""
    ir, context = _mlir()
    symbols = ir.SymbolTable
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        functions = [each.operation for each in module.body.operations]
        for function in functions:
            old = symbols.get_symbol_name(function).value
            symbols.replace_all_symbol_uses(old, prefix + old, module.operation)
            symbols.set_symbol_name(function, prefix + old)
            function.attributes["sym_visibility"] = ir.StringAttr.get("private")
            for boundary in ("arg_attrs", "res_attrs"):
                if boundary in function.attributes:
                    del function.attributes[boundary]
        return "\n".join([function.get_asm(use_local_scope=True) for function in functions])


def boundary_types(text: str, name: str) -> tuple[list[str], list[str]]:
    """The types that a function of a module takes and gives."""
    ir, context = _mlir()
    with context, ir.Location.unknown():
        function = ir.SymbolTable(ir.Module.parse(text).operation)[name]
        return [str(x) for x in function.type.inputs], [str(x) for x in function.type.results]


def refined(text: str) -> str:
    """A module whose `main` has sizes, with those of all else computed from them. Raises ValueError if that cannot
    be."""
    ir, context = _mlir()
    return str(ir.Module.parse(_jax.mlir.refine_polymorphic_shapes(text.encode()), context))


def portable(text: str) -> bytes:
    """StableHLO that other versions of XLA read, older ones of the last 12 weeks among them."""
    stablehlo: Any = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
    span = stablehlo.StablehloCompatibilityRequirement.WEEK_12
    version = stablehlo.get_version_from_compatibility_requirement(span)
    return bytes(_jax.mlir.serialize_portable_artifact(parse(text), version))


def text_of_portable(data: bytes) -> str:
    """The StableHLO that `portable` has written, as text. Raises ValueError for other bytes."""
    _, context = _mlir()
    return str(_jax.mlir.deserialize_portable_artifact(data, context))


def _mlir() -> tuple[Any, Any]:
    """MLIR and a context with the dialects of programs. The bindings take 20 ms to import and few programs need
    them."""
    ir: Any = importlib.import_module("jaxlib.mlir.ir")
    extension: Any = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
    dialects = [importlib.import_module(f"jaxlib.mlir.dialects.{name}") for name in ("stablehlo", "chlo", "sdy")]
    registry = ir.DialectRegistry()
    extension.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in dialects:
        dialect.register_dialect(context)
    return ir, context


def memory(device: RawDevice) -> int:
    """The bytes that a device has for programs; those of the machine where the device does not say."""
    stats = device.memory_stats()
    if stats and "bytes_limit" in stats:
        return int(stats["bytes_limit"])
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def memory_needed(executable: RawExecutable) -> int:
    """The bytes that a program takes beside its arguments: for its results, and for what it keeps on the way."""
    stats = executable.get_compiled_memory_stats()
    return int(stats.output_size_in_bytes + stats.temp_size_in_bytes - stats.alias_size_in_bytes)


def operations(executable: RawExecutable) -> float:
    """Return how many operations on numbers a program takes, as XLA estimates it."""
    return float(executable.cost_analysis().get("flops", 0.0))


def memory_parts(executable: RawExecutable) -> tuple[int, int, int, int]:
    """The bytes that a run takes at once, and those of arguments, results, and what lies in between."""
    stats = executable.get_compiled_memory_stats()
    parts = stats.argument_size_in_bytes, stats.output_size_in_bytes, stats.temp_size_in_bytes
    return max(stats.peak_memory_in_bytes, sum(parts) - stats.alias_size_in_bytes), *parts


def start_profiler() -> Any:
    """A session that records what XLA does in this process. Raises RuntimeError where another one records."""
    profiler: Any = importlib.import_module("jaxlib._profiler")
    options = profiler.ProfileOptions()
    options.python_tracer_level = 0
    return profiler.ProfilerSession(options)


def stop_profiler(session: Any, folder: str) -> None:
    """Writes what was recorded into a new folder below `folder`, for Perfetto and for TensorBoard."""
    session.stop_and_export(folder)


def timed_events(session: Any) -> list[list[tuple[str, float, float]]]:
    """Return the recorded events by thread: names, starts and durations in seconds."""
    data: Any = importlib.import_module("jaxlib._profile_data")
    planes = data.ProfileData.from_serialized_xspace(session.stop()).planes
    lines = [line for plane in planes for line in plane.lines]
    return [[(e.name, e.start_ns / 1e9, e.duration_ns / 1e9) for e in line.events] for line in lines]


def live_texts(client: RawClient) -> list[str]:
    """The optimised HLO of every program that the process holds."""
    return [module.to_string() for program in client.live_executables() for module in program.hlo_modules()]


def result_handler(aval: Aval, sharding: RawSharding) -> Any:
    try:
        return _jax.array_result_handler(aval, sharding, True, _skip_checks=True)
    except TypeError:  # from 0.11.2 on there are no checks to skip
        return _jax.array_result_handler(aval, sharding, True)


def put(parts: list[Any], aval: Aval, sharding: RawSharding, devices: list[RawDevice]) -> Buffer:
    """Copies host data, one part for each device, before it returns: later writes to `parts` are not seen. Nothing is
    copied of an empty array, for which jaxlib fails to do so on several devices."""
    semantics = _COPY if 0 not in aval.shape else _SHARE
    return _put(aval, sharding, parts, devices, True, False, semantics, True)


def share(array: Any, aval: Aval, sharding: RawSharding, devices: list[RawDevice]) -> Buffer:
    """A buffer that sees the memory of `array`, if that is aligned; otherwise a copy."""
    return _put(aval, sharding, [array], devices, True, False, _SHARE, True)


def is_buffer(value: object) -> bool:
    """Return whether a value is an array of jax, of whichever client."""
    return isinstance(value, xla_client.ArrayImpl)


_put = _jax.batched_device_put

block_all: Callable[[list[Buffer]], None] = _jax.batched_block_until_ready


def move(buffer: Buffer, sharding: RawSharding, chosen: Any, aval: Aval) -> Buffer:
    """A copy on other devices, as many as it lies on."""
    (copy,) = _jax.batched_copy_array_to_devices_with_sharding([buffer], [chosen], [sharding], [_ALWAYS])
    return copy._rewrap_with_aval_and_sharding(aval, sharding)


def shards(buffer: Buffer) -> list[Buffer]:
    """The parts of an array on several devices, in their order. For these jaxlib imports jax, if it is installed, and
    makes do without if it is not."""
    return list(buffer._arrays)


def wrap_shard(shard: Buffer, aval: Aval, sharding: RawSharding) -> Buffer:
    """One of `shards` as an array of its own."""
    return shard._rewrap_with_aval_and_sharding(aval, sharding)


def view(buffer: Buffer, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The elements of an array on one device that has been waited for, read-only; on the processor without a copy."""
    if buffer.platform() != "cpu":
        return _copied(buffer)
    return np.asarray(buffer) if dtype.kind != "V" else _view_opaque(buffer, dtype)


def bytes_of(buffer: Buffer) -> memoryview:
    """The bytes of an array in the memory of the host, read-only, without a copy. Waits."""
    buffer.block_until_ready()
    dtype: np.dtype[Any] = buffer.aval.dtype
    return memoryview(buffer).cast("B") if dtype.kind != "V" else _view_opaque(buffer, dtype).view(np.uint8).data


def _copied(buffer: Buffer) -> np.ndarray[Any, Any]:
    """The elements from a device whose memory the host does not see."""
    elements: np.ndarray[Any, Any] = buffer._single_device_array_to_np_array_did_copy()[0]
    elements.flags.writeable = False
    return elements


class _DLTensor(ctypes.Structure):
    """The head of DLPack's `DLManagedTensor`, as far as its element type."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )


class _Exporter:
    """Hands one DLPack capsule to `np.from_dlpack`."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: object) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def _view_opaque(buffer: Buffer, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Element types that neither the buffer protocol nor NumPy's DLPack knows (bf16), without a copy.

    The capsule is ours alone, so its element type can be renamed to an unsigned integer of the same width
    before NumPy takes it; the array is then seen as what it is.
    """
    capsule = _jax.buffer_to_dlpack_managed_tensor(buffer)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    tensor.code = 1
    raw: np.ndarray[Any, Any] = np.from_dlpack(_Exporter(capsule)).view(dtype)
    raw.flags.writeable = False
    return raw


def export_dlpack(buffer: Buffer) -> Any:
    return _jax.buffer_to_dlpack_managed_tensor(buffer)


def serialize(client: RawClient, executable: RawExecutable) -> bytes:
    return bytes(client.serialize_executable(executable))


def deserialize(client: RawClient, data: bytes, chosen: Any) -> RawExecutable:
    return client.deserialize_executable(data, chosen, None)


def kind(client: RawClient, chosen: Any) -> str:
    """Return the target of compiled code: the kind of the devices, and the version of their driver."""
    return "\0".join([client.platform_version, *sorted({device.device_kind for device in chosen})])


def hlo_text(text: str) -> str:
    """StableHLO text as XLA reads it, before any optimisation."""
    listing: str = _jax.mlir.mlir_module_to_xla_computation(text).as_hlo_text()
    return listing
