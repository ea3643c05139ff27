"""The orders of axes that a convolution may be given, held against JAX: options count those of the kernel."""

from __future__ import annotations

from itertools import product

import jax
import numpy as np
import pytest

import dsl

RNG = np.random.default_rng(0)
IMAGE, KERNEL = RNG.standard_normal((2, 3, 9, 11)), RNG.standard_normal((4, 3, 3, 2))
ORDERS = [*product(("NCHW", "NHWC", "CWHN"), ("OIHW", "WHIO"), ("NCHW", "NWHC"))]


@pytest.mark.parametrize(("image", "kernel", "result"), ORDERS)
def test_strides_and_padding_are_in_the_order_of_the_kernel(image: str, kernel: str, result: str) -> None:
    x, k = np.einsum(f"NCHW->{image}", IMAGE), np.einsum(f"OIHW->{kernel}", KERNEL)
    types = [f"f64[{', '.join(map(str, each.shape))}]" for each in (x, k)]
    options = f'[1, 2], [(1, 0), (0, 2)], rhs_dilation=[2, 1], dimension_numbers=("{image}", "{kernel}", "{result}")'
    found = dsl.program(f"def f(x: {types[0]}, k: {types[1]}) = conv(x, k, {options})").f(x, k)
    with jax.enable_x64(True):
        layout = image, kernel, result
        wanted = jax.lax.conv_general_dilated(
            x, k, (1, 2), [(1, 0), (0, 2)], rhs_dilation=(2, 1), dimension_numbers=layout
        )
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12, atol=1e-12)
