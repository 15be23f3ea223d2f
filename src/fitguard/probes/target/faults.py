"""Faults that tests ask for: `FITGUARD_PROBE_FAULT=matmul-float32:wrong-bits` in the parent.

Each is a real one: a real signal, real memory, a bit that is really wrong.

    import        TensorFlow does not import
    exception     the probe raises
    segfault      its process reads address 0
    abort         its process aborts, as TensorFlow does
    exit          its process ends with code 3 and no word
    hang          it never ends
    memory        it takes memory of the host without end
    out-of-bounds a kernel writes where the GPU has no memory (needs a GPU)
    wrong-bits    a bit of a result is wrong, each time another one
    wrong-bit     the same bit of a result is wrong each time
    wrong-memory  a bit of a block that lies in memory is wrong, each time another one
    wrong-replica the part of one replica is wrong
"""

import os
import random
import time

KINDS = (
    "import", "exception", "segfault", "abort", "exit", "hang", "memory", "out-of-bounds",
    "wrong-bits", "wrong-bit", "wrong-memory", "wrong-replica",
)  # fmt: skip
_CHUNK_BYTES = 64 * 2**20
_SPOILED_BLOCK = 2
_WILD_KERNEL = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry wild()
{
    .reg .b64 address;
    .reg .b32 value;
    mov.u64 address, 0x7000000000;
    mov.u32 value, 1;
    st.global.u32 [address], value;
    ret;
}
"""


def read(text, probe):
    """The fault for this probe, None where none is asked for; `*` means every probe."""
    if not text:
        return None
    name, _, kind = text.partition(":")
    if kind not in KINDS:
        raise ValueError("Received the fault %r. Expected PROBE:%s" % (text, "|".join(KINDS)))
    return Fault(kind) if name in (probe, "*") else None


class Fault(object):
    """One of the kinds above."""

    def __init__(self, kind):
        self.kind = kind
        self._blocks = 0

    def strike(self):
        """Before the probe begins."""
        if self.kind == "exception":
            raise RuntimeError("a fault that a test asked for")
        if self.kind == "segfault":
            import ctypes

            ctypes.string_at(0)
        if self.kind == "abort":
            os.abort()
        if self.kind == "exit":
            os._exit(3)
        if self.kind == "out-of-bounds":
            _write_out_of_bounds()
        while self.kind == "hang":
            time.sleep(1)
        hoard = []
        while self.kind == "memory":
            hoard.append(bytearray(b"x" * _CHUNK_BYTES))
            time.sleep(0.02)

    def spoil(self, array):
        """A result, with one bit of it flipped."""
        if self.kind not in ("wrong-bits", "wrong-bit") or not array.nbytes:
            return array
        import numpy as np

        raw = np.frombuffer(array.tobytes(), dtype=np.uint8).copy()
        width = array.dtype.itemsize
        element = random.SystemRandom().randrange(array.size) if self.kind == "wrong-bits" else 0
        # The highest byte of a little-endian number: sign and exponent, never lost in rounding.
        raw[element * width + width - 1] ^= 0x40
        return np.frombuffer(raw.tobytes(), dtype=array.dtype).reshape(array.shape)

    def spoil_memory(self, array):
        """A block of memory, with one bit of it flipped; only the second block is."""
        if self.kind != "wrong-memory":
            return array
        self._blocks += 1
        if self._blocks != _SPOILED_BLOCK:
            return array
        import numpy as np

        raw = np.frombuffer(array.tobytes(), dtype=np.uint8).copy()
        draw = random.SystemRandom()
        raw[draw.randrange(raw.size)] ^= 1 << draw.randrange(8)
        return np.frombuffer(raw.tobytes(), dtype=array.dtype).reshape(array.shape)

    def spoils_replica(self, replica):
        """Whether the part of this replica is to be wrong."""
        return self.kind == "wrong-replica" and replica == 1


def _write_out_of_bounds():
    """In the context that TensorFlow uses; the kernel runs on while this returns."""
    import ctypes

    driver = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    driver.cuCtxSetCurrent(context)
    driver.cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(_WILD_KERNEL))
    driver.cuModuleGetFunction(ctypes.byref(function), module, b"wild")
    code = driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None)
    if code:
        raise RuntimeError("the kernel was not launched: CUDA error %d" % code)
