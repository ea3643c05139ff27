# A heartbeat under hum, breath and noise: filters whose edges are learned, the beats, and how the spectrum changes.
# Times are in seconds, frequencies in hertz, rates in beats per minute.

import interpolate
import random
import signal

## Five waves of a beat: when they are, as shares of it, how high and how wide.
let waves = (
    (0.2, 0.15, 0.025),
    (0.36, -0.12, 0.010),
    (0.4, 1.0, 0.012),
    (0.44, -0.25, 0.010),
    (0.7, 0.3, 0.045)
)

## The phase of the heart at each sample: one more with each beat. The rates are given at equal distances in time and go
## smoothly from one to the next.
def phase(rates: f32[m], static n: size, fs: f32) -> f32[n] where m >= 2 =
    let knots = linspace(0.0, f32(n) / fs, m)
    let beats = interpolate.antiderivative(interpolate.pchip(knots, rates / 60.0))
    interpolate.evaluate(beats, f32(iota([n])) / fs)

## A clean recording.
def heart(rates: f32[m], static n: size, fs: f32) -> f32[n] where m >= 2 =
    let turn = phase(rates, n, fs) % 1.0
    let each = [height * exp(-0.5 * ((turn - at) / width) ** 2) for (at, height, width) in waves]
    sum(each, axis=0)

## What is recorded: the breath moves the baseline, the mains hum, and there is noise.
def recorded(k: key, rates: f32[m], static n: size, fs: f32) -> f32[n] where m >= 2 =
    let t = f32(iota([n])) / fs
    let baseline = 0.4 * sin(2.0 * pi * 0.3 * t) + 0.2 * sin(2.0 * pi * 0.11 * t)
    let hum = 0.25 * sin(2.0 * pi * 50.0 * t)
    heart(rates, n, fs) + baseline + hum + 0.08 * random.normal(k, [n])

## A band pass without phase between two edges.
def cleaned(x: f32[n], low: f32, high: f32, fs: f32) -> f32[n] where n >= 40 =
    signal.sosfiltfilt(signal.butter(2, (low, high), fs=fs), x)

## How far the cleaned recording is from the clean one; a constant does not count.
def loss(edges: (f32, f32), x: f32[n], clean: f32[n], fs: f32) -> f32 where n >= 40 =
    let found = cleaned(x, exp(edges.0), exp(edges.1), fs)
    mean((found - (clean - mean(clean))) ** 2)

## The edges of least loss, by steps along the gradient of their logarithms; and the losses on the way.
def learned(
    x: f32[n],
    clean: f32[n],
    start: (f32, f32),
    fs: f32,
    static steps: int
) -> ((f32, f32), f32[steps]) where n >= 40 and steps >= 0 =
    let first = (log(start.0), log(start.1))
    let (last, losses) = scan edges = first for _ in range(steps) do
        let (value, slope) = value_and_grad(loss)(edges, x, clean, fs)
        (
            (edges.0 - clip(20.0 * slope.0, -0.2, 0.2), edges.1 - clip(20.0 * slope.1, -0.2, 0.2)),
            value
        )
    ((exp(last.0), exp(last.1)), losses)

## The samples of the beats: peaks that rise far above what is around them.
def beats(x: f32[n]) -> idx[n][?k] where ?k <= n = signal.find_peaks(x, prominence=0.6)

## How strong each frequency is at each time, in decibels.
def picture(x: f32[n], fs: f32, static width: size) where width >= 8 and n >= width =
    let window = signal.hann(width, periodic=true)
    let (frequencies, times, power) = signal.spectrogram(x, window, step=width // 4, fs=fs)
    (frequencies, times, 10.0 * log10(power + 1e-9))
