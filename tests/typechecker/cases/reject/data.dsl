#### missing_field
def g(p: {x: f32, y: f32}) -> f32 = p.x
def f(a: f32) -> f32 = g({x = a}) #! E03
#### extra_field
def g(p: {x: f32, y: f32}) -> f32 = p.x
def f(a: f32) -> f32 = g({x = a, y = a, z = a}) #! E03
#### unknown_field
def f(p: {w: f32, b: f32}) -> f32 = p.bias #! E03|E02
#### misspelled_field
type Params[d] = {weights: f32[d], bias: f32}
def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.weigths + p.bias #! E03|E02
#### field_of_an_array
def f(x: f32[n]) -> f32 = x.mean_value #! E03|E02
#### field_of_a_tuple
def f(t: (f32, f32)) -> f32 = t.x #! E03|E02
#### tuple_position_too_large
def f(t: (f32, f32)) -> f32 = t.2 #! E03
#### tuple_position_of_record
def f(p: {x: f32}) -> f32 = p.0 #! E03
#### tuple_index_by_bracket
def f(t: (f32, i32)) -> f32 = t[0] #! E03|E04
#### field_dtype
type Cell = {w: f32, n: i32}
def f(x: f32) -> Cell = {w = x, n = x} #! E03
#### field_shape
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def f(w: f32[i, o]) -> Dense[i, o] = {w = w, b = zeros([i])} #! E04
#### update_of_unknown_field
def f(p: {w: f32, b: f32}) -> {w: f32, b: f32} = {p with c = 1.0} #! E03|E02
#### update_changes_type
def f(p: {w: f32, b: f32}, i: i32) -> {w: f32, b: f32} = {p with w = i} #! E03
#### update_changes_shape
type P[d] = {w: f32[d], b: f32}
def f(p: P[d], v: f32[k]) -> P[d] = {p with w = v} #! E04
#### update_of_a_tuple
def f(t: (f32, f32)) -> (f32, f32) = {t with a = 1.0} #! E03
#### nested_update_misses
type Net = {a: {w: f32}, c: f32}
def f(p: Net) -> Net = {p with a.v = 1.0} #! E03|E02
#### pattern_too_long
def f(t: (f32, f32)) -> f32 =
    let (a, b, c) = t #! E03
    a + b
#### pattern_too_short
def f(t: (f32, f32, f32)) -> f32 =
    let (a, b) = t #! E03
    a + b
#### pattern_against_scalar
def f(x: f32) -> f32 =
    let (a, b) = x #! E03|E04
    a + b
#### pattern_against_record
def f(p: {x: f32, y: f32}) -> f32 =
    let (x, y) = p #! E03
    x + y
#### tuple_for_record
def g(p: {x: f32, y: f32}) -> f32 = p.x
def f(a: f32) -> f32 = g((a, a)) #! E03
#### tuple_for_array
def g(x: f32[2]) -> f32 = sum(x)
def f(a: f32) -> f32 = g((a, a)) #! E03
#### tuple_length
def f(x: f32) -> (f32, f32) = (x, x, x) #! E03
#### one_tuple_for_scalar
def f(x: f32) -> f32 = (x,) #! E03
#### tuple_part
type P[d] = {w: f32[d]}
def step(p: P[d], g: P[d]) -> (P[d], f32) = (p - g, p) #! E03
#### record_plus_number
def f(p: {w: f32}) -> {w: f32} = p + 1.0 #! E03
#### record_times_record
def f(p: {w: f32}, q: {w: f32}) -> {w: f32} = p * q #! E03
#### records_of_two_types_add
def f(p: {w: f32}, q: {w: f32, b: f32}) -> {w: f32} = p + q #! E03
#### record_with_integer_is_no_vector
type P = {w: f32, steps: i32}
def step(p: P, g: P, lr: f32) -> P = p - lr * g #! E03
#### vectors_of_two_shapes
type P[d] = {w: f32[d]}
def step(p: P[d], g: P[k]) -> P[d] = p - g #! E04|E03
#### exp_of_record
def f(p: {w: f32}) -> {w: f32} = exp(p) #! E03
#### alias_without_parameters
type Params[d] = {w: f32[d], b: f32}
def f(p: Params, x: f32[d]) -> f32 = 1.0 #! E03|E02|E04
#### alias_with_too_many
type Params[d] = {w: f32[d], b: f32}
def f(p: Params[d, k], x: f32[d]) -> f32 = 1.0 #! E03|E02|E04
#### alias_parameter_unused
# "A parameter an alias does not use is an error."
type Params[d, k] = {w: f32[d]} #! E02|E03|E04
def f(x: f32) -> f32 = x
#### alias_recursive
type List = {head: f32, tail: List} #! E02|E03
def f(x: f32) -> f32 = x
#### alias_recursive_mutually
type A = {b: B} #! E02|E03
type B = (A, f32)
def f(x: f32) -> f32 = x
#### alias_dtype_wants_dtype
type Pair[a: Float, n] = (a[n], a[n])
def f(p: Pair[i32, 3]) -> f32 = 1.0 #! E03
#### tree_map_structures
def f(p: {w: f32}, q: (f32,)) -> {w: f32} = tree_map(fn (a, b) -> a + b, p, q) #! E03
#### many_is_not_one
type P[d] = {w: f32[d], b: f32}
def predict(p: P[d], x: f32[d]) -> f32 = dot(p.w, x) + p.b
def f(ps: P[d][n], x: f32[d]) -> f32 = predict(ps, x) #! E04|E03
#### many_field_shape
type P[d] = {w: f32[d], b: f32}
def f(ps: P[d][n], x: f32[d]) -> f32[n] = ps.w * x + ps.b #! E04
#### generic_tree_of_two_types
def second[T: Tree](a: T, b: T) -> T = b
def f(x: f32) -> i32 = second(x, i32(x)) #! E03
#### vspace_of_integers
def sgd[P: VSpace[f32]](p: P, g: P, lr: f32) -> P = p - lr * g
def f(p: {w: i32}, g: {w: i32}) -> {w: i32} = sgd(p, g, 0.1) #! E03
#### tree_is_no_vspace
def step[P: Tree](p: P, g: P) -> P = p - g #! E03
#### layers_of_a_tuple_do_not_meet
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def forward(layers: (Dense[a, b], Dense[c, d]), x: f32[a]) -> f32[d] =
    fold h = x for layer in layers do h @ layer.w + layer.b #! E04
