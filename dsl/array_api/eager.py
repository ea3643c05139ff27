"""Functions of the array API standard, applied to arrays at once: each kind of call is a program of one expression.

Arrays of a call are brought to one dtype and, for functions of elements, to one shape, by the rules of the standard;
then the expression is checked and compiled for these types, and kept. Read next: `table`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import namedtuple
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from dsl.array_api.table import FIELDS, NORMS
from dsl.host.functions.function import Function
from dsl.host.functions.transforms import jit
from dsl.host.programs.program import functions, program
from dsl.ir.function import Tensor
from dsl.types.dtype import DType
from lowering.xla import numeric
from lowering.xla.array import Array, array
from lowering.xla.places import Sharding

KEPT = 4096
"""So many programs are kept."""

APART = ("condition", "indices")
"""The parameters whose dtype has nothing to do with that of the others."""

IMPLIED = ("copy", "device", "stable")
"""What every function has, whatever is asked: arrays never change, sorting is stable, results lie where operands do."""

NDArray: TypeAlias = np.ndarray[Any, Any]
Operands: TypeAlias = Mapping[str, Any]


class Eager:
    """The function with a signature, `name(x, /, *, axis=None)`, and an expression of its parameters."""

    def __init__(self, text: str, expression: str, elementwise: bool) -> None:
        self.__name__ = text.partition("(")[0]
        self.__doc__ = f"`{expression}` in the language."
        self.__signature__ = signature_of(text)
        self._expression = expression
        self._elementwise = elementwise
        fields = FIELDS.get(self.__name__)
        self._result = None if fields is None else namedtuple(f"{self.__name__}_result", fields)
        self._spoken = set(re.findall(r"{(\w+)", expression))
        silent = self.__signature__.parameters.keys() - self._spoken - set(IMPLIED)
        self._fixed = {name: self.__signature__.parameters[name].default for name in silent}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        for name, default in self._fixed.items():
            if given[name] != default:
                raise TypeError(f"`{self.__name__}` takes no `{name}` but {default!r}")
        if "{axis:0}" in self._expression and given["axis"] is None and given["x"].ndim > 1:
            raise ValueError(f"`{self.__name__}` of an array with several axes needs an axis")
        operands = _placed_nowhere(dict(_operands(given)))
        targets = _targets(operands, self._elementwise)
        words = {name: Word(_written(name, given[name], operands)) for name in self._spoken & given.keys()}
        types = {n: type_of(x) for n, x in operands.items()}
        lines = "".join([brought(n, types[n], target) for n, target in targets.items()])
        body = f"{lines}    {self._expression.format_map({**words, 'sum': _summed(targets)})}\n"
        found = program_of(body, tuple([(n, str(t)) for n, t in types.items()]))(*operands.values())
        return found if self._result is None else self._result(*found)

    def __repr__(self) -> str:
        return f"<dsl.array_api.{self.__name__}{self.__signature__}>"


def compute(lines: str, **operands: Array | NDArray) -> Any:
    """Run lines of the language on operands. Arrays decide where; numbers are on no device."""
    types = tuple([(name, str(type_of(each))) for name, each in operands.items()])
    return program_of(lines, types)(*operands.values())


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Bring arrays to one shape, each where it is."""
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    return [_stretched(x, Tensor(x.type.dtype, shape)) for x in arrays]


def _stretched(x: Array, target: Tensor) -> Array:
    line = brought("x", x.type, target)
    if not line:
        return x
    found: Array = compute(f"{line}    x\n", x=x)
    return found


@lru_cache(maxsize=KEPT)
def program_of(body: str, types: tuple[tuple[str, str], ...], layout: Sharding | None = None) -> Function:
    """The program of a body and of parameters with types. `layout` is that of its result, None for where its arguments
    are."""
    modules = "".join([f"import {name}\n" for name in ("linalg", "fft") if f"{name}." in body])
    params = ", ".join([f"{name}: {type_}" for name, type_ in types])
    made = functions(program(f"{modules}def call({params}) =\n{body}"))["call"]
    return made if layout is None else jit(made, out_shardings=layout)


# ---------------------------------------------------------------- signatures


