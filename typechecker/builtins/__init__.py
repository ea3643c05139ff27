"""Functions whose types no signature can say, by name in `table`."""