#### layers_of_an_array_change_size
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def deep(layers: Dense[i, o][k], x: f32[i]) -> f32[o] =
    fold h = x for layer in layers do h @ layer.w + layer.b #! E04
#### carry_record_loses_a_field
def f(xs: f32[n]) -> {sum: f32, count: i32} =
    fold s = {sum = 0.0, count = 0} for x in xs do {sum = s.sum + x} #! E03
#### carry_record_leaf_changes
def f(xs: f32[n]) -> f32 =
    let s = fold s = {sum = 0.0, last = zeros([2])} for x in xs do {sum = s.sum + x, last = x} #! E04|E03
    s.sum
#### tree_of_functions
def second[T: Tree](a: T, b: T) -> T = b
def f(x: f32) -> f32 = second(sin, cos)(x) #! E03
#### pattern_of_a_variant_with_fields_missing
enum Act = Relu | Leaky(slope: float, cut: int)
def a(x: f32, static act: Act) -> f32 = match act with
    Leaky(s) -> x * s #! E0314
    Relu -> x
def b(x: f32, static act: Act) -> f32 = match act with
    Leaky(s, c, d) -> x * s #! E0314
    Relu -> x
#### patterns_inside_patterns_cover_too_little
enum Act = Relu | Leaky(slope: float, cut: int)
enum Pair = Two(first: Act, second: Act)
def a(x: f32, static p: (Act, bool)) -> f32 = match p with #! E0317
    (Leaky(1.0, _), _) -> x
    (Relu, _) -> 2.0 * x
def b(x: f32, static p: Pair) -> f32 = match p with #! E0317
    Two(Relu, _) -> x
    Two(Leaky(_, 1), Relu) -> x
    Two(Leaky(_, _), Leaky(_, _)) -> x
def c(x: f32, static p: (int, bool)?) -> f32 = match p with #! E0317
    none -> x
    (1, true) -> x
    (_, false) -> x
#### text_like_any_other_covers_itself_alone
def f(x: f32, static s: str) -> f32 = match s with #! E0317
    "any form" -> x
    "b" -> x + 1.0
#### number_in_a_record_that_gives_way_to_an_array
def f(x: f32[3]) -> f32 =
    let r = {a = 1.0, b = 2.0}
    sum({r with b = x}.b) #! E0402
#### number_in_a_record_that_gives_way_to_another_dtype
def f(x: i32) -> i32 =
    let r = {a = 1.0, b = 2.0}
    {r with b = x}.b #! E0332
#### static_field_that_gives_way_to_a_traced_one
def f(k: i32) -> f32 =
    let c = {width = 3, depth = 2}
    sum(zeros([{c with width = k}.width])) #! E0501
#### type_argument_of_another_class
type Adam[P: VSpace] = {m: P, v: P, t: i32}
type Use[P: Tree] = {x: Adam[P]} #! E0329
def f(s: Adam[i32[n]]) -> i32 = s.t #! E0329
def g(s: Adam[f32[n]], x: f32[m]) -> f32[n] = s.m + x #! E0401
#### type_argument_that_is_no_type
type State[P] = {params: P, t: i32}
def f(s: State[3]) -> i32 = s.t #! E0202
def g(s: State[n], x: f32[n]) -> f32 = 0.0 #! E0202
def h(s: State) -> i32 = s.t #! E0207
#### type_of_types_that_is_no_vector_space
type State[P] = {params: P, t: i32}
def f[P: VSpace](a: State[P], b: State[P]) -> State[P] = a + b #! E0319
#### type_parameter_handed_on_without_a_class
type Wrap[P] = {inner: State[P]} #! E0202
type State[P] = {params: P, t: i32}
#### type_of_types_in_terms_of_itself
type Tree[P] = {value: P, rest: Tree[P]} #! E0214
