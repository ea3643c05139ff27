#### a_shape_computed_wrongly
static def doubled(s: shape) -> shape = [2 * d for d in s]
def f(x: f32[n, m]) -> f32[2 * n, m] = zeros(doubled(x.shape)) #! E0402
def g(x: f32[*s]) -> f32[*s] = zeros(doubled(x.shape)) #! E0402
#### the_length_is_not_known
def f(x: f32[*s]) -> f32 = sum(zeros([2 * d for d in s])) #! E0401
def g(x: f32[n], static reps: ints) -> f32[n] = zeros([n, *[2 * r for r in reps]]) #! E0401
#### an_index_that_is_not_there
static def third(s: shape) -> int = s[2]
def f(x: f32[n, m]) -> f32[third([n, m])] = zeros([m]) #! E0403
def g(x: f32[n, m], static reps: ints) -> f32[n] =
    zeros([[1, 2][5]]) #! E0421
#### a_size_that_may_be_negative
static def shrunk(s: shape, k: int) -> shape = [d - k for d in s]
def blank(x: f32[*s], static k: int) -> f32[*shrunk(s, k)] = zeros(shrunk(s, k))
def f(x: f32[2, 3]) -> f32[0, 1] = blank(x, 2)
def g(x: f32[2, 3]) = blank(x, 3) #! E0407
#### one_integer_is_no_shape
def f(x: f32[n]) -> f32[3] = zeros(3) #! E0303
#### a_pattern_of_another_length
def f(x: f32[n, d]) -> f32[n] =
    let (a, b, c) = x.shape #! E0314
    zeros([a])
#### items_of_another_kind
static def f(s: shape) -> shape = [d + "a" for d in s] #! E0315
static def g(s: shape) -> bool = all(s) #! E0303
static def h(s: shape) -> int = sum([d == 1 for d in s]) #! E0303
static def i(width: ints) -> int = width["a"] #! E0303
#### lists_of_different_lengths
static def added(s: shape, t: shape) -> shape = [a + b for (a, b) in zip(s, t)]
def f(x: f32[n, m], y: f32[n]) -> f32[n] = zeros(added(x.shape, y.shape)) #! E0407
#### a_condition_on_a_list
static def positive(s: ints) -> bool = all([r >= 1 for r in s])
def f(x: f32[n], static reps: ints) -> f32[n] where positive(reps) = x
def g(x: f32[n]) -> f32[n] = f(x, (1, 2))
def h(x: f32[n]) -> f32[n] = f(x, (1, 0)) #! E0407
#### members_of_what_has_none
def f(x: f32[n], k: f32) -> bool = k in x #! E0315
def g(static m: str) -> f32 = if m in "abc" then 1.0 else 2.0 #! E0315
def h(static m: str) -> f32 = if m in (1, 2) then 1.0 else 2.0 #! E0315
def i(x: i32[n]) -> bool = x not in (1, 2) #! E0315
def j(k: i32) -> bool = k in range(3) #! E0326
def one(static k: int) -> f32[k] where k in (1, 2) = ones([k])
def call() -> f32[3] = one(3) #! E0407
static def kept(s: shape, axes: ints) -> shape = [if i in axes then 1 else d for (i, d) in enumerate(s)]
def wrong(x: f32[n, m]) -> f32[n, m] = zeros(kept([n, m], [1])) #! E0402
def unknown(x: f32[*s], static axes: ints) -> f32 = if 0 in axes then 1.0 else 2.0 #! E0401
#### members_in_a_chain
def f(static a: int) -> bool = 1 < a in (2, 3) #! E0112
#### greatest_of_no_sizes
static def widest(s: shape) -> shape = [max(s)]
static def least(s: shape) -> int = min(s) + 1
def g(x: f32[*s]) -> f32[*widest(s)] = zeros(widest(s))
def h(x: f32[*s]) -> f32[least(s)] = zeros([least(s)])
def wrong(x: f32) -> f32[0] = g(x) #! E0403
def worse(x: f32) -> f32[1] = h(x) #! E0403
#### letters_that_name_no_axis
static def place(names: str, letter: str) -> int =
    sum([if c in letters(letter) then i else 0 for (i, c) in enumerate(letters(names))])
static def has_letter(names: str, letter: str) -> bool = letters(letter)[0] in letters(names)
def total(x: f32[*s], static names: str, static over: str) -> f32[*reduced(s, place(names, over), false)]
    where has_letter(names, over) else "the axis has a letter" = sum(x, axis=place(names, over))
def f(x: f32[n, c]) -> f32[n] = total(x, "nc", "k") #! E0407
def g(x: f32[n, c]) -> f32[n] = total(x, "nc", "n") #! E0402
static def h(s: shape) -> ints = letters(s) #! E0303
#### arrays_with_other_numbers_of_axes
def beside(x: f32[*s], y: f32[*t]) -> f32 where len(s) == len(t) = sum(x) + sum(y)
def f(x: f32[2, 3], y: f32[3]) -> f32 = beside(x, y) #! E0401
def g(x: f32[*s], y: f32[3]) -> f32 = beside(x, y) #! E0401
