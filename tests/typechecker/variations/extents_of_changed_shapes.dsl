#: axis = axis | axis - 1 | 2 * axis
#### extents_inside_of_calls
def edge(x: f32[*s], static axis: int) -> f32[*replaced(s, axis, 1)] = max(x, axis=axis, keepdims=true)
def block(x: f32[*s], static axis: int) -> f32[*replaced(s, axis, 3)] = zeros(replaced(s, axis, 3))
def grown(x: f32[*s], static axis: int) -> f32[*replaced(s, axis, extent(s, axis) + 1)] =
    concatenate((x, zeros(replaced(s, axis, 1))), axis=axis)
def two(x: f32[*s], static axis: int) -> f32[*replaced(s, <axis>, 2)] = grown(edge(x, <axis>), <axis>)
def four(x: f32[*s], static axis: int) -> f32[*replaced(s, <axis>, 4)] = grown(block(x, <axis>), <axis>)
def six(x: f32[*s], static axis: int) -> f32[*replaced(s, <axis>, 6)] =
    grown(grown(grown(block(x, <axis>), <axis>), <axis>), <axis>)
#### extents_of_another_number
def edge(x: f32[*s], static axis: int) -> f32[*replaced(s, axis, 1)] = max(x, axis=axis, keepdims=true)
def grown(x: f32[*s], static axis: int) -> f32[*replaced(s, axis, extent(s, axis) + 1)] =
    concatenate((x, zeros(replaced(s, axis, 1))), axis=axis)
def three(x: f32[*s], static axis: int) -> f32[*replaced(s, <axis>, 3)] = grown(edge(x, <axis>), <axis>) #! E0402
def other(x: f32[*s], static axis: int) -> f32[*replaced(s, <axis>, 2)] = grown(edge(x, <axis> + 1), <axis>) #! E0402
