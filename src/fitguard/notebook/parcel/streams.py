"""Open files: what the training process would write into a copy of one is lost."""

import io
import sys
from typing import TYPE_CHECKING, Any

from fitguard.state.not_carried import NotCarried

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker

_OPEN = (io.TextIOWrapper, io.BufferedIOBase, io.RawIOBase)


def pack_stream(value: Any, _: "Packer") -> Any:
    """The name of what the notebook shows its output with; None for what is no stream."""
    for name in ("stdout", "stderr"):
        if value is getattr(sys, name):
            return name
    if isinstance(value, _OPEN) and not isinstance(value, io.BytesIO):
        raise NotCarried("it is an open file", "Open it where it is used, or give its path.")
    return None


def make_stream(name: str, _: "Unpacker") -> Any:
    """That of this process."""
    return getattr(sys, name)
