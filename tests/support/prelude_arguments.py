"""The arguments of the cases of the prelude: random numbers of one seed, in many shapes and dtypes."""

from __future__ import annotations

import numpy as np

_random = np.random.default_rng(7)
X = _random.normal(size=(3, 4)).astype(np.float32)
Y = _random.normal(size=(3, 4)).astype(np.float32)
P = _random.uniform(0.2, 0.9, size=(3, 4)).astype(np.float32)
V = _random.normal(size=5).astype(np.float32)
W = _random.normal(size=3).astype(np.float32)
N = _random.integers(-9, 9, size=(3, 4)).astype(np.int32)
M = _random.integers(1, 5, size=(3, 4)).astype(np.int32)
B = X > 0
C = Y > 0
Z = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
CUBE = _random.normal(size=(2, 3, 4)).astype(np.float32)
IMAGE = CUBE[:, None] * np.ones((1, 2, 1, 1), np.float32)
KERNEL = _random.normal(size=(5, 2, 2, 3)).astype(np.float32)
IDS = np.array([[0, 2], [3, 1]], np.int32)
