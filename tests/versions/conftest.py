"""Which Keras the suite is run with.

`make matrix` gives one, in FITGUARD_KERAS; `make test` has no time for more than Keras 3, nor for
what the tests of the rooms show with the installed one anyway.
"""

import os

import pytest
from versions.trainings import KINDS, as_package, train_plainly

collect_ignore = (
    [] if "FITGUARD_KERAS" in os.environ else ["test_callbacks.py", "test_fit.py", "test_memory.py"]
)
PACKAGES = os.environ.get("FITGUARD_KERAS", "keras").split()


@pytest.fixture(scope="session", params=PACKAGES)
def package(request):
    """The name that scripts import."""
    return request.param


@pytest.fixture(scope="session")
def plain(package, tmp_path_factory):
    """What the kinds of training give without fitguard."""
    folder = tmp_path_factory.mktemp("plain")
    return train_plainly(folder, as_package(package), "train.py", KINDS)
