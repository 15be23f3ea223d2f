"""Facts that make every check find something, for tests that hold for all of them."""

from collections.abc import Iterator

import msgspec
from checks.library_facts import library, machine, toolkit, what_if

from fitguard.checks.framework.registry import all_checks
from fitguard.checks.framework.runner import judge_machine
from fitguard.schema.cluster import Cluster, ClusterTask
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding
from fitguard.schema.hardware import (
    Container,
    Cpu,
    DeviceNode,
    Driver,
    Gpu,
    GpuLink,
    GpuProcess,
    Host,
    KernelLog,
    PciGpu,
    Xid,
)
from fitguard.schema.probe import ProbeResult, Rate
from fitguard.schema.software import (
    DeepImport,
    Package,
    Packages,
    Platform,
    Python,
    TensorFlow,
    Toolkit,
)

_GIB = 2**30
_LINUX = Platform(system="linux", machine="x86_64", distribution="ubuntu 22.04", kernel="6.8.0")
_PCI = (PciGpu("0000:01:00.0", "0x2684"),)
_T4 = Gpu(name="Tesla T4", compute_capability="7.5", memory_bytes=16 * _GIB, used_bytes=0)
_SUPPOSED = (
    "tf=1.4.1 keras=2.2.4", "tf=2.1 keras=2.2.4", "tf=2.18 tf-keras=2.16.0", "tf=2.15 numpy=2.0.1",
    "tf=2.6.5 numpy=1.24.4",
    "tf=2.3 protobuf=4.21.1", "tf=2.21 protobuf=4.25.3", "tf=2.10 python=3.11",
    "tf=2.21 python=3.9", "tf=2.15 python=3.8", "tf=2.12 os=windows gpu=T4",
    "tf=2.18 package=tensorflow-cpu gpu=T4", "tf=2.15 gpu=K80", "tf=2.18 gpu=GTX_980 python=3.12",
    "tf=2.18 gpu=RTX_5090", "tf=1.15.5 gpu=A100", "tf=1.12 gpu=GTX_750_Ti",
    "tf=2.18 driver=470.82.01", "tf=2.10 gpu=K80 driver=535.104.05", "tf=2.10 cuda=none",
    "tf=2.15 cuda=none", "tf=2.12 extras=and-cuda gpu=T4", "tf=2.21.0 extras=and-cuda",
    "tf=2.10 cuda=12.2", "tf=2.10 cudnn=none", "tf=2.20 cudnn=9.1", "tf=2.15 cudnn=9.1",
    "tf=1.6 cudnn=7.6", "tf=2.21 cudnn=9.17 gpu=GTX_1080", "tf=2.15.0 extras=and-cuda python=3.10",
    "tf=2.15 cuda-toolkits=11.8,12.2 library-path=/usr/local/cuda-11.8/lib64",
    "tf=2.10 library-path=/usr/local/cuda-12.1/lib64:/usr/local/cuda-11.2/lib64",
    "tf=2.10 library-path=/usr/local/cuda-11.0/lib64:/usr/local/cuda-11.2/lib64", "gpu=none",
)  # fmt: skip


def _busy(index: int, processes: tuple[GpuProcess, ...] = ()) -> Gpu:
    return msgspec.structs.replace(
        _T4, index=index, used_bytes=15 * _GIB + _GIB // 2, processes=processes
    )


def _installed(*packages: Package, **more: object) -> Facts:
    return msgspec.convert(
        {
            "packages": Packages(found=packages, complete=True),
            "python": Python(version="3.11.4", executable="/env/bin/python"),
            "platform": _LINUX,
            "environment": {},
            **more,
        },
        Facts,
    )


def _tensorflow(version: str = "2.18.0", **more: object) -> Package:
    place = "/env/lib/python3.11/site-packages"
    return msgspec.convert(
        {"name": "tensorflow", "version": version, "location": place, **more}, Package
    )


def _machines() -> Iterator[Facts]:
    yield from (
        what_if(*(part.replace("_", " ") if part.startswith("gpu=") else part
                  for part in setup.split()))
        for setup in _SUPPOSED
    )  # fmt: skip
    yield _installed()
    yield _installed(_tensorflow())
    yield _installed(
        _tensorflow(problem="METADATA is empty"),
        Package(name="~ensorflow", version="2.10.0", problem="a leftover"),
    )
    yield _installed(_tensorflow(), Package(name="tensorflow-gpu", version="2.12.0"))
    yield _installed(Package(name="tensorflow-gpu", version="2.12.0"))
    yield _installed(_tensorflow("2.18.0"), _tensorflow("2.17.0"))
    yield _installed(
        Package(name="nvidia-cudnn-cu11", version="8.9.4"),
        Package(name="nvidia-cudnn-cu12", version="8.9.2"),
    )
    keras3 = TensorFlow(version="2.18.0", package="tensorflow", location="/env/lib")
    yield _installed(_tensorflow(), Package(name="tf-agents", version="0.19.0"), tensorflow=keras3)
    yield _installed(_tensorflow(), tensorflow=keras3, environment={"TF_USE_LEGACY_KERAS": "1"})
    shadow = Packages(complete=True, unowned="/home/me/tensorflow")
    yield Facts(packages=shadow, python=Python(version="3.11", executable="/env/bin/python"))
    yield Facts(
        python=Python(version="3.11", executable="/env/bin/python"),
        deep=DeepImport(exit_code=1, log=("ImportError: libcudart.so.11.0",)),
    )
    yield msgspec.structs.replace(
        machine("2.18.0", [*toolkit("12.5"), library("/usr/lib/libcudnn.so.9", "9.3.0")]),
        deep=DeepImport(version="2.18.0", gpus=()),
    )
    slow = Rate(name="copies", value=1.0, unit="GB/s", expected=60.0, verdict="slow")
    yield Facts(
        probes=(
            ProbeResult(name="copies", device="GPU 0", status="pass", rates=(slow,)),
            ProbeResult(name="first-kernel", device="GPU 1", status="crash", detail="It died."),
        )
    )
    yield Facts(
        tensorflow=TensorFlow(version="2.18.0"), cpu=Cpu(features=("sse4_2",)), platform=_LINUX
    )
    yield from _machines_with_driver()
    yield from _machines_with_libraries()
    yield from _hosts()


