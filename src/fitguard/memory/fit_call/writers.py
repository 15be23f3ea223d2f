"""Functions that open files where Python does not see it, in C++ or elsewhere.

Those that write are refused, and those that read find what was written meanwhile.
"""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

_OF_TENSORFLOW = {
    "io.write_file": "write a file",
    "io.TFRecordWriter": "write a TFRecord file",
    "io.gfile.GFile": "write a file",
    "io.gfile.copy": "copy a file",
    "io.gfile.makedirs": "make a folder",
    "io.gfile.remove": "remove a file",
    "io.gfile.rename": "rename a file",
    "io.gfile.rmtree": "remove a folder",
    "saved_model.save": "save a model",
    "summary.create_file_writer": "write a log for TensorBoard",
    "data.Dataset.save": "save a dataset",
    "data.Dataset.cache": "write a dataset to a cache file",
    "train.Checkpoint.save": "save a checkpoint",
    "train.Checkpoint.write": "save a checkpoint",
    "train.CheckpointManager.save": "save a checkpoint",
}
_READS = ("r", "rb")


@contextlib.contextmanager
def refusing_writers(refuse: Callable[[str], Any], is_paused: Callable[[], bool]) -> Iterator[None]:
    """Meanwhile each of them is refused, unless it only reads."""

    def guard(original: Callable[..., Any], name: str, does: str) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            if not is_paused() and not _only_reads(name, args, kwargs):
                refuse(f"it would {does} ({name})")
            return original(*args, **kwargs)

        return call

    with contextlib.ExitStack() as stack:
        for name, does, owner, attribute in _writers():
            original = getattr(owner, attribute)
            stack.callback(setattr, owner, attribute, original)
            setattr(owner, attribute, guard(original, name, does))
        yield


@contextlib.contextmanager
def leading_readers(find: Callable[[Any], Any]) -> Iterator[None]:
    """Meanwhile `GFile` and `h5py.File` open a file where `find` says that it is."""

    def lead(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def init(self: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
            return original(self, find(name), *args, **kwargs)

        return init

    classes = []
    if "tensorflow" in sys.modules:
        classes.append(sys.modules["tensorflow"].io.gfile.GFile)
    if "h5py" in sys.modules:
        classes.append(sys.modules["h5py"].File)
    with contextlib.ExitStack() as stack:
        for cls in classes:
            stack.callback(setattr, cls, "__init__", cls.__init__)
            cls.__init__ = lead(cls.__init__)
        yield


def _writers() -> Iterator[tuple[str, str, Any, str]]:
    """Those of the libraries that the script has loaded: name, what it does, owner, attribute."""
    tensorflow = sys.modules.get("tensorflow")
    for path, does in _OF_TENSORFLOW.items() if tensorflow is not None else ():
        *owners, attribute = path.split(".")
        owner = functools.reduce(lambda one, name: getattr(one, name, None), owners, tensorflow)
        if hasattr(owner, attribute):
            yield f"tf.{path}", does, owner, attribute
    if "h5py" in sys.modules:
        yield "h5py.File", "write an HDF5 file", sys.modules["h5py"].File, "__init__"
    if "multiprocessing.process" in sys.modules:
        processes = sys.modules["multiprocessing.process"].BaseProcess
        yield "multiprocessing", "start another process", processes, "start"


def _only_reads(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """`GFile(path, mode)` and `File(self, path, mode)` read unless they are told more."""
    if name == "tf.data.Dataset.cache":  # in memory, unless a file is named
        return not (args[1:] or kwargs.get("filename"))
    if name not in ("tf.io.gfile.GFile", "h5py.File"):
        return False
    place = 1 if name == "tf.io.gfile.GFile" else 2
    given = args[place] if len(args) > place else None
    return kwargs.get("mode", given) in (None, *_READS)
