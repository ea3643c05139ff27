"""Calls: `calls` begins one; `definitions`, `closures` and `casts` have the rule for each kind of callee, `results` has
what a call gives, `function_values` passes functions on, `effect_restrictions` says where some effects may not be
performed."""