def signature_of(text: str) -> inspect.Signature:
    """A signature as it is written; its defaults are literals."""
    node = ast.parse(f"def {text}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    args, kinds = node.args, inspect.Parameter
    places: list[tuple[str, Any]] = [(a.arg, kinds.POSITIONAL_ONLY) for a in args.posonlyargs]
    places += [(a.arg, kinds.POSITIONAL_OR_KEYWORD) for a in args.args]
    defaults = [*[None] * (len(places) - len(args.defaults)), *args.defaults]
    found = [_parameter(name, kind, default) for (name, kind), default in zip(places, defaults, strict=True)]
    found += [] if args.vararg is None else [inspect.Parameter(args.vararg.arg, kinds.VAR_POSITIONAL)]
    named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return inspect.Signature([*found, *[_parameter(a.arg, kinds.KEYWORD_ONLY, default) for a, default in named]])


def _parameter(name: str, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
    return inspect.Parameter(name, kind, default=value)


# ---------------------------------------------------------------- operands


def _operands(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arrays of a call by name, with the numbers beside them; those of a list by its name and a number."""
    for name, value in given.items():
        if isinstance(value, Array) or (name in ("x1", "x2", "min", "max") and value is not None):
            yield name, value
        elif isinstance(value, list | tuple) and any(isinstance(part, Array) for part in value):
            yield from ((f"{name}{k}", part) for k, part in enumerate(value))


def _placed_nowhere(operands: Operands) -> dict[str, Array | NDArray]:
    """The operands with numbers in the dtype of the arrays they meet. Numbers are on no device, so that arrays decide
    where the program runs."""
    dtypes = _common_dtypes(operands)
    if not dtypes:
        return {name: array(x) for name, x in operands.items()}
    target = numeric.dtype_of(np.result_type(*dtypes))
    numbers = [name for name, x in operands.items() if not isinstance(x, Array) and name not in APART]
    return {name: numeric.convert_number(x, target) if name in numbers else x for name, x in operands.items()}


def _common_dtypes(operands: Operands) -> set[np.dtype[Any]]:
    return {x.dtype for name, x in operands.items() if isinstance(x, Array) and name not in APART}


def _targets(operands: Mapping[str, Array | NDArray], elementwise: bool) -> dict[str, Tensor]:
    """The types that operands are brought to: as promotion says, and functions of elements as broadcasting does."""
    dtypes = _common_dtypes(operands)
    types = {name: type_of(x) for name, x in operands.items()}
    if dtypes:
        common = numeric.dtype_of(np.result_type(*dtypes))
        types = {name: t if name in APART else Tensor(common, t.shape) for name, t in types.items()}
    if not elementwise:
        return types
    shape = np.broadcast_shapes(*[t.shape for t in types.values()])
    return {name: Tensor(t.dtype, shape) for name, t in types.items()}


def type_of(operand: Array | NDArray) -> Tensor:
    """The type of an array of either kind."""
    return operand.type if isinstance(operand, Array) else numeric.type_of(operand)


def brought(name: str, before: Tensor, after: Tensor) -> str:
    """The line of a program that brings an operand to another type; nothing if that is its own."""
    made = name if before.dtype == after.dtype else f"cast({name}, {after.dtype.name})"
    made = made if before.shape == after.shape else f"broadcast_to({made}, {literal(after.shape)})"
    return "" if made == name else f"    let {name} = {made}\n"


def _summed(targets: Mapping[str, Tensor]) -> str:
    """The dtype in which the elements of the first array are added up: at least as wide as the default of its kind."""
    for target in targets.values():
        dtype = target.dtype
        if dtype.is_bool or (dtype.is_integer and dtype.numpy.itemsize < 4):
            return "u32" if dtype.name.startswith("u") else "i32"
        return dtype.name
    return ""


# ---------------------------------------------------------------- words


class Word(str):
    """A part of an expression; `{word:other}` is the other one where this is none."""

    __slots__ = ()

    def __format__(self, other: str) -> str:
        return other if other and self == "none" else str(self)


def _written(name: str, value: Any, operands: Operands) -> str:
    if name in operands:
        return name
    if name == "norm" and value not in NORMS:
        raise ValueError(f"`norm` is one of {', '.join(map(repr, NORMS))}, not {value!r}")
    if name == "shape" and isinstance(value, int):
        return literal((value,))
    parts = [operand for operand in operands if re.fullmatch(rf"{name}\d+", operand)]
    return f"({', '.join(parts)},)" if parts else literal(value)


def literal(value: Any) -> str:
    """A static value as the language writes it. Raises TypeError for what is none."""
    match value:
        case None:
            return "none"
        case bool() | np.bool_():
            return str(bool(value)).lower()
        case int() | np.integer():
            return str(int(value))
        case float():
            whole = value.is_integer() and repr(value) != "-0.0"
            return str(int(value)) if whole else repr(value)
        case complex():
            return f"({literal(value.real)} + {literal(value.imag)} * 1j)"
        case str():
            return f'"{value}"'
        case tuple() | list():
            return f"[{', '.join(map(literal, value))}]"
        case DType() | np.dtype() | type():
            return numeric.dtype_of(value).name
        case _:
            raise TypeError(f"{value!r} is neither an array nor a static value")
