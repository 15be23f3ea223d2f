"""`--what-if` keys become facts; what cannot be gets a clear error."""

import json

import pytest

from fitguard.environment.supposition import KEYS, parse_arguments, read_file, suppose
from fitguard.schema.exit_codes import UnreadableInput, UsageError


def test_nothing_given_is_nothing_known():
    facts = suppose({})
    assert (
        facts.tensorflow is facts.gpus is facts.driver is facts.libraries is facts.packages is None
    )


def test_all_keys():
    given = {
        "tf": "2.10", "package": "tensorflow-gpu", "extras": "none", "keras": "2.10.0",
        "tf-keras": "2.15.0", "python": "3.10", "cuda": "11.2", "cudnn": "8.1",
        "driver": "470.82.01", "gpu": "Tesla T4", "compute-capability": "7.5",
        "numpy": "1.23.5", "protobuf": "3.19.6", "os": "wsl2",
        "library-path": "/usr/local/cuda-11.2/lib64", "cuda-toolkits": "11.2,11.8",
    }  # fmt: skip
    assert given.keys() == KEYS.keys()
    facts = suppose(given)
    assert facts.tensorflow.version == "2.10.1"
    assert facts.tensorflow.origin == "--what-if tf=2.10"
    assert facts.python.version == "3.10"
    assert facts.platform.wsl
    assert facts.driver.version == "470.82.01"
    assert facts.gpus[0].compute_capability == "7.5"
    assert {package.name for package in facts.packages.found} == {
        "keras", "tf-keras", "numpy", "protobuf", "tensorflow-gpu",
    }  # fmt: skip
    assert [toolkit.version for toolkit in facts.libraries.toolkits] == ["11.2", "11.8"]
    assert facts.libraries.candidates("cudart")[0].found_by == "LD_LIBRARY_PATH"


def test_none_is_surely_not_there():
    facts = suppose({"gpu": "none", "driver": "none"})
    assert facts.gpus == ()
    assert facts.driver.absent


def test_people_write_versions_loosely():
    assert suppose({"driver": "R536"}).driver.version == "536"
    assert suppose({"cuda": "10.x"}).libraries.candidates("cudart")[0].version == "10"
    assert suppose({"tf": "v2.15.0.post1"}).tensorflow.version == "2.15.0.post1"
    assert suppose({"tf": "2.15.0"}).tensorflow.version == "2.15.0"
    assert suppose({"tf": "2.21.0-dev20250729"}).tensorflow.version == "2.21.0"
    assert suppose({"cudnn": "8600"}).libraries.candidates("cudnn")[0].version == "8.6.0"
    assert suppose({"cudnn": "90300"}).libraries.candidates("cudnn")[0].version == "9.3.0"
    assert suppose({"cudnn": "5.0.5"}).libraries.candidates("cudnn")[0].version == "5.0.5"
    assert suppose({"keras": "2.2.4-tf"}).packages is None


def test_of_a_minor_the_patch_for_this_python_counts():
    assert suppose({"tf": "2.6", "python": "3.6"}).tensorflow.version == "2.6.2"
    assert suppose({"tf": "2.6"}).tensorflow.version == "2.6.5"


def test_and_cuda_brings_its_pins():
    libraries = suppose({"tf": "2.18.0", "extras": "and-cuda"}).libraries
    assert libraries.candidates("cudart")[0].version == "12.5.82"
    assert libraries.candidates("cudnn")[0].version == "9.3.0.75"
    assert libraries.candidates("cudnn")[0].package == "nvidia-cudnn-cu12"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("tf=2.10.7", "the 2.10 releases are 2.10.0, 2.10.1"),
        ("tf=7", "1.0.0 to 2.21.0"),
        ("tf=latest", "Expected a version"),
        ("gpu=GTX 9999", "Names like it"),
        ("gpu=GTX 860M", "3.0 and 5.0"),
        ("cuda=15.3", "no known CUDA toolkit"),
        ("cudnn=4.0", "no known cuDNN"),
        ("cuda=abc", "Expected a version"),
        ("driver=12", "Expected a version such as 535"),
        ("python=5.1", "such as 3.11"),
        ("os=beos", "linux-x86_64"),
        ("package=torch", "tensorflow-gpu"),
        ("extras=and-rocm", "and-cuda"),
        ("compute-capability=42.0", "one that exists"),
        ("cuda-toolkits=11.2,banana", "Expected a version"),
    ],
)
def test_wrong_values_say_what_was_expected(argument, message):
    with pytest.raises(UsageError, match="Received") as caught:
        suppose(parse_arguments([argument]))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tf"], "Expected KEY=VALUE"),
        (["tf="], "Expected KEY=VALUE"),
        (["tff=2.10"], "Did you mean tf?"),
        (["tf=2.10", "tf=2.11"], "twice"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(UsageError) as caught:
        parse_arguments(arguments)
    assert message in str(caught.value)


def test_file(tmp_path):
    file = tmp_path / "combination.json"
    file.write_text(json.dumps({"tf": "2.10.1", "driver": 535, "cuda_toolkits": ["11.2", "12.2"]}))
    assert read_file(file) == {"tf": "2.10.1", "driver": "535", "cuda-toolkits": "11.2,12.2"}


def test_file_of_a_windows_editor(tmp_path):
    file = tmp_path / "combination.json"
    file.write_bytes(b'\xef\xbb\xbf{"tf": "2.10.1"}')
    assert read_file(file) == {"tf": "2.10.1"}


@pytest.mark.parametrize(
    ("what_if", "message"),
    [
        ({"tensorflow": "1.4.1"}, "Received the key 'tensorflow'"),
        ({"tf": 2.1}, "2.10 and 2.1 are one number"),
        ({"tf": None}, "Received tf=None"),
        ({"gpu": True}, "Received gpu=True"),
        ({"keras": "99"}, "no known keras"),
        ({"cuda": "9" * 5000}, "Expected a version"),
    ],
)
def test_wrong_python_values(what_if, message):
    with pytest.raises(UsageError) as caught:
        suppose(what_if)
    assert message in str(caught.value)


def test_underscores_are_hyphens():
    assert suppose({"compute_capability": "3.7"}).gpus[0].compute_capability == "3.7"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"tf": "2.10",\n oops}', "line 2"),
        (b"[1, 2]", "Received a list"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'{"tff": "2.10"}', "Did you mean tf?"),
        (b'{"tf": 2.10}', "Expected text in quotes"),
        (b'{"tf": null}', "Received tf=None"),
    ],
)
def test_broken_file(tmp_path, content, message):
    file = tmp_path / "broken.json"
    file.write_bytes(content)
    with pytest.raises(UnreadableInput) as caught:
        read_file(file)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(UnreadableInput, match="No such file"):
        read_file(tmp_path / "none.json")
