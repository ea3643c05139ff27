"""Functions of programs as functions of torch, and of torch in programs: values and gradients are those of torch for
the same function, and memory is shared. Torch is large, so `make torch` runs this file alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import dsl
from dsl.interop.torch import array_of, from_torch, gradients_of, tensor_of, to_torch

M = dsl.program("""
    import random

    type Params[d] = {w: f32[d], b: f32}

    ## The mean of the powers.
    def loss(p: Params[d], x: f32[n, d], y: idx[2][n], static power: int = 2) -> f32 where n >= 1 =
        mean((tanh(x @ p.w) + p.b - f32(y)) ** power)
    def both(p: Params[d], x: f32[n, d]) -> (Params[d], i32[n]) = ({p with b = sum(x @ p.w) * p.b}, argmax(x, axis=1))
    def exponential(x: f32[n]) -> f32[n] = exp(x)
    def noisy(x: f32[n]) -> f32 ! rand = sum(x * random.normal(fresh_key(), [n]))
    def narrow(x: bf16[n]) -> bf16[n] = x * x
    def same(x: f32[n]) -> f32[n] = x
""")
CALLER = dsl.program("""
    def energy(f: (f32[n]) -> f32 ! io, slope: (f32[n]) -> (f32, f32[n]) ! io, x: f32[n]) -> f32 ! io =
        let inner = custom_vjp(f, slope, fn (g: f32[n], t: f32) -> (t * g,))
        inner(sin(x)) ** 2
    def pair(
        f: (f32[n], f32[n]) -> f32 ! io, slope: (f32[n], f32[n]) -> (f32, (f32[n], f32[n])) ! io, x: f32[n], y: f32[n]
    ) -> f32 ! io =
        custom_vjp(f, slope, fn (g: (f32[n], f32[n]), t: f32) -> (t * g.0, t * g.1))(x, x * y)
    def again(f: ({a: f32[n], b: f32}) -> ({a: f32[n], b: f32}, f32) ! io, x: f32[n]) -> f32[n] ! io =
        let (p, k) = f({a = x, b = 2.0})
        p.a * p.b + k
