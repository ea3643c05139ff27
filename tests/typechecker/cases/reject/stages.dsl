#### traced_shape
def f(x: f32[n], k: i32) -> f32[n] = x + sum(zeros([k])) #! E05
#### traced_shape_through_a_chain
def f(x: f32[n]) -> f32[n] =
    let total = sum(x)
    let k = i32(total)
    let width = k + 1
    x + sum(ones([width])) #! E05
#### traced_range
def f(x: f32, steps: i32) -> f32 = fold y = x for _ in range(steps) do y * 0.5 #! E05
#### traced_range_in_comprehension
def f(x: f32[n]) -> f32 = sum([f32(i) for i in range(argmax(x))]) #! E05
#### traced_axis
def f(x: f32[n, m], axis: i32) -> f32 = sum(sum(x, axis=axis)) #! E05
#### traced_static_argument
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32, k: i32) -> f32 = power(x, k) #! E05
#### traced_static_argument_by_keyword
def smooth(x: f32[n], static steps: int) -> f32[n] = fold y = x for _ in range(steps) do 0.5 * y
def f(x: f32[n]) -> f32[n] = smooth(x, steps=i32(max(x))) #! E05
#### traced_match
def f(k: i32, x: f32) -> f32 =
    match k with #! E05
        0 -> x
        _ -> x * 2.0
#### traced_reshape
def f(x: f32[n], rows: i32) -> f32 = sum(reshape(x, [rows, -1])) #! E05
#### traced_leaf_of_a_record
def f(c: {width: i32, scale: f32}) -> f32 = sum(zeros([c.width])) * c.scale #! E05
#### traced_leaf_of_a_tuple
def f(x: f32[n]) -> f32 =
    let (k, m) = (n, count(x))
    sum(zeros([k])) + sum(zeros([m])) #! E05
def count(x: f32[n]) -> i32 = sum(x > 0.0)
#### static_mixed_with_traced
def f(x: f32[n], k: i32) -> f32 = sum(ones([n + k])) #! E05
#### static_result_is_traced
def dims(x: f32[n], k: i32) -> (int, f32) = (k, sum(x)) #! E05
#### carry_is_traced
# "A carry is traced, except in loops over tuples"
def f(x: f32[n]) -> i32 =
    fold k = 1 for v in x do
        k + i32(sum(ones([k]))) #! E05
#### loop_index_is_traced
def f(x: f32[n]) -> f32 =
    fold acc = 0.0 for i in range(4) do acc + sum(ones([i])) #! E05
#### loop_index_as_static_argument
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32[4] = [power(x, i) for i in range(4)] #! E05
#### traced_if_gives_static
def f(c: bool, x: f32[n]) -> f32 =
    let k = if c then 2 else 3
    sum(zeros([k])) + sum(x) #! E05
#### function_from_traced_if
def f(c: bool, x: f32) -> f32 =
    let g = if c then sin else cos #! E0509
    g(x)
#### enum_from_traced_if
enum Mode = Fast | Slow
def run(static m: Mode, x: f32) -> f32 = x
def f(c: bool, x: f32) -> f32 =
    let m = if c then Fast else Slow #! E0509
    run(m, x)
#### string_from_traced_if
def f(x: f32) -> f32 ! io =
    let s = if x > 0.0 then "up" else "down" #! E0509
    print(s)
    x
#### traced_string_format
def f(x: f32, name: f32) -> f32 ! io =
    print(name) #! E05|E03
    x
