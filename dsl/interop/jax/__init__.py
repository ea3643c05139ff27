"""Functions of programs inside of JAX, and functions of JAX inside of programs."""

from dsl.interop.jax.arrays import as_jax
from dsl.interop.jax.exporting import exported
from dsl.interop.jax.modules import from_jax
from dsl.interop.jax.primitive import to_jax

__all__ = ["as_jax", "exported", "from_jax", "to_jax"]
