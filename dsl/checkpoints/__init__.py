"""`dsl.checkpoints`: the states of a training as files that a later process goes on from.

A checkpoint is one file of safetensors, which replaces nothing before it is whole, with a digest of its content in its
metadata. `store` has the folder of them, `files` one file, `matching` what a record must have in common with it, and
`errors` the words.
"""

from __future__ import annotations

from dsl.checkpoints.files import Checkpoint
from dsl.checkpoints.store import Checkpoints

__all__ = ["Checkpoint", "Checkpoints"]
