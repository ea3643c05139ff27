# A training loop in which all state is data: what changes is an argument and a result.

type Params = {weight: f32, bias: f32}

def predict(p: Params, x: f32[n]) -> f32[n] = x * p.weight + p.bias

def loss(p: Params, x: f32[n], y: f32[n]) -> f32 = mean((predict(p, x) - y) ** 2)

## One step: the parameters before, the parameters after.
def update(p: Params, x: f32[n], y: f32[n]) -> Params = p - 0.1 * grad(loss)(p, x, y)

## Many steps, compiled as one loop.
def train(p: Params, x: f32[n], y: f32[n], static steps: int) -> Params =
    fold p = p for _ in range(steps) do update(p, x, y)

## A counter is a number that is given and given back.
def counted(n: i32) -> (i32, i32) = (n, n + 1)
