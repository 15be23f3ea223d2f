"""Which Keras the suite is run with.

`make matrix` gives one, in FITGUARD_KERAS; `make test` has no time for more than Keras 3.
"""

import os

import pytest
from versions.trainings import KINDS, as_package, train_plainly

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
