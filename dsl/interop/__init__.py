"""Functions of programs in other frameworks: each module imports the one that it is named after."""
