"""Takes a run over for one start: the newest whole copy comes here, and the storage hears of it.

list the manifests          ──> the highest that is whole counts; one that is not is told of
the run here is of it       ──> it is as far, or further: it stays
it is not                   ──> the copy comes, each file is verified, then takes its place
write the next manifest     ──> with the same files: who had the run before has lost it
"""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.bucket import Bucket, StorageAway
from fitguard.fleet.storage.catalog import Catalog, InOtherHands, find_lacking
from fitguard.fleet.storage.manifest import OBJECTS, Manifest, Number
from fitguard.fleet.storage.node_folder import NodeFolder
from fitguard.monitor.flushing import sync_file
from fitguard.monitor.regular_files import make_folder, open_regular
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.supervise.lock import find_holder

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


@dataclass
class Claimed:
    """A run that this start has.

    Args:
        number: Of the manifest that says so.
        copies: All whole ones that are known.
        present: Digests of the objects in the storage.
    """

    number: Number
    copies: dict[Number, Manifest]
    present: set[str]


class Pull:
    """One run, on its way to this node.

    Args:
        owner: Drawn for this start: eight digits, as in the name of a manifest.
        tell: Told of each copy that is not whole.
        check: Called now and then; may raise.
    """

    def __init__(
        self,
        bucket: Bucket,
        node: NodeFolder,
        run: str,
        owner: str,
        *,
        tell: Callable[[str], None] = lambda _: None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._bucket = bucket
        self._catalog = Catalog(bucket, run)
        self._node = node
        self._run = run
        self._owner = owner
        self._tell = tell
        self._check = check
        self._torn: set[str] = set()

    def claim(self) -> Claimed:
        """Have the newest copy here, and the run.

        Raises:
            InOtherHands: where a process here trains in it, or another start was quicker.
            UnreadableInput: where there are copies and none is whole.
            StorageAway: where the storage cannot be reached.
            OSError: where this node cannot take it.
        """
        if find_holder(self._node.open_run(self._run)) is not None:
            raise InOtherHands(f"{self._run} is still guarded by a process on this node")
        copies, wrong = self._catalog.read()
        sizes = self._catalog.list_objects()
        highest = max((*copies, *wrong), default=None)
        base = self._node.find_base(self._run)
        if base is None or base != highest:
            base = self._pull(copies, wrong, sizes)
        # Where none is whole, this node has the run: another one must not begin anew meanwhile.
        usable = self._select_whole(copies, sizes) or copies
        number = Number(1 if highest is None else highest.start + 1, self._owner, 0)
        claim = usable[max(usable)] if usable else Manifest(record=RunRecord(run=self._run))
        self._catalog.write(number, claim)
        self._catalog.require(number)
        if base is not None:
            self._node.set_base(self._run, number)
        # Until then, who had the run before may have removed some.
        sizes = self._catalog.list_objects()
        whole = self._select_whole({**copies, number: claim}, sizes)
        return Claimed(number, whole, self._list_present(copies, sizes))

    def _select_whole(
        self, copies: Mapping[Number, Manifest], sizes: Mapping[str, int]
    ) -> dict[Number, Manifest]:
        return {
            number: copy
            for number, copy in copies.items()
            if not find_lacking(copy, sizes) and not copy.digests & self._torn
        }

    def _list_present(
        self, copies: Mapping[Number, Manifest], sizes: Mapping[str, int]
    ) -> set[str]:
        """The objects that are as they should be, as far as that is known."""
        named = {file.sha256: file.size_bytes for one in copies.values() for file in one.files}
        return {
            digest
            for digest, size_bytes in sizes.items()
            if digest not in self._torn and named.get(digest, size_bytes) == size_bytes
        }

    def _pull(
        self,
        copies: Mapping[Number, Manifest],
        wrong: Mapping[Number, str],
        sizes: Mapping[str, int],
    ) -> Number | None:
        """The copy that is here now; None where the storage has none."""
        passed: list[str] = []
        for number in sorted((*copies, *wrong), reverse=True):
            if passed and number in copies and not copies[number].files:
                continue  # a claim from before anything was kept: from there it would begin anew
            problem = wrong.get(number) or find_lacking(copies[number], sizes)
            problem = problem or self._bring(number, copies[number])
            if not problem:
                if passed:
                    self._tell(f"{'; '.join(passed)}. It goes on from the copy before")
                return number
            self._require_same(copies, wrong)
            passed.append(f"the copy {number} of {self._run} is not whole: {problem}")
        if passed:
            raise UnreadableInput(
                f"{'; '.join(passed)}. Expected one that is whole. To begin anew, move "
                f"{self._run}/ away in the storage"
            )
        self._require_same(copies, wrong)
        if place := self._node.set_aside(self._run):
            self._tell(
                f"the storage has nothing of {self._run}, so it begins anew. What was on this node "
                f"is in {place}"
            )
        return None

    def _require_same(self, copies: Mapping[Number, Manifest], wrong: Mapping[Number, str]) -> None:
        """What is missing may have gone for newer copies: then it is none of these that counts."""
        if self._catalog.list_numbers().keys() != {*copies, *wrong}:
            raise StorageAway(f"copies of {self._run} came and went while they were read")

    def _bring(self, number: Number, manifest: Manifest) -> str:
        """Why a copy cannot come; empty where it is here."""
        place = self._node.pulling / self._run
        try:
            bring_files(self._bucket, self._run, manifest, place, self._check)
            self._node.put_in_place(self._run, place, number)
        except NotWhole as error:
            self._torn.add(error.digest)
            return str(error)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return ""


class NotWhole(Exception):
    """A copy cannot be brought.

    Args:
        digest: Of the object that is not what was written; empty where it is not the fault of one.
    """

    def __init__(self, problem: str, digest: str = "") -> None:
        super().__init__(problem)
        self.digest = digest


def bring_files(
    bucket: Bucket, run: str, manifest: Manifest, place: Path, check: Callable[[], None]
) -> None:
    """Make a folder with all files of a copy, each verified.

    Raises:
        NotWhole: where that cannot be done, now or ever.
        StorageAway: where the storage cannot be reached.
        OSError: where they cannot be written here.
    """
    shutil.rmtree(place, ignore_errors=True)
    make_folder(place, place.parent)
    for file in manifest.files:
        try:
            make_folder((place / file.path).parent, place)
            target = os.fdopen(open_regular(place / file.path, _NEW), "wb")
        except (FileExistsError, NotADirectoryError) as error:
            raise NotWhole(f"{file.path} is a file and a folder") from error
        with target:
            name = f"{run}/{OBJECTS}/{file.sha256}"
            try:
                digest = bucket.download(name, target, file.size_bytes, check)
            except FileNotFoundError as error:
                raise NotWhole(f"{file.path} is missing", file.sha256) from error
            target.flush()
            sync_file(target.fileno())
        if digest != file.sha256:
            raise NotWhole(f"{file.path} is not what was written", file.sha256)
