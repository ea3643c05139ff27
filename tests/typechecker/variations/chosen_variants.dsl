#: chosen = g(n) | (if n > 2 then A(n + 1) else B) | (if n <= 2 then B else A(n + 1)) | w(n, A(n + 1))
#: text = t(n) | (if n > 2 then "a" else "b") | (if g(n) == B then "b" else "a")
#### size_of_a_chosen_variant
enum E = A(k: int) | B
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def h(e: E) -> int = match e with
    A(k) -> k
    B -> 0
def size(x: f32[n]) -> f32[n] = zeros([h(<chosen>)]) #! E0402
def field(x: f32[n]) -> f32[n] = match <chosen> with
    A(k) -> zeros([k]) #! E0412
    B -> x
def slice(x: f32[n]) -> f32 = match <chosen> with
    A(k) -> sum(x[:k]) #! E0422
    B -> 0.0
def index(x: f32[n]) -> f32 = match <chosen> with
    A(k) -> x[k] #! E0421
    B -> 0.0
#### sizes_that_a_chosen_variant_has
enum E = A(k: int) | B
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def h(e: E) -> int = match e with
    A(k) -> k
    B -> 0
def size(x: f32[n]) -> f32 = sum(zeros([h(<chosen>)]) + zeros([h(<chosen>)]))
def field(x: f32[n]) -> f32[n + 1] = match <chosen> with
    A(k) -> zeros([k])
    B -> zeros([n + 1])
def index(x: f32[n]) -> f32 = match <chosen> with
    A(k) -> x[k - 2] + x[2]
    B -> 0.0
def wide(x: f32[1]) -> f32 = index(x)
#### places_that_a_chosen_text_allows
enum E = A(k: int) | B
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def t(n: int) -> str = if n > 2 then "a" else "b"
def f(x: f32[n]) -> f32 = match <text> with
    "a" -> x[2]
    _ -> 0.0
def wide(x: f32[1]) -> f32 = f(x)
#### places_that_a_chosen_text_does_not_allow
enum E = A(k: int) | B
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def w(n: int, e: E) -> E = if n > 2 then e else B
static def t(n: int) -> str = if n > 2 then "a" else "b"
def f(x: f32[n]) -> f32 = match <text> with
    "b" -> x[2] #! E0421
    _ -> 0.0
