"""Gradients beside JAX, in one run: what they cost to make, how large they are, how fast they run.

    python -m benchmarks.transforms [--only NAME …] [--chains 10 100 1000] [--repeat 7] [--no-run]

`make` is from the checked program (ours) or the Python function (JAX) to StableHLO of the gradient: staging,
transforming and lowering here, `jax.jit(jax.grad(f)).trace(x).lower()` there. `equations` counts those of the IR
and of the jaxpr after `grad`, bodies once; `HLO` the instructions of the compiled gradient. `run` is microseconds
of a call of the gradient, `/f` its ratio to the objective's. Medians of interleaved runs; a ratio below 1 means that
ours is smaller. Goals: a third for `make`, 1 for `run`.

`make` is a tenth of JAX's for programs, and a quarter for chains of thousands of operations. `run` is on a level with
JAX, and below it for loops (n-body, Kalman), which keep fewer values for the way back. Two things decide it. Products
of derivatives are plain where no choice can have made a zero (`dsl.transforms.zero_propagation`): with a comparison
of both operands Black-Scholes took 2.2 times as long as in JAX, and n-body 2.9 times. And a loop stores only what
cheap operations cannot make again (`dsl.ops.residuals.rematerialization`). On a machine that does other work, compare
the least times of several runs: medians then differ by a tenth and more.
"""

from __future__ import annotations

import argparse
import gc
import re
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import jaxprs_in_params

import dsl
from benchmarks.gradients import Case, cases, chain
from dsl.host.functions.function import Function
from dsl.ir.function import Function as IRFunction
from dsl.staging.stage import Staged, session, stage
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.transforms.region_map import innermost_first
from lowering.stablehlo.module import lower


def interleaved(ours: Callable[[], Any], theirs: Callable[[], Any], repeat: int, calls: int = 1) -> tuple[float, float]:
    """Median microseconds of both, run in turns."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for times, act in zip(found, (ours, theirs), strict=True):
            gc.collect()
            start = time.perf_counter()
            for _ in range(calls):
                act()
            times.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(found[0]), statistics.median(found[1])


def staged(f: Function, args: Sequence[Any]) -> Staged:
    """The gradient in IR, as if nothing had been staged before."""
    binding, _ = f.binder.call(args, {})
    return stage(session(f.program.core), f.value, binding.args, f.definition.span)


def equations(function: IRFunction) -> int:
    return sum(len(body.equations) for body in {function, *innermost_first(function)})


def jaxpr_equations(jaxpr: Any) -> int:
    total = len(jaxpr.eqns)
    for equation in jaxpr.eqns:
        for inner in jaxprs_in_params(equation.params):
            total += jaxpr_equations(inner)
    return total


def instructions(text: str) -> int:
    """Instructions of an HLO module, at every depth."""
    return len(re.findall(r"^\s+(?:ROOT )?%?[\w.\-]+ = ", text, re.MULTILINE))


def leaves(tree: Any) -> list[Any]:
    match tree:
        case dict():
            return [leaf for part in tree.values() for leaf in leaves(part)]
        case tuple() | list():
            return [leaf for part in tree for leaf in leaves(part)]
        case _:
            return [tree]


def placed(tree: Any) -> Any:
    match tree:
        case dict():
            return {name: placed(part) for name, part in tree.items()}
        case _:
            return dsl.array(np.asarray(tree))


def make_row(case: Case, f: Function, options: argparse.Namespace) -> list[str]:
    gradient = jax.grad(case.theirs)

    def theirs() -> Any:
        jax.clear_caches()
        return jax.jit(gradient).trace(*case.args).lower()

    us, them = interleaved(lambda: lower(run(staged(f, case.args).function, LOWERING)), theirs, options.repeat)
    mine = equations(run(staged(f, case.args).function, TIDY))
    others = jaxpr_equations(jax.make_jaxpr(gradient)(*case.args).jaxpr)
    return [f"{us / 1e3:.1f}", f"{them / 1e3:.1f}", f"{us / them:.2f}", str(mine), str(others)]


def run_row(case: Case, value: Function, gradient: Function, options: argparse.Namespace) -> list[str]:
    here = [placed(arg) for arg in case.args]
    there = [jax.device_put(arg) for arg in case.args]
    forward, backward = jax.jit(case.theirs), jax.jit(jax.grad(case.theirs))
    for mine, other in zip(leaves(gradient(*here)), jax.tree.leaves(backward(*there)), strict=True):
        np.testing.assert_allclose(np.asarray(mine), np.asarray(other), rtol=1e-2, atol=1e-3)

    def wait(f: Callable[..., Any], args: Sequence[Any]) -> Callable[[], Any]:
        return lambda: [leaf.block_until_ready() for leaf in leaves(f(*args))]

    us, them = interleaved(wait(gradient, here), wait(backward, there), options.repeat * 3, 20)
    alone, alone_them = interleaved(wait(value, here), wait(forward, there), options.repeat * 3, 20)
    size = instructions(gradient.lower(*here).as_text("optimized"))
    size_them = instructions(backward.lower(*there).compile().as_text())
    ratios = [f"{us / alone:.1f}", f"{them / alone_them:.1f}"]
    return [str(size), str(size_them), f"{us:.0f}", f"{them:.0f}", f"{us / them:.2f}", *ratios]


HEAD = ("make ms", "jax", "ratio", "equations", "jax", "HLO", "jax", "run us", "jax", "ratio", "/f", "jax")


def row(name: str, cells: Sequence[str]) -> str:
    return f"{name:<14}" + "".join(f"{cell:>10}" for cell in cells)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--only", nargs="+", default=[])
    arguments.add_argument("--chains", type=int, nargs="*", default=[10, 100, 1000])
    arguments.add_argument("--repeat", type=int, default=7)
    arguments.add_argument("--no-run", action="store_true")
    options = arguments.parse_args()
    print(row("", HEAD[:5] if options.no_run else HEAD))
    for case in (*cases(), *(chain(count) for count in options.chains)):
        if options.only and not any(word.lower() in case.name.lower() for word in options.only):
            continue
        value = dsl.program(case.text).f
        gradient = dsl.grad(value)
        cells = make_row(case, gradient, options)
        if not options.no_run:
            cells += run_row(case, value, gradient, options)
        print(row(case.name, cells), flush=True)


if __name__ == "__main__":
    main()
