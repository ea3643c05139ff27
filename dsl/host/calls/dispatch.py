"""Calls from Python of what is compiled for each kind of arguments: the program of a call is found, or made.

The first call with a new kind of arguments has its program made; every later one looks that up by a key of the
arguments' types and static values, and runs it. Read next: `call_binder`, `program_store`, `cached_call`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from dsl.core.binding import by_position
from dsl.diagnostics.diagnostic import CheckError, Diagnostic, Label
from dsl.host.arguments.argument_readers import Reader, reader_of
from dsl.host.arguments.keys import key_data
from dsl.host.arguments.placement import Where, where
from dsl.host.arguments.written_readers import written
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.call_binder import CallBinder, ReadCall
from dsl.host.calls.faults import FAULTS, explain_fault
from dsl.host.calls.known_calls import KnownCalls
from dsl.host.calls.nan_checks import CHECKING, not_finite, unchecked
from dsl.host.calls.program_store import CacheInfo, ProgramStore
from dsl.host.checking.signature_text import show_function
from dsl.host.results.variants import Variant
from dsl.types.type import EnumType
from lowering.xla.execute import OutOfMemory
from lowering.xla.hot_calls import Hot, Surroundings, by_marks, hot_call

Make: TypeAlias = Callable[[ReadCall, Where], Entry]
"""Makes the program of a call."""

KNOWN = 4
"""So many structures of arguments are recognised at once."""

TURNS = 8
"""So many programs that take turns are looked at one after another, without a look at what else is known."""

IN_TURNS = 64
"""So many are found by one of their arguments."""


class Dispatcher:
    """Callable with arrays, numbers and containers of them; see `type` for its signature.

    Its `binder` reads and binds calls, its `store` has the programs, and `make` makes those it has not. What is called
    is an attribute, not a method: `_called`, or after a call with arrays the one function that makes only calls like
    it, without looking up anything of the object; it calls the one before in all other cases.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Callable[..., Any]
    _repeats: ClassVar[bool] = True
    """Whether a call like the one before needs no look at the object."""

    def __init__(self, binder: CallBinder, make: Make) -> None:
        callee = binder.callee
        self.value = callee.value
        self.definition = callee.definition
        self.signature = callee.signature
        self.draws = callee.draws
        """Whether a call needs a key to draw from, given as `key`."""
        self.maps = callee.maps
        self.binder = binder
        self.store = ProgramStore(callee.name, self._forget)
        self._make = make
        self._known: tuple[KnownCalls, ...] = ()
        self._hot: tuple[Hot, ...] = ()
        self.__call__ = self._called
        self.__doc__ = self.type if self.doc is None else f"{self.type}\n\n{self.doc}"

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
        return self.store.info

    # ------------------------------------------------------------ calls

    def enum_variants(self, type: EnumType) -> Mapping[str, Variant]:
        """The variants of an enum by name."""
        return self.binder.variants(type)

    def entry(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Entry, list[Any]]:
        """Return the program of a call, and its traced leaves in order."""
        call = self.binder.read(args, kwargs)
        places = where(call.leaves)
        return self.store.program((places, call.key), self._make, call, places), call.leaves

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        """A call that is not like the one before."""
        if CHECKING.get() is not None:
            return self._checked(args, kwargs)
        try:
            for known in self._known:
                result = known(args, kwargs)
                if result is not None:
                    self.store.tally.hits += 1
                    self._prefer(known.hot)
                    return result
            entry, leaves = self.entry(args, kwargs)
            result = entry.run(leaves)
        except FAULTS as fault:
            raise explain_fault(fault, self.definition) from None
        self._remember(entry, args, kwargs, result)
        return result

    def _heated(
        self,
        entry: Entry,
        reader: Reader,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        leaves: Sequence[Any],
        anywhere: bool,
    ) -> Hot | None:
        """Return the quickest call of a program for arrays and numbers of these kinds, given as in this call; small
        arrays may be parts of any buffers if `anywhere`."""
        given = entry.given(leaves) if self._repeats else None
        if given is None:
            return None
        finding = written(reader, args, kwargs)
        around = Surroundings(finding, entry.rebuild.building, CHECKING.get, self.store.tally, self._too_large)
        return hot_call(entry.executable, given, around, anywhere)

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
        self._prefer(None if known is None else known.hot)

    def _prefer(self, hot: Hot | None) -> None:
        """From now on look first whether a call is like those of a program, then at the few before it."""
        if hot is None or hot in self._hot:
            return
        self._hot = (hot, *self._hot[: IN_TURNS - 1])
        call: Callable[..., Any] = self._called
        for each in reversed(self._hot[:TURNS]):
            call = each(call)
        self.__call__ = by_marks(self._hot, call)

    def _know(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> KnownCalls | None:
        """Recognise calls like this one from now on; None where something of it cannot be told apart cheaply."""
        params = self.signature.params
        positional = by_position(params, kwargs if self.binder.callee.transformed else ())
        reader = reader_of(params, positional, args, kwargs, self._read_key if self.draws else None)
        if reader is None:
            return None
        known = KnownCalls(reader, self._heated)
        known.remember(entry, args, kwargs)
        self._known = (known, *self._known[: KNOWN - 1])
        return known

    def _read_key(self, value: Any, found: list[Any]) -> bool:
        found.append(key_data(value, self.definition))
        return True

    def _forget(self) -> None:
        """Recognise no calls any more."""
        self._known, self._hot, self.__call__ = (), (), self._called