""")
loss, both = to_torch(M.loss), to_torch(M.both)
X = torch.arange(12.0).reshape(4, 3) / 10
Y = torch.tensor([0, 1, 1, 0])


class Params(NamedTuple):
    w: Any
    b: Any


def params() -> Params:
    return Params(torch.tensor([1.0, -0.5, 0.25], requires_grad=True), torch.tensor(0.5, requires_grad=True))


def torch_loss(p: Params, x: torch.Tensor, y: torch.Tensor, power: int = 2) -> torch.Tensor:
    return torch.mean((torch.tanh(x @ p.w) + p.b - y) ** power)


def torch_both(p: Params, x: torch.Tensor) -> tuple[Params, torch.Tensor]:
    return Params(p.w, torch.sum(x @ p.w) * p.b), torch.argmax(x, 1)


@pytest.mark.parametrize("power", [2, 3])
def test_values_and_gradients_are_those_of_torch(power: int) -> None:
    ours, theirs = params(), params()
    found, wanted = loss(ours, X, Y, power=power), torch_loss(theirs, X, Y, power)
    torch.testing.assert_close(found, wanted)
    (2 * found).backward()
    (2 * wanted).backward()
    for p, q in zip(ours, theirs, strict=True):
        torch.testing.assert_close(p.grad, q.grad)


def test_containers_and_results_without_a_derivative() -> None:
    ours, theirs = params(), params()
    (found, places), (wanted, _) = both(ours, X), torch_both(theirs, X)
    assert isinstance(found, Params) and places.tolist() == [2] * 4 and not places.requires_grad
    (found.w.sum() + found.b).backward()
    (wanted.w.sum() + wanted.b).backward()
    for p, q in zip(ours, theirs, strict=True):
        torch.testing.assert_close(p.grad, q.grad)


def test_a_layer_between_layers_of_torch() -> None:
    inner = torch.nn.Linear(3, 3)
    exponential = to_torch(M.exponential)
    (exponential(inner(X[1])) ** 2).sum().backward()
    found = [p.grad.clone() for p in inner.parameters()]
    inner.zero_grad()
    (torch.exp(inner(X[1])) ** 2).sum().backward()
    torch.testing.assert_close(found, [p.grad for p in inner.parameters()])


def test_what_is_changed_in_place_later_changes_no_gradient() -> None:
    exponential, x = to_torch(M.exponential), torch.zeros(16, requires_grad=True)
    y = exponential(x)
    with torch.no_grad():
        x += 1.0
        y += 1.0
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.ones(16))


def test_memory_is_shared() -> None:
    x = torch.ones(64)
    array = array_of(x)
    assert np.asarray(array).ctypes.data == x.data_ptr()
    assert tensor_of(array).data_ptr() == x.data_ptr()
    result = to_torch(M.same)(x)
    assert result.data_ptr() != x.data_ptr() and result.tolist() == x.tolist()


def test_without_gradients_nothing_is_recorded() -> None:
    with torch.no_grad():
        assert not loss(params(), X, Y).requires_grad
    assert not to_torch(M.exponential)(X[0]).requires_grad
    assert to_torch(M.narrow)(torch.tensor([1.5, 2.0], dtype=torch.bfloat16)).tolist() == [2.25, 4.0]


def test_random_numbers_are_those_of_the_seed() -> None:
    x = torch.ones(4, requires_grad=True)
    noisy = to_torch(M.noisy)
    noisy(x, key=3).backward()
    np.testing.assert_allclose(x.grad, dsl.grad(M.noisy)(np.ones(4, np.float32), key=3), rtol=1e-6)


def test_names_documents_and_errors() -> None:
    assert loss.__name__ == "loss" and "The mean of the powers." in (loss.__doc__ or "")
    with pytest.raises(dsl.ArgumentError, match="d is 3 according to"):
        loss(params(), X[:, :2], Y)
    x = torch.ones(3, requires_grad=True)
    (slope,) = torch.autograd.grad(to_torch(M.exponential)(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        slope.sum().backward()


def test_gradients_go_through_functions_of_torch_in_programs() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))

    def energy(x: torch.Tensor) -> torch.Tensor:
        return layer(x).sum()

    x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    wanted = energy(torch.sin(x)) ** 2
    (slope,) = torch.autograd.grad(wanted, x)
    given = from_torch(energy), gradients_of(energy)
    np.testing.assert_allclose(CALLER.energy(*given, x.detach()), wanted.detach(), rtol=1e-5)
    np.testing.assert_allclose(dsl.grad(CALLER.energy)(*given, x.detach()), slope, rtol=1e-4, atol=1e-6)


def test_each_argument_of_a_function_of_torch_has_its_gradient() -> None:
    def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.dot(x, torch.exp(y))

    x, y = (torch.rand(3, requires_grad=True) for _ in range(2))
    wanted = torch.autograd.grad(product(x, x * y), (x, y))
    given = from_torch(product), gradients_of(product)
    first, second = dsl.grad(CALLER.pair, argnums=(0, 1))(*given, x.detach(), y.detach())
    np.testing.assert_allclose(first, wanted[0], rtol=1e-5)
    np.testing.assert_allclose(second, wanted[1], rtol=1e-5)


def test_functions_of_torch_take_and_give_containers() -> None:
    def changed(p: dict[str, torch.Tensor]) -> tuple[dict[str, torch.Tensor], float]:
        return {"a": torch.flip(p["a"], [0]), "b": 3 * p["b"]}, 1.0

    assert CALLER.again(from_torch(changed), [1.0, 2.0]).tolist() == [13.0, 7.0]


def test_an_error_of_torch_is_one_of_the_run() -> None:
    def wrong(x: torch.Tensor) -> torch.Tensor:
        return x @ torch.ones(7)

    with pytest.raises(dsl.CheckError, match="E0941"):
        CALLER.energy(from_torch(wrong), gradients_of(wrong), [1.0, 2.0]).block_until_ready()
