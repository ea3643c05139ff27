"""The declarations of a program, and the facts found so far about each.

`entities` are the declarations as data, `program_checker` the program while it is checked, `modules` reads texts,
`signatures` elaborates what a `def` states and `determinacy` which variables its arguments determine;
`dependencies` and `cache` decide what must be checked again.
"""
