"""`resolve`: the newest set that works, why not a newer one, and what would open one."""

import pytest

import fitguard
from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.supposition import suppose
from fitguard.knowledge import knowledge
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.software import Platform, Python


def resolve(**what_if):
    return fitguard.resolve(
        what_if={key.replace("_", "-"): value for key, value in what_if.items()}
    )


@pytest.mark.parametrize(
    ("what_if", "tensorflow"),
    [
        ({"gpu": "NVIDIA H200", "os": "linux-x86_64", "driver": "580.159.04"}, "2.21.0"),
        ({"gpu": "Tesla K80", "os": "linux-x86_64"}, "2.14.1"),
        ({"gpu": "GTX 980", "os": "linux-x86_64"}, "2.16.2"),
        ({"gpu": "GTX 680", "os": "linux-x86_64"}, "1.4.1"),
        ({"gpu": "Tesla T4", "os": "windows"}, "2.10.1"),
        ({"gpu": "Tesla T4", "os": "linux-x86_64", "driver": "470.82.01"}, "2.14.1"),
        ({"gpu": "Tesla T4", "os": "linux-x86_64", "driver": "418.39"}, "2.3.4"),
        ({"gpu": "Tesla T4", "os": "linux-x86_64", "python": "3.8"}, "2.13.1"),
        ({"gpu": "Tesla T4", "os": "linux-x86_64", "tf": "2.10"}, "2.10.1"),
        ({"gpu": "RTX 4090", "os": "wsl2", "driver": "551.61"}, "2.21.0"),
    ],
)
def test_newest_set(what_if, tensorflow):
    answer = fitguard.resolve(what_if=what_if)
    assert answer.ok
    assert answer.chosen.tensorflow == tensorflow, answer.rejected


def test_the_chosen_set_passes_the_doctor():
    answer = resolve(gpu="Tesla K80", os="linux-x86_64")
    chosen = answer.chosen
    facts = suppose(
        {
            "tf": chosen.tensorflow,
            "python": chosen.python,
            "cuda": chosen.cuda,
            "cudnn": chosen.cudnn,
            "driver": chosen.driver_min,
            "gpu": "Tesla K80",
        }
    )
    assert judge_machine(facts).ok


def test_the_python_is_one_that_the_extra_can_be_installed_on():
    assert resolve(gpu="Tesla K80", os="linux-x86_64").chosen.python == "3.10"


def test_says_why_newer_ones_do_not_work():
    answer = resolve(gpu="Tesla K80", os="linux-x86_64")
    newest = knowledge().tensorflow.newest.version
    assert answer.rejected[0].releases[0] == newest
    assert "FG306" in answer.rejected[0].codes
    assert "K80" in answer.rejected[0].reason


def test_an_old_gpu_gets_a_cudnn_that_still_serves_it():
    answer = resolve(gpu="GTX 1080", os="linux-x86_64")
    assert answer.chosen.tensorflow == "2.21.0"
    pip = answer.chosen.install[0].commands[2]
    assert pip == 'pip install "tensorflow[and-cuda]==2.21.0" "nvidia-cudnn-cu12<9.11"'


def test_ways_to_install_a_release_that_brings_no_cuda():
    pip, conda, container = resolve(gpu="Tesla T4", os="linux-x86_64", tf="2.10").chosen.install
    assert pip.commands[-1] == 'pip install "tensorflow==2.10.1" "numpy<2"'
    assert "CUDA 11.2" in pip.note
    assert "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0" in conda.commands
    assert container.commands == (
        "docker run --gpus all --rm -it tensorflow/tensorflow:2.10.0-gpu",
    )


def test_a_release_that_overlooks_its_own_wheels_is_shown_the_way():
    pip, conda, _ = resolve(gpu="H200", os="linux-x86_64", python="3.12", tf="2.21").chosen.install
    folder = "lib/python3.12/site-packages/nvidia/cusolver/lib"
    assert pip.commands[-1] == (
        f'export LD_LIBRARY_PATH="$VIRTUAL_ENV/{folder}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"'
    )
    assert f"$CONDA_PREFIX/{folder}" in conda.commands[-1]
    pip = resolve(gpu="H200", os="linux-x86_64", python="3.12", tf="2.20").chosen.install[0]
    assert "LD_LIBRARY_PATH" not in pip.commands[-1]


