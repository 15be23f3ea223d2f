"""The garbage collector while a step is prepared and planned."""

import gc

from fitguard.memory.collecting import sparing_old_objects, without_collecting


def test_old_objects_are_left_alone_meanwhile() -> None:
    before = gc.get_freeze_count()

    with sparing_old_objects():
        assert gc.get_freeze_count() > before + 10_000
        with sparing_old_objects():  # a plan inside of another
            pass
        assert gc.get_freeze_count() > before + 10_000

    assert gc.get_freeze_count() <= before


def test_what_the_user_froze_stays_so() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with sparing_old_objects():
            pass
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()


def test_nothing_is_collected_for_a_while() -> None:
    with without_collecting():
        with without_collecting():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
