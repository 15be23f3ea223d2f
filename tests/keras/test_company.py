"""A training that is alone asks nobody, and obeys its own guard."""

import pytest
from guarded.attempts import session_in

from fitguard.keras.company import Company
from fitguard.keras.gang import Gang, find_company
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.gang import GangOrders
from fitguard.schema.journal import INEXACT, Noted
from fitguard.schema.run import Place

PLACE = Place(fit=1, step=3, total_steps=3)


@pytest.fixture
def session(tmp_path):
    return session_in(tmp_path / "run")


@pytest.fixture
def store(session):
    return SnapshotStore(session.folder.snapshots)


@pytest.fixture
def company(session, store):
    return find_company(session, store, lambda: pytest.fail("it does not wait for its writer"))


def save(store, fit, **more):
    store.save(Content({"mark": fit, **more}, {}), Place(fit=fit, total_steps=3))


def test_orders_say_which_one_it_is(company, store, tmp_path):
    orders = GangOrders(round=1, worker=0, workers=2)
    session = session_in(tmp_path / "worker", gang=orders)

    assert type(company) is Company
    assert type(find_company(session, store, lambda: None)) is Gang


@pytest.mark.parametrize("wish", ["none", "snapshot", "leave"])
def test_wishes_of_its_own_guard_are_obeyed_at_once(company, session, wish):
    Heartbeat(session.folder.heartbeat).wish(wish)

    assert company.read_wish(PLACE) == wish
    assert company.is_leaving(1) == (wish == "leave")


@pytest.mark.parametrize("wanted", [True, False])
def test_snapshots_and_ends_are_kept_where_its_own_clock_wants_them(company, wanted):
    assert company.is_due(PLACE, wanted=wanted) == wanted
    assert company.keeps_end(1, wanted=wanted) == wanted


def test_nothing_is_told_of_others(company, session):
    for fit in (1, 2):
        company.call_begins(fit)
    company.note_unguarded()

    assert company.list_complete() is None
    assert company.describe() == {}
    assert company.describe_resized(Content({"workers": 3}, {})) == []
    assert session.events() == []


def test_it_goes_on_from_the_furthest_that_fits(company, store, session):
    save(store, 1)
    save(store, 2)

    assert company.find_saved(2, lambda _: "It is of another model.") is None
    assert company.find_saved(1, lambda _: "").document["mark"] == 1

    (noted,) = session.events()
    assert isinstance(noted, Noted)
    assert (noted.kind, noted.fit) == (INEXACT, 2)
    assert "It is of another model." in noted.text


@pytest.mark.parametrize(("several", "left"), [(False, [1]), (True, [3, 1])])
def test_what_is_rejected_takes_later_ones_along_unless_threads_trained(
    company, store, several, left
):
    for fit in (1, 2, 3):
        save(store, fit, several=several)

    company.reject(store.newest(2), "It is of another model.")

    assert [place.fit for place in store.list_places()] == left
