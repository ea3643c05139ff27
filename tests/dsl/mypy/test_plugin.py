"""The plugin of mypy: each wrong program has one error, at the line marked with `# E`, and right ones have none.

All programs of a kind are checked in one run, since most of its time is mypy's start.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api
from mypy.options import Options
from mypy.plugin import ReportConfigContext

from dsl.mypy import DslPlugin, plugin

ROOT = Path(__file__).parents[3]
CONFIG = """
[mypy]
strict = True
plugins = dsl.mypy
[mypy-dsl.*,typechecker.*,lowering.*,numpy.*,jaxtyping.*]
ignore_errors = True
[mypy-typechecker.*,dsl.staging.*,dsl.transforms.*,dsl.ops.*,dsl.ir.*,dsl.core.*,dsl.types.*,lowering.stablehlo.*]
follow_imports = skip
[mypy-jax.*,jaxlib.*,matplotlib.*,prompt_toolkit.*,pygments.*,traitlets.*,lsprotocol.*,pygls.*]
follow_imports = skip
"""
HEADER = """
from dataclasses import dataclass
from typing import Any, NamedTuple

import dsl
import numpy as np
from jaxtyping import Float, Float32, Float64, Int32

NP = np.ndarray[Any, Any]
"""
HEAD = (
    HEADER
    + '''
TEXT = """
    import random
    type Params[d] = {w: f32[d], b: f32}
    enum Act = Relu | Leaky(slope: float)
    let width = 8
    let name = "model"
    def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b
    def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, *, static steps: int) -> (Params[d], f32[steps]) =
        scan p = p for _ in range(steps) do
            (p, lr * sum(predict(p, x) - y))
    def add(x: f32[n], y: f32[n]) -> f32[n] = x + y
    def half(x: f32[2 * n]) -> f32[n] = x[:n]
    def shorter(x: f32[n + 1]) -> f32[n] = x[1:]
    def outer(x: f32[n], y: f32[m]) -> f32[n, m] = x[:, None] * y[None, :]
    def square(x: f32[n, n]) -> f32[n] where n >= 1 = x[:, 0]
    def three(x: f32[3]) -> f32 = sum(x)
    def pick(x: f32[n], i: idx[n]) -> f32 = x[i]
    def last(x: f32[*s, k]) -> f32[*s] = sum(x, axis=-1)
    def total[a: Float](x: a[*s]) -> a = sum(x)
    def act(x: f32[n], static a: Act) -> f32[n] =
        match a with
            Relu -> maximum(x, 0.0)
            Leaky(s) -> x * s
    def tiled(x: f32[n], static k: int) -> f32[n, k] = [[v for _ in range(k)] for v in x]
    def pair(t: (f32, f32[n])) -> f32[n] = t.0 * t.1
    def layers(ps: Params[d][t], x: f32[d]) -> f32[t] = [sum(p.w * x) for p in ps]
    def heads(x: f32[n, h * d], static h: int) -> f32[n, h, d] where h >= 1 = reshape(x, [n, h, d])
    def sample(k: key, static n: int) -> f32[n] = random.normal(k, [n])
    def noisy(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
    def make(x: f32[n]) -> Params[n] = {w = x, b = sum(x)}
"""
m = dsl.program(TEXT)

@dataclass
class Data:
    w: Float32[NP, "d"]
    b: float

@dataclass
class Other:
    w: Float32[NP, "d"]
    c: float

class Named(NamedTuple):
    w: Float32[NP, "d"]
    b: float

X = Float32[NP, "n d"]
'''
)
TYPES = {
    "x": 'Float32[NP, "n d"]',
    "y": 'Float32[NP, "n"]',
    "v": 'Float32[NP, "d"]',
    "e": 'Float32[NP, "2*n"]',
    "o": 'Float32[NP, "n+1"]',
    "t": 'Float32[NP, "3"]',
    "q": 'Float32[NP, "4"]',
    "z": 'Float64[NP, "n"]',
    "r": 'Float[NP, "n"]',
    "c": 'Float32[NP, "*b n k"]',
    "s": 'Float32[NP, ""]',
    "i": 'Int32[NP, "n"]',
    "u": 'Float32[dsl.Array, "n _ d"]',
    "p": "dict[str, NP]",
    "d": "Data",
    "h": "Other",
    "g": "Named",
}
RIGHT = """
m.predict(p, x)
m.predict(d, x)
m.predict(g, x)
m.predict({"w": v, "b": 1.0}, x)
m.predict({"w": [1.0, 2.0, 3.0], "b": s}, x)
m.fit(p, x, y, 0.1, steps=3)
m.fit(d, x, y, lr=0.1, steps=len(x))
m.fit(p=p, x=x, y=y, lr=s, steps=3)
m.add(y, y)
m.add(t, t)
m.add(y, m.predict(p, x))
m.add(m.add(y, y), m.predict(d, x))
m.add([1.0, 2.0], range(2))
m.half(e)
m.add(m.half(e), y)
m.half(q)
m.half(o)
m.shorter(o)
m.add(m.shorter(o), y)
m.add(m.shorter(q), t)
m.outer(y, v)
m.predict({"w": y, "b": 0.0}, m.outer(v, y))
m.three(t)
m.three(m.shorter(q))
m.pick(y, 2)
m.last(x)
m.add(m.last(x), y)
m.last(c)
m.total(z)
m.total(r)
m.act(y, m.Relu)
m.predict(m.Params(w=y, b=1.0), x)
m.Params(w=y, b=1.0)
m.act(y, a=m.Act.Leaky(0.1))
m.last(m.tiled(y, 4))
m.pair((1.0, y))
m.pair([2, y])
m.layers(p, v)
m.heads(x, h=2)
m.sample(0, n=3)
m.sample(dsl.key(1), m.width)
m.noisy(y, key=0)
m.add(m.make(y)["w"], y)
fitted, losses = m.fit(d, x, y, 0.1, steps=3); m.add(losses, t); fitted.b + 1.0
f = m.predict; m.add(f(p, x), y)
dsl.grad(m.three)(t)
w: Float32[NP, "n"] = y; m.add(w, y)
unknown = np.zeros(3, np.float32); m.add(unknown, y)
dsl.program("def f(x: f32[n]) -> f32 = sum(x)").f(y)
m.name.upper()
m.predict.ir(p, x)
m.add(y, dsl.stats.norm_cdf(y))
dsl.linalg.norm(x)
"""
WRONG = """
dsl.linalg.eig(x)
m.fit(p, y, x, 0.1, steps=3)
m.predict(p, y)
m.add(y, v)
m.add(y, t)
m.add(t, q)
m.add(y, e)
m.add(o, y)
m.add(x, x)
m.add(s, s)
m.add(m.predict(p, x), v)
m.add(m.half(e), e)
m.add(m.shorter(o), v)
m.three(q)
m.three(y)
m.three(m.half(q))
m.half(t)
m.square(x)
m.predict({"w": v}, x)
m.predict({"w": v, "b": 1.0, "c": 2.0}, x)
m.predict({"w": y, "b": 1.0}, x)
m.predict({"W": v, "b": 1.0}, x)
m.predict(h, x)
m.predict({"w": v, "b": y}, x)
m.add(z, y)
m.add(i, z)
m.pair((1.0, y, y))
m.pair((y, y))
m.fit(p, x, y, 0.1, steps="3")
m.fit(p, x, y, 0.1, steps=0.5)
m.fit(p, x, y, 0.1)
m.fit(p, x, y, 0.1, 3)
m.fit(p, x, y, 0.1, stesp=3)
m.act(y, "Relu")
m.act(y, m.Relu, m.Relu)
m.predit(p, x)
m.Leeky(0.1)
m.heads(x, h=0)
m.heads(x, "2")
m.add(y, m.last(m.tiled(v, 4)))
m.add(m.tiled(y, 4), m.tiled(y, 4))
m.last(s)
m.noisy(y)
m.sample("seed", n=3)
m.sample(0)
m.width.upper()
m.add(y, object())
m.add(m.make(v)["w"], y)
fitted, losses = m.fit(d, x, y, 0.1, steps=3); m.add(losses, q)
w: Float32[NP, "d"] = v; m.add(w, y)
f = m.add; f(y, v)
dsl.stats.norm_cfd(y)
m.add(dsl.stats.norm_cdf(v), y)
"""
STRINGS_WRONG = '''
a = dsl.program("def f(x: f32[n]) -> f32 = x")  # E
b = dsl.program("""
    def f(x: f32[n]) -> f32 =
        sum(x) + y  # E
""")
c = dsl.program("""\\
def f(x: f32[n], w: f32[k]) -> f32 =
    x @ w  # E
""")
d = dsl.program("def f(x: f32) -> f32 =\\n    y")  # E
SOURCE = """
def f(x: f32) -> f32 = x

def g(x: f32[n]) -> f32[n] =
    x + z  # E
"""
e = dsl.program(SOURCE)
a.g()
g = dsl.load("broken.dsl")  # E
h = dsl.load("model.dsl")
h.f([1.0])
h.g([1.0])  # E
def k() -> None:
    inner = dsl.program("""
        def f(x: f32[n]) -> f32 = sum(x)
        def g(x: f32[n]) -> f32 = f(x, x)  # E
    """)
'''
IMPORTS = """
import model, broken as first  # E
import broken  # E
from broken import f as g  # E
from pkg import inner
from pkg.user import add
from pkg.inner import total, width, Relu as R
width.bit_length()
model.f([1.0])
model.missing()  # E
width.upper()  # E
def local(x: Float32[NP, "n d"], y: Float32[NP, "n"], v: Float32[NP, "d"]) -> None:
    import pkg.inner as late
    late.add(y, y)
    inner.add(y, v)  # E
    total({"w": y})
    total({"v": y})  # E
    add(y, v)  # E
"""
INNER = """
enum Act = Relu | Leaky(slope: float)
let width = 8
def total(p: {w: f32[n]}) -> f32 = sum(p.w)
def add(x: f32[n], y: f32[n]) -> f32[n] = x + y
"""
DEFINITIONS = '''
@dataclass
class Weights:
    w: Float32[NP, "d"]
    b: float

@dsl.define
def one(x: Float32[NP, "n"]) -> Float32[NP, "n"]:
    """x + y"""  # E

@dsl.define
def two(x: Float32[NP, "n"], *, k: dsl.Static[int] = 2, lr: float = -0.5) -> Float32[NP, "n"]:
    """
    lr * f32(k) * x
    """

@dsl.define
def three(p: Weights, x: Float32[NP, "n d"]) -> tuple[Float32[NP, "n"], float]:
    """
    let y = x @ p.w + p.b
    (y, sum(y, axis=1))  # E
    """

@dsl.define
def four(p: Weights, x: Float32[NP, "n d"]) -> Float32[NP, "n"]:
    """x @ p.w + p.b"""

@dsl.define
def five(x: Float32[NP, "#n"]) -> float:  # E
    """sum(x)"""

def uses(x: Float32[NP, "n d"], y: Float32[NP, "n"], v: Float32[NP, "d"]) -> None:
    two(y, k=3)
    two(y, k="3")  # E
    two(x)  # E
    two(four({"w": v, "b": 1.0}, x))
    four({"w": y, "b": 1.0}, x)  # E
    four({"w": v}, x)  # E
    two(lr=1.0)  # E
'''


def body(snippets: str, marker: str) -> str:
    """A function for each line, with all the arguments it may mention."""
    params = ", ".join(f"{name}: {type_}" for name, type_ in TYPES.items()).replace(
        "np.ndarray]", "np.ndarray[Any, Any]]"
    )
    lines = enumerate(snippets.strip().splitlines())
    return "".join(f"def case_{k}({params}) -> None:\n    {line}{marker}\n" for k, line in lines)


def checked(folder: Path, name: str, text: str) -> dict[int, list[str]]:
    """What mypy says, by line."""
    (folder / "mypy.ini").write_text(CONFIG)
    path = folder / f"{name}.py"
    path.write_text(f"{text}\n# {folder}\n")  # what mypy has seen before it does not look at
    cache = str(ROOT / ".mypy_cache" / "plugin")
    report, faults, _ = api.run([str(path), "--config-file", str(folder / "mypy.ini"), "--cache-dir", cache])
    assert not faults, faults
    found: dict[int, list[str]] = {}
    for line, message in re.findall(rf"{name}\.py:(\d+): error: (.*)", report):
        found.setdefault(int(line), []).append(message)
    assert "INTERNAL" not in report, report
    return found


def marked(text: str) -> set[int]:
    return {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# E")}


def test_right_programs_have_no_errors_and_wrong_ones_one_each(tmp_path: Path) -> None:
    assert len(RIGHT.strip().splitlines()) >= 40
    assert len(WRONG.strip().splitlines()) >= 40
    text = HEAD + body(RIGHT, "") + body(WRONG, "  # E").replace("def case_", "def wrong_")
    found = checked(tmp_path, "cases", text)
    lines = text.splitlines()
    for number in sorted(marked(text) ^ set(found)):
        print(number, lines[number - 1], found.get(number, "no error"))
    assert set(found) == marked(text)
    assert {number: messages for number, messages in found.items() if len(messages) > 1} == {}


def test_errors_in_strings_and_files_stand_at_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.dsl").write_text("def f(x: f32[n]) -> f32 = x")
    (tmp_path / "model.dsl").write_text("def f(x: f32[n]) -> f32 = sum(x)")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "inner.dsl").write_text(INNER)
    (tmp_path / "pkg" / "user.py").write_text("from . import inner\nfrom .inner import total\nadd = inner.add\n")
    text = HEADER + STRINGS_WRONG + IMPORTS + DEFINITIONS
    found = checked(tmp_path, "strings", text)
    assert set(found) == marked(text), found
    assert all(len(messages) == 1 for messages in found.values()), found
    assert any("broken.dsl:1: the result of `f`" in message for messages in found.values() for message in messages), (
        found
    )


@pytest.mark.parametrize(
    "uses", ['m = dsl.load("model.dsl")', "import pkg.model as m", "from . import (\n    x, model\n)"]
)
def test_a_module_is_checked_again_when_a_file_it_names_changes(tmp_path: Path, uses: str) -> None:
    folder = tmp_path / "pkg"
    folder.mkdir()
    module, program = folder / "uses.py", folder / "model.dsl"
    module.write_text(f"import dsl\n{uses}\n")
    asked = DslPlugin(Options())
    context = ReportConfigContext("pkg.uses", str(module), False)
    program.write_text("def f(x: f32) -> f32 = x")
    before = asked.report_config_data(context)
    program.write_text("def f(x: f32) -> f32 = x + 1.0")
    assert before and asked.report_config_data(context) != before
    assert plugin("2.0") is DslPlugin
