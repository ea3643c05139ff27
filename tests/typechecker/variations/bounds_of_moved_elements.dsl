#: kept = [<a>, <within>] | stack((<a>, <within>)) | stack(([<a>], [<within>]), axis=1) | concatenate(([<a>], [<within>])) | [w for w in (<a>, <within>)] | [w for w in [<a>, <within>]] | [[w for w in (<a>, <within>)] for _ in range(2)] | [w for w in (<a>, <within>), _ in range(2)] | [{at = w, of = 1.0} for w in (<a>, <within>)].at | [({at = w}, 1.0) for w in [<a>, <within>]][1].0.at | (scan s = 0.0 for w in [<a>, <within>] do (s, w)).1 | (scan s = 0.0 for w in (<a>, <within>) do (s, {at = w})).1.at | (scan s = 0.0 for w in [<a>, <within>] do (s, {at = w})).1.at | vmap(fn w -> {at = w})([<a>, <within>]).at | max(stop_gradient((<a>, <within>)).0, stop_gradient((<a>, <within>)).1) | (if c then [<a>, <within>] else [<a>, <a>]) | (if c then [{at = <a>}] else [{at = <within>}]).at | tree_reduce(fn (p, q) -> max(p, q), {at = <a>, of = (<within>, <a>)}) | tree_map(fn w -> w, [{at = <a>}, {at = <within>}]).at | [{at = <a>}, {at = <within>}].at | [{at = <a>}, {at = <within>}][1].at | split([<a>, <within>], 2)[1] | split_at([<a>, <within>], 1).1 | meshgrid([<a>, <within>], [0.0]).0 | hstack(([<a>], [<within>])) | checkpoint_name({at = [<a>, <within>]}, "at").at | [{at = <a>}, {at = <a>}].at[0].set({at = <within>}).at | [<a>, <a>].at[1].set(<within>) | [<a>, <a>].at[i].get(mode="fill", fill=<within>) | [<a>, <within>].at[i].get(mode="clip") | vmap(fn w -> all_gather(w, "i"), axis_name="i")([<a>, <within>])[0] | vmap(fn w -> pmax(w, "i"), axis_name="i")([<a>, <within>]) | vmap(fn w -> ppermute(w, "i", ((0, 1),)), axis_name="i")([<within>, <a>]) | vmap(fn w -> vmap(fn r -> r.at)(w))({at = [[<a>, <within>]]})[0] | random.permutation(random.key(1), [<a>, <within>]) | fft.fftshift([<a>, <within>])
#: lost = [<a>, <beyond>] | stack((<a>, <beyond>)) | stack(([<a>], [<beyond>]), axis=1) | concatenate(([<a>], [<beyond>])) | [w for w in (<a>, <beyond>)] | [w for w in [<a>, <beyond>]] | [[w for w in (<a>, <beyond>)] for _ in range(2)] | [w for w in (<a>, <beyond>), _ in range(2)] | [{at = w, of = 1.0} for w in (<a>, <beyond>)].at | [({at = w}, 1.0) for w in [<a>, <beyond>]][1].0.at | (scan s = 0.0 for w in [<a>, <beyond>] do (s, w)).1 | (scan s = 0.0 for w in (<a>, <beyond>) do (s, {at = w})).1.at | (scan s = 0.0 for w in [<a>, <beyond>] do (s, {at = w})).1.at | vmap(fn w -> {at = w})([<a>, <beyond>]).at | max(stop_gradient((<a>, <beyond>)).0, stop_gradient((<a>, <beyond>)).1) | (if c then [<a>, <beyond>] else [<a>, <a>]) | (if c then [{at = <a>}] else [{at = <beyond>}]).at | tree_reduce(fn (p, q) -> max(p, q), {at = <a>, of = (<beyond>, <a>)}) | tree_map(fn w -> w, [{at = <a>}, {at = <beyond>}]).at | [{at = <a>}, {at = <beyond>}].at | [{at = <a>}, {at = <beyond>}][1].at | split([<a>, <beyond>], 2)[1] | split_at([<a>, <beyond>], 1).1 | meshgrid([<a>, <beyond>], [0.0]).0 | hstack(([<a>], [<beyond>])) | checkpoint_name({at = [<a>, <beyond>]}, "at").at | [{at = <a>}, {at = <a>}].at[0].set({at = <beyond>}).at | [<a>, <a>].at[1].set(<beyond>) | [<a>, <a>].at[i].get(mode="fill", fill=<beyond>) | [<a>, <beyond>].at[i].get(mode="clip") | vmap(fn w -> all_gather(w, "i"), axis_name="i")([<a>, <beyond>])[0] | vmap(fn w -> pmax(w, "i"), axis_name="i")([<a>, <beyond>]) | vmap(fn w -> ppermute(w, "i", ((0, 1),)), axis_name="i")([<beyond>, <a>]) | vmap(fn w -> vmap(fn r -> r.at)(w))({at = [[<a>, <beyond>]]})[0] | random.permutation(random.key(1), [<a>, <beyond>]) | fft.fftshift([<a>, <beyond>])
#: a = clip(i, 0, 2) | 3
#: within = clip(i, 1, 3) | i % 4 | u
#: beyond = clip(i, 1, 4) | i | u + 1
#### elements_of_all
import random
import fft
def f(x: f32[n], i: i32, u: idx[n], c: bool) -> f32 where n >= 4 = sum(x[<kept>])
#### a_list_of_two_that_are_written_alike
def f(x: f32[n], i: i32, j: i32) -> f32 where n >= 4 = sum(x[[clip(i, 0, 2), clip(j, 0, 2)]])
def g(x: f32[n], i: i32) -> f32 where n >= 4 = if 0 <= i and i < n then sum(x[[i, i]]) else 0.0
#### elements_of_some
import random
import fft
def f(x: f32[n], i: i32, u: idx[n], c: bool) -> f32 where n >= 4 = sum(x[<lost>]) #! E0701
#### results_of_functions_that_are_applied_by_others
def at(v: f32[n]) -> (f32, idx[n]) where n >= 1 = (max(v), argmax(v))
def f(x: f32[n], c: i32) -> f32 where n >= 4 = x[<applied>]
def g(x: f32[4]) -> f32[4] = grad(fn x -> f(x, 1))(x)
#: applied = switch(c, (fn v -> argmax(v), fn v -> argmin(v)), x) | switch(c, (at, fn v -> (2.0, argmin(v)), at), x).1 | switch(c, (fn v -> {i = argmax(v)}, fn _ -> {i = 3}, fn _ -> {i = clip(c, 0, 3)}, fn v -> {i = argmin(v)}), x).i | custom_jvp(fn v -> at(v), fn (p, t) -> (at(p.0), (sum(t.0), ())))(x).1 | custom_vjp(fn v -> {i = argmax(v), m = max(v)}, fn v -> ({i = clip(c, 1, 3), m = max(v)}, ()), fn (_, ct) -> (ct.m * ones([n]),))(x).i
#### results_of_one_function_that_lies_beyond
def at(v: f32[n]) -> (f32, idx[n]) where n >= 1 = (max(v), argmax(v))
def f(x: f32[n], c: i32) -> f32 where n >= 4 = x[<applied_beyond>] #! E0701
#: applied_beyond = switch(c, (fn v -> argmax(v), fn v -> argmin(v) + 1), x) | switch(c, (at, fn v -> (2.0, c), at), x).1 | switch(c, (fn v -> {i = argmax(v)}, fn _ -> {i = 3}, fn _ -> {i = clip(c, 0, 4)}, fn v -> {i = argmin(v)}), x).i | custom_jvp(fn v -> at(v), fn (p, t) -> ((max(p.0), argmax(p.0) + 1), (sum(t.0), ())))(x).1 | custom_jvp(fn v -> (max(v), c), fn (p, t) -> (at(p.0), (sum(t.0), ())))(x).1 | custom_vjp(fn v -> {i = argmax(v), m = max(v)}, fn v -> ({i = clip(c, 1, 4), m = max(v)}, ()), fn (_, ct) -> (ct.m * ones([n]),))(x).i
#### what_a_rule_saves
def fw(x: f32[n], i: idx[n]) -> (f32, idx[n]) = (x[i], i)
def bw(x: f32[n], i: idx[n], ct: f32) -> f32[n] = zeros([n]).at[i].set(ct)
def f(x: f32[n], i: idx[n], c: i32) -> f32 where n >= 4 = custom_vjp(fn (x, i) -> x[i], <saved>)(x, <given>)
def g(x: f32[4]) -> f32[4] = grad(fn x -> f(x, 1, 2))(x)
#: given = i | clip(c, 0, 3) | c % 4
#: saved = fn (x, i) -> (x[i], i), fn (i, ct) -> (zeros([n]).at[i].set(ct), ()) | fn (x, i) -> (x[i], {at = i, of = x}), fn (s, ct) -> (bw(s.of, s.at, ct), ()) | fn (x, i) -> (x[i], (argmax(x), x)), fn (s, ct) -> (bw(s.1, s.0, ct), ()) | fw, fn (i, ct) -> (zeros([n]).at[i].set(ct), ()) | fn (x, i) -> (x[i], [i, 3]), fn (s, ct) -> (zeros([n]).at[s].set(ct), ())
#### what_a_rule_is_given
def f(x: f32[n], c: i32) -> f32 where n >= 4 = custom_jvp(fn (x, i) -> x[i], fn (p, t) -> (p.0[p.1], t.0[p.1]))(x, <within_four>)
def g(x: f32[4]) -> f32[4] = grad(fn x -> f(x, 2))(x)
#: within_four = clip(c, 0, 3) | c % 4 | argmax(x)
#### what_a_rule_saves_beyond
def f(x: f32[n], i: idx[n], c: i32) -> f32 where n >= 4 = custom_vjp(fn (x, i) -> x[i], <saved_beyond>)(x, i) #! E0702
#: saved_beyond = fn (x, i) -> (x[i], i + 1), fn (i, ct) -> (zeros([n]).at[i].set(ct), ()) | fn (x, i) -> (x[i], {at = c}), fn (s, ct) -> (zeros([n]).at[s.at].set(ct), ()) | fn (x, i) -> (x[i], [i, clip(c, 0, 4)]), fn (s, ct) -> (zeros([n]).at[s].set(ct), ())
