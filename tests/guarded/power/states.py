"""Every tree of files that a power cut may leave, for what a file system promises.

After ALICE (Pillai and others, OSDI 2014): what was not synced is on the disk or not, in groups
whose members come in their order. What the groups are is the model of a file system.

    ordered     as ext4: names in their order, and with them each `fsync`; files grow block by block
    writeback   names likewise; blocks of files in any order, zeros where they are missing
    hostile     any name, any block, any length; `fsync` is for that file, or that folder, alone
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from guarded.power.disk import (
    Cut,
    Enter,
    Extend,
    Fill,
    Leave,
    Move,
    Naming,
    Operation,
    Promise,
    Sync,
    Tree,
    Writing,
    folders_of,
)

_NAMING = (Enter, Leave, Move)
_WRITING = (Extend, Fill, Cut)
_NEWEST = 3


@dataclass(frozen=True)
class Model:
    """What a file system promises.

    Args:
        group_name: The group of a change of names; those of one group come in their order.
        group_write: Likewise of a write.
        commits_names: Whether each `fsync` has all names on the disk that were given before.
    """

    group_name: Callable[[int, Naming], Hashable]
    group_write: Callable[[int, Writing], Hashable]
    commits_names: bool


MODELS = {
    "ordered": Model(lambda *_: "names", lambda _, write: write.inode, commits_names=True),
    "writeback": Model(lambda *_: "names", lambda at, _: (at,), commits_names=True),
    "hostile": Model(lambda at, _: (at,), lambda at, _: (at,), commits_names=False),
}


@dataclass(frozen=True)
class State:
    """What may be there after a power cut.

    Args:
        cut: How many operations were done.
        contents: By path; None for a folder.
        promises: That were made before.
    """

    cut: int
    contents: dict[str, bytes | None]
    promises: tuple[Promise, ...]

    def promised(self, kind: str) -> list[Any]:
        """All of one kind, the last one newest."""
        return [promise.value for promise in self.promises if promise.kind == kind]


def build_states(
    operations: Sequence[Operation],
    kinds: dict[int, bool],
    model: Model,
    *,
    most: int,
    random: Random,
) -> Iterator[State]:
    """All states of all moments; of a moment that has more than `most`, so many at random."""
    whole = Tree()
    by_inode: dict[int, list[int]] = {}
    promises: tuple[Promise, ...] = ()
    for cut in range(len(operations) + 1):
        done = operations[:cut]
        for missing in _choose(_find_pending(done, model), most, random):
            # Only files and folders of which something is missing differ from the whole.
            differing = {inode for at in missing for inode in _touched(done[at])}
            tree = whole.copy()
            for inode in differing:
                left = [done[at] for at in by_inode[inode] if at not in missing]
                tree.redo(inode, left)
            yield State(cut, tree.contents(kinds), promises)
        if cut < len(operations):
            operation = operations[cut]
            whole.apply(operation)
            for inode in _touched(operation):
                by_inode.setdefault(inode, []).append(cut)
            if isinstance(operation, Promise):
                promises = (*promises, operation)


def _touched(operation: Operation) -> set[int]:
    """The files and folders that an operation changes."""
    if isinstance(operation, _NAMING):
        return folders_of(operation)
    return {operation.inode} if isinstance(operation, _WRITING) else set()


def _find_pending(done: Sequence[Operation], model: Model) -> list[list[int]]:
    """Groups of operations that need not be on the disk, the newest first."""
    synced: set[int] = set()
    groups: dict[Hashable, list[int]] = {}
    for at in reversed(range(len(done))):
        operation = done[at]
        if isinstance(operation, Sync):
            synced.add(operation.inode)
        elif isinstance(operation, _WRITING) and operation.inode not in synced:
            groups.setdefault(model.group_write(at, operation), []).insert(0, at)
        elif isinstance(operation, _NAMING):
            is_safe = synced if model.commits_names else folders_of(operation) <= synced
            if not is_safe:
                groups.setdefault(model.group_name(at, operation), []).insert(0, at)
    return list(groups.values())


def _choose(groups: list[list[int]], most: int, random: Random) -> Iterator[set[int]]:
    """What is missing: the tail of each group, of every length that it can have."""
    lengths = [range(len(group) + 1) for group in groups]
    if math.prod(map(len, lengths)) <= most:
        choices: Iterator[Sequence[int]] = itertools.product(*lengths)
    else:
        choices = itertools.islice(_draw(groups, random), most)
    for kept in choices:
        yield {at for group, count in zip(groups, kept, strict=True) for at in group[count:]}


def _draw(groups: list[list[int]], random: Random) -> Iterator[Sequence[int]]:
    """All; all but one of the newest; then none, all but one, one alone, or a share."""
    whole = [len(group) for group in groups]
    none = [0] * len(groups)
    yield whole
    for newest in range(min(_NEWEST, len(groups))):
        yield [*whole[:newest], 0, *whole[newest + 1 :]]
    while True:
        one, share = random.randrange(len(groups)), random.random()
        yield random.choice(
            [
                none,
                [*whole[:one], random.randrange(whole[one]), *whole[one + 1 :]],
                [*none[:one], whole[one], *none[one + 1 :]],
                [random.randint(0, count) if random.random() < share else count for count in whole],
            ]
        )
