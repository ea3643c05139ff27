"""Arguments from Python against the parameters of a definition: which program they ask for, and its
inputs.

`bind` runs once for every new kind of arguments: it checks structure, dtypes, sizes and constraints,
and leaves behind a `Binding` that says how each leaf becomes an array of the type the program takes.
Only what depends on elements is checked at every call: numbers that must be representable, indices that
must be in range. Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never, cast

from dsl.core import binding, core
from dsl.core.solving import Place
from dsl.core.statics.calls import StaticCall
from dsl.host.argument_errors import Problem, argument_error, of_conflict, python_function_inside, suggestion
from dsl.host.arguments.conversions import index_conversion, kind_of, read_array, tensor_of
from dsl.host.arguments.dtype_inference import infer_dtype, seen_by_variable
from dsl.host.arguments.inputs import Binding, Container, Stack, Step, evaluate_bounds
from dsl.host.arguments.keys import is_seed, key_of_seed, keys_of_seeds, no_key
from dsl.host.arguments.python_functions import settled
from dsl.host.arguments.pytree import NUMBERS, SEQUENCES, holds_function, is_list, parts_of
from dsl.host.arguments.static_arguments import static_argument, static_value
from dsl.host.arguments.vmap_axes import Stripping
from dsl.ir.function import Tensor
from dsl.records import replace
from dsl.staging.env.environment import Variables
from dsl.staging.env.signature_matching import Matcher, bind_static
from dsl.staging.values import MISSING, RecordValue, Slot, TupleValue, Value, leaves, map_leaves
from dsl.types import limits
from dsl.types.dtype import I32, U32, DType
from dsl.types.effect import Axis
from dsl.types.facts import Known, OpaqueProp, Prop, atoms_of, calls_of, simplified
from dsl.types.shape import CHOICE, Shape, ShapeCall, Splice, StaticArg
from dsl.types.show import show_type
from dsl.types.size import Opaque, Size, SizeVar
from dsl.types.static_argument import argument_text
from dsl.types.static_parts import has_gap, names_in
from dsl.types.type import (
    SIZE,
    ArrayType,
    DTypeVar,
    FunctionType,
    IndexType,
    KeyType,
    OptionalType,
    RecordType,
    StackedType,
    TupleType,
    Type,
    TypeVar,
)
from dsl.types.walk import equating_calls, shapes_in

Default: TypeAlias = Callable[[core.Parameter, Variables, Mapping[int, Value]], Value]


class Binder:
    """One call being bound."""

    def __init__(self, definition: core.Function) -> None:
        self.definition = definition
        self.variables = Variables(definition.solution)
        self.matcher = Matcher(variables=self.variables)
        self.problems: list[Problem] = []
        self.steps: list[Step | Stack] = []
        self.containers: dict[tuple[str, ...], Container] = {}
        self.trees: dict[TypeVar, tuple[Value, str]] = {}

    def again(self) -> Binder:
        """For another value of types with the same variables, when all are known."""
        made = Binder(self.definition)
        made.variables = self.variables
        made.trees = self.trees
        return made

    # ------------------------------------------------------------ dtype variables

    def dtypes(self, values: Mapping[str, Any]) -> None:
        """Finds what dtype variables stand for: the arrays decide, and numbers take what they say."""
        for variable, seen in seen_by_variable(self.definition.signature.params, values).items():
            try:
                self.variables.dtypes.setdefault(variable, infer_dtype(variable, seen))
            except Problem as problem:
                self.problems.append(problem)

    # ------------------------------------------------------------ structure

    def structure(self, type: Type, value: Any, path: str) -> Value:
        """The skeleton of a traced argument; its leaves are converted to the dtypes `type` asks for."""
        match type:
            case ArrayType(dtype, _):
                return self._array(value, self._dtype(dtype), path, type)
            case IndexType():
                return self._index(value, path, type)
            case KeyType():
                return self._key(value, path, type)
            case TupleType(parts):
                return self._tuple(parts, value, path, type)
            case RecordType(fields):
                return self._record(fields, value, path, type)
            case StackedType(TypeVar() as variable, _):
                return self._vectors(variable, self._tree(value, path, None, None), path)
            case StackedType(RecordType() as element, _) if is_list(value):
                return self._stack(element, value, path)
            case StackedType(element, _):
                return self.structure(element, value, path)
            case OptionalType(base):
                return None if value is None else self.structure(base, value, path)
            case TypeVar():
                return self._generic(type, value, path)
            case FunctionType() if callable(value) and not holds_function(value):
                raise python_function_inside(path, "tuple or record")
            case FunctionType():
                return static_value(value, type, path)
            case _:
                raise Problem("E0901", f"{path} has a type that cannot be passed from Python: {show_type(type)}")

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
            help = f"a record is a dict, or an object with the fields {', '.join([name for name, _ in fields])}"
            raise Problem("E0901", f"{path} is {kind_of(value)}, not {show_type(type)}", help)
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

    def _stack(self, type: RecordType, items: Sequence[Any], path: str) -> Value:
        """A list of records, or of lists of them, as one record of arrays."""
        if not items:
            help = "give one record, whose arrays have an axis of size 0 in front"
            raise Problem("E0901", f"{path} is empty, which does not tell the sizes of {show_type(type)}", help)
        start, ends, made = len(self.steps), [], []
        for k, item in enumerate(items):
            made.append((self._stack if is_list(item) else self.structure)(type, item, f"{path}[{k}]"))
            ends.append(len(self.steps))
        for k, other in enumerate(made):
            if other != made[0]:
                raise Problem("E0903", f"{path}[{k}] has other sizes or dtypes than {path}[0]")
        starts = [start, *ends[:-1]]
        stack = Stack(tuple([tuple(self.steps[a:b]) for a, b in zip(starts, ends, strict=True)]))
        self.steps[start:] = [stack]
        return map_leaves(lambda leaf: add_leading_axis(leaf, len(items)), made[0])

    def _generic(self, variable: TypeVar, value: Any, path: str) -> Value:
        """A tree for a type variable: the first one says what all others are."""
        like, first = self.trees.get(variable, (None, ""))
        dtypes = variable.constraint.dtypes
        made = self._tree(value, path, like, dtypes[0] if len(dtypes) == 1 else None)
        made = self._vectors(variable, made, path)
        if like is not None and _structure(made) != _structure(like):
            raise _unlike(variable, first, path)
        self.trees.setdefault(variable, (made, path))
        return made

    def _vectors(self, variable: TypeVar, made: Value, path: str) -> Value:
        wanted = variable.constraint
        what = "float" if wanted.over is None else wanted.over
        for leaf in leaves(made):
            if isinstance(leaf, Slot) and leaf.type.dtype not in wanted.dtypes:
                message = f"{path} holds {leaf.type}, and every leaf of a {wanted} `{variable.name}` is a {what}"
                raise Problem("E0901", message)
        return made

    def _tree(self, value: Any, path: str, like: Value, only: DType | None) -> Value:
        """A tree of any structure; every leaf keeps its dtype, or takes that of the tree it must be like, or the only
        one of its class."""
        found = parts_of(value)
        if found is None:
            return self._array(value, like.type.dtype if isinstance(like, Slot) else only, path, None)
        names, items = found
        if names is None:
            same = isinstance(like, TupleValue) and len(like.parts) == len(items)
            parts = like.parts if isinstance(like, TupleValue) and same else (None,) * len(items)
            pairs = enumerate(zip(items, parts, strict=True))
            return TupleValue(tuple([self._tree(v, f"{path}.{k}", part, only) for k, (v, part) in pairs]))
        self.containers.setdefault(names, container_like(value))
        known = dict(like.fields) if isinstance(like, RecordValue) else {}
        fields = [(n, self._tree(v, f"{path}.{n}", known.get(n), only)) for n, v in zip(names, items, strict=True)]
        return RecordValue(tuple(fields))

    # ------------------------------------------------------------ leaves

    def _array(self, value: Any, dtype: DType | None, path: str, type: Type | None) -> Value:
        read = read_array(value, dtype, path, None if type is None else show_type(type))
        self.steps.append(Step(read.convert, None if read.parts is None else len(read.parts)))
        return Slot(read.type)

    def _index(self, value: Any, path: str, type: IndexType) -> Value:
        """Integers of any dtype, since each is held against the bound."""
        found = None if isinstance(value, (*NUMBERS, *SEQUENCES)) else tensor_of(value)
        if found is not None and found.dtype.is_integer:
            self.steps.append(Step(index_conversion(value), None, (type.bound, path)))
            return Slot(Tensor(I32, found.shape))
        made = self._array(value, I32, path, type)
        last = self.steps[-1]
        assert isinstance(last, Step)
        self.steps[-1] = replace(last, bound=(type.bound, path))
        return made

    def _key(self, value: Any, path: str, type: KeyType) -> Value:
        """Words of keys, or integers that seed them."""
        if is_seed(value):
            key_of_seed(value, path)
            self.steps.append(Step(lambda given: key_of_seed(given, path)))
            return Slot(Tensor(U32, (2,)))
        seeds = keys_of_seeds(value, type.shape.rank, path)
        if seeds is not None:
            shape, convert = seeds
            self.steps.append(Step(convert, None) if hasattr(value, "dtype") else Step(convert, prod(shape)))
            return Slot(Tensor(U32, (*shape, 2)))
        try:
            found = self._array(value, U32, path, type)
        except Problem:
            raise no_key(value, path) from None
        if not isinstance(found, Slot) or found.type.shape[-1:] != (2,):
            raise no_key(value, path)
        return found


def _structure(value: Value) -> Value:
    """A tree without the shapes of its leaves, some of which may have an axis that is mapped."""
    return map_leaves(lambda leaf: leaf.type.dtype if isinstance(leaf, Slot) else leaf, value)


def _unlike(variable: TypeVar, first: str, second: str) -> Problem:
    return Problem("E0904", f"`{variable.name}` is one type according to {first} and another according to {second}")


def add_leading_axis(leaf: Value, count: int) -> Value:
    """A leaf with one more axis in front."""
    return Slot(Tensor(leaf.type.dtype, (count, *leaf.type.shape))) if isinstance(leaf, Slot) else leaf


# ---------------------------------------------------------------- containers


def container_like(value: Any) -> Container:
    """Return a constructor for a record like the given one, from its fields."""
    if isinstance(value, Mapping):
        return dict
    kind = type(value)
    return lambda fields: kind(**fields)


# ---------------------------------------------------------------- the whole call


def bind_by_name(
    definition: core.Function, args: Sequence[Any], kwargs: Mapping[str, Any], transformed: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of a definition, or of a transformation of it, by the name of their parameter, and sizes given by
    name. Raises for what is missing or too much.
    """
    signature = definition.signature
    sizes = {v.name: kwargs[v.name] for v in signature.extra_sizes if v.name in kwargs}
    named = {name: value for name, value in kwargs.items() if name not in sizes}
    slots = [binding.Slot(p.name, p.keyword_only, p.default is None) for p in signature.params]
    names = [*[None] * len(args), *named]
    bound = binding.bind(slots, binding.name_arguments(signature.params, names) if transformed else names)
    problems = [problem for mistake in bound.mistakes for problem in _misbound(definition, mistake)]
    for variable in signature.extra_sizes:
        if variable.name not in sizes:
            message = f"size `{variable.name}` cannot be inferred from the arguments"
            problems.append(Problem("E0905", message, f"pass it by name: `{variable.name} = …`"))
    if problems:
        raise argument_error(problems, definition)
    given = [*args, *named.values()]
    return {name: given[place] for name, place in bound.places.items()}, sizes


