#: two = permuted(s, (0, 1)) | permuted(permuted(s, (1, 0)), (1, 0)) | replaced(s, 1, extent(s, 1)) | removed(inserted(s, 2), 2)
#: call = result(x) | other(x, x) | field(x, {a = x}) | given(x, fn v -> sum(v)) | index(x, 0) | stated(x) | aliased(x, {a = x}) | handed(x)
#### axes_of_a_signature_that_are_there
type Pair[*s] = {a: f32[*<two>]}
def result(x: f32[*s]) -> f32[*<two>] = x
def other(x: f32[*s], y: f32[*<two>]) -> f32 = sum(x) + sum(y)
def field(x: f32[*s], t: {a: f32[*<two>]}) -> f32[*s] = t.a
def given(x: f32[*s], g: (f32[*<two>]) -> f32) -> f32 = g(x)
def index(x: f32[*s], i: idx[prod(<two>)]) -> f32 = ravel(x)[i]
def stated(x: f32[*s]) -> f32 where prod(<two>) >= 0 = sum(x)
def aliased(x: f32[*s], t: Pair[*s]) -> f32[*s] = t.a
def handed(x: f32[*s]) -> f32 = other(x, x)
def g(x: f32[2, 3]) = <call>
