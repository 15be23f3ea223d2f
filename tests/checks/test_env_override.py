"""FG704: variables that turn off what a training wants."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.cluster import Cluster, ClusterTask
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu, Host
from fitguard.schema.software import Platform, TensorFlow

H200 = (Gpu(name="NVIDIA H200", compute_capability="9.0"),)
T4 = (Gpu(name="Tesla T4", compute_capability="7.5"),)
BUILT = TensorFlow(version="2.21.0", cuda_build=True)


def judged(gpus=None, tensorflow=None, platform=None, host=None, **environment):
    facts = Facts(
        environment=environment, gpus=gpus, tensorflow=tensorflow, platform=platform, host=host
    )
    return run("FG704", facts)


def test_launch_blocking():
    (finding,) = judged(CUDA_LAUNCH_BLOCKING="1").findings
    assert (finding.slug, finding.severity) == ("env-override", "warning")
    assert finding.title.startswith("CUDA_LAUNCH_BLOCKING=1: ")
    assert finding.evidence[0].source == "environment variable"
    assert "environment" in finding.evidence[1].source
    assert finding.fix.commands == ("unset CUDA_LAUNCH_BLOCKING",)


def test_windows_unsets_otherwise():
    windows = Platform(system="windows")
    (finding,) = judged(platform=windows, CUDA_LAUNCH_BLOCKING="1").findings
    assert finding.fix.commands == ("set CUDA_LAUNCH_BLOCKING=",)


@pytest.mark.parametrize(
    ("name", "value", "fires"),
    [
        ("TF_FORCE_GPU_ALLOW_GROWTH", "true", False),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "1", True),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "True", True),
        ("TF_GPU_ALLOCATOR", "cuda_malloc_async", False),
        ("TF_GPU_ALLOCATOR", "cuda_malloc", False),
        ("TF_GPU_ALLOCATOR", "async", True),
        ("CUDA_LAUNCH_BLOCKING", "0", False),
        ("KERAS_BACKEND", "tensorflow", False),
        ("KERAS_BACKEND", "torch", True),
        ("CUDA_VISIBLE_DEVICES", "-1", False),
        ("TF_CPP_MIN_LOG_LEVEL", "3", False),
    ],
)
def test_values(name, value, fires):
    assert bool(judged(**{name: value}).findings) is fires


def test_compiling_matters_only_where_it_is_needed():
    forbidden = {"CUDA_DISABLE_PTX_JIT": "1"}
    (finding,) = judged(gpus=H200, tensorflow=BUILT, **forbidden).findings
    assert finding.severity == "error"
    assert judged(gpus=T4, tensorflow=BUILT, **forbidden).passed == ("FG704",)
    assert judged(**forbidden).passed == ("FG704",)


def test_unknown_capability_needs_no_compiling():
    unknown = (Gpu(name="Graphics Device"),)
    assert judged(gpus=unknown, tensorflow=BUILT, CUDA_DISABLE_PTX_JIT="1").passed == ("FG704",)


def test_without_a_gpu_its_variables_do_nothing():
    assert judged(gpus=(), CUDA_LAUNCH_BLOCKING="1").passed == ("FG704",)
    assert judged(gpus=(), KERAS_BACKEND="jax").findings


def test_preloaded_library():
    (finding,) = judged(LD_PRELOAD="/opt/lib/libjemalloc.so:/opt/cuda/libcudnn.so.8").findings
    assert finding.title == "LD_PRELOAD forces libcudnn.so.8 on every program"
    assert judged(LD_PRELOAD="/usr/lib/libtcmalloc.so.4").passed == ("FG704",)


def test_long_values_are_cut():
    flags = "--xla_gpu_disable_gpuasm_optimizations=true " + "--xla_dump_to=/tmp " * 20
    (finding,) = judged(XLA_FLAGS=flags).findings
    assert len(finding.title) < 100
    assert finding.evidence[0].text == f"XLA_FLAGS={flags}"


def test_skips_where_the_variables_are_unknown():
    assert (
        run("FG704", Facts()).skipped[0].reason
        == "what the environment variables hold is not known"
    )


@pytest.mark.parametrize(
    ("name", "value", "fires"),
    [
        ("NCCL_P2P_DISABLE", "1", True),
        ("NCCL_P2P_DISABLE", "0", False),
        ("NCCL_SHM_DISABLE", "1", True),
        ("NCCL_DEBUG", "INFO", True),
        ("NCCL_DEBUG", "WARN", False),
    ],
)
def test_nccl_is_for_several_gpus(name, value, fires):
    assert bool(judged(gpus=(*T4, *T4), **{name: value}).findings) is fires
    assert judged(gpus=T4, **{name: value}).passed == ("FG704",)


def test_nccl_between_machines():
    tasks = tuple(ClusterTask(name=f"worker {n}", role="worker", index=n) for n in (0, 1))
    facts = Facts(
        environment={"NCCL_IB_DISABLE": "1"}, gpus=T4, cluster=Cluster(configured=True, tasks=tasks)
    )
    assert run("FG704", facts).findings[0].severity == "info"


@pytest.mark.parametrize(
    ("value", "fires"),
    [
        ("eth", False),
        ("eth0,ib", False),
        ("ib,mlx", True),
        ("=eth", True),
        ("=eth0", False),
        ("^docker", False),
        ("^eth,lo", True),
        ("^=eth0,lo", True),
        ("^=eth", False),
        ("", False),
    ],
)
def test_interfaces_for_nccl(value, fires):
    host = Host(interfaces=("lo", "eth0"))
    found = judged(gpus=(*T4, *T4), host=host, NCCL_SOCKET_IFNAME=value).findings
    assert [one.severity for one in found] == (["error"] if fires else [])
    assert judged(gpus=(*T4, *T4), NCCL_SOCKET_IFNAME=value).passed == ("FG704",)