def _misbound(definition: core.Function, mistake: binding.Mistake) -> Iterator[Problem]:
    """Yield the mistakes in the arguments of a call."""
    spans = {p.name: p.span for p in definition.signature.params}
    match mistake:
        case binding.TooMany(places, given):
            yield Problem("E0906", f"{definition.written_name} takes {places} positional arguments, {given} were given")
        case binding.ByPosition(name):
            yield Problem("E0906", f"{definition.written_name} takes `{name}` by name: `{name}=…`", span=spans[name])
        case binding.Unknown(name):
            near = suggestion(name, spans)
            yield Problem("E0906", f"{definition.written_name} has no parameter `{name}`{near}")
        case binding.Twice(name):
            yield Problem("E0907", f"`{name}` is given twice, by position and by name", span=spans[name])
        case binding.Missing(names):
            yield from (Problem("E0905", f"`{name}` is missing", span=spans[name]) for name in names)
        case _:
            assert_never(mistake)


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
        try:
            size = static_value(sizes[variable.name], SIZE, variable.name)
            binder.variables.sizes[variable] = size if isinstance(size, int) else 0
        except Problem as problem:
            binder.problems.append(problem)
    binder.dtypes(values)
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
    steps = [evaluate_bounds(step, binder.variables.size) for step in binder.steps]
    given = tuple([args.get(p.id, MISSING) for p in definition.signature.params])
    extra = tuple([(v, sizes[v.name]) for v in definition.signature.extra_sizes])
    return Binding(given, tuple(steps), binder.containers, extra, binder.variables)


