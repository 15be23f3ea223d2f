"""What each waiting training waits for, in words."""

from fleet.cards import ask, card, packer_of

from fitguard.fleet.waiting_reasons import explain_waits


def explain(packer):
    packer.place()
    return explain_waits(packer, lambda key: f"{key[0]}/{key[1]}")


def test_nobody_waits():
    assert explain(packer_of(24)) == {}


def test_the_most_that_is_free_and_the_card_that_is_held():
    packer = packer_of(24, 12)
    for request in (ask("a", 15), ask("b", 11), ask("c", 10), ask("d", 10)):
        packer.add(request)
    assert explain(packer) == {
        "c": "needs 10.0 GiB; held for it: n/0 (9.0 GiB free)",
        "d": "needs 10.0 GiB; the most that is free is 9.0 GiB on n/0",
    }


def test_whole_cards_and_several():
    packer = packer_of(24, 24)
    packer.add(ask("a", 24, priority=1))
    packer.add(ask("gang", 20, workers=2))
    packer.add(ask("whole", 0, whole_card=True, priority=-1, workers=2))
    assert explain(packer) == {
        "gang": "needs 20.0 GiB 2 times; held for it: n/1 (24.0 GiB free), n/0 (0 bytes free)",
        "whole": "needs a whole card 2 times; none is free",
    }


def test_cards_that_are_too_small_or_not_there():
    packer = packer_of(24)
    packer.add_card(card(1, 80, left_out="it is probed"))
    packer.add(ask("large", 60))
    packer.add(ask("other", 1, cards=("T4",)))
    assert explain(packer) == {
        "large": "needs 60.0 GiB; the largest that is there now has 24.0 GiB",
        "other": "needs 1.0 GiB; there are not enough cards now",
    }
