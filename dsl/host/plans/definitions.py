"""A layout as text: a function that calls the planned one with its arguments laid out, which the checker sees first.

Read next: `plan`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from dsl.diagnostics.diagnostic import DslError
from dsl.host.functions.function import Function
from dsl.host.plans.specs import Cut, Leaf, Tree, spec_text
from dsl.host.programs.program import extended


def definition_of(
    f: Function,
    mesh: Mapping[str, int],
    ins: Mapping[str, Tree],
    outs: Tree,
    lying: Sequence[tuple[Leaf, Cut]],
) -> str:
    """The text of a function beside `f` whose arguments and result lie so."""
    name = f.__name__
    grid = f"mesh({', '.join([f'{axis}={size}' for axis, size in mesh.items()])})"
    head = f.type.replace(f"def {name}", f"def {_free(f)}", 1)
    conditions = dict.fromkeys(_conditions(mesh, lying))
    known = head.partition(" where ")[2].split(" and ")
    wanted = [condition for condition in conditions if condition not in known]
    if wanted:
        head += (" and " if " where " in head else " where ") + " and ".join(wanted)
    laid = [
        f"    let {argument} = with_sharding({argument}, {grid}, {spec_text(tree)})"
        for argument, tree in ins.items()
        if tree != Cut()
    ]
    call = f"{name}({', '.join([_passed(p.name, p.keyword_only) for p in f.signature.params])})"
    last = call if outs == Cut() else f"with_sharding({call}, {grid}, {spec_text(outs)})"
    return "\n".join([f"{head} =", *laid, f"    {last}"])


def _free(f: Function) -> str:
    """A name that the program does not have."""
    known = f.program.module.functions
    names = (f"{f.__name__}_planned{'' if k == 0 else k + 1}" for k in range(len(known) + 1))
    return next(name for name in names if name not in known)


def _passed(name: str, by_name: bool) -> str:
    return f"{name}={name}" if by_name else name


def _conditions(mesh: Mapping[str, int], lying: Sequence[tuple[Leaf, Cut]]) -> Iterator[str]:
    """Return the divisors that sizes must have, where they are not numbers."""
    for leaf, cut in lying:
        for place in sorted({place for _, place in cut.axes}):
            parts = prod([mesh[axis] for axis, other in cut.axes if other == place])
            size = str((leaf.sizes or ())[place])
            if not size.isdecimal():
                yield f"{size if size.isidentifier() else f'({size})'} % {parts} == 0"


def passes(f: Function, definition: str) -> bool:
    """Return whether the checker accepts a definition at the end of the program of `f`."""
    try:
        extended(f.program, definition)
    except DslError:
        return False
    return True
