"""`fitguard.fit` in a plain Python process gives what `model.fit` gives."""

from versions.trainings import as_package, assert_same_bits, train_plainly


def test_fit_from_python_gives_the_bits_of_plain_keras(package, tmp_path):
    environment = as_package(package)
    plain = train_plainly(tmp_path / "plain", environment, "train.py", "arrays")
    guarded = train_plainly(tmp_path / "guarded", environment, "fit_from_python.py")
    assert_same_bits(plain, guarded)
