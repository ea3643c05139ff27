"""`dsl.Function`: a function of a program, or a transformation of one, as Python calls and inspects it.

The first call with a new kind of arguments stages, lowers and compiles; every later one looks its
program up by a key of the arguments' types and static values, and runs it. Read next: `binding`,
`results`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dsl.core import core
from dsl.host.binding import Binding, bind, ordered
from dsl.host.leaves import flatten, static_key
from dsl.host.problems import Problem, argument_error, unhandled_effect
from dsl.host.results import Rebuild, Verdict, raise_failure, rebuilding
from dsl.host.seeds import key_data
from dsl.host.signatures import show_function
from dsl.host.variants import Variant
from dsl.interp import evaluate
from dsl.ir import text
from dsl.ir.function import Function as IRFunction
from dsl.ir.function import Tensor
from dsl.staging.frame import Frame, Variables
from dsl.staging.stage import Staged, stage
from dsl.staging.stager import Stager
from dsl.staging.values import DefValue, FunctionValue, Transformed, TupleValue, Value, as_int
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.types.effect import CHECK, DIV, IO, RAND, Axis, EffectVar
from lowering.stablehlo.module import Lowered as StableHLO
from lowering.stablehlo.module import lower
from lowering.xla.adapter import hlo_text
from lowering.xla.array import Array, Guard
from lowering.xla.compile import compile
from lowering.xla.execute import Executable

if TYPE_CHECKING:
    from dsl.host.program import Program


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """`hits` and `misses` of calls, and how many compiled programs there are."""

    hits: int
    misses: int
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A compiled program for one kind of arguments."""

    binding: Binding
    staged: Staged
    executable: Executable
    rebuild: Rebuild
    types: list[Tensor]
    plain: bool

    def run(self, inputs: Sequence[Any], verdicts: Sequence[Guard] = ()) -> Any:
        arrays = self.executable(*inputs)
        if not self.staged.checks and not verdicts:
            return self.rebuild(arrays)
        code = arrays.pop() if self.staged.checks else None
        verdict = Verdict(code, self.staged.sites, verdicts)
        if not arrays:
            verdict()
        return self.rebuild([Array(x._impl, x.type, verdict) for x in arrays])


