import os
from pathlib import Path

import pytest
from facts.fake_tree import link, plant

from fitguard.facts import driver
from fitguard.facts.nvml import NvmlFacts
from fitguard.schema.hardware import DeviceNode, Driver, PciGpu

OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "
    "(dvs-builder@host)  Tue Jun  2 13:13:04 UTC 2026\nGCC version:  gcc version 12.2.0\n"
)
PROPRIETARY = (
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.81  Sat Sep  2 02:43:11 PDT 2017\n"
    "GCC version:  gcc version 4.8.5 20150623 (Red Hat 4.8.5-4) (GCC)\n"
)


def pci_device(
    root: Path, address: str, *, vendor: str, kind: str, driver_name: str | None = None
) -> None:
    folder = f"sys/bus/pci/devices/{address}"
    plant(
        root,
        {
            f"{folder}/vendor": f"{vendor}\n",
            f"{folder}/class": f"{kind}\n",
            f"{folder}/device": "0x2335\n",
        },
    )
    if driver_name:
        link(root, f"{folder}/driver", f"../../../bus/pci/drivers/{driver_name}")


def test_machine_without_anything(tmp_path: Path) -> None:
    found = driver.read(tmp_path)
    assert found == Driver()
    assert found.absent


@pytest.mark.parametrize(("text", "version"), [(OPEN, "580.159.04"), (PROPRIETARY, "384.81")])
def test_kernel_module_in_both_formats(tmp_path: Path, text: str, version: str) -> None:
    found = driver.read(plant(tmp_path, {"proc/driver/nvidia/version": text}))
    assert found.kernel_version == version
    assert found.origin == "/proc/driver/nvidia/version"


def test_kernel_module_from_sys(tmp_path: Path) -> None:
    plant(tmp_path, {"sys/module/nvidia/version": "535.129.03\n"})
    plant(tmp_path, {"proc/driver/nvidia/version": "garbage \x00 without a version"})
    found = driver.read(tmp_path)
    assert (found.kernel_version, found.origin) == ("535.129.03", "/sys/module/nvidia/version")


@pytest.mark.parametrize(
    "directory", ["usr/lib/x86_64-linux-gnu", "usr/local/nvidia/lib64", "usr/lib64"]
)
@pytest.mark.parametrize("library", ["libcuda", "libnvidia-ml"])
def test_version_from_the_library_file(tmp_path: Path, directory: str, library: str) -> None:
    plant(tmp_path, {f"{directory}/{library}.so.570.86.15": ""})
    link(tmp_path, f"{directory}/{library}.so.1", f"{library}.so.570.86.15")
    found = driver.read(tmp_path)
    assert found.version == "570.86.15"
    assert found.origin == f"/{directory}/{library}.so.570.86.15"


def test_dangling_link_is_no_driver(tmp_path: Path) -> None:
    link(tmp_path, "usr/lib64/libcuda.so.1", "libcuda.so.570.86.15")
    assert driver.read(tmp_path).version is None


def test_wsl_library_tells_no_version(tmp_path: Path) -> None:
    plant(tmp_path, {"usr/lib/wsl/lib/libcuda.so.1.1": "", "dev/dxg": ""})
    link(tmp_path, "usr/lib/wsl/lib/libcuda.so.1", "libcuda.so.1.1")
    found = driver.read(tmp_path)
    assert found.version is None
    assert found.nodes == (DeviceNode("/dev/dxg", True),)


def test_pci_devices_of_nvidia_with_a_display_class_only(tmp_path: Path) -> None:
    pci_device(tmp_path, "0000:00:06.0", vendor="0x10de", kind="0x030200", driver_name="nvidia")
    pci_device(tmp_path, "0000:00:07.0", vendor="0x10de", kind="0x040300")
    pci_device(tmp_path, "0000:00:02.0", vendor="0x8086", kind="0x030000", driver_name="i915")
    found = driver.read(tmp_path)
    assert found.pci == (PciGpu("0000:00:06.0", "0x2335", "nvidia"),)
    assert found.generic == ()


def test_bus_without_nvidia_is_known_to_be_empty(tmp_path: Path) -> None:
    pci_device(tmp_path, "0000:00:02.0", vendor="0x8086", kind="0x030000")
    assert driver.read(tmp_path).pci == ()


