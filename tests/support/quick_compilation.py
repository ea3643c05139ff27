"""How tests compile. Most of the time goes into compilation, of code that runs for microseconds: LLVM is asked not to
optimise it, here and for JAX beside it. Without its optimisations what XLA's fusion emitters compute twice is rounded
differently each time, so that ties are none; they are left out too. Benchmarks compile as users do."""

import os

FLAGS = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
)


def compile_quickly() -> None:
    """To be called before XLA starts."""
    os.environ["XLA_FLAGS"] = " ".join(FLAGS)