#### traced_top_level_data
def g(x: f32) -> f32 = x
let bad = g(1.0) #! E05
def f(x: f32) -> f32 = x * bad
#### infinite_static_recursion
static def loop(n: int) -> int = loop(n + 1)
def f(x: f32[loop(3)]) -> f32 = sum(x) #! E05|E04
#### recursion_on_traced_value
def fact(n: i32) -> i32 = if n <= 1 then 1 else n * fact(n - 1) #! E05
#### recursion_without_result_type
def power(x: f32, static k: int) = if k == 0 then 1.0 else x * power(x, k - 1) #! E03|E05|E02
#### unroll_is_static
def f(x: f32[n], k: i32) -> f32 = fold acc = 0.0 for v in x unroll k do acc + v #! E05|E01
#### limit_is_static
def f(x: f32, k: i32) -> f32 = iterate y = x while y > 1.0 limit k do y / 2.0 #! E05
#### traced_dtype
def f(x: f32[n], k: i32) -> f32[n] = zeros([n], dtype=k) #! E05|E03
#### traced_keepdims
def f(x: f32[n, m], keep: bool) -> f32 = sum(sum(x, axis=0, keepdims=keep)) #! E05
#### traced_permutation
def f(x: f32[n, m], i: i32) -> f32 = sum(transpose(x, (i, 0))) #! E05
#### traced_slice_length
def f(x: f32[n], k: i32) -> f32 = sum(x[:k]) #! E05|E04
#### traced_slice_two_ends
def f(x: f32[n], i: i32, j: i32) -> f32 = sum(x[i:j]) #! E05|E04
#### traced_one_hot_size
def f(ids: i32[n], k: i32) -> f32 = sum(one_hot(ids, k)) #! E05
#### traced_ones
def f(x: f32[n], k: i32) -> f32[n] = ones([k]) + x #! E05
#### traced_size_by_argmax
def f(x: f32[n]) -> f32 = f32(sum(arange(argmax(x)))) + sum(x) #! E05
#### in_axes_traced
def g(x: f32) -> f32 = x
def f(x: f32[n], k: i32) -> f32[n] = vmap(g, in_axes=k)(x) #! E05
#### split_count_traced
import random
def f(k: key, n: i32) -> f32 =
    let ks = random.split(k, n) #! E05
    1.0
#### static_parameter_of_array_type
def f(static x: f32[3]) -> f32 = sum(x) #! E05|E03
#### static_def_of_traced
static def half(n: int) -> int = n // 2
def f(x: f32[n], k: i32) -> f32 = sum(ones([half(k)])) #! E05
#### match_not_exhaustive
enum Act = Relu | Tanh | Sigmoid
def f(static a: Act, x: f32) -> f32 =
    match a with #! E03
        Relu -> maximum(x, 0.0)
        Tanh -> tanh(x)
#### match_not_exhaustive_literals
def f(static k: int, x: f32) -> f32 =
    match k with #! E03
        0 -> x
        1 -> x * 2.0
#### match_not_exhaustive_bool
def f(static b: bool, x: f32) -> f32 =
    match b with #! E03
        true -> x
#### match_variant_arity
enum Act = Relu | Leaky(slope: float)
def f(static a: Act, x: f32) -> f32 =
    match a with
        Relu -> x
        Leaky(low, high) -> x * low #! E03
#### match_variant_of_other_enum
enum Act = Relu | Tanh
enum Mode = Fast | Slow
def f(static a: Act, x: f32) -> f32 =
    match a with
        Relu -> x
        Fast -> tanh(x) #! E03
        _ -> x
#### match_arms_of_two_types
enum Act = Sum | Keep
def f(static a: Act, x: f32[n]) -> f32[n] =
    match a with
        Sum -> sum(x) #! E04
        Keep -> x
#### variant_argument_type
enum Act = Relu | Leaky(slope: float)
def f(static a: Act, x: f32) -> f32 = x
def g(x: f32) -> f32 = f(Leaky("steep"), x) #! E03
#### variant_argument_traced
enum Act = Relu | Leaky(slope: float)
def f(static a: Act, x: f32) -> f32 = x
def g(x: f32) -> f32 = f(Leaky(x), x) #! E05
#### variant_without_its_argument
enum Act = Relu | Leaky(slope: float)
def f(static a: Act, x: f32) -> f32 = x
def g(x: f32) -> f32 = f(Leaky, x) #! E03
#### static_int_wants_int
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = power(x, 2.5) #! E03
#### static_if_branches_without_expectation
# without an expected type both branches have one type, unless the condition is decided at check time
def f(static keep: bool, x: f32[n, d]) -> f32 =
    let y = if keep then x else sum(x) #! E04|E03
    sum(y)
