#: mode = mode(k) | same(mode(k)) | (if k > 99 then Down else mode(k)) | mode(k + 2)
#: use = sized(x, <mode>) | through(x, <mode>) | indexed(x, <mode>) | texts(x, text(k)) | numbers(x, number(k)) | optional(x, maybe(k))
#: endless = modes(x, mode(k)) | texts(x, text(k)) | numbers(x, number(k)) | optional(x, maybe(k))
#: call4 = f(x, 4) | grad(fn v -> f(v, 4))(x)[0] | sum([f(v, 4) for v in [x, x]])
#: call5 = f(x, 5) | grad(fn v -> f(v, 5))(x)[0] | sum([f(v, 5) for v in [x, x]])
#: callm = f(x, -1) | grad(fn v -> f(v, -1))(x)[0] | sum([f(v, -1) for v in [x, x]])
#### conditions_that_recursive_values_meet
enum Mode = Up(j: int) | Down
static def mode(k: int) -> Mode = if k <= 0 then Down else if k == 1 then Up(3) else mode(k - 2)
static def same(m: Mode) -> Mode = m
static def text(k: int) -> str = if k <= 0 then "even" else if k == 1 then "odd" else text(k - 2)
static def number(k: int) -> float = if k <= 0 then 1.0 else if k == 1 then 0.25 else number(k - 2)
static def maybe(k: int) -> int? = if k <= 0 then none else if k == 1 then 3 else maybe(k - 2)
static def size(n: int, m: Mode) -> int = match m with
    Up(j) -> n - j
    Down -> n
def sized(x: f32[n], static m: Mode) -> f32 where size(n, m) >= 0 = sum(zeros([size(n, m)]))
def through(x: f32[n], static m: Mode) -> f32 where m == Down = sized(x, m)
def indexed(x: f32[n], static m: Mode) -> f32 = match m with
    Up(j) -> x[j]
    Down -> sum(x)
def texts(x: f32[n], static s: str) -> f32 where s != "odd" = sum(x)
def numbers(x: f32[n], static a: float) -> f32 where a > 0.5 = a * sum(x)
def optional(x: f32[n], static j: int?) -> f32 where j == none = sum(x)
def f(x: f32[n], static k: int) -> f32 = <use>
def g(x: f32[2]) -> f32 = <call4>
#### conditions_that_recursive_values_do_not_meet
enum Mode = Up(j: int) | Down
static def mode(k: int) -> Mode = if k <= 0 then Down else if k == 1 then Up(3) else mode(k - 2)
static def same(m: Mode) -> Mode = m
static def text(k: int) -> str = if k <= 0 then "even" else if k == 1 then "odd" else text(k - 2)
static def number(k: int) -> float = if k <= 0 then 1.0 else if k == 1 then 0.25 else number(k - 2)
static def maybe(k: int) -> int? = if k <= 0 then none else if k == 1 then 3 else maybe(k - 2)
static def size(n: int, m: Mode) -> int = match m with
    Up(j) -> n - j
    Down -> n
def sized(x: f32[n], static m: Mode) -> f32 where size(n, m) >= 0 = sum(zeros([size(n, m)]))
def through(x: f32[n], static m: Mode) -> f32 where m == Down = sized(x, m)
def indexed(x: f32[n], static m: Mode) -> f32 = match m with
    Up(j) -> x[j]
    Down -> sum(x)
def texts(x: f32[n], static s: str) -> f32 where s != "odd" = sum(x)
def numbers(x: f32[n], static a: float) -> f32 where a > 0.5 = a * sum(x)
def optional(x: f32[n], static j: int?) -> f32 where j == none = sum(x)
def f(x: f32[n], static k: int) -> f32 = <use>
def g(x: f32[2]) -> f32 = <call5> #! E0407
#### recursive_values_without_an_end
enum Mode = Up(j: int) | Down
static def mode(k: int) -> Mode = if k == 0 then Down else mode(k - 1)
static def text(k: int) -> str = if k == 0 then "even" else text(k - 1)
static def number(k: int) -> float = if k == 0 then 1.0 else number(k - 1)
static def maybe(k: int) -> int? = if k == 0 then none else maybe(k - 1)
def modes(x: f32[n], static m: Mode) -> f32 = sum(x)
def texts(x: f32[n], static s: str) -> f32 = sum(x)
def numbers(x: f32[n], static a: float) -> f32 = a * sum(x)
def optional(x: f32[n], static j: int?) -> f32 = sum(x)
def f(x: f32[n], static k: int) -> f32 = <endless>
def g(x: f32[2]) -> f32 = <callm> #! E0407
