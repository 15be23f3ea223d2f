"""An attribute that is replaced for a while is what it was again, and a missing one is told."""

import pytest

from fitguard.contract.replacing import replaced


class Base:
    def named(self):
        return "base"


class Derived(Base):
    pass


def test_what_only_the_class_had_is_the_classs_again():
    one = Derived()
    with replaced(one, "named", lambda: "other"):
        assert one.named() == "other"
    assert one.named() == "base"
    assert "named" not in vars(one)


def test_what_was_there_comes_back_after_an_error():
    before = Base.named
    with pytest.raises(RuntimeError), replaced(Base, "named", None):
        raise RuntimeError
    assert Base.named is before


def test_a_name_that_has_moved_is_told():
    told = pytest.raises(AttributeError, match="has no renamed: fitguard does not know")
    with told, replaced(Base, "renamed", None):
        pass
