"""`dsl.Function`: a function of a program, or a transformation of one, as Python calls and inspects it.

It has three parts: what binds calls, the store of its programs, and what compiles them. Read next: `dispatch`, which
finds the program of a call; `program_binder`, `compiler`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.core.application import Application
from dsl.core.transformation import Kind
from dsl.diagnostics.settings import setting_error
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem, argument_error, misused
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Devices, where
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.call_binder import Callee
from dsl.host.calls.dispatch import Dispatcher
from dsl.host.calls.faults import explained_faults, too_large
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.checking.function_terms import term_of, value_of
from dsl.host.checking.python_sources import as_function_of_python
from dsl.host.compiling.estimates import Cost, Memory, cost_of, memory_of
from dsl.host.functions.compiler import Compiler, Way
from dsl.host.functions.program_binder import ProgramBinder, check_part
from dsl.host.results.containers import rebuilding, require_sizes
from dsl.host.results.shape_dtype_struct import ShapeDtypeStruct, format_types, stand_in
from dsl.host.results.variants import Variant
from dsl.late_names import LateModule
from dsl.offers import OFFERS
from dsl.staging.values import FUNCTIONS, FunctionValue, RecordValue, Transformed, TupleValue, Value
from lowering.lowered import Lowered as StableHLO
from lowering.xla.adapter import hlo_text
from lowering.xla.compile import Effort, compile
from lowering.xla.execute import Executable, OutOfMemory

if TYPE_CHECKING:
    from dsl.host.functions import nan_origins, specialisation
    from dsl.host.python_types import runtime
    from dsl.staging.stage import Staged
else:  # they take long to import: what makes programs, and jaxtyping
    nan_origins = LateModule("dsl.host.functions.nan_origins")
    specialisation = LateModule("dsl.host.functions.specialisation")
    runtime = LateModule("dsl.host.python_types.runtime")


class OfInstance(property):
    """A property that the class itself does not have, so that tools which ask the class find nothing."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return None if instance is None else super().__get__(instance, owner)


AS_IT_IS = Way()


