"""IR as text and back. `show` and `parse` are inverses up to source places and functions of Python, which are
not printed.

    def main(%0: f32[3], %1: f32[3]) -> (f32):
      %2: f32[3] = mul %0, %1
      %3: f32 = reduce_sum{axes=(0,)} %2
      return %3

Bodies are printed before the function that uses them, each once, and named `@name` in the params; names that
would clash get a number. A literal is printed with its type: `2.0: f32[3]`. Ops are looked up in the table
that `parse` is given. Read next: `verify`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import AnyOp
from dsl.ir.walk import functions
from dsl.records import fields
from dsl.types.dtype import BY_NAME, DType
from dsl.types.size import Size


class IRParseError(Exception):
    """Text that is not IR, with the line and a sentence."""


# --- printing ---------------------------------------------------------------------------------------------


class Listing(Struct, frozen=True):
    """The lines of one function: what it takes and gives, its equations in order, what it returns."""

    function: Function
    head: str
    equations: tuple[str, ...]
    returns: str


def show(function: Function) -> str:
    """The text of `function`, its bodies first."""
    lines: list[str] = []
    for part in list_functions(function):
        lines += [part.head, *[f"  {line}" for line in part.equations], f"  {part.returns}"]
    return "\n".join(lines) + "\n"


def list_functions(function: Function) -> list[Listing]:
    """`function` and all functions inside it, a body before the function that uses it."""
    names: dict[int, str] = {}
    return [_list(part, names) for part in functions(function)]


def _list(function: Function, names: dict[int, str]) -> Listing:
    names[id(function)] = _unused(function.name, names)
    numbers: dict[Var, str] = {}
    params = ", ".join(_bound(p, numbers) for p in function.params)
    results = ", ".join(str(t) for t in function.result_types)
    equations = tuple([_show_equation(e, numbers, names) for e in function.equations])
    returns = f"return {', '.join(_show_atom(r, numbers) for r in function.results)}".rstrip()
    return Listing(function, f"def {names[id(function)]}({params}) -> ({results}):", equations, returns)


def _unused(name: str, names: dict[int, str]) -> str:
    taken = set(names.values())
    if name not in taken:
        return name
    return next(f"{name}.{k}" for k in range(1, len(taken) + 2) if f"{name}.{k}" not in taken)


def _bound(var: Var, numbers: dict[Var, str]) -> str:
    numbers[var] = f"%{len(numbers)}"
    return f"{numbers[var]}: {var.type}"


def _show_equation(equation: Equation, numbers: dict[Var, str], names: dict[int, str]) -> str:
    inputs = ", ".join(_show_atom(x, numbers) for x in equation.inputs)
    outputs = ", ".join(_bound(y, numbers) for y in equation.outputs)
    params = _show_params(equation.params, names)
    return f"{outputs} = {equation.op.name}{params} {inputs}".strip()


def _show_atom(atom: Atom, numbers: dict[Var, str]) -> str:
    return f"{_show_number(atom.value)}: {atom.type}" if isinstance(atom, Literal) else numbers[atom]


def _show_number(value: complex) -> str:
    """Python's own text, except that a complex is its two parts: `repr` loses the signs of zeros."""
    return f"complex({value.real!r}, {value.imag!r})" if isinstance(value, complex) else repr(value)


def _show_params(params: Any, names: dict[int, str]) -> str:
    values = [(f, getattr(params, f.name)) for f in fields(params)]
    shown = [(f.name, value) for f, value in values if f.repr or (value != f.default and not callable(value))]
    parts = [f"{name}={_show_value(value, names)}" for name, value in shown]
    return f"{{{', '.join(parts)}}}" if parts else ""


