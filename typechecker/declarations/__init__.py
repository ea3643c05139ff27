"""What a program declares, and what is known of each declaration so far.

`entities` are the declarations as data, `program_checker` the program while it is checked, `modules` reads texts,
`signatures` elaborates what a `def` states and `determinacy` which variables its arguments determine;
`dependencies`, `fingerprint` and `cache` decide what must be checked again.
"""
