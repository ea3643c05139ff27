"""Covariance functions, as modules of Python: `from kernels import stationary`."""

import dsl

dsl.install_importer()
