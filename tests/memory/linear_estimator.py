"""An estimator whose answers are a straight line: a stand-in where the trace does not matter."""

from fitguard.memory.estimate import Estimate
from fitguard.schema.plan import Range


class Linear:
    """`fixed + batch * each` bytes, the range 10 % around; it counts how often it is asked."""

    def __init__(self, fixed: int, each: int, jump: int = 0) -> None:
        self.mode = "graph"
        self.fixed, self.each, self.jump = fixed, each, jump
        self.asked: list[int] = []

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:  # noqa: ARG002
        self.asked.append(batch_size)
        # Workspaces come and go with the batch: a bump that a straight line does not have.
        bump = self.jump if batch_size % 3 == 0 else 0
        size = self.fixed + batch_size * self.each + bump
        span = Range(int(0.9 * size), size, int(1.1 * size))
        return Estimate(required=span, comfortable=span)
