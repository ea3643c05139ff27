"""Values that a derivative keeps, and those that it computes again."""
