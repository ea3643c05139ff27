"""Types that must agree: `coercion` makes a term fit a type, finds the common one of several, `size_equations`
demands equal sizes, `shapes` computes shapes, `numeric_literals` gives literals a dtype, `components` takes terms
apart."""
