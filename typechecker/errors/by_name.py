"""Words about operations that are known by name, and the records that they make."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types.effect import Site
from typechecker.errors.templates import Template

name_taken = Template(
    "E0722",
    "`{site}` is performed twice",
    "performed again here",
    other="`{taken}` is performed here",
    help='give it another name, or perform each in a scope of its own: `with scope("other") do …`',
)

_not_once = Template("E0723", "`{site}` is not performed exactly once here", "{why}", help="{advice}")


def not_once(span: Span, *, site: Site, chosen: bool) -> Diagnostic:
    """A value with a name that a record would have several times, or only for some sizes."""
    if chosen:
        why = "performed for some values of the static condition around it"
        advice = "perform it in front of the `if`, so that the record has the same fields for all sizes"
    else:
        why = "inside of a loop, a branch, or a function that is transformed"
        advice = "perform it outside, once for all elements, and use its value here"
    return _not_once(span, site=site, why=why, advice=advice)


hidden_by_name = Template(
    "E0723",
    "`{name}` may call the function that performs `{site}` any number of times",
    "its type says nothing of it",
    help="let the type of its parameter state the record, `! {site.name}(P)`, or perform `{site}` outside",
)
names_unknown = Template(
    "E0724", "the names of what performs `{name}` here are not known", "its record has no type", help="{advice}"
)
recursion_by_name = Template(
    "E0724",
    "`{name}` calls itself, and its record of `{effect}` is not stated",
    "calls lead back to it",
    help="state the record: `! {effect}({{…}})`",
)
no_record = Template(
    "E0724",
    "`{name}` has no record of `{what}` whose type is known",
    "not a type",
    help="a definition has the type of its `result`, and that of the record of each operation by name that it performs",
)
record_not_stated = Template(
    "E0724",
    "a function that is given may perform `{name}` with any names",
    "says nothing of the record",
    help="name the record: `! {name}(P)`, with `P: Tree` among the generics of the definition",
)
operation_without_name = Template(
    "E0725",
    "`{name}` has no name to be known by",
    "no `static name: str` among its parameters",
    help="give it one: `(static name: str, …)`",
)
shared_varies = Template(
    "E0725",
    "`{param}` may differ each time that `{name}` is performed, which is to be the same value",
    "a value of the run",
    help="make it `static`, or declare the effect as `named`",
)
shared_key = Template(
    "E0725",
    "`{name}` would give the same key wherever it is performed",
    "gives a key",
    help="pass the key as an argument, or draw one by `fresh_key()`",
)
not_data = Template(
    "E0725",
    "`{name}` is known by name, and gives what is not data",
    "a record of values holds arrays alone",
    help="let it give arrays, or records of arrays",
)
captured_in_shared = Template(
    "E0725",
    "a function that is given to `{name}` depends on `{captured}`, a value of the run",
    "`{captured}` may differ each time that `{name}` is performed",
    help="use sizes and static values alone",
)
field_not_performed = Template(
    "E0724", "nothing here performs `{name}` by the name `{field}`", "a field without an operation"
)
not_by_name = Template(
    "E0725",
    "`{name}` is not known by name: it has no record",
    "states one",
    help="declare it as `effect named {name}: …`, or write `! {name}`",
)
clause_of_shared = Template(
    "E0725",
    "the clause of `{name}` performs `{effect}`, and may be evaluated outside of the loop around the operation",
    "performs `{effect}`",
    help="collect values that depend on sizes and keys alone",
)
one_record = Template("E0725", "`record` collects the values of one operation that is known by name", "{why}")
scope_name = Template("E0724", "the name of a scope is a static text", "not known here")
