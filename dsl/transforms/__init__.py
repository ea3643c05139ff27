"""Transformations of IR into IR: algorithms only, the rules are with the ops.

`derivative` (gradients, vjp, hvp, Jacobians) rests on `linearize` and `transpose`; `linearize` is `jvp` over
the builder of `partial_eval`; `vmap` maps. `pipeline` names the clean-up passes `simplify`, `cse`, `dce`, `inline`,
`expand`, `zero_propagation`. A `Memo` passed from one to the next keeps shared functions shared. Nothing is imported
here.
"""
