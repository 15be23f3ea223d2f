"""The driver's version, and whose numbers it is counted in."""

import msgspec

from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver


class DriverVersion(msgspec.Struct, frozen=True, kw_only=True):
    """The version that decides what CUDA may ask for.

    Args:
        windows: Whether it is one of Windows' numbers, which WSL2 shows too.
    """

    version: str
    windows: bool
    source: str


def counts_as_windows(facts: Facts) -> bool:
    """Whether the driver bears Windows' numbers: on Windows, and in WSL2."""
    return facts.platform is not None and (facts.platform.wsl or facts.platform.system == "windows")


@fixture
def driver_version(driver: Driver, facts: Facts) -> DriverVersion:
    """Of the library that programs load; else of the kernel module."""
    version = driver.version or driver.kernel_version
    if version is None:
        raise Missing("there is no NVIDIA driver whose version could be judged")
    source = driver.origin or "NVIDIA driver"
    return DriverVersion(version=version, windows=counts_as_windows(facts), source=source)
