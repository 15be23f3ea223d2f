"""500 kills at random moments: every run ends with the bits of the undisturbed one.

The child is killed, or its parent, which is then resumed; the disk fails in between. Nothing is
left behind: no process, and no file outside of the run folder.

make soak
FITGUARD_SOAK_KILLS=20 FITGUARD_SOAK_SEED=7 .venv/bin/pytest -m soak tests/guarded/test_soak.py

The second is a slice of some minutes. Where FITGUARD_SOAK_TALLY names a file, slices are added up
there.
"""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import pytest
from guarded.preloaded_disk import compile_disk
from guarded.soaking import add_to_tally, describe, soak, total

LEAST_KILLS = 4
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
    "files_checkpoints",
    "files_pictures",
)


def share_out(wanted, random):
    """Kills by script; a small slice takes some scripts, or most of its time would be starts."""
    kinds = random.sample(KINDS, min(len(KINDS), -(-wanted // LEAST_KILLS)))
    return {kind: (wanted + number) // len(kinds) for number, kind in enumerate(kinds)}


@pytest.mark.soak
def test_killed_at_random_moments_the_result_is_the_same_to_the_bit(tmp_path, capsys):
    wanted = int(os.environ.get("FITGUARD_SOAK_KILLS", "500"))
    seed = os.environ.get("FITGUARD_SOAK_SEED") or str(Random().randrange(10**6))
    tally = os.environ.get("FITGUARD_SOAK_TALLY")
    library = compile_disk(tmp_path)
    shares = share_out(wanted, Random(seed))
    # Programs are started by the main thread of a process.
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fork) as pool:
        waiting = {
            kind: pool.submit(soak, tmp_path / kind, kind, share, seed, library)
            for kind, share in shares.items()
        }
        rows = {kind: future.result() for kind, future in waiting.items()}
    with capsys.disabled():
        print(f"\nFITGUARD_SOAK_SEED={seed}\n{describe(rows)}")  # noqa: T201
        if tally:
            print(f"\nall slices\n{describe(add_to_tally(Path(tally), rows))}")  # noqa: T201
    everything = total(rows.values())
    assert not everything.faults, "\n".join(everything.faults)
    assert everything.kills == wanted
    assert everything.torn > 0 or wanted < 50
