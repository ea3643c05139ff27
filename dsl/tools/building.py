"""`dsl build` and `dsl export`: a function of a program for some sizes, as a file. Read next: `running`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import click

from dsl.diagnostics.atomic import write_atomically
from dsl.host.argument_errors import misused
from dsl.host.artifacts.build import save_artifact
from dsl.host.functions.function import Function
from dsl.tools.named_programs import Request
from dsl.tools.running import ARTIFACT, prepare, specialise, typical
from dsl.tools.words import pairs
from lowering.xla.adapter import portable


def build(request: Request, output: Path, devices: Sequence[str], is_portable: bool) -> int:
    """Compile the function for every choice of the sizes, and write all of it."""
    if output.suffix != ARTIFACT:
        raise click.UsageError(f"--output writes {ARTIFACT} files, not {output.name!r}")
    if is_portable and devices:
        raise click.UsageError("--portable leaves out what --device asks for")
    function, given, seed = prepare(request)
    if not isinstance(function, Function):
        raise click.UsageError(f"{request.file} is built already")
    calls = [typical(function, given, sizes) | seed for sizes in choices(pairs(request.sizes, "--size"))]
    save_artifact(output, function, *calls, devices=devices or ([] if is_portable else None))
    return 0


def export(request: Request, output: Path, form: Callable[[Function, Mapping[str, Any]], bytes]) -> int:
    """Write the function for these arguments in a form that other software reads."""
    write_atomically(output, form(*specialise(request)))
    return 0


def stablehlo(function: Function, call: Mapping[str, Any]) -> bytes:
    """Portable bytecode, which reads the leaves of the arguments in order. Raises what lowering raises, and E0970 for a
    function that acts on the host."""
    lowered = function.lower(**call)
    if lowered.stablehlo.callbacks:
        message = f"`{function.__name__}` prints, or calls Python, which portable StableHLO cannot"
        raise misused("E0970", message, function.definition)
    return portable(lowered.as_text())


def choices(sizes: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """One of each list of sizes, `n=128,512`, in every combination."""
    for chosen in product(*[text.split(",") for text in sizes.values()]):
        yield dict(zip(sizes, chosen, strict=True))
