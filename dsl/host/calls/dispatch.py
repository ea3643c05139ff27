"""Calls from Python of what is compiled for each kind of arguments: the program of a call is found, or made.

The first call with a new kind of arguments has its program made; every later one looks that up by a key of the
arguments' types and static values, and runs it. Read next: `binding`, `cached_call`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dsl.core import core
from dsl.core.binding import by_position
from dsl.diagnostics.diagnostic import CheckError, Diagnostic, Label
from dsl.host.argument_errors import Problem
from dsl.host.arguments.argument_readers import Reader, reader_of
from dsl.host.arguments.binding import bind, bind_by_name
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.keys import key_data
from dsl.host.arguments.placement import Where, where
from dsl.host.arguments.pytree import flatten, static_key
from dsl.host.arguments.vmap_axes import Stripping, maps_of
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.faults import FAULTS, explain_fault
from dsl.host.calls.known_calls import KnownCalls
from dsl.host.calls.nan_checks import CHECKING, not_finite, unchecked
from dsl.host.calls.program_store import CacheInfo, ProgramStore
from dsl.host.checking.signature_text import show_function
from dsl.host.python_types.kinds import draws
from dsl.host.results.variants import Variant, with_variants
from dsl.staging import errors as staging_errors
from dsl.staging.env.environment import Variables
from dsl.staging.values import FunctionValue, Transformed, Value, definition_of
from dsl.types.limits import Exceeded
from dsl.types.type import EnumType
from lowering.xla.array import Array
from lowering.xla.execute import OutOfMemory
from lowering.xla.hot_calls import Surroundings, hot_call

KNOWN = 4
"""So many structures of arguments are recognised at once."""


class Dispatcher(ABC):
    """Callable with arrays, numbers and containers of them; see `type` for its signature.

    What is called is an attribute, not a method: `_called`, or after a call with arrays the one function that makes
    only calls like it, without looking up anything of the object.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Callable[..., Any]

    def __init__(self, value: FunctionValue) -> None:
        self.value = value
        named = definition_of(value)
        assert named is not None
        self.definition = named.definition
        self.signature = self.definition.signature
        self.draws = draws(self.definition)
        """Whether a call needs a key to draw from, given as `key`."""
        self.maps = maps_of(value, sum(p.counts for p in self.signature.params))
        self._transformed = isinstance(value, Transformed)
        self.__call__ = self._called
        self._known: tuple[KnownCalls, ...] = ()
        self._store = ProgramStore(self.__name__, self._forget)
        self.__doc__ = self.type if self.doc is None else f"{self.type}\n\n{self.doc}"

    @abstractmethod
    def _compiled(self, value: FunctionValue, binding: Binding, places: Where, values: Mapping[str, Any]) -> Entry:
        """The program for a kind of arguments; `values` are those of a call by name."""

    @abstractmethod
    def _default(self, parameter: core.Parameter, variables: Variables, given: Mapping[int, Value]) -> Value:
        """Return the value of a static parameter that the call omits."""

    @abstractmethod
    def enum_variants(self, type: EnumType) -> Mapping[str, Variant]:
        """The variants of an enum by name."""

    @property
    def __name__(self) -> str:
        return self.definition.written_name

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

    def cache_info(self) -> CacheInfo:
        """How many calls found their program (to a few, where threads call at once), and how many programs there
        are: one for each choice of sizes, dtypes and static values."""
        return self._store.info

    # ------------------------------------------------------------ calls

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        return self._otherwise(args, kwargs)

    def _otherwise(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call that is not like the one before."""
        if CHECKING.get() is not None:
            return self._checked(args, kwargs)
        try:
            for known in self._known:
                result = known(args, kwargs)
                if result is not None:
                    self._store.tally.hits += 1
                    if known.hot is not None:
                        self.__call__ = known.hot
                    return result
            entry, leaves = self._entry(args, kwargs)
            result = entry.run(leaves)
        except FAULTS as fault:
            raise explain_fault(fault, self.definition) from None
        self._remember(entry, args, kwargs, result)
        return result

    def _heated(
        self, entry: Entry, reader: Reader, args: Sequence[Any], leaves: Sequence[Any]
    ) -> Callable[..., Any] | None:
        """Return the quickest call of a program for arrays of these kinds, given by position as in this call."""
        tally, otherwise = self._store.tally, self._otherwise
        around = Surroundings(reader.reading(args), entry.finish, CHECKING.get, tally, otherwise, self._too_large)
        return hot_call(entry.executable, [type(x) is not Array for x in leaves], around)

    def _too_large(self, fault: OutOfMemory) -> Exception:
        return explain_fault(fault, self.definition)

    def _checked(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call whose result is looked at, where that is switched on."""
        with unchecked() as is_on:
            result = self(*args, **kwargs)
            if is_on and not_finite(result):
                self._explain_not_finite(args, kwargs)
            return result

    def _explain_not_finite(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Raise the error about a call whose result is not finite. Here its lines are not known."""
        message = f"the result of `{self.__name__}` holds NaN or an infinity"
        where = Label(self.definition.span, "the function of the program tells its line")
        raise CheckError([Diagnostic("E0943", message, where)])

    def _remember(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        """Makes the next calls like this one quick."""
        if result is None:
            return
        known = next((each for each in self._known if each.remember(entry, args, kwargs)), None)
        known = self._know(entry, args, kwargs) if known is None else known
        if known is not None and known.hot is not None:
            self.__call__ = known.hot

    def _know(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> KnownCalls | None:
        """Recognise calls like this one from now on; None where something of it cannot be told apart cheaply."""
        params = self.signature.params
        positional = by_position(params, kwargs if self._transformed else ())
        reader = reader_of(params, positional, args, kwargs, self._read_key if self.draws else None)
        if reader is None:
            return None
        known = KnownCalls(reader, self._heated)
        known.remember(entry, args, kwargs)
        self._known = (known, *self._known[: KNOWN - 1])
        return known

    def _adopt(self, other: Dispatcher) -> None:
        self._store.adopt(other._store)

    def _read_key(self, value: Any, found: list[Any]) -> bool:
        found.append(key_data(value, self.definition))
        return True

    def _entry(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Entry, list[Any]]:
        values, sizes, leaves, key = self._key(args, kwargs)
        places = where(leaves)

        def make() -> Entry:
            binding = self._bind(values, sizes)
            binding.inputs(leaves)  # no index fits an axis without elements, and nothing is compiled for none
            return self._compiled(self.value, binding, places, values)

        return self._store.program((places, key), make), leaves

    def _forget(self) -> None:
        """Recognise no calls any more."""
        self._known, self.__call__ = (), self._called

    # ------------------------------------------------------------ arguments

    def _key(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any], list[Any], Any]:
        """Arguments and sizes by name, the traced leaves in order, and the key of everything else."""
        seed = None
        if self.draws:
            kwargs = dict(kwargs)
            seed = kwargs.pop("key", None)
        values, sizes = bind_by_name(self.definition, args, kwargs, self._transformed)
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

    def _bind(self, values: Mapping[str, Any], sizes: Mapping[str, Any]) -> Binding:
        binding = self._bound(values, sizes)
        return binding.with_key() if self.draws else binding

    def _bound(self, values: Mapping[str, Any], sizes: Mapping[str, Any]) -> Binding:
        """Without the key to draw from."""
        named = {p.name: self._variant(p, values[p.name]) for p in self.signature.params if p.name in values}
        try:
            return bind(self.definition, named, sizes, Stripping(self.maps), self._default)
        except Exceeded as growth:
            raise staging_errors.too_large(growth, self.definition.span, ()) from None

    def _variant(self, parameter: core.Parameter, value: Any) -> Any:
        """A static argument with the variants that are given by their names. Raises `Problem` E0909."""
        if not parameter.static:
            return value
        try:
            return with_variants(value, parameter.type, self.enum_variants, parameter.name)
        except Problem as problem:
            raise Problem(problem.code, problem.message, span=parameter.span) from None


def read_call(
    function: Dispatcher, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], list[Any], Any]:
    """Arguments and sizes by name, the traced leaves in order, and the key of everything else, of a call."""
    return function._key(args, kwargs)


def bind_call(function: Dispatcher, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Binding, list[Any]]:
    """Return what the parameters stand for in a call, and its traced leaves in order."""
    values, sizes, leaves, _ = function._key(args, kwargs)
    return function._bind(values, sizes), leaves
