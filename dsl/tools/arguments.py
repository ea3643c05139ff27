"""From data files and the words of a command line to the arguments of a function.

Text has no dtype: numbers of .csv and .json files and of the command line take the dtype of their parameter,
and where that loses more than rounding, E0964 says so. Arrays of .npz files keep theirs. What the parameters
ask of shapes is decided by the function itself when it is called. Read next: `running`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import assert_never

import numpy as np
from msgspec import Struct

from dsl.core.core import Parameter, Signature
from dsl.diagnostics.diagnostic import Diagnostic, Help, InputError, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.results.variants import Enums
from dsl.tools.inputs import Archive, Document, Frame, Input, Table
from dsl.tools.numbers import Unfit, number_array, parse_column
from dsl.tools.words import literal, static_value
from dsl.types.dtype import I32, DType
from dsl.types.show import show_type
from dsl.types.type import ArrayType, IndexType, RecordType, StackedType, TupleType, Type


class Given(Struct, frozen=True):
    """Arguments of the command line: data, and strings by name; `variants` are those of an enum by name.

    `sizable` says that sizes would do for arrays that are not given.
    """

    inputs: tuple[Input, ...]
    statics: Mapping[str, str]
    scalars: Mapping[str, str]
    variants: Enums
    sizable: bool = False


class _Missing(Exception):
    """No value was given for a part of a parameter; `args[0]` is its dotted name."""


def bind(
    signature: Signature, given: Given, specimens: Mapping[str, object] = MappingProxyType({})
) -> dict[str, object]:
    """The arguments by name; `specimens` stand in for traced ones that nothing gives.

    Raises `InputError`: E0963 for all that is missing at once, E0964, E0967.
    """
    _refuse_misplaced(signature, given)
    arguments: dict[str, object] = {}
    missing: list[tuple[Parameter, str]] = []
    taker = _taker_of_columns(signature, given)
    for parameter in signature.params:
        try:
            arguments[parameter.name] = _value(parameter, signature, given, parameter is taker)
        except _Missing as gap:
            if parameter.name in specimens:
                arguments[parameter.name] = specimens[parameter.name]
            elif parameter.default is None:
                missing.append((parameter, str(gap)))
        except Unfit as unfit:
            raise _unfit(parameter, unfit) from None
    if missing:
        raise _missing(missing, given)
    sizes = {size.name for size in signature.extra_sizes} & set(given.statics)
    return arguments | {name: literal(given.statics[name], name) for name in sizes}


def _value(parameter: Parameter, signature: Signature, given: Given, takes_columns: bool) -> object:
    name = parameter.name
    if parameter.static:
        if name not in given.statics:
            raise _Missing(name)
        return static_value(given.statics[name], parameter.type, name, given.variants)
    if name in given.scalars:
        return _convert(literal(given.scalars[name], name), parameter.type, name)
    for source in reversed(given.inputs):
        found = _look_up(source, parameter, signature, takes_columns)
        if found is not None:
            return found
    raise _Missing(_first_gap(parameter, given))


def _look_up(source: Input, parameter: Parameter, signature: Signature, takes_columns: bool) -> object | None:
    name = parameter.name
    match source:
        case Table() if name in source.columns:
            return parse_column(source, name, element(parameter.type))
        case Table() if takes_columns:
            used = {p.name for p in signature.params}
            return _remaining(source, used, element(parameter.type))
        case Frame() if name in source.columns:
            return number_array(source.columns[name], element(parameter.type), name)
        case Frame() if takes_columns:
            return _side_by_side(source, {p.name for p in signature.params}, element(parameter.type))
        case Document() if name in source.values:
            return _convert(source.values[name], parameter.type, name)
        case Archive():
            try:
                return _nested(source.arrays, parameter.type, name)
            except _Missing:
                return None
    return None


def _taker_of_columns(signature: Signature, given: Given) -> Parameter | None:
    """The one parameter of rank 2 that nothing else gives: it takes the columns of a table that are left."""
    names = {*given.scalars, *(name for source in given.inputs for name in names_of(source))}
    candidates = [p for p in signature.params if not p.static and rank(p.type) == 2 and p.name not in names]
    return candidates[0] if len(candidates) == 1 else None


def names_of(source: Input) -> Sequence[str]:
    """Return the names in a file."""
    match source:
        case Table(columns=columns):
            return tuple(columns)
        case Frame(columns=typed):
            return tuple(typed)
        case Document(values=values):
            return tuple(values)
        case Archive(arrays=arrays):
            return tuple(arrays)
        case _:
            assert_never(source)


def _remaining(table: Table, used: set[str], dtype: DType | None) -> np.ndarray | None:
    """The numeric columns that no parameter takes by name, side by side."""
    columns = []
    for name in table.columns:
        if name not in used:
            try:
                columns.append(parse_column(table, name, dtype))
            except Unfit:
                continue  # a column of words
    return np.stack(columns, axis=1) if columns else None


def _side_by_side(frame: Frame, used: set[str], dtype: DType | None) -> np.ndarray | None:
    """Combine typed columns, as `_remaining` does."""
    left = {name: column for name, column in frame.columns.items() if name not in used and column.dtype.kind in "biuf"}
    return np.stack([number_array(column, dtype, name) for name, column in left.items()], axis=1) if left else None


def _nested(arrays: Mapping[str, np.ndarray], kind: Type, name: str) -> object:
    """The arrays of a parameter put together from dotted names: `p.w` and `p.b` make a `p`."""
    if name in arrays:
        return arrays[name]
    match kind:
        case RecordType(fields=fields):
            return {field: _nested(arrays, of, f"{name}.{field}") for field, of in fields}
        case TupleType(parts=parts) if parts:
            return tuple(_nested(arrays, of, f"{name}.{i}") for i, of in enumerate(parts))
        case StackedType(element=of):
            return _nested(arrays, of, name)
    raise _Missing(name)


def _first_gap(parameter: Parameter, given: Given) -> str:
    """Name the missing input: the parameter, or its first missing part if an archive has other parts."""
    for source in given.inputs:
        prefix = f"{parameter.name}."
        if isinstance(source, Archive) and any(name.startswith(prefix) for name in source.arrays):
            try:
                _nested(source.arrays, parameter.type, parameter.name)
            except _Missing as gap:
                return str(gap)
    return parameter.name


def _convert(value: object, kind: Type, name: str) -> object:
    """Numbers without a dtype as arrays of the parameter's dtypes, leaf by leaf."""
    match kind:
        case ArrayType() | IndexType():
            return number_array(value, element(kind), name)
        case RecordType(fields=fields) if isinstance(value, dict):
            known = dict(fields)
            return {
                field: _convert(part, known[field], f"{name}.{field}") if field in known else part
                for field, part in value.items()
            }
        case TupleType(parts=parts) if isinstance(value, list | tuple) and len(value) == len(parts):
            pairs = enumerate(zip(value, parts, strict=True))
            return tuple(_convert(part, of, f"{name}.{i}") for i, (part, of) in pairs)
        case StackedType(element=of):
            return _convert(value, of, name)
    return value