def _bound(binder: Binder, parameter: core.Parameter, value: Any) -> Value:
    if not parameter.counts:
        static = static_argument(value, parameter)
        bind_static(parameter, static, binder.variables)
        return static
    first = len(binder.steps)
    made = binder.structure(parameter.type, value, parameter.name)
    binder.steps[first:] = [replace(step, span=parameter.span) for step in binder.steps[first:]]
    return made


def _settle(binder: Binder, args: dict[int, Value], mapped: Stripping, default: Default) -> None:
    """Sizes from all arguments, then defaults, then constraints."""
    signature = binder.definition.signature
    traced = [p for p in signature.params if p.counts]
    try:
        for number, parameter in enumerate(traced):
            if parameter.id in args:
                element = mapped.strip(number, parameter.name, args[parameter.id])
                binder.matcher.bind(parameter.type, element, Place(parameter.name))
        named = mapped.sizes()
    except Problem as problem:
        binder.problems.append(problem)
        return
    for effect in signature.effects.effects:
        if isinstance(effect, Axis) and effect.size is not None and effect.name in named:
            binder.matcher.equate(effect.size, Size.of(named[effect.name]), Place(traced[0].name))
    for variable, place in binder.matcher.unlike:
        binder.problems.append(_unlike(variable, binder.trees[variable][1], place.parameter + place.path))
    binder.problems += _conflicts(binder, signature)
    if binder.problems:
        return
    for parameter in signature.params:
        if parameter.id not in args and not parameter.counts:
            args[parameter.id] = default(parameter, binder.variables, args)
            bind_static(parameter, args[parameter.id], binder.variables)
    binder.problems += _conflicts(binder, signature)
    try:
        args |= {p.id: settled(args[p.id], binder, p) for p in signature.params if not p.counts}
    except Problem as problem:
        binder.problems.append(problem)
    binder.problems += map(_too_long, filter(_is_too_long, binder.variables.sizes.items()))
    binder.problems += _apart(binder, signature)
    if not binder.problems:
        binder.problems += _without_value(binder, signature)
    for prop in signature.where:
        decided = holds(prop, binder.variables)
        if decided is False or _is_beyond_budget(decided):
            name = binder.definition.written_name
            why = "" if decided is False else ", which takes too long to evaluate"
            needs = f"`{name}` needs {prop}{why}{_values(prop, binder.variables)}"
            stated = signature.message(prop)
            message = needs if stated is None else f"`{name}`: {stated} ({needs})"
            binder.problems.append(Problem("E0911", message))


