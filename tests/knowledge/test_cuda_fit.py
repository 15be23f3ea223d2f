"""Which CUDA a build can use, and whether its and-cuda extra brings one."""

import pytest

from fitguard.knowledge import knowledge

tables = knowledge().cuda


@pytest.mark.parametrize(
    ("loaded", "built", "verdict"),
    [
        ("9.0", "9.0", "fits"),
        ("9.1", "9.0", "other-name"),
        ("10.0", "10.1", "other-name"),
        ("11.0", "11.0", "fits"),
        ("11.1", "11.0", "other-name"),
        ("11.0", "11.2", "other-name"),
        ("11.1", "11.2", "older"),
        ("11.8", "11.2", "fits"),
        ("11.8", "12.2", "other-name"),
        ("12.0", "12.2", "older"),
        ("12.2.140", "12.2", "fits"),
        ("12.5.0", "12.5.1", "fits"),
        ("12.9", "12.5.1", "fits"),
        ("13.0", "12.5.1", "other-name"),
        ("12", "12.5.1", "fits"),
        ("11", "11.2", "fits"),
        ("11", "12.2", "other-name"),
        ("11.8", "11", "fits"),
    ],
)
def test_fit(loaded, built, verdict):
    assert tables.fit(loaded, built) == verdict


def test_names_of_a_major_alone():
    assert tables.sonames("12") == tables.sonames("12.0")


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.15.5", False), ("2.13.1", False), ("2.14.0", True), ("2.21.0", True), ("2.30.0", True)],
)
def test_and_cuda(version, expected):
    assert tables.has_and_cuda(version) is expected
