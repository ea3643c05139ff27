"""Executables: what they check, what they promise about time and memory, and that jax beside them changes
nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from dsl.ir.build import Builder, literal
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.contract import dot_general
from dsl.ops.elementwise import add, mul
from dsl.ops.layout import broadcast_in_dim, reduce_sum
from dsl.records import replace
from dsl.types.dtype import F32, F64, I32, U8
from lowering.lowered import CPU
from lowering.stablehlo.module import lower
from lowering.xla import adapter
from lowering.xla.array import array
from lowering.xla.backends import here
from lowering.xla.compile import FUSIBLE, CompilationFailed, compile
from lowering.xla.execute import Executable, OutOfMemory
from tests.support.lowered import lower_here

V = Tensor(F32, (8,))


def program(types: Sequence[Tensor], write: Callable[..., Sequence[Atom]]) -> Function:
    b = Builder()
    return b.finish("sample", write(b, *[b.param(t) for t in types]))


def doubled() -> Executable:
    return compile(lower_here(program([V], lambda b, x: [add(b, x, x)])))


def slow(size: int = 1000, steps: int = 6) -> Executable:
    """Products that take long beside a call: power of a matrix, and the sum of a small operand."""
    matrix = Tensor(F32, (size, size))

    def write(b: Builder, x: Atom, v: Atom) -> Sequence[Atom]:
        y = x
        for _ in range(steps):
            y = dot_general(b, y, x, ((1,), (0,)))
        return [reduce_sum(b, y, (0, 1)), mul(b, v, literal(2.0, V))]

    return compile(lower_here(program([matrix, V], write)))


# --- types are checked ---


def test_buffers_of_another_type_are_refused() -> None:
    run = doubled()
    good = here().put(np.zeros(8, np.float32), V)
    same_bytes = here().put(np.zeros(8, np.int32), Tensor(I32, (8,)))
    same_size = here().put(np.zeros((2, 4), np.float32), Tensor(F32, (2, 4)))
    assert np.asarray(run.run([good])[0]).shape == (8,)
    for wrong in ([same_bytes], [same_size], [], [good, good]):
        with pytest.raises(TypeError, match=r"`sample` takes \(f32\[8\]\)"):
            run.run(wrong)


def test_arguments_of_another_type_are_refused() -> None:
    run = doubled()
    x = np.zeros(8, np.float32)
    for wrong in ([x.astype(np.float64)], [x.reshape(2, 4)], [array(np.zeros(8, np.int32))], [x, x], []):
        with pytest.raises(TypeError, match=r"takes \(f32\[8\]\)"):
            run(*wrong)
    assert run(x)[0].tolist() == [0.0] * 8


def test_what_xla_refuses_is_reported_with_the_code() -> None:
    lowered = lower(program([V], lambda b, x: [add(b, x, x)]))
    with pytest.raises(CompilationFailed, match="XLA refused the code made for `sample`") as caught:
        compile(replace(lowered, text=lowered.text.replace("stablehlo.add", "stablehlo.nonsense")))
    assert "stablehlo.nonsense" in caught.value.text


def test_a_flag_of_xla_reaches_it() -> None:
    lowered = lower(program([V], lambda b, x: [add(b, x, x)]))
    assert compile(lowered, options=[("xla_cpu_enable_fast_math", True)])(np.ones(8, np.float32))
    with pytest.raises(CompilationFailed, match="No such compile option"):
        compile(lowered, options=[("xla_of_nowhere", True)])


# --- time and memory ---


def test_a_result_is_there_when_the_call_returns_but_for_other_devices_than_the_processor() -> None:
    run = slow()
    x, v = np.full((1000, 1000), 1e-3, np.float32), np.arange(8, dtype=np.float32)
    result, _ = run(array(x), array(v))
    assert result.is_ready() == (here().devices[0].platform == CPU)
    assert result.block_until_ready() is result
    assert result.is_ready() and np.isclose(result.item(), 1000.0, rtol=1e-3)


def test_numpy_arguments_may_be_written_as_soon_as_the_call_returns() -> None:
    run, x = slow(), array(np.full((1000, 1000), 1e-3, np.float32))
    v = np.zeros(8, np.float32)
    results = []
    for k in range(6):
        v[:] = k
        results.append(run(x, v)[1])
        v[:] = -1
    assert [r.tolist() for r in results] == [[2.0 * k] * 8 for k in range(6)]


def test_small_arguments_land_in_memory_that_is_used_again() -> None:
    run = doubled()
    for k in range(50):
        assert run(np.full(8, k, np.float32))[0].tolist() == [2.0 * k] * 8
    assert len(run._landings) == 1


def test_a_landing_is_left_alone_when_its_reader_is_given_up() -> None:
    run = slow()
    taker = compile(lower_here(program([Tensor(F32)], lambda b, x: [add(b, x, x)]), donate=(0,)))
    x = array(np.full((1000, 1000), 1e-3, np.float32))
    results = []
    for k in range(3):
        total, doubled_small = run(x, np.full(8, k, np.float32))
        taker(total)
        results.append(doubled_small)
    assert [r.tolist() for r in results] == [[2.0 * k] * 8 for k in range(3)]


def test_results_do_not_share_memory_with_what_lands() -> None:
    run = compile(lower_here(program([V], lambda b, x: [x])))
    first = run(np.zeros(8, np.float32))[0]
    run(np.ones(8, np.float32))
    assert first.tolist() == [0.0] * 8


@pytest.mark.parametrize("shape", [(), (8,), (0, 3), (2000,)])
def test_arguments_of_every_size_land_or_are_put(shape: tuple[int, ...]) -> None:
    type = Tensor(F64, shape)
    run = compile(lower_here(program([type, Tensor(U8)], lambda b, x, k: [add(b, x, x), k])))
    x = np.random.default_rng(0).normal(size=shape)
    for value in (x, array(x), np.stack([x, x], -1)[..., 0]):
        got, k = run(value, np.uint8(7))
        np.testing.assert_array_equal(np.asarray(got), 2 * np.asarray(x))
        assert k.item() == 7


def test_threads_may_call_the_same_executable() -> None:
    run, wrong = doubled(), []

    def work(seed: int) -> None:
        for k in range(200):
            x = np.full(8, seed * 1000 + k, np.float32)
            if run(x)[0].tolist() != (2 * x).tolist():
                wrong.append((seed, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_donated_buffer_is_given_up() -> None:
    lowered = lower(program([V], lambda b, x: [add(b, x, x)]), donate=(0,))
    run, x = compile(lowered), array(np.ones(8, np.float32))
    assert run(np.ones(8, np.float32))[0].tolist() == run(x)[0].tolist() == [2.0] * 8
    with pytest.raises(adapter.GivenUp, match="given up to a program"):
        np.asarray(x)


@pytest.mark.cpu
def test_a_lack_of_memory_is_said_plainly() -> None:
    huge = Tensor(F32, (1 << 40,))
    lowered = lower(program([Tensor(F32)], lambda b, x: [broadcast_in_dim(b, x, huge.shape, ())]))
    with pytest.raises(OutOfMemory, match=r"memory of cpu:0: it needs 4,398,046,511,104 bytes beside its arguments"):
        compile(lowered)


def test_a_lack_of_memory_is_found_when_it_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where others have taken what the machine has."""
    monkeypatch.setattr(here(), "memory", 1 << 60)
    huge = Tensor(F32, (1 << 40,))
    run = compile(lower_here(program([Tensor(F32)], lambda b, x: [broadcast_in_dim(b, x, huge.shape, ())])))
    for argument in (np.float32(1), array(1.0)):
        with pytest.raises(OutOfMemory, match="does not fit into the memory"):
            run(argument)


