"""`dsl.plan`: how the arguments of a function could lie over a mesh, and what each layout takes.

`plan` asks `dsl.transforms.planning` and makes `layout`s of the answers; `specs` are the trees that say how arrays lie,
`definitions` the text of a layout, which is checked, and `compiled` what XLA makes of it. `checkpoints` says where in a
program a derivative may compute something again, and `byte_counts` reads `"16GiB"`.
"""
