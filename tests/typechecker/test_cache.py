"""Checking again with a cache: what is checked, and that the result is that of a check without one.

Every test edits a small project of a few modules, checks it with a cache that is warm from before the edit, and
compares all that comes out with a check that knows nothing (`tests.support.projects`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.checked import differences
from tests.support.projects import Texts, check, checked_after, codes, edited, warm
from typechecker import CheckCache
from typechecker.declarations.cache import MOST
from typechecker.declarations.entities import State

LEAF = """\
## A module that imports nothing.
type Pair[n] = (f32[n], f32[n])
enum Mode = Soft | Hard(slope: float)
effect ask: (name: f32) -> f32
let scale = 3
let _hidden = 2

static def halves(n: int) -> int = n // 2
static def power(n: int) -> int =
    let one = 1
    if n <= one then one else 2 * power(n - 1)

def double(x: f32[n]) -> f32[n] = x * 2.0
def shown(x: f32[n]) = x + 1.0
def loud(x: f32) = x
def head(x: f32[n], static k: int) -> f32 = x[k]
def _private(x: f32) -> f32 = x
def unused(x: f32) -> f32 = x
def flat(x: f32[n]) -> f32 = sum(x)
"""

MIDDLE = """\
import leaf
from leaf import Soft, scale

type Both[n] = {pair: leaf.Pair[n], extra: f32}

