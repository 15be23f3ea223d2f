"""Interpreters and GPUs that cannot be probed: a result with its reason, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest
from programs import make_python

from fitguard.facts.nvml import NvmlFacts
from fitguard.probes import target
from fitguard.probes.devices import Device, list_devices
from fitguard.probes.probing import run_probes
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu, GpuProcess

OLDEST = Path("~/.pyenv/versions/2.7.18/bin/python").expanduser()


def gpu(index: int = 0, **fields) -> Gpu:
    return Gpu(index=index, name="NVIDIA H200", uuid=f"GPU-{index}", origin="NVML", **fields)


def devices_of(*gpus: Gpu, environment=None) -> tuple[Device, ...]:
    return list_devices("all", environment or {}, lambda: NvmlFacts(gpus=gpus))


@pytest.mark.parametrize(
    ("body", "status", "detail", "cause"),
    [
        ("raise ImportError('libcudart.so.11.0: cannot open shared object file: No such file or "
         "directory')", "fail", "libcudart.so.11.0", "cuda-missing"),
        ("import os; os.kill(os.getpid(), 4)", "crash", "SIGILL", "cpu-isa"),
        ("raise SystemExit(3)", "crash", "exit code 3", None),
    ],
)  # fmt: skip
def test_a_tensorflow_that_does_not_import(tmp_path, body, status, detail, cause):
    report = run_probes(only=["matmul-float32"], python=make_python(tmp_path, body))
    first, *others = report.results
    assert (first.name, first.status) == ("import-tensorflow", status)
    assert detail in first.detail
    assert first.diagnosis is not None
    if cause is not None:
        assert first.diagnosis.primary == cause
    assert {result.status for result in others} == {"skip"}
    assert not report.ok
    # Nothing was computed, so nothing is said of the CPU.
    assert report.notes == ()


def test_a_tensorflow_of_the_first_generation_is_skipped(tmp_path):
    report = run_probes(
        only=["matmul-float32"], python=make_python(tmp_path, "__version__ = '1.15.5'")
    )
    assert {result.status for result in report.results} == {"skip"}
    assert "Probes need TensorFlow 2.0 or newer" in report.results[0].detail
    assert report.tensorflow == "1.15.5"


def test_an_interpreter_without_tensorflow(tmp_path):
    import venv

    venv.create(tmp_path / "empty", with_pip=False, symlinks=True)
    report = run_probes(python=str(tmp_path / "empty" / "bin" / "python"))
    assert report.results[0].status == "fail"
    assert "No module named 'tensorflow'" in report.results[0].detail
    assert report.results[0].diagnosis.primary == "package-conflict"


def test_a_file_that_is_no_program_is_told(tmp_path):
    junk = tmp_path / "python"
    junk.write_bytes(b"\x7fELFjunk")
    junk.chmod(0o755)
    with pytest.raises(UsageError, match="Exec format error"):
        run_probes(python=str(junk))


@pytest.mark.skipif(not OLDEST.exists(), reason="no Python 2.7 here")
def test_python_2_reads_all_files_that_run_there():
    files = [str(file) for file in Path(target.__file__).parent.rglob("*.py")]
    code = "import sys\nfor name in sys.argv[1:]: compile(open(name, 'rb').read(), name, 'exec')"
    done = subprocess.run([OLDEST, "-c", code, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_python_2_could_read_them_here_too():
    """Without a Python 2.7 at hand: what is not ASCII needs its line."""
    for file in Path(target.__file__).parent.rglob("*.py"):
        content = file.read_bytes()
        assert content.isascii() or content.startswith(b"# -*- coding: utf-8 -*-\n"), (
            f"{file.name}: Received characters beyond ASCII. Expected `# -*- coding: utf-8 -*-` "
            "in its first line: Python 2.7 stops without it"
        )


@pytest.mark.parametrize(
    ("mode", "holder", "closed"),
    [
        ("Exclusive_Process", GpuProcess(pid=4711, name="python"), "process 4711 python"),
        ("Exclusive_Process", GpuProcess(pid=1, name="nvidia-cuda-mps-server"), ""),
        ("Exclusive_Process", GpuProcess(pid=4711, name="python", own=True), ""),
        ("Default", GpuProcess(pid=4711, name="python"), ""),
        ("Prohibited", None, "forbids all programs"),
    ],
)
def test_a_gpu_that_lets_nobody_in_is_known_beforehand(mode, holder, closed):
    (device,) = devices_of(gpu(compute_mode=mode, processes=(holder,) if holder else ()))
    assert closed in device.closed
    assert bool(device.closed) is bool(closed)


def test_a_closed_gpu_is_skipped_without_a_process():
    taken = gpu(compute_mode="Exclusive_Process", processes=(GpuProcess(pid=4711, name="python"),))
    report = run_probes(devices=devices_of(taken), python=sys.executable)
    assert {result.status for result in report.results} == {"skip"}
    assert "4711 python" in report.notes[0]
    assert not report.ok
    assert report.tensorflow == ""


def test_a_part_of_a_gpu_is_shown_as_it_was_named():
    parted = gpu(mig_enabled=True)
    (device,) = devices_of(parted, environment={"CUDA_VISIBLE_DEVICES": "MIG-1234"})
    assert device.environment == {"CUDA_VISIBLE_DEVICES": "MIG-1234"}
    assert device.label == "GPU 0 (MIG)"


def test_a_container_without_the_gpu_is_probed_on_the_cpu():
    (device,) = list_devices("all", {}, lambda: NvmlFacts())
    assert (device.label, device.is_gpu) == ("CPU", False)