#### static_shape_wants_list
def constant(v: f32, static shape: shape) -> f32[*shape] = broadcast_to(v, shape)
def f(v: f32) -> f32 = sum(constant(v, "big")) #! E03
#### traced_enum_parameter
enum Mode = Fast | Slow
def f(m: Mode, x: f32) -> f32 = x #! E05|E03
#### traced_str_parameter
def f(name: str, x: f32) -> f32 = x #! E05|E03
#### default_not_static_where_static
def f(x: f32[n], static k: int = sum(x)) -> f32 = sum(x) #! E05|E03
#### chain_through_functions
def double(k: i32) -> i32 = 2 * k
def f(x: f32[n], k: i32) -> f32[n] =
    let a = double(k)
    let b = {size = a}
    fold y = x for _ in range(b.size) do y * 0.5 #! E05
#### constants_of_effects_say_one_thing
def io_of(x: i32) -> i32 ! io =
    print("a")
    x
let a = fresh_key() #! E0613
let b = zeros([3])[io_of(1)] #! E0703
let c = io_of(3) #! E0703
#### own_functions_make_no_top_level_arrays
def g(x: f32) -> f32 = x
let h = fn v -> g(v)
let a = vmap(g)(zeros([4])) #! E0504
let b = h(2.0) + 1.0 #! E0504
let c = (2, [1.0, g(2.0)]) #! E0504
let kept = {f = g, w = zeros([2])}
#### items_of_static_lists
static def halves(s: shape) -> shape = [0.5 * d for d in s] #! E0303
static def names(s: shape) -> shape = ["a" for d in s] #! E0303
static def dtypes(s: shape) -> int = len([f32 for d in s]) #! E0303
static def total(s: shape) -> int = sum([1.0 for d in s]) #! E0303
static def functions(s: shape) -> shape = [fn x -> x for d in s] #! E0303
#### loop_over_a_static_list
static def product(s: shape) -> int = fold t = 1 for d in s do t * d #! E0401
#### factors_of_a_rectangle
import linalg
def f(x: f32[n, m]) -> f32[n, m] = linalg.lu(x).0 #! E0402
#### options_on_which_a_type_depends
def spec(a: f32[n, k], b: f32[k, m], static s: str) -> f32[n, m] = einsum(s, a, b) #! E0407
def chosen(a: f32[n, k], static c: bool) -> f32[n, k] = einsum(if c then "ij->ij" else "ij->ji", a) #! E0407
def axis(x: f32, static s: str) -> f32 = psum(x, s) #! E0407
def place(x: f32[n], static a: int) -> f32[n, n] = vmap(fn v -> all_gather(v, "i", axis=a), axis_name="i")(x) #! E0407
def index(x: f32[n], static s: str) -> f32[n] = vmap(fn v -> v + f32(axis_index(s)), axis_name="i")(x) #! E0407
def named(x: f32[n], static s: str) -> f32[n] = vmap(fn v -> v, axis_name=s)(x) #! E0812
#### fields_of_a_variant_that_a_static_choice_gives
enum E = A(k: int) | B
enum T = L | N(l: int, r: int)
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
def size(x: f32[n]) -> f32[n] = match g(n) with
    A(k) -> zeros([k]) #! E0412
    B -> x
def chosen(x: f32[n], static b: bool) -> f32[n] = match (if b then A(n + 1) else B) with
    A(k) -> zeros([k]) #! E0412
    B -> x
def slice(x: f32[n]) -> f32 = match g(n) with
    A(k) -> sum(x[:k]) #! E0422
    B -> 0.0
def index(x: f32[n]) -> f32 = match g(n) with
    A(k) -> x[k] #! E0421
    B -> 0.0
def meets(x: f32[n]) -> f32 where n >= 3 = match g(n) with
    A(k) -> sum(x + zeros([max(k, 0)])) #! E0401
    B -> 0.0
def two(x: f32[n], static b: bool) -> f32[n] = match (if b then N(n, n) else L) with
    N(l, r) -> zeros([max(l + r, 0)]) #! E0412
    L -> x
#### lists_of_what_is_no_array
def texts(x: f32[n]) -> f32 = ["a", "b"] #! E0313
def dtypes(x: f32[n]) -> f32 = sum([f32, i32]) #! E0313
def nothing(x: f32[n]) -> f32 = ([none, none], 1.0).1 #! E0313
def shapes(x: f32[n]) -> f32 = [x.shape, x.shape][0] #! E0313
#### sizes_that_nothing_or_another_size_tells
enum E = A(k: int) | B
enum P = One(a: E) | Two(a: E, b: E)
enum Q = Pair(t: (int, int)) | Flag(c: bool)
static def sizes(p: P) -> int = match p with
    One(A(_)) -> 3
    _ -> 2
