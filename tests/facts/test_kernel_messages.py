import pytest

from fitguard.facts.kernel_messages import KEPT, parse
from fitguard.schema.hardware import KernelLog

# Lines as the driver and the kernel write them, with other process names and addresses.
XIDS = [
    (
        "[ 8659.726062] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
        (79, "0000:01:00.0"),
    ),
    (
        "[6085126.134786] NVRM: Xid (PCI:0002:00:00): 79, pid=1582259, name=nvc:[driver], "
        "GPU has fallen off the bus.",
        (79, "0002:00:00.0"),
    ),
    (
        "Nov 15 01:32:31 host kernel: NVRM: Xid (PCI:0000:3B:00): 31, pid='<unknown>', "
        "name=<unknown>, Ch 00000008, intr 10000000. MMU Fault: ENGINE GRAPHICS",
        (31, "0000:3b:00.0"),
    ),
    (
        "[Sun Nov 15 01:32:31 2026] NVRM: Xid (0000:03:00): 13, Ch 00000001, engmask 00000101",
        (13, "0000:03:00.0"),
    ),
    (
        "kernel: NVRM: NVRM: Xid (PCI:0001:00:00.0): 48, DBE (double bit error) ECC Error",
        (48, "0001:00:00.0"),
    ),
    (
        "[  12.3] NVRM: Xid (PCI:0000:02:00): 154, GPU recovery action changed from 0x0 (None) "
        "to 0x2 (Node Reboot Required)",
        (154, "0000:02:00.0"),
    ),
    ("[  12.3] NVRM: Xid: 62, 0000(0000) 00000000 00000000", (62, None)),
]

REFUSALS = [
    "[    7.1] nvidia: Loading of unsigned module is rejected",
    "[    7.1] Loading of unsigned module is rejected",
    "Nov 15 01:32:31 host kernel: Loading of module with unavailable key is rejected",
    "[    7.1] Lockdown: modprobe: unsigned module loading is restricted; see kernel_lockdown.7",
    "[    7.1] nvidia: version magic '6.8.0-35-generic SMP mod_unload' should be '6.8.0-40'",
    "[    7.1] nvidia: disagrees about version of symbol module_layout",
    "[    7.1] modprobe: could not insert 'nvidia': Key was rejected by service",
    "[    5.5] NVRM: GPU 0000:02:00.0: RmInitAdapter failed! (0x22:0x56:884)",
    "[    5.5] NVRM: The NVIDIA probe routine was not called for 1 device(s).",
    "[    5.5] NVRM: No NVIDIA GPU found.",
    "[    5.5] NVRM: this kernel module has the version 304.108.  Please",
    "[    5.5] nvidia-modeset: Version mismatch: nvidia.ko(410.73) nvidia-modeset.ko(390.87)",
]

HARMLESS = [
    "[    4.2] nvidia: module verification failed: signature and/or required key missing - "
    "tainting kernel",
    "[    4.2] nvidia: module license 'NVIDIA' taints kernel.",
    "[    4.2] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.105.08  Wed Oct 29 23:15:11 UTC",
    "[    4.2] vboxdrv: Loading of unsigned module is rejected",
    "[    4.2] NVRM: GPU at PCI:0000:01:00: GPU-c4a80165-0000-0000-0000-000000000000",
    "[    9.9] python3[21467]: segfault at 0 ip 00007fa008b9bc5c sp 00007ffd2ed55c28 error 4",
    "[    9.9] oom_reaper: reaped process 23793 (python3), now anon-rss:0kB",
    "",
]


@pytest.mark.parametrize(("line", "expected"), XIDS)
def test_xid_lines(line: str, expected: tuple[int, str | None]) -> None:
    log = parse([line], "dmesg")
    assert [(xid.number, xid.pci_address) for xid in log.xids] == [expected]
    assert log.xids[0].text == line
    assert log.xids[0].source == "dmesg"
    assert log.module_messages == ()


@pytest.mark.parametrize("line", REFUSALS)
def test_refused_modules(line: str) -> None:
    log = parse([line], "dmesg")
    assert log.module_messages == (line,)
    assert log.xids == ()


@pytest.mark.parametrize("line", HARMLESS)
def test_harmless_lines(line: str) -> None:
    assert parse([line], "dmesg") == KernelLog(True, origin="dmesg")


