"""Cards that somebody declared."""

import pytest

from fitguard.fleet.declared import read_declared
from fitguard.schema.exit_codes import UsageError


def test_names_and_sizes():
    assert read_declared("FakeA:2GiB, Fake B:300MiB") == (
        ("FakeA", 2 * 2**30),
        ("Fake B", 300 * 2**20),
    )
    assert read_declared("") == ()


@pytest.mark.parametrize("text", ["FakeA", ":2GiB", "FakeA:much"])
def test_what_is_no_card_is_told(text):
    with pytest.raises(UsageError, match="FITGUARD_CARDS"):
        read_declared(text)
