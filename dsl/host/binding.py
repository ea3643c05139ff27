"""Arguments from Python against the parameters of a definition: which program they ask for, and its
inputs.

`bind` runs once for every new kind of arguments: it checks structure, dtypes, sizes and constraints,
and leaves behind a `Binding` that says how each leaf becomes an array of the type the program takes.
Only what depends on elements is checked at every call: numbers that must be representable, indices that
must be in range. Read next: `function`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from dsl.core import core
from dsl.host.leaves import NUMBERS, parts_of
from dsl.host.mapped import Stripping
from dsl.host.problems import Problem, argument_error, of_conflict
from dsl.host.statics import static_value
from dsl.ir.function import Tensor
from dsl.staging.arithmetic import integer_range
from dsl.staging.calls import MISSING, Argument
from dsl.staging.frame import Variables
from dsl.staging.match import Matcher, Place, bind_static
from dsl.staging.values import RecordValue, Sizes, Slot, TupleValue, Value, default_dtype
from dsl.types.dtype import BY_NUMPY, I32, U32, DType
from dsl.types.effect import Axis
from dsl.types.facts import Known, Prop, simplified
from dsl.types.shape import Shape, show_argument
from dsl.types.show import show_type
from dsl.types.size import Size
from dsl.types.type import (
    ArrayType,
    DTypeVar,
    IndexType,
    KeyType,
    OptionalType,
    RecordType,
    StackedType,
    TupleType,
    Type,
    TypeVar,
)
from lowering.xla.array import Array

Convert: TypeAlias = Callable[[Any], Any]
Container: TypeAlias = Callable[[Mapping[str, Any]], Any]
Default: TypeAlias = Callable[[core.Parameter, Variables, Mapping[int, Value]], Value]


@dataclass(frozen=True, slots=True)
class Binding:
    """How a kind of arguments is given to a program. `args` are skeletons and static values in the order
    of the parameters; `steps` make the inputs from the leaves; `containers` are the records seen, by
    fields.
    """

    args: tuple[Argument, ...]
    steps: tuple[Step, ...]
    containers: Mapping[tuple[str, ...], Container]
    sizes: Sizes = ()
    """Those that no argument tells."""

    @property
    def plain(self) -> bool:
        """Whether every leaf is an input as it is."""
        return all(step.convert is None for step in self.steps)

    def with_key(self) -> Binding:
        """One more input, the key that fresh keys are drawn from."""
        return replace(self, steps=(*self.steps, Step(np.asarray)))

    def joined(self, other: Binding) -> Binding:
        """Both, one after the other."""
        return Binding(
            (*self.args, *other.args),
            (*self.steps, *other.steps),
            {**self.containers, **other.containers},
            self.sizes,
        )

    def inputs(self, leaves: Sequence[Any]) -> list[Any]:
        made: list[Any] = []
        place = 0
        for step in self.steps:
            given = leaves[place] if step.count == 1 else leaves[place : place + step.count]
            made.append(given if step.convert is None else step.convert(given))
            place += step.count
        return made


@dataclass(frozen=True, slots=True)
class Step:
    """Makes one input from `count` leaves (a list of numbers has one for each); None: the leaf as it is."""

    convert: Convert | None
    count: int = 1


class Binder:
    """One call being bound."""

    def __init__(self, definition: core.Function) -> None:
        self.definition = definition
        self.variables = Variables(definition.solution)
        self.matcher = Matcher(self.variables)
        self.problems: list[Problem] = []
        self.steps: list[Step] = []
        self.indices: list[tuple[int, Size, str]] = []
        self.containers: dict[tuple[str, ...], Container] = {}

    # ------------------------------------------------------------ structure

    def structure(self, type: Type, value: Any, path: str) -> Value:
        """The skeleton of a traced argument; its leaves are converted to the dtypes `type` asks for."""
        match type:
            case ArrayType(dtype, _):
                return self._array(value, self._dtype(dtype), path, type)
            case IndexType(bound, _):
                self.indices.append((len(self.steps), bound, path))
                return self._array(value, I32, path, type)
            case KeyType():
                return self._array(value, U32, path, type)
            case TupleType(parts):
                return self._tuple(parts, value, path, type)
            case RecordType(fields):
                return self._record(fields, value, path, type)
            case StackedType(element, _):
                return self.structure(element, value, path)
            case OptionalType(base):
                return None if value is None else self.structure(base, value, path)
            case TypeVar():
                return self._tree(value, path)
            case _:
                raise Problem("E0901", f"{path} has a type that Python cannot give: {show_type(type)}")

    def _dtype(self, element: DType | DTypeVar) -> DType | None:
        while isinstance(element, DTypeVar):
            following = self.variables.solution.get(element)
            if following is None:
                return self.variables.dtypes.get(element)
            element = following
        return element

    def _tuple(self, parts: Sequence[Type], value: Any, path: str, type: Type) -> Value:
        found = parts_of(value)
        if found is None or found[0] is not None:
            raise Problem("E0901", f"{path} is {kind_of(value)}, not {show_type(type)}")
        if len(found[1]) != len(parts):
            raise Problem("E0915", f"{path} has {len(found[1])} parts, {show_type(type)} has {len(parts)}")
        pairs = enumerate(zip(parts, found[1], strict=True))
        return TupleValue(tuple([self.structure(t, v, f"{path}.{k}") for k, (t, v) in pairs]))

    def _record(self, fields: Sequence[tuple[str, Type]], value: Any, path: str, type: Type) -> Value:
        found = parts_of(value)
        if found is None or found[0] is None:
            raise Problem("E0901", f"{path} is {kind_of(value)}, not {show_type(type)}")
        names, given = found[0], dict(zip(found[0], found[1], strict=True))
        wanted = tuple([name for name, _ in fields])
        missing = [name for name in wanted if name not in given]
        extra = [name for name in names if name not in wanted]
        if missing:
            raise Problem("E0908", f"{path} has no field `{missing[0]}`", f"{show_type(type)} needs it")
        if extra:
            raise Problem("E0908", f"{path} has a field `{extra[0]}` that {show_type(type)} does not have")
        self.containers.setdefault(wanted, container_like(value))
        return RecordValue(tuple([(n, self.structure(t, given[n], f"{path}.{n}")) for n, t in fields]))

    def _tree(self, value: Any, path: str) -> Value:
        """A tree of any structure; every leaf keeps its dtype."""
        found = parts_of(value)
        if found is None:
            return self._array(value, None, path, None)
        names, items = found
        if names is None:
            return TupleValue(tuple([self._tree(v, f"{path}.{k}") for k, v in enumerate(items)]))
        self.containers.setdefault(names, container_like(value))
        return RecordValue(tuple([(n, self._tree(v, f"{path}.{n}")) for n, v in zip(names, items, strict=True)]))

    # ------------------------------------------------------------ leaves

    def _array(self, value: Any, dtype: DType | None, path: str, type: Type | None) -> Value:
        shown = show_type(type) if type is not None else "an array"
        if isinstance(value, NUMBERS):
            target = dtype or default_dtype(value)
            check_number(value, target, path)
            self.steps.append(Step(number_conversion(target, path)))
            return Slot(Tensor(target, ()))
        if isinstance(value, list | tuple):
            return self._list(value, dtype, path, shown)
        found = tensor_of(value)
        if found is None:
            raise Problem("E0901", f"{path} is {kind_of(value)}, not {shown}")
        target = dtype or found.dtype
        self.steps.append(Step(conversion(found.dtype, target, path, value, self._note(type))))
        return Slot(Tensor(target, found.shape))

    def _note(self, type: Type | None) -> str:
        return "" if type is None else show_type(type)

    def _list(self, value: Sequence[Any], dtype: DType | None, path: str, shown: str) -> Value:
        """A list of numbers is an array where an array is wanted: one leaf for each number comes in."""
        try:
            array = np.asarray(value)
        except ValueError:
            raise Problem("E0901", f"{path} is a ragged list, not {shown}") from None
        if array.dtype.kind not in "biufc":
            raise Problem("E0901", f"{path} is {kind_of(value)}, not {shown}")
        target = dtype or default_dtype(array.flat[0].item() if array.size else 0.0)
        for number in array.ravel().tolist():
            check_number(number, target, path)
        shape, count = array.shape, array.size
        self.steps.append(Step(lambda given: np.asarray(given, target.numpy).reshape(shape), count))
        return Slot(Tensor(target, shape))


def tensor_of(value: Any) -> Tensor | None:
    """Dtype and shape of anything that holds an array."""
    if isinstance(value, Array):
        return value.type
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None:
        return None
    if not isinstance(dtype, np.dtype):
        dtype = np.asarray(value).dtype
    known = BY_NUMPY.get(dtype.newbyteorder("="))
    return None if known is None else Tensor(known, tuple(shape))


def kind_of(value: Any) -> str:
    """What a value is, in a few words."""
    found = tensor_of(value)
    if found is not None:
        return str(found)
    if isinstance(value, Mapping):
        return "a dict"
    return f"a {type(value).__name__}"


# ---------------------------------------------------------------- conversions


def preserves(source: DType, target: DType) -> bool:
    """Whether every value of `source` is one of `target`."""
    return source == target or (bool(np.can_cast(_plain(source), _plain(target), "safe")) and _keeps(source, target))


def _plain(dtype: DType) -> np.dtype[Any]:
    return np.dtype(np.float32) if dtype.name == "bf16" else dtype.numpy


def _keeps(source: DType, target: DType) -> bool:
    """bf16 is no f16 and no f32 is a bf16; bools are not numbers; no float holds all integers of 64 bits."""
    large = source.is_integer and source.bits == 64 and target.is_inexact
    return target.name != "bf16" and not (source.is_bool and not target.is_bool) and not large


def conversion(source: DType, target: DType, path: str, value: Any, wanted: str) -> Convert | None:
    if source == target:
        if isinstance(value, Array | np.ndarray) and value.dtype == target.numpy:
            return None
        return lambda given: np.asarray(given, target.numpy)  # of another byte order, say
    if not preserves(source, target):
        call = f"{path}.astype(np.{target.numpy.name})"
        message = f"{path} is {kind_of(value)}, but {wanted or target.name} is wanted: {source} to {target}"
        raise Problem("E0902", message + " may lose something", f"convert it yourself: `{call}`")
    return lambda given: np.asarray(given).astype(target.numpy)


def number_conversion(target: DType, path: str) -> Convert:
    def convert(number: Any) -> Any:
        check_number(number, target, path)
        return np.asarray(number, target.numpy)

    return convert


def check_number(number: Any, target: DType, path: str) -> None:
    """A Python number takes the dtype of its parameter if that can hold it."""
    if isinstance(number, bool):
        if not target.is_bool:
            raise Problem("E0910", f"{path} is {number}, not a number of type {target}")
    elif target.is_bool:
        raise Problem("E0910", f"{path} is {number!r}, not a bool")
    elif isinstance(number, int):
        low, high = integer_range(target) if target.is_integer else (number, number)
        if not low <= number <= high:
            raise Problem("E0910", f"{path} is {number}, which {target} cannot hold ({low} to {high})")
    elif isinstance(number, complex) and not target.is_complex:
        raise Problem("E0910", f"{path} is {number}, and {target} is real")
    elif target.is_integer:
        raise Problem("E0910", f"{path} is {number}, and {target} is an integer type")
    elif _overflows(number, target):
        raise Problem("E0910", f"{path} is {number}, which {target} cannot hold")


def _overflows(number: Any, target: DType) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.isfinite(number)) and not bool(np.isfinite(np.asarray(number).astype(target.numpy)))


# ---------------------------------------------------------------- containers


def container_like(value: Any) -> Container:
    """What builds a record like the given one from its fields."""
    if isinstance(value, Mapping):
        return dict
    kind = type(value)
    return lambda fields: kind(**fields)


# ---------------------------------------------------------------- the whole call


def ordered(
    definition: core.Function, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments by the name of their parameter, and sizes given by name. Raises for what is missing or too
    much.
    """
    signature = definition.signature
    given = dict(kwargs)
    sizes = {v.name: given.pop(v.name) for v in signature.extra_sizes if v.name in given}
    places = [p for p in signature.params if not p.keyword_only]
    problems: list[Problem] = []
    if len(args) > len(places):
        message = f"{definition.name} takes {len(places)} positional arguments, {len(args)} were given"
        problems.append(Problem("E0906", message))
    values: dict[str, Any] = {}
    for parameter, arg in zip(places, args, strict=False):
        if parameter.name in given:
            message = f"`{parameter.name}` is given twice, by position and by name"
            problems.append(Problem("E0907", message, span=parameter.span))
        values[parameter.name] = arg
    names = {p.name for p in signature.params}
    for name in given:
        if name not in names:
            problems.append(Problem("E0906", f"{definition.name} has no parameter `{name}`"))
    values |= {name: value for name, value in given.items() if name in names}
    for parameter in signature.params:
        if parameter.name not in values and parameter.default is None:
            problems.append(Problem("E0905", f"`{parameter.name}` is missing", span=parameter.span))
    for variable in signature.extra_sizes:
        if variable.name not in sizes:
            message = f"the size `{variable.name}` is not determined by any argument"
            problems.append(Problem("E0905", message, f"give it by name: `{variable.name} = …`"))
    if problems:
        raise argument_error(problems, definition)
    return values, sizes


