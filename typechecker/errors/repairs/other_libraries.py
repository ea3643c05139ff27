"""Names of Python, NumPy, JAX and PyTorch: descriptions, and calls rewritten with their own arguments.

A rewrite is a template, into which the arguments of the call are put as they are written. One that leaves an argument
out, asks for one that is not there, or does not check in place is passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from typechecker.errors.repairs.rewrites import DTYPES, rewrites
from typechecker.errors.repairs.trees import changed, enclosing, expressions, integer, name_of, read
from typechecker.errors.repairs.trial import definition_around, first_that_checks, type_of

if TYPE_CHECKING:
    from typechecker.env.context import Context

ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "len": "the length of the first axis is `x.shape[0]`, or its size variable",
        "np": "what NumPy offers is in scope without a module: `mean(x)`",
        "jnp": "what NumPy offers is in scope without a module: `mean(x)`",
        "numpy": "what NumPy offers is in scope without a module: `mean(x)`",
        "jax": "the transformations are in scope without a module: `grad(f)`",
        "gradient": "the gradient of `f` is `grad(f)`",
        "math": "`sqrt`, `exp`, `pi` and the like are in scope without a module",
        "torch": "what PyTorch offers is in scope without a module, or in `nn`: `mean(x)`, `nn.relu(x)`",
        "format": 'values follow the format: `print("x is {}", x)`',
        "cond": "a choice is an expression: `if c then a else b`",
        "unsqueeze": "a new axis is written in an index: `x[None]`, `x[:, None]`",
        "permute": "`transpose` takes the order of the axes: `transpose(x, (1, 0))`",
        "inverse": "`linalg.inv(x)`, with `import linalg` at the top",
        "I": "the identity matrix is `eye(n)`",
        "to": "convert with a dtype: `f32(x)`; devices are chosen from Python",
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


def elsewhere(name: str) -> str | None:
    """Return a help with the replacement of a Python or NumPy name."""
    return ELSEWHERE.get(name)


PACKAGES = ("np", "jnp", "numpy", "jax", "scipy", "torch", "lax", "math", "F", "functools", "self")
"""The names by which modules of other libraries are known; what they offer is in scope without one."""

_TABLE = """\
T t: X => X.T
array asarray tensor as_tensor: X => X | X, dtype=D => D(X) | X, D => D(X)
astype to type: X, D => D(X) | X, dtype=D => D(X)
bmm mm: X, Y => X @ Y
bool: X => X != 0
cat concat: [R], axis=N => concatenate((R), axis=N) | [R], N => concatenate((R), axis=N) | [R] => concatenate((R))
  | X, axis=N => concatenate(X, axis=N) | X, N => concatenate(X, axis=N) | X => concatenate(X)
clamp clip: X, min=A => maximum(X, A) | X, max=A => minimum(X, A) | X, min=A, max=B => clip(X, A, B)
clone contiguous copy cpu item jit list numpy tolist tuple: X => X
complex: X, Y => C(X) + 1j * C(Y) | X, Y => cast(X, complex_of(X.dtype)) + 1j * cast(Y, complex_of(Y.dtype))
  | X => C(X)
cond: C, F, G, X => if C then F(X) else G(X) | C, F, G => if C then F() else G()
conv1d conv2d: X, W => conv(X, W, padding="VALID") | X, W, padding=P => conv(X, W, padding=(P, P))
  | X, W, stride=G, padding=P => conv(X, W, G, (P, P))
detach: X => stop_gradient(X)
dict: R => {R}
dim ndimension ndim: X => X.ndim
dtype: X => X.dtype
expand: X, R => broadcast_to(X, [R])
flatten: X => ravel(X)
float: X => f32(X)
fori_loop: A, B, fn (P, G) -> E, X => fold G = X for P in range(A, B) do E
  | A, B, F, X => fold s = X for i in range(A, B) do F(i, s)
index_select: X, A, Y => take(X, Y, axis=A)
int: X => i32(X)
jacobian: F => jacrev(F)
map: fn P -> E, X => [E for P in X] | X, fn P -> E => [E for P in X] | F, X => [F(v) for v in X]
  | F, R => tree_map(F, R)
masked_fill: X, C, V => where(C, V, X)
mul: X, Y => X * Y
nelement numel: X => X.size
permute: X, R => transpose(X, (R)) | X, Y => transpose(X, Y)
pow: X, Y => X ** Y
replace _replace: X, R => {X with R}
reversed: X => X[::-1]
shape size: X, A => X.shape[A] | X => X.shape
sorted: X => sort(X)
sub: X, Y => X - Y
unsqueeze: X, 0 => X[None] | X, 1 => X[:, None] | X, 2 => X[:, :, None] | X, -1 => X[..., None]
  | X, axis=0 => X[None] | X, axis=1 => X[:, None] | X, axis=-1 => X[..., None]
view: X, R => reshape(X, [R]) | X, Y => reshape(X, Y)
where nonzero argwhere flatnonzero: X => flatnonzero(X, size=Z)
while_loop: fn P -> C, fn P -> E, X => iterate P = X while C limit 1000 do E
  | F, G, X => iterate s = X while F(s) limit 1000 do G(s)
