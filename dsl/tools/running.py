"""`dsl run`, `dsl ir`, `dsl hlo`: one function of a program, on data. Read next: `arguments`, `results`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from difflib import get_close_matches
from functools import partial
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np

from dsl.diagnostics.files import file_error
from dsl.host import tree
from dsl.host.arguments.specimens import Make
from dsl.host.artifacts.artifact import load_artifact
from dsl.host.calls.dispatch import Dispatcher
from dsl.host.functions.function import Function
from dsl.host.machines import distributed
from dsl.host.machines.profiling import profile
from dsl.host.measures.costs import estimate
from dsl.host.programs.program import Program, functions, load
from dsl.host.results.shape_dtype_struct import stand_in_of
from dsl.records import replace
from dsl.tools.arguments import Given, bind, names_of
from dsl.tools.inputs import read_input, rename_columns
from dsl.tools.named_programs import Request
from dsl.tools.results import save, show
from dsl.tools.specimens import size_of, specimens
from dsl.tools.words import pairs
from lowering.processes.group import GROUP
from lowering.xla.array import Array

ARTIFACT = ".dslx"
"""The end of the name of a file with a function that was built."""


def run_function(request: Request, output: Path | None, trace: Path | None = None) -> int:
    """Call the function, print its result, and save it and a trace of the call where asked; of several processes the
    first does so."""
    if output is not None and output.suffix != ".npz":
        raise click.UsageError(f"--output writes .npz files, not {output.name!r}")
    if GROUP in os.environ:
        distributed.initialize()
    function, given, seed = prepare(request)
    arguments = {**bind(function.signature, given), **seed}
    with nullcontext() if trace is None else profile(trace):
        result = distributed.gather(wait_for(function(**arguments)))
    if distributed.process_id() > 0:
        return 0
    text = show(result, function.signature.result)
    if text:
        print(text)
    if output is not None:
        save(result, output)
    return 0


def time_function(request: Request, repeat: int) -> int:
    """Print what compiling and calling the function takes, on what is given and zeros for the rest."""
    function, arguments = specialise(request)
    first, *later = time_calls(partial(function, **arguments), repeat + 1)
    print(f"{function.__name__}: first call {first:.3f} s")
    print(f"then {median(later) * 1e6:,.0f} µs in the median of {repeat}, {min(later) * 1e6:,.0f} µs at best")
    return 0


def time_calls(call: Callable[[], Any], count: int) -> Iterator[float]:
    """Seconds of so many calls, one after the other; the first compiles where nothing is known of such arguments."""
    for _ in range(count):
        started = time.perf_counter()
        wait_for(call())
        yield time.perf_counter() - started


def wait_for(result: Any) -> Any:
    """A result whose arrays are there. Raises what went wrong in the run."""
    for leaf in tree.leaves(result):
        if isinstance(leaf, Array):
            leaf.block_until_ready()
    return result


def print_ir(request: Request, form: str) -> int:
    """Print the IR of the function, specialised to what is given, as text or as SVG."""
    function, arguments = specialise(request)
    print(function.ir_svg(**arguments) if form == "svg" else function.ir(**arguments))
    return 0


def print_lowered(request: Request, kind: str) -> int:
    """Print StableHLO, or what XLA makes of it."""
    function, arguments = specialise(request)
    print(function.lower(**arguments).as_text(kind))
    return 0


def prepare(request: Request) -> tuple[Dispatcher, Given, dict[str, object]]:
    """Read everything that is named, the words of the command line first: they are the cheapest to refuse. Apart from
    the rest, the seed of a function that draws (`--arg key=1`)."""
    texts, numbers = pairs(request.statics, "--static"), pairs(request.scalars, "--arg")
    names = pairs(request.columns, "--column")
    function = _named(request)
    data = tuple(rename_columns(read_input(file), names) for file in request.inputs)
    found = {name.partition(".")[0] for source in data for name in names_of(source)}
    for parameter, column in names.items():
        if parameter not in found:
            raise click.UsageError(f"--column {parameter}={column}: no file has a column {column!r}")
    seed = {"key": _seed(numbers.pop("key"))} if function.draws and "key" in numbers else {}
    return function, Given(data, texts, numbers, function.enum_variants), seed


def _named(request: Request) -> Dispatcher:
    """The function, of a program or an artifact."""
    if request.file.suffix == ARTIFACT:
        return load_artifact(request.file)
    return _choose(load(request.file), request.file, request.function)


def _seed(text: str) -> object:
    """An int; what is none is refused by the call."""
    try:
        return int(text, 0)
    except ValueError:
        return text


def specialise(request: Request) -> tuple[Function, dict[str, object]]:
    """The function with arguments of which only the types matter: what is given, and zeros of the given sizes."""
    dispatcher, given, seed = prepare(request)
    function = of_program(dispatcher, request)
    return function, {**typical(function, given, pairs(request.sizes, "--size")), **seed}


def called(request: Request) -> tuple[Function, dict[str, object]]:
    """The function with its arguments, all of which are given."""
    function, given, seed = prepare(request)
    return of_program(function, request), {**bind(function.signature, given), **seed}


def of_program(function: Dispatcher, request: Request) -> Function:
    """Return the function of a program. Raises click.UsageError for that of an artifact."""
    if not isinstance(function, Function):
        raise click.UsageError(f"{request.file} is an artifact; this command takes a program")
    return function


def typical(function: Dispatcher, given: Given, sizes: Mapping[str, str], make: Make = np.zeros) -> dict[str, object]:
    """Return the given arguments, with zeros of these sizes for the rest."""
    zeros = specimens(function.signature, sizes, given.statics, make)
    any_seed = {"key": 0} if function.draws else {}
    return {**bind(function.signature, replace(given, sizable=True), zeros), **any_seed}


def print_cost(request: Request, mesh: Sequence[str]) -> int:
    """Print what a call of the function takes on each device of a mesh."""
    dispatcher, given, seed = prepare(request)
    function = of_program(dispatcher, request)
    places = [size_of(name, text) for name, text in pairs(mesh, "--mesh").items()]
    sizes = {name: size_of(name, text) for name, text in pairs(request.sizes, "--size").items()}

    def arguments(point: Mapping[str, int]) -> dict[str, object]:
        return {**typical(function, given, {name: str(size) for name, size in point.items()}, stand_in_of), **seed}

    print(estimate(function, prod(places), sizes, arguments))
    return 0


def _choose(program: Program, path: Path, name: str | None) -> Function:
    """The function named; without a name `main`, or the only one there is. Raises `InputError` E0965."""
    defs = functions(program)
    if name is None:
        name = "main" if "main" in defs else next(iter(defs)) if len(defs) == 1 else None
    if name is not None and name in defs:
        return defs[name]
    known = f"{path} has {', '.join(defs)}" if defs else f"{path} has no public function"
    if name is None:
        raise file_error("E0965", path, "no function given", known)
    near = get_close_matches(name, defs, n=1)
    advice = f"did you mean `{near[0]}`?" if near else known
    raise file_error("E0965", path, f"no public function `{name}`", advice)
