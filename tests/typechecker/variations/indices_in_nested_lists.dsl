#: at = [[0, 4]] | [[1], [4]] | [[[4, 0]], [[1, 2]]] | [[4, 4]]
#: small = [[0, 1]] | [[1], [0]] | [[[1, 0]], [[1, 1]]]
#### indices_in_nested_lists_beyond_the_end
def f(x: f32[4]) -> f32 = sum(x[<at>]) #! E0421
#### indices_in_nested_lists_within
def f(x: f32[n]) -> f32 where n > 4 = sum(x[<at>])
def g(x: f32[2]) -> f32 = sum(x[<small>])
#### indices_in_nested_lists_that_callers_meet
def f(x: f32[n]) -> f32 = sum(x[<at>])
def g(x: f32[5]) -> f32 = f(x)
def h(x: f32[4]) -> f32 = f(x) #! E0407
