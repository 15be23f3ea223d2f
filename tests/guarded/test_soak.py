"""Two hundred kills at random moments: every run ends with the bits of the undisturbed one.

make soak
FITGUARD_SOAK_KILLS=20 FITGUARD_SOAK_SEED=7 .venv/bin/pytest -m soak tests/guarded/test_soak.py
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.killing import Kills, kill_at_random
from guarded.results import difference

KINDS = (
    "dense_arrays",
    "cnn_tf_data",
    "lstm_pydataset",
    "attention_generator",
    "several_fits",
    "gan_train_step",
    "mixed_float16",
    "steps_per_execution",
    "tf_keras_dense",
    "custom_loop",
)
MOST_KILLS_A_RUN = 5
OFTEN = ("--snapshot-seconds", "0.1")


@dataclass
class Row:
    """All runs of one script."""

    runs: int = 0
    kills: int = 0
    torn: int = 0
    repeated: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, kills: Kills, repeated: int, fault: str) -> None:
        self.runs += 1
        self.kills += kills.count
        self.torn += kills.torn
        self.repeated += repeated
        if fault:
            self.faults.append(fault)


def soaked(folder, kind, wanted, seed, undisturbed):
    """Run one script again and again until so many kills have hit it, or one did harm."""
    row, random = Row(), Random(f"{seed} {kind}")
    while row.kills < wanted and not row.faults:
        with GuardedRun(folder / str(row.runs), f"{kind}.py", options=OFTEN) as run:
            kills = kill_at_random(run, random, min(MOST_KILLS_A_RUN, wanted - row.kills))
            ended = run.wait()
            fault = ""
            if ended.code:
                fault = f"{kills.moments}: exit code {ended.code}: {ended.text[-600:]}"
            elif different := difference(undisturbed, run.out):
                fault = f"{kills.moments}: {different}"
            row.add(kills, sum(attempt.steps_lost for attempt in run.record.attempts), fault)
    return row


def table(rows):
    """One line a script, and the sum."""
    lines = [f"{'script':22}{'runs':>6}{'kills':>7}{'in writing':>12}{'repeated':>10}  identical"]
    rows = {**rows, "all": total(rows.values())}
    for kind, row in rows.items():
        identical = f"{row.runs - len(row.faults)} of {row.runs}"
        lines.append(
            f"{kind:22}{row.runs:6}{row.kills:7}{row.torn:12}{row.repeated:10}  {identical}"
        )
    return "\n".join(lines)


def total(rows):
    """All scripts together."""
    whole = Row()
    for row in rows:
        whole.runs += row.runs
        whole.kills += row.kills
        whole.torn += row.torn
        whole.repeated += row.repeated
        whole.faults += row.faults
    return whole


@pytest.mark.soak
def test_killed_at_random_moments_the_result_is_the_same_to_the_bit(tmp_path, capsys):
    wanted = int(os.environ.get("FITGUARD_SOAK_KILLS", "200"))
    seed = os.environ.get("FITGUARD_SOAK_SEED") or str(Random().randrange(10**6))
    shares = {kind: (wanted + number) // len(KINDS) for number, kind in enumerate(KINDS)}

    def whole(kind):
        folder = tmp_path / kind
        folder.mkdir()
        undisturbed = folder / "plain.npz"
        plain = run_plain(f"{kind}.py", undisturbed)
        assert plain.code == 0, plain.text
        return soaked(folder, kind, shares[kind], seed, undisturbed)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = dict(zip(KINDS, pool.map(whole, KINDS), strict=True))
    with capsys.disabled():
        print(f"\nFITGUARD_SOAK_SEED={seed}\n{table(rows)}")  # noqa: T201
    everything = total(rows.values())
    assert not everything.faults, "\n".join(everything.faults)
    assert everything.kills == wanted
    assert everything.torn > 0 or wanted < 20
