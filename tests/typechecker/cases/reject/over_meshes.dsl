#### axis_without_a_name
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(4), {i = 0}, {i = 0})(x) #! E1008
#### mesh_without_axes
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(), {i = 0}, {i = 0})(x) #! E1008
#### axis_of_no_places
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=0), {i = 0}, {i = 0})(x) #! E1008
#### axis_of_fewer_than_no_places
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=-2), {i = 0}, {i = 0})(x) #! E1008
#### axis_named_twice
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2, i=2), {i = 0}, {i = 0})(x) #! E1008
#### places_known_at_run_time
def f(x: f32[n], k: i32) -> f32[n] = shard(fn (v: f32[m]) -> v, mesh(i=k), {i = 0}, {i = 0})(x) #! E1008
#### number_in_the_place_of_a_mesh
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, 4, {i = 0}, {i = 0})(x) #! E1008
#### record_in_the_place_of_a_mesh
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, {i = 4}, {i = 0}, {i = 0})(x) #! E1008
#### axis_that_the_mesh_does_not_have
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), {j = 0}, {i = 0})(x) #! E1009
#### axis_of_results_that_the_mesh_does_not_have
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), {i = 0}, {j = 0})(x) #! E1009
#### axis_of_the_mesh_used_twice
def f(x: f32[n, m]) -> f32[n, m] = shard(fn (v: f32[a, b]) -> v, mesh(i=2), {i = 0, i = 1}, {i = 0})(x) #! E0206
#### axis_that_the_array_does_not_have
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), {i = 1}, {i = 0})(x) #! E1010
#### axis_before_the_first
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), {i = -2}, {i = 0})(x) #! E1010
#### number_cut
def f(x: f32) -> f32 = shard(fn v -> v, mesh(i=2), {i = 0}, none)(x) #! E1010
#### axis_that_the_result_does_not_have
def f(x: f32[n]) -> f32 = shard(fn v -> sum(v), mesh(i=2), {i = 0}, {i = 0})(x) #! E1010
#### axis_as_for_vmap
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), 0, {i = 0})(x) #! E1010
#### name_in_the_place_of_a_spec
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), "i", {i = 0})(x) #! E1010
#### too_many_specs
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), ({i = 0}, none), {i = 0})(x) #! E1010
#### too_few_specs
def f(x: f32[n], y: f32[n]) -> f32[n] = shard(fn (v, w) -> v + w, mesh(i=2), ({i = 0},), {i = 0})(x, y) #! E1010
#### specs_of_another_record
def f(p: {w: f32[n]}) -> f32[n] = shard(fn (p: {w: f32[k]}) -> p.w, mesh(i=2), ({v = {i = 0}},), {i = 0})(p) #! E1010
#### specs_of_a_longer_tuple
def f(x: f32[n]) -> (f32[n], f32[n]) = shard(fn v -> (v, v), mesh(i=2), {i = 0}, ({i = 0}, {i = 0}, none))(x) #! E1010
#### specs_known_at_run_time
def f(x: f32[n], k: i32) -> f32[n] = shard(fn (v: f32[m]) -> v, mesh(i=2), {i = k}, {i = 0})(x) #! E0501
#### not_divisible
def f(x: f32[6]) -> f32[6] = shard(fn (v: f32[k]) -> v, mesh(i=4), {i = 0}, {i = 0})(x) #! E1012
#### never_divisible
def f(x: f32[2 * n + 1]) -> f32[2 * n + 1] = shard(fn (v: f32[k]) -> v, mesh(i=2), {i = 0}, {i = 0})(x) #! E1012
#### not_divisible_by_the_product
def f(x: f32[6]) -> f32[6] = shard(fn (v: f32[k]) -> v, mesh(i=2, j=2), {i = 0, j = 0}, {i = 0, j = 0})(x) #! E1012
#### divisibility_asked_of_the_caller
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=4), {i = 0}, {i = 0})(x)
def g(x: f32[6]) -> f32[6] = f(x) #! E0407
#### divisibility_asked_of_callers_of_callers
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=4), {i = 0}, {i = 0})(x)
def g(x: f32[n]) -> f32[n + n] = f(concatenate((x, x)))
def h(x: f32[3]) -> f32[6] = g(x) #! E0407
#### divisibility_by_a_static_size
def f(x: f32[n], static k: int) -> f32[n] where k >= 1 = shard(fn (v: f32[m]) -> v, mesh(i=k), {i = 0}, {i = 0})(x)
def g(x: f32[8]) -> f32[8] = f(x, k=3) #! E0407
#### result_that_is_cut_and_claimed_whole
def f(x: f32[n]) -> f32[n // 2] = shard(fn (v: f32[k]) -> 2.0 * v, mesh(i=2), {i = 0}, none)(x) #! E1011
#### sum_of_a_part
def f(x: f32[n]) -> f32 = shard(fn v -> sum(v), mesh(i=2), {i = 0}, none)(x) #! E1011
#### sum_over_another_axis
def f(x: f32[n]) -> f32 = shard(fn v -> psum(sum(v), "j"), mesh(i=2, j=2), {i = 0}, none)(x) #! E1011 E0820
#### sum_over_one_of_two_axes
def f(x: f32[n]) -> f32 = shard(fn v -> psum(sum(v), "j"), mesh(i=2, j=2), {i = 0, j = 0}, none)(x) #! E1011
#### place_claimed_the_same
def f(x: f32[n]) -> f32 = shard(fn v -> f32(axis_index("i")), mesh(i=2), none, none)(x) #! E1011
#### neighbour_claimed_the_same
def f(x: f32[n]) -> f32[n // 2] = shard(fn v -> ppermute(v, "i", ((0, 1), (1, 0))), mesh(i=2), {i = 0}, none)(x) #! E1011
#### part_of_a_result_claimed_whole
def f(x: f32[n]) -> (f32, f32) = shard(fn v -> (psum(sum(v), "i"), sum(v)), mesh(i=2), {i = 0}, (none, none))(x) #! E1011
#### found_in_a_definition
def inner(x: f32[n], w: f32[m]) -> f32 = sum(x) * 2.0 + sum(w)
def outer(x: f32[n], w: f32[m]) -> f32 = inner(x, w) + 1.0
def f(x: f32[n], w: f32[m]) -> f32 = shard(outer, mesh(i=2), ({i = 0}, none), none)(x, w) #! E1011
#### found_in_a_loop
def f(x: f32[n]) -> f32 = shard(fn v -> (fold total = 0.0 for e in v do total + e), mesh(i=2), {i = 0}, none)(x) #! E1011
#### found_under_a_derivative
def f(w: f32, x: f32[n]) -> f32 = shard(fn (w, x) -> grad(fn u -> sum(tanh(u * x)))(w) + sum(x), mesh(i=2), (none, {i = 0}), none)(w, x) #! E1011
#### position_of_the_largest_in_a_part
def f(x: f32[n]) -> i32 where n >= 2 = shard(fn v -> i32(v[0] > 0.0), mesh(i=2), {i = 0}, none)(x) #! E1011
#### collective_outside_of_the_mesh
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), {i = 0}, {i = 0})(x) / psum(sum(x), "i") #! E0701
#### collective_over_another_axis
def f(x: f32[n]) -> f32[n] = shard(fn v -> v / psum(sum(v), "j"), mesh(i=2), {i = 0}, {i = 0})(x) #! E0701
#### neighbours_beyond_the_mesh
def f(x: f32[n]) -> f32[n] = shard(fn v -> ppermute(v, "i", ((0, 2),)), mesh(i=2), {i = 0}, {i = 0})(x) #! E0407
#### gathered_over_an_axis_of_another_size
def four(x: f32[n]) -> f32[4, n] ! axis("i": 4) = all_gather(x, "i")
def f(x: f32[n]) -> f32[4, n // 2] = shard(four, mesh(i=2), {i = 0}, none)(x) #! E0401
#### slices_for_other_parts
def f(x: f32[n, 3]) -> f32[n] = shard(fn v -> reduce_scatter(v, "i", axis=1), mesh(i=4), {i = 0}, {i = 0})(x) #! E0401
#### slices_along_no_axis
def f(x: f32[n]) -> f32[n] = shard(fn v -> all_to_all(v, "i", axis=1), mesh(i=4), {i = 0}, {i = 0})(x) #! E0407
#### slices_claimed_the_same
def f(x: f32[n, 4]) -> f32[n // 4] = shard(fn v -> reduce_scatter(v, "i", axis=1), mesh(i=4), {i = 0}, none)(x) #! E1011
#### sum_of_truths
def f(x: bool[n, 4]) -> bool[n] = shard(fn v -> reduce_scatter(v, "i", axis=1), mesh(i=4), {i = 0}, {i = 0})(x) #! E0315
#### parts_that_do_not_fit
def f(x: f32[n], w: f32[n]) -> f32[n] = shard(fn (v, w) -> v + w, mesh(i=2), ({i = 0}, none), {i = 0})(x, w) #! E0401
#### part_of_another_shape
def norm(x: f32[3]) -> f32 = sum(x * x)
def f(x: f32[n, 3]) -> f32 = shard(norm, mesh(i=2), {i = 0}, none)(x) #! E0402
#### result_of_another_size
def f(x: f32[n]) -> f32[n] = shard(fn v -> concatenate((v, v)), mesh(i=2), {i = 0}, {i = 0})(x) #! E0402
#### printing_in_every_part
def f(x: f32[n]) -> f32[n] ! io =
    shard(loud, mesh(i=2), {i = 0}, {i = 0})(x) #! E0721
def loud(x: f32[n]) -> f32[n] ! io =
    print("{}", sum(x))
    x
#### writing_in_every_part
def tick(x: f32[n]) -> f32[n] ! state(s: f32) =
    s := s + sum(x)
    x
def f(x: f32[n]) -> (f32[n], f32) =
    with state s = 0.0 do
        shard(tick, mesh(i=2), {i = 0}, {i = 0})(x) #! E0720
#### one_key_for_all_parts
from random import uniform
def f(k: key, x: f32[n]) -> f32[n] = shard(fn (k, v) -> v + uniform(k, []), mesh(i=2), (none, {i = 0}), {i = 0})(k, x) #! E0612
#### keys_along_one_of_two_axes
from random import uniform
def f(ks: key[n], x: f32[n]) -> f32[n] = shard(fn (ks, x) -> [uniform(k, []) + v for (k, v) in zip(ks, x)], mesh(i=2, j=2), {i = 0}, {i = 0})(ks, x) #! E0612
#### no_function
def f(x: f32[n]) -> f32[n] = shard(x, mesh(i=2), {i = 0}, {i = 0})(x) #! E0814
#### mesh_left_out
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v)(x) #! E0307
#### option_that_does_not_exist
def f(x: f32[n]) -> f32[n] = shard(fn (v: f32[k]) -> v, mesh(i=2), {i = 0}, {i = 0}, axis_name="i")(x) #! E0308
#### unbounded_loop_backwards
def half(x: f32[n]) -> f32[n] ! div = iterate r = x while max(r) > 1.0 do r * 0.5
def f(x: f32[n]) -> f32[n] ! div where n >= 2 = grad(fn x -> sum(shard(half, mesh(i=2), {i = 0}, {i = 0})(x)))(x) #! E0805
#### part_that_decides_what_is_claimed_the_same
effect ask: (v: f32) -> f32
def branch(x: f32[8]) -> f32 = shard(fn v -> (if v[0] > 1.0 then 1.0 else 2.0), mesh(a=2), {a = 0}, none)(x) #! E1011
def turns(x: f32[8]) -> f32 =
    shard(fn v -> (iterate s = 1.0 while s < v[0] limit 5 do s + s), mesh(a=2), {a = 0}, none)(x) #! E1011
def gathered(x: f32[8], y: f32[4]) -> f32 = shard(fn v -> y[argmax(v)], mesh(a=2), {a = 0}, none)(x) #! E1011
def placed(x: f32[8], y: f32[4]) -> f32[4] = shard(fn v -> y.at[argmax(v)].set(1.0), mesh(a=2), {a = 0}, none)(x) #! E1011
def asked(x: f32[8]) -> f32 =
    shard(fn v -> (with handler ask(q) -> resume(q * v[0]) do ask(1.0)), mesh(a=2), {a = 0}, none)(x) #! E1011
#### values_of_a_neighbour_and_draws_claimed_the_same
from random import normal
def moved(x: f32[8]) -> f32[8] = shard(fn v -> ppermute(v, "a", ((0, 1), (1, 0))), mesh(a=2), none, none)(x) #! E1011
def drawn(k: key, x: f32[8]) -> f32 =
    with rng(k) do shard(fn v -> normal(fresh_key()), mesh(a=2), none, none)(x) #! E1011
#### cells_of_a_part_claimed_the_same
def stated(x: f32[8]) -> f32 = shard(fn v -> (with state s = v[0] do s).0, mesh(a=2), {a = 0}, none)(x) #! E1011
def total(w: f32) -> f32 =
    let (_, t) = with accum s: f32 do
        s += w
        w
    t
def summed(x: f32[8]) -> f32 = shard(fn v -> total(v[0]), mesh(a=2), {a = 0}, none)(x) #! E1011
#### annotation_with_an_unknown_axis
def f(x: f32[4]) -> f32[4] = with_sharding(x, mesh(i=2), {j = 0}) #! E1009
#### annotation_of_an_axis_that_is_not_there
def f(x: f32[4]) -> f32[4] = with_sharding(x, mesh(i=2), {i = 1}) #! E1010
#### annotation_of_an_axis_that_no_field_of_a_stack_has
type Layer[d] = {w: f32[d], v: f32[d]}
def f(p: Layer[4][l]) -> Layer[4][l] = with_sharding(p, mesh(i=2), {w = {i = 1}, v = {i = 2}}) #! E1010
#### stack_of_fields_with_different_numbers_of_layers
type Layer[d] = {w: f32[d], v: f32[d]}
def f(p: Layer[4][8]) -> Layer[4][8] = with_sharding(p, mesh(i=2), {w = {i = 0}, v = {i = 1}}) #! E1010
#### annotation_known_at_run_time
def f(x: f32[4], k: i32) -> f32[4] = with_sharding(x, mesh(i=2), {i = k}) #! E1010
#### annotation_of_a_key
def f(k: key[4]) -> key[4] = with_sharding(k, mesh(i=2), {i = 0}) #! E1010
#### annotation_without_a_mesh
def f(x: f32[4]) -> f32[4] = with_sharding(x, {i = 2}, {i = 0}) #! E1008
#### annotation_without_a_spec
def f(x: f32[4]) -> f32[4] = with_sharding(x, mesh(i=2)) #! E0307
#### annotation_of_a_function
def f(x: f32[4]) -> f32[4] = with_sharding(fn y -> y, mesh(i=2), none)(x) #! E1010
#### annotation_that_names_an_axis_twice
def f(x: f32[4, 4]) -> f32[4, 4] = with_sharding(x, mesh(i=2), {i = 0, i = 1}) #! E0206
#### annotation_that_does_not_divide
def f(x: f32[6]) -> f32[6] = with_sharding(x, mesh(i=2, j=2), {i = 0, j = 0}) #! E1012
#### division_by_an_annotation_asked_of_callers
def f(x: f32[n]) -> f32[n] = with_sharding(x, mesh(i=4), {i = 0})
def g(x: f32[n]) -> f32[n + n] = f(concatenate((x, x)))
def h(x: f32[3]) -> f32[6] = g(x) #! E0407
#### annotation_in_a_part
def f(x: f32[n]) -> f32[n] = shard(fn v -> with_sharding(v, mesh(j=2), {j = 0}), mesh(i=2), {i = 0}, {i = 0})(x) #! E1018
#### annotation_in_an_element
def f(xs: f32[n, m]) -> f32[n, m] = pmap(fn x -> with_sharding(x, mesh(j=2), {j = 0}))(xs) #! E1018
#### annotation_in_a_function_of_a_part
def inner(x: f32[n]) -> f32[n] = with_sharding(x, mesh(j=2), {j = 0}) #! E1018
def slope(x: f32[n]) -> f32[n] = vmap(grad(fn (v: f32) -> sum(inner([v, v]))))(x)
def f(x: f32[n]) -> f32[n] = shard(slope, mesh(i=2), {i = 0}, {i = 0})(x)
#### annotation_in_a_function_that_is_given
def apply(f: (f32[n]) -> f32[n], xs: f32[m, n]) -> f32[m, n] = pmap(f)(xs)
def g(xs: f32[m, 4]) -> f32[m, 4] = apply(fn x -> with_sharding(x, mesh(j=2), {j = 0}), xs) #! E1018
#### annotation_in_a_loop_of_a_part
def f(x: f32[n]) -> f32[n] =
    shard(fn v -> (fold u = v for _ in range(2) do with_sharding(u, mesh(j=2), {j = 0})), mesh(i=2), {i = 0}, {i = 0})(x) #! E1018
#### built_in_in_the_place_of_a_key
from random import normal
def f(x: f32[8]) -> f32 =
    with rng(fresh_key) do #! E0303
        shard(fn v -> psum(normal(fresh_key()), "a"), mesh(a=2), none, none)(x)
#### names_of_cuts_and_meshes
def cut_by_name(x: f32[n]) -> f32 =
    let cut = {data = 0}
    shard(fn v -> sum(v), mesh(data=4), cut, none)(x) #! E1011
def mesh_by_name(x: f32[n]) -> f32 =
    let grid = mesh(data=4)
    shard(fn v -> sum(v), grid, {data = 0}, none)(x) #! E1011
def cuts_in_a_tuple(x: f32[b, d], w: f32[d]) -> f32 where b % 2 == 0 and d % 2 == 0 =
    let parts = {data = 0, model = 1}
    shard(fn (x, w) -> psum(sum(x @ w), "model"), mesh(data=2, model=2), (parts, {model = 0}), none)(x, w) #! E1011
def axis_by_name(x: f32[n]) -> f32 =
    let o = none
    vmap(fn a -> 2.0 * a, out_axes=o)(x) #! E0812
#### sums_of_what_was_summed
def twice(v: f32[n]) -> f32 ! axis("i") = psum(psum(sum(v), "i"), "i") #! E0820
def named(v: f32[n]) -> f32 ! axis("i") =
    let s = pmax(max(v), "i")
    let t = 2.0 * s + 1.0
    psum(t, "i") #! E0820
def in_a_tuple(v: f32[n]) -> (f32, f32) ! axis("i") = psum((sum(v), pmean(sum(v), "i")), "i") #! E0820
def of_a_record(v: f32[n]) -> f32 ! axis("i") =
    let r = {a = sum(v), b = psum(sum(v), "i")}
    psum(r.a, "i") + psum(r.b, "i") #! E0820
def scattered(v: f32[n]) -> f32 ! axis("i": n) = reduce_scatter(psum(v, "i"), "i") #! E0820
def looped(v: f32) -> f32 ! axis("i") = fold s = 0.0 for _ in range(3) do s + psum(psum(v, "i") * s, "i") #! E0820
def scanned(v: f32) -> f32[3] ! axis("i") =
    let (last, all) = scan s = psum(v, "i") for _ in range(3) do (2.0 * s, psum(s, "i")) #! E0820
    all
def branched(v: f32, c: f32) -> f32 ! axis("i") =
    let s = psum(v, "i")
    if s > 1.0 then psum(s, "i") else v #! E0820
def chosen(v: f32) -> f32 ! axis("i") =
    let s = psum(v, "i")
    let t = if s > 1.0 then s else 2.0 * s
    psum(t, "i") #! E0820
def over_two(x: f32[n, m]) -> f32 = shard(fn v -> psum(sum(v), ("a", "b")), mesh(a=2, b=2), {a = 0}, none)(x) #! E0820
#### sums_of_what_is_not_cut
def total(v: f32[k]) -> f32 ! axis("i") = psum(sum(v), "i")
def f(w: f32[d], x: f32[n]) -> f32 = shard(fn (w, x) -> psum(sum(w), "i") + total(x), mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
def g(w: f32[d], x: f32[n]) -> f32 = shard(fn (w, x) -> total(w) + total(x), mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
def h(y: f32, x: f32[n]) -> f32[n] = vmap(fn v -> v + psum(2.0 * y, "i"), axis_name="i")(x) #! E0820
def i(y: f32, x: f32[n]) -> f32[n] = pmap(fn (v, y) -> v + psum(y, "i"), axis_name="i", in_axes=(0, none))(x, y) #! E0820
def mapped(f: (f32) -> f32 ! axis("i"), x: f32[n]) -> f32[n] = vmap(f, axis_name="i")(x)
def j(y: f32, x: f32[n]) -> f32[n] = mapped(fn v -> v + psum(y, "i"), x) #! E0820
def drawn(k: key, x: f32[n]) -> f32[n] ! rand = vmap(fn v -> v + psum(y_of(v, x), "i"), axis_name="i")(x) #! E0820
def y_of(v: f32, x: f32[n]) -> f32 = sum(x)
#### sums_in_handlers_of_what_is_the_same
effect ask: (q: f32) -> f32
def f(x: f32[n]) -> f32[n] =
    vmap(fn v -> (with handler ask(q) -> resume(psum(q, "i")) do ask(psum(v, "i"))), axis_name="i")(x) #! E0820
def g(x: f32[n]) -> f32[n] =
    vmap(fn v -> (with state s = psum(v, "i") do psum(s, "i")).0, axis_name="i")(x) #! E0820
#### sums_of_gradients_that_sum
def loss(w: f32[d], x: f32[n, d]) -> f32 ! axis("i") = psum(sum(tanh(x @ w)), "i")
def mean_loss(w: f32[d], x: f32[n, d]) -> f32 ! axis("i") = pmean(mean(tanh(x @ w)), "i")
def f(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> psum(grad(loss)(w, x), "i"), mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
def g(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> psum(grad(mean_loss)(w, x), "i"), mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
def step(w: f32[d], x: f32[n, d]) -> (f32, f32[d]) ! axis("i") =
    let (value, slope) = value_and_grad(loss)(w, x)
    (value, psum(slope, "i"))
def h(w: f32[d], x: f32[n, d]) -> (f32, f32[d]) = shard(step, mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
def i(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> psum(vjp(fn w -> loss(w, x), w).1(1.0).0, "i"), mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
def penalty(w: f32[d], x: f32[n, d]) -> f32[d] =
    shard(fn (w, x) -> psum(grad(fn w -> sum(w * w))(w) + 0.0 * sum(w), "i"), mesh(i=4), (none, {i = 0}), none)(w, x) #! E0820
