#: walk = fold s = 0 for _ in range(3) do t[s] | fold s = i for _ in range(3) do t[s] | iterate s = i while x[s] > 0.0 limit 4 do t[s] | fold s = i for _ in range(3) do fold r = s for _ in range(2) do t[r] | (fold s = i for k in (1, 2) do t[s]) | if c then 0 else fold s = i for _ in range(3) do t[s]
#### of_a_parameter
def at(x: f32[n], i: idx[n]) -> f32 = x[i]
def both(x: f32[n], p: (idx[n], f32)) -> f32 = x[p.0] * p.1
def given(x: f32[n], t: idx[n][n], i: idx[n], c: bool) -> f32 where n >= 1 = <given_walk>
def main(x: f32[4], t: idx[4][4], i: idx[4]) -> f32 = given(x, t, i, true)
#: given_walk = at(x, <walk>) | at(i=<walk>, x=x) | both(x, (<walk>, 2.0)) | (fn (j: idx[n]) -> x[j])(<walk>) | jit(at)(x, <walk>)
#### of_a_function_parameter
def ask(f: (idx[n]) -> f32, x: f32[n], t: idx[n][n], i: idx[n], c: bool) -> f32 where n >= 1 = f(<walk>)
#### of_items
def listed(x: f32[n], t: idx[n][n], i: idx[n], c: bool) -> idx[n][2] where n >= 1 = <items_walk>
#: items_walk = [<walk> for _ in range(2)] | [<walk> for _ in (1.0, 2.0)] | vmap(fn _ -> <walk>)([1.0, 2.0]) | jit(vmap(fn _ -> <walk>))([1.0, 2.0])
#### of_the_result_of_a_function
def made(x: f32[n], t: idx[n][n], i: idx[n], c: bool) -> idx[n] where n >= 1 = <result_walk>
def called(f: (f32) -> idx[n], x: f32[n]) -> idx[n] = f(1.0)
#: result_walk = (fn _ -> <walk>)(1.0) | called(fn _ -> <walk>, x) | jit(fn _ -> <walk>)(1.0)
#### without_a_bound
def at(x: f32[n], i: i32) -> f32 ! check = x[i]
def given(x: f32[n], t: idx[n][n]) -> f32 where n >= 1 = <wide_walk> #! E0701
#: wide_walk = at(x, fold s = 0 for _ in range(3) do t[s]) | (fn (j: i32) -> x[t[j]])(fold s = 0 for _ in range(3) do s + 1) | sum(x[[fold s = 0 for _ in range(3) do t[s] for _ in range(2)]])
#### beyond_the_bound
def at(x: f32[n], i: idx[n]) -> f32 = x[i]
def given(x: f32[n]) -> f32 where n >= 1 = <far_walk> #! E0701
#: far_walk = at(x, fold s = 0 for _ in range(3) do s + 1) | (fn (j: idx[n]) -> x[j])(fold s = 0 for _ in range(3) do s + 1)
#### what_switch_hands_on
def at(i: idx[n], x: f32[n]) -> f32 = x[i]
def least(i: idx[4]) -> f32 = f32(i)
def chosen(x: f32[n], i: idx[n], c: i32) -> f32 where n >= 4 = <switched>
#: switched = x[switch(c, (fn v -> v, fn v -> v), i)] | switch(c, (fn v -> x[v], fn v -> at(v, x), fn v -> -x[v]), i) | switch(c, (fn p -> x[p.at], fn p -> p.w), {at = i, w = 1.0}) | switch(c, (least, fn v -> x[v]), clip(c, 0, 3)) | switch(c, (fn v -> x[v], fn v -> x[v], fn v -> x[v], fn v -> x[v]), i)
#### what_switch_computes
def chosen(x: f32[n], i: idx[n], c: i32) -> f32 where n >= 4 = <switched_beyond> #! E070
#: switched_beyond = x[switch(c, (fn v -> v, fn v -> v + 1), i)] | switch(c, (fn v -> x[v], fn v -> x[v + 1]), i) | switch(c, (fn v -> x[v], fn v -> -x[v]), c) | x[switch(c, (fn v -> v.0, fn v -> v.1), (i, c))]
