"""With no fault, a guarded run gives the bits of the plain script."""

from versions.trainings import KINDS, as_package, assert_same_bits, guarded, wait_finished


def test_undisturbed_trainings_give_the_bits_of_plain_keras(package, plain, tmp_path):
    with guarded(tmp_path, as_package(package), "train.py", KINDS) as run:
        wait_finished(run)
    assert_same_bits(plain, run.out)
    assert len(run.record.attempts) == 1
    assert len(run.record.fits) == len(KINDS.split(",")), "not every fit was guarded"