class Function:
    """Callable with arrays, numbers and containers of them; see `type` for its signature."""

    def __init__(self, program: Program, value: FunctionValue) -> None:
        self.program = program
        self.value = value
        self.definition = _definition(value)
        self.signature = self.definition.signature
        self._recent: Entry | None = None
        self._by_types: dict[Any, Entry] = {}
        self._by_structure: dict[Any, Entry] = {}
        self._entries: dict[Any, Entry] = {}
        self._hits = 0
        self._positional = not self.draws and not any(
            p.static or p.keyword_only for p in self.signature.params
        )

    # ------------------------------------------------------------ inspection

    @property
    def __name__(self) -> str:
        return self.definition.name

    @property
    def doc(self) -> str | None:
        """The documentation comment of the definition."""
        return self.definition.doc

    @property
    def type(self) -> str:
        """The signature as source text; of a transformed function with the transformations around its
        name.
        """
        return show_function(self.definition, self.value)

    def __repr__(self) -> str:
        return f"<dsl {self.type}>"

    def ir(self, *args: Any, **kwargs: Any) -> str:
        """The IR for these arguments, tidied, as text."""
        staged, _, _ = self._staged(args, kwargs)
        return text.show(run(staged.function, TIDY))

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The program for these arguments, lowered but not compiled."""
        staged, _, _ = self._staged(args, kwargs)
        return Lowered(lowered(staged.function))

    def compile(self, *args: Any, **kwargs: Any) -> Executable:
        """The compiled program for these arguments; the next call with such arguments uses it."""
        return self._entry(args, kwargs)[0].executable

    def cost(self, *args: Any, **kwargs: Any) -> Mapping[str, float]:
        """What XLA estimates: flops, bytes accessed, transcendentals."""
        analysis = self.compile(*args, **kwargs).raw.cost_analysis()
        return {str(name): float(value) for name, value in analysis.items()}

    def cache_info(self) -> CacheInfo:
        misses = len(self._entries)
        return CacheInfo(self._hits, misses, misses)

    def interpret(self, *args: Any, **kwargs: Any) -> Any:
        """The result by the reference evaluator, op by op over NumPy."""
        staged, binding, leaves = self._staged(args, kwargs)
        arrays = [np.asarray(x) for x in binding.inputs(leaves)]
        results = list(evaluate(run(staged.function, TIDY), arrays))
        if staged.checks:
            raise_failure(int(results.pop()), staged.sites)
        return rebuilding(staged.output, binding.containers, Variant)(results)

    # ------------------------------------------------------------ calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or not self._positional:
            return self._call(args, kwargs)
        try:
            types = [x._type for x in args]
        except AttributeError:
            return self._call_mixed(args)
        entry = self._recent
        if entry is None or types != entry.types:
            entry = self._by_types.get(tuple(types))
            if entry is None:
                return self._call(args, kwargs)
            self._recent = entry
        self._hits += 1
        for x in args:
            if x._guard is not None:
                return entry.run(args, _verdicts(args))
        return entry.run(args)

    def _call_mixed(self, args: Sequence[Any]) -> Any:
        """Positional arguments of any kind: their structure alone is the key."""
        leaves: list[Any] = []
        key: list[Any] = []
        for arg in args:
            flatten(arg, leaves, key)
        entry = self._by_structure.get(tuple(key))
        if entry is None:
            entry, leaves = self._entry(args, {})
            self._by_structure[tuple(key)] = entry
        else:
            self._hits += 1
        return self._run(entry, leaves)

    def _call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        entry, leaves = self._entry(args, kwargs)
        if self._positional and not kwargs and entry.plain and all(type(x) is Array for x in args):
            self._by_types[tuple([x._type for x in args])] = entry
        return self._run(entry, leaves)

    def _run(self, entry: Entry, leaves: list[Any]) -> Any:
        verdicts = _verdicts(leaves)
        if entry.plain:
            return entry.run(leaves, verdicts)
        try:
            inputs = entry.binding.inputs(leaves)
        except Problem as problem:
            raise argument_error([problem], self.definition) from None
        return entry.run(inputs, verdicts)

    def _entry(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Entry, list[Any]]:
        values, sizes, leaves, key = self._key(args, kwargs)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._compiled(self._bind(values, sizes), self.value)
        else:
            self._hits += 1
        return entry, leaves

    def _compiled(self, binding: Binding, value: FunctionValue) -> Entry:
        staged = self._stage(binding, value)
        executable = compile(lowered(staged.function))
        rebuild = rebuilding(staged.output, binding.containers, Variant)
        return Entry(binding, staged, executable, rebuild, list(executable.param_types), binding.plain)

    def _key(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any], list[Any], Any]:
        """Arguments and sizes by name, the traced leaves in order, and the key of everything else."""
        seed = None
        if self.draws:
            kwargs = dict(kwargs)
            seed = kwargs.pop("key", None)
        values, sizes = ordered(self.definition, args, kwargs)
        leaves: list[Any] = []
        key: list[Any] = [static_key(tuple(sizes.items()))]
        for parameter in self.signature.params:
            if parameter.name not in values:
                key.append(None)
            elif parameter.static:
                key.append(static_key(values[parameter.name]))
            else:
                flatten(values[parameter.name], leaves, key)
        if self.draws:
            leaves.append(key_data(seed, self.definition))
        return values, sizes, leaves, tuple(key)

    @property
    def draws(self) -> bool:
        """Whether a call needs a key to draw from, given as `key`."""
        own = any(parameter.name == "key" for parameter in self.signature.params)
        return RAND in self.signature.effects and not own

    # ------------------------------------------------------------ specialisation

    def _staged(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Staged, Binding, list[Any]]:
        values, sizes, leaves, _ = self._key(args, kwargs)
        binding = self._bind(values, sizes)
        return self._stage(binding, self.value), binding, leaves

    def _bind(self, values: Mapping[str, Any], sizes: Mapping[str, Any]) -> Binding:
        axes = _mapped_axes(self.value, sum(not p.static for p in self.signature.params))
        named: dict[str, int] = {}

        def strip(place: int, type: Tensor) -> Tensor:
            return _element(type, axes[place], named)

        binding = bind(self.definition, values, sizes, strip, self._default, named)
        return binding.with_key() if self.draws else binding

    def _stage(self, binding: Binding, value: FunctionValue) -> Staged:
        names = _axis_names(value)
        unhandled = [
            e
            for e in self.signature.effects.effects
            if e not in (RAND, CHECK, IO, DIV) and not (isinstance(e, Axis) and e.name in names)
        ]
        if unhandled and not any(isinstance(e, EffectVar) for e in unhandled):
            raise unhandled_effect(self.definition, str(min(unhandled, key=str)))
        return stage(self.program.session, value, binding.args, self.definition.span, key=self.draws)

    def _default(self, parameter: core.Parameter, variables: Variables, given: Mapping[int, Value]) -> Value:
        assert parameter.default is not None
        s = Stager(self.program.session)
        return s.eval(parameter.default, Frame(variables, dict(given)))

    def paired(
        self, kind: str, args: Sequence[Any], others: Sequence[Any], statics: Mapping[str, Any]
    ) -> Any:
        """Runs a transformation that takes as many further arguments of the same types, such as tangents."""
        first, second = (self._key(given, statics) for given in (args, others))
        leaves = [*first[2], *second[2]]
        key = kind, first[3], second[3]
        entry = self._entries.get(key)
        if entry is None:
            bindings = [self._bind(values, sizes) for values, sizes, _, _ in (first, second)]
            whole = bindings[0].joined(bindings[1])
            entry = self._entries[key] = self._compiled(whole, Transformed(kind, self.value))
        return self._run(entry, leaves)

    def transformed(self, kind: str, **options: Any) -> Function:
        """This function under a transformation of the language."""
        fixed = tuple([(name, _option(value)) for name, value in options.items()])
        return Function(self.program, Transformed(kind, self.value, fixed))


@dataclass(frozen=True, slots=True)
class Lowered:
    """A program as StableHLO, before and after XLA."""

    stablehlo: StableHLO

    def as_text(self, kind: str = "stablehlo") -> str:
        """`stablehlo` as written by the compiler; `hlo` as XLA reads it, `optimized` as it
        compiles it."""
        if kind == "stablehlo":
            return self.stablehlo.text
        if kind == "hlo":
            return hlo_text(self.stablehlo.text)
        if kind == "optimized":
            return str(self.compile().raw.hlo_modules()[0].to_string())
        raise ValueError(f"the text of a program is 'stablehlo', 'hlo' or 'optimized', not {kind!r}")

    def compile(self) -> Executable:
        return compile(self.stablehlo)


def _verdicts(leaves: Sequence[Any]) -> list[Guard]:
    """The checks that arguments still wait for: what is computed from them waits for them too."""
    return [x._guard for x in leaves if type(x) is Array and x._guard is not None]


def lowered(function: IRFunction) -> StableHLO:
    return lower(run(function, LOWERING))


def _definition(value: Value) -> core.Function:
    while isinstance(value, Transformed):
        value = value.function
    assert isinstance(value, DefValue)
    return value.definition


def _option(value: Any) -> Value:
    """Options of a transformation: Python's tuples and lists are tuples of the language."""
    if isinstance(value, tuple | list):
        return TupleValue(tuple([_option(part) for part in value]))
    if isinstance(value, Function):
        return value.value
    return value if isinstance(value, int | float | str | bool | None) else None


