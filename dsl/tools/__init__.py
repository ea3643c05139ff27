"""The tasks of the command line, one module each. They may use every layer below."""
