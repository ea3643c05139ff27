"""The words of diagnostics about meshes and what is cut along them."""

from __future__ import annotations

from typechecker.errors.templates import Template

not_a_mesh = Template(
    "E1008",
    "a mesh has axes with a name and a static size of at least 1",
    "not an axis of a mesh",
    help="write `mesh(data=4, model=2)`",
)
axis_named_twice = Template("E1008", "the mesh has two axes `{name}`", "named twice")


unknown_mesh_axis = Template(
    "E1009", "the mesh has no axis `{name}`", "unknown axis", note="axes of the mesh: {known:quoted}"
)


not_a_spec = Template(
    "E1010",
    "`{option}` does not say how {kind:type} is cut",
    "{kind:plain}",
    help="name the axis that is cut along one of the mesh, `{{data = 0}}`; `none` is for what is not cut",
)
spec_axis_range = Template(
    "E1010",
    "{kind:type} has no axis {axis} to cut along `{name}`",
    "{kind:plain}",
    help="choose the axis, or none, with `{option}`",
)
spec_count = Template(
    "E1010", "`in_specs` has {given:entry|entries} for {count:argument}", "one entry for each argument"
)
result_not_cut = Template(
    "E1011",
    "the result differs along the axis `{name}` of the mesh, and `out_specs` does not cut it there",
    "claims that all parts are the same",
    help="if each part has a piece of it, cut it: `{{{name} = 0}}`; if all are to agree, take the mean of it, "
    '`pmean(x, "{name}")`, or the sum, `psum(x, "{name}")`, in the function, which declares `! axis("{name}")` then',
)
not_divisible = Template(
    "E1012",
    "an axis of size {size} cannot be cut into {count} equal parts",
    "cut along `{name}`, which has {count} places",
    note="{found:example}",
    help="pad the array, or choose another mesh",
)
sharding_in_part = Template(
    "E1018",
    "`with_sharding` says how a whole array lies, and inside of `{kind}` there are only parts",
    "a part lies on one device",
    other="its function sees one part",
    help="write it outside of the `{kind}`",
)
