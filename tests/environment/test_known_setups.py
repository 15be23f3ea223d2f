"""Set-ups that people have reported, and what is wrong with each: the findings, gravest first."""

import pytest

from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.supposition import parse_arguments, suppose

BROKEN = [
    ("tf=1.4.1 keras=2.2.4", "keras-too-new-for-tf"),
    ("tf=2.1 keras=2.2.4", "keras-too-old-for-tf"),
    ("tf=2.4 keras=2.3.1", "keras-too-old-for-tf"),
    ("tf=2.10 keras=2.11.0", "keras-too-new-for-tf"),
    ("tf=2.15 keras=3.0.5", "keras-too-new-for-tf"),
    ("tf=2.16 keras=2.15.0", "keras-too-old-for-tf"),
    ("tf=2.18 tf-keras=2.16.0", "tf-keras-minor-mismatch"),
    ("tf=2.15 numpy=2.0.1", "numpy2-abi"),
    ("tf=2.3 protobuf=4.21.1", "protobuf-too-new"),
    ("tf=2.21 protobuf=4.25.3", "protobuf-too-old"),
    ("tf=2.10 python=3.11", "python-too-new"),
    ("tf=2.18 python=3.13", "python-too-new"),
    ("tf=2.21 python=3.9", "python-too-old"),
    ("tf=2.15 python=3.8", "python-too-old"),
    ("tf=2.12 os=windows gpu=RTX_2060", "windows-native-no-gpu"),
    ("tf=2.18 package=tensorflow-cpu gpu=T4", "cpu-only-wheel"),
    ("tf=1.14 package=tensorflow gpu=T4", "cpu-only-wheel"),
    ("tf=2.0 package=tensorflow gpu=V100", "cpu-only-wheel"),
    ("tf=2.20 package=tensorflow os=linux-aarch64 gpu=GH200", "cpu-only-wheel"),
    ("gpu=Tesla_K80 cuda=12.2", "gpu-arch-too-old"),
    ("tf=2.15 gpu=K80", "gpu-arch-too-old"),
    ("tf=2.18 gpu=GTX_980", "gpu-arch-too-old"),
    ("tf=1.5 gpu=GTX_680", "gpu-arch-too-old"),
    ("tf=2.18 gpu=RTX_5090", "gpu-arch-too-new"),
    ("tf=2.20 gpu=RTX_5080 cuda=12.9 cudnn=9.10", "gpu-arch-too-new"),
    ("tf=2.3 gpu=RTX_3090", "gpu-arch-too-new"),
    ("tf=1.15.5 gpu=A100", "gpu-arch-too-new"),
    ("tf=1.12 gpu=GTX_750_Ti", "gpu-arch-jit"),
    ("tf=2.18 driver=470.82.01", "driver-too-old"),
    ("tf=2.4 driver=440.33", "driver-too-old"),
    ("tf=1.13.1 driver=390.46", "driver-too-old"),
    ("cuda=12.2 driver=470.82", "driver-too-old"),
    ("tf=2.15 os=wsl2 driver=516.01", "driver-too-old"),
    ("tf=2.10 gpu=K80 driver=535.104.05", "driver-dropped-gpu"),
    ("gpu=GTX_1080 driver=590.48.01", "driver-dropped-gpu"),
    ("gpu=T4 driver=none", "driver-missing"),
    ("tf=2.10 cuda=none", "cuda-missing"),
    ("tf=2.12 extras=and-cuda gpu=T4", "cuda-missing"),
    ("tf=2.10 cuda=12.2", "cuda-version-mismatch"),
    ("tf=1.15 cuda=10.1", "cuda-version-mismatch"),
    ("tf=2.4 cuda=11.2", "cuda-version-mismatch"),
    ("tf=2.18 cuda=11.8", "cuda-version-mismatch"),
    ("tf=2.10 cudnn=none", "cudnn-missing"),
    ("tf=2.10 cudnn=8.0.5", "cudnn-too-old"),
    ("tf=2.20 cudnn=9.1", "cudnn-too-old"),
    ("tf=2.15 cudnn=9.1", "cudnn-major-mismatch"),
    ("tf=2.18 cudnn=8.9.7", "cudnn-major-mismatch"),
    ("tf=2.21 cudnn=9.17 gpu=GTX_1080", "cudnn-dropped-arch"),
    ("tf=2.15 cuda-toolkits=11.8,12.2 library-path=/usr/local/cuda-11.8/lib64",
     "cuda-path-conflict"),
    ("tf=2.10 library-path=/usr/local/cuda-12.1/lib64:/usr/local/cuda-11.2/lib64",
     "cuda-path-conflict"),
    ("tf=2.10 library-path=/usr/local/cuda-11.0/lib64:/usr/local/cuda-11.2/lib64",
     "wrong-library-first"),
]  # fmt: skip

FINE = [
    "tf=2.21 python=3.12 gpu=NVIDIA_H200 driver=580.159.04 cuda=12.5 cudnn=9.3 os=linux-x86_64",
    "tf=2.18 extras=and-cuda gpu=RTX_4090 driver=560.35.03 python=3.11 os=linux-x86_64",
    "tf=2.10.1 gpu=RTX_3090 cuda=11.2 cudnn=8.1 driver=470.82.01 python=3.10 os=windows",
    "tf=2.10 gpu=RTX_4090 cuda=11.8 cudnn=8.6 driver=525.60.13 python=3.9 keras=2.10.0",
    "tf=2.14 extras=and-cuda gpu=K80 driver=470.239.06 python=3.9",
    "tf=1.15.5 package=tensorflow-gpu gpu=Tesla_T4 cuda=10.0 cudnn=7.6.5 driver=418.87 python=3.7",
    "tf=1.9.0 keras=2.2.4 gpu=GTX_1080_Ti cuda=9.0 cudnn=7.1 driver=390.46 python=3.6",
    "tf=2.15 extras=and-cuda os=wsl2 gpu=RTX_3060 driver=536.67 python=3.11 keras=2.15.0",
    "tf=2.18 keras=3.8.0 numpy=2.0.2 protobuf=5.29.3 python=3.12 os=linux-x86_64",
    "tf=2.16 tf-keras=2.16.0 numpy=1.26.4 python=3.11",
    "tf=2.17 gpu=GTX_1080 cuda=12.3 cudnn=8.9 driver=545.23.08",
    "tf=2.13 os=windows gpu=none python=3.10",
    "tf=2.10 cuda-toolkits=11.2,12.1 library-path=/usr/local/cuda-11.2/lib64 gpu=T4",
]


def findings(setup: str):
    arguments = [part.replace("_", " ") if part.startswith("gpu=") else part
                 for part in setup.split()]  # fmt: skip
    report = judge_machine(suppose(parse_arguments(arguments)))
    assert not [item for item in report.skipped if item.broken]
    return report.findings


@pytest.mark.parametrize(("setup", "slug"), BROKEN)
def test_broken(setup, slug):
    found = findings(setup)
    assert slug in [item.slug for item in found if item.severity != "info"], found
    for item in found:
        assert item.evidence
        assert item.fix.text


@pytest.mark.parametrize("setup", FINE)
def test_fine(setup):
    grave = [(item.slug, item.title) for item in findings(setup) if item.severity != "info"]
    assert grave == []


@pytest.mark.parametrize(("setup", "slug"), BROKEN)
def test_commands_destroy_nothing(setup, slug):  # noqa: ARG001
    destructive = ("rm ", "uninstall", "purge", "kill", "reboot", "--gpu-reset", "modprobe -r")
    for item in findings(setup):
        assert not any(word in command for command in item.fix.commands for word in destructive)