def test_windows_gets_no_container_and_its_own_shell():
    ways = resolve(gpu="Tesla T4", os="windows").chosen.install
    assert [way.way for way in ways] == ["pip", "conda"]
    assert ways[0].commands[:2] == ("py -3.10 -m venv .venv", r".venv\Scripts\activate")


def test_without_a_gpu_the_cpu_package_is_chosen():
    answer = resolve(gpu="none", os="linux-x86_64", python="3.11")
    assert answer.chosen.package == "tensorflow-cpu"
    assert answer.chosen.driver_min is answer.chosen.cuda is None
    assert all("--gpus" not in command for way in answer.chosen.install for command in way.commands)


@pytest.mark.parametrize(
    ("what_if", "change"),
    [
        ({"gpu": "Tesla T4", "tf": "2.18", "driver": "470.82.01"}, "Install driver 525.60.13"),
        ({"gpu": "Tesla T4", "tf": "2.18", "python": "3.14"}, "Use Python 3.12"),
        ({"gpu": "Tesla K80", "tf": "2.18"}, "Use TensorFlow 2.14.1"),
        ({"gpu": "Tesla T4", "tf": "2.18", "os": "windows"}, "Train in WSL2"),
        ({"gpu": "RTX 5090", "driver": "580"}, "compute capability 9.0 or older"),
        ({"gpu": "GH200", "os": "linux-aarch64"}, "Train on an x86_64 machine"),
    ],
)
def test_no_set_says_which_single_change_opens_one(what_if, change):
    answer = fitguard.resolve(what_if=what_if)
    assert not answer.ok
    assert answer.chosen is None
    assert any(change in opening.change for opening in answer.openings), answer.openings


def test_this_machine_with_pins():
    here = Facts(
        python=Python(version="3.11.7"),
        platform=Platform(system="linux", machine="x86_64"),
        gpus=(),
    )
    answer = fitguard.resolve(what_if={"tf": "2.15"}, facts=here)
    assert answer.chosen.tensorflow == "2.15.1"
    assert answer.given["python"] == "3.11"


@pytest.mark.parametrize("system", ["macos", "linux-aarch64"])
def test_systems_without_cuda_wheels_get_none(system):
    chosen = resolve(os=system).chosen
    assert (chosen.package, chosen.cuda, chosen.driver_min) == ("tensorflow", None, None)
    assert not any("nvidia" in command for way in chosen.install for command in way.commands)


def test_pins_that_a_wheel_does_not_admit():
    answer = resolve(gpu="A100", numpy="1.20")
    assert answer.chosen.tensorflow == "2.11.1"
    assert answer.rejected[0].reason == "TensorFlow 2.21.0 asks for numpy >=1.26.0"
    assert resolve(gpu="A100", numpy="1.24.0", tf="2.16", python="3.12").chosen is None
    assert resolve(gpu="A100", numpy="1.24.0", tf="2.16", python="3.11").chosen


def test_a_pinned_cuda_that_no_release_was_built_for():
    answer = resolve(gpu="Tesla T4", cuda="13.0")
    assert answer.chosen is None
    assert answer.rejected[0].codes == ("FG202",)


def test_a_pin_is_read_as_the_doctor_reads_it():
    assert resolve(gpu="T4", tf="v2.10").chosen.tensorflow == "2.10.1"


def test_another_machine_has_no_python_of_this_one():
    with pytest.raises(UsageError, match="describes another machine"):
        fitguard.resolve(what_if={"gpu": "T4"}, python="/usr/bin/python3")


@pytest.mark.parametrize("key", ["library-path", "cuda-toolkits", "extras", "package"])
def test_keys_that_describe_an_install_are_refused(key):
    with pytest.raises(UsageError, match=key):
        fitguard.resolve(what_if={key: "x"})


@pytest.mark.parametrize("version", ["", "unknown", "nan", "9" * 5000])
def test_a_python_without_a_version_is_a_clear_error(version):
    facts = Facts(python=Python(version=version), platform=Platform(system="linux"))
    with pytest.raises(UsageError, match=r"Received '.*' as the version of Python\. Expected"):
        fitguard.resolve(facts=facts)


def test_notebooks_show_a_page():
    assert "2.14.1" in resolve(gpu="Tesla K80", os="linux-x86_64")._repr_html_()
