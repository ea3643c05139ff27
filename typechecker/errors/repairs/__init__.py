"""What could be written instead, for the helps of errors: shapes that fit, names of other libraries."""
