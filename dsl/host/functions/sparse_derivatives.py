"""`dsl.sparse_jacobian` and `dsl.sparse_hessian`: derivatives by the entries that may differ from zero.

Which these are is computed for the sizes of a call, when a program is made for them; so is how few products tell them
all. How many there are is not known to the checker, so that these functions are for Python alone. Read next:
`dsl.transforms.dependence`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsl.core.transformation import Kind
from dsl.diagnostics.settings import names_of
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import misused
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import where
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.call_binder import Callee, ReadCall
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.functions import specialisation
from dsl.host.functions.compiler import Way
from dsl.host.functions.function import Function
from dsl.host.functions.transforms import function_of
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ops import builders
from dsl.staging.stage import Staged
from dsl.staging.transforms.refusals import reporting_at
from dsl.staging.values import FunctionValue, Missing, RecordValue, Slot, Transformed, slot_types
from dsl.transforms.dependence.compressed import Sparse, inlined, sparse_derivative
from dsl.types.dtype import BOOL, I32

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Sparsity:
    """The places of the entries of a sparse derivative, by rows, and the products that it takes.

    `indices[indptr[i] : indptr[i + 1]]` are the columns of row i. `forward` products are with vectors from the right,
    as by `jvp`, `backward` ones from the left, as by `vjp`."""

    __module__ = "dsl"

    shape: tuple[int, int]
    indices: Array
    indptr: Array
    forward: int
    backward: int


class Rows(Way):
    """The derivative of a staged function by one `argument`, as a record of compressed rows; `known` are the arguments
    whose values the pattern may rely on. Nothing is known of these where a program is made for types alone."""

    kept = False

    def __init__(self, callee: Callee, argument: str, known: tuple[str, ...]) -> None:
        self.argument = argument
        self.known = known
        self._callee = callee

    @property
    def is_hessian(self) -> bool:
        """Return whether the function that is differentiated is a gradient."""
        value = self._callee.value
        return isinstance(value, Transformed) and value.kind is Kind.GRAD

    def finished(self, staged: Staged, binding: Binding) -> Staged:
        """The derivative, for all values of the arguments."""
        none: list[Array | None] = [None] * (len(self.names_of_inputs(binding)) + self._callee.draws)
        return self.made_for(staged, binding, none)[0]

    def made_for(self, staged: Staged, binding: Binding, known: Sequence[Array | None]) -> tuple[Staged, Sparse]:
        """The derivative where the values of some inputs are known, and its pattern."""
        names, draws, place = self.names_of_inputs(binding), self._callee.draws, self._callee.definition.span
        flags = tuple([name == self.argument for name in names]) + (False,) * draws
        kept = len(staged.function.results) - staged.checks
        self._require_one_dtype(staged, flags, kept)
        with reporting_at(f"sparse_{'hessian' if self.is_hessian else 'jacobian'}", place):
            found = sparse_derivative(staged.function, flags, kept, known, self.is_hessian)
        return _as_rows(staged, found, place), found

    def names_of_inputs(self, binding: Binding) -> list[str]:
        """The parameter of each input but the key."""
        counts = [0 if isinstance(a, Missing) else len(slot_types(a)) for a in binding.args]
        params = self._callee.signature.params
        return [p.name for p, count in zip(params, counts, strict=True) for _ in range(count)]

    def _require_one_dtype(self, staged: Staged, flags: Sequence[bool], kept: int) -> None:
        ins = [p.type for p, flag in zip(staged.function.params, flags, strict=True) if flag]
        outs = [r.type for r in staged.function.results[:kept]]
        dtypes = {t.dtype for t in (*ins, *outs)}
        if len(dtypes) != 1 or not ins or next(iter(dtypes)).is_complex or not next(iter(dtypes)).is_inexact:
            found = ", ".join(sorted(map(str, dtypes)))
            what = f"a sparse derivative is of floats of one dtype by floats of the same one, and these are {found}"
            raise misused("E0802", what, self._callee.definition)


class SparseDerivative(Function):
    """The derivative of a function, or of its gradient where it is a Hessian, as a record `CSR` of the library module
    `sparse`. `place` is the argument; `known` are those whose values the pattern may rely on."""

    def __init__(self, program: CheckedProgram, value: FunctionValue, place: int | str, known: tuple[str, ...]) -> None:
        callee = Callee.of(value)
        counted = [p.name for p in callee.signature.params if p.counts]
        self._rows = Rows(callee, place if isinstance(place, str) else counted[place], known)
        super().__init__(program, value, self._rows)
        for name in known:
            if name not in counted or name == self._rows.argument:
                others = ", ".join(each for each in counted if each != self._rows.argument) or "none"
                what = f"`known` names `{name}`, and the other arguments of `{self.__name__}` are {others}"
                raise misused("E0812", what, self.definition)

    def sparsity(self, *args: Any, **kwargs: Any) -> Sparsity:
        """Return the places of the entries for these arguments, and the products that they take. Nothing is
        compiled."""
        call = self.binder.read(args, kwargs)
        made = self._made_for(*self._bound_with_values(call))[1]
        starts, columns = made.pattern.starts.astype(np.int32), made.pattern.columns.astype(np.int32)
        shape = made.pattern.rows, made.columns
        return Sparsity(shape, columns, starts, made.plan.forward, made.plan.backward)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"a sparse derivative is not pickled; pickle `{self.__name__}`, and derive again")

    def _derived(self, made: Transformed) -> Function:
        raise self._only_from_python(f"`{made.kind}`")

    def check_inside(self, use: str) -> None:
        raise self._only_from_python(f"`{use}`")

    def _only_from_python(self, use: str) -> Exception:
        what = f"{use} cannot take a sparse derivative of `{self.__name__}`, whose number of entries no type states"
        return misused("E0812", what, self.definition, "call it from Python")

    # ------------------------------------------------------------ values that are known

    def entry(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Entry, list[Any]]:
        if not self._rows.known:
            return super().entry(args, kwargs)
        call = self.binder.read(args, kwargs)
        binding, known = self._bound_with_values(call)
        places = where(call.leaves)
        digest = tuple([None if x is None else x.tobytes() for x in known])

        def make() -> Entry:
            made, _ = self._made_for(binding, known)
            return specialisation.compiled(self.compiler, made, binding, places, call.values)

        return self.store.program((places, call.key, digest), make), call.leaves

    def _remember(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        if not self._rows.known:
            super()._remember(entry, args, kwargs, result)

    def _bound_with_values(self, call: ReadCall) -> tuple[Binding, list[Array | None]]:
        """How the arguments are bound, and the value of each input that the pattern may rely on."""
        binding, wanted = self.binder.bind(call.values, call.sizes), self._rows.known
        names = self._rows.names_of_inputs(binding)
        inputs = binding.inputs(call.leaves) if wanted else [None] * len(names)
        known = [np.asarray(x) if name in wanted else None for name, x in zip(names, inputs, strict=False)]
        return binding, known + [None] * self.draws

    def _made_for(self, binding: Binding, known: Sequence[Array | None]) -> tuple[Staged, Sparse]:
        return self._rows.made_for(specialisation.staged(self.compiler, self.value, binding), binding, known)


def _as_rows(staged: Staged, found: Sparse, span: Span) -> Staged:
    """The record of compressed rows: the pattern is constant."""
    b = Builder()
    params = [b.param(t) for t in staged.function.param_types]
    data, *rest = inlined(b, found.function, params)
    b.span = span
    pattern = found.pattern
    shape = Tensor(BOOL, (pattern.rows, found.columns, 0))
    fields: dict[str, Atom] = {
        "data": data,
        "indices": builders.constant(b, pattern.columns.astype(np.int32), I32),
        "indptr": builders.constant(b, pattern.starts.astype(np.int32), I32),
        "shape": builders.zeros(shape),
    }
    output = RecordValue(tuple([(name, Slot(x.type)) for name, x in fields.items()]))
    return Staged(b.finish(staged.function.name, [*fields.values(), *rest]), output, staged.checks, staged.sites)


def sparse_jacobian(f: Function, argnum: int | str = 0, *, known: str | Sequence[str] = ()) -> SparseDerivative:
    """Return the Jacobian of `f` by one argument, as a record `CSR` of the library module `sparse`.

    Rows are the elements of the result and columns those of the argument, in the order of their leaves; both consist of
    floats of one dtype. The places of the entries are those that the derivative can have for the sizes of a call; they
    may rely on the values of the arguments that `known` names, such as the edges of a mesh, for each of which a program
    is compiled. It takes as many products of the derivative with a vector as `.sparsity(*args)` says. Raises
    `TransformError` E0802 for an argument without a Jacobian.
    """
    return _sparse(f, Kind.JACFWD, argnum, known)


def sparse_hessian(f: Function, argnum: int | str = 0, *, known: str | Sequence[str] = ()) -> SparseDerivative:
    """Return the second derivatives of a scalar function by one argument, as `sparse_jacobian` does.

    An entry is read off at its own place or at the mirrored one, which takes fewer products.
    """
    return _sparse(f, Kind.HESSIAN, argnum, known)


def _sparse(f: Function, dense: Kind, argnum: int | str, known: str | Sequence[str]) -> SparseDerivative:
    name = "sparse_hessian" if dense is Kind.HESSIAN else "sparse_jacobian"
    function_of(name, f)
    if not isinstance(argnum, int | str) or isinstance(argnum, bool):
        raise misused(
            "E0812", f"`argnum` of `dsl.{name}` is one argument, by place or name, not {argnum!r}", f.definition
        )
    names = names_of("known", known)
    counted = [p.name for p in f.signature.params if p.counts]
    place = counted.index(argnum) if isinstance(argnum, str) and argnum in counted else argnum

    f.transformed(dense, argnums=place)  # the checker refuses what has no Jacobian
    inner = f.transformed(Kind.GRAD, argnums=place) if dense is Kind.HESSIAN else f
    key = (name, place, names)
    if key not in inner.variants:
        inner.variants[key] = SparseDerivative(inner.program, inner.value, place, names)
    found = inner.variants[key]
    assert isinstance(found, SparseDerivative)
    return found
