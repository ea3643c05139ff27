#: e = x.at[i].get(mode="<policy>") | x.at[[i, 0]].get(mode="<policy>")[0]
#: policy = clip | wrap
#### nearest_of_nothing_inside
def g(x: f32[n], t: bool, i: i32) -> f32 = <around>
def f(x: f32[0], i: i32) -> f32 = g(x, true, i) #! E0407
#### nearest_of_something_inside
def g(x: f32[n], t: bool, i: i32) -> f32 = <around>
def f(x: f32[m + 1], i: i32) -> f32 = g(x, true, i)