class Picture(str):
    """The text of an SVG file; a notebook shows the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


class Function(Dispatcher):
    """A function of a program. Callable with arrays, numbers and containers of them; see `type` for its signature."""

    __module__ = "dsl"

    def __init__(
        self,
        program: CheckedProgram,
        value: FunctionValue,
        way: Way = AS_IT_IS,
        any_call: Application | None = None,
    ) -> None:
        binder = ProgramBinder(program, Callee.of(value), any_call)
        self.program = program
        self.compiler = Compiler(program, binder, way)
        super().__init__(binder, self.compiler.entry)
        self._transformations: dict[Hashable, Function] = {}
        self.variants: dict[object, Function] = {}
        """The same function, compiled in other ways."""

    @property
    def effort(self) -> Effort:
        """Return with how much effort the first program for a kind of arguments is compiled."""
        return self.compiler.way.effort

    def adopt(self, other: Function) -> None:
        """Take over the compiled programs of the same function, of a program that was checked again."""
        self.store.adopt(other.store)

    # ------------------------------------------------------------ inspection

    @OfInstance
    def __signature__(self) -> inspect.Signature:
        """The parameters of a call from Python, with annotations of jaxtyping."""
        return runtime.signature(self.definition, isinstance(self.value, Transformed))

    @OfInstance
    def __annotations__(self) -> dict[str, Any]:
        return runtime.annotations_of(self.__signature__)

    @OfInstance
    def __wrapped__(self) -> FunctionType:
        """Return the function by which `inspect.getsource` finds the source."""
        return as_function_of_python(self.definition)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.program, term_of(self.value))

    def __deepcopy__(self, memo: Any) -> Function:
        return self

    def __repr__(self) -> str:
        return f"<dsl {self.type}>"

    def ir(self, *args: Any, **kwargs: Any) -> str:
        """The IR for these arguments, tidied, as text."""
        staged, binding, _ = self.staged(args, kwargs)
        return specialisation.write_ir(self.compiler, staged, binding, "text")

    def ir_svg(self, *args: Any, **kwargs: Any) -> Picture:
        """Return the IR as a picture: a graph of the equations from top to bottom, whose inputs are named after the
        parameters. The text of an SVG file, which notebooks display."""
        staged, binding, _ = self.staged(args, kwargs)
        return Picture(specialisation.write_ir(self.compiler, staged, binding, "svg"))

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The program for these arguments, lowered but not compiled."""
        staged, binding, leaves = self.staged(args, kwargs)
        with explained_faults(self.definition):
            lowered, devices = specialisation.lowered_for(self.compiler, staged, binding, where(leaves))
        return Lowered(lowered, self.definition.span, devices)

    def hlo(self, *args: Any, **kwargs: Any) -> str:
        """The program for these arguments as XLA compiles it, after its optimisations."""
        return self.lower(*args, **kwargs).as_text("optimized")

    def compile(self, *args: Any, **kwargs: Any) -> Executable:
        """The compiled program for these arguments; the next call with such arguments uses it."""
        with explained_faults(self.definition):
            return self.entry(args, kwargs)[0].executable

    def cost(self, *args: Any, **kwargs: Any) -> Cost:
        """Return XLA's estimate of the cost: FLOPs, bytes accessed, transcendentals."""
        return cost_of(self.compile(*args, **kwargs))

    def memory(self, *args: Any, **kwargs: Any) -> Memory:
        """The memory that a call takes at most, and what for, in bytes."""
        return memory_of(self.compile(*args, **kwargs))

    def interpret(self, *args: Any, **kwargs: Any) -> Any:
        """The result by the reference evaluator, op by op over NumPy."""
        staged, binding, leaves = self.staged(args, kwargs)
        with explained_faults(self.definition):
            arrays = [np.asarray(x) for x in binding.inputs(leaves)]
            rebuild = rebuilding(staged.output, binding.containers, Variant)
        return specialisation.interpreted(staged, arrays, rebuild)

    def marked(self, *args: Any, **kwargs: Any) -> specialisation.Marked:
        """A call for a debugger: IR with marks of the text, and its inputs."""
        with explained_faults(self.definition):
            binding, leaves = self.binder.call(args, kwargs)
            return specialisation.marked(self.compiler, binding, leaves)

    def debug(self, *args: Any, **kwargs: Any) -> None:
        """Evaluate a call line by line, at a prompt; `help` there says how."""
        OFFERS.debug(self, *args, **kwargs)

    def _explain_not_finite(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        raise nan_origins.nan_error(self.marked(*args, **kwargs), self.definition)

    def each(self, change: Callable[[Function], Function]) -> Function:
        """The function, changed; of several definitions each."""
        return change(self)

    # ------------------------------------------------------------ specialisation

    def staged(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Staged, Binding, list[Any]]:
        """The program for a call before it is lowered, what its parameters stand for, and its traced leaves in
        order."""
        with explained_faults(self.definition):
            binding, leaves = self.binder.call(args, kwargs)
        return self.compiler.staged(binding), binding, leaves

    def check_inside(self, use: str) -> None:
        """Check that the function can be used inside a program. Raises `ArgumentError` E0812."""

    def paired(self, kind: Kind, args: Sequence[Any], others: Sequence[Any], statics: Mapping[str, Any]) -> Any:
        """Runs a transformation that takes as many further arguments of the same types, such as tangents."""
        derived = self._derived(Transformed(kind, self.value))
        with explained_faults(self.definition):
            first, second = (derived.binder.read(given, statics) for given in (args, others))
        leaves = [*(first.leaves[:-1] if self.draws else first.leaves), *second.leaves]
        places = where(leaves)
        key = kind, places, first.key, second.key

        def make() -> Entry:
            primals, tangents = (self.binder.bind(call.values, call.sizes, keyed=False) for call in (first, second))
            for parameter, x, t in zip(self.signature.params, primals.args, tangents.args, strict=True):
                if x != t:
                    name = parameter.name
                    message = f"the tangent of {name} is {format_types(t)}, and {name} is {format_types(x)}"
                    raise argument_error([Problem("E0903", message, span=parameter.span)], self.definition)
            whole = primals.joined(tangents)
            bound = whole.with_key() if self.draws else whole
            values = {**second.values, **first.values}
            return self.compiler.compiled(Transformed(kind, self.value), bound, places, values)

        with explained_faults(self.definition):
            return self.store.program(key, make).run(leaves)

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shapes and dtypes of the result, in its containers, for arrays or what has a `shape` and a `dtype`.
        Nothing is computed."""
        given = {"key": 0, **kwargs} if self.draws else kwargs
        with explained_faults(self.definition):
            structs = [stand_in(a) for a in args], {n: stand_in(a) for n, a in given.items()}
        staged, binding, _ = self.staged(*structs)
        with explained_faults(self.definition):
            require_sizes(staged.output, "is known after a run only")
        types = staged.function.result_types
        leaves = [ShapeDtypeStruct(t.shape, t.dtype.numpy) for t in types]
        return rebuilding(staged.output, binding.containers, Variant)(leaves[: len(types) - staged.checks])

    def transformed(self, kind: Kind, **options: Any) -> Function:
        """This function under a transformation of the language; the same one for the same options."""
        fixed = tuple([(name, self._option(kind, name, value)) for name, value in options.items()])
        return self._derived(Transformed(kind, self.value, fixed))

    def _derived(self, made: Transformed) -> Function:
        key = made, tuple([_kinds(value) for _, value in made.options])
        found = self._transformations.get(key)
        if found is None:
            found = self._transformations[key] = Function(self.program, made, any_call=self.program.check(made))
        return found

    def _option(self, kind: Kind, name: str, value: Any) -> Value:
        """Options of a transformation: Python's tuples and lists are tuples of the language."""
        match value:
            case tuple() | list():
                return TupleValue(tuple([self._option(kind, name, part) for part in value]))
            case dict():
                return RecordValue(tuple([(str(n), self._option(kind, name, value[n])) for n in sorted(value)]))
            case Function():
                check_part(self.program, name, value)
                return value.value
            case None | bool() | int() | float() | str():
                return value
            case np.integer():
                return int(value)
            case _:
                what = f"`{name}` of `{kind}` is {value!r}"
                raise misused("E0812", f"{what}, which is not an option of a transformation", self.definition)


def _kinds(value: Value) -> Hashable:
    """Return a key that distinguishes options that are equal in Python, such as 1, 1.0 and `True`."""
    match value:
        case TupleValue(parts):
            return tuple(map(_kinds, parts))
        case RecordValue(fields):
            return tuple([_kinds(part) for _, part in fields])
        case _:
            return type(value).__name__


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
        raise setting_error(f'`kind` is "stablehlo", "hlo" or "optimized", not {kind!r}')

    def compile(self) -> Executable:
        try:
            return compile(self.stablehlo, devices=self.devices)
        except OutOfMemory as fault:
            raise too_large(fault, self.place) from None


def restored(program: CheckedProgram, term: core.Expr) -> Function:
    """A function that was pickled."""
    found = value_of(term, program.core)
    assert isinstance(found, FUNCTIONS)
    return Function(program, found)
