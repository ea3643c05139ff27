# Training of the language model on places of a text that are drawn at random, and texts of its own.

import optim
from model import Model, init, loss, scores
from random import categorical, choice

type State[v, t, d, l] = {
    model: Model[v, t, d, l],
    memory: {count: i32, mu: Model[v, t, d, l], nu: Model[v, t, d, l]}
}

def start(
    k: key,
    static v: size,
    static t: size,
    static d: size,
    static l: size
) -> State[v, t, d, l] =
    let model = init(k, v, t, d, l)
    {model = model, memory = optim.adam_init(model)}

## So many steps of Adam, and the loss before each.
def train(
    s: State[v, t, d, l],
    text: idx[v][n],
    rate: f32,
    *,
    static heads: int,
    static steps: int,
    static batch: int = 16
) -> (State[v, t, d, l], f32[steps]) ! rand
    where heads >= 1 and d % heads == 0 and d >= 1 and t >= 1 and n > t and batch >= 0 =
    scan s = s for _ in range(steps) do
        let begins = choice(fresh_key(), n - t, [batch])
        let rows = [text[i : i + t + 1] for i in begins]
        let (value, g) = value_and_grad(loss)(s.model, rows, heads)
        let (step, memory) = optim.adam_update(g, s.memory, s.model, learning_rate=rate)
        ({model = s.model + step, memory = memory}, value)

## The text goes on, by one character after the other.
def generate(
    p: Model[v, t, d, l],
    text: idx[v][t],
    *,
    static heads: int,
    static count: int
) -> idx[v][count] ! rand
    where heads >= 1 and d % heads == 0 and d >= 1 and t >= 1 and v >= 1 =
    let (_, found) = scan text: idx[v][t] = text for _ in range(count) do
        let next = categorical(fresh_key(), scores(p, text, heads)[-1])
        (concatenate((text[1:], [next])), next)
    found
