#### result_that_differs_has_no_axis
def f(xs: f32[n]) -> f32 = pmap(fn (x: f32) -> x * x, out_axes=none)(xs) #! E0812
#### sizes_of_the_mapped_axis_differ
def add(x: f32, y: f32) -> f32 = x + y
def f(x: f32[n], y: f32[m]) -> f32[n] = pmap(add)(x, y) #! E0807
#### nothing_is_mapped
def add(x: f32, y: f32) -> f32 = x + y
def f(x: f32, y: f32) -> f32 = pmap(add, in_axes=none)(x, y) #! E0808
#### axis_out_of_range
def f(xs: f32[n]) -> f32[n] = pmap(fn (x: f32) -> x, in_axes=1)(xs) #! E0806
#### entries_for_other_arguments
def add(x: f32, y: f32) -> f32 = x + y
def f(x: f32[n], y: f32[n]) -> f32[n] = pmap(add, in_axes=(0, 0, 0))(x, y) #! E0809
#### name_that_is_no_name
def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = pmap(share, axis_name=3)(xs) #! E0812
#### name_of_another_axis
def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = pmap(share, axis_name="j")(xs) #! E0701
#### no_name_at_all
def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def f(xs: f32[n]) -> f32[n] = pmap(share)(xs) #! E0701
#### inner_name_outside_of_its_map
def f(xs: f32[n]) -> f32[n] = pmap(fn (x: f32) -> x, axis_name="i")(xs) / psum(xs, "i") #! E0701
#### neighbours_beyond_the_axis
def right(x: f32) -> f32 ! axis("i": 2) = ppermute(x, "i", ((0, 2),)) #! E0407
#### axis_of_another_size
def four(x: f32) -> f32[4] ! axis("i": 4) = all_gather(x, "i")
def f(xs: f32[3]) -> f32[3, 4] = pmap(four, axis_name="i")(xs) #! E0401
#### gathered_without_a_size
def all(x: f32) -> f32 ! axis("i") = sum(all_gather(x, "i")) #! E0810
#### printing_on_every_device
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(xs: f32[n]) -> f32[n] ! io = pmap(loud)(xs) #! E0721
#### writing_on_every_device
def tick(x: f32) -> f32 ! state(s: f32) =
    s := s + x
    s
def f(xs: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        pmap(tick)(xs) #! E0720
#### one_key_for_all_devices
from random import uniform
def draw(k: key, x: f32) -> f32 = x + uniform(k, [])
def f(k: key, xs: f32[n]) -> f32[n] = pmap(draw, in_axes=(none, 0))(k, xs) #! E0612
#### gradient_of_what_is_no_number
def f(xs: f32[n]) -> f32[n] = grad(pmap(fn (x: f32) -> x * x))(xs) #! E0801
#### not_a_function
def f(xs: f32[n]) -> f32[n] = pmap(xs)(xs) #! E0814
#### option_that_does_not_exist
def f(xs: f32[n]) -> f32[n] = pmap(fn (x: f32) -> x, devices=4)(xs) #! E0308
#### element_of_another_shape
def norm(x: f32[3]) -> f32 = sum(x * x)
def f(xs: f32[n, 4]) -> f32[n] = pmap(norm)(xs) #! E0402
#### unbounded_loop_backwards
def half(x: f32) -> f32 ! div = iterate r = x while r > 1.0 do r * 0.5
def f(xs: f32[n]) -> f32[n] ! div = grad(fn v -> sum(pmap(half)(v)))(xs) #! E0805