"""
"""Rules by the names that are called, of their arguments: what stands before the dot comes first. `Z` may be any size
that the positions in a mask may be as many as, `C` the complex dtype that holds the first argument. A line that begins
with a blank goes on with the one above."""


@cache
def _rules() -> Mapping[str, Sequence[str]]:
    rows = [line.partition(": ") for line in _TABLE.replace("\n  ", " ").splitlines()]
    return {
        name: [f"f({rule.replace(' => ', ') => ')}" for rule in rules.split(" | ")]
        for names, _, rules in rows
        for name in names.split()
    }


KEYWORDS: Mapping[str, str] = MappingProxyType({"dim": "axis", "keepdim": "keepdims", "True": "true", "False": "false"})
"""Names of arguments and constants that are others here."""

_MEANINGS = """\
axis axes dim dims
keepdims keepdim keep_dims
tolerance rtol tol xtol ftol gtol eps epsilon threshold
limit steps max_steps max_iter maxiter max_iters max_iterations maxfun max_nfev niter n_iter num_iters iterations
key rng seed random_state prng generator
loc mean mu
scale std sigma stddev sd
learning_rate lr step_size
initial init x0 y0 start guess init_value
low lower min minval minimum a_min vmin
high upper max maxval maximum a_max vmax
shape size
num count n num_samples num_points
padding pad
strides stride window_strides
dilation rhs_dilation
groups feature_group_count
descending reverse
num_classes classes n_classes depth
f fn fun func function
preconditioner precond M
heads num_heads n_heads
where mask
in_axes in_dims
out_axes out_dims
argnums argnum wrt
fill_value fill value
"""
"""Names that parameters of one meaning have in several libraries, a meaning on each line."""


def parameter_meant(name: str, known: Sequence[str]) -> str | None:
    """Return the parameter that has another name elsewhere."""
    rows = [row.split() for row in _MEANINGS.splitlines()]
    return next((each for row in rows if name in row for each in row if each in known), None)


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
    return _written(ctx, calls[0].span, known, home) if calls else None


def places_where(ctx: Context, span: Span) -> ForeignCall | None:
    """The positions where a mask holds."""
    found = _written(ctx, span, (), "")
    return None if found is None or not found.written.startswith("flatnonzero") else found


def _written(ctx: Context, span: Span, known: Collection[str], home: str) -> ForeignCall | None:
    """The first text that a call may stand for and that checks in its place."""
    node = read(" ".join(span.text.split()))
    if not isinstance(node, ast.Call) or not isinstance(node.function, ast.Name | ast.Field):
        return None
    name, args = name_of(node), _arguments(node)
    called = name if name in known else f"{home}.{name}" if home in known else ""
    rules = [f"f(R, K) => {called}(R, axis=K)", f"f(R) => {called}(R)"] if called else []
    site, sizes = read(f"f({', '.join(args)})"), list[str]()
    if site is None:
        return None
    if name in ("where", "nonzero", "argwhere", "flatnonzero") and len(args) == 1:
        sizes = _sizes_of_positions(ctx, args[0], span)
    open_ = {"Z": sizes, "C": _complex_dtypes(ctx, node, span) if name == "complex" else []}
    texts = (edit.text for edit in rewrites([site], [*rules, *_rules().get(name, ())], open_))
    found = first_that_checks(ctx, texts, span)
    part = "[0]" if sizes and span.source.text.startswith("[0]", span.end) and name in ("where", "nonzero") else ""
    return (
        None
        if found is None
        else ForeignCall(Span(span.source, span.start, span.end + len(part)), "nonzero" if sizes else name, found)
    )


def _sizes_of_positions(ctx: Context, mask: str, span: Span) -> list[str]:
    """The sizes that the positions in a mask may be as many as: static parameters, and its length."""
    type_, definition = type_of(ctx, mask, span), definition_around(ctx, span)
    sizes = [param.name.name for param in (definition.params if definition else ()) if param.static]
    is_vector = isinstance(type_, ty.ArrayType) and type_.shape.rank == 1
    return [*sizes, str(type_.shape.dims[0])] if isinstance(type_, ty.ArrayType) and is_vector else sizes


def _complex_dtypes(ctx: Context, call: ast.Call, span: Span) -> list[str]:
    """The complex dtype that holds the first argument of a call; none for a dtype that is not known."""
    match type_of(ctx, call.args[0].value.span.text, span) if call.args else None:
        case ty.ArrayType(dt.DType() as dtype) if dtype.complex.is_complex:
            return [dtype.complex.name]
        case ty.ArrayType(ty.DTypeVar()):
            return []
        case _:
            return ["c64"]


def _arguments(node: ast.Call) -> list[str]:
    """The arguments of a call, what stands before the dot first, without the names of packages."""
    equals = " = " if name_of(node) in ("dict", "replace", "_replace") else "="
    names = ["" if arg.name is None else f"{_own_name(arg.name.name)}{equals}" for arg in node.args]
    args = [f"{name}{without_packages(arg.value.span.text)}" for name, arg in zip(names, node.args, strict=True)]
    base = node.function.base.span.text if isinstance(node.function, ast.Field) else ""
    return [without_packages(base), *args] if base and base.partition(".")[0] not in PACKAGES else args


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
        case ast.Call(ast.Field(ast.Name(array), ast.Ident("size")), (axis,)) if integer(axis.value) is not None:
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
    return DTYPES.get(name) or KEYWORDS.get(name, name)
