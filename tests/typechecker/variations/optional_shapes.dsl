#: there = where k != none | where not (k == none) | where k != none and len(k) >= 1 | where k == [2, 3]
#: kind = shape | ints
#: given = [2, 3] | (2, 3) | [n, 3] | [m, n]
#### optional_shape_that_is_there
def filled(static k: <kind>?) -> f32[*k] <there> = zeros(k)
def counted(static k: <kind>?) -> f32 <there> = f32(len(k)) + sum(ones(k))
def guarded(static k: <kind>?) -> f32 = if k == none then 0.0 else f32(len(k))
def matched(static k: <kind>?) -> f32 = match k with
    none -> 0.0
    s -> sum(ones(s))
def passed(static k: <kind>?, x: f32[*k]) -> f32[*k] <there> = filled(k) + x
#### optional_shape_that_is_given
def filled(static k: <kind>? = none) -> f32[*k] where k != none = zeros(k)
def sized(static k: <kind>? = none) -> f32 = if k == none then 0.0 else sum(ones(k))
def whole(x: f32[n], y: f32[m]) -> f32 where n >= 2 and m >= 3 = sum(filled(<given>)) + sized(<given>) + sized(none) + sized()
def two() -> f32[2, 3] = filled([2, 3]) + filled(k=(2, 3))
def open(static s: <kind>, x: f32[*s]) -> f32[*s] = filled(s) + x
#### optional_shape_that_may_not_be_there
def filled(static k: <kind>?) -> f32 = sum(zeros(k)) #! E0303
def other(static k: <kind>?) -> f32[2, 4] <there> = zeros(k) #! E0402
def given() -> f32[2, 4] = passed([2, 3]) #! E0402
def none_given() -> f32 = sum(passed(none)) #! E0407
def passed(static k: <kind>?) -> f32[*k] where k != none = zeros(k)
#### shapes_in_data
type Window = {shape: <kind>?, rest: (<kind>, int)?}
enum Pick = Block(shape: <kind>) | Whole
def window(static w: Window) -> f32[*w.shape] where w.shape != none = zeros(w.shape)
def rest(static w: Window) -> f32 where w.rest != none = sum(ones(w.rest.0)) + w.rest.1
def of(static p: Pick) -> f32 = match p with
    Block(s) -> sum(ones(s)) + len(s)
    Whole -> 0.0
def used() -> f32 = sum(window({shape = [2, 3], rest = none})) + rest({shape = none, rest = ([2], 4)}) + of(Block([2])) + of(Whole)