def bind(
    definition: core.Function,
    values: Mapping[str, Any],
    sizes: Mapping[str, Any],
    mapped: Stripping,
    default: Default,
) -> Binding:
    """Checks a call and says how to make it. `mapped` takes axes off the arguments; `default` evaluates the
    default of a static parameter.
    """
    binder = Binder(definition)
    args: dict[int, Value] = {}
    for variable in definition.signature.extra_sizes:
        binder.variables.sizes[variable] = sizes[variable.name]
    for parameter in definition.signature.params:
        if parameter.name in values:
            try:
                args[parameter.id] = _bound(binder, parameter, values[parameter.name])
            except Problem as problem:
                problem.span = problem.span or parameter.span
                binder.problems.append(problem)
    if not binder.problems:
        _settle(binder, args, mapped, default)
    if binder.problems:
        raise argument_error(binder.problems, definition)
    _guard_indices(binder)
    given = tuple([args.get(p.id, MISSING) for p in definition.signature.params])
    extra = tuple([(v, sizes[v.name]) for v in definition.signature.extra_sizes])
    return Binding(given, tuple(binder.steps), binder.containers, extra)


def _bound(binder: Binder, parameter: core.Parameter, value: Any) -> Value:
    if not parameter.counts:
        static = static_value(value, parameter.type, parameter.name)
        bind_static(parameter, static, binder.variables)
        return static
    return binder.structure(parameter.type, value, parameter.name)


