"""E04: sizes that data decide, in signatures and in what needs to know them before a run. Read next: `shapes`."""

from __future__ import annotations

from typechecker.errors.templates import Template

of_parameter = Template(
    "E0427",
    "`{name}` is decided by the data of a call, and a parameter has the size of its argument",
    "a parameter is given an array of some size",
    help="give the size a name without `?`: it stands for sizes that data decide, too",
)
not_an_axis = Template(
    "E0427",
    "`{name}` is not the size of an axis of the result",
    "nothing decides it",
    help="a size that data decide stands alone in the type of the result: `f32[{name}]`",
)
without_bound = Template(
    "E0427",
    "nothing bounds `{name}`",
    "its elements have no place in memory",
    help="state how many there are at most: `where {name} <= n`",
)
beyond_bound = Template(
    "E0427",
    "the result does not keep to its bound",
    "{prop} does not follow",
    help="state a bound that follows from the sizes of the arguments",
)
needs_size = Template(
    "E0425",
    "{what} needs to know the size before a run",
    "the size is decided by the data of a run",
    help="{advice}",
)
decided_again = Template("E0426", "{what} decides a size anew each time", "`{size}` differs each time", help="{advice}")
leaves_place = Template(
    "E0426",
    "`{size}` is not decided where this stands",
    "the size is decided inside only",
    help="let a function with a result such as `f32[?k]` decide it",
)
