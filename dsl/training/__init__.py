"""`dsl.training`: the loop of a training, which shows how far it is, keeps its metrics and goes on from checkpoints.

`loop` takes the steps, `history` has the metrics of all of them, as a table or a plot, and `progress` shows the bar.
"""

from __future__ import annotations

from dsl.training.history import History
from dsl.training.loop import Trained, fit

__all__ = ["History", "Trained", "fit"]
