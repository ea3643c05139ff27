"""`@dsl.checked`: ordinary functions of Python whose annotations of jaxtyping are held against every call.

typeguard goes through the annotations; arrays are looked at here, so that all sizes of a call are known before
anything is said of one, and may be computed: `"n-1"`, `"h*d"`. The words are those of calls of programs. Read next:
`axes`, `dsl.staging.env.signature_matching`.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections import deque
from collections.abc import Callable
from functools import cache, lru_cache, partial, wraps
from typing import Any, ParamSpec, TypeVar

import typeguard
from jaxtyping import AbstractArray
from typeguard import CollectionCheckStrategy, TypeCheckConfiguration, TypeCheckError, TypeCheckMemo

from dsl.core.solving import Place
from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Label
from dsl.diagnostics.settings import function_of, setting_error
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem, of_conflict
from dsl.host.arguments.conversions import kind_of
from dsl.host.arguments.pytree import Way, leaves_of
from dsl.host.python_types.axes import Malformed, Names, parse_axes
from dsl.host.python_types.language import is_tree
from dsl.ir.function import Tensor
from dsl.staging.env.environment import Variables
from dsl.staging.env.signature_matching import Matcher
from dsl.staging.values import Slot
from dsl.types.dtype import BOOL
from dsl.types.shape import Shape
from dsl.types.type import ArrayType

P = ParamSpec("P")
R = TypeVar("R")
RESULT = "the result"
_CONFIG = TypeCheckConfiguration(collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its arguments and result held against its annotations. Raises `dsl.ArgumentError` with all that
    does not fit: E0901 for types and dtypes, E0903, E0904 and E0913 for sizes."""
    if _checker_of not in typeguard.checker_lookup_functions:
        typeguard.checker_lookup_functions.append(_checker_of)
    signature, hints = _signature_of(function), cache(partial(typing.get_type_hints, include_extras=True))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        wanted = hints(function)  # only now the names that annotations mention are there
        found = Call(function)
        for name, value in bound.arguments.items():
            if name in wanted:
                found.add(name, value, wanted[name], signature.parameters[name].kind)
        found.judge()
        result = function(*args, **kwargs)
        if "return" in wanted:
            found.add(RESULT, result, wanted["return"], None)
            found.judge()
        return result

    return call


def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    function_of("function", function)
    try:
        return inspect.signature(function)
    except ValueError as error:
        raise setting_error(f"{error}, so there is nothing to check") from None


class Call:
    """One call: what its arrays say about sizes, and what does not fit."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.names = Names()
        self.matcher = Matcher(variables=Variables({}))
        self.problems: list[tuple[str, Problem]] = []

    def add(self, name: str, value: Any, hint: Any, kind: Any) -> None:
        """Holds an argument, or each of `*args`, against its annotation."""
        for place, part in _each(name, value, kind):
            try:
                typeguard.check_type_internal(part, hint, Memo(self, Place(place), part))
            except TypeCheckError as error:
                error.append_path_element(place)
                self.problems.append((name, Problem("E0901", str(error))))

    def array(self, value: Any, wanted: Shape, place: Place) -> None:
        """Takes note of the axes of one array."""
        found = Slot(Tensor(BOOL, tuple(value.shape)))
        self.matcher.bind(ArrayType(BOOL, wanted), found, place)

    def judge(self) -> None:
        """Raises what does not fit so far."""
        self.matcher.settle()
        for conflict in self.matcher.conflicts:
            name = conflict.second_place.parameter
            self.problems.append((re.split(r"[.\[]", name)[0], of_conflict(conflict)))
        if self.problems:
            spans = Spans(self.function)
            raise ArgumentError([Diagnostic(p.code, p.message, Label(spans.of(n))) for n, p in self.problems])


def _each(name: str, value: Any, kind: Any) -> list[tuple[str, Any]]:
    """The arguments that a parameter collects, by the places they are spoken of."""
    if kind is inspect.Parameter.VAR_POSITIONAL:
        return [(f"{name}[{k}]", part) for k, part in enumerate(value)]
    if kind is inspect.Parameter.VAR_KEYWORD:
        return [(f"{name}[{key!r}]", part) for key, part in value.items()]
    return [(name, value)]


class Memo(TypeCheckMemo):
    """Data that typeguard passes to the checks of an argument's parts."""

    __slots__ = ("_leaves", "_ways", "call", "place", "root")

    def __init__(self, call: Call, place: Place, root: Any) -> None:
        super().__init__(getattr(call.function, "__globals__", {}), {}, config=_CONFIG)
        self.call = call
        self.place = place
        self.root = root
        self._leaves: list[tuple[Way, Any]] = []
        self._ways: dict[int, deque[Way]] = {}

    def way_of(self, leaf: Any) -> Way:
        """Return the way to a leaf. One that occurs several times is visited in the order of its ways."""
        if not self._leaves:
            self._leaves = list(leaves_of(self.root))
            for way, each in self._leaves:
                self._ways.setdefault(id(each), deque()).append(way)
        ways = self._ways.get(id(leaf))
        if ways is None:
            return ()
        return ways.popleft() if len(ways) > 1 else ways[0]