def _conflicts(binder: Binder, signature: core.Signature) -> Iterator[Problem]:
    """Sizes and shapes that arguments do not agree on, as far as is known of the static ones."""
    spans = {p.name: p.span for p in signature.params}
    binder.matcher.settle()
    for conflict in binder.matcher.conflicts:
        yield of_conflict(conflict, spans[conflict.second_place.parameter])


def _apart(binder: Binder, signature: core.Signature) -> Iterator[Problem]:
    """Shapes that the signature lets meet, and that do not."""
    substitution = binder.variables.substitution()
    for call in equating_calls(*(p.type for p in signature.params), signature.result):
        for stuck in substitution.shape(Shape((Splice(call),))).calls():
            given = " and ".join(map(argument_text, stuck.args))
            differ = _APART.get(stuck.function, "do not broadcast")
            needed = stuck if call.function == CHOICE else call
            yield Problem("E0911", f"`{binder.definition.written_name}` needs {needed}; {given} {differ}")


def _without_value(binder: Binder, signature: core.Signature) -> Iterator[Problem]:
    """Sizes of the result that a static function does not give for these arguments, or that no axis can have."""
    substitution, name = binder.variables.substitution(), binder.definition.written_name
    for dim in (dim for shape in shapes_in(signature.result) for dim in substitution.shape(shape).dims):
        if isinstance(dim, Size) and (dim.constant or 0) > limits.AXIS:
            yield Problem("E0911", f"an axis has at most {limits.AXIS} elements; the result of `{name}` has {dim}")
        for part in dim.atoms() if isinstance(dim, Size) else (dim.of,):
            match part:
                case Opaque(evaluate=StaticCall()) | ShapeCall(compute=StaticCall()):
                    args: tuple[Any, ...] = part.args
                    if not has_gap(args):
                        yield Problem("E0911", f"`{name}` needs {part}, which has no value")


