#: size = k | 2 * k | n + k | max(k, 1)
#: negative = k - 3 | 1 - k | k - n
#### sizes_from_a_recursive_choice
enum Form = Grown(by: size) | Kept
static def z(k: int) -> Form = if k <= 0 then Grown(2) else if k == 1 then Kept else z(k - 2)
def f(x: f32[n]) -> f32 = match z(n) with
    Grown(k) -> sum(zeros([<size>])) + sum(x)
    Kept -> sum(x)
def g(x: f32[4], y: f32[5]) -> f32 = f(x) + f(y)
#### negative_sizes_from_a_recursive_choice
enum Form = Grown(by: int) | Kept
static def z(k: int) -> Form = if k <= 0 then Grown(2) else if k == 1 then Kept else z(k - 2)
def f(x: f32[n]) -> f32 where n >= 3 = match z(n) with
    Grown(k) -> sum(zeros([<negative>])) + sum(x)
    Kept -> sum(x)
def right(x: f32[5]) -> f32 = f(x)
def wrong(x: f32[4]) -> f32 = f(x) #! E0407
#### other_sizes_from_a_recursive_choice
enum Form = Grown(by: size) | Kept
static def z(k: int) -> Form = if k <= 0 then Grown(2) else if k == 1 then Kept else z(k - 2)
def f(x: f32[n]) -> f32[n] = match z(n) with
    Grown(k) -> zeros([n + k + 1]) #! E04
    Kept -> x
#### choices_without_a_value
enum Form = Grown(by: size) | Kept
static def form(k: int) -> Form = if k == 0 then Kept else form(k - 2)
static def name(k: int) -> str = if k == 0 then "a" else name(k - 2)
static def number(k: int) -> float = if k == 0 then 1.5 else number(k - 2)
static def maybe(k: int) -> int? = if k == 0 then none else maybe(k - 2)
def matched(x: f32, static k: int) -> f32 = match form(k) with
    Kept -> x
    Grown(by) -> f32(by) * x
def f(x: f32, static k: int) -> f32 = <used>
def right(x: f32) -> f32 = f(x, 4)
def wrong(x: f32) -> f32 = f(x, 3) #! E0407
#: used = matched(x, k) | (if form(k) == Kept then x else 2.0) | (if name(k) == "a" then x else 2.0) | (if number(k) > 1.0 then x else 2.0) | number(k) * x | (if maybe(k) == none then x else 2.0)
