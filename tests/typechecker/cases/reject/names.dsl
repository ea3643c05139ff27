#### unknown_name
def f(x: f32) -> f32 = x + y #! E02
#### misspelled_parameter
def f(weights: f32[n], x: f32[n]) -> f32 = sum(wieghts * x) #! E02
#### misspelled_function
def f(x: f32[n]) -> f32 = maen(x) #! E02
#### unknown_function_used_twice
def f(x: f32[n]) -> f32[n] =
    let a = softmaxx(x) #! E02
    a + a * x
#### unknown_method
def f(x: f32[n]) -> f32[n] = x.astype(f32) #! E02|E03
#### numpy_prefix
def f(x: f32[n]) -> f32[n] = np.exp(x) #! E02
#### python_len
def f(x: f32[n]) -> f32 = sum(x) / f32(length(x)) #! E02
#### true_of_python
def f(x: f32[n, d]) -> f32[n, 1] = sum(x, axis=1, keepdims=True) #! E01|E02
#### unknown_type
def f(x: float32[n]) -> f32 = 1.0 #! E02
#### unknown_type_alias
def f(p: Parms[d], x: f32[d]) -> f32 = 1.0 #! E02
type Params[d] = {w: f32[d]}
#### unknown_module
import numpy as np #! E02
def f(x: f32) -> f32 = x
#### unknown_module_from
from nowhere import something #! E02
def f(x: f32) -> f32 = x
#### unknown_member
import geometry
def f(x: f32) -> f32 = geometry.nrom(x) #! E02
#### unknown_member module=geometry
def norm(x: f32) -> f32 = x
#### unknown_import
from geometry import nrom #! E02
def f(x: f32) -> f32 = x
#### unknown_import module=geometry
def norm(x: f32) -> f32 = x
#### module_not_imported
def f(a: f32[n, n], b: f32[n]) -> f32[n] = linalg.solve(a, b) #! E02
#### function_not_imported
def f(k: key) -> f32[3] = normal(k, [3]) #! E02
#### private_member
import geometry
def f(x: f32) -> f32 = geometry._norm(x) #! E02
#### private_member module=geometry
def _norm(x: f32) -> f32 = x
#### private_effect
import asking
def row(x: f32) -> f32 ! asking._ask = 2.0 * x #! E0205
def in_a_function_type(f: (f32) -> f32 ! asking._ask, x: f32) -> f32 = x #! E0205
def in_a_record(r: {f: (f32) -> f32 ! {io, asking._ask}}, x: f32) -> f32 = x #! E0205
def in_a_handler(x: f32) -> f32 = with handler asking._ask(v) -> resume(3.0 * v) do x #! E0205
def beside_another(x: f32) -> f32 = with handler asking.tell(v) -> resume(v), asking._ask(v) -> resume(v) do x #! E0205
def of_no_name(x: f32) -> f32 ! asking.ask = 2.0 * x #! E0205
def handled_by_no_name(x: f32) -> f32 = with handler asking.ask(v) -> resume(3.0 * v) do x #! E0205
def of_no_effect(x: f32) -> f32 ! asking.asks = 2.0 * x #! E0210
def performed(x: f32) -> f32 = asking.asks(x) #! E0701
#### private_effect module=asking
effect _ask: (x: f32) -> f32
effect tell: (x: f32) -> f32
def asks(x: f32) -> f32 ! _ask = _ask(x)
#### private_import
from geometry import _norm #! E02
def f(x: f32) -> f32 = x
#### private_import module=geometry
def _norm(x: f32) -> f32 = x
#### import_cycle
import a
def f(x: f32) -> f32 = a.g(x)
#### import_cycle module=a
import b
def g(x: f32) -> f32 = b.h(x)
#### import_cycle module=b
import a #! E02
def h(x: f32) -> f32 = x
#### duplicate_function
def f(x: f32) -> f32 = x
def f(y: f32) -> f32 = y #! E02
#### duplicate_type
type P = f32
type P = f64 #! E02
#### duplicate_constant
let a = 1
let a = 2 #! E02
#### duplicate_parameter
def f(x: f32, x: f32) -> f32 = x #! E02
#### duplicate_in_pattern
def f(t: (f32, f32)) -> f32 =
    let (a, a) = t #! E02
    a
#### duplicate_lambda_parameter
def f(x: f32) -> f32 = (fn (a: f32, a: f32) -> a)(x, x) #! E02
#### duplicate_field
def f(x: f32) -> {a: f32} = {a = x, a = x} #! E02|E03
#### duplicate_field_in_type
type P = {w: f32, w: f32} #! E02|E03
#### duplicate_variant
enum Mode = Fast | Slow | Fast #! E02
#### duplicate_generic
def f[a: Float, a: Int](x: a) -> a = x #! E02
#### used_before_let
def f(x: f32) -> f32 =
    let y = z * 2.0 #! E02
    let z = x
    y + z
#### let_sees_itself
def f(x: f32) -> f32 =
    let y = y + x #! E02
    y
#### out_of_scope_after_block
def f(x: f32) -> f32 =
    let a =
        let b = x * 2.0
        b
    a + b #! E02
#### loop_variable_after_the_loop
def f(xs: f32[n]) -> f32 =
    let total = fold acc = 0.0 for x in xs do acc + x
    total + x #! E02
