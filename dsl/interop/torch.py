"""Functions of programs as functions of torch, on tensors and part of what autograd differentiates, and functions of
torch that programs call while they run.

    from dsl.interop.torch import from_torch, gradients_of, to_torch

    loss = to_torch(m.loss)
    loss(params, x, y).backward()
    m.descend(from_torch(energy), gradients_of(energy), x)

Tensors on the processor and arrays see the same memory. Torch is imported when the first function is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from dsl.host import tree
from dsl.host.arguments.pytree import parts_of
from dsl.host.functions.function import Function
from dsl.host.functions.transforms import vjp
from dsl.types.dtype import BF16
from lowering.xla.array import Array, borrow

__all__ = ["from_torch", "gradients_of", "to_torch"]

Tensor: TypeAlias = Any


@cache
def _torch() -> Any:
    return import_module("torch")


def to_torch(function: Function) -> Callable[..., Any]:
    """The function for tensors on the processor: arrays are given by position, static arguments and `key` by name;
    results are tensors in the containers that `function` gives. Derivatives of first order are those of `dsl.vjp`.

    Raises what a call of `function` raises. The elements of an argument may be changed in place once the call is over.
    """
    recorded = _recorded()

    def call(*args: Any, **statics: Any) -> Any:
        tensors = [leaf for leaf in tree.leaves(args) if _is_tensor(leaf)]
        if not _torch().is_grad_enabled() or not any(tensor.requires_grad for tensor in tensors):
            return tree.map(tensor_of, function(*tree.map(array_of, args), **statics))
        made = Call(function, args, statics)
        found = iter(recorded.apply(made, *tensors))
        return tree.map(lambda leaf: next(found) if isinstance(leaf, Array) else leaf, made.result)

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return call


def from_torch(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of tensors for a parameter of a program whose type has the effect `io`: it takes arrays of NumPy and
    gives them, in the same containers."""

    def call(*args: Any) -> Any:
        with _torch().no_grad():
            return tree.map(_elements, function(*tree.map(_copied, args)))

    call.__name__ = getattr(function, "__name__", "call")
    return call


def gradients_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns the scalar result of `function` with its gradient with respect to each argument:
    `(value, gradient)`, or `(value, (first, second))`. This is the `fwd` of a `custom_vjp`. Arguments are arrays of
    floats."""

    def call(*args: Any) -> Any:
        tensors = [_copied(arg).requires_grad_() for arg in args]
        with _torch().enable_grad():
            value = function(*tensors)
        found = _torch().autograd.grad(value, tensors, allow_unused=True, materialize_grads=True)
        gradients = tuple(map(_elements, found))
        return _elements(value), gradients[0] if len(gradients) == 1 else gradients

    call.__name__ = getattr(function, "__name__", "call")
    return call


def _copied(leaf: Any) -> Tensor:
    return _torch().tensor(leaf)


def _elements(leaf: Any) -> Any:
    return leaf.detach().numpy() if _is_tensor(leaf) else leaf


class Call:
    """A call that autograd records."""

    def __init__(self, function: Function, args: Sequence[Any], statics: Mapping[str, Any]) -> None:
        self.args = args
        self.result, self._pull = vjp(function, *tree.map(array_of, args), **statics)
        self._traced = [p.counts for p in function.signature.params][: len(args)]

    def outputs(self) -> list[Tensor]:
        return [tensor_of(leaf) for leaf in tree.leaves(self.result) if isinstance(leaf, Array)]

    def pulled(self, cotangents: Sequence[Tensor]) -> Iterator[Tensor | None]:
        """The cotangent of each tensor among the arguments."""
        given = iter(cotangents)
        found = iter(self._pull(tree.map(lambda leaf: _cotangent(leaf, next(given)), self.result)))
        for arg, traced in zip(self.args, self._traced, strict=True):
            for leaf, part in _pairs(arg, next(found) if traced else ()):
                if _is_tensor(leaf):
                    yield tensor_of(part) if isinstance(part, Array) else None


@cache
def _recorded() -> Any:
    """The class of autograd whose calls are those of programs."""
    torch = _torch()
    once = torch.autograd.function.once_differentiable(_backward)
    rules = {"forward": staticmethod(_forward), "backward": staticmethod(once)}
    return type("Recorded", (torch.autograd.Function,), rules)


def _forward(ctx: Any, call: Call, *tensors: Tensor) -> tuple[Tensor, ...]:
    ctx.call, outputs = call, call.outputs()
    ctx.mark_non_differentiable(*[y for y in outputs if not (y.is_floating_point() or y.is_complex())])
    return tuple(outputs)


def _backward(ctx: Any, *cotangents: Tensor) -> tuple[Tensor | None, ...]:
    return None, *ctx.call.pulled(cotangents)


def _pairs(argument: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves of an argument with what its cotangent has at their places: `()` for what has no derivative."""
    inside, beside = parts_of(argument), parts_of(other)
    if inside is None:
        yield argument, other
        return
    for k, part in enumerate(inside[1]):
        yield from _pairs(part, beside[1][k] if beside is not None and beside[1] else ())


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, _torch().Tensor)


def array_of(leaf: Any) -> Any:
    """A tensor as an array that sees its elements."""
    if not _is_tensor(leaf):
        return leaf
    known, torch = leaf.detach().resolve_conj().resolve_neg(), _torch()
    if known.dtype is torch.bfloat16:  # NumPy has none
        return borrow(known.view(torch.int16).numpy().view(BF16.numpy))
    return borrow(known.numpy())


def tensor_of(leaf: Any) -> Any:
    """An array as a tensor that sees its elements, which nobody else does."""
    return _torch().from_dlpack(leaf) if isinstance(leaf, Array) else leaf


def _cotangent(leaf: Array, given: Tensor) -> Any:
    return array_of(given) if leaf.type.dtype.is_inexact else ()
