#: cycle = i % 4 | (i + 1) % n | (i + 3) % n | (2 * n - i) % n | i % 3
#: turns = i % 4 | (i + 1) % 4 | i * (4 - i) | (4 - i) * i | i - i // 4 * 4 | (2 * i) % 5 | i * 3 % 4 | (i + i // 2) % 4
#: written = x.at[<turns>].add(1.0) | x.at[<turns>].set(0.0) | x.at[<turns>].mul(2.0)
#### index_too_large_between_the_first_and_the_last_step
def run(x: f32[2]) -> f32[5] = [x[<turns>] for i in range(5)] #! E0421
#### index_too_large_between_the_ends_of_a_loop
def run(x: f32[2]) -> f32 = fold a = 0.0 for i in range(5) do a + x[<turns>] #! E0421
#### index_too_large_between_the_ends_of_a_scan
def run(x: f32[2]) -> f32[5] = (scan _ = () for i in range(5) do ((), x[<turns>])).1 #! E0421
#### write_too_large_between_the_ends
def run(x: f32[2]) -> f32[2] = fold x = x for i in range(5) do <written> #! E0421
#### slice_too_large_between_the_ends
def run(x: f32[3]) -> f32[5, 2] = [x[<turns> : <turns> + 2] for i in range(5)] #! E0422
#### index_in_range_between_the_ends
def run(x: f32[7]) -> f32[5] = [x[<turns>] for i in range(5)]
#### loop_in_range_between_the_ends
def run(x: f32[7]) -> f32 = fold a = 0.0 for i in range(5) do a + x[<turns>]
#### write_in_range_between_the_ends
def run(x: f32[7]) -> f32[7] = fold x = x for i in range(5) do <written>
#### slice_in_range_between_the_ends
def run(x: f32[9]) -> f32[5, 2] = [x[<turns> : <turns> + 2] for i in range(5)]
#### condition_on_both_sizes_that_a_caller_breaks
def at(x: f32[k], y: f32[n]) -> f32[n] = [x[<cycle>] + y[i] for i in range(n)]
def run(x: f32[2], y: f32[5]) -> f32[5] = at(x, y) #! E0407
#### condition_on_both_sizes_that_a_caller_keeps
def at(x: f32[k], y: f32[n]) -> f32[n] = [x[<cycle>] + y[i] for i in range(n)]
def run(x: f32[6], y: f32[5]) -> f32[5] = at(x, y)
