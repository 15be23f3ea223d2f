"""The libraries that what-if arguments suppose."""

import pytest

from fitguard.environment.supposition import parse_arguments, suppose


def libraries(*arguments):
    return suppose(parse_arguments(arguments)).libraries


def test_none_is_surely_not_there_and_the_rest_unknown():
    found = libraries("cuda=none")
    assert found.lack("cudart") == "--what-if cuda=none"
    assert found.lack("cudnn") is None
    assert libraries("cudnn=none").lack("cudnn") == "--what-if cudnn=none"
    assert libraries("cudnn=none").lack("cudart") is None


def test_nothing_supposed_is_a_whole_machine():
    assert not libraries("tf=2.15", "extras=and-cuda", "cuda=none").complete


def test_a_folder_on_the_library_path_holds_a_whole_toolkit():
    found = libraries("library-path=/usr/local/cuda-11.8/lib64/:/opt/own")
    assert found.library_path == ("/usr/local/cuda-11.8/lib64/", "/opt/own")
    assert {item.soname for item in found.found} >= {"libcudart.so.11.0", "libcusolver.so.11"}
    assert found.found[0].path == "/usr/local/cuda-11.8/lib64/libcudart.so.11.0"


@pytest.mark.parametrize(
    "folder", ["/opt/own", "/usr/local/cuda/lib64", "/usr/local/cuda-99.9/lib"]
)
def test_a_folder_that_tells_no_toolkit_holds_nothing(folder):
    assert libraries(f"library-path={folder}").found == ()


def test_the_extra_brings_all_that_tensorflow_asks_for():
    found = libraries("tf=2.15.1", "extras=and-cuda")
    assert {item.component for item in found.found} == {
        *("cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cudnn")
    }
    assert all(item.searched and item.package.endswith("-cu12") for item in found.found)


def test_the_extra_of_an_old_release_brings_nothing():
    assert libraries("tf=2.13", "extras=and-cuda").found == ()


def test_toolkits_are_searched_where_nothing_else_is_named():
    found = libraries("cuda-toolkits=11.8,12.2").candidates("cudart")
    assert [(item.version, item.searched) for item in found] == [("11.8", True), ("12.2", True)]


@pytest.mark.parametrize("other", ["cuda=11.8", "cuda=none", "library-path=/opt/cuda-11.8/lib64"])
def test_toolkits_lie_unused_beside_what_is_named(other):
    found = libraries("cuda-toolkits=12.2", other)
    (unused,) = found.find_unused("cudart")
    assert unused.path == "/usr/local/cuda-12.2/lib64/libcudart.so.12"
    assert "not on the loader's path" in unused.found_by


def test_a_toolkit_on_the_library_path_is_not_counted_twice():
    found = libraries("cuda-toolkits=11.8,12.2", "library-path=/usr/local/cuda-12.2/lib64")
    assert [item.version for item in found.candidates("cudart")] == ["12.2", "11.8"]
    assert [item.version for item in found.find_searched("cudart")] == ["12.2"]
