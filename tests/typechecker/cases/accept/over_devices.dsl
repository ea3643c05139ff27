#### pmap_of_every_position
def add(x: f32[d], y: f32) -> f32[d] = x + y
def f(x: f32[d, n], y: f32[n]) -> f32[d, n] = pmap(add, in_axes=(1, 0), out_axes=1)(x, y)
#### pmap_names_its_axis_first
def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = pmap(share, "i")(xs)
#### pmap_of_pmap
def both(x: f32) -> f32 ! {axis("i"), axis("j")} = x - pmean(pmax(x, "j"), "i")
def f(xs: f32[n, m]) -> f32[n, m] = pmap(pmap(both, axis_name="j"), axis_name="i")(xs)
#### pmap_in_vmap_and_back
def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n, m]) -> f32[n, m] = vmap(pmap(share, axis_name="i"))(xs)
def g(xs: f32[n, m]) -> f32[n, m] = pmap(vmap(share, axis_name="i"))(xs)
#### result_that_is_the_same_for_all
def f(xs: f32[n]) -> f32 = pmap(fn (x: f32) -> psum(x, "i"), axis_name="i", out_axes=none)(xs)
#### derivatives_through_a_pmap
def f(xs: f32[n]) -> f32 = sum(pmap(fn (x: f32) -> x * psum(x, "i"), axis_name="i")(xs))
def g(xs: f32[n]) -> f32[n] = grad(f)(xs)
def h(xs: f32[n], t: f32[n]) -> (f32, f32) = jvp(f, (xs,), (t,))
#### draws_and_checks_of_elements
from random import uniform
def noisy(x: f32) -> f32 ! {rand, check} =
    assert x > 0.0
    x + uniform(fresh_key(), [])
def f(k: key, xs: f32[n]) -> f32[n] ! check = with rng(k) do pmap(noisy)(xs)
