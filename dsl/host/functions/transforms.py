"""The transformations of the language on functions from Python: `dsl.grad(f)` is `grad(f)` in a program.

They compose with each other in any order; static arguments pass through by keyword. Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args

from dsl.core.transformation import Kind
from dsl.host.argument_errors import Problem, argument_error, misused, no_function
from dsl.host.arguments.pytree import parts_of, plain
from dsl.host.arguments.static_arguments import is_size
from dsl.host.functions.function import Function
from dsl.host.functions.tailoring import Fields, Shardings, Tailoring, laid_of, tailored
from dsl.types.dtype import DType
from dsl.types.show import show_type
from dsl.types.type import ArrayType, IndexType, StackedType, Type
from dsl.types.walk import children, has_parts, leaves
from lowering.xla.compile import Effort
from lowering.xla.places import Mesh

Axes = int | None | Sequence[Any] | Mapping[str, Any]
"""An axis for all arguments, or one for each: an int, None, or a tree of these that may end before the leaves."""

Specs = None | Sequence[Any] | Mapping[str, Any]
"""Which axis of an array is cut along an axis of the mesh, `{"data": 0}`, for all arguments, or one for each; None for
what is not cut, or a tree of these that may end before the leaves."""

NO_SHARDINGS: Mapping[str, Shardings] = MappingProxyType({})

Argnums = int | str | Sequence[int | str]
"""Arguments by position or by name; those that are static do not count."""


def jit(
    f: Function,
    *,
    donate: str | Sequence[str] = (),
    in_shardings: Mapping[str, Shardings] = NO_SHARDINGS,
    out_shardings: Shardings = None,
    effort: Effort = "full",
) -> Function:
    """Return the function unchanged: every call from Python is compiled as a whole.

    The arrays of the parameters named in `donate` are given up to every call, which may put its results into their
    memory: whoever uses them later gets `DeviceError` E1017. `in_shardings` says of parameters, by name, how their
    arrays lie over devices, and `out_shardings` how those of the result do: a `Sharding`, or a tree that follows the
    containers and may end early; None is whole on all devices. XLA partitions what is between. Raises `DeviceError`
    E1006, before anything runs, where an axis cannot be cut so.

    With `effort="fast"`, the first call for a kind of arguments runs a program that is compiled with little effort,
    while a thread compiles it in full; later calls run that one once it is there. The two may differ by roundings.
    `f.compile(…).finish()` waits for it.
    """
    made = _under(Kind.JIT, f)
    names = (donate,) if isinstance(donate, str) else donate
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise misused("E0812", f"`donate` names parameters, and is {donate!r}", f.definition)
    ins = laid_of(f, in_shardings)
    if not isinstance(ins, Fields):
        raise misused("E0812", "`in_shardings` has a sharding for each parameter by name", f.definition)
    if not isinstance(effort, str) or effort not in get_args(Effort):
        raise misused("E0812", f'`effort` is "full" or "fast", not {effort!r}', f.definition)
    tailoring = Tailoring(tuple(names), ins.parts, laid_of(f, out_shardings), effort)
    return made if tailoring == Tailoring() else made.each(lambda one: tailored(one, tailoring))


def grad(f: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The gradient of a scalar function; with aux `(gradient, aux)`."""
    return _under(Kind.GRAD, f, argnums=argnums, has_aux=has_aux)


def value_and_grad(f: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """`(value, gradient)`; with aux `((value, aux), gradient)`."""
    return _under(Kind.VALUE_AND_GRAD, f, argnums=argnums, has_aux=has_aux)


def vmap(f: Function, in_axes: Axes = 0, out_axes: Axes = 0, axis_name: str | None = None) -> Function:
    """The function over a new axis of its arguments."""
    return _under(Kind.VMAP, f, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name)


def pmap(f: Function, axis_name: str | None = None, in_axes: Axes = 0, out_axes: Axes = 0) -> Function:
    """Map a function over an axis, as `vmap` does, with the elements divided equally among the devices."""
    return _under(Kind.PMAP, f, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name)


def shard(f: Function, mesh: Mesh | Mapping[str, int], in_specs: Specs, out_specs: Specs) -> Function:
    """The function of one part of its arguments, on parts along the axes of a mesh: `{"data": 4, "model": 2}` in that
    order, or those of a `Mesh`. The devices are those that are chosen, as for `pmap`."""
    axes = axes_of_mesh(function_of(Kind.SHARD, f), mesh)
    return _under(Kind.SHARD, f, mesh=tuple(axes.items()), in_specs=in_specs, out_specs=out_specs)


def jacfwd(f: Function, argnums: Argnums = 0) -> Function:
    """The Jacobian by forward mode."""
    return _under(Kind.JACFWD, f, argnums=argnums)


def value_and_jacfwd(f: Function, argnums: Argnums = 0) -> Function:
    """`(value, Jacobian)` by forward mode; the function itself runs once."""
    return _under(Kind.VALUE_AND_JACFWD, f, argnums=argnums)


def jacrev(f: Function, argnums: Argnums = 0) -> Function:
    """The Jacobian by reverse mode."""
    return _under(Kind.JACREV, f, argnums=argnums)


def hessian(f: Function, argnums: Argnums = 0) -> Function:
    """The second derivatives of a scalar function."""
    return _under(Kind.HESSIAN, f, argnums=argnums)


def checkpoint(f: Function, policy: str | Sequence[str] | None = None) -> Function:
    """Return the function with a derivative that recomputes its intermediate values, except those that the policy
    saves: "nothing", "dots", "everything", a budget such as "budget:64MiB", or the names given by `checkpoint_name`."""
    return _under(Kind.CHECKPOINT, f, policy=policy)


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], **statics: Any) -> Any:
    """`(f(*primals), its derivative along tangents)`, computed together.

    The tangent of an argument without floats is `()`.
    """
    function_of(Kind.JVP, f)
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise misused("E0814", "`dsl.jvp(f, primals, tangents)` takes two tuples", f.definition)
    if len(primals) != len(tangents):
        raise misused("E0815", f"{len(tangents)} tangents for {len(primals)} primals", f.definition)
    return f.paired(Kind.JVP, primals, _filled(f, primals, tangents), statics)


