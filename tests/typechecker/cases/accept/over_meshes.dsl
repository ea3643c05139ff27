#### fields_of_a_stack_are_cut_in_different_ways
type Layer[d, h] = {w: f32[d, h], v: f32[h, d]}
def columns(p: Layer[d, h][l]) -> Layer[d, h][l] where h % 2 == 0 =
    with_sharding(p, mesh(model=2), {w = {model = 2}, v = {model = 1}})
def layers(p: Layer[d, h][l]) -> Layer[d, h][l] where l % 2 == 0 =
    with_sharding(p, mesh(model=2), {w = {model = 0}, v = {model = 0}})
def part(p: Layer[d, h][l]) -> Layer[d, h][l] = 2.0 * p
def halves(p: Layer[d, h][l]) -> Layer[d, h][l] where d % 2 == 0 =
    shard(part, mesh(model=2), ({w = {model = 1}, v = {model = 2}},), {w = {model = 1}, v = {model = 2}})(p)
#### tensor_parallel_layers
def layer(x: f32[b, d], w: f32[d, h], v: f32[h, d]) -> f32[b, d] ! axis("model") = psum(tanh(x @ w) @ v, "model")
def f(x: f32[b, d], w: f32[d, h], v: f32[h, d]) -> f32[b, d] =
    shard(layer, mesh(data=4, model=2), in_specs=({data = 0}, {model = 1}, {model = 0}), out_specs={data = 0})(x, w, v)
def g(x: f32[8, d], w: f32[d, 2 * h], v: f32[2 * h, d]) -> f32[8, d] = f(x, w, v)
#### a_mesh_is_a_constant
let grid = mesh(rows=2, columns=2)
def f(x: f32[n, m]) -> f32[n, m] = shard(fn v -> v - pmean(pmean(v, "rows"), "columns"), grid, {rows = 0, columns = 1}, {rows = 0, columns = 1})(x)
#### a_mesh_of_a_static_size
def f(x: f32[n], static k: int) -> f32[n] where k >= 1 = shard(fn v -> v / psum(sum(v), "i"), mesh(i=k), {i = 0}, {i = 0})(x)
def g(x: f32[8]) -> f32[8] = f(x, k=4)
#### two_axes_of_the_mesh_along_one_of_the_array
def f(x: f32[n]) -> f32[n] = shard(fn v -> v * psum(sum(v), ("a", "b")), mesh(a=2, b=3), {a = 0, b = 0}, {a = 0, b = 0})(x)
#### axes_from_the_end
def f(x: f32[n, m]) -> f32[n, m] = shard(fn v -> 2.0 * v, mesh(i=2), {i = -1}, {i = -1})(x)
#### records_and_tuples_of_specs
def f(p: {w: f32[n, m], b: f32[m]}, x: f32[k]) -> ({w: f32[n, m], b: f32[m]}, f32) =
    shard(fn (p, x) -> (p, psum(sum(x), "i") + psum(sum(p.w), "i")), mesh(i=2), ({w = {i = 0}, b = none}, {i = 0}), ({w = {i = 0}, b = none}, none))(p, x)
