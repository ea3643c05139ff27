"""Types that must agree: `coercion` makes a term fit a type, `unify_branches` finds a common one, `size_equations`
demands equal sizes, `shapes` computes shapes, `numeric_literals` gives literals a dtype, `components` takes terms
apart."""