def element(kind: Type) -> DType | None:
    """The dtype of an array type; none where it is generic or the type is not an array."""
    match kind:
        case ArrayType(dtype=DType() as dtype):
            return dtype
        case IndexType():
            return I32
    return None


def rank(kind: Type) -> int | None:
    """The rank of an array type; none where it is generic or the type is not an array."""
    match kind:
        case ArrayType(shape=shape) | IndexType(shape=shape):
            return shape.rank
    return None


def _missing(missing: Sequence[tuple[Parameter, str]], given: Given) -> InputError:
    """E0963: one message for everything that no file and no word of the command line gives."""
    names = " and ".join(f"`{name}`" for _, name in missing)
    first, *others = [Label(p.span, f"`{name}` is {show_type(p.type)}") for p, name in missing]
    message = f"missing value for {names}"
    return InputError(
        [Diagnostic("E0963", message, first, tuple(others), _offers(given), tuple(_advice(missing, given)))]
    )


def _offers(given: Given) -> tuple[str, ...]:
    """List the contents of each file, for comparison with what is missing."""
    found = []
    for source in given.inputs:
        name = source.source.name if isinstance(source, Table) else source.name
        found.append(f"{name} has {', '.join(names_of(source)) or 'nothing'}")
    return tuple(found)


def _advice(missing: Sequence[tuple[Parameter, str]], given: Given) -> list[Help]:
    statics = [name for p, name in missing if p.static]
    scalars = [name for p, name in missing if not p.static and rank(p.type) == 0]
    arrays = [name for p, name in missing if not p.static and rank(p.type) != 0]
    advice = [f"give {name!r} with --static {name}=…" for name in statics]
    advice += [f"give {name!r} with --arg {name}=…, or in an --input file" for name in scalars]
    if given.sizable and arrays:
        return [Help("give every size that no --input file gives: --size n=…")]
    advice += [f"give {name!r} in an --input file, under this name" for name in arrays]
    columns = [name for p, name in missing if not p.static and rank(p.type) == 1]
    if columns and any(isinstance(source, Table) for source in given.inputs):
        advice.append(f"a column of another name is named by --column {columns[0]}=…")
    return [Help(text.replace("'", "`")) for text in advice]


def _unfit(parameter: Parameter, unfit: Unfit) -> InputError:
    """E0964, or E0967 for a static argument: the value does not fit its parameter."""
    code = "E0967" if parameter.static else "E0964"
    about = Label(parameter.span, f"`{parameter.name}` is {show_type(parameter.type)}")
    if unfit.span is None:
        return InputError([Diagnostic(code, unfit.message, about)])
    return InputError([Diagnostic(code, unfit.message, Label(unfit.span, "in this row"), (about,))])


def _refuse_misplaced(signature: Signature, given: Given) -> None:
    """E0967: a word that names no parameter, or one of the other stage."""
    static = {p.name: p for p in signature.params if p.static}
    traced = {p.name: p for p in signature.params if not p.static}
    sizes = {size.name for size in signature.extra_sizes}
    for option, words, own, other in (
        ("--static", given.statics, static, traced),
        ("--arg", given.scalars, traced, static),
    ):
        for name in words:
            if name not in own and not (option == "--static" and name in sizes):
                raise _misplaced(signature, option, name, own, other)


def _misplaced(
    signature: Signature, option: str, name: str, own: Mapping[str, Parameter], other: Mapping[str, Parameter]
) -> InputError:
    right = "--arg" if option == "--static" else "--static"
    if name in other:
        stage = "static" if other[name].static else "traced"
        label = Label(other[name].span, f"`{name}` is {stage}")
        advice = Help(f"write {right} {name}=…")
        return InputError([Diagnostic("E0967", f"{option} cannot give `{name}`", label, help=(advice,))])
    near = get_close_matches(name, own, n=1)
    help = (Help(f"did you mean `{near[0]}`?"),) if near else ()
    if any(name == size.name for size in signature.sizes):
        help = (Help(f"`{name}` is a size: the arguments tell it, or `--size {name}=…`"),)
    place = Label(signature.params[0].span, "the first parameter") if signature.params else Label(_NOWHERE)
    message = f"{option} names `{name}`, which is not a parameter"
    return InputError([Diagnostic("E0967", message, place, help=help)])


_NOWHERE = Span(Source("command line", ""), 0, 0)