#### carry_after_the_loop
def f(xs: f32[n]) -> f32 =
    let total = fold acc = 0.0 for x in xs do acc + x
    total / acc #! E02
#### comprehension_variable_outside
def f(xs: f32[n]) -> f32[n] =
    let ys = [x * 2.0 for x in xs]
    ys + x #! E02
#### branch_binding_outside
def f(x: f32) -> f32 =
    let a = if x > 0.0 then
        let r = sqrt(x)
        r
    else
        0.0
    a + r #! E02
#### carry_in_its_own_start
def f(xs: f32[n]) -> f32 = fold acc = acc + 1.0 for x in xs do acc + x #! E02
#### local_of_another_function
def g(x: f32) -> f32 =
    let secret = x
    secret
def f(x: f32) -> f32 = secret + x #! E02
#### recursion_of_a_lambda
def f(x: f32) -> f32 =
    let go = fn (v: f32) -> go(v - 1.0) #! E02
    go(x)
#### unknown_effect
def f(x: f32) -> f32 ! iio = #! E0210
    x
#### unknown_effect_in_a_row
def f(x: f32) -> f32 ! {rand, chekc} = x #! E0210
#### misspelled_effect_is_a_variable
# an unknown name in a parameter's function type is an effect variable, which `! rand` does not cover
def f(g: (f32) -> f32 ! rnad, x: f32) -> f32 ! rand = g(x) #! E07
#### unknown_effect_in_result_function_type
def f(k: f32) -> (f32) -> f32 ! rnad = fn x -> x * k #! E0210
#### unknown_variant
enum Mode = Fast | Slow
def f(static m: Mode, x: f32) -> f32 = x
def g(x: f32) -> f32 = f(Medium, x) #! E02
#### unknown_variant_pattern
enum Mode = Fast | Slow(k: int)
def f(static m: Mode, x: f32) -> f32 =
    match m with
        Fast -> x
        Slwo(k) -> x * k #! E02
        _ -> x
#### unknown_variant_of_module
import modes
def f(static m: modes.Mode, x: f32) -> f32 =
    match m with
        modes.Fast -> x
        modes.Slwo -> x #! E02
        _ -> x
#### unknown_variant_of_module module=modes
enum Mode = Fast | Slow
#### unknown_size_in_body
def f(x: f32[n]) -> f32[n] = x + zeros([m]) #! E02
#### unknown_size_in_annotation_of_body
def f(x: f32[n]) -> f32[n] =
    let y: f32[m] = x #! E02|E04
    y
#### unknown_size_in_where
def f(x: f32[n]) -> f32[n] where m > 2 = x #! E02|E04
#### unknown_class
def f[a: Floating](x: a) -> a = x #! E02
#### unknown_static_function_in_type
def f(x: f32[n]) -> f32[conv_out(n)] = x #! E02
#### type_as_value
type P = {x: f32}
def f(x: f32) -> f32 = P + x #! E02|E03
#### function_as_type
def g(x: f32) -> f32 = x
def f(x: g) -> f32 = 1.0 #! E02|E03
#### error_in_module_only
import geometry
def f(x: f32) -> f32 = geometry.norm(x)
#### error_in_module_only module=geometry
def norm(x: f32) -> f32 = sqrt(y) #! E02
#### three_unknown_names_in_order
def f(x: f32) -> f32 = x + a #! E02
def g(x: f32) -> f32 =
    let y = b * x #! E02
    let z = y + x
    z * c #! E02
#### unknown_handler_operation
def f(x: f32) -> f32 = with handler sampel(d) -> resume(d) do x #! E02|E07
#### unknown_iteration_source
def f(x: f32[n]) -> f32[n] = [v * 2.0 for v in xs] #! E02
#### unknown_keyword_in_update
def f(p: {w: f32}) -> {w: f32} = {q with w = 1.0} #! E02
#### self_of_python
def f(x: f32) -> f32 = self.w * x #! E02
#### module_called
import linalg
def f(x: f32[n, n]) -> f32[n, n] = linalg(x) #! E02
#### module_as_operand
import linalg
def f(x: f32[n]) -> f32[n] = x + linalg #! E02
#### class_of_types_for_an_alias
type Moments[P: VSpce] = {m: P, v: P} #! E0212
#### sizes_that_mean_something_else
type Params = {a: f32}
enum Shade = Dark | Light
type Row[n] = {a: f32[n]}
def integer(n: i32, y: f32[n]) -> f32 = sum(y) + f32(n) #! E0501
def after(y: f32[n], n: u8) -> f32 = sum(y) #! E0501
def dtype(y: f32[f32]) -> f32 = sum(y) #! E0411
def alias(y: f32[2, Params]) -> f32 = sum(y) #! E0411
def enumeration(y: f32[Shade]) -> f32 = sum(y) #! E0411
def variant(y: idx[Dark][3]) -> i32 = sum(y) #! E0411
def argument(y: Row[bool]) -> f32 = sum(y.a) #! E0411
#### recurrence_in_a_comprehension
def iir_filter(x: f32[n], a: f32) -> f32[n] =
    let y = [if i >= 1 then x[i] + a * y[i - 1] else x[i] for i in range(n)] #! E0201
    y
