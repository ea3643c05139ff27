"""The context of lowering rules: the lines of one body, names of values, types, constants and locations.

A rule is `rule(cx, params, equation, operands) -> names of the results`. It writes operations with `cx.emit`
and never sees the module around it. Read next: `registry`, then any family; `module` drives the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from itertools import count
from typing import Any, Protocol, TypeAlias

from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ops.foreign import ForeignParams
from lowering.lowered import CPU
from lowering.stablehlo import types

TOKEN = "!stablehlo.token"

RUN = "%run"
"""The number of the run, in every function that does something on the host: its regions see it as well."""


class Module(Protocol):
    """The module-level services for the rules of region ops. `mesh`: the digits of the devices that run it as one
    program; empty for one device. `platform`: the platform of the devices. `keeps_parts`: a formula with a quotient was
    written, which XLA may compute in a pass before, and the rest in place of it. `long`: whether functions that are
    called take long, as far as that was asked."""

    mesh: tuple[int, ...]
    platform: str
    keeps_parts: bool
    long: dict[Function, bool]

    def private(self, body: Function) -> str:
        """The name of a private function with this body, emitted once however often it is called."""

    def inline(self, cx: Context, body: Function, operands: Sequence[str]) -> tuple[str, ...]:
        """Writes the equations of `body` into `cx` with its parameters bound to `operands`."""

    def include(self, functions: str) -> None:
        """Writes functions that are text already, once however often they are called."""

    def readers(self, body: Function) -> Mapping[Atom, int]:
        """Return how many equations of a body read each value, counted once however often it is asked."""

    def settled(self, params: ForeignParams) -> ForeignParams:
        """The functions of another compiler at the sizes of a call."""

    def callback(self, equation: Equation) -> int:
        """Registers a host callback and gives its index."""

    def has_io(self, body: Function) -> bool:
        """Return whether running `body` does something on the host, so that a token has to be threaded through."""


class Context:
    """One region being written. `child` opens a region inside: it has its own lines and constants.

    `names` and `made`, the equation behind each value, are those of the `body` that is written. `pointwise` counts the
    operations that XLA computes where they are used; `run` is the number of the run; `is_at_top` says that no loop can
    be around, `is_local` that each device has arrays of its own.
    """

    __slots__ = (
        *(
            "body",
            "constants",
            "counter",
            "is_at_top",
            "is_local",
            "lines",
            "locations",
            "made",
            "module",
            "names",
            "pointwise",
        ),
        *("run", "token", "types", "where"),
    )

    def __init__(self, module: Module, locations: Locations | None, parent: Context | None = None) -> None:
        self.module = module
        self.locations = locations
        self.lines: list[str] = []
        self.body: Function | None = None
        self.names: MutableMapping[Var, str] = {}
        self.made: dict[Atom, Equation] = {}
        self.pointwise = 0
        self.is_at_top = False
        self.is_local: bool = False if parent is None else parent.is_local
        self.constants: dict[tuple[str, str], str] = {}
        self.types: dict[int, tuple[str, Tensor]] = {} if parent is None else parent.types
        self.counter: Iterator[int] = count(1) if parent is None else parent.counter
        self.where: str = "" if parent is None else parent.where
        self.token: str | None = None if parent is None else parent.token
        self.run: str = RUN if parent is None else parent.run

    def child(self) -> Context:
        return Context(self.module, self.locations, self)

    def type(self, type: Tensor) -> str:
        """The text of a type. Kept by identity, and with the type itself, so that an `id` is never reused."""
        known = self.types.get(id(type))
        if known is None:
            known = self.types[id(type)] = (types.tensor(type), type)
        return known[0]

    @property
    def is_for_cpu(self) -> bool:
        """Return whether XLA's compiler for CPUs gets the program, which fuses in other ways than that for GPUs."""
        return self.module.platform == CPU

    @property
    def is_shared(self) -> bool:
        """Return whether several devices may have parts of an array."""
        return bool(self.module.mesh) and not self.is_local

    def is_used(self, value: Var) -> bool:
        """Return whether anything in the body needs a value."""
        assert self.body is not None
        return self.readers(value) > 0 or value in self.body.results

    def readers(self, value: Atom) -> int:
        """Return how many equations of the body read a value."""
        assert self.body is not None
        return self.module.readers(self.body).get(value, 0)

    def is_read_once(self, value: Atom) -> bool:
        """Return whether one equation alone needs a value."""
        assert self.body is not None
        return self.readers(value) == 1 and value not in self.body.results

    def fresh(self) -> str:
        """A name that no other value of the module has."""
        return f"%{next(self.counter)}"

    def emit(self, text: str) -> str:
        """Writes an operation with one result and gives the name of that."""
        name = f"%{next(self.counter)}"
        self.lines.append(f"{name} = {text}{self.where}")
        return name

    def emit_many(self, text: str, width: int) -> tuple[str, ...]:
        """Writes an operation with `width` results and gives their names."""
        name = self.fresh()
        if width == 0:
            self.lines.append(f"{text}{self.where}")
            return ()
        if width == 1:
            self.lines.append(f"{name} = {text}{self.where}")
            return (name,)
        self.lines.append(f"{name}:{width} = {text}{self.where}")
        return tuple([f"{name}#{i}" for i in range(width)])

    def write(self, text: str) -> None:
        """A line that names nothing: a brace, a terminator."""
        self.lines.append(text)

    def constant(self, value: types.Scalar, type: Tensor) -> str:
        """A splat, written once in each region."""
        key = repr(value), self.type(type)
        name = self.constants.get(key)
        if name is None:
            name = self.constants[key] = self.emit(f"stablehlo.constant {types.splat(value, type)}")
        return name

    def operand(self, atom: Atom) -> str:
        return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else self.names[atom]


class Locations:
    """Source places as aliases: `loc(#l3)` after an operation, `#l3 = loc("file.dsl":4:52)` at the end."""

    __slots__ = ("aliases",)

    def __init__(self) -> None:
        self.aliases: dict[Span, str] = {}

    def suffix(self, span: Span) -> str:
        known = self.aliases.get(span)
        if known is None:
            known = self.aliases[span] = f" loc(#l{len(self.aliases)})"
        return known

    def definitions(self) -> list[str]:
        lines = []
        for number, (source, start, _) in enumerate(self.aliases):
            line, column = (max(place, 0) for place in source.position(start))  # a text may begin before its line 1
            lines.append(f"#l{number} = loc({quote(source.name)}:{line}:{column})")
        return lines


def quote(text: str) -> str:
    """A string attribute: every byte that is not plain printable ASCII is escaped."""
    plain = text.isascii() and text.isprintable() and '"' not in text and "\\" not in text
    if plain:
        return f'"{text}"'
    return '"' + "".join([chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in text.encode()]) + '"'


Rule: TypeAlias = Callable[[Context, Any, Equation, list[str]], Sequence[str]]
"""rule(cx, params, equation, names of the operands) -> names of the results. The params are those of its
op."""
