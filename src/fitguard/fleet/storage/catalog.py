"""The manifests of one run in a storage."""

from collections.abc import Mapping

import msgspec

from fitguard.fleet.storage.bucket import Bucket
from fitguard.fleet.storage.manifest import (
    MANIFESTS,
    MOST_MANIFEST_BYTES,
    OBJECTS,
    Manifest,
    NewerManifest,
    Number,
    WrongManifest,
    decode_manifest,
    is_digest,
    parse_number,
)
from fitguard.schema.exit_codes import UnreadableInput, UsageError


class InOtherHands(UsageError):
    """Another start has the run: later it may be free."""


class Catalog:
    """Reads and writes them. All of it may raise `StorageAway`."""

    def __init__(self, bucket: Bucket, run: str) -> None:
        self._bucket = bucket
        self._run = run

    def list_numbers(self) -> dict[Number, int]:
        """All of them, with their sizes in bytes."""
        found = self._bucket.list_sizes(f"{self._run}/{MANIFESTS}")
        return {number: size for name, size in found.items() if (number := parse_number(name))}

    def list_objects(self) -> dict[str, int]:
        """The digests of all contents, with their sizes in bytes."""
        found = self._bucket.list_sizes(f"{self._run}/{OBJECTS}")
        return {name: size for name, size in found.items() if is_digest(name)}

    def read(self) -> tuple[dict[Number, Manifest], dict[Number, str]]:
        """All manifests; of those that are none, what is wrong with them.

        Raises:
            UnreadableInput: where one was written by a newer fitguard.
        """
        copies: dict[Number, Manifest] = {}
        wrong: dict[Number, str] = {}
        for number, size_bytes in self.list_numbers().items():
            try:
                copies[number] = self.read_one(number, size_bytes)
            except WrongManifest as error:
                wrong[number] = f"its manifest: {error}"
            except FileNotFoundError:
                continue  # a newer one has come meanwhile
        return copies, wrong

    def read_one(self, number: Number, size_bytes: int = 0) -> Manifest:
        """One of them.

        Raises:
            WrongManifest: where it is none.
            UnreadableInput: where it was written by a newer fitguard.
            FileNotFoundError: where it is gone.
        """
        if size_bytes > MOST_MANIFEST_BYTES:
            raise WrongManifest(f"it has {size_bytes} bytes")
        name = f"{self._run}/{MANIFESTS}/{number}"
        try:
            return decode_manifest(self._bucket.read(name, MOST_MANIFEST_BYTES))
        except NewerManifest as error:
            raise UnreadableInput(f"the copy {number} of {self._run}: {error}") from error

    def write(self, number: Number, manifest: Manifest) -> None:
        """Have a copy count, from now on.

        Raises:
            WrongManifest: where nobody could read it: the copy before would be given up for it.
        """
        content = msgspec.json.encode(manifest)
        if len(content) > MOST_MANIFEST_BYTES:
            raise WrongManifest(
                f"it would have {len(content)} bytes. Expected {MOST_MANIFEST_BYTES} at most"
            )
        decode_manifest(content)
        self._bucket.write(f"{self._run}/{MANIFESTS}/{number}", content)

    def require(self, number: Number) -> dict[Number, int]:
        """All of them, if no other start has the run by now.

        Raises:
            InOtherHands: where one has.
        """
        numbers = self.list_numbers()
        highest = max(numbers, default=number)
        if highest[:2] > number[:2]:
            raise InOtherHands(f"another start of {self._run} has the run by now")
        return numbers

    def remove(self, number: Number) -> None:
        """Forget a copy."""
        self._bucket.remove(f"{self._run}/{MANIFESTS}/{number}")

    def remove_object(self, digest: str) -> None:
        """Remove a content that no copy needs."""
        self._bucket.remove(f"{self._run}/{OBJECTS}/{digest}")


def find_lacking(manifest: Manifest, sizes: Mapping[str, int]) -> str:
    """What of a copy is not in the storage as it should be; empty for nothing.

    Args:
        sizes: Of all objects.
    """
    for file in manifest.files:
        found = sizes.get(file.sha256)
        if found is None:
            return f"{file.path} is missing"
        if found != file.size_bytes:
            return f"{file.path} has {found} bytes instead of {file.size_bytes}"
    return ""
