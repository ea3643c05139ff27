#: large = x + [1, 256] | x + [1, -1] | x + [1, 1000] | x + [1, 2 ** 9] | x + [1, 300 - 1] | where(x > 3, [1, 256], x) | where(x > 3, [1, -1], x) | where(x > 3, [1, 1000], x) | where(x > 3, [1, 2 ** 9], x) | where(x > 3, [1, 300 - 1], x) | minimum(x, [256, 1]) | minimum(x, [-1, 1]) | minimum(x, [1000, 1]) | minimum(x, [2 ** 9, 1]) | minimum(x, [300 - 1, 1]) | x.at[:].set([1, 256]) | x.at[:].set([1, -1]) | x.at[:].set([1, 1000]) | x.at[:].set([1, 2 ** 9]) | x.at[:].set([1, 300 - 1]) | concatenate((x, [1, 256]))[1:3] | concatenate((x, [1, -1]))[1:3] | concatenate((x, [1, 1000]))[1:3] | concatenate((x, [1, 2 ** 9]))[1:3] | concatenate((x, [1, 300 - 1]))[1:3] | fold s = x for _ in range(2) do s + [256, 2] | fold s = x for _ in range(2) do s + [-1, 2] | fold s = x for _ in range(2) do s + [1000, 2] | fold s = x for _ in range(2) do s + [2 ** 9, 2] | fold s = x for _ in range(2) do s + [300 - 1, 2] | x * full([2], 256) | x * full([2], -1) | x * full([2], 1000) | x * full([2], 2 ** 9) | x * full([2], 300 - 1) | (if t then x else [1, 256]) | (if t then x else [1, -1]) | (if t then x else [1, 1000]) | (if t then x else [1, 2 ** 9]) | (if t then x else [1, 300 - 1]) | one({a = [256, 1]}) | one({a = [-1, 1]}) | one({a = [1000, 1]}) | one({a = [2 ** 9, 1]}) | one({a = [300 - 1, 1]}) | [256, 1] | [-1, 1] | [1000, 1] | [2 ** 9, 1] | [300 - 1, 1] | [x[0], 256] | [x[0], -1] | [x[0], 1000] | [x[0], 2 ** 9] | [x[0], 300 - 1] | x - (fn v -> [v, 256])(x[0]) | x - (fn v -> [v, -1])(x[0]) | x - (fn v -> [v, 1000])(x[0]) | x - (fn v -> [v, 2 ** 9])(x[0]) | x - (fn v -> [v, 300 - 1])(x[0]) | stack((x, [256, 0]))[0] | stack((x, [-1, 0]))[0] | stack((x, [1000, 0]))[0] | stack((x, [2 ** 9, 0]))[0] | stack((x, [300 - 1, 0]))[0] | one({a = x + [256, 0]}) | one({a = x + [-1, 0]}) | one({a = x + [1000, 0]}) | one({a = x + [2 ** 9, 0]}) | one({a = x + [300 - 1, 0]})
#: fitting = x + [1, 255] | x + [1, 0] | x + [1, 2 ** 7] | x + [1, 200 + 55] | where(x > 3, [1, 255], x) | where(x > 3, [1, 0], x) | where(x > 3, [1, 2 ** 7], x) | where(x > 3, [1, 200 + 55], x) | minimum(x, [255, 1]) | minimum(x, [0, 1]) | minimum(x, [2 ** 7, 1]) | minimum(x, [200 + 55, 1]) | x.at[:].set([1, 255]) | x.at[:].set([1, 0]) | x.at[:].set([1, 2 ** 7]) | x.at[:].set([1, 200 + 55]) | concatenate((x, [1, 255]))[1:3] | concatenate((x, [1, 0]))[1:3] | concatenate((x, [1, 2 ** 7]))[1:3] | concatenate((x, [1, 200 + 55]))[1:3] | fold s = x for _ in range(2) do s + [255, 2] | fold s = x for _ in range(2) do s + [0, 2] | fold s = x for _ in range(2) do s + [2 ** 7, 2] | fold s = x for _ in range(2) do s + [200 + 55, 2] | x * full([2], 255) | x * full([2], 0) | x * full([2], 2 ** 7) | x * full([2], 200 + 55) | (if t then x else [1, 255]) | (if t then x else [1, 0]) | (if t then x else [1, 2 ** 7]) | (if t then x else [1, 200 + 55]) | one({a = [255, 1]}) | one({a = [0, 1]}) | one({a = [2 ** 7, 1]}) | one({a = [200 + 55, 1]}) | [255, 1] | [0, 1] | [2 ** 7, 1] | [200 + 55, 1] | [x[0], 255] | [x[0], 0] | [x[0], 2 ** 7] | [x[0], 200 + 55] | x - (fn v -> [v, 255])(x[0]) | x - (fn v -> [v, 0])(x[0]) | x - (fn v -> [v, 2 ** 7])(x[0]) | x - (fn v -> [v, 200 + 55])(x[0]) | stack((x, [255, 0]))[0] | stack((x, [0, 0]))[0] | stack((x, [2 ** 7, 0]))[0] | stack((x, [200 + 55, 0]))[0] | one({a = x + [255, 0]}) | one({a = x + [0, 0]}) | one({a = x + [2 ** 7, 0]}) | one({a = x + [200 + 55, 0]})
#: outside = table[[1, 5]] | table[[1, 7]] | table[[1, 9 - 1]] | table[[1, 2 ** 3]] | embed(table, [5, 0]) | embed(table, [7, 0]) | embed(table, [9 - 1, 0]) | embed(table, [2 ** 3, 0]) | table.at[[0, 5]].get() | table.at[[0, 7]].get() | table.at[[0, 9 - 1]].get() | table.at[[0, 2 ** 3]].get() | stack((table[0], table[1]))[[0, 0]] + table[[5, 5]] | stack((table[0], table[1]))[[0, 0]] + table[[7, 7]] | stack((table[0], table[1]))[[0, 0]] + table[[9 - 1, 9 - 1]] | stack((table[0], table[1]))[[0, 0]] + table[[2 ** 3, 2 ** 3]]
#: inside = table[[1, 4]] | table[[1, 0]] | table[[1, 5 - 1]] | embed(table, [4, 0]) | embed(table, [0, 0]) | embed(table, [5 - 1, 0]) | table.at[[0, 4]].get() | table.at[[0, 0]].get() | table.at[[0, 5 - 1]].get() | stack((table[0], table[1]))[[0, 0]] + table[[4, 4]] | stack((table[0], table[1]))[[0, 0]] + table[[0, 0]] | stack((table[0], table[1]))[[0, 0]] + table[[5 - 1, 5 - 1]]
#: asks = x[[0, 3]] | x[[3]] | x[[1, 3, 2]] | take([0, 3], x)
#: key_places = [0, 0, 1] | i | argsort(x) | [1, 1]
#: distinct = [0, 1] | [1, 0] | [0] | [2, 0, 1]
#: zero = i | (0 * i) | (i // 2) | (i % n)
#: positive = (i + 1) | (i // 2 + 1)
#: misses = mode="fill", fill=99 | mode="fill", fill=-1 | mode="fill", fill=n
#: nearest = mode="clip" | mode="wrap"
#: kept = mode="fill", fill=0 | mode="fill", fill=n - 1 | mode="clip" | mode="wrap"
#### number_too_large
def one(p: {a: u8[2]}) -> u8[2] = p.a
def f(x: u8[2], t: bool) -> u8[2] = <large> #! E0304
#### number_that_fits
def one(p: {a: u8[2]}) -> u8[2] = p.a
def f(x: u8[2], t: bool) -> u8[2] = <fitting>
#### place_outside
def embed(table: f32[v, d], t: idx[v][n]) -> f32[n, d] = table[t]
def f(table: f32[5, 3]) -> f32[2, 3] = <outside> #! E0421
#### place_inside
def embed(table: f32[v, d], t: idx[v][n]) -> f32[n, d] = table[t]
def f(table: f32[5, 3]) -> f32[2, 3] = <inside>
#### places_are_asked_for
def take(t: idx[v][n], x: f32[v]) -> f32[n] = x[t]
def g(x: f32[n]) -> f32 = sum(<asks>)
def f(x: f32[3]) -> f32 = g(x) #! E0407
#### places_that_are_there
def take(t: idx[v][n], x: f32[v]) -> f32[n] = x[t]
def g(x: f32[n]) -> f32 = sum(<asks>)
def f(x: f32[m + 4]) -> f32 = g(x)
#### keys_read_twice
from random import normal
def f(ks: key[3], x: f32[3], i: idx[3][m]) -> f32 = sum([normal(k) for k in ks[<key_places>]]) #! E0610
#### keys_in_records_read_twice
from random import normal
type P = {k: key, x: f32}
def f(ps: P[3], x: f32[3], i: idx[3][m]) -> f32 = sum([normal(p.k) * p.x for p in ps[<key_places>]]) #! E0610
#### keys_read_twice_by_a_policy
from random import normal
def f(ks: key[3], x: f32[3], i: idx[3][m]) -> f32 = sum([normal(k) for k in ks.at[<key_places>].get()]) #! E0610
#### keys_read_once
from random import normal
def f(ks: key[3]) -> f32 = sum([normal(k) for k in ks[<distinct>]])
#### zero_from_the_end
def f(x: f32[n]) -> f32[n] = [x[-<zero>] for i in range(n)] #! E07|E04
#### zero_from_the_end_of_an_index
def f(x: f32[n], i: idx[n]) -> f32 = x[-<zero>] #! E0701|E0421
#### zero_from_the_end_updated
def f(x: f32[n], i: idx[n][m]) -> f32[n] = x.at[-<zero>].set(0.0) #! E0701
#### not_zero_from_the_end
def f(x: f32[n]) -> f32[n] = [x[-<positive>] for i in range(n)]
#### bound_lost_by_a_policy
def f(i: idx[n][m], j: i32[k]) -> idx[n][k] = i.at[j].get(<misses>) #! E0701
#### bound_kept_by_a_policy_that_asks_for_an_element
def f(i: idx[n][m], j: i32[k]) -> idx[n][k] = i.at[j].get(<nearest>)
#### bound_kept_by_a_policy
def f(i: idx[n][m], j: i32[k]) -> idx[n][k] where n >= 1 and m >= 1 = i.at[j].get(<kept>)
