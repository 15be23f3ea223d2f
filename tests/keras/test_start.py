"""Other arguments and settings are told from those that fitguard or a queue sets anew."""

import sys

import pytest

from fitguard.keras.start import digest_start


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train.py", "--epochs", "3"])
    monkeypatch.delenv("KILL", raising=False)


def test_the_same_start(monkeypatch):
    before = digest_start()
    monkeypatch.setattr(sys, "argv", ["/elsewhere/train.py", "--epochs", "3"])
    monkeypatch.setenv("TF_GPU_ALLOCATOR", "cuda_malloc_async")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert digest_start() == before


@pytest.mark.parametrize(
    "name", ["HOSTNAME", "USER", "HOME", "KUBERNETES_PORT", "DB_SERVICE_HOST", "DB_PORT_1_TCP"]
)
def test_another_host_is_no_other_start(monkeypatch, name):
    before = digest_start()
    monkeypatch.setenv(name, "other")
    assert digest_start() == before


def test_another_argument_or_setting(monkeypatch):
    before = digest_start()
    monkeypatch.setenv("KILL", "7")
    assert digest_start() != before
    monkeypatch.delenv("KILL")
    monkeypatch.setattr(sys, "argv", ["train.py", "--epochs", "4"])
    assert digest_start() != before
