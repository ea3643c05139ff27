"""Names of Python, NumPy, JAX and PyTorch: descriptions, and calls rewritten with their own arguments.

A rewrite is a template, into which the arguments of the call are put as they are written. One that leaves an argument
out, asks for one that is not there, or does not check in place is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.parse import parse_expression
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from dsl.types.limits import AXES
from typechecker.errors.repairs.trees import OFFERED, changed, enclosing, expressions, read
from typechecker.errors.repairs.trial import definition_around, first_that_checks, type_of
from typechecker.errors.words import bare, is_integer, operand

if TYPE_CHECKING:
    from typechecker.env.context import Context

ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "float": "`f32(x)` converts an array; a static number needs no conversion",
        "bool": "compare: `x != 0`",
        "len": "the length of the first axis is `x.shape[0]`, or its size variable",
        "map": "write `[f(v) for v in x]`, or `vmap(f)(x)`",
        "array": "an array is written `[1.0, 2.0]`",
        "asarray": "an array is written `[1.0, 2.0]`",
        "np": "what NumPy offers is in scope without a module: `mean(x)`",
        "jnp": "what NumPy offers is in scope without a module: `mean(x)`",
        "numpy": "what NumPy offers is in scope without a module: `mean(x)`",
        "jax": "the transformations are in scope without a module: `grad(f)`",
        "gradient": "the gradient of `f` is `grad(f)`",
        "jacobian": "the Jacobian of `f` is `jacrev(f)` or `jacfwd(f)`",
        "math": "`sqrt`, `exp`, `pi` and the like are in scope without a module",
        "astype": "convert with a dtype: `f32(x)`, or `cast(x, a)` for a dtype variable",
        "torch": "what PyTorch offers is in scope without a module, or in `nn`: `mean(x)`, `nn.relu(x)`",
        "unsqueeze": "a new axis is written in an index: `x[None]`, `x[:, None]`",
        "permute": "`transpose` takes the order of the axes: `transpose(x, (1, 0))`",
        "view": "`reshape` takes the sizes as one list: `reshape(x, [n, m])`",
        "format": 'values follow the format: `print("x is {}", x)`',
        "inverse": "`linalg.inv(x)`, with `import linalg` at the top",
        "I": "the identity matrix is `eye(n)`",
        "item": "an array without axes is a number already",
        "detach": "no derivative goes through `stop_gradient(x)`",
        "clone": "arrays never change: there is nothing to copy",
        "to": "convert with a dtype: `f32(x)`; devices are chosen from Python",
        "cond": "a choice is an expression: `if c then a else b`",
        "fori_loop": "a loop is an expression: `fold s = start for i in range(n) do …`",
        "while_loop": "a loop is an expression: `iterate s = start while condition limit n do …`",
        "Linear": "a layer is a product: `x @ w + b`, with `w` and `b` fields of a record of parameters",
        "PRNGKey": "a key is made of a seed by `random.key(seed)`; a function takes it as a parameter `k: key`",
        "rand": "numbers are drawn with a key: `random.uniform(key, [n])`, with `import random` at the top",
        "randn": "numbers are drawn with a key: `random.normal(key, [n])`, with `import random` at the top",
        "backward": "a gradient is that of a function: `grad(loss)(p, …)` for a `def loss(p: …, …) -> f32`",
        "reduce": "write `fold a = start for v in x do …`; `associative_scan` has all partial results, and "
        "`tree_reduce` goes over the leaves of a tree",
        "lax": "loops are `fold`, `scan` and `iterate`; the functions are in scope without a module",
    }
)
"""What the language has for a name of Python."""

DTYPES: Mapping[str, str] = MappingProxyType(
    {
        "float": "f32",
        "double": "f64",
        "half": "f16",
        "bfloat16": "bf16",
        **dict.fromkeys(("Array", "FloatTensor", "Tensor", "ndarray"), "f32"),
        "complex": "c64",
        "int": "i32",
        "long": "i64",
        **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
        **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
        **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
        **{f"complex{bits}": f"c{bits}" for bits in (64, 128)},
    }
)
"""NumPy's names of dtypes."""


