"""TensorFlow sees the device.

## What is done
TensorFlow lists its devices. The driver starts, and the CUDA libraries are loaded.

## What a failure means
TensorFlow does not see a GPU that the driver shows. Mostly a CUDA or cuDNN library is missing or
the build has no GPU support; the log of the probe says which. `fitguard doctor` finds it.
"""

NAME = "list-devices"
LEVEL = "quick"
SECONDS = 3
LIMIT_SECONDS = 120
GATE = 2


def run(bench):
    """Name what TensorFlow sees."""
    kind = "GPU" if bench.on_gpu else "CPU"
    found = bench.list_physical(kind)
    if not found:
        raise RuntimeError("TensorFlow sees no %s, though the driver shows one" % kind)
    return "TensorFlow sees %s" % ", ".join(_describe(bench, one) for one in found)


def _describe(bench, device):
    ask = getattr(bench.tf.config.experimental, "get_device_details", None)
    details = ask(device) if ask is not None and bench.on_gpu else {}
    name = details.get("device_name")
    capability = details.get("compute_capability")
    text = device.name.replace("/physical_device:", "")
    if name:
        text += " (%s)" % name
    if capability:
        text += " with compute capability %d.%d" % capability
    return text