_APART = MappingProxyType({"reshaped": "have not as many elements", "contracted": "have different inner sizes"})
"""What is wrong with the two shapes of a call that has no value."""


def _is_too_long(found: tuple[SizeVar, int]) -> bool:
    variable, size = found
    return variable.natural and size > limits.AXIS


def _too_long(found: tuple[SizeVar, int]) -> Problem:
    return Problem("E0911", f"an axis has at most {limits.AXIS} elements; here {found[0].name} = {found[1]}")


def holds(prop: Prop, variables: Variables) -> bool | Prop:
    """Decide if a constraint holds for the given sizes, or return what remains of it."""
    decided = simplified(variables.substitution().prop(prop))
    return decided.value if isinstance(decided, Known) else decided


def _is_beyond_budget(prop: bool | Prop) -> bool:
    """Return whether a condition waits for static functions although their arguments are known."""
    if isinstance(prop, bool):
        return False
    calls: list[OpaqueProp | Opaque] = [*calls_of(prop), *(atom for atom in atoms_of(prop) if isinstance(atom, Opaque))]
    return any(isinstance(call.evaluate, StaticCall) and not has_gap(cast(StaticArg, call.args)) for call in calls)


def _values(prop: Prop, variables: Variables) -> str:
    """`; here n = 3, s = [3, 4]`: what it mentions."""
    given = {v.name: str(value) for v, value in variables.sizes.items()}
    given |= {v.name: str(Shape.of(*value)) for v, value in variables.shapes.items()}
    given |= {v.name: argument_text(value) for v, value in variables.statics.items()}
    mentioned = {name.partition(".")[0] for name in names_in(prop)}
    known = [f"{name} = {value}" for name, value in given.items() if name in mentioned]
    return f"; here {', '.join(known)}" if known else ""
