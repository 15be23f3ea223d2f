"""Pairs of GPUs: no machine with two was at hand, so the answers for the second are made up."""

import pynvml
import pytest
from facts.replay_nvml import ReplayNvml

from fitguard.facts import gpu_links, nvml


def two_gpus(path: int = 50, access: int = 0, nvlink: int = 5) -> ReplayNvml:
    """A recorded H200 twice, and what lies between."""
    known = ReplayNvml("h200").calls
    second = {
        call.replace("gpu0", "gpu1"): answer for call, answer in known.items() if "gpu0" in call
    }
    between = {
        "nvmlDeviceGetTopologyCommonAncestor(gpu0, gpu1)": {"result": path},
        "nvmlDeviceGetP2PStatus(gpu0, gpu1, 0)": {"result": access},
        "nvmlDeviceGetP2PStatus(gpu0, gpu1, 2)": {"result": nvlink},
    }
    count = {
        "nvmlDeviceGetCount()": {"result": 2},
        "nvmlDeviceGetHandleByIndex(1)": {"result": {"handle": 1}},
    }
    return ReplayNvml("h200", {**second, **between, **count})


def test_one_gpu_has_no_links() -> None:
    assert nvml.ask(ReplayNvml("h200")).links == ()


def test_two_gpus_over_nvlink() -> None:
    (link,) = nvml.ask(two_gpus(nvlink=0)).links or ()
    assert (link.first, link.second, link.path) == (0, 1, "several-processors")
    assert (link.peer_access, link.nvlink, link.refusal) == (True, True, "")


@pytest.mark.parametrize(
    ("access", "known", "refusal"),
    [
        (2, False, "the GPUs do not support it"),
        (4, False, "a setting of the driver forbids it"),
        (6, None, ""),
    ],
)
def test_no_peer_access(access: int, known: bool | None, refusal: str) -> None:
    (link,) = gpu_links.read(two_gpus(access=access, path=10))
    assert (link.path, link.peer_access, link.refusal) == ("one-switch", known, refusal)


def test_what_nvml_refuses_is_unknown() -> None:
    refusing = two_gpus()
    for call in list(refusing.calls):
        if "gpu0, gpu1" in call:
            refusing.calls[call] = {"error": pynvml.NVML_ERROR_NOT_SUPPORTED}
    (link,) = gpu_links.read(refusing)
    assert (link.path, link.peer_access, link.nvlink) == (None, None, None)


def test_a_gpu_that_is_lost_has_no_links() -> None:
    lost = two_gpus()
    lost.calls["nvmlDeviceGetHandleByIndex(1)"] = {"error": pynvml.NVML_ERROR_GPU_IS_LOST}
    assert gpu_links.read(lost) == ()
