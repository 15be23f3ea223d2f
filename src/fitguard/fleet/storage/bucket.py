"""Storage that fsspec reaches, as far as a fleet needs it: objects that come and go as a whole.

Its file systems raise whatever their libraries raise. Here it is one of two things: it is not
there, or it cannot be reached now.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from fitguard.schema.exit_codes import UsageError
from fitguard.words import one_line, short

_CHUNK_BYTES = 8 * 2**20
_LONGEST = 200
_WITH_FOLDERS = ("file", "local", "sftp", "ssh", "smb", "hdfs", "webhdfs", "arrow_hdfs")
"""A file has to have a folder there. Elsewhere, making one would make a bucket."""
_OF_ONE_PROCESS = ("memory",)
_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "sftp": "paramiko",
    "ssh": "paramiko",
    "hdfs": "pyarrow",
}


class StorageAway(Exception):
    """It cannot be reached, or refuses: later it may not."""


class NodeLacks(UsageError):
    """A package is missing on this machine."""


def require_url(url: str) -> None:
    """Refuse what cannot be the storage of a fleet, whatever is installed.

    Raises:
        UsageError: where it cannot.
    """
    parts = urlsplit(url)
    if "::" in url or parts.query or parts.fragment:
        problem = "one address, without :: or ? or #"
    elif parts.password:
        # It would be in documents, and in the list of processes.
        shown = f"{parts.scheme}://…@{parts.hostname}{parts.path}"
        raise UsageError(
            f"Received --storage {shown} with a password. Expected it without: what the storage "
            "asks for belongs into the environment of the nodes"
        )
    elif parts.scheme in _OF_ONE_PROCESS:
        problem = "one that all nodes reach: that one is in the memory of one process"
    else:
        return
    raise UsageError(f"Received --storage {url}. Expected {problem}")


class Bucket:
    """The objects below an address.

    Raises:
        NodeLacks: where fsspec, or what it needs for the address, is not installed here.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._fs, root = _open(url)
        self._root = root.rstrip("/")
        self._has_folders = urlsplit(url).scheme in _WITH_FOLDERS

    def list_sizes(self, folder: str) -> dict[str, int]:
        """The files below a folder with their sizes, by their paths in it.

        Raises:
            StorageAway: where it cannot be reached.
        """
        path = self._locate(folder)
        with _naming_failures():
            self._fs.invalidate_cache()
            found = self._find(path)
            return {
                name.rpartition(f"{path}/")[2]: info["size"] or 0
                for name, info in found.items()
                if info["type"] == "file"
            }

    def read(self, name: str, most_bytes: int) -> bytes:
        """An object, as far as it is not longer.

        Raises:
            FileNotFoundError: where it is not there.
            StorageAway: where it cannot be reached.
        """
        with _naming_failures():
            self._require_file(name)
            content: bytes = self._fs.cat_file(self._locate(name), start=0, end=most_bytes)
            return content

    def write(self, name: str, content: bytes) -> None:
        """Make an object, or replace it.

        Raises:
            StorageAway: where that cannot be done now.
        """
        with _naming_failures(is_read=False):
            self._make_room(name)
            self._fs.pipe_file(self._locate(name), content)

    def upload(self, file: Path, name: str) -> None:
        """Likewise with what a file holds."""
        with _naming_failures(is_read=False):
            self._make_room(name)
            self._fs.put_file(str(file), self._locate(name))

    def download(
        self, name: str, file: BinaryIO, size_bytes: int, check: Callable[[], None]
    ) -> str:
        """Copy an object into a file; its digest. Of a longer one, only so much and a byte more.

        Args:
            check: Called now and then; may raise.

        Raises:
            FileNotFoundError: where it is not there.
            StorageAway: where it cannot be reached.
        """
        digest, left = hashlib.sha256(), size_bytes + 1
        with _naming_failures():
            self._require_file(name)
            source = self._fs.open(self._locate(name), "rb", block_size=_CHUNK_BYTES)
        with contextlib.closing(source):
            while left:
                check()
                with _naming_failures():
                    part = source.read(min(_CHUNK_BYTES, left))
                if not part:
                    break
                digest.update(part)
                file.write(part)
                left -= len(part)
        return digest.hexdigest()

    def remove(self, name: str) -> None:
        """Remove an object; it may be gone already.

        Raises:
            StorageAway: where that cannot be done now.
        """
        with _naming_failures(), contextlib.suppress(FileNotFoundError):
            self._fs.rm_file(self._locate(name))

    def _locate(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _find(self, path: str) -> dict[str, Any]:
        if not self._has_folders:
            found: dict[str, Any] = self._fs.find(path, detail=True)
            return found
        try:
            # Usually it passes over what it cannot list: then a run would begin anew.
            found = self._fs.find(path, detail=True, on_error="raise")
        except FileNotFoundError:
            with contextlib.suppress(FileNotFoundError):
                self._fs.info(path)
                raise StorageAway("something went while it was listed") from None
            return {}
        return found

    def _require_file(self, name: str) -> None:
        """A folder that somebody filled by hand may hold links, and what never ends."""
        self._fs.invalidate_cache()
        info = self._fs.info(self._locate(name))
        if info["type"] != "file" or info.get("islink"):
            raise FileNotFoundError(f"{name} is no regular file")

    def _make_room(self, name: str) -> None:
        if self._has_folders:
            self._fs.makedirs(self._locate(name).rpartition("/")[0], exist_ok=True)


def _open(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise NodeLacks(
            f"fsspec, which reaches {url}, is not installed. Expected it: pip install "
            '"fitguard[ray]"'
        ) from error
    protocol = urlsplit(url).scheme
    try:
        opened: tuple[Any, str] = url_to_fs(url)
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        said = f"pip install {package}" if package else one_line(str(error))
        raise NodeLacks(
            f"what fsspec needs for {protocol}:// is not installed. Expected it: {said}"
        ) from error
    except Exception as error:  # whatever its library makes of the address
        raise UsageError(
            f"Received --storage {url}: {describe_failure(error)}. Expected an address that fsspec "
            "knows: s3://BUCKET/FOLDER, gs://BUCKET/FOLDER"
        ) from error
    return opened


def describe_failure(error: Exception) -> str:
    """An error of a library, in one line."""
    said = short(one_line(str(error)), _LONGEST)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


@contextlib.contextmanager
def _naming_failures(*, is_read: bool = True) -> Iterator[None]:
    try:
        yield
    except StorageAway:
        raise
    except Exception as error:  # each library has its own
        if is_read and isinstance(error, FileNotFoundError):
            raise
        raise StorageAway(describe_failure(error)) from error
