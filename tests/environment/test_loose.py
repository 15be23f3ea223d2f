"""What people write of their machines: read what can be read, note the rest, never fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fitguard.environment.loose import suppose_loosely
from fitguard.environment.loose_surroundings import KEYS as SURROUNDINGS
from fitguard.environment.supposition import KEYS
from fitguard.schema.facts import Facts


def read(**what_if: str) -> Facts:
    """Facts from values that can all be read."""
    facts, notes = suppose_loosely(what_if)
    assert notes == []
    return facts


def version(key: str, value: str) -> str | None:
    """The version that is read for a key; None where it is noted and left out."""
    facts, notes = suppose_loosely({key: value})
    libraries = facts.libraries.found if facts.libraries else ()
    packages = facts.packages.found if facts.packages else ()
    known = [facts.tensorflow, facts.python, facts.driver, *libraries, *packages]
    found = [item.version for item in known if item is not None]
    assert bool(found) != bool(notes)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("driver", "R536", "536"),
        ("driver", "535.104.05", "535.104.05"),
        ("driver", "Driver Version: 470.57.02   CUDA Version: 11.4", "470.57.02"),
        ("cuda", "10.x", "10"),
        ("cuda", "v11.2", "11.2"),
        ("cuda", "CUDA 11.8", "11.8"),
        ("cuda", "CUDA11.2", "11.2"),
        ("cuda", "10.1 (image)", "10.1"),
        ("cuda", "10.1, cuDNN 7.6", "10.1"),
        ("cuda", "11.2/8.1", "11.2"),
        ("cuda", "cu118", "11.8"),
        ("cuda", "13.0 (nvidia-smi), cu12 wheels", "12"),
        ("cudnn", "11.2/8.1", "8.1"),
        ("cudnn", "7.6.5 for CUDA 10.1", "7.6.5"),
        ("cudnn", "8", "8"),
        ("tf", "tf-nightly-gpu 2.5.0.dev20201125", "2.5.3"),
        ("tf", "v2.4.0-49-g85c8b2a817f 2.4.1", "2.4.1"),
        ("tf", "TensorFlow 2.10", "2.10.1"),
        ("tf", "1.15.5+nv22.2", "1.15.5"),
        ("tf", "2.9-era", "2.9.3"),
        ("tf", "2.10.1 (installed with pip 22.3)", "2.10.1"),
        ("python", "3.8.10 (default, Nov 26 2021)", "3.8.10"),
        ("python", "Anaconda 3.7", "3.7"),
        ("numpy", "1.19.5", "1.19.5"),
        ("keras", "3.x", "3"),
    ],
)
def test_versions_as_people_write_them(key: str, value: str, expected: str) -> None:
    assert version(key, value) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("driver", "460.73 -> 460.80"),
        ("driver", "367.44 kernel / 352.99 libcuda"),
        ("driver", "the newest"),
        ("cuda", "12.2 (nvidia-smi)"),
        ("cuda", "10.1, 10.2"),
        ("cuda", "7.0 and 7.5"),
        ("tf", "2.x"),
        ("tf", "1.13-1.15"),
        ("tf", "2.99"),
        ("tf", "latest"),
        ("python", "3"),
        ("keras", "0.0.0.0"),
    ],
)
def test_what_does_not_mean_one_version_is_noted(key: str, value: str) -> None:
    _, notes = suppose_loosely({key: value})
    assert len(notes) == 1
    assert notes[0].startswith(f"{key}=")


@pytest.mark.parametrize("key", [*KEYS, *SURROUNDINGS])
@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_value_says_nothing(key: str, value: str) -> None:
    facts, notes = suppose_loosely({key: value})
    assert facts == Facts()
    assert len(notes) == 1


@pytest.mark.parametrize("value", ["none, laptop", "None", "no NVIDIA GPU"])
def test_no_gpu_and_no_driver_are_facts(value: str) -> None:
    assert read(gpu=value).gpus == ()
    driver = read(driver=value).driver
    assert driver is not None
    assert driver.absent


@pytest.mark.parametrize(
    ("value", "names", "capabilities", "gib"),
    [
        ("2x GTX 1060 6GB", ["GTX 1060 6GB"] * 2, ["6.1"] * 2, 6),
        ("8xA100", ["A100"] * 8, ["8.0"] * 8, None),
        ("4x 3090", ["3090"] * 4, ["8.6"] * 4, 24),
        ("4 V100", ["V100"] * 4, ["7.0"] * 4, None),
        ("GTX 1080 Ti x2", ["GTX 1080 Ti"] * 2, ["6.1"] * 2, 11),
        ("2080Ti", ["2080Ti"], ["7.5"], 11),
        ("GTX 660M (CC 3.0)", ["GTX 660M"], ["3.0"], 2),
        ("RTX 50 series (CC 12.0)", ["RTX 50 series"], ["12.0"], None),
        ("V100, T4", ["V100", "T4"], ["7.0", "7.5"], None),
        ("Tesla P40 24G", ["Tesla P40 24G"], ["6.1"], 24),
    ],
)
def test_gpus(value: str, names: list[str], capabilities: list[str], gib: int | None) -> None:
    gpus = read(gpu=value).gpus
    assert gpus is not None
    assert [gpu.name for gpu in gpus] == names
    assert [gpu.compute_capability for gpu in gpus] == capabilities
    assert [gpu.index for gpu in gpus] == list(range(len(names)))
    assert gpus[0].memory_bytes == (gib * 2**30 if gib else None)
    assert gpus[0].origin == f"--what-if gpu={value}"


@pytest.mark.parametrize("value", ["laptop GPU", "Tegra X1", "GTX 9999"])
def test_a_gpu_of_an_unknown_model_is_still_a_gpu(value: str) -> None:
    facts, notes = suppose_loosely({"gpu": value})
    assert facts.gpus is not None
    assert [(gpu.name, gpu.compute_capability) for gpu in facts.gpus] == [(value, None)]
    assert "architecture stays unknown" in notes[0]


def test_a_name_of_several_models_is_told_apart_by_the_capability() -> None:
    facts, notes = suppose_loosely({"gpu": "RTX 6000", "compute-capability": "sm_75"})
    assert facts.gpus is not None
    assert [gpu.compute_capability for gpu in facts.gpus] == ["7.5"]
    assert notes == []


def test_nobody_has_a_million_gpus() -> None:
    gpus = suppose_loosely({"gpu": "99x RTX 3090"})[0].gpus
    assert gpus is not None
    assert len(gpus) == 64


@pytest.mark.parametrize(
    ("value", "system", "wsl"),
    [
        ("Ubuntu 20.04 on WSL2", "linux", True),
        ("Windows Subsystem for Linux", "linux", True),
        ("Windows 11 + WSL2 Ubuntu 22.04", "linux", True),
        ("Ubuntu 20.04", "linux", False),
        ("CentOS 7.9", "linux", False),
        ("Win10", "windows", False),
        ("Windows Server 2019", "windows", False),
        ("Darwin 21.6", "macos", False),
        ("Mac OS X", "macos", False),
        ("Jetson Nano", "linux", False),
    ],
)
def test_systems(value: str, system: str, wsl: bool) -> None:
    platform = read(os=value).platform
    assert platform is not None
    assert (platform.system, platform.wsl) == (system, wsl)


def test_packages_and_extras_as_they_stand_in_commands() -> None:
    facts = read(tf="2.15", package="pip install tensorflow[and-cuda]==2.15", extras="[and-cuda]")
    assert facts.tensorflow is not None
    assert (facts.tensorflow.package, facts.tensorflow.extras) == ("tensorflow", ("and-cuda",))


def test_the_keras_inside_tensorflow_is_no_package() -> None:
    assert read(keras="2.2.4-tf").packages is None


@pytest.mark.parametrize(
    ("value", "runtime"),
    [
        ("docker --gpus all", "docker"),
        ("Colab (free)", "docker"),
        ("Kaggle image", "docker"),
        ("registry.example/nvidia/tensorflow:22.02-tf2-py3", "docker"),
        ("tensorflow/tensorflow:2.10.0-gpu-jupyter", "docker"),
        ("kubernetes (EKS)", "kubernetes"),
        ("learner pod", "kubernetes"),
        ("singularity 3.4", "singularity"),
        ("podman", "podman"),
        ("none, bare metal", None),
    ],
)
def test_containers(value: str, runtime: str | None) -> None:
    container = read(container=value).container
    assert container is not None
    assert (container.runtime, container.evidence) == (runtime, f"--what-if container={value}")


@pytest.mark.parametrize("value", ["cluster", "SGE mpirun", "node 17"])
def test_what_may_be_no_container_is_noted(value: str) -> None:
    facts, notes = suppose_loosely({"container": value})
    assert facts == Facts()
    assert notes == [f"container={value}: tells nothing of the container that is known"]


@pytest.mark.parametrize(
    ("value", "avx"),
    [
        ("Celeron J4125", False),
        ("Intel Celeron N4505 @ 2.00GHz", False),
        ("i7 920 (VM)", False),
        ("Xeon X5650", False),
        ("12 cores, SSE4.2 only", False),
        ("old box without AVX", False),
        ("i5-3230M (AVX, no AVX2/FMA)", True),
        ("Pentium G7400", None),
        ("E3-1245 V2", None),
        ("Xeon E5-2670", None),
        ("i7-4790", None),
        ("AMD EPYC", None),
    ],
)
def test_processors(value: str, avx: bool | None) -> None:
    cpu = read(cpu=value).cpu
    assert cpu is not None
    assert (cpu.model, cpu.origin) == (value, f"--what-if cpu={value}")
    assert (None if cpu.features is None else "avx" in cpu.features) is avx


@pytest.mark.parametrize(
    ("value", "package", "extras"),
    [
        ("pip", None, None),
        ("pip tensorflow[and-cuda]", "tensorflow", ("and-cuda",)),
        ("pip install tensorflow-cpu", "tensorflow-cpu", None),
        ("conda tensorflow-gpu", "tensorflow-gpu", None),
    ],
)
def test_ways_of_installing(value: str, package: str | None, extras: tuple[str] | None) -> None:
    tensorflow = read(tf="2.15", install=value).tensorflow
    assert tensorflow is not None
    assert (tensorflow.package, tensorflow.extras) == (package, extras)


@pytest.mark.parametrize(("value", "installer"), [("conda-forge", "conda"), ("conda + pip", None)])
def test_conda_builds_its_own(value: str, installer: str | None) -> None:
    packages = suppose_loosely({"tf": "2.15", "install": value})[0].packages
    found = packages.found if packages is not None else ()
    assert [package.installer for package in found] == ([installer] if installer else [])


@pytest.mark.parametrize("value", ["@tensorflow/tfjs-node-gpu", "stardist", "source"])
def test_an_unknown_way_of_installing_is_noted(value: str) -> None:
    facts, notes = suppose_loosely({"tf": "2.15", "install": value})
    assert facts.packages is None
    assert notes == [f"install={value}: tells nothing of the install that is known"]


def test_one_bad_value_costs_itself_only() -> None:
    facts, notes = suppose_loosely({"tf": "2.10", "driver": "?", "psu": "750W", "gpu": "T4"})
    assert facts.tensorflow is not None
    assert facts.gpus is not None
    assert facts.driver is None
    assert [note.split(":")[0] for note in notes] == ["driver=?", "psu=750W"]


def test_keys_in_any_spelling() -> None:
    assert read(**{" CUDA ": "11.2", "Compute_Capability": "8.6"}).gpus


@pytest.mark.parametrize("key", [*KEYS, *SURROUNDINGS, "psu", ""])
@pytest.mark.parametrize(
    "garbage",
    ["9" * 10_000, "1." * 5_000, "x" * 10_000, "(" * 10_000, "2x " * 3_000, "\x00\x1b[31m\n" * 999],
    ids=["digits", "dots", "letters", "brackets", "counts", "controls"],
)
def test_garbage_is_no_error_and_makes_no_long_notes(key: str, garbage: str) -> None:
    _, notes = suppose_loosely({key: garbage})
    assert all(len(note) < 500 for note in notes)


@given(
    st.dictionaries(
        st.sampled_from([*KEYS, *SURROUNDINGS, "psu"]),
        st.text(alphabet=st.sampled_from("0123456789.xX ,;()/->vRcuGTnoe+&\n"), max_size=30),
    )
)
@settings(max_examples=300, deadline=None)
def test_nothing_is_an_error(what_if: dict[str, str]) -> None:
    facts, notes = suppose_loosely(what_if)
    assert isinstance(facts, Facts)
    assert len(notes) <= len(what_if)
