"""Facts about driver, GPUs, kernel log and host."""

import msgspec


class DeviceNode(msgspec.Struct, frozen=True):
    """A file such as /dev/nvidia0, and whether this user may open it."""

    path: str
    accessible: bool


class PciGpu(msgspec.Struct, frozen=True):
    """An NVIDIA display device on the PCI bus, and the kernel driver that holds it."""

    address: str
    device_id: str
    driver: str | None = None


class Driver(msgspec.Struct, frozen=True, kw_only=True):
    """The GPU driver in its two halves: the user-space library and the kernel module.

    Args:
        version: Of the user-space half (libcuda, NVML); None where there is none.
        kernel_version: Of the loaded nvidia kernel module; None where none is loaded.
        cuda: The newest CUDA that the driver serves, as it says itself.
        nvml_error: What NVML answered, where it did not work.
        installed_module: A nvidia kernel module on disk that is not loaded.
        secure_boot: Whether the firmware refuses unsigned modules.
        generic: Generic drivers that hold an NVIDIA device: nouveau, nova, vfio-pci.
    """

    version: str | None = None
    kernel_version: str | None = None
    cuda: str | None = None
    nvml_error: str | None = None
    installed_module: str | None = None
    secure_boot: bool | None = None
    generic: tuple[str, ...] = ()
    pci: tuple[PciGpu, ...] | None = None
    nodes: tuple[DeviceNode, ...] = ()
    origin: str = ""

    @property
    def absent(self) -> bool:
        """No half of NVIDIA's driver is here."""
        return self.version is None and self.kernel_version is None


class GpuProcess(msgspec.Struct, frozen=True):
    """A process that holds memory on a GPU."""

    pid: int
    name: str | None = None
    used_bytes: int | None = None
    own: bool = False


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU, as NVML tells it or as the user named it.

    Args:
        used_bytes: Without what the driver reserves for itself.
        ecc_uncorrected: Since the driver was loaded.
        ecc_uncorrected_lifetime: Over the life of the card: past errors, perhaps remedied.
        recovery_action: `none`, `gpu-reset`, `node-reboot`, `drain-and-reset` …, as the driver
            asks for it; None where it does not tell.
        throttled_by: `sw-power-cap`, `hw-slowdown`, `sw-thermal`, `hw-thermal`, `hw-power-brake`.
        display_attached: Whether the GPU drives a display now.
        pcie_generation, pcie_width: Of its link now; an idle GPU lowers the generation.
        pcie_generation_most, pcie_width_most: What card and slot can do together.
        problem: What NVML answered, where the GPU itself is lost.
    """

    index: int = 0
    name: str | None = None
    uuid: str | None = None
    pci_address: str | None = None
    compute_capability: str | None = None
    architecture: str | None = None
    memory_bytes: int | None = None
    used_bytes: int | None = None
    processes: tuple[GpuProcess, ...] | None = None
    ecc_enabled: bool | None = None
    ecc_uncorrected: int | None = None
    ecc_uncorrected_lifetime: int | None = None
    retired_pages: int | None = None
    retirement_pending: bool | None = None
    remapped_rows_failed: bool | None = None
    remapped_rows_pending: bool | None = None
    recovery_action: str | None = None
    temperature_celsius: int | None = None
    slowdown_celsius: int | None = None
    throttled_by: tuple[str, ...] = ()
    power_limit_watts: float | None = None
    power_default_watts: float | None = None
    mig_enabled: bool | None = None
    compute_mode: str | None = None
    persistence: bool | None = None
    display_attached: bool | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    pcie_generation_most: int | None = None
    pcie_width_most: int | None = None
    problem: str | None = None
    origin: str = ""


class GpuLink(msgspec.Struct, frozen=True, kw_only=True):
    """How two GPUs reach each other.

    Args:
        first, second: Their numbers.
        path: What is between them: `one-board`, `one-switch`, `several-switches`, `host-bridge`,
            `one-processor` (the same NUMA node), `several-processors`; None where unknown.
        peer_access: Whether each can read the memory of the other, past the host.
        nvlink: Whether they do so over NVLink.
        refusal: Why they cannot, as the driver says it.
    """

    first: int
    second: int
    path: str | None = None
    peer_access: bool | None = None
    nvlink: bool | None = None
    refusal: str = ""


class Xid(msgspec.Struct, frozen=True):
    """An error that NVIDIA's kernel driver logged, quoted."""

    number: int
    text: str
    pci_address: str | None = None
    source: str = "kernel log"
    line: int | None = None


class KernelLog(msgspec.Struct, frozen=True):
    """What the kernel log holds that matters here.

    Args:
        readable: Whether it could be read; `problem` says why not.
        module_messages: Lines on a GPU driver module that was refused or did not fit.
        oom_kills: Lines of the kernel's out-of-memory killer.
    """

    readable: bool
    xids: tuple[Xid, ...] = ()
    module_messages: tuple[str, ...] = ()
    oom_kills: tuple[str, ...] = ()
    problem: str | None = None
    origin: str = "kernel log"


class Cpu(msgspec.Struct, frozen=True):
    """The processor; `features` holds the instruction sets that matter to TensorFlow."""

    model: str | None = None
    cores: int | None = None
    features: tuple[str, ...] | None = None
    origin: str = "/proc/cpuinfo"


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """Memory, shared memory, disk, limits and network of the machine or the container.

    Args:
        interfaces: Names of the network interfaces; None where they are not known.
    """

    ram_bytes: int | None = None
    available_bytes: int | None = None
    swap_bytes: int | None = None
    cgroup_limit_bytes: int | None = None
    cgroup_used_bytes: int | None = None
    shm_bytes: int | None = None
    shm_free_bytes: int | None = None
    disk_free_bytes: int | None = None
    limits: dict[str, int] = {}
    interfaces: tuple[str, ...] | None = None


class Container(msgspec.Struct, frozen=True):
    """The container that this runs in.

    Args:
        runtime: docker, podman, kubernetes, lxc, singularity, or None outside of any.
        evidence: What showed it.
        host_has_gpu: Whether the host's kernel has NVIDIA's driver loaded
            (/proc/driver/nvidia is visible in a container too).
    """

    runtime: str | None = None
    evidence: str | None = None
    host_has_gpu: bool | None = None