def elsewhere(name: str) -> str | None:
    """Return a help with the replacement of a Python or NumPy name."""
    return ELSEWHERE.get(name)


PACKAGES = ("np", "jnp", "numpy", "jax", "torch", "lax", "math", "F", "functools", "self")
"""The names by which modules of other libraries are known; what they offer is in scope without one."""

_TABLE = """\
T t: {0:operand}.T
array asarray tensor as_tensor: {0} | {dtype:dtype}({0:bare}) | {1:dtype}({0:bare})
astype to type: {1:dtype}({0:bare}) | {dtype:dtype}({0:bare})
bmm mm: {0:operand} @ {1:operand}
bool: {0:operand} != 0
cat concat: concatenate({0:tuple}, axis={axis}) | concatenate({0:tuple}, axis={1}) | concatenate({0:tuple})
clamp clip: maximum({0}, {min}) | minimum({0}, {max}) | clip({0}, {min}, {max})
clone contiguous copy cpu item jit list numpy tolist tuple: {0}
cond: if {0} then {1:operand}({3}) else {2:operand}({3}) | if {0} then {1:operand}() else {2:operand}()
conv1d conv2d: conv({0}, {1}, padding="VALID") | conv({0}, {1}, padding=({padding}, {padding}))
  | conv({0}, {1}, {stride}, ({padding}, {padding}))
detach: stop_gradient({0})
dict: {{{fields}}}
dim ndimension ndim: {0:operand}.ndim
dtype: {0:operand}.dtype
expand: broadcast_to({0}, [{rest}])
flatten: ravel({0})
float: f32({0})
fori_loop: fold {2:second} = {3} for {2:first} in range({0}, {1}) do {2:body}
  | fold s = {3} for i in range({0}, {1}) do {2:operand}(i, s)
index_select: take({0}, {2}, axis={1})
int: i32({0})
jacobian: jacrev({0})
map: [{0:body} for {0:first} in {1}] | [{1:body} for {1:first} in {0}] | [{0}(v) for v in {1}]
masked_fill: where({1}, {2}, {0})
mul: {0:operand} * {1:factor}
nelement numel: {0:operand}.size
permute: transpose({0}, ({rest})) | transpose({0}, {1})
pow: {0:operand} ** {1:factor}
replace _replace: {{{0} with {fields}}}
reversed: {0:operand}[::-1]
shape size: {0:operand}.shape[{1}] | {0:operand}.shape
sorted: sort({0})
sub: {0:operand} - {1:factor}
unsqueeze: {0:operand}[{1:newaxis}] | {0:operand}[{axis:newaxis}]
view: reshape({0}, [{rest}]) | reshape({0}, {1})
while_loop: iterate {1:first} = {2} while {0:body} limit 1000 do {1:body}
  | iterate s = {2} while {0:operand}(s) limit 1000 do {1:operand}(s)
"""
"""Templates by the names that are called. `{0}` is what stands before the dot, or the first argument; `{rest}` are all
from the second on, `{fields}` those with a name. A line that begins with a blank goes on with the one above."""


def _rewrites() -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in _TABLE.replace("\n  ", " ").splitlines():
        names, _, templates = line.partition(": ")
        yield from ((name, tuple(templates.split(" | "))) for name in names.split())


_REWRITES: Mapping[str, tuple[str, ...]] = MappingProxyType(dict(_rewrites()))

_KEYWORDS: Mapping[str, str] = MappingProxyType(
    {"dim": "axis", "keepdim": "keepdims", "True": "true", "False": "false"}
)


class ForeignCall(Struct, frozen=True):
    """A call by a name that is not in scope: its place, the name, and what to write instead."""

    span: Span
    name: str
    written: str


