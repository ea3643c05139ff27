"""The cost of one call, against `jax.jit` in the same process: 1, 10 and 50 arguments, device and NumPy; records.

Each program sums its arguments, `f32[8]` each, so nearly all of the time is dispatch. Bursts of calls of the two
systems take turns, and the quickest of each are compared: a ratio below 1 means that we are faster. Measured are
`dsl.Function`, which users call, and below it the `Executable` of `lowering.xla`, which takes leaves of exactly the
right types. Run with `python -m benchmarks.dispatch`. The last column is the floor: the two calls of the runtime that
such a call makes, one for the program and one for its results, with buffers that are there, in the time of `jax.jit`.

For one device array the ratio is near 1: the floor is four fifths, and the call from Python and the object around the
result take the rest. From a few arguments on we need less for each. Small NumPy arguments are cheap since they land in
memory that buffers share (`lowering.xla.result_buffers`), and several small results because they lie in one buffer
(`lowering.xla.parts`): records of 4, 50 and 200 arrays, in and out. In the rows `loop`, the result of a call is the
argument of the next, as in training; in those of `read`, NumPy reads all elements of the result.

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
from lowering.xla.execute import Executable

TYPE = Tensor(F32, (8,))
CALLS, ROUNDS = 200, 41

Row: TypeAlias = tuple[str, str, float, float, float | None]
"""What is called, with which arrays, the microseconds of both, and those of the runtime alone, where they are asked."""


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


def interleaved(
    ours: Callable[[], Any], theirs: Callable[[], Any], floor: Callable[[], Any] | None = None
) -> tuple[float, float, float | None]:
    """Least microseconds of both, and of the floor, measured in turns so that the machine treats them alike."""
    calls = [ours, theirs, *([] if floor is None else [floor])]
    rounds = [[timed(call, finish) for call in calls] for _ in range(ROUNDS)]
    mine, others, *least = map(min, zip(*rounds[1:], strict=True))
    return mine, others, next(iter(least), None)


def alone(executable: Executable, arrays: Sequence[Any]) -> Callable[[], Any]:
    """The calls of the runtime that a call with these arrays makes."""
    executable(*arrays)
    buffers, execute, handlers = [x._impl for x in arrays], executable.execute, executable.handlers
    return lambda: execute(buffers).consume_with_handlers(handlers)


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
        ("Function", "device", *interleaved(lambda: function(*here), lambda: jitted(*there), alone(executable, here))),
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
    """A record of so many arrays, in and out; in a loop, and read."""
    function, jitted = doubled(count), jax.jit(lambda p: {name: x * 2.0 for name, x in p.items()})
    host = {f"p{k}": np.arange(8, dtype=np.float32) for k in range(count)}
    here = {name: array(x) for name, x in host.items()}
    there = {name: jax.device_put(x) for name, x in host.items()}
    entry, leaves = function.entry((here,), {})
    return [
        (
            "Function",
            "device",
            *interleaved(lambda: function(here), lambda: jitted(there), alone(entry.executable, leaves)),
        ),
        ("Function", "NumPy", *interleaved(lambda: function(host), lambda: jitted(host))),
        ("loop", "device", *interleaved(_loop(function, here), _loop(jitted, there))),
        ("read", "device", *interleaved(lambda: _read(function(here)), lambda: _read(jitted(there)))),
    ]


def _loop(call: Callable[[Any], Any], state: Any) -> Callable[[], Any]:
    """Each call is with the result of the one before."""

    def step() -> Any:
        nonlocal state
        state = call(state)
        return state

    return step


def _read(record: Any) -> Any:
    for x in record.values():
        np.asarray(x)
    return record


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
        mine, other, _ = interleaved(_each(ours, [a for a, _ in calls]), _each(theirs, [b for _, b in calls]))
        rows.append(("loss", kind, mine / len(calls), other / len(calls), None))
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
    return ("a size", "ms", min(ours for ours, _ in pairs), min(theirs for _, theirs in pairs), None)


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
    return ("first", "ms", min(ours for ours, _ in pairs), min(theirs for _, theirs in pairs), None)


def show(what: str, rows: Sequence[Row]) -> None:
    for level, kind, ours, theirs, floor in rows:
        least = "" if floor is None else f"{floor / theirs:>7.2f}"
        print(f"{what:>9}  {level:<10} {kind:<7} {ours:>8.2f} {theirs:>8.2f} {ours / theirs:>7.2f}{least}")


def main() -> None:
    print(f"{'arguments':>9}  {'called':<10} {'kind':<7} {'dsl us':>8} {'jax us':>8} {'ratio':>7}{'floor':>7}")
    for count in (1, 10, 50):
        show(str(count), measure(count))
    for count in (4, 50, 200):
        show(f"{{{count}}}", measure_record(count))
    for form in ("flat", "record"):
        show(form, measure_turns(form))
    show("new", [measure_sizes(), measure_first()])


if __name__ == "__main__":
    main()
