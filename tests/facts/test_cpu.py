import os
from pathlib import Path

from facts.fake_tree import plant

from fitguard.facts import cpu

X86 = """processor\t: 0
vendor_id\t: GenuineIntel
model name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz
flags\t\t: fpu sse sse2 ssse3 fma sse4_1 sse4_2 avx f16c avx2 avx512f amx_bf16 amx_tile

processor\t: 1
model name\t: another
flags\t\t: fpu
"""
OLD = """processor\t: 0
model name\t: Intel(R) Celeron(R) CPU N3050 @ 1.60GHz
flags\t\t: fpu sse sse2 ssse3 sse4_1 sse4_2
"""
ARM = """processor\t: 0
BogoMIPS\t: 2000.00
Features\t: fp asimd evtstrm aes atomics fphp asimdhp asimddp sve bf16 i8mm
CPU implementer\t: 0x41
CPU part\t: 0xd4f
"""


def test_x86(tmp_path: Path) -> None:
    found = cpu.read(plant(tmp_path, {"proc/cpuinfo": X86}))
    assert found.model == "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"
    assert set(found.features or ()) == {
        *("sse4_1", "sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "amx"),
    }


def test_processor_without_avx(tmp_path: Path) -> None:
    found = cpu.read(plant(tmp_path, {"proc/cpuinfo": OLD}))
    assert found.features == ("sse4_1", "sse4_2")


def test_arm(tmp_path: Path) -> None:
    found = cpu.read(plant(tmp_path, {"proc/cpuinfo": ARM}))
    assert found.model == "ARM implementer 0x41, part 0xd4f"
    assert {"asimd", "sve", "bf16"} <= set(found.features or ())


def test_features_are_unknown_without_the_file(tmp_path: Path) -> None:
    assert cpu.read(tmp_path).features is None


def test_cores_are_those_that_this_process_may_use() -> None:
    assert cpu.read().cores == len(os.sched_getaffinity(0))
