"""How many examples a property tries: all of them in `make fuzz`, which looks for new ones, and a third in the suite,
which tries the same ones at each run."""

from hypothesis import settings


def examples(count: int) -> settings:
    return settings(max_examples=count // 3 if settings().derandomize else count)
