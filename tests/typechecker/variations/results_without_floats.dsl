#: jacobian = jacfwd | jacrev | hessian | value_and_jacfwd
#: result = () | {} | 1 | n | ((), {a = ()}) | [1, n] | [1, 2] | (v, [1, n]) | if v[0] > 0.0 then 1 else 2
#: one = 1 | n | [1, n][0] | () | [1.0]
#: float = 1.0 | (v, ()) | [1.0, 2] | [1.0, f32(n)] | zeros([2]) | {a = (), b = v}
#### result
def f(x: f32[n + 1]) = <jacobian>(fn v -> <result>)(x) #! E0802
#### argument
def f(x: f32[n + 1]) = <jacobian>(fn (u: ()) -> x)(()) #! E0802
#### one_number
def f(x: f32[n + 1]) = hvp(fn v -> <one>, x, x) #! E0801
#### floats
def f(x: f32[n + 1]) = <jacobian>(fn v -> <float>)(x)
#### numbers
def f() = <jacobian>(fn v -> v * v)(3)
