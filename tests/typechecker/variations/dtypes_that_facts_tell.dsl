#: told = where a == f64 | where not (a != f64) | where a in (f64,) | where a != f16 and a != bf16 and a != f32
#: value = x + ones([n], f64) | ones([n], f64) - x | where(x > 0.0, x, ones([n], f64)) | doubled(x) | x.at[:].set(doubled(x))
#### dtype_that_a_condition_tells
def doubled(x: f64[n]) -> f64[n] = 2.0 * x
def stated[a: Float](x: a[n]) -> a[n] <told> = <value>
def branched[a: Float](x: a[n]) -> a[n] = if a == f64 then <value> else x
def named(x: f64[n], static a: Float) -> a[n] <told> = <value>
def whole(x: f32[n], y: f64[n]) -> f64[n] = stated(y) + f64(branched(x)) + branched(y)
#### dtype_that_no_condition_tells
def open[a: Float](x: a[n]) -> a[n] = x + ones([n], f64) #! E0301
def other[a: Float](x: a[n]) -> a[n] where a != f64 = x + ones([n], f64) #! E0301
def narrow[a: Float](x: a[n]) -> f32[n] <told> = x #! E0302
def branched[a: Float](x: a[n]) -> a[n] = if a == f64 then x else x + ones([n], f64) #! E0301
#### dtypes_that_are_one
def added[a: Float, b: Float](x: a[n], y: b[n]) -> a[n] where a == b = x + y
def chosen[a: Float, b: Float](x: a[n], y: b[n]) -> a[n] = if b == a then x + y else x
def whole(x: f32[n], y: f64[n]) -> f32[n] = added(x, x) + chosen(x, y)
#### dtypes_that_may_be_two
def added[a: Float, b: Float](x: a[n], y: b[n]) -> a[n] where a != b = x + y #! E0301
def given(x: f32[n], y: f64[n]) -> f32[n] = same(x, y) #! E0407
def same[a: Float, b: Float](x: a[n], y: b[n]) -> a[n] where a == b = x + y
