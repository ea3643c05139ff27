"""The static checker: names, types, shapes, stages, effects. Runs without jaxlib, and before anything runs.

`check_source` and `check_file` are the front. The modules, in an order to read them in:

- A program: `check` drives, `loading` has each module checked after those it imports, `modules` reads texts and
  declarations, `declared` and `program` hold what is known, `dispatch` ties the rules together; `context` is the place
  where an expression stands, `scope` its names, `values` what is known of it.
- Checking again: `cache` keeps modules for the next check, `interface` says what others see of one.
- Definitions: `typexpr` reads types, `signature` what a `def` states, `determined` which variables its arguments
  determine, `bodies` checks it; `solver` solves dtypes, `instance` all variables of a signature at a call.
- Types that must agree: `relate` makes a term fit a type (`partwise` its parts), `joins` finds a common one,
  `equalities` demands equal sizes, `shapes` computes shapes; `kinds`, `knowledge`, `adapted` and `choices` answer
  questions for them.
- Calls: `calls` begins one, then `definitions` and `results`, `opened`, `closures`, `casts`; `functions` passes
  functions on.
- Expressions: `basics`, `operators` (`arithmetic`, `static_numbers`, `vector_spaces`, `comparisons`, `logic`),
  `indexing` (`positions`, `slices`, `updates`), `blocks`, `matching` (`exhaustive`), `optional`, `iterations`, `loops`,
  `comprehensions`.
- Effects and keys: `effects` opens cells and handlers, `restrictions` says where some may not be; `keys` sees that
  every key is used once.
- Transformations: `transformations` makes and applies them: `derivatives`, `mapping`, `linear`, `custom_rules`;
  `activity` follows what a derivative reaches.
- Functions that no signature can describe: `specials` and its kin, `collectives`, `shape_calls`.
- Words: `errors` writes every message; rules hand it data.
"""

from typechecker.cache import CheckCache
from typechecker.check import CheckResult, check_file, check_source
from typechecker.outside import Option, Reference, Step

__all__ = ["CheckCache", "CheckResult", "Option", "Reference", "Step", "check_file", "check_source"]
