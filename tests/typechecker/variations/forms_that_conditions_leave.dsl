#: told = where norm != Batch and act == R | where not (norm == Batch or act != R) | where (norm, act) == (Layer, R) and norm == Layer and act == R
#: before = if norm == Batch then x else if act != R then x else | if norm != Layer or act == S then x else
#### tuples_of_what_conditions_leave
enum Norm = Batch | Layer
enum Act = R | S
def stated(x: f32, static norm: Norm, static act: Act) -> f32 <told> =
    match (norm, act) with
        (Layer, R) -> x
def branched(x: f32, static norm: Norm, static act: Act) -> f32 =
    <before> match (norm, act) with
        (Layer, R) -> x
def one(x: f32, static c: (Norm, Act)) -> f32 where c.0 != Batch =
    match c with
        (Layer, R) -> x
        (_, S) -> 2.0 * x
def both(x: f32, static norm: Norm, static act: Act) -> f32 where not (norm == Batch and act == R) =
    match (norm, act) with
        (Layer, _) -> x
        (_, S) -> 2.0 * x
def number(x: f32, static k: int, static t: bool) -> f32 where 1 <= k and k <= 2 =
    match (k, t) with
        (1, _) -> x
        (2, true) -> 2.0 * x
        (2, false) -> 3.0 * x
#### tuples_of_more_than_conditions_leave
enum Norm = Batch | Layer
enum Act = R | S
def swapped(x: f32, static norm: Norm, static act: Act) -> f32 where norm != Batch =
    match (act, norm) with #! E0317
        (R, Layer) -> x
def either(x: f32, static norm: Norm, static act: Act) -> f32 where not (norm == Batch and act == R) =
    match (norm, act) with #! E0317
        (Layer, R) -> x
        (Batch, S) -> 2.0 * x
def number(x: f32, static k: int, static t: bool) -> f32 where 1 <= k and k <= 3 =
    match (k, t) with #! E0317
        (1, _) -> x
        (2, _) -> 2.0 * x
