#: class = Inexact | Num | Any | Complex
#: real = f32 | i8 | u64 | f64
#: part = <real>(x) | cast(x, <real>) | (fn v -> <real>(v))(x) | <real>({a = x}.a) | <real>((x, 1).0) | (if t then <real>(x) else <real>(0)) | {b = <real>(x)}.b | vmap(fn v -> <real>(v))(full([2], x))[0] | (if T != c64 then <real>(x) else <real>(0))
#: known = if T == f32 then <real>(x) else <real>(0) | if T == f32 or T == f16 then <real>(x) else <real>(0) | if T in (c64, c128) then <real>(0) else <real>(x) | if T != c64 and T != c128 then <real>(x) else <real>(0)
#: narrow = Float | Real | Int
#### cast_of_a_class_with_complex_dtypes
def f[T: <class>](x: T, t: bool) -> <real> = <part> #! E0321
#### complex_numbers_in_a_real_array
def f[T: Complex](x: T) -> <real> = full([], x, <real>) #! E0407
#### numbers_that_may_be_complex_in_a_real_array
def f[T: Inexact](x: T) -> <real> = full([], x, <real>)
def g(x: c64, y: f16) -> (<real>, <real>) = (f(y), f(x)) #! E0407
#### cast_of_a_class_without_them
def f[T: <narrow>](x: T, t: bool) -> <real> = <part>
#### cast_where_the_dtype_is_known_to_be_real
def f[T: <class>](x: T) -> <real> = <known>
#### leaves_of_a_tree_may_be_complex
def f[P: VSpace](p: P, t: bool) -> P = tree_map(fn x -> cast(<real>(x), x.dtype), p) #! E0321
#### operands_of_an_operation_may_be_complex
effect scale[T: <class>]: (s: T) -> T
def f(x: c64) -> c64 = with handler scale(s) -> resume(cast(<real>(s), s.dtype)) do scale(x) #! E0321
#### dtypes_that_callers_choose
def f[T: Any](x: T, static d: dtype) -> d = cast(x, d)
def g(z: c64) -> <real> = f(z, <real>) #! E0407
#### dtypes_that_callers_choose_well
def f[T: Any](x: T, static d: dtype) -> d = cast(x, d)
def g(z: c64, x: f16) -> (c128, bool, <real>) = (f(z, c128), f(z, bool), f(x, <real>))
