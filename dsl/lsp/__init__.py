"""The language server: what an editor asks of programs, in files and in strings of Python.

`server` speaks the protocol, `analysis` checks what is open, `documents` finds the programs in a file. All answers come
from one index of a checked module: `names` says what every name stands for, `index` what every expression is. Each
answer has a module: `describe`, `hints`, `complete`, `navigate`, `highlight`, `repairs`. `places` turns places of texts
into those of the protocol. Only `server`, `places` and the answers know the protocol.
"""
