"""Random programs of the language, as text: well typed by construction, smooth almost everywhere and bounded, so that
finite differences mean something. The same seed gives the same program.

Values are numbers `S`, vectors `V` and `K`, matrices `M`, whose sizes are variables in one half of the programs and
literals in the other. `main` takes a record, a vector and a number, and gives a record; the functions it calls perform
and handle effects, and everything may stand inside of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from dsl.records import replace

KINDS = ("S", "S", "V", "K", "M")
UNARY = (
    "sin({0})",
    "cos({0})",
    "tanh({0})",
    "exp(tanh({0}))",
    "log1p({0} * {0})",
    "sqrt(1.5 + {0} * {0})",
    "abs({0} + 0.3)",
    "-{0}",
    "0.5 * {0} ** 2",
    "clip({0}, -0.9, 0.8)",
)
BINARY = (
    "{0} + {1}",
    "{0} - {1}",
    "tanh({0}) * {1}",
    "{0} / (1.5 + {1} * {1})",
    "maximum({0}, {1})",
    "where({0} < {1}, {0}, 0.5 * {1})",
    "where({1} > 0.1, sin({0}), {1})",
)


@dataclass(frozen=True)
class Sizes:
    """How the two sizes are written."""

    n: str
    k: str

    def type(self, kind: str) -> str:
        return {"S": "f64", "V": f"f64[{self.n}]", "K": f"f64[{self.k}]", "M": f"f64[{self.k}, {self.n}]"}[kind]


@dataclass(frozen=True)
class Helper:
    """A function of two values and a matrix, which tells the sizes; `around` is how a call of it stands in a pure
    expression, `static` its last argument."""

    name: str
    params: tuple[str, str]
    result: str
    around: str = "{0}"
    static: str = ""


@dataclass
class Writer:
    """Writes expressions. `names` are the values in scope, by kind."""

    random: Random
    sizes: Sizes
    names: dict[str, list[str]]
    helpers: list[Helper]
    count: list[int] = field(default_factory=lambda: [0])
    depth: int = 3

    # ------------------------------------------------------------ parts

    def fresh(self, stem: str = "t") -> str:
        self.count[0] += 1
        return f"{stem}{self.count[0]}"

    def inside(self, **more: str) -> Writer:
        """One level deeper, with further names: `inside(x="S")`."""
        names = {kind: list(found) for kind, found in self.names.items()}
        for name, kind in more.items():
            names.setdefault(kind, []).append(name)
        return replace(self, names=names, depth=self.depth - 1)

    def atom(self, kind: str) -> str:
        """A value that is there."""
        found = self.names.get(kind, [])
        if found and self.random.random() < 0.97:
            return found[-1 - min(int(self.random.expovariate(0.5)), len(found) - 1)]
        if kind == "S":
            return f"f64({self.random.uniform(0.1, 0.9):.2f})"
        size = {"V": f"[{self.sizes.n}]", "K": f"[{self.sizes.k}]", "M": f"[{self.sizes.k}, {self.sizes.n}]"}[kind]
        return f"full({size}, f64({self.random.uniform(0.1, 0.9):.2f}))"

    def kind(self) -> str:
        return self.random.choice(KINDS)

    def expr(self, kind: str) -> str:
        """An expression in parentheses, or a name."""
        if self.depth <= 0:
            return self.atom(kind)
        forms: list[Callable[[str], str | None]] = [
            *[self.unary, self.binary, self.binary, self.choice, self.data, self.shaped, self.shaped, self.reduced],
            *[self.comprehension, self.comprehension, self.fold, self.scan, self.iterate, self.updated, self.called],
            *[self.called, self.transformed, self.lambdas],
        ]
        found = self.inside().written(self.random.choice(forms).__name__, kind)
        return f"({found})" if found else self.atom(kind)

    def written(self, form: str, kind: str) -> str | None:
        found: str | None = getattr(self, form)(kind)
        return found

    # ------------------------------------------------------------ elementwise and choice

    def unary(self, kind: str) -> str:
        return self.random.choice(UNARY).format(self.expr(kind))

    def binary(self, kind: str) -> str:
        return self.random.choice(BINARY).format(self.expr(kind), self.expr(kind))

    def choice(self, kind: str) -> str:
        condition = self.random.choice(
            [f"{self.expr('S')} < 0.2", f"{self.expr('S')} > -0.1 and true", f"{self.sizes.n} > 2", "flag"]
        )
        return f"if {condition} then {self.expr(kind)} else {self.expr(kind)}"

    # ------------------------------------------------------------ data

    def data(self, kind: str) -> str:
        other = self.kind()
        a, b = self.expr(kind), self.expr(other)
        return self.random.choice(
            [
                f"{{p = {a}, q = {b}}}.p",
                f"{{ {{p = {b}, q = {a}}} with p = {b}}}.q",
                f"({b}, {a}).1",
                f"(({a}, {b}), 1).0.0",
                f"tree_map(fn (u, w) -> sin(u) * w, ({a}, {b}), ({a}, {b})).0",
                f"tree_map(fn u -> u * 0.5, {{a = {a}, b = ({b}, {b})}}).a",
            ]
        )

    # ------------------------------------------------------------ shapes

    def shaped(self, kind: str) -> str | None:
        n, k = self.sizes.n, self.sizes.k
        e = self.expr
        match kind:
            case "S":
                return self.random.choice([f"dot({e('V')}, {e('V')})", f"{e('K')}[0]", f"{e('M')}[0, -1]"])
            case "V":
                forms = [
                    f"flip({e('V')})",
                    f"roll({e('V')}, 1)",
                    f"cumsum({e('V')})",
                    f"sort({e('V')})",
                    f"concatenate(({e('V')}[1:], {e('V')}[:1]))",
                    f"{e('K')} @ {e('M')}",
                    f"{e('M')}[-1]",
                    f"{e('M')}.T[:, 0]",
                    f"pad({e('V')}[:-1], ((1, 0),))",
                    f"softmax({e('V')})",
                    f"{e('V')}[argsort({e('V')})]",
                ]
            case "K":
                forms = [f"{e('M')} @ {e('V')}", f"{e('M')}[:, 1]", f'einsum("ij,j->i", {e("M")}, {e("V")})']
            case _:
                forms = [
                    f"outer({e('K')}, {e('V')})",
                    f"{e('M')}.T.T",
                    f"reshape(reshape({e('M')}, [{k} * {n}]), [{k}, {n}])",
                    f"broadcast_to({e('V')}, [{k}, {n}])",
                    f"{e('K')}[:, None] * {e('V')}[None, :]",
                    f"{e('M')} + {e('V')}",
                    f"transpose({e('M')} @ {e('M')}.T @ {e('M')}, (1, 0)).T",
                    f"flip({e('M')}, axis=0)",
                ]
        return self.random.choice(forms)

    def reduced(self, kind: str) -> str:
        e = self.expr
        match kind:
            case "S":
                form = self.random.choice(["sum({0})", "mean({0})", "max({0})", "prod(tanh({0}))", "logsumexp({0})"])
                return form.format(e(self.random.choice("VKM")))
            case "V":
                return self.random.choice(["sum({0}, axis=0)", "max({0}, axis=0)", "mean({0}, axis=-2)"]).format(e("M"))
            case "K":
                return self.random.choice(["sum({0}, axis=1)", "min({0}, axis=-1)", "var({0}, axis=1)"]).format(e("M"))
            case _:
                return f"{e('M')} - mean({e('M')}, axis=1, keepdims=true)"

    def updated(self, kind: str) -> str:
        op = self.random.choice(["set", "add", "mul", "min"])
        place, part = {"S": ("", ""), "V": ("0", "S"), "K": ("1", "S"), "M": ("-1", "V")}[kind]
        if kind == "S":
            return f"{self.expr('V')}.at[0].{op}({self.expr('S')})[0]"
        if kind == "V" and self.random.random() < 0.4:
            return f"{self.expr('V')}.at[1:].{op}({self.expr('V')}[1:])"
        return f"{self.expr(kind)}.at[{place}].{op}({self.expr(part)})"

    # ------------------------------------------------------------ loops

    def comprehension(self, kind: str) -> str:
        i, j, a, b = self.fresh("i"), self.fresh("j"), self.fresh("a"), self.fresh("b")
        n, k = self.sizes.n, self.sizes.k
        match kind:
            case "S":
                return f"sum([{self.inside(**{a: 'S'}).expr('S')} for {a} in {self.expr('V')}])"
            case "V":
                element = self.inside(**{a: "S", b: "S"}).expr("S")
                pairs = f"[{element} for {a}, {b} in zip({self.expr('V')}, {self.expr('V')})]"
                x = self.atom("V")
                indexed = f"[{x}[{i}] * {self.inside(**{f'{x}[{i}]': 'S'}).expr('S')} for {i} in range({n})]"
                return self.random.choice([pairs, indexed])
            case "K":
                return f"[{self.inside(**{a: 'V'}).expr('S')} for {a} in {self.expr('M')}]"
            case _:
                m = self.atom("M")
                body = self.inside(**{f"{m}[{i}, {j}]": "S"}).expr("S")
                rows = f"[{self.inside(**{a: 'V'}).expr('V')} for {a} in {self.expr('M')}]"
                return self.random.choice([rows, f"[{body} for {i} in range({k}), {j} in range({n})]"])

    def source(self) -> tuple[str, str, str]:
        """What a loop runs over: its pattern, its values, and the kind of one."""
        a = self.fresh("a")
        form = self.random.choice(["V", "M", "range"])
        if form == "range":
            x = self.atom("V")
            return a, f"range({self.sizes.n})", f"{x}[{a}]"
        return a, self.expr(form), {"V": "S", "M": "V"}[form]

    def stepping(self, pattern: str, kind: str) -> Writer:
        return self.inside(**({kind: "S"} if "[" in kind else {pattern: kind}))

    def fold(self, kind: str) -> str:
        c, d, (a, values, part) = self.fresh("c"), self.fresh("d"), self.source()
        how = self.random.choice(["", "", " reverse", " unroll 2"])
        if self.random.random() < 0.6:
            body = self.stepping(a, part).inside(**{c: kind})
            return f"fold {c} = {self.expr(kind)} for {a} in {values}{how} do tanh({body.expr(kind)})"
        body = self.stepping(a, part).inside(**{c: kind, d: "S"})
        step = f"(tanh({body.expr(kind)}), sin({body.expr('S')}))"
        return f"(fold ({c}, {d}) = ({self.expr(kind)}, {self.expr('S')}) for {a} in {values}{how} do {step}).0"

    def scan(self, kind: str) -> str:
        c, (a, values, part) = self.fresh("c"), self.source()
        carry = "S" if kind in ("K", "M") else kind
        body = self.stepping(a, part).inside(**{c: carry})
        loop = f"scan {c} = {self.expr(carry)} for {a} in {values}{self.random.choice(['', ' reverse'])} do "
        out = {"S": "S", "V": "S", "K": "S", "M": "V"}[kind]
        steps = f"{loop}(tanh({body.expr(carry)}), {body.expr(out)})"
        over_rows = part == "V"
        if kind == "S":
            return f"({steps}).0 + sum(({steps}).1)" if self.random.random() < 0.2 else f"({steps}).0"
        fits = over_rows if kind in ("K", "M") else not over_rows
        if kind == "V" and (not fits or self.random.random() < 0.4):
            return f"({steps}).0"
        return f"({steps}).1" if fits else self.expr(kind)

    def iterate(self, kind: str) -> str:
        c, d = self.fresh("c"), self.fresh("d")
        test = f"abs({c}) < 0.8" if kind == "S" else f"sum({c} ** 2) < 2.0"
        body = self.inside(**{c: kind}).expr(kind)
        if self.random.random() < 0.7:
            return f"iterate {c} = {self.expr(kind)} while {test} limit 3 do {c} + 0.3 * tanh({body})"
        pair = f"({c} + 0.2 * sin({body}), {d} + 0.1)"
        return f"(iterate ({c}, {d}) = ({self.expr(kind)}, 0.0) while {test} and {d} < 0.4 limit 4 do {pair}).0"

    # ------------------------------------------------------------ functions

    def called(self, kind: str) -> str | None:
        fitting = [h for h in self.helpers if h.result == kind]
        if not fitting:
            return None
        return self.call(self.random.choice(fitting))

    def call(self, h: Helper) -> str:
        call = f"{h.name}({self.expr(h.params[0])}, {self.expr(h.params[1])}, {self.atom('M')}{h.static})"
        return h.around.format(call, self.expr("S"))

    def lambdas(self, kind: str) -> str:
        a, g = self.fresh("a"), self.fresh("g")
        body = self.inside(**{a: kind}).expr(kind)
        if self.random.random() < 0.5:
            return f"(fn {a} -> {body})({self.expr(kind)})"
        return f"{self.expr(kind)} |> fn {a} -> {body}" if g else ""

    def transformed(self, kind: str) -> str:
        a, b = self.fresh("a"), self.fresh("b")
        scalar = self.inside(**{a: kind}).expr("S")
        function = f"fn ({a}: {self.sizes.type(kind)}) -> {scalar}"
        x, y = self.expr(kind), self.expr(kind)
        same = f"fn ({a}: {self.sizes.type(kind)}) -> {self.inside(**{a: kind}).expr(kind)}"
        forms = [
            f"tanh(grad({function})({x}))",
            f"tanh(value_and_grad({function})({x}).1)",
            f"tanh(jvp({same}, ({x},), ({y},)).1)",
            f"jit({same})({x})",
            f"checkpoint({same})({x})",
            f"tanh(hvp({function}, {x}, {y}))",
            f"tanh(linearize({same}, {x}).1({y}))",
            f"tanh(vjp({same}, {x}).1({y}).0)",
        ]
        if kind in ("V", "K"):
            each = self.inside(**{b: "S"}).expr("S")
            forms += [f"vmap(fn {b} -> {each})({x})", f"vmap(grad(fn {b} -> {each}))({x})"]
        if kind == "M":
            row, column = self.inside(**{b: "V"}).expr("V"), self.inside(**{b: "K"}).expr("K")
            forms += [f"vmap(fn {b} -> {row})({x})", f"vmap(fn {b} -> {column}, in_axes=1, out_axes=-1)({x})"]
        if kind == "S":
            forms.append(f"sum(tanh(jacfwd(fn ({b}: f64) -> {self.inside(**{b: 'S'}).expr('V')})({x})))")
        return self.random.choice(forms)


# ---------------------------------------------------------------- whole programs


def body(
    w: Writer,
    steps: int,
    kind: str,
    middle: Sequence[str] = (),
    last: str = "tanh({0})",
    called: Sequence[Helper] = (),
) -> str:
    """An indented block: lets, statements, and a value of the kind made of all that was bound."""
    lines: list[str] = []
    names = {k: list(v) for k, v in w.names.items()}
    for helper in [*called, *[None] * steps]:
        here, name = w.kind() if helper is None else helper.result, w.fresh("t")
        inner = replace(w, names=names)
        lines.append(f"    let {name} = {inner.expr(here) if helper is None else inner.inside().call(helper)}")
        names.setdefault(here, []).append(name)
    inner = replace(w, names=names)
    lines += [f"    {line.format(inner.expr('S'))}" for line in middle]
    every = [t if here == "S" else f"sum({t})" for here, found in names.items() for t in found if t[0] == "t"]
    lines.append(f"    {last.format(' + 0.1 * '.join([inner.expr(kind), *every]))}")
    return "\n".join(lines)


EFFECTS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (" ! accum(total: f64)", ("total += {0}",), "(fn r -> r.0 + 0.1 * r.1)(with accum total: f64 do {0})"),
    (" ! state(cell: f64)", ("cell := cell * 0.5 + {0}",), "(fn r -> r.0 + 0.1 * r.1)(with state cell = {1} do {0})"),
    (" ! check", ("assert {0} < 1000.0",), "(with checks do {0}).0"),
    (" ! rand", ("let noise = {0} * random.normal(fresh_key(), [], dtype=f64)",), "with rng(random.key(7)) do {0}"),
)
"""The row of a function, its statements, and the handler around a call of it."""

BETWEEN = (
    "{0}",
    "{0}",
    "tanh(grad(fn (z: f64) -> z * {0})({1}))",
    "jit(fn (z: f64) -> z * {0})({1})",
    "checkpoint(fn (z: f64) -> z * {0})({1})",
    "jvp(fn z -> z * {0}, ({1},), ({1},)).1",
    "fold z = {1} for _ in range(2) do tanh(z * {0})",
    "if {1} > 0.2 then {0} else {1}",
    "iterate z = {1} while z < 0.6 limit 2 do z + 0.1 + 0.1 * {0}",
)
"""What may stand between a handler and the call whose effects it handles."""

PARALLEL = ("sum([{0} * f64(z) for z in range(3)])", "mean(vmap(fn z -> z * {0})(full([2], {1})))")
"""The same for effects that many elements may have at once."""


def _helper(w: Writer, number: int, kinds: Sequence[str]) -> tuple[Helper, str]:
    """A function of two values, maybe with an effect that each call of it handles."""
    random, name = w.random, f"h{number}"
    params, result = (random.choice(kinds), random.choice(kinds)), random.choice(kinds)
    x, y, m, out = [w.sizes.type(kind) for kind in (*params, "M", result)]
    head = f"def {name}(x: {x}, y: {y}, m: {m}) -> {out}"
    names: dict[str, list[str]] = {"S": ["m[0, 0]"], "V": ["m[0]"], "K": ["m[:, 1]"], "M": ["m"]}
    for kind, each in zip(params, "xy", strict=True):
        names.setdefault(kind, []).append(each)
    inner = replace(w, names=names, depth=2)
    if random.random() < 0.25:
        arms = ["Plain -> {0}", "Scaled(s) -> s * {0}"]
        lines = [f"        {arm.format(inner.expr(result))}" for arm in arms]
        shape = f"{head.replace(') ->', ', static mode: Mode) ->')} =\n    match mode with\n" + "\n".join(lines)
        static = f", mode={random.choice(['Plain', 'Scaled(0.5)'])}"
        return Helper(name, params, result, "tanh({0})", static), shape
    if result == "S" and random.random() < 0.6:
        row, statements, around = random.choice(EFFECTS)
        between = random.choice(BETWEEN if "state" in row else (*BETWEEN, *PARALLEL))
        around = around.replace("{0}", f"({between})")
        last = "tanh({0}) + tanh(noise)" if "rand" in row else "tanh({0}) + cell" if "cell" in row else "tanh({0})"
        return Helper(name, params, result, around), f"{head}{row} =\n{body(inner, 1, result, statements, last)}"
    return Helper(name, params, result), f"{head} =\n{body(inner, 2, result)}"


def random_text(seed: int, helpers: int = 4, steps: int = 3) -> str:
    """A module with `main(p: {a: f64, b: f64[n], c: f64[k, n]}, x: f64[n], s: f64) -> {u: f64, w: f64[n]}`."""
    random = Random(seed)
    sizes = random.choice([Sizes("n", "k"), Sizes("3", "2")])
    w = Writer(random, sizes, {}, [])
    texts = ["import random", "from nn import softmax", "enum Mode = Plain | Scaled(f: float)"]
    for number in range(helpers):
        helper, text = _helper(w, number, KINDS)
        texts.append(text.replace("flag", "true"))
        w.helpers.append(helper)
    n, k = sizes.n, sizes.k
    names = {"S": ["s", "p.a"], "V": ["x", "p.b"], "K": ["p.c[:, 0]"], "M": ["p.c"]}
    main = replace(w, names=names)
    record = f"{{a: f64, b: f64[{n}], c: f64[{k}, {n}]}}"
    head = f"def main(p: {record}, x: f64[{n}], s: f64, static flag: bool = true) -> {{u: f64, w: f64[{n}]}} ="
    lines = body(main, steps, "S", called=w.helpers).splitlines()
    texts.append("\n".join([head, *lines[:-1], f"    {{u = {lines[-1].strip()}, w = tanh({main.expr('V')})}}"]))
    return "\n\n".join(texts) + "\n"
