import ctypes
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pynvml
import pytest
from facts.replay_nvml import RECORDINGS, ReplayNvml

from fitguard.facts import nvml

ROOT = Path(__file__).parents[2]


def test_versions_and_gpus() -> None:
    facts = nvml.ask(ReplayNvml("h200"))
    assert (facts.version, facts.cuda, facts.error) == ("580.159.04", "13.0", None)
    assert [gpu.name for gpu in facts.gpus or ()] == ["NVIDIA H200"]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
        (pynvml.NVML_ERROR_DRIVER_NOT_LOADED, "NVML_ERROR_DRIVER_NOT_LOADED"),
        (pynvml.NVML_ERROR_NO_PERMISSION, "NVML_ERROR_NO_PERMISSION"),
        (pynvml.NVML_ERROR_UNKNOWN, "NVML_ERROR_UNKNOWN"),
    ],
)
def test_nvml_that_does_not_open_says_why(code: int, name: str) -> None:
    facts = nvml.ask(ReplayNvml("h200", {"nvmlInit()": {"error": code}}))
    assert facts.error is not None
    assert facts.error.startswith(f"{name}: ")
    assert len(facts.error) > len(name) + 5
    assert facts.gpus is None


def test_no_library_is_no_error() -> None:
    missing = {"nvmlInit()": {"error": pynvml.NVML_ERROR_LIBRARY_NOT_FOUND}}
    assert nvml.ask(ReplayNvml("h200", missing)) == nvml.NvmlFacts()


def test_version_survives_when_gpus_cannot_be_counted() -> None:
    changes = {"nvmlDeviceGetCount()": {"error": pynvml.NVML_ERROR_UNKNOWN}}
    facts = nvml.ask(ReplayNvml("h200", changes))
    assert facts.version == "580.159.04"
    assert facts.error == "NVML_ERROR_UNKNOWN: Unknown Error"


def test_gpus_survive_when_the_version_is_refused() -> None:
    changes = {
        "nvmlSystemGetDriverVersion()": {"error": pynvml.NVML_ERROR_UNKNOWN},
        "nvmlSystemGetCudaDriverVersion()": {"error": pynvml.NVML_ERROR_FUNCTION_NOT_FOUND},
    }
    facts = nvml.ask(ReplayNvml("h200", changes))
    assert (facts.version, facts.cuda) == (None, None)
    assert len(facts.gpus or ()) == 1


@pytest.mark.parametrize(("number", "text"), [(12040, "12.4"), (9020, "9.2"), (13000, "13.0")])
def test_cuda_version_as_people_write_it(number: int, text: str) -> None:
    changes = {"nvmlSystemGetCudaDriverVersion()": {"result": number}}
    assert nvml.ask(ReplayNvml("h200", changes)).cuda == text


def test_empty_library_file_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "libnvidia-ml.so.1"
    broken.touch()
    assert "file too short" in (nvml.read(str(broken)).error or "")


def test_without_a_library_the_slow_binding_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "pynvml")
    assert nvml.read(str(tmp_path / "libnvidia-ml.so.1")) == nvml.NvmlFacts()
    assert "pynvml" not in sys.modules


def recorder() -> ModuleType:
    path = ROOT / "scripts" / "record_nvml.py"
    spec = importlib.util.spec_from_file_location("record_nvml", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_recording_of_a_replay_is_the_recording() -> None:
    recording = json.loads((RECORDINGS / "h200.json").read_text())["calls"]
    second = recorder().Recorder(ReplayNvml("h200"))
    assert nvml.ask(second) == nvml.ask(ReplayNvml("h200"))
    assert second.calls == {call: recording[call] for call in second.calls}
    assert len(second.calls) >= 20


def test_recorder_writes_what_the_binding_gives_and_no_serials() -> None:
    module = recorder()
    memory = pynvml.c_nvmlMemory_t(total=3, free=2, used=1)
    assert module.plain(memory) == {"struct": {"total": 3, "free": 2, "used": 1}}
    values = (pynvml.c_nvmlFieldValue_t * 1)()
    values[0].value.uiVal = 5
    assert module.plain(values)[0]["struct"]["value"]["struct"]["uiVal"] == 5
    assert module.plain(ctypes.create_string_buffer(b"x").value) == "x"
    nvml_with_uuid = ReplayNvml("h200", {"nvmlDeviceGetUUID(gpu0)": {"result": "GPU-1234"}})
    recorded = module.Recorder(nvml_with_uuid)
    assert (nvml.ask(recorded).gpus or ())[0].uuid == "GPU-1234"
    assert "GPU-1234" not in json.dumps(recorded.calls)


def test_recorder_runs_without_msgspec(tmp_path: Path) -> None:
    """As on a GPU host that has Python and pynvml.py alone."""
    import subprocess

    (tmp_path / "pynvml.py").write_text(Path(pynvml.__file__).read_text())
    target = tmp_path / "out.json"
    command = [sys.executable, "-S", str(ROOT / "scripts" / "record_nvml.py"), str(target)]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "nvmlInit()" in json.loads(target.read_text())["calls"]