MISMATCH = (
    "[    9.424670] NVRM: API mismatch: the client 'python3' (pid 1005) "
    "has the version 595.84, but this kernel module has the version 595.80."
)


@pytest.mark.parametrize(
    "lines",
    [
        [
            "[    9.424670] NVRM: API mismatch: the client 'python3' (pid 1005)",
            "               NVRM: has the version 595.84, but this kernel module has",
            "               NVRM: the version 595.80.",
        ],
        [
            r"[    9.424670] NVRM: API mismatch: the client 'python3' (pid 1005)\x0aNVRM: has the "
            r"version 595.84, but this kernel module has\x0aNVRM: the version 595.80."
        ],
        [
            "[    9.424670] NVRM: API mismatch: the client 'python3' (pid 1005)#012NVRM: has the "
            "version 595.84, but this kernel module has#012NVRM: the version 595.80."
        ],
    ],
    ids=["dmesg", "kmsg", "syslog"],
)
def test_message_over_several_lines(lines: list[str]) -> None:
    log = parse(["[    9.1] before", *lines, "[    9.5] after"], "dmesg")
    assert log.module_messages == (MISMATCH,)


def test_gpu_that_fell_off_without_an_xid() -> None:
    log = parse(
        [
            "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0",
            "               NVRM: (PCI ID: 10de:26b5) installed in this system has",
            "               NVRM: fallen off the bus and is not responding to commands.",
        ],
        "dmesg",
    )
    assert [(xid.number, xid.pci_address) for xid in log.xids] == [(79, "0000:b3:00.0")]


def test_gpu_that_fell_off_is_counted_once() -> None:
    log = parse(
        [
            "[ 8659.7] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
            "[ 8659.7] NVRM: GPU at 0000:01:00.0 has fallen off the bus.",
            "[ 8659.8] NVRM: GPU at 0000:02:00.0 has fallen off the bus.",
        ],
        "dmesg",
    )
    assert [xid.pci_address for xid in log.xids] == ["0000:01:00.0", "0000:02:00.0"]


@pytest.mark.parametrize(
    "line",
    [
        "[3375.31] Memory cgroup out of memory: Killed process 23793 (python3) total-vm:2623712kB, "
        "anon-rss:506500kB, file-rss:1268kB, shmem-rss:0kB",
        "[  102.4] Out of memory: Killed process 1234 (python) total-vm:22000000kB",
        "kernel: Killed process 1234 (python) total-vm:22000000kB, anon-rss:15000000kB",
    ],
)
def test_out_of_memory_kills(line: str) -> None:
    assert parse([line], "dmesg").oom_kills == (line,)


def test_one_kill_is_one_line_though_the_kernel_writes_more() -> None:
    log = parse(
        [
            "[1.0] python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0",
            "[1.1] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=python,pid=7,uid=0",
            "[1.2] Memory cgroup out of memory: Killed process 7 (python) total-vm:9kB",
            "[1.3] oom_reaper: reaped process 7 (python), now anon-rss:0kB",
        ],
        "dmesg",
    )
    assert len(log.oom_kills) == 1


def test_the_newest_are_kept() -> None:
    lines = [f"[{n}.0] NVRM: Xid (PCI:0000:01:00): {n}, x" for n in range(KEPT + 10)]
    numbers = [xid.number for xid in parse(lines, "dmesg").xids]
    assert numbers == list(range(10, KEPT + 10))


def test_line_numbers_only_where_a_reader_can_use_them() -> None:
    lines = ["one", "", "NVRM: Xid (PCI:0000:01:00): 79, x"]
    assert parse(lines, "kern.log", numbered=True).xids[0].line == 3
    assert parse(lines, "/dev/kmsg").xids[0].line is None


def test_endless_continuation_does_not_grow_without_limit() -> None:
    lines = ["NVRM: API mismatch", *["   more of it"] * 100_000]
    (message,) = parse(lines, "dmesg").module_messages
    assert len(message) < 3000


def test_endless_line_is_cut() -> None:
    (message,) = parse(["NVRM: API mismatch " + "NVRM: nvidia " * 1_000_000], "x").module_messages
    assert len(message) <= 2000
