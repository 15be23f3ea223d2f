"""In which order XLA runs the kernels: of several orders it takes the one that needs least."""

import heapq
from collections import Counter
from collections.abc import Callable, Sequence

from fitguard.memory.xla.kernels import Kernel

Order = list[int]
Rank = tuple[int, int, int]


class Dependencies:
    """Which kernel reads what another one wrote.

    Args:
        kernels: In any order in which each stands behind what it reads.
        sizes: Bytes of each value that lives in temporary memory; others cost nothing.
        inside: Bytes that each kernel needs while it runs.
    """

    def __init__(
        self, kernels: Sequence[Kernel], sizes: dict[int, int], inside: Sequence[int]
    ) -> None:
        self.kernels = kernels
        self.sizes = sizes
        self.inside = inside
        writer = {value: index for index, one in enumerate(kernels) for value in one.writes}
        self.before = [
            sorted({writer[value] for value in kernel.reads if value in writer})
            for kernel in kernels
        ]
        self.after: list[list[int]] = [[] for _ in kernels]
        for index, needed in enumerate(self.before):
            for producer in needed:
                self.after[producer].append(index)

    def size(self, values: Sequence[int]) -> int:
        return sum(self.sizes.get(value, 0) for value in values)


def orders(dependencies: Dependencies) -> list[Order]:
    """The orders that XLA's memory scheduler compares."""
    return [
        _depth_first(dependencies, lambda index: (index, 0, 0)),
        _depth_first(dependencies, _by_extra_users(dependencies)),
        _Greedy(dependencies).order(),
    ]


def _depth_first(dependencies: Dependencies, key: Callable[[int], Rank]) -> Order:
    """Each kernel right after what it needs, starting from the kernels that nobody waits for."""
    order: Order = []
    seen: set[int] = set()
    stack = [(index, False) for index, users in enumerate(dependencies.after) if not users][::-1]
    while stack:
        index, ready = stack.pop()
        if ready:
            order.append(index)
        elif index not in seen:
            seen.add(index)
            stack.append((index, True))
            operands = sorted(dependencies.before[index], key=key, reverse=True)
            stack.extend((operand, False) for operand in operands if operand not in seen)
    return order


def _by_extra_users(dependencies: Dependencies) -> Callable[[int], Rank]:
    """First the operand with most further users among all that it depends on, then the larger."""
    users: list[int] = []
    total: list[int] = []
    most = 0
    for index, kernel in enumerate(dependencies.kernels):
        own = dependencies.size(kernel.writes)
        most += own
        needed = dependencies.before[index]
        further = max(len(dependencies.after[index]) - 1, 0)
        users.append(further + sum(users[operand] for operand in needed))
        total.append(min(own + sum(total[operand] for operand in needed), most))
    return lambda index: (-users[index], -total[index], index)


class _Greedy:
    """Always the kernel that frees most, of those whose operands are there."""

    def __init__(self, dependencies: Dependencies) -> None:
        self.all = dependencies
        self.reads = [sorted(set(kernel.reads)) for kernel in dependencies.kernels]
        self.left = Counter(value for reads in self.reads for value in reads)
        self.waiting = [len(needed) for needed in dependencies.before]
        self.readers: dict[int, list[int]] = {}
        for index, reads in enumerate(self.reads):
            for value in reads:
                self.readers.setdefault(value, []).append(index)

    def order(self) -> Order:
        done: dict[int, None] = {}
        ready = [self._rank(index) for index, count in enumerate(self.waiting) if not count]
        heapq.heapify(ready)
        while ready:
            index = heapq.heappop(ready)[2]
            if index not in done:
                done[index] = None
                for user in self._record_run(index):
                    if user not in done and not self.waiting[user]:
                        heapq.heappush(ready, self._rank(user))
        return list(done)

    def _record_run(self, index: int) -> list[int]:
        """The kernels that can run now, or that free more than before, because this one ran."""
        changed = list(self.all.after[index])
        for user in changed:
            self.waiting[user] -= 1
        for value in self.reads[index]:
            self.left[value] -= 1
            if self.left[value] == 1:
                changed += self.readers[value]
        return changed

    def _rank(self, index: int) -> Rank:
        kernel = self.all.kernels[index]
        freed = self.all.size([value for value in self.reads[index] if self.left[value] == 1])
        gain = freed - self.all.size(kernel.writes) - self.all.inside[index]
        return (-gain, -len(self.all.after[index]), index)
