"""The models of digits: densities are those of SciPy, steps learn, noise becomes what the network says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.stats

import dsl

EXAMPLES = Path(__file__).parents[2] / "examples"
RANDOM = np.random.default_rng(0)


def test_the_density_of_the_autoencoder_is_that_of_scipy() -> None:
    vae = dsl.load(EXAMPLES / "vae.dsl")
    params = vae.init.interpret(0, hidden=2, width=3)["model"]
    params["certainty"] = RANDOM.normal(size=64).astype(np.float32)
    z, x = RANDOM.normal(size=(5, 2)).astype(np.float32), RANDOM.integers(0, 17, (5, 64)).astype(np.float32)
    share, certainty = (np.asarray(part, np.float64) for part in vae.decoded.interpret(params, z))
    pixels = scipy.stats.betabinom.logpmf(x, 16, share * certainty, (1 - share) * certainty)
    wanted = pixels.sum() + scipy.stats.norm.logpdf(z).sum()
    assert np.isclose(float(vae.log_density.interpret(params, z, x)), wanted, rtol=1e-5)


def test_a_step_of_the_autoencoder_lowers_its_bound() -> None:
    vae = dsl.load(EXAMPLES / "vae.dsl")
    x = np.where(np.arange(4)[:, None] % 2 == np.arange(64) % 2, np.float32(16), np.float32(1))
    state, losses = vae.init.interpret(0, hidden=1, width=4), []
    for _ in range(6):  # the same draws each time
        state, loss = vae.step.interpret(state, x, 0.1, key=3)
        losses.append(float(loss))
    assert losses[-1] < min(losses[:-1]) and losses[-1] < 0.9 * losses[0]


def test_noise_becomes_what_the_network_says() -> None:
    text = (EXAMPLES / "diffusion.dsl").read_text(encoding="utf-8")
    text += """
def exact(images: f32[b, pixels], noise: f32[b, pixels], static steps: size) -> f32[b, pixels] where steps >= 1 =
    let turned = fn (x: f32[b, pixels], t: f32[b]) ->
        let (a, s) = (image_share(t)[:, None], noise_share(t)[:, None])
        a * (x - a * images) / s - s * images
    denoised(turned, noise, steps)
"""
    images, noise = np.clip(RANDOM.normal(size=(3, 64)), -1, 1).astype("f4"), RANDOM.normal(size=(3, 64)).astype("f4")
    found = dsl.program(text).exact.interpret(images, noise, steps=7)
    np.testing.assert_allclose(np.asarray(found), images, atol=1e-4)


def test_a_step_of_the_diffusion_model_lowers_its_error() -> None:
    diffusion = dsl.load(EXAMPLES / "diffusion.dsl")
    digits = np.arange(6) % 2
    x = np.where(digits[:, None] == (np.arange(64) > 31), np.float32(1), np.float32(-1))
    state, losses = diffusion.init.interpret(0, width=16, depth=1), []
    for _ in range(6):  # the same times and noise each time
        state, loss = diffusion.step.interpret(state, x, digits, 0.05, key=3)
        losses.append(float(loss))
    assert losses[-1] < 0.8 * losses[0]
    before, now = (np.asarray(state[name]["out"]["w"]) for name in ("average", "model"))
    assert np.abs(before).max() > 0 and not np.array_equal(before, now)
    one, two = (diffusion.draw.interpret(state["model"], 5, [0, 9], g, steps=2) for g in (0.0, 2.0))
    assert np.asarray(one).shape == (2, 64) and not np.array_equal(one, two)