def _machines_with_driver() -> Iterator[Facts]:
    yield Facts(driver=Driver(pci=_PCI), platform=_LINUX)
    yield Facts(driver=Driver(pci=_PCI, version="550.54.14", installed_module="/lib/nvidia.ko"))
    yield Facts(driver=Driver(pci=_PCI, kernel_version="550.54.14"), platform=_LINUX)
    yield Facts(driver=Driver(pci=_PCI, generic=("nouveau",)), platform=_LINUX)
    yield Facts(driver=Driver(pci=_PCI, generic=("vfio-pci",)))
    mismatch = Driver(version="550.54.14", kernel_version="535.104.05", pci=_PCI)
    yield Facts(driver=mismatch)
    yield Facts(driver=mismatch, container=Container(runtime="docker"))
    yield Facts(driver=Driver(nodes=(DeviceNode("/dev/nvidiactl", False),)))
    yield Facts(
        driver=Driver(pci=()), container=Container(runtime="docker", host_has_gpu=True), gpus=()
    )
    legacy = "NVRM: The NVIDIA GPU is supported through the NVIDIA 470.xx Legacy drivers"
    yield Facts(kernel_log=KernelLog(True, module_messages=(legacy,)), platform=_LINUX)
    yield Facts(kernel_log=KernelLog(True, xids=(Xid(79, "fallen off the bus"),)), gpus=(_T4,))
    hot = msgspec.structs.replace(_T4, temperature_celsius=92, throttled_by=("hw-thermal",))
    yield Facts(gpus=(hot,))
    yield Facts(
        gpus=(_T4,), environment={"CUDA_VISIBLE_DEVICES": "-1", "CUDA_LAUNCH_BLOCKING": "1"}
    )
    yield Facts(gpus=(msgspec.structs.replace(_T4, compute_mode="Prohibited"),))
    yield Facts(gpus=(_busy(0, (GpuProcess(4711, "python"), GpuProcess(4712, "python"))),))
    yield Facts(gpus=(_busy(0), msgspec.structs.replace(_T4, index=1)))


def _machines_with_libraries() -> Iterator[Facts]:
    cudnn = library("/usr/lib/x86_64-linux-gnu/libcudnn.so.8", "8.9.7")
    yield machine("2.15.1", [*toolkit("12.2"), cudnn])
    yield machine(
        "2.15.1", [*toolkit("12.2"), cudnn], toolkits=(Toolkit("12.2", "/opt/cuda", nvcc=True),)
    )
    yield machine("2.12.0", [*toolkit("11.8"), cudnn])
    yield machine("2.15.1", [*toolkit("12.2", "not searched", searched=False), cudnn])
    yield machine(
        "2.10.1",
        [
            library("/opt/old cuda/lib/libcudnn.so.8", "8.0.5", "LD_LIBRARY_PATH"),
            library("/usr/lib/libcudnn.so.8", "8.1.0"),
            *toolkit("11.2"),
        ],
        library_path=("/opt/old cuda/lib", "/opt/own"),
    )


def _hosts() -> Iterator[Facts]:
    yield Facts(host=Host(available_bytes=_GIB, disk_free_bytes=_GIB))
    yield Facts(
        host=Host(shm_bytes=64 * 2**20),
        container=Container(runtime="docker"),
        gpus=(_T4, msgspec.structs.replace(_T4, index=1)),
    )

    yield from _machines_together()


def _machines_together() -> Iterator[Facts]:
    small = msgspec.structs.replace(_T4, index=1, memory_bytes=8 * _GIB)
    closed = GpuLink(first=0, second=1, peer_access=False, refusal="the GPUs do not support it")
    yield Facts(gpus=(_T4, small), gpu_links=(closed,))
    yield Facts(
        gpus=(_T4, small), environment={"NCCL_SOCKET_IFNAME": "ib"}, host=Host(interfaces=("lo",))
    )
    yield Facts(cluster=Cluster(configured=True, unreadable="it is not JSON"))
    own = ClusterTask(name="worker 0", role="worker", index=0, own=True, port=2222, answers=True)
    peer = ClusterTask(name="worker 1", role="worker", index=1, port=2222, answers=False)
    yield Facts(
        cluster=Cluster(configured=True, role="worker", index=0, tasks=(own, peer)), platform=_LINUX
    )


MACHINES = tuple(_machines())


def findings(facts: Facts) -> Iterator[Finding]:
    """What each check finds by itself, whatever the others found."""
    for code in all_checks("environment"):
        yield from judge_machine(facts, select=code).findings
