#: known = <subject> != none | none != <subject> | not (<subject> == none) | <subject> != none and <more> | <more> and <subject> != none | not (<subject> == none or n < 3)
#: loose = <subject> == none | <subject> != none or <more> | not (<subject> != none and <more>) | o != none | not (not (<subject> == none)) | <subject> != none and sum(x) > 0.0
#: missing = <subject> == none | <subject> == none or <more> | not (<subject> != none) | not (<subject> != none and <more>)
#: more = n >= 2 | o == none
#: operation = [v * <subject> for v in x] | (if <subject> > 2 then x else <subject> * x) | whole(x, <subject>) | may(x, <subject>)
#: subject = s | c.k | t.1.k
#: params = x: f32[n], static s: int?, static c: C, static t: (int?, C), static o: int?
#### values_that_are_there
type C = {k: int?, w: int}
def whole(x: f32[n], static k: int) -> f32[n] = x * k
def may(x: f32[n], static k: int? = none) -> f32[n] = if k == none then x else whole(x, k)
def chosen(<params>) -> f32[n] = if <known> then <operation> else x
def stated(<params>) -> f32[n] where <known> = <operation>
def right(<params>) -> f32[n] = if (<known>) and <subject> >= n then x else 2.0 * x
def held(<params>) -> f32[n] =
    let there = <known>
    let value = <subject>
    if there then x * value else x
def called(x: f32[4]) -> f32[4] = chosen(x, 3, {k = 3, w = 1}, (3, {k = 3, w = 1}), 3)
def absent(x: f32[4]) -> f32[4] = chosen(x, none, {k = none, w = 1}, (none, {k = none, w = 1}), none)
#### values_that_are_not_missing
type C = {k: int?, w: int}
def whole(x: f32[n], static k: int) -> f32[n] = x * k
def may(x: f32[n], static k: int? = none) -> f32[n] = if k == none then x else whole(x, k)
def chosen(<params>) -> f32[n] = if <missing> then x else <operation>
def right(<params>) -> f32[n] = if <missing> or <subject> >= n then x else 2.0 * x
#### values_that_may_not_be_there
type C = {k: int?, w: int}
def then_(<params>) -> f32[n] =
    if <loose> then x * <subject> else x #! E0315
def else_(<params>) -> f32[n] =
    if <known> then x else x * <subject> #! E0315
#: inside = k | t.0 | a
#: away = <inside> == none | t.1 == none or <inside> == none
#### values_inside_of_variants
enum A = P(k: int?, t: (int?, str?), a: axes?) | Q
def size(x: f32[n], static e: A) -> f32 = match e with
    P(k, t, a) -> (if <away> then 0.0 else sum(sum([x], axis=<inside>)))
    Q -> 0.0
def four(x: f32[4]) -> f32 = size(x, P(0, (0, "a"), 0)) + size(x, P(none, (none, none), none)) + size(x, Q)
#: absent = <index> == none | t.1 == none or <index> == none
#: index = k | t.0
#### indices_inside_of_variants
enum A = P(k: int?, t: (int?, str?)) | Q
def size(x: f32[n], static e: A) -> f32 = match e with
    P(k, t) -> (if <absent> then 0.0 else x[<index>])
    Q -> 0.0
def four(x: f32[4]) -> f32 = size(x, P(3, (3, "a"))) + size(x, P(none, (none, none))) + size(x, Q)
def five(x: f32[4]) -> f32 = size(x, P(4, (4, "a"))) #! E0407
#: narrowed = e != P | e != P and n >= 2 | not (e == P or n < 2) | not (e == P)
#: other = e != R | e == P or e == R | e != P or n >= 2
#### variants_that_are_left
enum E = P | Q(k: int) | R
def by(x: f32[n], static e: E) -> f32[n] =
    if <narrowed> then (match e with
        Q(k) -> x * k
        R -> 2.0 * x) else x
def stated(x: f32[n], static e: E?) -> f32[n] where e != none and (<narrowed>) = match e with
    Q(k) -> x * k
    R -> 2.0 * x
#### variants_that_may_come
enum E = P | Q(k: int) | R
def by(x: f32[n], static e: E) -> f32[n] =
    if <other> then (match e with #! E0317
        Q(k) -> x * k
        R -> 2.0 * x) else x
#### optional_floats_that_are_compared
def f(x: f32, static k: float? = none) -> f32 = if k != none and k > 0.0 then k * x else x
def g(x: f32, static k: float? = none) -> f32 where k == none or k > 0.0 = if k == none then x else k * x
def h(x: f32, static k: float?) -> f32 where k != none and k < 1.0 = k * x
def i(x: f32) -> f32 = f(x) + f(x, k=2.0) + f(x, k=-2.0) + g(x) + g(x, k=2.0) + h(x, k=0.5)
#### optional_floats_beyond_what_is_stated
def g(x: f32, static k: float? = none) -> f32 where k == none or k > 0.0 = if k == none then x else k * x
def i(x: f32) -> f32 = g(x, k=-2.0) #! E0407
