#### slice_of_keys_and_the_next
from random import split, normal
def f(k: key, x: f32) -> f32 =
    let ks = split(k, 3)
    let a = fold s = x for q in ks[:2] do s + normal(q, [])
    a + normal(ks[2], [])
#### two_slices_of_keys
from random import split, normal
def f(k: key, x: f32) -> f32 =
    let ks = split(k, 3)
    let a = fold s = x for q in ks[:2] do s + normal(q, [])
    fold s = a for q in ks[2:] do s + normal(q, [])
#### numbers_of_keys_in_two_loops
from random import fold_in, normal
def f(k: key, static n: size, static m: size) -> f32[n, m] =
    [normal(fold_in(k, i * m + j), []) for i in range(n), j in range(m)]
#### key_in_branches_of_a_switch
from random import normal, uniform
def f(k: key, i: i32, x: f32) -> f32 =
    let g = fn v -> v + normal(k, [])
    let h = fn v -> v
    switch(i, (g, h, g), x)
#### one_key_in_both_branches
from random import normal, uniform
def f(k: key, i: idx[2], x: f32) -> f32 =
    switch(i, (fn v -> v + normal(k, []), fn v -> v + uniform(k, [])), x)
#### even_and_odd_keys
from random import split, normal
def f(k: key, static n: size) -> f32 =
    let ks = split(k, 2 * n)
    sum([normal(q, []) for q in ks[::2]]) + sum([normal(q, []) for q in ks[1::2]])
#### keys_from_the_end
from random import split, normal
def f(k: key, x: f32) -> f32 =
    let ks = split(k, 5)
    sum([normal(q, []) for q in ks[-2:]]) + sum([normal(q, []) for q in ks[:-2]])
#### slice_of_keys_of_each_turn
from random import split, normal
def f(k: key, static n: size) -> f32[n] =
    let ks = split(k, 2 * n)
    [normal(ks[2 * i : 2 * i + 2][0], []) for i in range(n)]
