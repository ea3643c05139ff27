"""The cost of one call, against `jax.jit` in the same process: 1, 10 and 50 arguments, device and NumPy; records.

Each program sums its arguments, `f32[8]` each, so nearly all of the time is dispatch. Bursts of calls of the two
systems take turns, and the quickest of each are compared: a ratio below 1 means that we are faster. Measured are
`dsl.Function`, which users call, and below it the `Executable` of `lowering.xla`, which takes leaves of exactly the
right types. Run with `python -m benchmarks.dispatch`.

For one device array the ratio is near 1: two calls into the runtime, one for the program and one for its results, take
four fifths of what all of `jax.jit`'s call takes in C++, and the call from Python and the object around the result the
rest. From a few arguments on we need less for each. Small NumPy arguments are cheap because they land in memory that
buffers share (`lowering.xla.result_buffers`). For records of 4 and 50 leaves in and out, the two calls into the runtime
take seven tenths of the time of `jax.jit`: 0.8 microseconds for a result and 0.25 for its object, 0.13 for an argument
([decision 52](../docs/adr/0052-a-repeated-call-is-one-function.md)).

Calls of one function take turns in the rows of a loss: arrays of the device after arrays of NumPy, both in turns, a
number or a scalar of NumPy among them, parameters on the device with data of NumPy, and eight sizes in turns.

The last rows are milliseconds: a call that is compiled anew for each of several sizes, and the first call of a program
that was loaded before, `jax.jit` with a function that is traced anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax
import numpy as np

import dsl
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.elementwise import add
from dsl.types.dtype import F32
from lowering.stablehlo.module import lower
from lowering.xla.array import array
from lowering.xla.compile import compile

TYPE = Tensor(F32, (8,))
CALLS, ROUNDS = 200, 41

Row: TypeAlias = tuple[str, str, float, float]
"""What is called, with which arrays, and the microseconds of both."""


def summed(count: int) -> Function:
    """The sum of `count` parameters."""
    b = Builder()
    total: Atom = b.param(TYPE)
    for x in [b.param(TYPE) for _ in range(count - 1)]:
        total = add(b, total, x)
    return b.finish("summed", (total,))


def timed(call: Callable[[], Any], finish: Callable[[Any], Any]) -> float:
    """Microseconds of the processor per call over a burst of calls, the last of which is waited for."""
    start = time.process_time()
    for _ in range(CALLS):
        result = call()
    finish(result)
    return (time.process_time() - start) / CALLS * 1e6


def interleaved(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """Least microseconds of both, measured in turns so that the machine treats them alike."""
    pairs = [(timed(ours, finish), timed(theirs, finish)) for _ in range(ROUNDS)]
    mine, others = zip(*pairs[1:], strict=True)
    return min(mine), min(others)


def finish(result: Any) -> None:
    last = result[-1] if isinstance(result, list) else list(result.values())[-1] if isinstance(result, dict) else result
    last.block_until_ready()


def jax_sum(*xs: Any) -> Any:
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    return total


def program(count: int) -> dsl.Function:
    """The same sum, written in the language."""
    names = [f"x{k}" for k in range(count)]
    params = ", ".join(f"{name}: f32[n]" for name in names)
    function: dsl.Function = dsl.program(f"def summed({params}) -> f32[n] = {' + '.join(names)}").summed
    return function


def measure(count: int) -> list[Row]:
    function, executable, jitted = program(count), compile(lower(summed(count))), jax.jit(jax_sum)
    host = [np.arange(8, dtype=np.float32) + i for i in range(count)]
    here: Sequence[Any] = [array(x) for x in host]
    there = [jax.device_put(x) for x in host]
    return [
        ("Function", "device", *interleaved(lambda: function(*here), lambda: jitted(*there))),
        ("Function", "NumPy", *interleaved(lambda: function(*host), lambda: jitted(*host))),
        ("Executable", "device", *interleaved(lambda: executable(*here), lambda: jitted(*there))),
        ("Executable", "NumPy", *interleaved(lambda: executable(*host), lambda: jitted(*host))),
    ]


def doubled(count: int) -> dsl.Function:
    """A record of so many arrays, each times two."""
    names = [f"p{k}" for k in range(count)]
    fields = ", ".join(f"{name}: f32[n]" for name in names)
    values = ", ".join(f"{name} = p.{name} * 2.0" for name in names)
    function: dsl.Function = dsl.program(f"def f(p: {{{fields}}}) = {{{values}}}").f
    return function


def measure_record(count: int) -> list[Row]:
    """A record of so many arrays, in and out."""
    function, jitted = doubled(count), jax.jit(lambda p: {name: x * 2.0 for name, x in p.items()})
    host = {f"p{k}": np.arange(8, dtype=np.float32) for k in range(count)}
    here = {name: array(x) for name, x in host.items()}
    there = {name: jax.device_put(x) for name, x in host.items()}
    return [
        ("Function", "device", *interleaved(lambda: function(here), lambda: jitted(there))),
        ("Function", "NumPy", *interleaved(lambda: function(host), lambda: jitted(host))),
    ]


LOSS = """
def flat(w: f32[d], b: f32, x: f32[n, d], y: f32[n]) -> f32 = mean((x @ w + b - y) ** 2.0)
def record(p: {w: f32[d], b: f32}, x: f32[n, d], y: f32[n]) -> f32 = mean((x @ p.w + p.b - y) ** 2.0)
"""


def jax_loss(w: Any, b: Any, x: Any, y: Any) -> Any:
    return jax.numpy.mean((x @ w + b - y) ** 2)


def loss_arguments(n: int) -> list[Any]:
    return [np.ones(shape, np.float32) for shape in ((3,), (), (n, 3), (n,))]


def _recorded(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda w, b, x, y: call({"w": w, "b": b}, x, y)


def _each(call: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> Callable[[], Any]:
    return lambda: [call(*args) for args in arguments]


def measure_turns(form: str) -> list[Row]:
    """Calls of one function with other kinds of arguments before and between them."""
    text = dsl.program(LOSS)
    ours, theirs = text.flat, jax.jit(jax_loss)
    if form == "record":
        ours, theirs = _recorded(text.record), _recorded(jax.jit(lambda p, x, y: jax_loss(p["w"], p["b"], x, y)))
    host, put = loss_arguments(8), jax.device_put
    here, there = [array(x) for x in host], [put(x) for x in host]
    kinds: dict[str, Sequence[tuple[Sequence[Any], Sequence[Any]]]] = {
        "NumPy": [(host, host)],
        "device": [(here, there)],
        "turns": [(host, host), (here, there)],
        "scalar": [([here[0], np.float32(1), *here[2:]], [there[0], np.float32(1), *there[2:]])],
        "number": [([here[0], 1.0, *here[2:]], [there[0], 1.0, *there[2:]])],
        "mixed": [([*here[:2], *host[2:]], [*there[:2], *host[2:]])],
        "sizes": [([array(x) for x in xs], [put(x) for x in xs]) for xs in map(loss_arguments, range(2, 10))],
    }
    rows: list[Row] = []
    for kind, calls in kinds.items():
        mine, other = interleaved(_each(ours, [a for a, _ in calls]), _each(theirs, [b for _, b in calls]))
        rows.append(("loss", kind, mine / len(calls), other / len(calls)))
    return rows


def measure_sizes() -> Row:
    """Calls with sizes that were not seen before, each compiled for itself."""
    function, jitted = program(3), jax.jit(jax_sum)

    def called(call: Callable[..., Any], size: int) -> float:
        xs = [np.ones(size, np.float32)] * 3
        start = time.perf_counter()
        finish(call(*xs))
        return (time.perf_counter() - start) * 1e3

    pairs = [(called(function, size), called(jitted, size)) for size in range(2, 12)]
    return ("a size", "ms", min(ours for ours, _ in pairs), min(theirs for _, theirs in pairs))


def measure_first() -> Row:
    """First calls of functions that are new, of programs that are loaded."""
    functions = [program(count) for count in range(3, 8)]
    xs = [np.ones(8, np.float32)] * 8

    def called(call: Callable[..., Any], count: int) -> float:
        start = time.perf_counter()
        finish(call(*xs[:count]))
        return (time.perf_counter() - start) * 1e3

    pairs = [
        (called(function, count), called(jax.jit(lambda *given: jax_sum(*given)), count))
        for count, function in enumerate(functions, 3)
    ]
    return ("first", "ms", min(ours for ours, _ in pairs), min(theirs for _, theirs in pairs))


def show(what: str, rows: Sequence[Row]) -> None:
    for level, kind, ours, theirs in rows:
        print(f"{what:>9}  {level:<10} {kind:<7} {ours:>8.2f} {theirs:>8.2f} {ours / theirs:>7.2f}")


def main() -> None:
    print(f"{'arguments':>9}  {'called':<10} {'kind':<7} {'dsl us':>8} {'jax us':>8} {'ratio':>7}")
    for count in (1, 10, 50):
        show(str(count), measure(count))
    for count in (4, 50, 200):
        show(f"{{{count}}}", measure_record(count))
    for form in ("flat", "record"):
        show(form, measure_turns(form))
    show("new", [measure_sizes(), measure_first()])


if __name__ == "__main__":
    main()