#### one_spec_for_a_record
def f(p: {w: f32[n, m], b: f32[n]}) -> {w: f32[n, m], b: f32[n]} = shard(fn (p: {w: f32[a, m], b: f32[a]}) -> p, mesh(i=2), {i = 0}, {i = 0})(p)
#### results_that_are_the_same_for_all
def f(x: f32[n], w: f32[m]) -> (f32[m], f32, f32[2, n // 2]) =
    shard(fn (x, w) -> (tanh(w), pmax(sum(x), "i"), all_gather(x, "i")), mesh(i=2), ({i = 0}, none), none)(x, w)
#### static_parameters_have_no_entry
def power(x: f32[n], static k: int) -> f32[n] = x ** k
def f(x: f32[n]) -> f32[n] = shard(power, mesh(i=2), ({i = 0},), {i = 0})(x, k=3)
#### derivatives_of_and_in_a_shard
def loss(w: f32[d], x: f32[n, d]) -> f32 ! axis("i") = psum(sum(tanh(x @ w)), "i")
def total(w: f32[d], x: f32[n, d]) -> f32 = shard(loss, mesh(i=4), (none, {i = 0}), none)(w, x)
def f(w: f32[d], x: f32[n, d]) -> f32[d] = grad(total)(w, x)
def local(w: f32[d], x: f32[n, d]) -> f32[d] ! axis("i") = psum(grad(fn w -> sum(tanh(x @ w)))(w), "i")
def g(w: f32[d], x: f32[n, d]) -> f32[d] = shard(local, mesh(i=4), (none, {i = 0}), none)(w, x)
def h(w: f32[d], x: f32[n, d], t: f32[d]) -> (f32, f32) = jvp(fn w -> total(w, x), (w,), (t,))
#### shards_in_maps_and_back
def f(xs: f32[k, n]) -> f32[k, n] = vmap(fn x -> shard(fn v -> v / psum(sum(v), "i"), mesh(i=2), {i = 0}, {i = 0})(x))(xs)
def g(xs: f32[n, m]) -> f32[n, m] = shard(vmap(fn (x: f32[m]) -> x / psum(sum(x), "i")), mesh(i=2), {i = 0}, {i = 0})(xs)
#### shards_in_shards
def inner(x: f32[n, m]) -> f32[n, m] ! axis("i") = shard(fn v -> v * psum(sum(v), "j") + psum(sum(v), "i"), mesh(j=2), {j = 1}, {j = 1})(x)
def f(x: f32[n, m]) -> f32[n, m] = shard(inner, mesh(i=2), {i = 0}, {i = 0})(x)
#### draws_checks_and_totals_of_parts
from random import uniform
def noisy(x: f32[n]) -> f32[n] ! {rand, check, accum(a: f32)} =
    assert sum(x) > 0.0
    a += sum(x)
    x + uniform(fresh_key(), [n])
def f(k: key, x: f32[n]) -> (f32[n], f32) ! check =
    with accum a: f32 do
        with rng(k) do shard(noisy, mesh(i=2), {i = 0}, {i = 0})(x)
#### keys_of_parts
from random import uniform
def f(ks: key[n], x: f32[n]) -> f32[n] = shard(fn (ks, x) -> [uniform(k, []) + v for (k, v) in zip(ks, x)], mesh(i=2), {i = 0}, {i = 0})(ks, x)
#### the_ring
def f(x: f32[n]) -> f32[n] = shard(fn v -> ppermute(v, "i", ((0, 1), (1, 2), (2, 0))), mesh(i=3), {i = 0}, {i = 0})(x)
#### slices_for_every_part
def transposed(x: f32[n, m]) -> f32[n, 4, m // 4] where m % 4 == 0 =
    shard(fn v -> all_to_all(reshape(v, [n // 4, 4, m // 4]), "i", axis=1), mesh(i=4), {i = 0}, {i = 0})(x)
def summed(x: f32[n, 4]) -> f32[n] = shard(fn v -> reduce_scatter(v, "i", axis=-1), mesh(i=4), {i = 0}, {i = 0})(x)
#### an_index_of_the_mesh_has_its_size
def f(x: f32[n], table: f32[4]) -> f32[n] = shard(fn (v, table) -> v * table[axis_index("i")], mesh(i=4), ({i = 0}, none), {i = 0})(x, table)
#### decided_by_what_all_parts_have
effect ask: (v: f32) -> f32
def branch(x: f32[8], t: f32) -> f32 =
    shard(fn (v, t) -> (if t > 1.0 then psum(v[0], "a") else 2.0), mesh(a=2), ({a = 0}, none), none)(x, t)
def gathered(x: f32[8], y: f32[4]) -> f32 =
    shard(fn v -> y[argmax(psum(v, "a"))], mesh(a=2), {a = 0}, none)(x)
def asked(x: f32[8]) -> f32 =
    shard(fn v -> (with handler ask(q) -> resume(psum(q * v[0], "a")) do ask(1.0)), mesh(a=2), {a = 0}, none)(x)
#### cells_of_what_all_parts_have
def total(w: f32, u: f32) -> f32 =
    let (_, t) = with state s = w do
        s := u
        w
    t
def f(x: f32[8]) -> f32 = shard(fn v -> total(v[0], psum(v[0], "a")), mesh(a=2), {a = 0}, none)(x)
#### arrays_that_lie_over_a_mesh
let grid = mesh(data=4, model=2)
def rows(x: f32[n, d]) -> f32[n, d] = with_sharding(x, grid, {data = 0, model = -1})
def f(x: f32[4 * n, 6]) -> f32[4 * n, 6] = rows(x)
def g(p: {w: f32[n, m], b: f32[m]}, i: idx[n][8]) -> ({w: f32[n, m], b: f32[m]}, f32[8, m]) =
    let p = with_sharding(p, grid, {w = {data = 0}, b = none})
    (p, p.w[with_sharding(i, grid, {data = 0})])
def same(x: f32[n, m], y: f32) -> (f32[n, m], f32) = with_sharding((x, y), grid, none)
def number() -> f32 = with_sharding(2.0, grid, none)
def h(x: f32[8, d], static k: int) -> f32[8, d] where k == 2 or k == 4 = with_sharding(x, mesh(i=2, j=4), {i = 0, j = 0})
#### annotations_under_transformations
def double(x: f32[n]) -> f32[n] = 2.0 * x.with_sharding(mesh(i=2), {i = 0})
def f(x: f32[n]) -> f32[n] = grad(checkpoint(fn x -> sum(double(x) ** 2)))(x)
def g(xs: f32[k, n]) -> f32[k, n] = vmap(double)(xs)
def h(x: f32[n]) -> f32[n] = fold x = x for _ in range(3) do double(x)
def s(x: f32[n]) -> f32[n] = with_sharding(shard(fn v -> 2.0 * v, mesh(i=2), {i = 0}, {i = 0})(double(x)), mesh(j=2), {j = 0})
def other(x: f32[n], static whole: bool) -> f32[n] = if whole then double(x) else x
def t(xs: f32[k, n]) -> f32[k, n] = pmap(other)(xs, whole=false)
#### sums_of_what_may_differ
from random import normal
def loss(w: f32[d], x: f32[n, d]) -> f32 = sum(tanh(x @ w))
def agreed(w: f32[d], x: f32[n, d]) -> f32 ! axis("i") = psum(loss(w, x), "i")
def f(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> psum(grad(loss)(w, x), "i"), mesh(i=4), (none, {i = 0}), none)(w, x)
def g(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> pmean(grad(agreed)(w, x), "i"), mesh(i=4), (none, {i = 0}), none)(w, x)
def weighed(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> psum(0.25 * grad(agreed)(w, x), "i"), mesh(i=4), (none, {i = 0}), none)(w, x)
def norm(w: f32[d]) -> f32 =
    shard(fn w -> psum(sum(grad(fn w -> psum(sum(w ** 3), "i"))(w) ** 2), "i"), mesh(i=4), {i = 0}, none)(w)
def given_back(w: f32[d], x: f32[n, d]) -> f32[d] =
    let summed = custom_vjp(fn v -> psum(v, "i"), fn v -> (psum(v, "i"), v), fn (v, ct) -> (ct,))
    shard(fn (w, x) -> psum(grad(fn w -> summed(loss(w, x)))(w), "i"), mesh(i=4), (none, {i = 0}), none)(w, x)
def counted(x: f32[n]) -> f32 =
    shard(fn (v: f32[k]) -> psum(sum(v), "i") / psum(f32(k), "i") + psum(1.0, "i") + f32(psum(1, "i")), mesh(i=4), {i = 0}, none)(x)
def from_the_first(w: f32, x: f32[n]) -> f32[n] =
    vmap(fn v -> v * psum(where(axis_index("i") == 0, w, 0.0), "i"), axis_name="i")(x)
def carried(x: f32[n]) -> f32[n] = vmap(fn v -> (fold s = 0.0 for _ in range(3) do s + v * psum(s, "i")), axis_name="i")(x)
def means(x: f32[n]) -> f32[n] = vmap(fn v -> v + pmean(psum(v, "i"), "i") + pmax(pmin(v, "i"), "i"), axis_name="i")(x)
def twice(x: f32[n, m]) -> f32[n, m] = shard(fn v -> v * psum(psum(sum(v), "a"), "b"), mesh(a=2, b=2), {a = 0, b = 1}, {a = 0, b = 1})(x)
def noisy(x: f32[n]) -> f32[n] ! rand = vmap(fn v -> v + psum(normal(fresh_key()), "i"), axis_name="i")(x)
def either(x: f32[n], static summed: bool) -> f32[n] =
    vmap(fn v -> (if summed then v * psum(v, "i") else v) + psum(if summed then v else 1.0, "i"), axis_name="i")(x)
def mapped(f: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = vmap(f, axis_name="i")(x)
def of_the_outer(x: f32[n], y: f32[m]) -> f32[n, m] =
    vmap(fn a -> mapped(fn b -> b * psum(a, "i"), y), axis_name="i")(x)
