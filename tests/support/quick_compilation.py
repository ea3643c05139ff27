"""How tests compile. Most of the time goes into compilation, of code that runs for microseconds: LLVM is asked not to
optimise it, here and for JAX beside it. Without its optimisations what XLA's fusion emitters compute twice is rounded
differently each time, so that ties are none; they are left out too. A small program that is compiled in one part is
done sooner than in many. Benchmarks compile as users do."""

import os

FLAGS = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)


def compile_quickly() -> None:
    """To be called before XLA starts."""
    os.environ["XLA_FLAGS"] = " ".join(FLAGS)
