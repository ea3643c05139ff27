"""The training examples beside twins in Equinox and Optax: `python -m benchmarks.training`."""
