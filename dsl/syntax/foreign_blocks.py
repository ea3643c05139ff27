"""Loops, conditionals and calls of Python as they are written here, made of their text.

The functions know lines and brackets and no grammar: what they do not recognise as a whole is left alone, None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|[()\[\]{}]|[\w.]+|[^\w\s]|\s+')
_HEADER = re.compile(
    r"(?P<indent> *)(?:for (?P<item>.+?) in (?P<items>.+?)|while (?P<condition>.+?))(?:[ ]*:| do)?[ ]*$"
)
_LOCAL = re.compile(r"(?P<indent> *)def (?P<name>\w+)\((?P<params>.*)\)(?: *->[^:=]*)? *[:=] *(?P<body>.*)$")
_ASSIGNED = re.compile(r"(?:let )?(?P<name>\w+)(?:\[(?P<place>.+)\])?[ ]*(?P<op>[-+*/]?)=[ ]*(?P<value>[^=].*)")
_PLACED = re.compile(r"(?P<name>\w+)\.at\[.+\]\.\w+\(.*\)")
_SEVERAL = re.compile(r"\(?(\w+(?:, *\w+)+)\)? *= *([^=].*)")
_IF = re.compile(r"(?P<indent> *)if (?P<condition>.+?)(?:[ ]*:| then)$")
_CALL = re.compile(r" *\w[\w.]*\(.*\)(?: *#.*)?")
_BRANCH = re.compile(r"(?P<indent> *)(?P<word>if|elif|else if|else)\b(?: (?P<condition>.+?))?(?:[ ]*:| then)?$")
_CLASS = re.compile(r"class (\w+)(?:\([^()]*\))?:$")
_FIELD = re.compile(r" *(\w+) *: *([^=]+?)(?: *=.*)?")
_APPENDED = re.compile(r"(?P<name>\w+)\.append\((?P<value>.*)\)")
_UPDATES: Mapping[str, str] = MappingProxyType(
    {"": "set({})", "+": "add({})", "-": "add(-({}))", "*": "mul({})", "/": "divide({})"}
)


class Rewritten(Struct, frozen=True):
    """The replacement of a range of the source; `shown` is the part that a help repeats."""

    start: int
    end: int
    text: str
    shown: str


def split_outside(text: str, *separators: str) -> list[str]:
    """The parts of a text between separators that stand outside of its brackets and strings."""
    parts, depth = [""], 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        depth += (token in "([{") - (token in ")]}") if len(token) == 1 else 0
        if depth == 0 and token in separators:
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts]


def end_of_value(text: str, start: int) -> int:
    """Where a value that begins at a place ends: at a comma, a `for`, the end of its bracket or of its line."""
    depth, end = 0, start
    for match in _TOKEN.finditer(text, start):
        token = match.group()
        depth += (token in "([{") - (token in ")]}") if len(token) == 1 else 0
        if depth < 0 or (depth == 0 and (token in (",", "for") or "\n" in token or token[0] == "#")):
            break
        if token.strip():
            end = match.end()
    return end


def conditional(text: str) -> str | None:
    """`x if c else y`, and again in `y`."""
    value, *rest = split_outside(text, "if")
    condition, *other = split_outside(" if ".join(rest), "else") if rest else ("",)
    if not rest or not other:
        return None
    last = " else ".join(other)
    return f"if {condition} then {value} else {conditional(last) or last}"


def call_arguments(text: str, opener: int) -> tuple[list[str], int]:
    """The arguments behind a bracket, and where the bracket is closed."""
    end = opener + 1
    while end < len(text) and text[end] != ")":
        after = end_of_value(text, end)
        end = after + 1 if text[after : after + 1] == "," else after
        if after == end and text[end : end + 1] != ")":
            break
    return [part for part in split_outside(text[opener + 1 : end], ",") if part], end


def loop_call(word: str, arguments: Sequence[str]) -> str | None:
    """`scan(f, start, xs)` and `fold(f, start, xs)`, as `word` has them."""
    if len(arguments) != 3:
        return None
    function, start, items = arguments
    head = re.fullmatch(r"(?:fn|lambda) *\(?(\w+), *(\w+)\)? *(?:->|:) *(.*)", function)
    if head is not None:
        return f"{word} {head[1]} = {start} for {head[2]} in {items} do {head[3]}"
    return f"{word} s = {start} for v in {items} do {function}(s, v)" if function.isidentifier() else None


def format_string(text: str) -> str:
    """The text of an f-string between its quotes, as a format with the values behind it."""
    holes = re.findall(r"\{([^{}:!]+)[^{}]*\}", text)
    return ", ".join([f'"{re.sub(r"[{][^{}:!]+", "{", text)}"', *holes])


def local_function(text: str, start: int) -> Rewritten | None:
    """The `def` in a block that begins at a place, as a `let` of a lambda."""
    begin = text.rfind("\n", 0, start) + 1
    header, *rest = text[begin:].split("\n")
    head = _LOCAL.match(_without_comment(header))
    if head is None:
        return None
    body = [*_deeper(rest, len(head["indent"]))]
    written = f"let {head['name']} = fn ({head['params']}) ->"
    plain = [f"{written} {head['body'].removeprefix('return ')}".rstrip(), *_returned(body)]
    end = begin + sum(map(len, [header, *body])) + len(body)
    return Rewritten(begin + len(head["indent"]), end, "\n".join(plain), written)


def record_of_class(text: str, start: int) -> Rewritten | None:
    """A class whose lines are fields with types, as a record type with its sizes as parameters."""
    header, *rest = text[start:].split("\n")
    head, lines = _CLASS.match(_without_comment(header)), [*_deeper(rest, 0)]
    fields = [_FIELD.fullmatch(_without_comment(line)) for line in lines]
    if head is None or not lines or None in fields:
        return None
    shown = [f"{field[1]}: {field[2]}" for field in fields if field is not None]
    inside = " ".join(re.findall(r"\[([^\[\]]*)\]", " ".join(shown)))
    sizes = ", ".join(dict.fromkeys(re.findall(r"[^\W\d]\w*", inside)))
    written = f"type {head[1]}{f'[{sizes}]' if sizes else ''} = {{{', '.join(shown)}}}"
    return Rewritten(start, start + sum(map(len, [header, *lines])) + len(lines), written, written)


def early_return(text: str, start: int) -> Rewritten | None:
    """An `if` without `else` whose lines return a value, with what is below it as its other branch."""
    begin = text.rfind("\n", 0, start) + 1
    header, *rest = text[begin:].split("\n")
    head = _IF.match(_without_comment(header))
    body = [] if head is None else [*_deeper(rest, len(head["indent"]))]
    if head is None or not body or not body[-1].lstrip().startswith("return "):
        return None
    below = [*_deeper(rest[len(body) :], len(head["indent"]) - 1)]
    if not below:
        return None
    indent = head["indent"]
    first = f"if {head['condition']} then"
    lines = [first, *_returned(body), f"{indent}else", *(f"    {line}" for line in _returned(below))]
    end = begin + sum(map(len, [header, *body, *below])) + len(body) + len(below)
    return Rewritten(begin + len(indent), end, "\n".join(lines), "\n".join(["", indent + lines[0], *lines[1:]]))


def assigned_if(text: str, start: int) -> Rewritten | None:
    """An `if` whose branches assign to one name, as a `let` of what is chosen."""
    begin = text.rfind("\n", 0, start) + 1
    lines = text[begin:].split("\n")
    branches = _branches(lines)
    step = _chosen(branches)
    if step is None:
        return None
    taken = lines[: len(branches) + sum(len(branch.inside) for branch in branches)]
    written = f"let {step.name} = {step.value}"
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    return Rewritten(begin + indent, begin + sum(map(len, taken)) + len(taken) - 1, written, written)


def performed_if(text: str, start: int) -> Rewritten | None:
    """An `if` without `else` over calls alone, as one that does nothing else."""
    begin = text.rfind("\n", 0, start) + 1
    lines = text[begin:].split("\n")
    branches = _branches(lines)
    if len(branches) != 1 or not all(map(_CALL.fullmatch, branches[0].inside)) or not branches[0].inside:
        return None
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" "))]
    first = f"if {branches[0].condition} then"
    inside = [line.strip() for line in branches[0].inside]
    written = [f"{first} {inside[0]} else ()"]
    if len(inside) > 1:
        written = [first, *branches[0].inside, f"{indent}else", f"{indent}    ()"]
    end = begin + sum(map(len, [lines[0], *branches[0].inside])) + len(inside)
    return Rewritten(begin + len(indent), end, "\n".join(written), written[0])


def _returned(lines: Sequence[str]) -> list[str]:
    """The lines of a block, without the `return` of its own."""
    indent = min([len(line) - len(line.lstrip(" ")) for line in lines], default=0)
    return [re.sub(rf"^( {{{indent}}})return ", r"\1", line) for line in lines]


class _Step(Struct, frozen=True):
    """A line of a body: the name that it gives a value, and the value; whether it collects values."""

    name: str
    value: str
    collects: bool = False


def loop(text: str, start: int) -> Rewritten | None:
    """The loop whose first line holds a place, over lines that assign, update elements or append."""
    begin = text.rfind("\n", 0, start) + 1
    header, *rest = text[begin:].split("\n")
    head = _HEADER.match(_without_comment(header))
    body = [] if head is None else [*_deeper(rest, len(head["indent"]))]
    steps = [*_steps(body)]
    if head is None or not steps:
        return None
    taken = [step for step in steps if step is not None]
    before = text[text.rfind("\ndef ", 0, begin) + 1 : begin]
    carried = [name for name in dict.fromkeys(step.name for step in taken) if _is_bound(name, before)]
    if len(taken) < len(steps) or not carried:
        return None
    end = begin + sum(map(len, [header, *rest[: len(body)]])) + len(body)
    if any(step.collects for step in taken):
        return _collected(text, begin, end, head, taken)
    written = _carrying(head, carried, taken)
    shown = written[0] if len(written) == 1 else "\n".join(["", f"{head['indent']}{written[0]}", *written[1:]])
    return Rewritten(begin + len(head["indent"]), end, "\n".join(written), shown)


def _is_bound(names: str, before: str) -> bool:
    return all(re.search(rf"\b{name}\b", before) for name in re.findall(r"\w+", names))


def _deeper(lines: Sequence[str], indent: int) -> Iterator[str]:
    """The lines up to the first that is not deeper."""
    for line in lines:
        if len(line) - len(line.lstrip(" ")) <= indent or not line.strip():
            return
        yield line


def _without_comment(line: str) -> str:
    return "".join([token for token in _TOKEN.findall(line) if token[0] != "#"]).rstrip()


def _steps(lines: Sequence[str]) -> Iterator[_Step | None]:
    """Yield the steps of the lines; an `if` or a loop includes the lines of its body."""
    at = 0
    while at < len(lines):
        branches = _branches(lines[at:])
        loop = _HEADER.match(_without_comment(lines[at]))
        inside = [] if loop is None else [*_deeper(lines[at + 1 :], len(loop["indent"]))]
        if branches:
            yield _chosen(branches)
        else:
            yield _step(lines[at]) if loop is None else _repeated(loop, inside)
        at += len(branches) + sum(len(branch.inside) for branch in branches) or 1 + len(inside)


class _Branch(Struct, frozen=True):
    """A branch of an `if`, with the lines below it; the last has no condition where it is an `else`."""

    condition: str | None
    inside: list[str]


def _branches(lines: Sequence[str]) -> list[_Branch]:
    """Return the branches of the `if` at the first line, or an empty list."""
    found: list[_Branch] = []
    at = 0
    while at < len(lines):
        head = _BRANCH.match(_without_comment(lines[at]))
        if head is None or (head["word"] == "if") != (at == 0) or (at and found[-1].condition is None):
            break
        found.append(_Branch(head["condition"], [*_deeper(lines[at + 1 :], len(head["indent"]))]))
        at += 1 + len(found[-1].inside)
    return found


def _chosen(branches: Sequence[_Branch]) -> _Step | None:
    """The choice of what one name is, where each branch assigns to it."""
    steps = [_only_step(branch.inside) for branch in branches]
    names = {"" if step is None else step.name for step in steps}
    if len(names) != 1 or "" in names:
        return None
    (name,) = names
    values = [step.value for step in steps if step is not None]
    chosen = [f"if {branch.condition} then {value} else " for branch, value in zip(branches, values, strict=True)]
    if branches[-1].condition is None:
        chosen[-1] = values[-1]
    else:
        chosen.append(name)
    return _Step(name, "".join(chosen))


def _only_step(lines: Sequence[str]) -> _Step | None:
    (step, *others) = [*_steps(lines)] or [None]
    return None if others or step is None or step.collects else step


def _repeated(head: re.Match[str], lines: Sequence[str]) -> _Step | None:
    step = _only_step(lines)
    return None if step is None else _Step(step.name, f"{_loop_head(head, step.name)} {step.value}")


def _step(line: str) -> _Step | None:
    """Return the step of a line in terms of values, or None if it is unknown."""
    text = _without_comment(line).strip()
    appended, found = _APPENDED.fullmatch(text), _ASSIGNED.fullmatch(text)
    if appended is not None:
        return _Step(appended["name"], appended["value"], collects=True)
    placed = _PLACED.fullmatch(text)
    if placed is not None:
        return _Step(placed["name"], text)
    several = _SEVERAL.fullmatch(text)
    if several is not None:
        return _Step(f"({several[1]})", f"({several[2]})")
    if found is None:
        return None
    name, op, value = found["name"], found["op"], found["value"]
    if found["place"] is not None:
        return _Step(name, f"{name}.at[{found['place']}].{_UPDATES[op].format(value)}")
    right = value if op in ("", "+") or re.fullmatch(r"[\w.]+", value) else f"({value})"
    return _Step(name, f"{name} {op} {right}" if op else value)


def _collected(text: str, begin: int, end: int, head: re.Match[str], steps: Sequence[_Step]) -> Rewritten | None:
    """A loop that only appends to one list, as a comprehension; the line right above that makes the list goes away."""
    if len(steps) != 1 or head["items"] is None:
        return None
    name, indent = steps[0].name, head["indent"]
    written = f"let {name} = [{steps[0].value} for {_pattern(head['item'])} in {head['items']}]"
    made = re.search(rf"^{indent}(?:let )?{name} = \[\]\n\Z", text[:begin], re.MULTILINE)
    return Rewritten((begin if made is None else made.start()) + len(indent), end, written, written)


def _pattern(item: str) -> str:
    return f"({item})" if "," in item and not item.startswith("(") else item


def _loop_head(head: re.Match[str], names: str) -> str:
    if head["items"] is None:
        return f"iterate {names} = {names} while {head['condition']} limit 1000 do"
    return f"fold {names} = {names} for {_pattern(head['item'])} in {_range(head['items'])} do"


def _range(items: str) -> str:
    """Return the iteration source of a loop, also if it is a range with a colon."""
    ends = re.fullmatch(r"(\w+):(.+)", items)
    return items if ends is None else f"range({ends[1]}, {ends[2]} + 1)"


def _carrying(head: re.Match[str], carried: Sequence[str], steps: Sequence[_Step]) -> list[str]:
    """The lines of a loop that carries these names."""
    names = carried[0] if len(carried) == 1 else f"({', '.join(carried)})"
    first = f"let {names} = {_loop_head(head, names)}"
    if len(steps) == 1:
        return [f"{first} {steps[0].value}"]
    indent = f"{head['indent']}    "
    return [first, *(f"{indent}let {step.name} = {step.value}" for step in steps), f"{indent}{names}"]
