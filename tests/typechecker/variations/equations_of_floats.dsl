#: part = int(share * n) | int(round(share * n)) | n - int(share * n) | int(share * n) + 1 | int((1.0 - share) * n) | int(n * share / 2.0)
#: other = int(share * n + 0.5) | 2 * int(share * n) | n | int(share) | int(exp(share)) | int(other * n)
#: wrong = zeros([<other>]) | concatenate((x, zeros([int(share * n)]))) | x[:int(other * n)]
#: limits = 0.0 <= share and share <= 1.0 and 0.0 <= other and other <= 1.0
#### sizes_that_floats_make_differ
def kept(x: f32[n], static share: float, static other: float) -> f32[<part>] where <limits> =
    let y = <wrong>
    y #! E0402
#### sum_with_a_size_that_a_float_makes
def kept(x: f32[n], static share: float, static other: float) -> f32[n] where <limits> =
    x + zeros([<part>]) #! E0407
#### sizes_of_the_same_floats
def kept(x: f32[n], static share: float, static other: float) -> f32[<part>] where <limits> =
    let y = zeros([<part>])
    y
