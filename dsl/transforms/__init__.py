"""Transformations of IR into IR: algorithms only, the rules are with the ops.

`linearize` is `jvp` over the builder of `partial_eval`; `transpose` turns its linear half around; `vmap` maps.
Gradients and Jacobians are put together from these in `dsl.staging.transforms`. `pipeline` names the clean-up passes
`simplify`, `cse`, `dce`, `inline`, `expand`, `zero_propagation`. A `Memo` passed from one to the next keeps shared
functions shared. Nothing is imported here.
"""
