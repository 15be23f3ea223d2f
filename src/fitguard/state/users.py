"""Whose code it is: the user's own, or that of an installed library."""

import functools
import sys
import sysconfig
import types
from pathlib import Path

_LIBRARY_FOLDERS = tuple(
    str(Path(folder))
    for key in ("stdlib", "platstdlib", "purelib", "platlib")
    if (folder := sysconfig.get_path(key))
)
_LIBRARIES = frozenset(("fitguard", "keras", "tf_keras", "tensorflow", "numpy"))
"""Wherever they lie: a source checkout, a folder of PYTHONPATH."""
_INSTALLED = {"site-packages", "dist-packages"}


def is_users(thing: types.FunctionType | type | types.ModuleType) -> bool:
    """Whether it was written by the user: it lies in no installed library."""
    if isinstance(thing, types.FunctionType):
        name, file = str(thing.__module__), thing.__code__.co_filename
    else:
        module = thing if isinstance(thing, types.ModuleType) else sys.modules.get(thing.__module__)
        name = getattr(module, "__name__", "")
        if name == "builtins" or name in sys.builtin_module_names:
            return False
        file = getattr(module, "__file__", None) or "<none>"
    return name.partition(".")[0] not in _LIBRARIES and not _is_installed(file)


@functools.lru_cache(maxsize=4096)
def _is_installed(file: str) -> bool:
    if file.startswith(_LIBRARY_FOLDERS) or "<frozen" in file:
        return True
    # Of another environment that this one looks into, by PYTHONPATH or a `.pth`.
    return bool(_INSTALLED & {*Path(file).parts})
