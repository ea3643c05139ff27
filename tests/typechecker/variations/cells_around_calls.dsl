#: g = fn v -> step(v) | step | (fn (v: f32) -> step(v)) | jit(step) | if k > 0 then step else fn v -> step(v)
#: made = let h = <g> | let h = (<g>, 1.0).0 | let h = {f = <g>}.f | let h = fn v -> (<g>)(v)
#: called = h(x) | jit(h)(x) | grad(h)(x) | (fn f -> f(x))(h) | given(h, x) | held({f = h}, x) | (fold y = x for _ in range(2) do h(y)) | checkpoint(fn v -> h(v))(x)
#: direct = h(x) | jit(h)(x) | grad(h)(x) | (fn f -> f(x))(h) | (fold y = x for _ in range(2) do h(y)) | checkpoint(fn v -> h(v))(x)
#: passed = given(h, x) | held({f = h}, x) | given(fn v -> h(v), x)
#: hidden = at | x | h
#: all = [<one> for x in xs] | vmap(fn x -> <one>)(xs)
#: one = <direct> | (with state s = 1.0 do <direct>).1 | (with accum at: f32 do <direct>).0
#: all_passed = [<passed> for x in xs] | vmap(fn x -> <passed>)(xs) | [(with accum at: f32 do <passed>).0 for x in xs]
#: inner = (with state at = i32(7) do <called>).0 | (with state at: i32 = 7 do <called>).0 | around(fn v -> step(v), x)
#### nearer_cell_of_another_type
def given(f: (f32) -> f32 ! state(at: i32), x: f32) -> f32 ! state(at: i32) = f(x)
def held(r: {f: (f32) -> f32 ! state(at: i32)}, x: f32) -> f32 ! state(at: i32) = r.f(x)
def f(x: f32, i: idx[n], static k: int) -> ((f32, idx[n]), i32) =
    with state at = i32(0) do
        let step = fn v ->
            at := at - 1
            v
        <made>
        with state at: idx[n] = i do <called> #! E0303
#### nearer_cell_that_a_name_hides
def step(v: f32) -> f32 ! state(at: i32) =
    at := at - 1
    v
def f(x: f32, i: idx[n], h: (f32) -> f32) -> (f32, idx[n]) =
    with state at: idx[n] = i do
        let <hidden> = h(x)
        step(x) #! E0303
#### cell_behind_one_of_another_kind
def step(v: f32) -> f32 ! state(at: i32) =
    at := at - 1
    v
def f(x: f32, i: idx[n]) -> ((f32, f32), idx[n]) =
    with state at: idx[n] = i do
        with accum at: f32 do step(x) #! E0303
#### outer_cell_written_in_parallel
def given(f: (f32) -> f32 ! state(at: i32), x: f32) -> f32 ! state(at: i32) = f(x)
def held(r: {f: (f32) -> f32 ! state(at: i32)}, x: f32) -> f32 ! state(at: i32) = r.f(x)
def f(xs: f32[n], static k: int) -> (f32[n], i32) =
    with state at = i32(0) do
        let step = fn v ->
            at := at - 1 #! E0720
            v
        <made>
        <all>
#### outer_cell_written_in_parallel_by_what_is_passed
def given(f: (f32) -> f32 ! state(at: i32), x: f32) -> f32 ! state(at: i32) = f(x)
def held(r: {f: (f32) -> f32 ! state(at: i32)}, x: f32) -> f32 ! state(at: i32) = r.f(x)
def f(xs: f32[n], static k: int) -> (f32[n], i32) =
    with state at = i32(0) do
        let step = fn v ->
            at := at - 1
            v
        <made>
        <all_passed> #! E0720
#### nearer_cell_written_for_each
def given(f: (f32) -> f32 ! state(at: i32), x: f32) -> f32 ! state(at: i32) = f(x)
def held(r: {f: (f32) -> f32 ! state(at: i32)}, x: f32) -> f32 ! state(at: i32) = r.f(x)
def around(f: (f32) -> f32 ! state(at: i32), x: f32) -> f32 = (with state at = i32(1) do f(x)).0
def f(xs: f32[n], static k: int) -> (f32[n], i32) =
    with state at = i32(0) do
        let step = fn v ->
            at := at - 1
            v
        <made>
        [<inner> for x in xs]
