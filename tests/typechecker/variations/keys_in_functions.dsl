#: g = fn v -> v * normal(k) | fn v -> <key_taken> | (fn v -> v + normal(k)) |> checkpoint
#: key_taken = (with rng(k) do v * normal(fresh_key()))
#: whole = jacfwd | jacrev | hessian
#: transformed = jit(<g>) | checkpoint(<g>) | grad(<g>) | (fn v -> value_and_grad(<g>)(v).1) | jit(grad(<g>))
#: one = <transformed>(x[0]) | <whole>(<g>)(x[0]) | value_and_jacfwd(<g>)(x[0]).1 | jvp(<g>, (x[0],), (1.0,)).1 | vjp(<g>, x[0]).0 | linearize(<g>, x[0]).0
#: many = sum(vmap(<transformed>)(x)) | sum([<one> for v in x]) | sum(vmap(<g>)(x)) | <of_leaves>.a
#: of_leaves = tree_map(<g>, {a = x[0], b = x[0]}) | tree_map(<g>, {a = x[0], b = x}) | tree_map(jit(<g>), {a = x[0], b = x[0]})
#### run_once
from random import normal
def f(x: f32[n], k: key, t: bool) -> f32 where n >= 1 = <one>
#### run_often
from random import normal
def f(x: f32[n], k: key, t: bool) -> f32 where n >= 1 = <many> #! E0611
#### bound_and_called_once
from random import normal
def f(x: f32[n], k: key) -> f32 where n >= 1 =
    let h = <transformed>
    h(x[0])
#### bound_and_called_twice
from random import normal
def f(x: f32[n], k: key) -> f32 where n >= 1 =
    let h = <transformed>
    let y = h(x[0])
    h(y) #! E0610
