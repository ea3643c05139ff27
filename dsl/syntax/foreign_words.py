"""Words that begin a statement or stand above a definition in other languages, and what takes their place here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NO_EXCEPTIONS = "there are no exceptions: handle failed checks with `with checks do …`"
_STATE = "state is an effect: `with state s = start do …`"
_BOUND = "a name is bound with `let`"
DECLARED = "a function is declared with `def`"
ENDS = "indentation ends a block: remove `end`"

STATEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "return": "the value of a block is its last line: remove `return`",
        "pass": "a body that does nothing is `()`",
        "break": "a loop that stops early is `iterate x = … while condition limit k do …`",
        "continue": "select the next value of the carry with `if … then … else …`",
        "class": "data types are records, `type P = {x: f32}`, with functions beside them",
        "for": "a loop is an expression: `fold acc = start for x in xs do …`, `scan …`, or `[… for x in xs]`",
        "while": "a loop is an expression: `iterate x = start while condition limit n do …`",
        "if": "`if` is an expression, used in the body of a `def`",
        "with": "`with` is an expression, used in the body of a `def`",
        "try": _NO_EXCEPTIONS,
        "except": _NO_EXCEPTIONS,
        "finally": "there are no exceptions",
        "raise": 'a run-time check is `assert condition, "message"`',
        "del": "values are never deleted: remove the line",
        "global": _STATE,
        "nonlocal": _STATE,
        "yield": "collect values with `scan`, or with `[… for x in xs]`",
        "async": "a call needs none: what reads its result waits for it",
        "await": "a call needs none: what reads its result waits for it",
        "var": _BOUND,
        "const": _BOUND,
        "val": _BOUND,
        "function": DECLARED,
        "func": DECLARED,
        "fun": "a function is declared with `def`, a lambda is `fn x -> …`",
        "fn": "a function is declared with `def`; `fn x -> …` is a value",
        "struct": "data types are records: `type P = {x: f32}`",
        "print": "use `print(…)` in the body of a `def` with the effect `! io`",
        "assert": "use `assert` in the body of a `def`",
    }
)
RESERVED = frozenset(STATEMENTS)
"""Words that begin a statement or a declaration in some other language."""

ALONE = frozenset(["return", "pass", "break", "continue", "yield", "del", "raise", "global", "nonlocal"])
"""Those that are read as names here where they begin a line."""

_BY_ITSELF = "leave the line out: every function is compiled"
_RULE = (
    "leave the line out: the derivatives of `{name}` are those of its body; other ones are those of a further function"
)
DECORATORS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("jit", "njit", "compile", "function", "inbounds", "simd"), _BY_ITSELF),
        **dict.fromkeys(
            ("vmap", "vectorize"), "leave the line out, and map where it is called: `vmap({name})({args})`"
        ),
        **dict.fromkeys(
            ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "pmap"),
            "leave the line out, and write `{word}({name})({args})` where it is called",
        ),
        **dict.fromkeys(
            ("checkpoint", "remat"),
            "leave the line out, and write `checkpoint({name})({args})` in what a gradient is taken of",
        ),
        "custom_vjp": f"{_RULE}: `custom_vjp({{name}}, …)({{args}})`",
        "custom_jvp": f"{_RULE}: `custom_jvp({{name}}, rule)({{args}})`",
        "dataclass": "leave the line out: a record type is `type P = {{x: f32}}`",
    }
)
"""By the last name in the decorator, the advice; `name` and `args` are those of the definition below."""
NO_DECORATOR = "leave the line out: nothing takes the place of `{word}` here"
