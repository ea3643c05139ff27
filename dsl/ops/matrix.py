"""The page of all ops and their rules, `docs/ops.md`: `python -m dsl.ops.matrix` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dsl.ir.op import AnyOp, NotDifferentiable, NotLinear, Op
from dsl.ops.rule_helpers import zero_jvp
from dsl.ops.table import FAMILIES
from dsl.records import fields
from dsl.types.dtype import ALL, CLASSES, DType

HEAD = """# Ops

What the intermediate representation computes with. Every op has a type rule, an evaluation with NumPy, a rule
for batching, and samples on which the tests exercise all of them. The columns say what else it has: a
derivative (`jvp`; `0` where it is zero everywhere), a transpose (where it is linear in some operands), an
effect. This page is generated from the table of ops; a test keeps it fresh.
"""


def matrix() -> str:
    """The text of `docs/ops.md`."""
    return HEAD + "".join(_family(name, ops) for name, ops in FAMILIES.items())


def _family(name: str, ops: Sequence[AnyOp]) -> str:
    rows = "\n".join(_row(op) for op in ops)
    head = "| op | dtypes | params | jvp | transpose | effect | what it does |\n|---|---|---|---|---|---|---|"
    return f"\n## {name}\n\n{head}\n{rows}\n"


def _row(op: AnyOp) -> str:
    cells = (
        f"`{op.name}`",
        _dtypes(op),
        ", ".join(f"`{field.name}`" for field in fields(op.params)),
        _derivative(op),
        "" if isinstance(op.transpose, NotLinear) else "yes",
        (op.effect or "") if isinstance(op, Op) else "of its bodies",
        op.doc.replace("|", "\\|"),
    )
    return f"| {' | '.join(cells)} |"


def _derivative(op: AnyOp) -> str:
    if isinstance(op.jvp, NotDifferentiable):
        return f"no: {op.jvp.why}"
    return "0" if op.jvp is zero_jvp else "yes"


def _dtypes(op: AnyOp) -> str:
    """The dtypes of the samples, as classes where they fill one."""
    seen = {t.dtype for t in _types(op)}
    classes: list[tuple[str, tuple[DType, ...]]] = sorted(CLASSES.items(), key=lambda c: -len(c[1]))
    names: list[str] = []
    for name, members in classes:
        if seen >= set(members):
            names.append(name)
            seen -= set(members)
    return " ".join([*names, *(f"`{d}`" for d in ALL if d in seen)])


def _types(op: AnyOp) -> Iterator[Any]:
    for sample in op.samples:
        yield from sample.inputs or op.type_rule(sample.params, sample.inputs)


if __name__ == "__main__":
    print(matrix(), end="")
