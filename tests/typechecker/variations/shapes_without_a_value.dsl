#: shape = [a + b for (a, b) in zip(s, t)] | [t[1] + d for d in s] | [max(t[1:])] | [t[k] for k in range(len(s))] | paired(s, t)
#: use = sum(zeros(of(s, t))) | f32(prod(of(s, t)))
#: call = sum(f(x, y)) | grad(fn v -> sum(f(v, y)))(x)[0, 0] | sum(h(x, y))
#### shape_without_a_value_for_any_size
static def paired(s: shape, t: shape) -> shape = if len(s) == 0 then [] else [s[0] + t[0], *paired(s[1:], t[1:])]
static def of(s: shape, t: shape) -> shape = <shape>
def h(x: f32[*s], y: f32[*t]) -> f32 = <use>
def f(x: f32[*s], y: f32[*t]) -> f32[*of(s, t)] = zeros(of(s, t))
def g(x: f32[n, m], y: f32[n]) -> f32 where n >= 1 and m >= 1 = <call> #! E04
#### shape_with_a_value_for_some_sizes
static def paired(s: shape, t: shape) -> shape = if len(s) == 0 then [] else [s[0] + t[0], *paired(s[1:], t[1:])]
static def of(s: shape, t: shape) -> shape = <shape>
def h(x: f32[*s], y: f32[*t]) -> f32 = <use>
def f(x: f32[*s], y: f32[*t]) -> f32[*of(s, t)] = zeros(of(s, t))
def g(x: f32[n, m], y: f32[n, k]) -> f32 where n >= 1 and m >= 1 = <call>
