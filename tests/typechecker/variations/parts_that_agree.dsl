#: whole = (0.0, <y>) | {a = <y>, b = 1.0} | (1.0, (<y>, 2.0))
#: y = psum(sum(v), "data") | psum(v[0], "data") * 2.0
#: when = if y > 1.0 then set(0.0) else () | set(y) | iterate q = 0.0 while q < y limit 20 do more(q) | (if sum(v) > 1.0 then 1.0 else 2.0) | iterate q = 0.0 while q < sum(v) limit 20 do q + 1.0
#: checked = assert y > 3.0 | let _ = checked(y) | let _ = v[i32(y)] | let _ = (if y > 1.0 then failed(1.0) else 0.0) | let _ = (with checks do checked(sum(v))).0
#### results_and_cells
def several(x: f32[n]) where n % 4 == 0 and n >= 4 = shard(fn (v: f32[m]) -> <whole>, mesh(data=4), {data = 0}, none)(x)
def set(by: f32) -> () ! state(c: f32) =
    c := c * 2.0 + by
    ()
def more(q: f32) -> f32 ! state(c: f32) =
    c := c * 2.0
    q + 1.0
def failed(q: f32) -> f32 ! check =
    assert q > 2.0
    1.0
def written(v: f32[n]) -> f32 ! axis("data") =
    let y = psum(sum(v), "data")
    let (_, c) = with state c = 1.0 do
        let _ = <when>
        0.0
    c
def status(v: f32[n]) -> bool ! axis("data") =
    let y = psum(sum(v), "data")
    let (_, status) = with checks do
        <checked>
        ()
    status.failed
def f(x: f32[n]) -> f32 where n % 4 == 0 and n >= 4 = shard(written, mesh(data=4), {data = 0}, none)(x)
def g(x: f32[n]) -> bool where n % 4 == 0 and n >= 4 = shard(status, mesh(data=4), {data = 0}, none)(x)
