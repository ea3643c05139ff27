#: wrong = Leeky | Rleu | Tahn | Other | Leaky_ | Rel
#: rest = Leaky(s) -> x * s | Leaky(_) -> x
#: pair = (Relu, true) | (Relu, _) | (Relu, other)
#: number = 0 | 1 | 2
#: other = other | rest | _ | k
#### misspelled
enum A = Relu | Tanh | Leaky(s: float)
def f(static a: A, x: f32) -> f32 =
    match a with
        Relu -> x
        <rest>
        <wrong> -> x * 2.0 #! E0209
#### misspelled_inside
enum A = Relu | Tanh | Leaky(s: float)
enum B = One(a: A) | Two
def f(static a: B, x: f32) -> f32 =
    match a with
        One(Relu) -> x
        One(<wrong>) -> x * 2.0 #! E0209
        Two -> x
#### misspelled_in_a_tuple
enum A = Relu | Tanh | Leaky(s: float)
def f(static a: A, static b: bool, x: f32) -> f32 =
    match (a, b) with
        <pair> -> x
        (<wrong>, _) -> x * 2.0 #! E0209
#### all_others
enum A = Relu | Tanh | Leaky(s: float)
def f(static a: A, static b: bool, x: f32) -> f32 =
    let y = match (a, b) with
        <pair> -> x
        (<other>, _) -> x * 2.0
    match a with
        <rest>
        <other> -> y
#### bound_twice
def f(static a: (int, int), static k: int, x: f32) -> f32 =
    match a with
        (<number>, _) -> x
        (k, k) -> x * 2.0 #! E0206
