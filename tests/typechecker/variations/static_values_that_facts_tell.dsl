#: kept = where b | where b == true | where b and n >= 1 | where not b == false | where not (not b)
#: dropped = where not b | where b == false | where b != true
#### flag_of_a_reduction_that_is_told
def centred(x: f32[n, m], static b: bool) -> f32[n, m] <kept> = x - sum(x, axis=1, keepdims=b)
def summed(x: f32[n, m], static b: bool) -> f32[n] <dropped> = sum(x, axis=1, keepdims=b)
def branched(x: f32[n, m], static b: bool) -> f32[n, m] =
    if b then x - sum(x, axis=1, keepdims=b) else x + sum(x, axis=0, keepdims=b)
def axis(x: f32[n, m], static over: axes) -> f32[m] where over == 0 = sum(x, axis=over)
#### flag_of_a_reduction_that_is_not_told
def centred(x: f32[n, m], static b: bool) -> f32[n, m] = x - sum(x, axis=1, keepdims=b) #! E0401
def wrong(x: f32[n, m], static b: bool) -> f32[n, m] <dropped> = x - sum(x, axis=1, keepdims=b) #! E0401
def summed(x: f32[n, m], static b: bool) -> f32[n] <kept> = sum(x, axis=1, keepdims=b) #! E0402
#### choices_between_equal_shapes
def square(x: f32[n, n], static k: int) -> f32[n, n] = rot90(x, k) + x @ rot90(x, k + 1)
def stated(x: f32[n, m], static k: int) -> f32[n, m] where n == m = rot90(x, k)
def even(x: f32[n, m], static k: int) -> f32[n, m] where k % 2 == 0 = rot90(x, k)
def odd(x: f32[n, m], static k: int) -> f32[m, n] where k % 4 == 3 = rot90(x, k)
def grid(x: f32[n], y: f32[n], static i: str) -> f32[n, n] where i == "xy" or i == "ij" = meshgrid(x, y, indexing=i).0
#### choices_between_shapes_that_differ
def turned(x: f32[n, m], static k: int) -> f32[n, m] = rot90(x, k) #! E0402
def odd(x: f32[n, m], static k: int) -> f32[n, m] where k % 2 == 1 = rot90(x, k) #! E0402
