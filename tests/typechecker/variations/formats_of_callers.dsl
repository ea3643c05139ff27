#: wrong = "{} {}" | "" | "{:d}" | "{0} {1}" | "{" | "{name}" | "{:s}"
#: right = "{}" | "x = {:.2f}" | "{0} again {0}" | "{:>8}" | "{!r}" | "{{}} {}"
#: goes = print(s, x) | (fn t -> print(t, x))(s) | print({a = s}.a, x) | print(if x.shape == [] then s else "{}", x)
#: tree = {a: f32} | (f32, i32) | f32[3]
#### format_of_callers_that_does_not_fit
def log(static s: str, x: f32) -> () ! io = <goes>
def f(x: f32) -> () ! io = log(<wrong>, x) #! E0407
#### format_of_callers_that_fits
def log(static s: str, x: f32) -> () ! io = <goes>
def f(x: f32) -> () ! io = log(<right>, x)
#### format_in_a_record_of_callers
type Style = {first: str, width: int}
def log(static s: Style, x: f32) -> () ! io = print(s.first, x)
def f(x: f32) -> () ! io = log({first = <wrong>, width = 2}, x) #! E0407
#### format_in_a_variant_of_callers
enum Style = Plain | Of(s: str)
def log(static style: Style, x: f32) -> () ! io = match style with
    Plain -> print("{}", x)
    Of(s) -> print(s, x)
def f(x: f32) -> () ! io = log(Of(<wrong>), x) #! E0407
#### format_of_a_default
def f(x: f32, static s: str = <wrong>) -> () ! io = print(s, x) #! E0407
#### format_of_a_default_that_fits
def f(x: f32, static s: str = <right>) -> () ! io = print(s, x)
#### format_of_callers_for_a_tree
def log(static s: str, x: <tree>) -> () ! io = print(s, x)
def f(x: <tree>) -> () ! io = log("{:>8}", x) #! E0407
#### format_of_callers_for_a_class
def log[a: Num](static s: str, x: a) -> () ! io = print(s, x)
def f(x: f32) -> () ! io = log("{:d}", x) #! E0407
#### float_default_beyond_a_dtype
def f(x: f16[n], static k: float = <far>) -> f16[n] = <meets> #! E0407
#: far = 1e6 | -7e4 | 2.0 ** 20
#: meets = k * x | x + f16(k) | full([n], k, f16) + x
#### default_that_is_another
enum Act = Relu | Tanh
def f(x: f32, static a: Act = Relu) -> f32 where a == Tanh = x #! E0407