def hvp(f: Function, x: Any, v: Any, **statics: Any) -> Any:
    """The Hessian of a scalar function at x times v."""
    return function_of(Kind.HVP, f).paired(Kind.HVP, (x,), (v,), statics)


def vjp(f: Function, *args: Any, **statics: Any) -> Any:
    """`(f(*args), pull)`; `pull` of a cotangent of the result is a tuple with one for each argument."""
    return _under(Kind.VJP, f)(*args, **statics)


def linearize(f: Function, *args: Any, **statics: Any) -> Any:
    """`(f(*args), lin)`; `lin` takes one tangent for each argument."""
    return _under(Kind.LINEARIZE, f)(*args, **statics)


def custom_jvp(f: Function, rule: Function) -> Function:
    """`f` with a derivative of its own: `rule(primals, tangents) -> (out, tangent)`, of the same program."""
    return _under(Kind.CUSTOM_JVP, f, rule=function_of(Kind.CUSTOM_JVP, rule))


def custom_vjp(f: Function, fwd: Function, bwd: Function) -> Function:
    """`f` with a way back of its own: `fwd(*args) -> (out, saved)`, `bwd(saved, ct)` a tuple of cotangents."""
    rules = {"fwd": function_of(Kind.CUSTOM_VJP, fwd), "bwd": function_of(Kind.CUSTOM_VJP, bwd)}
    return _under(Kind.CUSTOM_VJP, f, **rules)


def eval_shape(f: Function, *args: Any, **statics: Any) -> Any:
    """The shapes and dtypes that `f` would give for arrays, or for a `ShapeDtypeStruct` in place of each."""
    return function_of("eval_shape", f).eval_shape(*args, **statics)


def make_ir(f: Function) -> Callable[..., str]:
    """Return a function from arguments to the IR of `f`, as text."""
    return function_of("make_ir", f).ir


def axes_of_mesh(f: Function, mesh: Mesh | Mapping[str, int]) -> Mapping[str, int]:
    """The sizes of a mesh by the names of its axes. Raises `DeviceError` E1008 for what says none."""
    axes = dict(mesh.axes) if isinstance(mesh, Mesh) else mesh
    if not isinstance(axes, Mapping) or not all(is_size(size) and size >= 1 for size in axes.values()):
        example = '`{"data": 4, "model": 2}`'
        raise misused("E1008", f"a mesh has axes with a name and a size of at least 1, as {example}", f.definition)
    return axes


def _under(kind: Kind, f: Function, **options: Any) -> Function:
    function_of(kind, f)
    if "argnums" in options:
        options["argnums"] = _places(f, options["argnums"])
    return f.transformed(kind, **options)


def _filled(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """The tangents, with the primal itself for `()` where a type has no tangent: nothing reads it there. Raises
    `ArgumentError` E0901 for another one there."""
    traced = [parameter for parameter in f.signature.params if parameter.counts]
    if not len(traced) >= len(primals) == len(tangents):
        return list(tangents)
    return [
        _with_leaves(f, parameter.type, primal, tangent)
        for parameter, primal, tangent in zip(traced, primals, tangents, strict=False)
    ]


def _with_leaves(f: Function, type: Type, primal: Any, tangent: Any) -> Any:
    if isinstance(tangent, tuple) and not tangent:
        return primal if _is_discrete(type) else tangent
    if not has_parts(type) and _is_discrete(type):
        raise argument_error(
            [Problem("E0901", f"{show_type(type)} has no tangent, `()` takes its place")], f.definition
        )
    whole, parts = parts_of(primal), parts_of(tangent)
    if whole is None or parts is None or whole[0] != parts[0] or len(whole[1]) != len(parts[1]):
        return tangent
    kinds = children(type.element if isinstance(type, StackedType) else type)
    if len(kinds) != len(parts[1]):
        return tangent
    filled = [_with_leaves(f, k, p, t) for k, p, t in zip(kinds, whole[1], parts[1], strict=True)]
    return plain(tangent, parts[0], filled)


def _is_discrete(type: Type) -> bool:
    """Return whether no leaf has a derivative."""
    return all(isinstance(leaf, IndexType) or _is_discrete_array(leaf) for leaf in leaves(type))


def _is_discrete_array(leaf: Type) -> bool:
    return isinstance(leaf, ArrayType) and isinstance(leaf.dtype, DType) and not leaf.dtype.is_inexact


def _places(f: Function, argnums: Any) -> Any:
    """Names as positions; what names no argument stays, for the checker to say so."""
    if isinstance(argnums, tuple | list):
        return tuple([_places(f, each) for each in argnums])
    names = [parameter.name for parameter in f.signature.params if parameter.counts]
    return names.index(argnums) if isinstance(argnums, str) and argnums in names else argnums


def function_of(kind: str, f: Function) -> Function:
    """Return the program function that is passed to a transformation, if it is one."""
    if not isinstance(f, Function):
        raise no_function(kind, f)
    return f