def _checker_of(origin: Any, args: Any, extras: Any) -> Callable[..., None] | None:
    """Return the typeguard checker of a type: jaxtyping arrays and trees are checked here, in calls of `Checked`
    alone."""
    if not isinstance(origin, type):
        return None
    if issubclass(origin, AbstractArray):
        return _check_array
    return _check_tree if is_tree(origin) else None


def _check_array(value: Any, origin: Any, args: Any, memo: TypeCheckMemo) -> None:
    if not isinstance(memo, Memo):
        if not isinstance(value, origin):
            raise TypeCheckError(f"is not {origin.__name__}")
        return
    wanted = _axes(origin, memo.call.names)
    if not isinstance(value, _of_any_shape(origin)):
        raise TypeCheckError(f"is {kind_of(value)}, not {origin.__name__}")
    if not _may_have(wanted, tuple(value.shape)):
        raise TypeCheckError(f"is {kind_of(value)}, not {origin.__name__}: its axes are [{origin.dim_str}]")
    memo.call.array(value, wanted, Place(memo.place.parameter, _shown(memo.way_of(value))))


def _axes(origin: Any, names: Names) -> Shape:
    try:
        return parse_axes(origin.dim_str, names)
    except Malformed as fault:
        raise TypeCheckError(f"has an annotation with the axis `{fault.args[0]}`, which is not a size") from None


def _may_have(wanted: Shape, shape: tuple[int, ...]) -> bool:
    """Return whether the rank and the sizes that are numbers fit: they choose between the options of a union."""
    if wanted.rank is None:
        return len(shape) >= wanted.leading + wanted.trailing
    pairs = zip(wanted.sizes or (), shape, strict=False)
    return wanted.rank == len(shape) and all(size.constant in (None, extent) for size, extent in pairs)


def _check_tree(value: Any, origin: Any, args: Any, memo: TypeCheckMemo) -> None:
    leaf_type = getattr(origin, "leaftype", Any)
    for _, leaf in leaves_of(value):
        typeguard.check_type_internal(leaf, leaf_type, memo)


def _shown(way: Way) -> str:
    return "".join([f"[{step}]" if isinstance(step, int) else f".{step}" for step in way])


@lru_cache(maxsize=1024)
def _of_any_shape(origin: Any) -> Any:
    """Return the class of arrays with the same dtypes and any axes."""
    return origin.dtype[origin.array_type, "..."]


class Spans:
    """Where the parameters of a function of Python stand in its file."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            lines, first = [f"def {getattr(function, '__name__', '…')}(…)"], 1
        name = inspect.getsourcefile(inspect.unwrap(function)) or "<python>"
        self.source = Source(name, "".join(lines), line_offset=first - 1)
        self.start = max(0, self.source.text.find("def "))

    def of(self, name: str) -> Span:
        """Return the span of a parameter, or of the function name for its result."""
        pattern = r"(?<=def )\w+" if name == RESULT else rf"\b{re.escape(name)}\b"
        found = re.compile(pattern).search(self.source.text, self.start)
        return Span(self.source, *found.span()) if found else Span(self.source, self.start, self.start + 3)
