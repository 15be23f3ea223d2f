"""How much host memory there is for data, and who says so."""

from typing import NamedTuple

from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.finding import Evidence, Severity
from fitguard.schema.hardware import Host
from fitguard.words import size

# TensorFlow, the model and the batches in flight need some of it too.
_TIGHT_PERCENT = 80


class FreeMemory(NamedTuple):
    """What is left: of the machine, or under the limit of the container or job."""

    free_bytes: int
    evidence: Evidence

    def severity_of(self, needed_bytes: int) -> Severity | None:
        """How grave it is to need so much; None where it fits."""
        if needed_bytes > self.free_bytes:
            return "error"
        if needed_bytes * 100 > self.free_bytes * _TIGHT_PERCENT:
            return "warning"
        return None


@fixture
def free_memory(host: Host) -> FreeMemory:
    """The tighter of the machine's free memory and the cgroup's."""
    found = []
    if host.available_bytes is not None:
        text = f"{size(host.available_bytes)} of memory available"
        found.append(FreeMemory(host.available_bytes, Evidence(text, "/proc/meminfo")))
    if host.cgroup_limit_bytes is not None:
        free_bytes = max(0, host.cgroup_limit_bytes - (host.cgroup_used_bytes or 0))
        text = f"{size(free_bytes)} left under the limit of {size(host.cgroup_limit_bytes)}"
        found.append(FreeMemory(free_bytes, Evidence(text, "cgroup")))
    if not found:
        raise Missing("how much host memory is free is not known")
    return min(found, key=lambda entry: entry.free_bytes)
