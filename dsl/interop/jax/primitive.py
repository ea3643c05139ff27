"""Functions of programs inside of JAX: under `jax.jit`, `jax.grad`, `jax.vmap`, with this project's rules.

    from dsl.interop.jax import to_jax

    loss = to_jax(m.loss)
    jax.jit(jax.grad(loss))(params, x, y)

A call becomes one primitive of JAX with the IR of the function for its shapes. Lowering it inlines the StableHLO; its
derivatives, transposes and batches are primitives with the IR that `dsl.transforms` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.extend.mlir.dialects import func
from jax.interpreters import ad, batching, mlir

from dsl.host import tree
from dsl.host.calls.faults import explained_faults
from dsl.host.functions.function import Function
from dsl.host.results.containers import Rebuild, rebuilding, require_sizes
from dsl.host.results.failures import raise_failure
from dsl.host.results.variants import Variant
from dsl.ir.function import Function as IRFunction
from dsl.ir.region import Flags
from dsl.staging.values import Site
from dsl.transforms.linearize import Linearized, linearize
from dsl.transforms.pipeline import LOWERING, RESUMING, run
from dsl.transforms.transpose import transpose
from dsl.transforms.vmap import vmap
from lowering.stablehlo.module import lower
from lowering.xla.compile import register_routines
from lowering.xla.foreign import settled


class Body:
    """The IR that a primitive stands for, compared by identity. `resumed` says that its parameters hold what a
    derivative has left."""

    def __init__(self, function: IRFunction, resumed: bool = False) -> None:
        self.function = function
        self.resumed = resumed
        self._texts: dict[str, str] = {}

    @cached_property
    def _prepared(self) -> IRFunction:
        return run(self.function, RESUMING if self.resumed else LOWERING)

    def text(self, platform: str) -> str:
        """Its StableHLO for a platform, lowered once. Raises TypeError where it prints: JAX has no place for that."""
        if platform not in self._texts:
            self._texts[platform] = self._lowered(platform)
        return self._texts[platform]

    def _lowered(self, platform: str) -> str:
        made = lower(self._prepared, locations=False, settle=settled, platform=platform)
        if made.callbacks:
            raise TypeError(f"`{made.name}` prints while it runs, which a function inside of JAX cannot")
        register_routines(made.text, made.platform)
        return made.text

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """It alone, for calls outside of `jax.jit`."""
        made: Callable[..., Any] = jax.jit(lambda *args: primitive().bind(*args, body=self))
        return made

    def __repr__(self) -> str:
        return self.function.name


class Kind(NamedTuple):
    """The part of a call that depends on the types of its arguments alone."""

    body: Body
    rebuild: Rebuild
    sites: tuple[Site, ...] | None


def to_jax(function: Function) -> Callable[..., Any]:
    """The function for arrays of JAX: arguments and results are those of `function`, in the same containers.

    Raises what a call of `function` raises, when it is traced; a failed check raises when the results are computed.
    """
    kinds: dict[Any, Kind] = {}

    def call(*args: Any, **kwargs: Any) -> Any:
        stands = StandIns()
        seed = kwargs.pop("key", None) if function.draws else None
        given = {name: stands.of(arg) for name, arg in kwargs.items()} | ({"key": 0} if function.draws else {})
        read = function.binder.read([stands.of(arg) for arg in args], given)
        key, leaves = read.key, read.leaves
        if key not in kinds:
            kinds[key] = _kind(function, [stands.of(arg) for arg in args], given)
        body, rebuild, sites = kinds[key]
        inputs = [stands.arrays.get(id(leaf), leaf) for leaf in leaves]
        if function.draws:
            inputs[-1] = _key_data(seed)
        typed = [jnp.asarray(x, t.dtype.numpy) for x, t in zip(inputs, body.function.param_types, strict=True)]
        results = primitive().bind(*typed, body=body)
        return rebuild(results if sites is None else _checked(results, sites))

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return call


def _kind(function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Kind:
    staged, binding, _ = function.staged(args, kwargs)
    with explained_faults(function.definition):
        require_sizes(staged.output, "a function of JAX has results of known sizes")
    rebuild = rebuilding(staged.output, binding.containers, Variant)
    return Kind(Body(staged.function), rebuild, tuple(staged.sites) if staged.checks else None)


class StandIns:
    """Arrays of one element, seen many times, in place of arrays of JAX that may not be known yet. `arrays` has these
    by the identity of what stands for them."""

    def __init__(self) -> None:
        self.arrays: dict[int, jax.Array] = {}
        self._kept: list[np.ndarray] = []

    def of(self, value: Any) -> Any:
        """An argument, in the same containers."""
        return tree.map(self._leaf, value)

    def _leaf(self, value: Any) -> Any:
        if not isinstance(value, jax.Array):
            return value
        self._kept.append(np.broadcast_to(np.zeros((), value.dtype), value.shape))
        self.arrays[id(self._kept[-1])] = value
        return self._kept[-1]


def _key_data(seed: Any) -> Any:
    """The words of a key: of JAX, or from a seed."""
    if isinstance(seed, jax.Array) and jnp.issubdtype(seed.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(seed)
    return seed if np.ndim(seed) else jax.random.key_data(jax.random.key(seed))


def _checked(results: Sequence[jax.Array], sites: tuple[Site, ...]) -> Sequence[jax.Array]:
    """The results without the code of what failed, which is looked at when they are computed."""
    *values, code = results
    jax.debug.callback(lambda found: raise_failure(int(found), sites), code)
    return values


# ---------------------------------------------------------------- the primitive


@cache
def primitive() -> Primitive:
    """The one primitive, with its rules; its parameter is a `Body`."""
    made = Primitive("dsl")
    made.multiple_results = True
    made.def_impl(lambda *args, body: body.compiled(*args))
    made.def_abstract_eval(_abstract)
    mlir.register_lowering(made, _lower)
    ad.primitive_jvps[made] = _jvp
    ad.primitive_transposes[made] = _transpose
    batching.primitive_batchers[made] = _batch
    return made


def _abstract(*_: Any, body: Body) -> list[jax.core.ShapedArray]:
    return [jax.core.ShapedArray(t.shape, t.dtype.numpy) for t in body.function.result_types]


def _lower(ctx: Any, *args: Any, body: Body) -> Sequence[Any]:
    target = ctx.module_context
    inlined = mlir.ir.Module.parse(body.text(target.platforms[0]), context=target.context)
    name = mlir.merge_mlir_modules(target.module, f"dsl_{body.function.name}", inlined, dst_symtab=target.symbol_table)
    types = target.symbol_table[name].type.results
    return list(func.CallOp(types, mlir.ir.FlatSymbolRefAttr.get(name), args).results)


@lru_cache(maxsize=1024)
def _linearized(body: Body, nonzero: Flags) -> tuple[Linearized, Body, Body]:
    found = linearize(body.function, nonzero)
    return found, Body(found.primal, body.resumed), Body(found.linear, True)


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, body: Body) -> tuple[Sequence[Any], Sequence[Any]]:
    given = tuple([not isinstance(t, ad.Zero) for t in tangents])
    found, primal, linear = _linearized(body, given)
    every = primitive().bind(*primals, body=primal)
    residuals = [(*primals, *every)[i] for i in found.residuals]
    moving = [t for t in tangents if not isinstance(t, ad.Zero)]
    results = every[: len(body.function.results)]
    late = iter(primitive().bind(*residuals, *moving, body=linear) if any(found.nonzero) else ())
    pairs = zip(results, found.nonzero, strict=True)
    outs = [next(late) if flag else ad.Zero(jax.typeof(y).to_tangent_aval()) for y, flag in pairs]
    return results, outs


@lru_cache(maxsize=1024)
def _transposed(body: Body, linear: Flags, nonzero: Flags) -> tuple[Body, Flags]:
    found = transpose(body.function, linear, nonzero)
    return Body(found.function, True), found.nonzero


def _transpose(cts: Sequence[Any], *args: Any, body: Body) -> Sequence[Any]:
    linear = tuple([ad.is_undefined_primal(x) for x in args])
    given = tuple([not isinstance(ct, ad.Zero) for ct in cts])
    back, nonzero = _transposed(body, linear, given)
    known = [x for x in args if not ad.is_undefined_primal(x)]
    moving = [ct for ct in cts if not isinstance(ct, ad.Zero)]
    found = iter(primitive().bind(*known, *moving, body=back) if any(nonzero) else ())
    flags = iter(nonzero)
    return [_cotangent(x, found, flags) if ad.is_undefined_primal(x) else None for x in args]


def _cotangent(x: Any, found: Iterator[Any], flags: Iterator[bool]) -> Any:
    return next(found) if next(flags) else ad.Zero(x.aval)


@lru_cache(maxsize=1024)
def _mapped(body: Body, axes: tuple[int | None, ...], size: int) -> Body:
    return Body(vmap(body.function, axes, (0,) * len(body.function.results), size), body.resumed)


def _batch(args: Sequence[Any], dims: Sequence[int | None], *, body: Body) -> tuple[Sequence[Any], Sequence[int]]:
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    results = primitive().bind(*args, body=_mapped(body, tuple(dims), size))
    return results, (0,) * len(results)
