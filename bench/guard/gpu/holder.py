"""Holds the memory of the GPU, all but so much: `holder.py LEAVE_MIB SECONDS MARK`."""

import ctypes
import sys
import time
from pathlib import Path

leave, seconds, mark = int(sys.argv[1]) << 20, float(sys.argv[2]), Path(sys.argv[3])
cuda = ctypes.CDLL("libcuda.so.1")
device, context, where = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
free, total = ctypes.c_size_t(), ctypes.c_size_t()
cuda.cuInit(0)
cuda.cuDeviceGet(ctypes.byref(device), 0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
cuda.cuCtxSetCurrent(context)
cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
code = cuda.cuMemAlloc_v2(ctypes.byref(where), ctypes.c_size_t(free.value - leave))
cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
mark.write_text(f"{code} {free.value}")
print("holder", code, free.value >> 20, "MiB free of", total.value >> 20, flush=True)
time.sleep(seconds)
