"""`dsl.Function`: a function of a program, or a transformation of one, as Python calls and inspects it.

The first call with a new kind of arguments stages, lowers and compiles; every later one looks its
program up by a key of the arguments' types and static values, and runs it. Read next: `binding`,
`containers`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from threading import RLock
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem, argument_error, misused, other_program, unhandled_effect
from dsl.host.arguments.argument_readers import reader_of
from dsl.host.arguments.binding import bind, ordered
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.keys import key_data
from dsl.host.arguments.placement import Devices, Where, devices_for, spreads, where
from dsl.host.arguments.pytree import flatten, static_key
from dsl.host.arguments.vmap_axes import Stripping, maps_of
from dsl.host.cached_call import Again, Entry, Quick
from dsl.host.checked_program import CheckedProgram
from dsl.host.compile_errors import FAULTS, Progress, compiling, explained, lowered, too_large
from dsl.host.compile_log import logged
from dsl.host.function_terms import term_of, value_of
from dsl.host.python_types.kinds import draws
from dsl.host.results.containers import raise_failure, rebuilding
from dsl.host.results.shape_dtype_struct import ShapeDtypeStruct, shown, stand_in
from dsl.host.results.variants import Variant
from dsl.host.signature_text import show_function
from dsl.interp import evaluate
from dsl.ir import text
from dsl.staging import errors as staging_errors
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.stager import Stager
from dsl.staging.stage import Staged, stage
from dsl.staging.values import FUNCTIONS, FunctionValue, RecordValue, Transformed, TupleValue, Value, definition_of
from dsl.transforms.pipeline import ABSORB, EXPAND, TIDY, run
from dsl.types.effect import Axis, Effect, EffectVar, kind_of
from dsl.types.limits import Exceeded
from lowering.stablehlo.module import Lowered as StableHLO
from lowering.xla.adapter import hlo_text
from lowering.xla.compile import compile
from lowering.xla.execute import Executable, OutOfMemory

KNOWN = 4
"""So many kinds of calls are recognised without looking at their arguments one by one."""

KEPT = 256
"""So many compiled programs of a function are kept."""

MANY = 64
"""After so many of them a function warns, once."""


class CacheInfo(Struct, frozen=True):
    """`hits` and `misses` of calls, and how many compiled programs there are."""

    hits: int
    misses: int
    size: int


class OfInstance(property):
    """A property that the class itself does not have, so that tools which ask the class find nothing."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return None if instance is None else super().__get__(instance, owner)


