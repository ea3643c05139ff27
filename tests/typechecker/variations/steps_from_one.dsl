#: part = x[::k] | x[1::k] | x[:3:k] | x[1:3:k] | x.at[::k].set(0.0) | x.at[1::k].get() | [x, x][:, ::k] | [x[i : i + 2 : k] for i in range(n - 1)] | x[:: k * k * k] | x[:: min(k, 2)]
#: call = f(x, <k>) | (fn v -> f(v, <k>))(x) | grad(fn v -> f(v, <k>))(x) | handed(x, <k>)
#: k = 1 | 2 | 3
#### step_from_one
def f(x: f32[n], static k: int) -> f32 where n >= 3 = sum(<part>)
def handed(x: f32[m], static k: int) where m >= 3 = f(x, k)
def g(x: f32[4]) = <call>
