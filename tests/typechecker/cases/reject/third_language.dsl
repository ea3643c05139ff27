#### static_tuple_of_another_size
def f(static k: (int, int)) -> f32[k.0] = zeros([k.1]) #! E04
#### static_tuple_at_a_call
def ends(x: f32[n], static k: (int, int)) -> f32[n + k.0 + k.1] = pad(x, k)
def f(x: f32[n]) -> f32[n + 4] = ends(x, (2, 3)) #! E04
#### static_tuple_out_of_range
def head(x: f32[n], static k: (int, int)) -> f32[k.0] = x[:k.0]
def f(x: f32[3]) -> f32[4] = head(x, (4, 1)) #! E04
#### variant_with_another_size
enum Pad = Same | Explicit(low: int, high: int)
static def total(p: Pad, k: int) -> int =
    match p with
        Same -> k - 1
        Explicit(low, high) -> low + high
def made(static p: Pad) -> f32[total(p, 3)] = zeros([total(p, 3)])
def f() -> f32[4] = made(p=Explicit(2, 3)) #! E04
#### optional_size_out_of_range
def head(x: f32[n], static k: int?) -> f32 = if k == none then sum(x) else sum(x[:k])
def f(x: f32[3]) -> f32 = head(x, k=4) #! E0407
#### function_in_a_record_of_another_type
def apply(m: {f: (f32) -> f32, k: f32}) -> f32 = m.f(m.k)
def f(x: f32) -> f32 = apply({f = fn v -> i32(v), k = x}) #! E03
#### function_in_a_record_with_effects
def apply(m: {f: (f32) -> f32, k: f32}) -> f32 = m.f(m.k)
def loud(x: f32) -> f32 ! io =
    print("x")
    x
def f(x: f32) -> f32 ! io = apply({f = loud, k = x}) #! E07
#### wrapped_scalar_index
def f(x: f32[256], y: u8) -> f32 = x[i32(y + 250) - 250] #! E0701
#### wrapped_array_index
def f(x: f32[256], y: u8[n]) -> f32[n] = x[i32(y + 250) - 250] #! E0701
#### unsigned_index_below_zero
def f(x: f32[3], y: u32) -> f32 = if y < 3 then x[i32(y - 1) + 1] else 0.0 #! E0701
#### narrow_cast_of_an_index
def f(x: f32[300], i: idx[300]) -> f32 = x[i32(i8(i))] #! E0701
#### index_of_if_out_of_range
def f(x: f32[n]) -> f32[n] where n >= 2 = [x[if i == 1 then 0 else i - 1] for i in range(n)] #! E0421|E0701|E0407
#### misspelt_library_name_in_from
from fft import fftt #! E0205
#### interval_of_joined_parts
def f(x: f32[n], i: idx[n][k]) -> f32[2 * k] = x[concatenate((i, i + 1))] #! E0701
#### interval_of_a_list
def f(x: f32[n], i: idx[n], j: idx[n + 1]) -> f32[2] = x[[i, j]] #! E0701
#### function_as_result_applied_to_another_size
def affine(w: f32[n, m]) = fn x -> w @ x #! E0401
def use(w: f32[n, m], x: f32[n]) -> f32[m] = affine(w)(x)
#### function_as_result_with_an_effect
def said(k: f32) = fn x ->
    print("x {}", x) #! E0701
    x * k
def use(x: f32) -> f32 = said(2.0)(x)
#### function_as_result_that_is_wrong_for_all
def scaled(k: f32[n]) = fn x -> x * k[:, 0] #! E04
