#: chosen = g(n) | (if n > 2 then A(n + 1) else B) | (if n <= 2 then B else A(n + 1)) | w(n, A(n + 1)) | (if n > 2 then (if n > 1 then A(n + 1) else C) else B)
#: given = own(x, <chosen>) | through(x, <chosen>) | held(x, {e = <chosen>, k = 2}) | paired(x, (2, <chosen>)) | named(x, e=<chosen>)
#: word = t(n) | (if n > 2 then "long" else "short") | (if g(n) == B then "short" else "long") | (if n > 2 then "long" else none) | (if n <= 2 then none else "long") | maybe(n)
#: said = of_text(x, <word>) | through_text(x, <word>) | through_text(x, through=<word>)
#### shapes_and_conditions_by_a_chosen_argument
enum E = A(k: int) | B | C
type R = {e: E, k: int}
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def size(n: int, e: E) -> int = match e with
    A(k) -> k
    B -> n + 1
    C -> 0
static def fits(n: int, e: E) -> bool = match e with
    A(k) -> k > n
    B -> n <= 2
    C -> false
def own(x: f32[n], static e: E) -> f32[size(n, e)] where fits(n, e) = match e with
    A(k) -> concatenate((x, zeros([k - n])))
    B -> zeros([n + 1])
    C -> zeros([0])
def through(x: f32[n], static e: E) -> f32[size(n, e)] where fits(n, e) = own(x, e)
def held(x: f32[n], static r: R) -> f32[size(n, r.e)] where r.k == 2 and fits(n, r.e) = through(x, r.e)
def paired(x: f32[n], static p: (int, E)) -> f32[size(n, p.1)] where fits(n, p.1) = own(x, p.1)
def named(x: f32[n], static e: E) -> f32[size(n, e)] where fits(n, e) = held(x, {e = e, k = 2})
def f(x: f32[n]) -> f32[n + 1] = <given>
def two(x: f32[2]) -> f32[3] = f(x)
def three(x: f32[3]) -> f32[4] = f(x)
#### conditions_that_a_chosen_argument_does_not_meet
enum E = A(k: int) | B | C
type R = {e: E, k: int}
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def fits(n: int, e: E) -> bool = match e with
    A(k) -> k > n + 1
    B -> true
    C -> false
def own(x: f32[n], static e: E) -> f32 where fits(n, e) = sum(x)
def through(x: f32[n], static e: E) -> f32 where fits(n, e) = own(x, e)
def held(x: f32[n], static r: R) -> f32 where fits(n, r.e) = through(x, r.e)
def paired(x: f32[n], static p: (int, E)) -> f32 where fits(n, p.1) = own(x, p.1)
def named(x: f32[n], static e: E) -> f32 where fits(n, e) = held(x, {e = e, k = 2})
def f(x: f32[n]) -> f32 = <given>
def two(x: f32[2]) -> f32 = f(x)
def three(x: f32[3]) -> f32 = f(x) #! E0407
#### sizes_that_a_chosen_argument_does_not_have
enum E = A(k: int) | B | C
type R = {e: E, k: int}
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def size(n: int, e: E) -> int = match e with
    A(k) -> k
    B -> n
    C -> 0
static def fits(n: int, e: E) -> bool = size(n, e) >= 0
def own(x: f32[n], static e: E) -> f32[size(n, e)] where fits(n, e) = zeros([size(n, e)])
def through(x: f32[n], static e: E) -> f32[size(n, e)] where fits(n, e) = own(x, e)
def held(x: f32[n], static r: R) -> f32[size(n, r.e)] where fits(n, r.e) = through(x, r.e)
def paired(x: f32[n], static p: (int, E)) -> f32[size(n, p.1)] where fits(n, p.1) = own(x, p.1)
def named(x: f32[n], static e: E) -> f32[size(n, e)] where fits(n, e) = held(x, {e = e, k = 2})
def f(x: f32[n]) -> f32[n + 1] = <given> #! E0402
#### conditions_of_a_chosen_text
enum E = A(k: int) | B
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def t(n: int) -> str = if n > 2 then "long" else "short"
static def maybe(n: int) -> str? = if n > 2 then "long" else none
def of_text(x: f32[n], static text: str?) -> f32 where text != "long" or n >= 3 else "three at least" = sum(x)
def through_text(x: f32[n], static through: str?) -> f32 where through != "long" or n >= 3 = of_text(x, through)
def f(x: f32[n]) -> f32 = <said>
def two(x: f32[2]) -> f32 = f(x)
#### conditions_that_a_chosen_text_does_not_meet
enum E = A(k: int) | B
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def t(n: int) -> str = if n > 2 then "long" else "short"
static def maybe(n: int) -> str? = if n > 2 then "long" else none
def of_text(x: f32[n], static text: str?) -> f32 where text != "long" or n >= 4 = sum(x)
def through_text(x: f32[n], static through: str?) -> f32 where through != "long" or n >= 4 = of_text(x, through)
def f(x: f32[n]) -> f32 = <said>
def two(x: f32[2]) -> f32 = f(x)
def three(x: f32[3]) -> f32 = f(x) #! E0407