def _show_value(value: Any, names: dict[int, str]) -> str:
    if isinstance(value, Function):
        return f"@{names[id(value)]}"
    if isinstance(value, tuple):
        inside = ", ".join(_show_value(v, names) for v in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, DType):
        return f"<{value}>"
    if isinstance(value, Tensor):
        return f"<{value}>" if value.shape else f"<{value}[]>"
    if isinstance(value, bytes):
        return f"0h{value.hex()}"
    if isinstance(value, Size):
        return str(value)
    if isinstance(value, Struct):
        return _show_params(value, names)
    return _show_number(value) if isinstance(value, complex) else repr(value)


# --- parsing ----------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<bytes>0h[0-9a-f]*)|(?P<number>-?(?:inf|nan)\b|[-+]?[0-9][-+.0-9a-zA-Z]*)|(?P<var>%\d+)"
    r"|(?P<body>@[^\s(){},=]+)|(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<name>[A-Za-z_][\w.]*)"
    r"|(?P<mark>->|[-(){}\[\]<>,:=]))"
)
_HEAD = re.compile(r"def ([^(]*)\((.*)\) -> \((.*)\):$")


def parse(text: str, ops: Mapping[str, AnyOp]) -> Function:
    """The last function of `text`; the ones before it are bodies. Raises `IRParseError`."""
    functions: dict[str, Function] = {}
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    while lines:
        function, name, lines = _parse_function(lines, functions, ops)
        functions[name] = function
    if not functions:
        raise IRParseError("line 1: no function")
    return function


def _parse_function(
    lines: list[tuple[int, str]], functions: Mapping[str, Function], ops: Mapping[str, AnyOp]
) -> tuple[Function, str, list[tuple[int, str]]]:
    number, head = lines[0]
    match = _HEAD.match(head)
    if match is None:
        raise IRParseError(f"line {number}: a function begins with `def name(...) -> (...):`")
    scope = _Line(match[2], number, {}, functions)
    params = tuple(scope.list_of(scope.binding, "")) if match[2].strip() else ()
    equations: list[Equation] = []
    for k, (number, text) in enumerate(lines[1:], 1):
        line = _Line(text, number, scope.vars, functions)
        if line.take("return"):
            results = tuple(line.list_of(line.atom, "")) if not line.done() else ()
            name = match[1]
            plain = _plain(name, functions)
            return Function(plain, params, tuple(equations), results), name, lines[k + 1 :]
        equations.append(_parse_equation(line, ops))
    raise IRParseError(f"line {number}: the function {match[1]} has no `return`")


def _plain(name: str, functions: Mapping[str, Function]) -> str:
    """The name without the number that `show` adds to one that is taken."""
    plain = re.sub(r"\.\d+$", "", name)
    return plain if plain in functions else name


def _parse_equation(line: _Line, ops: Mapping[str, AnyOp]) -> Equation:
    bindings = [] if line.peek() == "=" else line.list_of(line.unbound, "=")
    line.expect("=")
    name = line.next()
    if name not in ops:
        raise IRParseError(f"line {line.number}: no op is called {name!r}")
    op = ops[name]
    params = _build_params(op.params, line.params())
    inputs = tuple(line.list_of(line.atom, "")) if not line.done() else ()
    outputs = tuple(line.bind(variable, type) for variable, type in bindings)
    return Equation(op, params, inputs, outputs, None)


def _build_params(kind: Any, given: Mapping[str, Any]) -> Any:
    """Params of a kind; those in a tuple of them are of the kind that its annotation names."""
    return kind(**{name: _build_all(kind, name, value) for name, value in given.items()})


def _build_all(kind: Any, name: str, value: Any) -> Any:
    if isinstance(value, int) and get_type_hints(kind)[name] is Size:
        return Size.of(value)
    if not isinstance(value, tuple) or not any(isinstance(part, dict) for part in value):
        return value
    item, *_ = get_args(get_type_hints(kind)[name])
    return tuple([_build_params(item, part) for part in value])


