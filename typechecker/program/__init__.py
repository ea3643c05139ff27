"""The check of a program: `check` is the front, `loading` orders the modules, `bodies` checks one definition,
`dispatch` says which rule an expression follows."""
