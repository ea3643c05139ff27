#: whole = (0.0, <y>) | {a = <y>, b = 1.0} | (1.0, (<y>, 2.0)) | (<y>, <y>)
#: y = sum(v) | v[0]
#: inner = vmap(fn w -> psum(w, "data"), axis_name="data")(v) | vmap(fn w -> w + pmax(w, "data"), axis_name="data")(v) | shard(fn w -> psum(w, "data"), mesh(data=1), {data = 0}, {data = 0})(v)
#### results
def several(x: f32[n]) where n % 4 == 0 and n >= 4 = shard(fn (v: f32[m]) -> <whole>, mesh(data=4), {data = 0}, none)(x) #! E1011
def mapped(x: f32[n, 2]) = vmap(fn v -> <whole>, out_axes=none)(x) #! E0812
def axes_of_one_name(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(fn (v: f32[m]) -> sum(<inner>), mesh(data=4), {data = 0}, none)(x) #! E1011
#: when = if y > 1.0 then set(0.0) else () | if y > 1.0 then () else set(0.0) | if y > 1.0 then set(1.0) else set(2.0) | set(y) | iterate q = 0.0 while q < y limit 20 do more(q) | (if y > 1.0 then more(1.0) else 2.0)
#: checked = assert y > 3.0 | let _ = checked(y) | let _ = v[i32(y)] | let _ = (if y > 1.0 then failed(1.0) else 0.0) | let _ = [checked(e) for e in v]
#### cells
def set(by: f32) -> () ! state(c: f32) =
    c := c * 2.0 + by
    ()
def more(q: f32) -> f32 ! state(c: f32) =
    c := c * 2.0
    q + 1.0
def failed(q: f32) -> f32 ! check =
    assert q > 2.0
    1.0
def written(v: f32[n]) -> f32 =
    let y = sum(v)
    let (_, c) = with state c = 1.0 do
        let _ = <when>
        0.0
    c
def status(v: f32[n]) -> bool =
    let y = sum(v)
    let (_, status) = with checks do
        <checked>
        ()
    status.failed
def f(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(written, mesh(data=4), {data = 0}, none)(x) #! E1011
def g(x: f32[n]) -> bool where n % 4 == 0 and n >= 4 = shard(status, mesh(data=4), {data = 0}, none)(x) #! E1011
