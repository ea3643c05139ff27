"""The programs of the package, called from Python."""

import numpy as np
from kernels import stationary


def test_the_squared_exponential_is_one_at_no_distance():
    np.testing.assert_allclose(stationary.rbf(np.ones(3, "f4"), np.ones(3, "f4"), 0.5), 1.0)
