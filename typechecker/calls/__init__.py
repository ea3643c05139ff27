"""Calls: `calls` begins one; `definitions`, `closures`, `casts` and `deferred_definitions` have the rule for each
kind of callee, `results` what a call gives, `function_values` passes functions on, `effect_restrictions` says where
some effects may not be performed."""
