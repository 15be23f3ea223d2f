"""The facts of a real machine, recorded with `fitguard facts` on an H200 with TensorFlow 2.21.0.

LD_LIBRARY_PATH led to the cuSOLVER wheel, which that release does not find by itself.
"""

from pathlib import Path

import msgspec

from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.doctor import read_facts
from fitguard.schema.software import Library

H200 = read_facts(Path(__file__).parent / "recordings/h200.json")


def with_libraries(change):
    found = tuple(map(change, H200.libraries.found))
    libraries = msgspec.structs.replace(H200.libraries, found=found)
    return msgspec.structs.replace(H200, libraries=libraries)


def test_it_trains():
    report = judge_machine(H200)
    assert report.ok
    assert [item.slug for item in report.findings] == ["gpu-arch-jit"]


def test_without_the_library_path_no_gpu_is_registered():
    def unused(library: Library) -> Library:
        if library.component != "cusolver":
            return library
        return msgspec.structs.replace(library, searched=False, found_by="wheel, not searched")

    findings = judge_machine(with_libraries(unused)).findings
    assert [item.slug for item in findings] == ["cuda-missing", "gpu-arch-jit"]
    assert "nvidia/cusolver/lib" in findings[0].fix.commands[0]


def test_an_old_driver():
    driver = msgspec.structs.replace(H200.driver, version="470.82.01", kernel_version="470.82.01")
    findings = judge_machine(msgspec.structs.replace(H200, driver=driver)).findings
    assert findings[0].slug == "driver-too-old"


def test_memory_held_by_another_process():
    gpu = msgspec.structs.replace(H200.gpus[0], used_bytes=H200.gpus[0].memory_bytes - 2**28)
    findings = judge_machine(msgspec.structs.replace(H200, gpus=(gpu,))).findings
    assert (findings[0].slug, findings[0].severity) == ("gpu-busy", "error")
