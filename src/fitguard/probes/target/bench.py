"""What a probe is given: TensorFlow, the device, comparisons, and a place for its answers."""

import json
import sys
import time

from . import faults

_DUMP_SECONDS_EARLIER = 2
_MOST_TEXT = 2000


class Skip(Exception):
    """It cannot be tried here; the text says why."""


class WrongResult(Exception):
    """Something was computed, and it is wrong."""


class Bench(object):
    """The workplace of one probe.

    Attributes:
        tf: TensorFlow.
        np: NumPy.
        on_gpu: Whether the device is a GPU.
        device: For `tf.device`: `/GPU:0`.
        devices: All of them, for probes that take several.
        level: `quick`, `medium` or `long`.
        options: What the parent said besides.
    """

    def __init__(self, options):
        self.options = options
        self.level = options.get("level", "quick")
        self.on_gpu = options.get("device", "CPU") == "GPU"
        self.tf = self.np = None
        self.import_seconds = None
        self.devices = []
        self._answers = open(options["answers"], "a")  # noqa: SIM115
        self._fault = faults.read(options.get("fault"), options["probe"])
        self._deadline = None

    def start(self):
        """Import TensorFlow; what only costs time comes before the word to begin."""
        if self._fault is not None and self._fault.kind == "import":
            raise ImportError("a fault that a test asked for")
        began = time.time()
        import tensorflow as tf

        self.import_seconds = time.time() - began
        import numpy as np

        self.tf, self.np = tf, np
        self._answer(ready=True, tensorflow=tf.__version__)

    def begin(self, limit_seconds):
        """The word was given: open the devices."""
        self._deadline = time.time() + self.options.get("seconds", limit_seconds)
        _dump_before_the_end(limit_seconds)
        self._answer(began=True)
        major = int(self.tf.__version__.split(".")[0])
        if major < 2:
            raise Skip(
                "TensorFlow %s is installed. Probes need TensorFlow 2.0 or newer."
                % self.tf.__version__
            )
        self._open_devices()
        if self._fault is not None:
            self._fault.strike()

    def _open_devices(self):
        kind = "GPU" if self.on_gpu else "CPU"
        physical = self.list_physical(kind)
        if self.on_gpu:
            for one in physical:
                self.tf.config.experimental.set_memory_growth(one, True)
        elif self.options.get("logical_devices", 1) > 1:
            self._split_cpu(physical[0], self.options["logical_devices"])
            physical = range(self.options["logical_devices"])
        self.devices = ["/%s:%d" % (kind, number) for number, _ in enumerate(physical)]

    def list_physical(self, kind):
        """The devices that TensorFlow sees, asked in the way of its version."""
        config = self.tf.config
        ask = getattr(config, "list_physical_devices", None)
        return (ask or config.experimental.list_physical_devices)(kind)

    def _split_cpu(self, cpu, count):
        config = self.tf.config
        made = getattr(config, "LogicalDeviceConfiguration", None)
        if made is not None:
            config.set_logical_device_configuration(cpu, [made() for _ in range(count)])
        else:
            old = config.experimental.VirtualDeviceConfiguration
            config.experimental.set_virtual_device_configuration(cpu, [old() for _ in range(count)])

    @property
    def device(self):
        """The first one."""
        if not self.devices:
            raise RuntimeError("TensorFlow sees no GPU")
        return self.devices[0]

    @property
    def left_seconds(self):
        """What is left of the time that a probe which can take any time should take."""
        return max(0.0, self._deadline - time.time())

    def fetch(self, tensor):
        """A tensor of the device as an array. All results that are judged come this way."""
        array = self.np.array(tensor)
        return array if self._fault is None else self._fault.spoil(array)

    def keep(self, tensor):
        """What lies in the memory of the device until it is read back."""
        if self._fault is None or self._fault.kind != "wrong-memory":
            return tensor
        with self.tf.device(self.device):
            return self.tf.constant(self._fault.spoil_memory(self.np.array(tensor)))

    def spoil_replica(self, replica):
        """For tests: whether the part of this replica is to be wrong."""
        return self._fault is not None and self._fault.spoils_replica(replica)

    def require_close(self, got, expected, bound, what):
        """Compare with a reference.

        Args:
            got: An array of the device.
            expected: The reference, in float64.
            bound: Of the difference, as a share of the largest value of the reference.
            what: Begins the sentence: `the product`.

        Returns:
            The largest difference, as such a share.
        """
        np = self.np
        with np.errstate(invalid="ignore"):
            got64 = np.asarray(got, dtype=np.float64)
        expected64 = np.asarray(expected, dtype=np.float64)
        if got64.shape != expected64.shape:
            raise WrongResult(
                "%s has the shape %s. Expected %s" % (what, got64.shape, expected64.shape)
            )
        scale = max(float(np.max(np.abs(expected64))), 1e-300)
        with np.errstate(invalid="ignore"):
            difference = np.abs(got64 - expected64) / scale
        wrong = ~(difference <= bound)
        if np.any(wrong):
            place = np.unravel_index(int(np.argmax(np.where(wrong, difference, -1))), wrong.shape)
            if np.any(np.isnan(difference)):
                place = np.unravel_index(int(np.argmax(np.isnan(difference))), wrong.shape)
            raise WrongResult(
                "%s is wrong in %d of %d elements: at %s it is %r. Expected %r, give or take %.1e "
                "of %.3g"
                % (
                    what, int(np.sum(wrong)), wrong.size, list(map(int, place)),
                    float(got64[place]), float(expected64[place]), bound, scale,
                )
            )  # fmt: skip
        return float(np.max(difference)) if difference.size else 0.0

    def require_same(self, got, expected, what):
        """Compare bit for bit; the first wrong one is named."""
        np = self.np
        left = np.frombuffer(np.ascontiguousarray(got).tobytes(), dtype=np.uint8)
        right = np.frombuffer(np.ascontiguousarray(expected).tobytes(), dtype=np.uint8)
        if left.size != right.size:
            raise WrongResult("%s has %d bytes. Expected %d" % (what, left.size, right.size))
        wrong = np.flatnonzero(left != right)
        if wrong.size:
            place = int(wrong[0])
            flipped = int(left[place]) ^ int(right[place])
            count = sum(bin(int(left[one]) ^ int(right[one])).count("1") for one in wrong[:100000])
            raise WrongResult(
                "%s differs in %d bits; the first is in byte %d of %d, where %s is %s (bits %s)"
                % (
                    what, count, place, left.size, "0x%02x" % left[place],
                    "expected to be 0x%02x" % right[place], bin(flipped),
                )
            )  # fmt: skip

    def measure(self, name, value, unit):
        """Tell a rate, `bench.measure("matmul-float32", 51.2, "TFLOP/s")`, and give it in words."""
        self._answer(rate={"name": name, "value": float(value), "unit": unit})
        return "%s %s" % (format(value, ",.0f" if value >= 100 else ".3g"), unit)

    def progress(self, share, text=""):
        """Tell how far it is: 0 to 1."""
        self._answer(progress=round(float(share), 4), text=text)

    def finish(self, status, detail, kind=""):
        """Tell what came of it."""
        detail = (detail or "")[:_MOST_TEXT]
        self._answer(status=status, detail=detail, kind=kind)
        self._answers.close()

    def _answer(self, **values):
        self._answers.write(json.dumps(values) + "\n")
        self._answers.flush()


def _dump_before_the_end(limit_seconds):
    """Where it hangs, the log should say in which call."""
    try:
        import faulthandler  # novermin
    except ImportError:  # Python 2.7
        return
    faulthandler.enable()
    seconds = max(limit_seconds - _DUMP_SECONDS_EARLIER, limit_seconds / 2.0)
    faulthandler.dump_traceback_later(seconds, exit=False, file=sys.stderr)