def _settle(binder: Binder, args: dict[int, Value], mapped: Stripping, default: Default) -> None:
    """Sizes from all arguments, then defaults, then constraints."""
    signature = binder.definition.signature
    traced = [p for p in signature.params if p.counts]
    try:
        for number, parameter in enumerate(traced):
            if parameter.id in args:
                element = mapped.strip(number, parameter.name, args[parameter.id])
                binder.matcher.match(parameter.type, element, Place(parameter.name))
        named = mapped.sizes()
    except Problem as problem:
        binder.problems.append(problem)
        return
    for effect in signature.effects.effects:
        if isinstance(effect, Axis) and effect.size is not None and effect.name in named:
            binder.matcher.pending.append((effect.size, named[effect.name], Place(traced[0].name)))
    binder.matcher.finish()
    spans = {p.name: p.span for p in signature.params}
    for conflict in binder.matcher.conflicts:
        binder.problems.append(of_conflict(conflict, spans[conflict.second_place.parameter]))
    if binder.problems:
        return
    for parameter in signature.params:
        if parameter.id not in args and not parameter.counts:
            args[parameter.id] = default(parameter, binder.variables, args)
            bind_static(parameter, args[parameter.id], binder.variables)
    for prop in signature.where:
        if holds(prop, binder.variables) is False:
            message = f"`{binder.definition.name}` needs {prop}{_values(prop, binder.variables)}"
            binder.problems.append(Problem("E0911", message))