class Function:
    """Callable with arrays, numbers and containers of them; see `type` for its signature."""

    def __init__(self, program: CheckedProgram, value: FunctionValue) -> None:
        self.program = program
        self.value = value
        named = definition_of(value)
        assert named is not None
        self.definition = named.definition
        self.signature = self.definition.signature
        self.draws = draws(self.definition)
        """Whether a call needs a key to draw from, given as `key`."""
        self._maps = maps_of(value, sum(p.counts for p in self.signature.params))
        self._quick: Quick | None = None
        self._known: tuple[Again, ...] = ()
        self._entries: dict[Any, Entry] = {}
        self._lock = RLock()
        self._hits = 0
        self._misses = 0
        self._transformations: dict[Transformed, Function] = {}
        self.__doc__ = self.type if self.doc is None else f"{self.type}\n\n{self.doc}"

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

    @OfInstance
    def __signature__(self) -> inspect.Signature:
        """The parameters of a call from Python, with annotations of jaxtyping."""
        found: inspect.Signature = _runtime().signature(self.definition, isinstance(self.value, Transformed))
        return found

    @OfInstance
    def __annotations__(self) -> dict[str, Any]:
        found: dict[str, Any] = _runtime().annotations_of(self.__signature__)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.program, term_of(self.value))

    def __deepcopy__(self, memo: Any) -> Function:
        return self

    def __repr__(self) -> str:
        return f"<dsl {self.type}>"

    def ir(self, *args: Any, **kwargs: Any) -> str:
        """The IR for these arguments, tidied, as text."""
        staged, _, _ = self._staged(args, kwargs)
        with compiling(self.__name__, Progress()):
            return text.show(run(staged.function, TIDY))

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The program for these arguments, lowered but not compiled."""
        staged, _, leaves = self._staged(args, kwargs)
        progress = Progress()
        try:
            devices = devices_for(staged.function, where(leaves), {})
        except FAULTS as fault:
            raise explained(fault, self.definition) from None
        with compiling(self.__name__, progress):
            return Lowered(lowered(staged.function, progress, len(devices)), self.definition.span, devices)

    def compile(self, *args: Any, **kwargs: Any) -> Executable:
        """The compiled program for these arguments; the next call with such arguments uses it."""
        try:
            return self._entry(args, kwargs)[0].executable
        except FAULTS as fault:
            raise explained(fault, self.definition) from None

    def cost(self, *args: Any, **kwargs: Any) -> Mapping[str, float]:
        """What XLA estimates: flops, bytes accessed, transcendentals."""
        analysis = self.compile(*args, **kwargs).raw.cost_analysis()
        return {str(name): float(value) for name, value in analysis.items()}

    def cache_info(self) -> CacheInfo:
        """How many calls found their program (to a few, where threads call at once), and how many programs there
        are: one for each choice of sizes, dtypes and static values."""
        return CacheInfo(self._hits, self._misses, len(self._entries))

    def interpret(self, *args: Any, **kwargs: Any) -> Any:
        """The result by the reference evaluator, op by op over NumPy."""
        staged, binding, leaves = self._staged(args, kwargs)
        try:
            arrays = [np.asarray(x) for x in binding.inputs(leaves)]
            rebuild = rebuilding(staged.output, binding.containers, Variant)
        except FAULTS as fault:
            raise explained(fault, self.definition) from None
        results = list(evaluate(run(staged.function, (*TIDY, EXPAND, ABSORB)), arrays))
        if staged.checks:
            raise_failure(int(results.pop()), staged.sites)
        return rebuild(results)

    # ------------------------------------------------------------ calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            quick = self._quick
            if quick is not None and not kwargs:
                result = quick(args)
                if result is not None:
                    self._hits += 1
                    return result
            for again in self._known:
                result = again(args, kwargs)
                if result is not None:
                    self._hits += 1
                    return result
            entry, leaves = self._entry(args, kwargs)
            result = entry.run(leaves)
        except FAULTS as fault:
            raise explained(fault, self.definition) from None
        self._remember(entry, args, kwargs, result)
        return result

    def _remember(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        """Makes the next calls like this one quick."""
        if result is None:
            return
        key = self._read_key if self.draws else None
        reader = reader_of(self.signature.params, args, kwargs, entry.plain, key)
        if reader is not None:
            self._quick = entry.quick(reader) or self._quick
            self._known = (entry.again(reader), *self._known[: KNOWN - 1])

    def _read_key(self, value: Any, found: list[Any]) -> bool:
        found.append(key_data(value, self.definition))
        return True

    def _entry(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Entry, list[Any]]:
        values, sizes, leaves, key = self._key(args, kwargs)
        places = where(leaves)

        def make() -> Entry:
            binding = self._bind(values, sizes)
            binding.inputs(leaves)  # no index fits an axis without elements, and nothing is compiled for none
            return self._compiled(binding, self.value, places, values)

        return self._made((places, key), make), leaves

    def _made(self, key: Any, make: Callable[[], Entry]) -> Entry:
        """The program for a key, made by the first thread that asks for it."""
        entry = self._entries.get(key)
        if entry is None:
            with self._lock:
                entry = self._entries.get(key)
                if entry is None:
                    entry = make()
                    self._keep(key, entry)
                    return entry
        self._hits += 1
        return entry

    def _keep(self, key: Any, entry: Entry) -> None:
        """The newest programs are kept."""
        self._misses += 1
        if self._misses == MANY:
            many = f"`{self.__name__}` has been compiled {MANY} times"
            warnings.warn(f"{many}: each size, dtype and static value has a program of its own", stacklevel=6)
        if len(self._entries) == KEPT:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = entry

    def _compiled(self, binding: Binding, value: FunctionValue, places: Where, values: Mapping[str, Any]) -> Entry:
        staged = self._stage(binding, value)
        devices = devices_for(staged.function, places, values)
        rebuild = rebuilding(staged.output, binding.containers, Variant)
        progress = Progress()
        with compiling(self.__name__, progress), logged(self.__name__):
            executable = compile(lowered(staged.function, progress, len(devices)), devices=devices)
        return Entry(
            binding, staged, executable, rebuild, binding.plain, places[1] if spreads(staged.function) else None
        )

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
            elif not parameter.counts:
                key.append(static_key(values[parameter.name]))
            else:
                flatten(values[parameter.name], leaves, key)
        if self.draws:
            leaves.append(key_data(seed, self.definition))
        return values, sizes, leaves, tuple(key)

    # ------------------------------------------------------------ specialisation

    def _staged(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Staged, Binding, list[Any]]:
        values, sizes, leaves, _ = self._key(args, kwargs)
        binding = self._bind(values, sizes)
        return self._stage(binding, self.value), binding, leaves

    def _bind(self, values: Mapping[str, Any], sizes: Mapping[str, Any]) -> Binding:
        binding = self._bound(values, sizes)
        return binding.with_key() if self.draws else binding

    def _bound(self, values: Mapping[str, Any], sizes: Mapping[str, Any]) -> Binding:
        """Without the key to draw from."""
        for name, value in values.items():
            if isinstance(value, Function) and value.program is not self.program:
                raise other_program(name, value.__name__)
        try:
            found = bind(self.definition, values, sizes, Stripping(self._maps), self._default)
        except Exceeded as growth:
            raise staging_errors.too_large(growth, self.definition.span, ()) from None
        pairs = zip(self.signature.params, found.args, strict=True)
        functions = {p.name: a for p, a in pairs if isinstance(a, FUNCTIONS)}
        if functions:
            self.program.refuse(self.value, functions, found.variables)
        return found

    def _stage(self, binding: Binding, value: FunctionValue) -> Staged:
        names = {name for each in self._maps for name in each.names}
        unhandled = [
            e
            for e in self.signature.effects.effects
            if not _handled_by_python(e) and not (isinstance(e, Axis) and e.name in names)
        ]
        if unhandled and not any(isinstance(e, EffectVar) for e in unhandled):
            raise unhandled_effect(self.definition, str(min(unhandled, key=str)))
        with compiling(self.__name__, Progress()):
            return stage(
                self.program.session, value, binding.args, self.definition.span, key=self.draws, sizes=binding.sizes
            )

    def _default(self, parameter: core.Parameter, variables: Variables, given: Mapping[int, Value]) -> Value:
        assert parameter.default is not None
        s = Stager(self.program.session)
        return s.eval(parameter.default, Frame(variables, dict(given)))

    def paired(self, kind: Kind, args: Sequence[Any], others: Sequence[Any], statics: Mapping[str, Any]) -> Any:
        """Runs a transformation that takes as many further arguments of the same types, such as tangents."""
        self._derived(Transformed(kind, self.value))
        first, second = (self._key(given, statics) for given in (args, others))
        leaves = [*(first[2][:-1] if self.draws else first[2]), *second[2]]
        places = where(leaves)
        key = kind, places, first[3], second[3]

        def make() -> Entry:
            primals, tangents = (self._bound(values, sizes) for values, sizes, _, _ in (first, second))
            for parameter, x, t in zip(self.signature.params, primals.args, tangents.args, strict=True):
                if x != t:
                    message = f"the tangent of {parameter.name} is {shown(t)}, and {parameter.name} is {shown(x)}"
                    raise argument_error([Problem("E0903", message, span=parameter.span)], self.definition)
            whole = primals.joined(tangents)
            bound = whole.with_key() if self.draws else whole
            return self._compiled(bound, Transformed(kind, self.value), places, {**second[0], **first[0]})

        try:
            return self._made(key, make).run(leaves)
        except FAULTS as fault:
            raise explained(fault, self.definition) from None

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shapes and dtypes of the result, in its containers, for arrays or what has a `shape` and a `dtype`.
        Nothing is computed."""
        given = {"key": 0, **kwargs} if self.draws else kwargs
        staged, binding, _ = self._staged([stand_in(a) for a in args], {n: stand_in(a) for n, a in given.items()})
        types = staged.function.result_types
        leaves = [ShapeDtypeStruct(t.shape, t.dtype.numpy) for t in types]
        return rebuilding(staged.output, binding.containers, Variant)(leaves[: len(types) - staged.checks])

    def transformed(self, kind: Kind, **options: Any) -> Function:
        """This function under a transformation of the language; the same one for the same options."""
        fixed = tuple([(name, self._option(kind, name, value)) for name, value in options.items()])
        return self._derived(Transformed(kind, self.value, fixed))

    def _derived(self, made: Transformed) -> Function:
        found = self._transformations.get(made)
        if found is None:
            self.program.refuse(made)
            found = self._transformations[made] = Function(self.program, made)
        return found

    def _option(self, kind: Kind, name: str, value: Any) -> Value:
        """Options of a transformation: Python's tuples and lists are tuples of the language."""
        match value:
            case tuple() | list():
                return TupleValue(tuple([self._option(kind, name, part) for part in value]))
            case dict():
                return RecordValue(tuple([(str(n), self._option(kind, name, value[n])) for n in sorted(value)]))
            case Function():
                if value.program is not self.program:
                    raise other_program(name, value.__name__)
                return value.value
            case None | bool() | int() | float() | str():
                return value
            case np.integer():
                return int(value)
            case _:
                what = f"`{name}` of `{kind}` is {value!r}"
                raise misused("E0812", f"{what}, which is not an option of a transformation", self.definition)


def _handled_by_python(effect: Effect) -> bool:
    kind = kind_of(effect)
    return kind is not None and kind.in_python


class Lowered(Struct, frozen=True):
    """A program as StableHLO, before and after XLA."""

    stablehlo: StableHLO
    place: Span
    devices: Devices

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
        try:
            return compile(self.stablehlo, devices=self.devices)
        except OutOfMemory as fault:
            raise too_large(fault, self.place) from None


def _restored(program: CheckedProgram, term: core.Expr) -> Function:
    """A function that was pickled."""
    found = value_of(term, program.core)
    assert isinstance(found, FUNCTIONS)
    return Function(program, found)


def _runtime() -> Any:
    """What makes annotations. jaxtyping takes a while to import, and few programs ask."""
    return import_module("dsl.host.python_types.runtime")
