"""Which trainings an interpreter can run."""

import functools
import subprocess

from corpus.cases import Case

_ASKED = """\
import importlib.metadata as found
print(*(f"{one.name}={one.version}" for one in found.distributions()))
"""


def can_run(case: Case, python: str) -> bool:
    """Whether an interpreter has the Keras and the packages that a training needs."""
    found = _installed(python)
    version = tuple(int(part) for part in found["keras"].split(".")[:2])
    return case.needs <= version and case.uses in {"", *found}


@functools.cache
def _installed(python: str) -> dict[str, str]:
    words = subprocess.check_output([python, "-c", _ASKED], text=True).split()
    return {name.lower(): version for name, _, version in (word.partition("=") for word in words)}