@pytest.mark.parametrize("name", ["nouveau", "nova_core", "vfio-pci"])
def test_generic_driver_that_holds_the_device(tmp_path: Path, name: str) -> None:
    pci_device(tmp_path, "0000:01:00.0", vendor="0x10de", kind="0x030000", driver_name=name)
    assert driver.read(tmp_path).generic == (name,)


def test_nouveau_that_is_loaded(tmp_path: Path) -> None:
    plant(tmp_path, {"sys/module/nouveau/": ""})
    assert driver.read(tmp_path).generic == ("nouveau",)
    pci_device(tmp_path, "0000:01:00.0", vendor="0x10de", kind="0x030000", driver_name="nvidia")
    assert driver.read(tmp_path).generic == ()


@pytest.mark.parametrize(
    "place",
    [
        "updates/dkms/nvidia.ko.zst",
        "updates/dkms/nvidia-current.ko",
        "extra/nvidia.ko.xz",
        "extra/nvidia/nvidia.ko",
        "kernel/drivers/video/nvidia.ko",
        "kernel/nvidia-535srv-open/nvidia.ko",
    ],
)
def test_module_on_disk_that_is_not_loaded(tmp_path: Path, place: str) -> None:
    plant(
        tmp_path,
        {
            "proc/sys/kernel/osrelease": "6.8.0-35-generic\n",
            f"lib/modules/6.8.0-35-generic/{place}": "",
        },
    )
    assert driver.read(tmp_path).installed_module == f"/lib/modules/6.8.0-35-generic/{place}"


def test_module_of_the_running_kernel_comes_before_that_of_another(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/sys/kernel/osrelease": "6.8.0-40-generic\n",
            "lib/modules/6.8.0-35-generic/updates/dkms/nvidia.ko": "",
            "lib/modules/6.8.0-40-generic/kernel/fs/ext4.ko": "",
        },
    )
    other = "/lib/modules/6.8.0-35-generic/updates/dkms/nvidia.ko"
    assert driver.read(tmp_path).installed_module == other
    own = "lib/modules/6.8.0-40-generic/extra/nvidia.ko"
    plant(tmp_path, {own: ""})
    assert driver.read(tmp_path).installed_module == f"/{own}"


def test_loaded_module_is_not_called_unloaded(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {"proc/driver/nvidia/version": OPEN, "lib/modules/6.8.0/updates/dkms/nvidia.ko": ""},
    )
    assert driver.read(tmp_path).installed_module is None


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"sys/firmware/efi/efivars/SecureBoot-8be4df61": b"\x06\0\0\0\x01"}, True),
        ({"sys/firmware/efi/efivars/SecureBoot-8be4df61": b"\x06\0\0\0\x00"}, False),
        ({"sys/firmware/efi/efivars/": b""}, None),
        ({"sys/firmware/acpi/": b""}, False),
        ({"sys/firmware/": b""}, None),
        ({}, None),
    ],
)
def test_secure_boot(tmp_path: Path, files: dict[str, str | bytes], expected: bool | None) -> None:
    assert driver.read(plant(tmp_path, files)).secure_boot is expected


def test_device_nodes_and_their_rights(tmp_path: Path) -> None:
    names = ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-modeset", "null")
    plant(tmp_path, {f"dev/{name}": "" for name in names})
    (tmp_path / "dev/nvidia1").chmod(0)
    nodes = {node.path: node.accessible for node in driver.read(tmp_path).nodes}
    assert list(nodes) == ["/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm"]
    assert nodes["/dev/nvidia0"] is True
    assert nodes["/dev/nvidia1"] is (os.geteuid() == 0)


def test_nvml_knows_better_than_the_file_names() -> None:
    found = driver.with_nvml(
        Driver(version="570.86.15", kernel_version="580.159.04", origin="/usr/lib64/x"),
        NvmlFacts(version="580.159.04", cuda="13.0"),
    )
    assert (found.version, found.kernel_version, found.cuda) == ("580.159.04", "580.159.04", "13.0")
    assert found.origin == "NVML, /usr/lib64/x"


def test_after_a_mismatch_both_versions_remain() -> None:
    found = driver.with_nvml(
        Driver(version="595.84", kernel_version="595.80"),
        NvmlFacts(error="NVML_ERROR_LIB_RM_VERSION_MISMATCH: mismatch"),
    )
    assert (found.version, found.kernel_version) == ("595.84", "595.80")
    assert found.nvml_error == "NVML_ERROR_LIB_RM_VERSION_MISMATCH: mismatch"
