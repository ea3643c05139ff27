# A character model of stacked LSTM layers whose gates see no other unit: every weight multiplies its own unit.

import nn

## A layer of b units: for each unit the weights and biases of four gates.
type Layer[b] = {weight: f64[4 * b], bias: f64[4 * b]}

## What a layer remembers.
type Memory[b] = {hidden: f64[b], cell: f64[b]}

## What scales the input, and what scales and shifts the output.
type Ends[b] = {first: f64[b], scale: f64[b], shift: f64[b]}

## One layer, one step.
def cell(p: Layer[b], m: Memory[b], x: f64[b]) -> Memory[b] =
    let gates = concatenate((x, m.hidden, x, m.hidden)) * p.weight + p.bias
    let forget = sigmoid(gates[:b])
    let input = sigmoid(gates[b : 2 * b])
    let output = sigmoid(gates[2 * b : 3 * b])
    let change = tanh(gates[3 * b :])
    let cell = m.cell * forget + input * change
    {hidden = output * tanh(cell), cell = cell}

## All layers, one step: what they remember then, and the scores of the next character.
def predict(
    layers: Layer[b][l],
    ends: Ends[b],
    state: Memory[b][l],
    x: f64[b]
) -> (Memory[b][l], f64[b]) =
    let (top, state) = scan x = x * ends.first for p, m in zip(layers, state) do
        let m = cell(p, m, x)
        (m.hidden, m)
    (state, top * ends.scale + ends.shift)

## The mean loss of a sequence of characters, each told as one row of numbers, all but the first predicted.
def objective(
    layers: Layer[b][l],
    ends: Ends[b],
    state: Memory[b][l],
    sequence: f64[c + 1, b]
) -> f64 =
    let (_, gains) = scan state = state for x, next in zip(sequence[:-1], sequence[1:]) do
        let (state, y) = predict(layers, ends, state, x)
        (state, sum(next * (y - log(sum(exp(y)) + 2.0))))
    -sum(gains) / (c * b)