def _axis_names(value: Value) -> set[str]:
    """The names of the axes that enclosing `vmap`s map."""
    names: set[str] = set()
    while isinstance(value, Transformed):
        name = dict(value.options).get("axis_name")
        if isinstance(name, str):
            names.add(name)
        value = value.function
    return names


def _mapped_axes(value: Value, count: int) -> list[list[tuple[int, Value]]]:
    """For each traced parameter the axes that enclosing `vmap`s take off, outermost first, with their names."""
    axes: list[list[tuple[int, Value]]] = [[] for _ in range(count)]
    while isinstance(value, Transformed):
        if value.kind == "vmap":
            options = dict(value.options)
            chosen = options.get("in_axes", 0)
            entries = chosen.parts if isinstance(chosen, TupleValue) else [chosen] * count
            for place, entry in enumerate(entries):
                if entry is not None:
                    axes[place].append((as_int(entry), options.get("axis_name")))
        value = value.function
    return axes


def _element(type: Tensor, axes: Sequence[tuple[int, Value]], named: dict[str, int]) -> Tensor:
    """The type without the axes; the sizes of those that have a name are noted."""
    shape = list(type.shape)
    for axis, name in axes:
        if -len(shape) <= axis < len(shape):
            size = shape.pop(axis)
            if isinstance(name, str):
                named[name] = size
    return Tensor(type.dtype, tuple(shape))
