"""Whose lines of a kernel log count; each line as a real kernel or driver wrote it."""

import signal
import subprocess
import sys
import time

import pytest

from fitguard.crash.kernel_lines import select_own_lines
from fitguard.facts.kernel_log import read_lines
from fitguard.facts.processes import shares_kernel_numbers

OURS = {812: 200.0, 813: 110.0}
"""When each was last seen."""
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
NAMELESS_FAULT = "NVRM: Xid (PCI:0000:65:00): 31, Ch 00000010, intr 10000000. MMU Fault"
UNKNOWN_FAULT = "NVRM: Xid (PCI:0000:65:00): 13, pid='<unknown>', name=<unknown>, Graphics"
BLOCKED = "INFO: task python3:{} blocked for more than 120 seconds."
LOCKUP = "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python3:{}]"
REFUSED = (
    "__vm_enough_memory: pid: {}, comm: tf_Compute, bytes: 52776558137344 not enough memory for "
    "the allocation"
)
BUS = "pcieport 0000:00:03.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer"
LOST_BY = "NVRM: Xid (PCI:0000:65:00): 79, pid={}, GPU has fallen off the bus."


def stamped(*lines, at=100.0):
    return [f"[{at + index:12.6f}] {line}" for index, line in enumerate(lines)]


def own(lines, numbers=OURS):
    return select_own_lines(lines, 100.0, numbers)


@pytest.mark.parametrize(
    "lines", [[SEGFAULT], [TRAP], KILL, [PAGE_FAULT], [BLOCKED], [LOCKUP], [REFUSED]]
)
def test_only_what_befell_its_own_processes_counts(lines):
    ours = stamped(*(line.format(813) for line in lines))
    assert own(ours) == ours
    assert own(stamped(*(line.format(31) for line in lines))) == []


def test_in_a_container_faults_of_a_gpu_that_nobody_else_uses_count():
    lines = stamped(PAGE_FAULT.format(4711))
    ours, theirs = ["0000:65:00.0"], ["0000:66:00.0"]
    assert select_own_lines(lines, 100.0, {}, ours) == lines
    assert select_own_lines(lines, 100.0, {}, theirs) == []
    assert select_own_lines(lines, 100.0, OURS, ours) == []


@pytest.mark.parametrize("numbers", [OURS, {}])
def test_a_gpu_or_a_bus_that_fails_does_so_for_all(numbers):
    lines = stamped(FALLEN_OFF, LOST_BY.format(31), BUS)
    assert own(lines, numbers) == lines


def test_a_fault_of_some_program_on_the_gpu_need_not_be_ours():
    assert own(stamped(NAMELESS_FAULT, UNKNOWN_FAULT)) == []


def test_what_is_older_than_the_attempt_does_not_count():
    assert own(stamped(SEGFAULT.format(812), at=50.0)) == []


def test_a_number_that_another_process_has_by_now_is_not_ours():
    assert own(stamped(SEGFAULT.format(813), at=150.0)) != []
    assert own(stamped(SEGFAULT.format(813), at=190.0)) == []


def test_in_a_container_nobody_knows_whose_processes_are_named():
    lines = [line.format(812) for line in (SEGFAULT, TRAP, *KILL, PAGE_FAULT)]
    assert own(stamped(*lines), numbers={}) == []


def test_a_real_crash_is_found_by_its_number():
    log = read_lines()
    if log.problem or not shares_kernel_numbers():
        pytest.skip(f"the kernel's log cannot be read here: {log.problem}")
    began = time.monotonic()
    crash = [sys.executable, "-c", "import ctypes; ctypes.string_at(0)"]
    ours, others = (subprocess.Popen(crash) for _ in range(2))
    assert (ours.wait(), others.wait()) == (-signal.SIGSEGV, -signal.SIGSEGV)
    told = "\n".join(select_own_lines(read_lines().lines, began, {ours.pid: time.monotonic()}))
    if f"[{others.pid}]: segfault" not in "\n".join(read_lines().lines):
        pytest.skip("this kernel does not log crashes")
    assert f"[{ours.pid}]: segfault" in told
    assert f"[{others.pid}]" not in told