def rewritten_call(ctx: Context, start: int, name: Span, known: Collection[str], home: str = "") -> ForeignCall | None:
    """The call whose text starts at a place and whose function ends with a name or goes on behind it by dots, as it is
    written here; None if it is no call, or nothing checks in place of it. `known` are the names in scope, `home` the
    module of the library that has this one."""
    around = enclosing(Span(name.source, start, name.end), ast.Call)
    calls = [each for each in around if each.span.start == start and each.function.span.end >= name.end]
    span = calls[0].span if calls else None
    call = None if span is None else _call(span)
    if span is None or call is None:
        return None
    called = call[0] if call[0] in known else f"{home}.{call[0]}" if home in known else ""
    found = first_that_checks(ctx, _written(*call, called), span)
    return places_where(ctx, span) if found is None else ForeignCall(span, call[0], found)


def places_where(ctx: Context, span: Span) -> ForeignCall | None:
    """The positions where a mask holds, as many as a static parameter of the definition says, or as there are
    elements."""
    call, node = _call(span), definition_around(ctx, span)
    if (
        call is None
        or node is None
        or call[0] not in ("where", "nonzero", "argwhere", "flatnonzero")
        or len(call[1]) != 1
    ):
        return None
    mask = type_of(ctx, call[1][0], span)
    sizes = [param.name.name for param in node.params if param.static]
    sizes += [str(mask.shape.dims[0])] if isinstance(mask, ty.ArrayType) and mask.shape.rank == 1 else []
    found = first_that_checks(ctx, [f"flatnonzero({call[1][0]}, size={size})" for size in sizes], span)
    part = "[0]" if call[0] in ("where", "nonzero") and span.source.text.startswith("[0]", span.end) else ""
    return None if found is None else ForeignCall(Span(span.source, span.start, span.end + len(part)), "nonzero", found)


def _call(span: Span) -> tuple[str, list[str], dict[str, str]] | None:
    """The last name of the function of a call, its arguments by position, what stands before the dot first, and those
    by name; all without the names of packages."""
    node, problems = parse_expression(Source(OFFERED, " ".join(span.text.split())))
    if problems or not isinstance(node, ast.Call) or not isinstance(node.function, ast.Name | ast.Field):
        return None
    positional = [without_packages(arg.value.span.text) for arg in node.args if arg.name is None]
    named = {
        _KEYWORDS.get(arg.name.name, arg.name.name): without_packages(arg.value.span.text)
        for arg in node.args
        if arg.name
    }
    if isinstance(node.function, ast.Name):
        return node.function.name, positional, named
    if node.function.base.span.text.partition(".")[0] not in PACKAGES:
        positional = [without_packages(node.function.base.span.text), *positional]
    return node.function.name.name, positional, named


def without_packages(text: str) -> str:
    """A text without the names of packages, and with the names of dtypes and constants that are used here."""
    root = read(text)
    found = expressions(root)
    functions = [each.function.span for each in found if isinstance(each, ast.Call)]
    edits: list[Edit] = []
    for each in found:
        written = _own_text(each, each.span in functions)
        if written is not None and not any(edit.span.covers(each.span) for edit in edits):
            edits.append(Edit(each.span, written))
    return text if root is None else changed(root, *edits)


def _own_text(node: ast.Expr, is_called: bool) -> str | None:
    """Return the source that corresponds here to a name of another library, or to an expression of such names."""
    match node:
        case ast.Call(ast.Field(ast.Name(array), ast.Ident("size")), (axis,)) if is_integer(axis.span.text):
            return f"{array}.shape[{axis.span.text}]"
        case ast.Call(ast.Name("float"), (ast.Argument(None, ast.StringLit("inf" | "-inf" as value)),)):
            return value
        case ast.Field(ast.Field(ast.Name(package)), ast.Ident(name)) if package in PACKAGES and is_called:
            return name
        case ast.Field(ast.Name(package), ast.Ident(name)) if package in PACKAGES:
            return _own_name(name)
        case ast.Name(name) if name in ("True", "False") or name[-1:].isdigit():
            return _own_name(name)
        case _:
            return None


