"""The catalog of hooks against the sources of all Keras releases that are supported."""

import pytest
from contract.releases import Release, wheels

from fitguard.contract.catalog import HOOKS
from fitguard.contract.hooks import Role, Service
from fitguard.contract.libraries import PACKAGES, Library
from fitguard.contract.verifying import hooks_of
from fitguard.knowledge.supported import table
from fitguard.schema.versions import parse

_WHEELS = wheels()


def test_every_minor_version_that_is_supported_is_here() -> None:
    here = {(package, parse(version)[:2]) for package, version in map(str.split, _WHEELS)}
    for row in table().rows:
        (major, first), (_, last) = parse(row.oldest), parse(row.newest)
        minors = {(row.package, (major, minor)) for minor in range(first, last + 1)}
        if row.package in PACKAGES:
            assert not minors - here, "scripts/fetch_keras_releases.sh names and fetches them"


@pytest.mark.parametrize("name", _WHEELS)
def test_each_hook_is_in_each_release(name: str) -> None:
    library = Library.parse(name)
    release = Release(library.package, _WHEELS[name])
    hooks = list(hooks_of(library))
    found = {hook.name: release.parameters(hook.module, hook.name) for hook in hooks}
    assert found == {hook.name: hook.parameters for hook in hooks}


@pytest.mark.parametrize("name", _WHEELS)
def test_each_release_has_one_hook_for_the_steps(name: str) -> None:
    roles = [hook.role for hook in hooks_of(Library.parse(name)) if hook.service is Service.FIT]
    for role in (Role.FIT, Role.DATA_MADE, Role.STEPS, Role.DATA_RUN_OUT, Role.TRAIN_BEGINS):
        assert roles.count(role) == 1


def test_hooks_are_written_once() -> None:
    places = [(hook.package, hook.module, hook.name) for hook in HOOKS]
    assert len(places) == len(set(places))


def test_a_release_that_does_not_tell_its_version_is_taken_for_the_newest() -> None:
    names = [hook.name for hook in hooks_of(Library("keras"))]
    assert "Trainer.fit" in names
    assert "EpochIterator._enumerate_iterator" in names
    assert not {"Model.fit", "TFEpochIterator.enumerate_epoch"} & set(names)
