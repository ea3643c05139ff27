# The loss of linear regression for one example, and its gradient for one example and for many.

def predict(w: f32[d], x: f32[d]) -> f32 = w @ x

def loss(w: f32[d], x: f32[d], y: f32) -> f32 = (predict(w, x) - y) ** 2

## The gradient by the weights for one example.
def slope(w: f32[d], x: f32[d], y: f32) -> f32[d] = jit(grad(loss))(w, x, y)

## The gradients of many examples at once: compiled as a whole, …
def slopes(w: f32[d], xs: f32[n, d], ys: f32[n]) -> f32[n, d] =
    jit(vmap(grad(loss), in_axes=(none, 0, 0)))(w, xs, ys)

## … and one example compiled, then mapped.
def slopes_of_compiled(w: f32[d], xs: f32[n, d], ys: f32[n]) -> f32[n, d] =
    vmap(jit(grad(loss)), in_axes=(none, 0, 0))(w, xs, ys)
