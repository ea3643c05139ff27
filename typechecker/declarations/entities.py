"""The modules of a program: their sources, and the results of checking so far.

A definition is filled in while it is checked, and a module is finished before those that import it are begun; after
that nothing in it changes but the instances of lambdas, which is what `Module.shared` is about. Read next: `program`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, Flag, auto
from hashlib import blake2b
from itertools import count
from threading import RLock
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, field

from dsl.core import core
from dsl.core.statics.evaluate import Replay
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.heads import Head
from dsl.syntax.library_text import Written, head_of, tree_of
from dsl.syntax.versions import Slot
from dsl.types.effect import EffectVar
from dsl.types.facts import Prop
from dsl.types.limits import STEPS
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Element, Type
from typechecker.declarations.reads import Read, Reads
from typechecker.declarations.records import Records
from typechecker.env.effect_book import Conduct
from typechecker.env.outcomes import Memo
from typechecker.env.scope import Binding, CellBinding, Scope
from typechecker.env.values import Known, Term
from typechecker.types.type_expressions import Alias


class Attribute(Enum):
    """An attribute, by its name in the text; what stands in its parentheses are names of parameters."""

    ELEMENTS = "elements"
    """`@elements(x)`: every element of the result is one of x; `@elements(0)`: it is that number."""
    GIVEN = "given"
    """`@given(x)`: functions among the arguments are called for x alone, where their parameters are of its type."""
    WITHIN = "within"
    """`@within(start, stop)`: every element e of the result is in `start <= e < stop`; `@within(stop)`: from 0."""
    ZERO_DERIVATIVE = "zero_derivative"
    """`@zero_derivative`: steps; the derivative is zero wherever there is one."""
    CONSTANT = "constant"
    """`@constant`: nothing of the arguments is in the result but their types."""
    LINEAR = "linear"
    """`@linear(x, y)`: linear in x and y together, and in no other parameter."""
    MULTILINEAR = "multilinear"
    """`@multilinear(x, y)`: linear in each of x and y while the other is fixed."""
    NONLINEAR = "nonlinear"
    """`@nonlinear`: the derivative depends on the arguments; said of intrinsics that are no ops, which know."""
    NO_DERIVATIVE = "no_derivative"
    """`@no_derivative`: there is none, and none that is meant; the op says why."""
    NEW_KEY = "new_key"
    """`@new_key(key, data)`: a key that differs from that of all other data."""
    ONE_OF = "one_of"
    """`@one_of(branches)`: one of the functions in the tuple is called, once, and none of the others."""
    STATIC_NUMBERS = "static_numbers"
    """`@static_numbers`: static numbers give a static number, by `dsl.core.statics.numbers`. A definition that is an
    intrinsic of that name does so without saying it."""


PRELUDE = "prelude"


class Task(Struct, eq=False):
    """The check of one declaration: where its variables get their numbers, where its locals were bound, what is in
    scope at the value of each block, what is left of its static evaluation, what is wrong in the texts that helps
    would make of it, and if it is faulty, the types of its expressions, also of those inside of refused ones. `reads`
    is what it has looked at, of which `memo` is made; a task without them is part of another.

    A number belongs to no other declaration of the program and depends on nothing but this one, so that what was
    found here means the same in every check, and whatever has been checked before it.
    """

    ids: Iterator[int]
    origins: dict[int, tuple[Span, core.Expr | None]] = field(default_factory=dict)
    scopes: dict[Span, Scope] = field(default_factory=dict)
    replay: Replay = field(default_factory=Replay)
    compared: core.Expr | None = None
    tried: dict[str, Counter[str] | None] = field(default_factory=dict)
    types: list[tuple[Span, Type]] = field(default_factory=list)
    reads: set[Read] | None = None
    memo: Memo = field(default_factory=Memo)

    @staticmethod
    def of(
        module: str, name: str, steps: int = STEPS, following: int | None = None, reads: set[Read] | None = None
    ) -> Task:
        """The check of a declaration, from its first number or from the `following` one of an earlier check."""
        digest = blake2b(f"{module}\0{name}".encode(errors="surrogatepass"), digest_size=5).digest()
        return Task(count(following or (int.from_bytes(digest) << 24) + 1), replay=Replay(steps), reads=reads)


class State(Enum):
    """How far the check of a definition has come."""

    NEW = auto()
    SIGNATURE = auto()
    """Its signature is being read."""
    BODY = auto()
    """Its body is still to be checked."""
    CHECKING = auto()
    DONE = auto()
    FAILED = auto()
    """It has been reported that nothing more can be known of it."""


Key: TypeAlias = tuple[str, str]
"""A module and a name in it."""


class Leads(Flag):
    """Where a definition leads: to a transformation, to what may refuse one, to one that may be refused for itself, to
    a definition with an error."""

    NOWHERE = 0
    TRANSFORMS = auto()
    OBSTACLE = auto()
    ALONE = auto()
    FAULTY = auto()

    @property
    def suspect(self) -> bool:
        both = Leads.TRANSFORMS | Leads.OBSTACLE
        return Leads.FAULTY not in self and (Leads.ALONE in self or both in self)


class Led(Struct, frozen=True, eq=False):
    """Where the Core of a declaration leads by itself, and through the library, and the declarations of the program's
    own modules that it mentions."""

    of: core.Function | core.Constant
    leads: Leads
    mentioned: tuple[Key, ...]


class Definition(Struct, eq=False):
    """A `def`: what was written, and what is known of it.

    `primitive` is the intrinsic that a definition of the library is, `static_math` the elementwise function of static
    numbers that it stands for. `cycle` names the definitions that its calls may lead through back to it. `known` is
    what its result is in terms of its own variables, where that needs no look at the arguments, `inferred` what its
    body demands of these alone beyond what is stated, `origins` where each inferred condition arises, in its body and
    then in those it calls. `following` is the number of its check behind those in what is known of it. `faulty` says
    that something was reported in its body; `dtypes` are those of the numbers in `defaults`. An `operation` of an
    effect has none: its handlers say what it does. Its `form` is the word that says that it is known by name. One that
    `decides` leaves sizes to the data of a run. `led` is what a body leads to.
    """

    module: str
    name: str
    written: ast.Def | Written
    primitive: str | None = None
    static_math: str | None = None
    in_library: bool = False
    attributes: Mapping[Attribute, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    cycle: frozenset[str] = frozenset()
    operation: bool = False
    form: str | None = None
    state: State = State.NEW
    signature: core.Signature | None = None
    scope: Scope | None = None
    defaults: dict[str, Term] = field(default_factory=dict)
    dtypes: Mapping[DTypeVar, Element] = field(default_factory=lambda: MappingProxyType({}))
    facts: tuple[Prop, ...] = ()
    demands: tuple[tuple[Prop, Span], ...] = ()
    cells: tuple[CellBinding, ...] = ()
    checked: core.Function | None = None
    known: Known | None = None
    inferred: frozenset[Prop] = frozenset()
    origins: dict[Prop, tuple[Span, ...]] = field(default_factory=dict)
    conduct: Conduct = Conduct()
    undetermined: dict[SizeVar, Size] = field(default_factory=dict)
    following: int = 0
    broken: bool = False
    faulty: bool = False
    decides: bool = False
    led: Led | None = None
    interface: Interface | None = None
    _task: Task | None = None
    _head: Head | None = None

    @property
    def task(self) -> Task:
        """The check of it."""
        if self._task is None:
            self._task = Task.of(self.module, self.name, reads=None if self.in_library else set())
        return self._task

    def begin(self, following: int) -> None:
        """Go on with the check where another process has left it, with the number that follows."""
        self.following = following
        self._task = Task.of(self.module, self.name, following=following)

    def calls_once(self, effect: EffectVar) -> bool:
        """Return whether a call of it certainly calls the functions with this effect once."""
        return self.state is State.DONE and effect not in self.conduct.again

    @property
    def recursive(self) -> bool:
        """Return whether calls lead back to it."""
        return bool(self.cycle)

    @property
    def head(self) -> Head:
        """Return the part of a definition before its types; a library definition is not parsed for it."""
        if self._head is None:
            self._head = head_of(self.written)
        return self._head

    @property
    def node(self) -> ast.Def:
        """The tree of what was written."""
        return tree_of(self.written)

    @property
    def shown(self) -> str:
        """The name as users know it."""
        return core.written_name(self.name.lstrip("_")) if self.in_library else self.name


class Topic(Enum):
    """Something in a module, or in what it imports, that few have and that an analysis is about."""

    OBSTACLES = auto()
    """What may refuse a transformation."""
    SUMS = auto()
    """Sums along a named axis."""
    DATA_SIZES = auto()
    """Sizes that data decide."""
    RECURSION = auto()
    """Recursion that is unrolled."""


class Analysed(Struct, frozen=True):
    """The findings of an analysis in a definition, and what it looked at."""

    info: Definition
    reads: set[Read]
    found: tuple[Diagnostic, ...]


class Mentioned(Struct):
    """Which of the `declared` names occur in each declaration of an edited text."""

    declared: Mapping[str, str] = field(default_factory=dict)
    by_slot: dict[Slot, tuple[str, ...]] = field(default_factory=dict)


class Interface(Struct, frozen=True):
    """A digest of what others see of a module or a definition, and whether they may evaluate functions in it that
    recur."""

    digest: str
    evaluated: bool


class Module(Struct, eq=False):
    """A module: its declarations by name, what its imports mean, and all that was reported while it was checked.

    `problems` are those of its syntax, `topics` what its analyses are about. `shared` says that another module has used
    a function that is the value of a constant here: a lambda gets an instance with each use, so this module is not what
    its own check left. `primitives` are the definitions of the library that are intrinsics, by the names of these.
    `overloads` are the names that several of its definitions share, with the names of these. Of an edited text, `tasks`
    are the checks of what is not a definition, `reports` what was reported in each declaration, `analysed` what
    analyses found in definitions, by the names of both, `unknown` the names that stand for anything, `waiting` the
    declarations whose check was put off; a `repeatable` one may be checked again in parts.
    """

    name: str
    source: Source
    tree: ast.Module
    scope: Scope
    problems: tuple[Diagnostic, ...] = ()
    imports: dict[str, str] = field(default_factory=dict)
    borrowed: dict[str, tuple[str, str]] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    primitives: dict[str, Definition] = field(default_factory=dict)
    overloads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    constants: dict[str, ast.Let] = field(default_factory=dict)
    aliases: dict[str, Alias] = field(default_factory=dict)
    enums: dict[str, ast.EnumDecl] = field(default_factory=dict)
    variants: dict[str, str] = field(default_factory=dict)
    effects: dict[str, Definition] = field(default_factory=dict)
    values: dict[str, Term] = field(default_factory=dict)
    checked_constants: dict[str, core.Constant] = field(default_factory=dict)
    in_progress: set[str] = field(default_factory=set)
    enum_infos: dict[str, core.Enum] = field(default_factory=dict)
    alias_types: dict[str, Type] = field(default_factory=dict)
    found: tuple[Diagnostic, ...] = ()
    topics: frozenset[Topic] = frozenset()
    shared: bool = False
    interface: Interface | None = None
    tasks: dict[str, Task] = field(default_factory=dict)
    reports: dict[Slot, list[Diagnostic]] = field(default_factory=dict)
    analysed: dict[tuple[str, str], Analysed] = field(default_factory=dict)
    unknown: Mapping[str, Binding] = field(default_factory=dict)
    mentioned: Mentioned = field(default_factory=Mentioned)
    waiting: set[str] = field(default_factory=set)
    repeatable: bool = False

    def task(self, name: str) -> Task:
        """Begin the check of a constant, a type or an enum."""
        task = self.tasks[name] = Task.of(self.name, name, reads=set())
        return task

    @property
    def used(self) -> set[str]:
        """The modules it imports, by name."""
        return {*self.imports.values(), *(owner for owner, _ in self.borrowed.values())}

    def written(self, module: str, name: str) -> str:
        """Return the name by which this module refers to another module's declaration: imported, qualified, or of the
        prelude."""
        if module in (self.name, PRELUDE):
            return name
        here = (local for local, found in self.borrowed.items() if found == (module, name))
        imported = (local for local, found in self.imports.items() if found == module)
        return next(here, f"{next(imported, module.rpartition('.')[2])}.{name}")

    def lacks(self, module: str, name: str) -> bool:
        """Return whether nothing that is imported leads to what another module declares."""
        return module not in (self.name, PRELUDE, *self.imports.values()) and (
            (module, name) not in self.borrowed.values()
        )

    def keeps_in_signatures(self, name: str) -> bool:
        """Return whether a name is no new size where the types of a signature mention it."""
        return name in self.constants or name in self.borrowed

    def declares(self, name: str) -> bool:
        return name in self.definitions or name in self.effects or self.declared_value(name) is not None

    def declared_value(self, name: str) -> str | None:
        """Describe a name of the module itself that is not a function."""
        tables: Mapping[str, Mapping[str, object]] = {
            "a constant": self.constants,
            "a type": self.aliases,
            "an enum": self.enums,
            "a variant": self.variants,
        }
        return next((what for what, table in tables.items() if name in table), None)


def with_imports(modules: Mapping[str, Module], names: Iterable[str]) -> dict[str, Module]:
    """Return the modules with these names and all their imports."""
    out: dict[str, Module] = {}
    todo = list(names)
    while todo:
        module = modules.get(todo.pop())
        if module is not None and module.name not in out:
            out[module.name] = module
            todo += module.used
    return out


class Library(Struct, eq=False):
    """The modules of the library that have been asked for, the definitions whose bodies are still to be checked, and
    those that no record knew. Checks that share one take turns."""

    records: Records = Records()
    modules: dict[str, Module] = field(default_factory=dict)
    fresh: dict[tuple[str, str], Definition] = field(default_factory=dict)
    wanted: dict[tuple[str, str], Definition] = field(default_factory=dict)
    turn: RLock = field(default_factory=RLock)
    reads: Reads = field(default_factory=Reads)


class Modules(Mapping[str, Module]):
    """The modules of one program by name, and which of its own the module that is being checked has looked at: at what
    every importer sees, or at the whole of them."""

    def __init__(self, library: Library) -> None:
        self._own: dict[str, Module] = {}
        self._library = library.modules
        self._reader: str | None = None
        self.seen: set[str] = set()
        self.entered: set[str] = set()

    def __getitem__(self, name: str) -> Module:
        found = self._own.get(name)
        if found is None:
            return self._library[name]
        self.seen.add(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._library
        yield from self._own

    def __len__(self) -> int:
        return len(self._library) + len(self._own)

    @property
    def own(self) -> Mapping[str, Module]:
        """Return the modules outside the library, each after its imports."""
        return self._own

    def add(self, module: Module) -> None:
        self._own[module.name] = module

    def begin(self, reader: str | None) -> None:
        """From here on, `reader` is the one that looks."""
        self._reader, self.seen, self.entered = reader, set(), set()

    def enter(self, module: Module) -> Module:
        """A module of which more is looked at than its interface."""
        if module.name in self._own and module.name != self._reader:
            self.entered.add(module.name)
        return module

    def share(self, module: Module) -> None:
        """A function that a constant of the module holds is used, maybe by another module."""
        if module.name != self._reader:
            self.enter(module).shared = True
