"""Facts by parameter name: given ones, derived ones, and missing ones."""

import pytest

from fitguard.checks.framework.fixtures import FactResolver, Missing, _fixtures, needs
from fitguard.checks.framework.registry import check
from fitguard.knowledge import knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, Python


def call(function, facts):
    return FactResolver(facts, knowledge()).call(function, needs(function))


def version_of(python):
    return python.version


def test_a_given_fact():
    assert call(version_of, Facts(python=Python(version="3.11"))) == "3.11"


def test_a_missing_fact_has_a_reason():
    with pytest.raises(Missing, match="the Python version is not known"):
        call(version_of, Facts())


@pytest.mark.parametrize(("complete", "reason"), [(True, "not installed"), (False, "not known")])
def test_a_missing_package(complete, reason):
    with pytest.raises(Missing, match=f"tf-keras is {reason}"):
        call(lambda tf_keras: tf_keras, Facts(packages=Packages(complete=complete)))


def test_a_package_by_its_name():
    packages = Packages((Package(name="tf-keras", version="2.18.0"),))
    assert call(lambda tf_keras: tf_keras.version, Facts(packages=packages)) == "2.18.0"


def test_a_fact_that_can_be_done_without():
    def both(python=None, release=None):
        return python, release

    python = Python(version="3.11")
    assert call(both, Facts(python=python)) == (python, None)


def test_a_misspelt_fact_fails_when_the_check_is_declared():
    def old_python(pyton):
        return pyton

    with pytest.raises(ValueError, match=r"'pyton' of old_python.*Did you mean python"):
        check("FG799", "old-python")(old_python)


def test_a_misspelt_fact_of_a_fixture_fails_too(monkeypatch):
    def twisted(cudn):
        return cudn

    monkeypatch.setitem(_fixtures, "twisted", (twisted, needs(twisted)))
    with pytest.raises(ValueError, match=r"'cudn' of twisted.*Did you mean cudnn"):
        check("FG799", "old-python")(lambda twisted: twisted)
