"""What is measured while a training runs: names, units and meanings, the same everywhere.

A flight record has them as columns, Prometheus and TensorBoard as names, the page as rows. What is
measured for each GPU has its index behind a colon: `gpu_used_bytes:0`.
"""

from typing import Literal

import msgspec

Unit = Literal["bytes", "seconds", "celsius", "watts", "hertz", "ratio", "number"]
MetricKind = Literal["gauge", "counter"]


class Metric(msgspec.Struct, frozen=True):
    """One thing that is measured.

    Args:
        kind: A counter only rises, until the process ends that counts.
        each_gpu: There is one for each GPU.
        text: What it is, in a few words.
    """

    name: str
    unit: Unit
    text: str
    kind: MetricKind = "gauge"
    each_gpu: bool = False


_ALL = (
    # Of the training, from inside of it.
    Metric("attempt", "number", "Number of the attempt"),
    Metric("fit", "number", "Number of the call of fit"),
    Metric("epoch", "number", "Epoch, from 0"),
    Metric("step_seconds", "seconds", "Time of a step, on average since the last sample"),
    Metric("slowest_step_seconds", "seconds", "Time of the slowest step since the last sample"),
    Metric("input_seconds", "seconds", "Time that a step waits for its data, on average"),
    Metric("loss", "number", "Loss, as Keras logs it; infinite where it is nan"),
    Metric("batch_elements", "number", "Elements of the largest batch since the last sample"),
    Metric("traces", "number", "Steps that were traced or compiled", "counter"),
    Metric("allocator_bytes", "bytes", "In use, as TensorFlow's allocator counts it"),
    Metric("allocator_low_bytes", "bytes", "Least in use between two steps since the last sample"),
    Metric("allocator_peak_bytes", "bytes", "Most in use since the last sample"),
    Metric("allocator_limit_bytes", "bytes", "What the allocator may have"),
    Metric("largest_free_bytes", "bytes", "Largest block that is free in the allocator"),
    Metric("allocation_failures", "number", "Allocations that failed and were retried", "counter"),
    # Of the training, from outside.
    Metric("beats", "number", "Signs of life of a guarded training", "counter"),
    Metric("fitting", "number", "1 while it trains or evaluates, 0 outside of fit"),
    # Of the host, from outside.
    Metric("host_bytes", "bytes", "Resident memory of the training and its helpers"),
    Metric("host_limit_bytes", "bytes", "What they may have: of the container, or of the machine"),
    Metric(
        "cgroup_bytes", "bytes", "In use of that, by all who share it, without what can be dropped"
    ),
    Metric("major_faults", "number", "Pages that had to be read from the disk", "counter"),
    Metric("threads", "number", "Threads of the training and its helpers"),
    Metric("open_files", "number", "Open files of the process of them that has most"),
    Metric("open_files_limit", "number", "How many each process may have"),
    Metric("cpu_seconds", "seconds", "Processor time of the training and its helpers", "counter"),
    Metric("shm_free_bytes", "bytes", "Free in /dev/shm"),
    Metric("disk_free_bytes", "bytes", "Free on the disk of the snapshots"),
    # Of each GPU, from NVML.
    Metric(
        "gpu_process_bytes", "bytes", "Held by the training, as the driver counts", each_gpu=True
    ),
    Metric("gpu_used_bytes", "bytes", "Held by all processes", each_gpu=True),
    Metric("gpu_total_bytes", "bytes", "Memory of the GPU", each_gpu=True),
    Metric("gpu_busy_ratio", "ratio", "Time in which a kernel ran", each_gpu=True),
    Metric("gpu_temperature", "celsius", "Temperature", each_gpu=True),
    Metric("gpu_power", "watts", "Power", each_gpu=True),
    Metric("gpu_power_limit", "watts", "Power that it may take", each_gpu=True),
    Metric("gpu_clock", "hertz", "Clock of the processors", each_gpu=True),
    Metric("gpu_clock_limit", "hertz", "Highest clock of the processors", each_gpu=True),
    Metric(
        "gpu_throttle_reasons", "number", "Why the clock is lowered: bits of NVML", each_gpu=True
    ),
    Metric("gpu_ecc_corrected", "number", "Memory errors corrected", "counter", each_gpu=True),
    Metric(
        "gpu_ecc_uncorrected", "number", "Memory errors not corrected", "counter", each_gpu=True
    ),
    Metric("gpu_pcie_replays", "number", "PCIe packets sent again", "counter", each_gpu=True),
    Metric("gpu_xid", "number", "Number of the newest Xid error of the driver", each_gpu=True),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}


def split_column(column: str) -> tuple[Metric, int | None] | None:
    """The metric of a column, and the GPU that it is of; None for a column of another version."""
    name, _, index = column.partition(":")
    metric = METRICS.get(name)
    if metric is None or metric.each_gpu != index.isdecimal():
        return None
    return metric, int(index) if metric.each_gpu else None
