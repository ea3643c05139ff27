#: missing = vmap(fn v -> sum(v), in_axes=1)(x) | vmap(fn v -> sum(v), in_axes=-2)(x) | vmap(fn v -> v, in_axes=1)(x) | vmap(fn r -> sum(r.a), in_axes={a = 1})({a = x}) | vmap(fn v -> v, out_axes=1)(x) | vmap(fn v -> v, out_axes=-2)(x) | vmap(fn v -> {a = v}, out_axes={a = 1})(x) | pmap(fn v -> sum(v), in_axes=1)(x) | shard(fn v -> v, mesh(a=1), {a = 1}, {a = 1})(x) | shard(fn v -> v, mesh(a=1), {a = 0}, {a = 1})(x) | shard(fn v -> v, mesh(a=1), {a = -2}, {a = 0})(x)
#### axis_missing
def f(x: f32[*s]) = <missing>
def g(x: f32[3]) = f(x) #! E0403

#### axis_there
def f(x: f32[*s]) = <missing>
def g(x: f32[2, 3]) = f(x)

#### axis_missing_behind_others
def f(x: f32[n, *s]) = <missing>
def g(x: f32[3]) = f(x) #! E0403
