"""Whose lines of a kernel log count; each line as a real kernel or driver wrote it."""

import pytest

from fitguard.supervise.kernel_lines import own_lines

OURS = frozenset({812, 813})
SEGFAULT = "python3[{}]: segfault at 0 ip 00007fe657b85ad8 sp 00007ffcbe447fa8 error 4 in libc.so.6"
TRAP = "traps: tf_Compute[{}] trap invalid opcode ip:7f6fcbb3a5b0 sp:7ffc8d3a error:0 in libx.so"
KILL = [
    "python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0",
    "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python3,pid={},uid=0",
    "Out of memory: Killed process {} (python3) total-vm:52428800kB, anon-rss:31457280kB",
    "oom_reaper: reaped process {} (python3), now anon-rss:0kB, file-rss:0kB",
]
PAGE_FAULT = "NVRM: Xid (PCI:0000:65:00): 31, pid={}, name=python3, Ch 00000010, MMU Fault"
FALLEN_OFF = "NVRM: Xid (PCI:0000:65:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off"
LOST_BY = "NVRM: Xid (PCI:0000:65:00): 79, pid={}, GPU has fallen off the bus."


def stamped(*lines, at=100.0):
    return [f"[{at + index:12.6f}] {line}" for index, line in enumerate(lines)]


def own(lines, numbers=OURS):
    return own_lines(lines, 100.0, numbers)


@pytest.mark.parametrize("lines", [[SEGFAULT], [TRAP], KILL, [PAGE_FAULT]])
def test_only_what_befell_its_own_processes_counts(lines):
    ours = stamped(*(line.format(813) for line in lines))
    assert own(ours) == ours
    assert own(stamped(*(line.format(31) for line in lines))) == []


def test_a_gpu_that_fails_does_so_for_all():
    lines = stamped(FALLEN_OFF, LOST_BY.format(31))
    assert own(lines) == lines


def test_what_is_older_than_the_attempt_does_not_count():
    assert own(stamped(SEGFAULT.format(812), at=50.0)) == []


def test_where_no_number_is_known_the_time_decides():
    lines = [*stamped(SEGFAULT.format(31), at=50.0), *stamped(SEGFAULT.format(31), FALLEN_OFF)]
    assert own(lines, numbers=frozenset()) == lines[1:]