def _values(prop: Prop, variables: Variables) -> str:
    """`; here n = 3, s = [3, 4]`: what it mentions."""
    given = {v.name: str(value) for v, value in variables.sizes.items()}
    given |= {v.name: str(Shape.of(*value)) for v, value in variables.shapes.items()}
    given |= {v.name: show_argument(value) for v, value in variables.statics.items()}
    mentioned = set(re.findall(r"\w+", str(prop)))
    known = [f"{name} = {value}" for name, value in given.items() if name in mentioned]
    return f"; here {', '.join(known)}" if known else ""


def holds(prop: Prop, variables: Variables) -> bool | None:
    """Whether a constraint holds for the sizes at hand; None if that cannot be said."""
    decided = simplified(variables.substitution().prop(prop))
    return decided.value if isinstance(decided, Known) else None


def _guard_indices(binder: Binder) -> None:
    """Index arguments are compared with their bound at every call."""
    for place, bound, path in binder.indices:
        limit = binder.variables.size(bound)
        step = binder.steps[place]
        binder.steps[place] = Step(_index_conversion(step.convert, limit, path), step.count)


def _index_conversion(convert: Convert | None, limit: int, path: str) -> Convert:
    def check(given: Any) -> Any:
        value = given if convert is None else convert(given)
        array = np.asarray(value)
        if array.size and not (int(array.min()) >= 0 and int(array.max()) < limit):
            wrong = int(array.min()) if int(array.min()) < 0 else int(array.max())
            raise Problem("E0912", f"{path} holds {wrong}, which is no index below {limit}")
        return value

    return check