class _Line:
    """The tokens of one line and the values bound so far."""

    def __init__(self, text: str, number: int, vars: dict[str, Var], functions: Mapping[str, Function]) -> None:
        self.number = number
        self.vars = vars
        self.functions = functions
        self.tokens = self._tokens(text.strip())
        self.at = 0

    def _tokens(self, text: str) -> list[tuple[str, str]]:
        tokens, place = [], 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise IRParseError(f"line {self.number}: cannot read {text[place:].strip()[:20]!r}")
            kind = match.lastgroup or ""
            tokens.append((kind, match[kind]))
            place = match.end()
        return tokens

    def done(self) -> bool:
        return self.at >= len(self.tokens)

    def peek(self) -> str:
        return "" if self.done() else self.tokens[self.at][1]

    def next(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def take(self, token: str) -> bool:
        found = self.peek() == token
        self.at += found
        return found

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise IRParseError(f"line {self.number}: expected {token!r}, found {self.peek()!r}")

    def list_of(self, item: Callable[[], Any], end: str) -> list[Any]:
        """Items with commas between them, up to `end` (not taken), with one comma after the last allowed."""
        items: list[Any] = []
        while self.peek() != end:
            items.append(item())
            if not self.take(","):
                break
        return items

    def unbound(self) -> tuple[str, Tensor]:
        variable = self.next()
        self.expect(":")
        return variable, self.tensor()

    def bind(self, variable: str, type: Tensor) -> Var:
        self.vars[variable] = Var(type)
        return self.vars[variable]

    def binding(self) -> Var:
        return self.bind(*self.unbound())

    def tensor(self) -> Tensor:
        name = self.next()
        if name not in BY_NAME:
            raise IRParseError(f"line {self.number}: {name!r} is not a dtype")
        shape: list[int] = []
        if self.take("["):
            shape = self.list_of(lambda: int(self.next()), "]")
            self.expect("]")
        return Tensor(BY_NAME[name], tuple(shape))

    def atom(self) -> Atom:
        if self.peek().startswith("%"):
            variable = self.next()
            if variable not in self.vars:
                raise IRParseError(f"line {self.number}: {variable} is not bound")
            return self.vars[variable]
        value = self.value()
        self.expect(":")
        return Literal(value, self.tensor())

    def params(self) -> dict[str, Any]:
        return self.braced() if self.take("{") else {}

    def braced(self) -> dict[str, Any]:
        pairs = self.list_of(self.pair, "}")
        self.expect("}")
        return dict(pairs)

    def pair(self) -> tuple[str, Any]:
        name = self.next()
        self.expect("=")
        return name, self.value()

    def value(self) -> Any:
        kind, token = self.tokens[self.at] if not self.done() else ("", "")
        self.at += 1
        match kind, token:
            case "body", _:
                return self.function(token[1:])
            case "bytes", _:
                return bytes.fromhex(token[2:])
            case "mark", "(":
                return self.parenthesised()
            case "mark", "{":
                return self.braced()
            case "name", "complex":
                self.expect("(")
                return complex(*self.parenthesised())
            case "mark", "<":
                return self.typed()
            case "number", _:
                return _number(token)
            case ("string", _) | ("name", "True" | "False" | "None"):
                return ast.literal_eval(token)
        raise IRParseError(f"line {self.number}: {token!r} is not a value")

    def function(self, name: str) -> Function:
        if name not in self.functions:
            raise IRParseError(f"line {self.number}: no function is called {name!r}")
        return self.functions[name]

    def parenthesised(self) -> tuple[Any, ...]:
        items = self.list_of(self.value, ")")
        self.expect(")")
        return tuple(items)

    def typed(self) -> DType | Tensor:
        """`<f32>` is a dtype, `<f32[]>` and `<f32[2]>` are types of values."""
        bare = self.tokens[self.at + 1][1] == ">"
        type = self.tensor()
        self.expect(">")
        return type.dtype if bare else type


def _number(token: str) -> int | float:
    return int(token) if re.fullmatch(r"-?\d+", token) else float(token)
