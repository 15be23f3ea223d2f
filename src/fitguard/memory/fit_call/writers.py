"""Functions that write files where Python does not see it, from C++ or elsewhere: refused."""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

_OF_TENSORFLOW = (
    *("io.write_file", "io.TFRecordWriter", "io.gfile.remove", "io.gfile.rename"),
    *("io.gfile.rmtree", "io.gfile.copy", "io.gfile.makedirs", "io.gfile.GFile"),
    *("saved_model.save", "summary.create_file_writer", "data.Dataset.save"),
    "data.Dataset.cache",
    *("train.Checkpoint.save", "train.Checkpoint.write", "train.CheckpointManager.save"),
)
_READS = ("r", "rb")


@contextlib.contextmanager
def refusing_writers(refuse: Callable[[str], Any], is_paused: Callable[[], bool]) -> Iterator[None]:
    """Meanwhile each of them is refused, unless it only reads."""

    def guard(original: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            if not is_paused() and not _only_reads(name, args, kwargs):
                refuse(f"it would write with {name}")
            return original(*args, **kwargs)

        return call

    with contextlib.ExitStack() as stack:
        for name, owner, attribute in _writers():
            original = getattr(owner, attribute)
            stack.callback(setattr, owner, attribute, original)
            setattr(owner, attribute, guard(original, name))
        yield


def _writers() -> Iterator[tuple[str, Any, str]]:
    """Those of the libraries that the script has loaded: name, owner, attribute."""
    tensorflow = sys.modules.get("tensorflow")
    for path in _OF_TENSORFLOW if tensorflow is not None else ():
        *owners, attribute = path.split(".")
        owner = functools.reduce(lambda one, name: getattr(one, name, None), owners, tensorflow)
        if hasattr(owner, attribute):
            yield f"tf.{path}", owner, attribute
    if "h5py" in sys.modules:
        yield "h5py.File", sys.modules["h5py"].File, "__init__"
    if "multiprocessing.process" in sys.modules:
        processes = sys.modules["multiprocessing.process"].BaseProcess
        yield "another process", processes, "start"


def _only_reads(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """`GFile(path, mode)` and `File(self, path, mode)` read unless they are told more."""
    if name == "tf.data.Dataset.cache":  # in memory, unless a file is named
        return not (args[1:] or kwargs.get("filename"))
    if name not in ("tf.io.gfile.GFile", "h5py.File"):
        return False
    place = 1 if name == "tf.io.gfile.GFile" else 2
    given = args[place] if len(args) > place else None
    return kwargs.get("mode", given) in (None, *_READS)
