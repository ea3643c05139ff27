#### that_do_not_fit
def o(x: f32, static g: ((f32) -> f32)? = none) -> f32 = if g == none then x else g(x)
def two(x: f32, y: f32) -> f32 = x * y
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 = o(x, two) #! E0307
def g(x: f32) -> f32 = o(x, g=fn v -> i32(v)) #! E0302
def h(x: f32) -> f32 = o(x, loud) #! E0702
