"""Chains of transformations of random programs: checked, staged, well formed, right in numbers, and the same from
Python, by the evaluator and by XLA.

`python -m tests.e2e.chains 2000` runs that many, and says which fail; `make fuzz` does so.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable

import numpy as np

import dsl
from dsl.ir.verify import verify
from dsl.transforms.pipeline import LOWERING, TIDY, run
from tests.support.compositions import Chain, Step, chain, leaves, random_numbers


def judge(seed: int, compiled: bool) -> None:
    """Raises where a step of the chain is not what it has to be."""
    made = chain(seed)
    program = dsl.program(made.text)
    for step in made.steps:
        _step(program, made, step, seed, compiled and step is made.steps[-1])


def _step(program: dsl.Program, made: Chain, step: Step, seed: int, compiled: bool) -> None:
    rng = np.random.default_rng(seed)
    args = [random_numbers(rng, tree) for tree in step.made.params]
    function = getattr(program, step.made.name)
    staged, _, _ = function.staged(args, {})
    verify(staged.function)
    for passes in (TIDY, LOWERING):
        run(staged.function, passes, check=True)
    found = function.interpret(*args)
    expected = step.expected(lambda name: getattr(program, name).interpret, args)
    same(expected.of(found), expected.numbers, expected.tolerance, made)
    if step.options is not None:
        again = getattr(dsl, step.kind)(getattr(program, step.before), **step.options)
        same(again.interpret(*args), found, 1e-9, made)
    if compiled:
        same(function(*args), found, 1e-8, made)


def same(left: object, right: object, tolerance: float, made: Chain) -> None:
    for p, q in zip(leaves(left), leaves(right), strict=True):
        assert np.all(np.isfinite(q)), made.text
        np.testing.assert_allclose(p, q, rtol=tolerance, atol=tolerance, err_msg=made.text)


def failures(seeds: Iterable[int]) -> list[int]:
    """The seeds of chains that are wrong, each told of at once."""
    found: list[int] = []
    for seed in seeds:
        try:
            judge(seed, compiled=seed % 10 == 0)
        except Exception:
            found.append(seed)
            print(f"chain {seed}:", flush=True)
            traceback.print_exc(limit=3)
    return found


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = failures(range(count))
    print(f"{count} chains of transformations, {len(found)} wrong: {found}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
