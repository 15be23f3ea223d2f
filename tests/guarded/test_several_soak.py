"""100 kills and other faults of several replicas and several workers: the same bits each time.

make soak
FITGUARD_SOAK_KILLS=8 .venv/bin/pytest -m soak tests/guarded/test_several_soak.py

The second is a slice. Half of the faults hit gangs of two and three workers, one after the other:
the child, the guard or the head of one or all of them is killed, stopped or stuck. The other half
are kills of trainings with two and four replicas, and of their guards.
"""

import itertools
import os
from collections import Counter
from random import Random

import pytest
from guarded.gang_soaking import GangRow, make_gang, soak_gang
from guarded.preloaded_disk import compile_disk
from guarded.soaking import describe, soak, total
from programs import end_all

pytestmark = pytest.mark.soak
LIBRARIES = ("keras", "tf_keras")
FAULTS_A_RUN = 4


def count_faults() -> int:
    return int(os.environ.get("FITGUARD_SOAK_KILLS", "100")) // 2


@pytest.fixture
def random(capsys) -> Random:
    seed = os.environ.get("FITGUARD_SOAK_SEED") or str(Random().randrange(10**6))
    with capsys.disabled():
        print(f"\nFITGUARD_SOAK_SEED={seed}")  # noqa: T201
    return Random(seed)


def test_harmed_gangs_end_with_the_same_bits(tmp_path, capsys, random):
    kinds = ("dense", "conv", "recurrent", "attention")
    sorts = list(itertools.product(kinds, LIBRARIES, (2, 3)))
    random.shuffle(sorts)
    rows: dict[str, GangRow] = {}
    left = count_faults()
    for kind, library, workers in itertools.cycle(sorts):
        if left <= 0:
            break
        name = f"{kind} {library} {workers}"
        again = sum(one.startswith(name) for one in rows)
        folder = tmp_path / f"{kind}-{library}-{workers}-{again}"
        plain = make_gang(folder / "plain", kind, library, workers)
        if library == "keras":
            # Keras 3.15 does not train so without fitguard, which mends it.
            plain.start()
            assert plain.ended() == 0, plain.told.read_text()
        else:
            plain.train_plainly()
        gang = make_gang(folder / "harmed", kind, library, workers)
        row = soak_gang(gang, plain.results(), min(left, FAULTS_A_RUN), random)
        end_all()
        rows[f"{name} {again}"] = row
        left -= max(1, len(row.done))
        with capsys.disabled():
            print(name, row.done, f"{row.longest_seconds:.0f} s", row.faults or "same")  # noqa: T201
    counts = Counter(one for row in rows.values() for one in row.done)
    with capsys.disabled():
        print(  # noqa: T201
            f"{counts.total()} faults in {len(rows)} gangs, "
            f"{sum(row.writing for row in rows.values())} while a snapshot was written, the next "
            f"step after at most {max(row.longest_seconds for row in rows.values()):.0f} s: "
            f"{dict(counts)}"
        )
    assert not [fault for row in rows.values() for fault in row.faults]


def test_killed_replicas_end_with_the_same_bits(tmp_path, capsys, random):
    kinds = ("dense", "conv", "lstm", "attention")
    sorts = [
        f"mirrored {kind} {library} {replicas}"
        for kind, library, replicas in itertools.product(kinds, LIBRARIES, (2, 4))
    ]
    wanted = count_faults()
    chosen = random.sample(sorts, min(len(sorts), wanted))
    shares = {kind: (wanted + number) // len(chosen) for number, kind in enumerate(chosen)}
    library = compile_disk(tmp_path)
    seed = str(random.random())
    rows = {
        kind: soak(tmp_path / kind.replace(" ", "-"), kind, share, seed, library)
        for kind, share in shares.items()
    }
    with capsys.disabled():
        print(f"\n{describe(rows)}")  # noqa: T201
    everything = total(rows.values())
    assert not everything.faults, "\n".join(everything.faults)
    assert everything.kills == wanted
