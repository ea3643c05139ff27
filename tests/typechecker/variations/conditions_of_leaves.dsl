#: shape = x - sum(x, axis=0, keepdims=true) | flip(x, axis=0) | cumsum(x, axis=-1)
#### leaves_need_not_have_such_a_shape
def f[P: VSpace](p: P) -> P = tree_map(fn x -> <shape>, p) #! E0407
#### numbers_that_a_leaf_may_not_hold
def f[P: VSpace](p: P, static k: int) -> P = tree_map(fn x -> x * k, p)
def g(p: (f16, f32)) -> (f16, f32) = f(p, 70000) #! E0407
#### numbers_that_leaves_hold
def f[P: VSpace](p: P, static k: int) -> P = tree_map(fn x -> x * k, p)
def g(p: (f16, f32)) -> (f16, f32) = f(p, 60000)
#### numbers_that_an_operand_may_not_hold
effect scale[a: Float]: (s: a[n]) -> a[n]
def f(x: f16[3], static k: int) -> f16[3] = with handler scale(s) -> resume(s * k) do scale(x)
def g(x: f16[3]) -> f16[3] = f(x, 70000) #! E0407
#### numbers_that_an_operand_holds
effect scale[a: Float]: (s: a[n]) -> a[n]
def f(x: f16[3], static k: int) -> f16[3] = with handler scale(s) -> resume(s * k) do scale(x)
def g(x: f16[3]) -> f16[3] = f(x, 60000)
