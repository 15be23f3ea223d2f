"""Xids as they come: NVML's events, else the kernel's log."""

import os
import time

import pynvml
from facts.replay_nvml import ReplayNvml

from fitguard.monitor.sampling.gpus import GpuReader
from fitguard.monitor.sampling.xids import XidWatch

WAIT = "nvmlEventSetWait_v2(gpu1, 1000)"
REGISTER = "nvmlDeviceRegisterEvents(gpu0, 8, gpu1)"
REFUSED = {"error": pynvml.NVML_ERROR_NOT_SUPPORTED}
LINE = "4,{},{},-;NVRM: Xid (PCI:0000:00:06): {}, pid=7, name=python3\n"


def watch(changes, kmsg=None, waited=None):
    reader = GpuReader({}, lambda: ReplayNvml("h200", changes))
    waits = (lambda seconds: waited.append(seconds)) if waited is not None else time.sleep
    more = {} if kmsg is None else {"kmsg": kmsg}
    return XidWatch(reader, waits, **more)


def test_nothing_happens_for_a_second():
    assert watch({}).wait_for(1.0) == {}


def test_nvml_tells_of_an_xid():
    event = {"struct": {"device": {"handle": 0}, "eventData": 79}}
    seen = watch({WAIT: {"result": event}, "nvmlDeviceGetIndex(gpu0)": {"result": 0}})
    assert seen.wait_for(1.0) == {"gpu_xid:0": 79}
    assert seen.missing == ""


def test_where_nvml_does_not_tell_the_kernel_does(tmp_path):
    log = tmp_path / "kmsg"
    log.write_text(LINE.format(1, 1000, 13))
    waited = []
    seen = watch({REGISTER: REFUSED}, log, waited)
    with log.open("a") as file:
        file.write(LINE.format(2, 2000, 31))
    assert seen.wait_for(1.0) == {"gpu_xid:0": 31}
    assert seen.wait_for(1.0) == {}
    assert waited == [1.0, 1.0]
    seen.close()


def test_where_nobody_tells_it_is_said(tmp_path):
    seen = watch({REGISTER: REFUSED}, tmp_path / "kmsg", [])
    assert seen.wait_for(1.0) == {}
    assert "Xid errors are not seen while it runs" in seen.missing
    assert os.strerror(2) in seen.missing


def test_a_lost_gpu_does_not_make_it_run_in_circles():
    waited = []
    seen = watch({WAIT: {"error": pynvml.NVML_ERROR_GPU_IS_LOST}}, waited=waited)
    for _ in range(3):
        seen.wait_for(1.0)
    assert waited == [1.0, 1.0]
    seen.close()
