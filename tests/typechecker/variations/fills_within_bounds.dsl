#: e = x[row.at[j].get(mode="fill", fill=<fill>)] | sum(x[row.at[[j, 0]].get(mode="fill", fill=<fill>)])
#: fill = 0 | n - 1 | i | (n - 1) // 2 | argmax(x) | n // 2
#### fill_within_the_bound
def f(x: f32[n], row: idx[n][n], i: idx[n], j: i32, t: bool) -> f32 where n >= 1 = <around>
