#: wrong = Leeky | Rleu | Tahn | Other | Leaky_ | Rel
#: place = One(<wrong>) | Both(<wrong>, _) | Both(_, <wrong>) | Both(Relu, <wrong>) | Both(Leaky(_), <wrong>) | Both(<wrong>, Tanh)
#: known = Relu | Tanh | Leaky(0.5) | Leaky(_) | Leaky(s) | other | _
#: right = One(<known>) | Both(<known>, _) | Both(_, <known>) | Both(Relu, <known>) | Both(Leaky(_), <known>) | Both(<known>, Tanh)
#### misspelled_in_a_body
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, x: f32) -> f32 =
    match a with
        <place> -> x * 2.0 #! E0209
        _ -> x
#### misspelled_in_a_loop
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, x: f32[n]) -> f32 =
    fold h = 0.0 for v in x do
        match a with
            <place> -> h * v #! E0209
            _ -> h + v
#### misspelled_in_a_pair
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, static k: int, x: f32) -> f32 =
    let y = match (a, k) with
        (<place>, 3) -> x #! E0209
        (_, 2) -> 2.0 * x
        (_, _) -> 3.0 * x
    y + x
#### misspelled_in_a_branch
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: (B, bool), x: f32) -> f32 =
    if a.1 then
        match a with
            (<place>, true) -> x #! E0209
            (_, _) -> 2.0 * x
    else x
#### misspelled_in_a_static_function
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
static def size(a: B) -> int =
    match a with
        <place> -> 3 #! E0209
        _ -> 2
def f(static a: B) -> f32[size(a)] = zeros([size(a)])
#### misspelled_in_a_handler
effect ask: (v: f32) -> f32
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, x: f32) -> f32 =
    with handler ask(v) ->
        let w = match a with
            <place> -> v #! E0209
            _ -> 2.0 * v
        resume(w)
    do ask(x)
#### known_in_a_body
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, x: f32) -> f32 =
    match a with
        <right> -> x * 2.0
        _ -> x
#### known_in_a_loop
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, x: f32[n]) -> f32 =
    fold h = 0.0 for v in x do
        match a with
            <right> -> h * v
            _ -> h + v
#### known_in_a_pair
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, static k: int, x: f32) -> f32 =
    let y = match (a, k) with
        (<right>, 3) -> x
        (_, 2) -> 2.0 * x
        (_, _) -> 3.0 * x
    y + x
#### known_in_a_static_function
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
static def size(a: B) -> int =
    match a with
        <right> -> 3
        _ -> 2
def f(static a: B) -> f32[size(a)] = zeros([size(a)])
#### known_in_a_handler
effect ask: (v: f32) -> f32
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Both(a: A, b: A)
def f(static a: B, x: f32) -> f32 =
    with handler ask(v) ->
        let w = match a with
            <right> -> v
            _ -> 2.0 * v
        resume(w)
    do ask(x)