def _own_name(name: str) -> str:
    return DTYPES.get(name) or _KEYWORDS.get(name, name)


def _written(name: str, positional: Sequence[str], named: Mapping[str, str], known: str) -> Iterator[str]:
    """The texts that a call may stand for, those that use all its arguments; `known` is the name, if it is one here."""
    if known:
        if positional and is_integer(positional[-1]):
            yield f"{known}({', '.join([*positional[:-1], f'axis={positional[-1]}'])})"
        yield f"{known}({', '.join([*positional, *(f'{key}={value}' for key, value in named.items())])})"
    for template in _REWRITES.get(name, ()):
        writer = _Writer(positional, named)
        try:
            text = writer.vformat(template, positional, named)
        except _UnfitError:
            continue
        if not writer.unused:
            yield text


class _UnfitError(Exception):
    """A template asks for what an argument is not."""


class _Writer(Formatter):
    """Puts the arguments of a call into a template; `unused` are those that it has left out."""

    def __init__(self, positional: Sequence[str], named: Mapping[str, str]) -> None:
        self.unused: set[int | str] = {*range(len(positional)), *named}

    def get_value(self, key: int | str, args: Sequence[str], kwargs: Mapping[str, str]) -> str:
        if key == "rest":
            return self._joined(range(1, len(args)), args[1:])
        if key == "fields":
            return self._joined(kwargs, [f"{name} = {value}" for name, value in kwargs.items()])
        if key not in {*range(len(args)), *kwargs}:
            raise _UnfitError
        self.unused.discard(key)
        return args[key] if isinstance(key, int) else kwargs[key]

    def _joined(self, used: Iterable[int | str], texts: Sequence[str]) -> str:
        if not texts:
            raise _UnfitError
        self.unused.difference_update(used)
        return ", ".join(texts)

    def format_field(self, value: str, format_spec: str) -> str:
        return _FORMS[format_spec](value) if format_spec else value


def _factor(text: str) -> str:
    return text if isinstance(read(text), ast.NumberLit) else operand(text)


def _dtype(text: str) -> str:
    name = DTYPES.get(text.strip("\"'"), text.strip("\"'"))
    if name not in BY_NAME:
        raise _UnfitError
    return name


def _as_tuple(text: str) -> str:
    """A list that is written out, as a tuple."""
    return f"({text[1:-1]})" if text.startswith("[") and "," in text else text


def _newaxis(text: str) -> str:
    """An index that makes an axis at a place."""
    if not is_integer(text):
        raise _UnfitError
    place = int(text)
    if abs(place) > AXES:
        raise _UnfitError
    items = [*(":" for _ in range(place)), "None"] if place >= 0 else ["...", "None", *(":" for _ in range(-1 - place))]
    return ", ".join(items)


def _part_of_lambda(group: str) -> Callable[[str], str]:
    def part(text: str) -> str:
        found = read(text)
        params = [param.pattern for param in found.params] if isinstance(found, ast.Lambda) else []
        names = [each.name for each in params if isinstance(each, ast.NamePattern)]
        if not isinstance(found, ast.Lambda) or len(names) < len(params) or len(names) > 2:
            raise _UnfitError
        parts = dict(zip(("first", "second"), names, strict=False)) | {"body": found.body.span.text}
        if group not in parts:
            raise _UnfitError
        return parts[group]

    return part


_FORMS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "bare": bare,
        "operand": operand,
        "factor": _factor,
        "dtype": _dtype,
        "tuple": _as_tuple,
        "newaxis": _newaxis,
        **{group: _part_of_lambda(group) for group in ("first", "second", "body")},
    }
)