static def last(n: int) -> E = if n > 2 then last(n - 1) else if n > 1 then A(n) else B
static def more(n: int) -> int? = if n > 2 then n + 1 else none
static def h(e: E) -> int = match e with
    A(k) -> k
    B -> 0
def nested(x: f32[n], static p: P) -> f32[n] = zeros([sizes(p)]) #! E0402
def pair(x: f32[n], static b: bool) -> f32[n] = match (if b then Pair((n + 1, n)) else Flag(b)) with
    Pair(t) -> zeros([t.0]) #! E0412
    Flag(_) -> x
def flag(x: f32[n], static q: Q) -> f32[n] = match q with
    Flag(c) -> zeros([if c then n else n + 1]) #! E0412
    _ -> x
def optional(x: f32[n]) -> f32[n] = match more(n) with
    none -> x
    k -> zeros([k]) #! E0412
def recursive(x: f32[n]) -> f32[n] = zeros([h(last(n))]) #! E0402
def magnitude(x: f32[n], static k: int) -> f32[n] = zeros([abs(k)]) #! E0402
def place(x: f32[3], static k: int) -> f32 where abs(k) >= 3 = x[abs(k)] #! E0421
#### conditions_of_functions_that_are_chosen
def g(x: f32[n]) -> f32 where n >= 3 = x[2]
def h(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n], static b: bool) -> f32 = (if b then g else h)(x)
def named(x: f32[n], static s: str) -> f32 = (match s with
    "g" -> g
    _ -> h)(x)
def met(x: f32[2]) -> f32 = f(x, false) + named(x, "h") + f([1.0, 2.0, 3.0], true)
def not_met(x: f32[2]) -> f32 = f(x, true) #! E0407
def not_met_by_name(x: f32[2]) -> f32 = named(x, "g") #! E0407
#### integers_that_are_no_shape
def f(static s: ints) -> f32[*s] = zeros(s)
def passed(static s: ints) -> f32[*s] = f(s)
def met(static s: shape) -> f32[*s] = f(s)
def not_met(x: f32[n]) -> f32 = sum(f((n, -1))) #! E0407
def not_met_further(x: f32[n]) -> f32 = sum(passed((n, -1))) #! E0407
#### equations_with_what_a_static_value_holds
enum E = A | B(k: int)
def field(x: f32[n], static e: E) -> f32[n] = match e with
    A -> x
    B(k) -> zeros([k]) #! E0412
def slice(x: f32[n], static e: E) -> f32[n] = match e with
    A -> x
    B(k) -> x[:k] #! E0412
def chosen(x: f32[n], static e: E) -> f32[n] = zeros([match e with #! E0402
    A -> n
    B(k) -> k])
def flag(x: f32[n], static b: bool) -> f32[n] = zeros([if b then n + 1 else n]) #! E0402
def optional(x: f32[n], static t: int?) -> f32[n] = if t == none then x else zeros([t]) #! E0412
def pair(x: f32[n], static t: (int, int)?) -> f32[n] = if t == none then x else zeros([t.0]) #! E0412
#### field_of_a_variant_in_a_run
enum Act = Leaky(slope: float) | Relu
def act(static a: Act, x: f32[n]) -> f32[n] =
    match a with
        Leaky(slope) -> where(x > 0.0, x, slope * x)
        Relu -> maximum(x, 0.0)
def net(x: f32[n], s: f32) -> f32[n] = act(Leaky(s), x) #! E0501
#### an_update_of_two_shapes
enum Change = Zero | Shift
def f(x: f32[n], static c: Change) -> f32[n] where n >= 3 = x.at[:2].set(match c with
    Zero -> 0.0 #! E0412
    Shift -> x[1:3])
#### scalars_for_a_result
enum Change = Zero | One
def f(x: f32[n], static c: Change) -> f32[n] = match c with #! E0402
    Zero -> 0.0
    One -> 1.0
