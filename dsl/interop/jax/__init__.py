"""Functions of programs inside of JAX, and functions of JAX inside of programs."""

from dsl.interop.jax.modules import from_jax
from dsl.interop.jax.primitive import to_jax

__all__ = ["from_jax", "to_jax"]
