"""The two ways in which the suite compiles: quickly, and as users do.

Most of the time of a test goes into compiling code that then runs for microseconds. The suite therefore compiles most
tests without XLA's optimisations: their values are right or wrong whatever the optimiser does. What it does do to them,
fusion and contraction to fused multiply-adds above all, is tested with XLA's default flags, which are those of users:
`make test` compiles a fixed sample of the tests that compare values in that way, `make test-as-users` all of them.
"""

from __future__ import annotations

import os
import zlib
from functools import cache
from importlib.metadata import version
from pathlib import PurePosixPath

# A fusion emitter writes a value that is used twice into the code twice. LLVM's optimiser makes one of the two again;
# without it they may be rounded differently, and numbers that are equal in the program compare unequal. Later versions
# of XLA cannot do without.
FUSION_EMITTERS = "xla_cpu_use_fusion_emitters"
HAS_FUSION_FLAG = version("jaxlib").startswith("0.10.")
QUICK_FLAGS = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    *([f"--{FUSION_EMITTERS}=false"] if HAS_FUSION_FLAG else []),
    # A small program compiles faster in one part than in many.
    "--xla_cpu_parallel_codegen_split_count=1",
)
VALUES = ("lowering", "stdlib", "e2e", "examples", "dsl/ops", "dsl/transforms", "dsl/staging")
"""The folders of the tests that compare values of compiled programs with those of an oracle."""

ONE_OF = 9
"""The sample is one test of so many."""


def compile_quickly() -> None:
    """Set the flags of a quick compilation, here and in later subprocesses, before XLA starts."""
    os.environ["XLA_FLAGS"] = " ".join(QUICK_FLAGS)


def compares_values(test: str) -> bool:
    """Whether a test, `tests/folder/module.py::name[case]`, is in a folder of `VALUES`."""
    return _compares_values(test.partition("::")[0])


@cache
def _compares_values(module: str) -> bool:
    return any(PurePosixPath(module).is_relative_to(f"tests/{folder}") for folder in VALUES)


def in_leg(test: str, sample: str) -> bool:
    """Whether a test runs with the option `--sample`: in the sample only, in what is not in it, or in all."""
    return sample == "all" or in_sample(test) == (sample == "only")


def in_sample(test: str) -> bool:
    """Whether a test is in the sample, which depends on its name alone. Tests of one case, which share what the oracle
    compiles, are in it together."""
    module, _, name = test.partition("::")
    _, bracket, case = name.partition("[")
    return compares_values(test) and zlib.crc32(f"{module}{case if bracket else name}".encode()) % ONE_OF == 0