# --- beside jax ---

LAPACK = """
import numpy as np
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ir.op import NONE
from dsl.ops.decompose import EIGH
from dsl.types.dtype import F64
from lowering.stablehlo.module import lower
from tests.support.lowered import lower_here
from lowering.xla.compile import compile
def ours():
    b = Builder()
    run = compile(lower_here(b.finish("f", EIGH(b, NONE, b.param(Tensor(F64, (2, 2)))))))
    values, _ = run(np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert np.allclose(values, [1.0, 3.0])
ours()
"""
LAPACK_OF_JAX = """
import jax
def theirs():
    assert np.allclose(jax.jit(jax.numpy.linalg.eigvalsh)(np.eye(2)), [1.0, 1.0])
theirs()
ours()
theirs()
"""
OURS = """
import numpy as np
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ops.elementwise import add
from dsl.types.dtype import F64, BF16
from lowering.stablehlo.module import lower
from tests.support.lowered import lower_here
from lowering.xla.array import array
from lowering.xla.compile import compile
def ours():
    for dtype in (F64, BF16):
        b = Builder()
        x = b.param(Tensor(dtype, (3,)))
        run = compile(lower_here(b.finish("f", [add(b, x, x)])))
        host = np.arange(3).astype(dtype.numpy)
        for argument in (host, array(host)):
            (y,) = run(argument)
            assert y.dtype == dtype.numpy and y.tolist() == [0.0, 2.0, 4.0], y
            assert np.asarray(y).dtype == dtype.numpy
            if dtype is F64:
                assert np.from_dlpack(y).tolist() == [0.0, 2.0, 4.0]
ours()
"""
JAX = """
import jax, jax.numpy as jnp
def theirs():
    y = jax.jit(lambda x: x * 2)(np.arange(3.0))
    assert y.dtype == np.float32 and y.tolist() == [0.0, 2.0, 4.0], y
    assert array(jnp.arange(3, dtype=jnp.bfloat16)).tolist() == [0.0, 1.0, 2.0]
    assert array(jnp.arange(3.0)).tolist() == [0.0, 1.0, 2.0]
theirs()
ours()
theirs()
"""


def in_fresh_process(text: str) -> str:
    """What a process that runs `text` writes to its standard error."""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_jax_is_not_imported_and_nothing_is_logged() -> None:
    assert in_fresh_process(OURS + "import sys\nassert 'jax' not in sys.modules") == ""


@pytest.mark.parametrize("first", ["", "import jax\n"], ids=["ours first", "jax first"])
@pytest.mark.parametrize("text", [OURS + JAX, LAPACK + LAPACK_OF_JAX], ids=["arrays", "LAPACK"])
def test_jax_and_we_do_not_disturb_each_other(text: str, first: str) -> None:
    in_fresh_process(first + text)


@pytest.mark.parametrize(("count", "fused"), [(50, True), (FUSIBLE + 1, False)])
def test_chains_that_xla_would_copy_many_times_are_not_fused(count: int, fused: bool) -> None:
    b = Builder()
    x = b.param(Tensor(F32))
    y: Atom = x
    for _ in range(count):
        y = add(b, y, x)
    executable = compile(lower_here(b.finish("f", [y])))
    assert (executable.raw.get_hlo_text().count(" fusion(") == 1) == fused
    (found,) = executable(np.float32(1))
    assert float(np.asarray(found)) == count + 1
