#: e = x[row.at[j].get(mode="fill", fill=<fill>)] | sum(x[row.at[[j, 0]].get(mode="fill", fill=<fill>)])
#: fill = n | n + 3 | -1 | 1000 | 2 * n | j
#### fill_beyond_the_bound
def f(x: f32[n], row: idx[n][n], j: i32, t: bool) -> f32 where n >= 1 = <around> #! E0701
