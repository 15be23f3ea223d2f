"""What the loader finds, what lies unused, what is surely not there."""

from fitguard.schema.software import CudaLibraries, Library

FOUND = Library(component="cudnn", soname="libcudnn.so.9", path="/a/libcudnn.so.9")
UNUSED = Library(component="cudnn", soname="libcudnn.so.9", path="/b/libcudnn.so.9", searched=False)


def test_searched_and_unused():
    libraries = CudaLibraries(found=(FOUND, UNUSED))
    assert libraries.find_searched("cudnn") == (FOUND,)
    assert libraries.find_unused("cudnn") == (UNUSED,)
    assert libraries.find_searched("cudart") == ()


def test_what_is_found_is_not_lacking():
    assert CudaLibraries(found=(FOUND,), complete=True, absent={"cudnn": "x"}).lack("cudnn") is None


def test_what_lies_unused_is_lacking_on_a_searched_machine():
    assert CudaLibraries(found=(UNUSED,), complete=True).lack("cudnn")
    assert CudaLibraries(found=(UNUSED,)).lack("cudnn") is None


def test_what_was_said_to_be_absent():
    libraries = CudaLibraries(absent={"cudnn": "--what-if cudnn=none"})
    assert libraries.lack("cudnn") == "--what-if cudnn=none"
    assert libraries.lack("cudart") is None
