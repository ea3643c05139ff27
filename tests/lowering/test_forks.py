"""The child of a fork gives the right value or an error that says why not; it never hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
import dsl

m = dsl.program('''
def f(x: f32[n]) -> f32[n] = 2.0 * x + 1.0
def long(x: f32[n], static k: int) -> f32[n] = fold y = x for _ in range(k) do sin(y) * 1.5
def say(x: f32) -> f32 ! io =
    print("{}", x)
    x
''')
small = lambda: float(np.asarray(m.f(np.ones(4, "f4")))[0])
other = lambda: float(np.asarray(m.f(np.ones(5, "f4")))[0])
long = lambda: float(np.asarray(m.long(np.ones(1000, "f4"), k=20000))[0] * 0 + 3)
new = lambda: float(np.asarray(dsl.program("def g(x: f32[n]) -> f32[n] = x * 3.0").g(np.ones(3, "f4")))[0])
say = lambda: float(m.say(3.0))

def forked(call):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            code = 0 if call() == 3.0 else 1
        except dsl.DeviceError as error:
            code = 20 if error.code == "E1020" else 2
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def busy():
    while True:
        long()

BODY
"""


def found(body: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT.replace("BODY", body)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("threads", (0, 4))
def test_a_child_runs_what_needs_no_thread_and_refuses_the_rest(threads: int) -> None:
    begin = f"small(); long(); [threading.Thread(target=busy, daemon=True).start() for _ in range({threads})]"
    body = f"{begin}; print(*map(forked, [small, small, other, long, new, say]), flush=True); os._exit(0)"
    assert found(body) == ["0", "0", "20", "20", "20", "20"]


def test_a_child_of_a_process_that_has_computed_nothing_computes_all() -> None:
    assert found("print(*map(forked, [small, other, long, new]))") == ["0"] * 4


def test_a_child_runs_many_small_kernels_and_refuses_those_with_a_large_argument() -> None:
    """XLA computes the former one after another, though their results lie together, and the latter in threads."""
    names = [f"p{k}" for k in range(12)]
    params, sums = ", ".join(f"{name}: f32[n]" for name in names), ", ".join(f"{name} + sum({name})" for name in names)
    body = f"""
p = dsl.program("def sums({params}) = ({sums})\\ndef more(x: f32[m], {params}) = (x[0], {sums})")
ones = [np.full(3, 0.75, "f4")] * 12
sums = lambda: float(p.sums(*ones)[7][0])
again = lambda: float(p.sums(*p.sums(*ones))[7][0]) - 9.0
more = lambda: float(p.more(np.ones(130, "f4"), *ones)[7][0])
[call() for call in (sums, again, again, more)]
print(*map(forked, [sums, again, more]), flush=True)
"""
    assert found(body) == ["0", "0", "20"]