def left(p: Both[n]) -> f32[n] = leaf.double(p.pair.0) * scale
def half(x: f32[n]) -> f32[leaf.halves(n)] = x[: n // 2]
def first(x: f32[n], static k: int) -> f32 = leaf.head(x, k)
def heard(x: f32) = leaf.loud(x)
def chosen(static m: leaf.Mode) -> int = match m with
    Soft -> 1
    leaf.Hard(s) -> 2
"""

TOP = """\
import middle
import middle as again
from middle import left

def both(x: f32[n]) -> f32[n] = left({pair = (x, x), extra = 1.0})
def quiet(x: f32) -> f32 = middle.heard(x)
def one(x: f32[n]) -> f32 where n >= 3 = again.first(x, 1)
"""

SIDE = """\
import leaf

def side(x: f32) -> f32 = leaf.unused(x)
"""

DEEP = """\
import leaf

def tower(x: f32[leaf.power(n)], y: f32[n]) -> f32 = sum(x) + sum(y)
"""

TALL = """\
import deep

def tall(x: f32[8], y: f32[4]) -> f32 = deep.tower(x, y)
"""

MAIN = """\
import top
import side
import tall

def main(x: f32[n]) -> f32[n] where n >= 3 = top.both(x) * side.side(top.one(x))
"""

PROJECT: Texts = {"leaf": LEAF, "middle": MIDDLE, "top": TOP, "side": SIDE, "deep": DEEP, "tall": TALL, "main": MAIN}
ALL = ("leaf", "middle", "top", "side", "deep", "tall", "main")
USERS = ("leaf", "middle", "side", "deep", "tall")
"""What an edit of the interface of `leaf` reaches: `tall` too, whose sizes a recursive function there computes."""


def test_the_project_is_right_and_everything_is_checked_once() -> None:
    result = check(PROJECT)
    assert result.ok, result.diagnostics
    assert result.checked == ALL


def test_nothing_is_checked_again_where_nothing_changed() -> None:
    cache = warm(PROJECT)
    assert checked_after(cache, PROJECT) == ()
    assert checked_after(cache, PROJECT) == ()


# ---------------------------------------------------------------- what an edit reaches

UNSEEN = {
    "a body": ("leaf", "x * 2.0", "x + x"),
    "a longer body": ("leaf", "= x * 2.0", "=\n    let y = x\n    y + y"),
    "a comment": ("leaf", "## A module that imports nothing.", "## Nothing is imported here, and this is longer."),
    "the body of a private function": ("leaf", "_private(x: f32) -> f32 = x", "_private(x: f32) -> f32 = x + x"),
    "the value of a private constant, in another way": ("leaf", "let _hidden = 2", "let _hidden = 1 + 1"),
    "the value of a constant, in another way": ("leaf", "let scale = 3", "let scale = 1 + 2"),
    "a body whose type is inferred": ("leaf", "= x + 1.0", "= 1.0 + x"),
    "a body in the middle": ("middle", "leaf.double(p.pair.0) * scale", "scale * leaf.double(p.pair.0)"),
    "the main module": ("main", "top.both(x) *", "top.both(x) +"),
}


@pytest.mark.parametrize("edit", UNSEEN.values(), ids=UNSEEN)
def test_what_nobody_else_sees_is_checked_alone(edit: tuple[str, str, str]) -> None:
    cache = warm(PROJECT)
    assert checked_after(cache, edited(PROJECT, *edit)) == (edit[0],)
    assert checked_after(cache, PROJECT) == ()


SEEN = {
    "the body of a static def": ("leaf", "= n // 2", "= (n + 0) // 2", USERS),
    "a recursive static def": ("leaf", "2 * power(n - 1)", "power(n - 1) * 2", USERS),
    "an alias": ("leaf", "(f32[n], f32[n])", "(f32[n], f32[n + 0])", USERS),
    "an enum": ("leaf", "Soft | Hard(slope: float)", "Soft | Hard(slope: int)", USERS),
    "an effect": ("leaf", "ask: (name: f32)", "ask: (name: i32)", USERS),
    "the value of a constant": ("leaf", "let scale = 3", "let scale = 4", USERS),
    "a new constant": ("leaf", "let scale = 3", "let scale = 3\nlet other = 4", USERS),
    "an inferred result": ("leaf", "= x + 1.0", "= sum(x)", USERS),
    "a name of a parameter": ("leaf", "loud(x: f32) = x", "loud(y: f32) = y", USERS),
    "a signature in the middle": ("middle", "half(x: f32[n])", "half(x: f32[n + 0])", ("middle", "top")),
    "a name that is imported": ("middle", "import leaf\n", "import leaf\nimport leaf as other\n", ("middle", "top")),
}


@pytest.mark.parametrize("edit", SEEN.values(), ids=SEEN)
def test_what_others_see_is_checked_with_them(edit: tuple[str, str, str, tuple[str, ...]]) -> None:
    module, old, new, expected = edit
    cache = warm(PROJECT)
    texts = edited(PROJECT, module, old, new)
    assert checked_after(cache, texts) == expected
    assert codes(texts, cache) == []


WRONG = {
    "an alias": ("(f32[n], f32[n])", "(f32[n, 1], f32[n])", ("top",), ["middle E0402", "top E0402"]),
    "an enum": ("| Hard(slope: float)", "| Loud", (), ["middle E0209"]),
    "a static def": ("= n // 2", "= n // 3", ("top",), ["middle E0402"]),
    "a constant": ("let scale = 3", "let scale = 3.5j", (), ["middle E0304"]),
    "an inferred effect": ("f32) = x", 'f32) =\n    print("{}", x)\n    x', ("top",), ["top E0701"]),
    "an inferred condition": ("f32 = x[k]", "f32 = x[k] + x[k + 2]", ("top", "main"), []),
    "a recursive static def": ("2 * power(n - 1)", "3 * power(n - 1)", (), ["tall E0402"]),
    "a name taken away": ("let scale = 3\n", "", ("top",), ["middle E0205"]),
    "a name made private": ("def double", "def _double", (), ["middle E0205"]),
}


@pytest.mark.parametrize("edit", WRONG.values(), ids=WRONG)
def test_what_an_edit_breaks_elsewhere_is_found(edit: tuple[str, str, tuple[str, ...], list[str]]) -> None:
    old, new, further, reported = edit
    cache = warm(PROJECT)
    texts = edited(PROJECT, "leaf", old, new)
    assert checked_after(cache, texts) == tuple(name for name in ALL if name in (*USERS, *further))
    assert codes(texts, cache) == reported
    assert codes(PROJECT, cache) == []


# ---------------------------------------------------------------- what else a check depends on


def test_a_report_that_shows_a_place_elsewhere_moves_with_it() -> None:
    wrong = edited(PROJECT, "side", "leaf.unused(x)", "leaf.unused([x, x])")
    cache = warm(wrong)
    moved = edited(wrong, "leaf", "## A module that imports nothing.", "## It is.\n\n\n")
    assert checked_after(cache, moved) == ("leaf", "side")
    assert codes(moved, cache) == ["side E0402"]


def test_warnings_of_modules_that_are_not_checked_are_reported_again() -> None:
    texts = edited(PROJECT, "leaf", "def flat(x: f32[n])", "def flat(x: f32[scalee])")
    cache = warm(texts)
    assert codes(texts, cache) == ["leaf W0201"]
    assert checked_after(cache, edited(texts, "main", ") *", ") +")) == ("main",)
    assert codes(texts, cache) == ["leaf W0201"]


def test_a_module_that_is_removed_and_put_back() -> None:
    cache = warm(PROJECT)
    texts = {name: text for name, text in PROJECT.items() if name != "side"}
    assert checked_after(cache, texts) == ("main",)
    assert codes(texts, cache) == ["main E0203"]
    assert checked_after(cache, PROJECT) == ("main",)
    assert codes(PROJECT, cache) == []


def test_an_import_that_leads_back() -> None:
    cache = warm(PROJECT)
    texts = edited(PROJECT, "leaf", "let scale", "import side\nlet scale")
    assert checked_after(cache, texts)[:2] == ("side", "leaf")
    assert codes(texts, cache) == ["side E0204"]
    other = edited(texts, "main", "import top\nimport side\n", "import side\nimport top\n")
    assert checked_after(cache, other)[:2] == ("leaf", "side")
    assert codes(other, cache) == ["leaf E0204"]
    checked_after(cache, PROJECT)
    assert codes(PROJECT, cache) == []


def test_a_syntax_error_that_is_mended() -> None:
    cache = warm(PROJECT)
    texts = edited(PROJECT, "leaf", "let scale = 3", "let scale = = 3")
    checked_after(cache, texts)
    assert "leaf E0101" in codes(texts, cache)
    checked_after(cache, PROJECT)
    assert codes(PROJECT, cache) == []


def test_a_module_that_takes_the_place_of_one_of_the_library() -> None:
    texts = {"main": "import special\nimport stats\n\ndef f(x: f32) -> f32 = special.sinc(x)\n"}
    cache = warm(texts)
    own = {**texts, "special": "def sinc(x: f32) -> f32 = x\n"}
    assert checked_after(cache, own) == ("./special", "main")
    assert codes(own, cache) == []
    assert checked_after(cache, texts) == ("main",)


FUNCTIONS: Texts = {
    "leaf": "let act = fn x -> x * 2.0\nlet slope = grad(fn x -> x * x)\nlet rate = 2\ndef same(x: f32) -> f32 = x\n",
    "one": "import leaf\n\ndef f(x: f32) -> f32 = leaf.act(x) + leaf.slope(x)\n",
    "two": "import leaf\n\ndef f(x: f32[n]) -> f32[n] = leaf.act(x)\n",
    "three": "import leaf\n\ndef f(x: f32) -> f32 = leaf.same(x) * leaf.rate\n",
    "main": "import one\nimport two\nimport three\n\ndef f(x: f32) -> f32 = one.f(x) + sum(two.f([x])) + three.f(x)\n",
}


def test_a_lambda_that_others_apply_is_checked_with_all_of_them() -> None:
    """An application adds an instance to the lambda, wherever it stands."""
    cache = warm(FUNCTIONS)
    assert checked_after(cache, FUNCTIONS) == ("leaf", "one", "two")
    longer = edited(FUNCTIONS, "two", "leaf.act(x)", "leaf.act(leaf.act(x))")
    assert checked_after(cache, longer) == ("leaf", "one", "two")
    fewer = {**FUNCTIONS, "one": "def f(x: f32) -> f32 = x\n", "two": "def f(x: f32[n]) -> f32[n] = x\n"}
    assert checked_after(cache, fewer) == ("one", "two", "leaf", "main")
    assert checked_after(cache, fewer) == ()


RECURSION: Texts = {
    "leaf": "def g(static k: int, x: f32) -> f32 = if k == 0 then x else g(k - 1, x)\n",
    "between": "import leaf\n\ndef h(static k: int, x: f32) -> f32 = leaf.g(k, x)\n",
    "main": "import between\n\ndef f(x: f32) -> f32 = between.h(3, x)\n",
}


def test_recursion_in_other_modules_is_followed_anew_when_it_changes() -> None:
    cache = warm(RECURSION)
    assert codes(RECURSION, cache) == []
    endless = edited(RECURSION, "leaf", "k - 1", "k - 2")
    assert codes(endless, cache) == ["main E0503"]
    assert codes(edited(endless, "between", "g(k, x)", "g(2 * k, x)"), cache) == []
    assert codes(edited(RECURSION, "between", "g(k, x)", "g(-k, x)"), cache) == ["main E0503"]


RULES: Texts = {
    "leaf": """\
def doubled(t: f32) -> f32 = t * 2.0
def square(x: f32) -> f32 = x * x
def back(s: f32, ct: f32) -> (f32,) = (2.0 * s * ct,)
def squared(x: f32) -> (f32, f32) = (x * x, x)
""",
    "rule": """\
import leaf

def f(x: f32) -> f32 = custom_jvp(leaf.square, rule = fn (p, t) -> (leaf.square(p.0), leaf.doubled(t.0)))(x)
def user(x: f32) -> f32 = leaf.square(x)
""",
    "forward": "import rule\n\ndef g(x: f32) -> f32 = jvp(rule.user, (x,), (1.0,)).1\n",
    "main": "import forward\nimport rule\n\ndef h(x: f32) -> f32 = forward.g(x) + rule.f(x)\n",
}


def test_bodies_that_a_rule_looks_into() -> None:
    """Whether a rule is linear, and whether there is a way forward, is seen in the bodies it calls."""
    cache = warm(RULES)
    crooked = edited(RULES, "leaf", "t * 2.0", "t * t")
    assert "rule" in checked_after(cache, crooked)
    assert codes(crooked, cache) == ["rule E0817"]
    behind = edited(RULES, "leaf", "f32 = x * x", "f32 = custom_vjp(fn v -> v * v, fwd = squared, bwd = back)(x)")
    assert "forward" in checked_after(cache, behind)
    assert codes(behind, cache) == codes(behind, CheckCache()) != []


FOLLOWED: Texts = {
    "leaf": "def smooth(x: f32) -> f32 = sin(x)\ndef other(x: f32) -> f32 = x\n",
    "middle": (
        "import leaf\n\ndef through(x: f32) -> f32 = leaf.smooth(x)\n"
        "def slope(g: (f32) -> f32, x: f32) -> f32 = grad(g)(x)\n"
    ),
    "main": "import middle\n\ndef f(x: f32) -> f32 = grad(middle.through)(x)\n",
    "side": "import middle\n\ndef f(x: f32) -> f32 = middle.slope(fn v -> v * middle.through(v), x)\n",
}


@pytest.mark.parametrize("main", ["main", "side"])
def test_bodies_that_a_derivative_leads_into(main: str) -> None:
    """Nothing is followed in modules that could find nothing, until a body far away gives them something to find.
    What calls a body without a derivative is followed with it."""
    texts = {"main": FOLLOWED[main], "middle": FOLLOWED["middle"], "leaf": FOLLOWED["leaf"]}
    cache = warm(texts)
    rough = edited(texts, "leaf", "= sin(x)", "= nextafter(x, 2.0)")
    assert checked_after(cache, rough) == ("leaf", "middle", "main")
    assert codes(rough, cache) != []
    rougher = edited(rough, "leaf", "= x\n", "= nextafter(x, 3.0)\n")
    assert checked_after(cache, rougher) == ("leaf", "middle", "main")
    assert checked_after(cache, texts) == ("middle", "main")
    assert codes(texts, cache) == []


def test_derivatives_are_followed_in_programs_with_other_errors() -> None:
    wrong = "def f(x: f32) -> f32 = grad(fn v -> nextafter(v, 1.0))(x)\ndef g(x: f32) -> i32 = x\n"
    cache = CheckCache()
    for text in (wrong, "def f(x: f32) -> f32 = nextafter(x, 1.0)\n", "\n" + wrong):
        checked_after(cache, {"main": text})
    assert codes({"main": wrong}, cache) == ["main E0803", "main E0302"]


def test_a_recursive_function_that_is_evaluated_far_away() -> None:
    """`deep` is kept while `tall` is checked again: the sizes of `deep` are computed as they were seen then."""
    cache = warm(PROJECT)
    texts = edited(PROJECT, "tall", "deep.tower(x, y)", "deep.tower(x, y) + sum([v * 2.0 for v in y])")
    assert checked_after(cache, texts) == ("tall",)
    other = edited(texts, "leaf", "2 * power(n - 1)", "3 * power(n - 1)")
    assert "tall" in checked_after(cache, other)
    assert codes(other, cache) == ["tall E0402"]


ELSEWHERE: Texts = {
    "numbers": "let width = 2\n",
    "heights": "let height = 3\n",
    "others": "let height = 4\n",
    "leaf": """\
from numbers import width
from heights import height

def padded(x: f32[n], static k: int = width) -> f32[k] = zeros([k])
static def area(n: int) -> int = n * height
def count(x: f32) -> f32 ! state(s: f32) = s + x
""",
    "main": """\
import leaf
import heights

def f(x: f32[n]) -> f32[2] = leaf.padded(x)
def g(x: f32[n]) -> f32[3 * n] = zeros([leaf.area(n)])
def h(x: f32[n]) -> (f32[n], f32) = with state s = 0.0 do [leaf.count(v) for v in x]
""",
}


def test_a_default_that_is_a_constant_of_a_third_module() -> None:
    cache = warm(ELSEWHERE)
    texts = edited(ELSEWHERE, "numbers", "width = 2", "width = 3")
    assert checked_after(cache, texts) == ("numbers", "leaf", "main")
    assert codes(texts, cache) == ["main E0402"]


def test_a_static_def_that_means_another_constant_by_the_same_name() -> None:
    cache = warm(ELSEWHERE)
    texts = edited(ELSEWHERE, "leaf", "from heights", "from others")
    assert checked_after(cache, texts) == ("others", "leaf", "main")
    assert codes(texts, cache) == ["main E0402"]


def test_a_body_that_begins_to_write_a_cell() -> None:
    """The row of its type says no more than before."""
    cache = warm(ELSEWHERE)
    texts = edited(ELSEWHERE, "leaf", "= s + x", "=\n    s := s + x\n    x")
    assert checked_after(cache, texts) == ("leaf", "main")
    assert codes(texts, cache) == ["main E0720"]


# ---------------------------------------------------------------- the library, threads, checks that do not end

NETWORK = """\
from nn import gelu, layer_norm, softmax
import optim

def f(x: f32[n, d], g: f32[d], b: f32[d]) -> f32[n, d] = softmax(layer_norm(gelu(x), g, b), axis=1)
"""


def test_another_program_finds_the_library_checked() -> None:
    cache = warm({"main": NETWORK})
    library = {name: module.definitions for name, module in cache.library.modules.items()}
    done = [info for table in library.values() for info in table.values() if info.state is State.DONE]
    assert len(done) > 10
    before = [info.checked for info in done]
    other = {"main": NETWORK.replace("gelu(x)", "x + gelu(x)")}
    assert checked_after(cache, other) == ("main",)
    assert [info.checked for info in done] == before
    assert not cache.library.wanted


def test_what_bodies_of_the_library_need_is_stated() -> None:
    """A signature of the library does not change when its body is checked, after the program that asked for it."""
    text = "def f(x: f32[n], y: f32[m], static mode: str) = convolve(x, y, mode=mode)\n"
    cache = warm({"main": text})
    assert checked_after(cache, {"main": text + "\n"}) == ("main",)


def test_what_a_wrong_program_wanted_of_the_library_is_not_lost() -> None:
    cache = CheckCache()
    checked_after(cache, {"main": "import leaf\n\ndef f(x: f32) -> i32 = x\n", "leaf": NETWORK})
    assert checked_after(cache, {"main": "import leaf\n", "leaf": NETWORK}) == ("main",)


def test_the_same_text_under_another_name_is_another_module() -> None:
    cache = warm(PROJECT)
    texts = edited({**PROJECT, "other": PROJECT["leaf"]}, "side", "import leaf", "import other as leaf")
    assert checked_after(cache, texts) == ("other", "side", "main")


def test_a_check_that_does_not_end_leaves_nothing_behind() -> None:
    class Interrupted(dict[str, Source]):
        def __getitem__(self, name: str) -> Source:
            if name == "side":
                raise KeyboardInterrupt
            return super().__getitem__(name)

    cache = warm(PROJECT)
    modules = Interrupted({name: Source(f"{name}.dsl", text) for name, text in PROJECT.items()})
    with pytest.raises(KeyboardInterrupt):
        check_source(Source("main.dsl", MAIN), modules, None, cache)
    assert checked_after(cache, PROJECT) == ALL


def test_what_was_used_longest_ago_is_forgotten() -> None:
    cache = CheckCache()
    for k in range(MOST + 1):
        check({"main": f"let k = {k}\n"}, cache)
    assert check({"main": f"let k = {MOST}\n"}, cache).checked == ()
    assert check({"main": "let k = 1\n"}, cache).checked == ()
    assert check({"main": "let k = 0\n"}, cache).checked == ("main",)


def test_threads_may_share_a_cache() -> None:
    cache = CheckCache()
    projects = [edited(PROJECT, "leaf", "let scale = 3", f"let scale = {k % 3}") for k in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda texts: check(texts, cache), projects))
    for result, texts in zip(found, projects, strict=True):
        assert differences(result, check(texts)) == []


def test_a_program_holds_what_it_leads_to_of_the_library_and_no_more() -> None:
    text = Source("b.dsl", "def b(x: f32[n]) -> f32[2 * n] = tile(tanh(x), 2)\n")
    cache = CheckCache()
    check_source(Source("a.dsl", "def a(x: f32[n]) -> f32[n] = roll(sort(cos(x)), 1)\n"), cache=cache)
    after, alone = (check_source(text, cache=known).program for known in (cache, CheckCache()))
    assert after is not None and alone is not None
    names = [{f.name for f in p.modules["prelude"].functions.values() if not f.static} for p in (after, alone)]
    assert names[0] == names[1] == {"tile", "tanh", "reshape", "broadcast_to"}
