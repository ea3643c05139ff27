## A shape that does not fit.
## >>> attention([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0], [2.0], [3.0]])

def softmax(x: f32[n, m]) -> f32[n, m] where m >= 1 =
    let e = exp(x - max(x, axis=1, keepdims=true))
    e / sum(e, axis=1, keepdims=true)

## The keys have as many rows as the values: `k` must be transposed.
def attention(q: f32[n, d], k: f32[m, d], v: f32[m, c]) -> f32[n, c] where m >= 1 =
    softmax(q @ k) @ v
