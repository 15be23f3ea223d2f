"""Python state, read in one "process" and written in another: a module that is loaded again."""

import importlib.util
import itertools
import json
import sys
from argparse import Namespace
from collections import UserDict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from fitguard.state.bulk import MUCH
from fitguard.state.graph import Graph
from fitguard.state.keeper import Keeper, only_changes
from fitguard.state.picture import SMALL_BYTES

SCRIPT = """
import array, collections, dataclasses, datetime, decimal, enum, fractions, io, itertools, random
import numpy as np
import tensorflow as tf

counts, total = {"a": 1}, 0
beta = tf.Variable(0.0)
source, generator = random.Random(3), np.random.default_rng(5)
large = np.zeros(LARGE)

class Mood(enum.Enum):
    GOOD = 1
    BAD = 2

@dataclasses.dataclass
class Record:
    loss: float
    tags: list

class Slotted:
    __slots__ = ("count",)
    def __init__(self):
        self.count = 0

class Held:
    seen, number = [], 0

    def __init__(self):
        self.list = [1, 2]
        self.shared, self.recent = self.list, collections.deque([1], maxlen=3)
        self.count, self.items = itertools.count(), iter([10, 20, 30])
        self.best, self.records, self.compare = None, [], None
        self.by_name, self.array = collections.defaultdict(list), np.zeros(4)
        self.slotted, self.mood, self.when = Slotted(), Mood.GOOD, datetime.datetime(2026, 1, 1)
        self.part, self.price = fractions.Fraction(1, 3), decimal.Decimal("0.1")
        self.raw, self.text, self.names = array.array("d"), io.StringIO(), {"x"}

    def step(self):
        global total
        total += 1
        counts["b"] = total
        beta.assign(total * 1.0)
        source.random(), generator.random()
        self.list.append(total), self.recent.append(total), next(self.count), next(self.items)
        self.best = Record(0.5, [total])
        self.records.append(self.best)
        self.by_name["x"].append(3)
        self.array[1] += 1
        Held.number += 1
        Held.seen.append(self.best)
        self.compare = np.less
        self.slotted.count += 1
        self.mood, self.when = Mood.BAD, self.when + datetime.timedelta(days=1)
        self.part, self.price = self.part / 2, self.price * 3
        self.raw.append(total), self.text.write("x"), self.names.add(f"y{total}")
        bump()
        self.step.__func__.calls = getattr(self.step.__func__, "calls", 0) + 1

def make():
    k = 0
    def bump():
        nonlocal k
        k += 1
        return k
    return bump

bump = make()
held = Held()
""".replace("LARGE", str(SMALL_BYTES // 8 + 1))


class Process:
    """A module made from the script, and the keeper of what it holds."""

    def __init__(self, path: Path) -> None:
        spec = importlib.util.spec_from_file_location("kept_script", path)
        assert spec is not None
        assert spec.loader is not None
        self.module: Any = importlib.util.module_from_spec(spec)
        sys.modules["kept_script"] = self.module
        spec.loader.exec_module(self.module)
        self.keeper = Keeper(lambda: {"held": self.module.held, "step": self.module.held.step})


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "kept_script.py"
    path.write_text(SCRIPT)
    return path


def restarted(old: Process, script: Path) -> Process:
    """Another process, with all that the old one held."""
    document, arrays = old.keeper.read()
    new = Process(script)
    document = json.loads(json.dumps(document))
    new.keeper.write_then(document, arrays)
    assert new.keeper.write_now(document, arrays) == []
    return new


def test_all_kinds_of_state_go_on_where_they_were(script: Path) -> None:
    old = Process(script)
    assert old.keeper.begin() == []
    for _ in range(2):
        old.module.held.step()
    new = restarted(old, script)

    first, second = old.module.held, new.module.held
    assert second.list == first.list
    assert second.shared is second.list
    assert second.best is second.records[-1]
    assert second.best is new.module.Held.seen[-1]
    assert type(second.best) is new.module.Record
    for name in ("recent", "by_name", "part", "price", "when", "raw", "names", "compare"):
        assert getattr(second, name) == getattr(first, name)
    assert second.mood is new.module.Mood.BAD
    assert (second.array == first.array).all()
    assert second.slotted.count == 2
    assert second.text.getvalue() == "xx"
    assert (new.module.total, new.module.counts) == (2, {"a": 1, "b": 2})
    assert new.module.beta.numpy() == 2.0
    assert new.module.Held.number == 2
    assert new.module.Held.step.calls == 2
    assert (next(second.items), next(second.count)) == (30, 2)
    drawn = [
        (module.source.random(), module.generator.random(), module.bump())
        for module in (old.module, new.module)
    ]
    assert drawn[0] == drawn[1]


def test_it_can_be_carried_on_and_on(script: Path) -> None:
    process = Process(script)
    process.keeper.begin()
    for _ in range(2):
        process.module.held.step()
        process = restarted(process, script)
    assert process.module.held.list == [1, 2, 1, 2]
    assert process.module.total == 2


def test_a_large_array_is_kept_only_where_it_changes(script: Path) -> None:
    old = Process(script)
    old.keeper = Keeper(lambda: {"large": old.module.large})
    old.keeper.begin()
    assert old.keeper.read()[1] == {}
    old.module.large[7] = 1
    (kept,) = old.keeper.read()[1].values()
    assert kept[7] == 1


def test_tensors_are_arrays_of_the_snapshot_each_once() -> None:
    import tensorflow as tf

    first, second = {"kept": [tf.zeros([1000])]}, {"kept": [tf.zeros([1000])]}
    old, new = Keeper(lambda: {"held": first}), Keeper(lambda: {"held": second})
    old.begin()
    first["kept"] += [tf.ones([1000]), tf.ones([1000]), tf.constant("x"), tf.zeros([3])]
    document, arrays = old.read()
    assert sorted(array[0] for array in arrays.values()) == [0, 1]
    written = json.dumps(document)
    assert len(written) < 2000
    assert old.heaviest == ("held", 3, 12000)
    new.write_then(json.loads(written), arrays)
    assert new.write_now(json.loads(written), arrays) == []
    assert [float(one[0]) for one in second["kept"][:3]] == [0, 1, 1]
    assert len(new.then_arrays) == 1


def test_what_is_not_the_same_in_the_end_is_named() -> None:
    held: dict[str, Any] = {"function": None, "much": list(range(MUCH + 1))}
    old = Keeper(lambda: {"held": held})
    old.begin()
    document, arrays = old.read()
    held["much"][0] = -1
    new = Keeper(lambda: {"held": held})
    new.write_then(document, arrays)
    assert new.write_now(document, arrays) == ["held"]


def test_what_cannot_be_kept_is_named_at_the_start() -> None:
    class Holder:
        def __init__(self) -> None:
            self.lines = (number for number in range(3))
            self.numbers = iter([1, 2])

    (said,) = Keeper(lambda: {"holder": Holder()}).begin()
    assert said.startswith(f"{Holder.__qualname__}.lines is a Python generator, which cannot tell")


def test_values_that_differ_by_chance_are_those_of_the_first_process() -> None:
    held = [{"noise": np.array([value]), "id": value} for value in (1.0, 2.0)]
    old, new = (Keeper(lambda one=one: {"held": one}) for one in held)
    old.begin()
    document, arrays = old.read()
    new.write_then(document, arrays)
    assert new.write_now(document, arrays) == []
    assert held[1] == held[0]


def test_who_starts_it_in_another_way_means_it() -> None:
    """Another argument counts; what the training has changed is brought back all the same."""
    things = [Namespace(given=one, counted=0, inner=[one]) for one in ("old", "new")]
    old, new = (Keeper(lambda one=one: {"held": one}) for one in things)
    old.begin()
    things[0].counted = 5
    document, arrays = old.read()
    document = only_changes(document)
    new.write_then(document, arrays)
    assert new.write_now(document, arrays) == []
    assert vars(things[1]) == {"given": "new", "counted": 5, "inner": ["new"]}


def test_objects_that_raise_when_they_are_looked_at_cost_only_themselves() -> None:
    class Guarded:
        __slots__ = ("count",)

        def __init__(self) -> None:
            self.count = 1

        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    class Endless(list[int]):
        def __len__(self) -> int:
            raise ValueError("no length")

    holder = Namespace(guarded=Guarded(), endless=Endless(), number=1)
    keeper = Keeper(lambda: {"holder": holder})
    assert [said.partition(":")[0] for said in keeper.begin()] == [
        "Namespace.endless raises ValueError when it is read"
    ]
    holder.number = holder.guarded.count = 5
    document, arrays = keeper.read()
    holder.number = holder.guarded.count = 0
    keeper.write_now(document, arrays)
    assert (holder.number, holder.guarded.count) == (5, 5)


def test_an_object_of_another_library_is_seen_to_change() -> None:
    import pandas as pd

    holder = Namespace(table=pd.DataFrame({"loss": [1.0]}), number=1)
    keeper = Keeper(lambda: {"holder": holder})
    assert keeper.begin() == []
    keeper.read()
    assert keeper.lost == []
    holder.table.loc[1] = 0.5
    keeper.read()
    (changed,) = keeper.lost
    assert changed.startswith("Namespace.table (pandas.")


@pytest.mark.parametrize(
    "held", [["loss", 0.5], [("loss", 0.5), ("nan", float("nan"))], [("a", 1.0, 10**400)]]
)
def test_words_and_numbers_in_one_list_are_brought_back(held: list[Any]) -> None:
    first: list[Any] = []
    second: list[Any] = []
    old, new = Keeper(lambda: {"held": first}), Keeper(lambda: {"held": second})
    old.begin()
    new.begin()
    first.extend(held)
    new.write_changes(*old.read_changes())
    assert str(second) == str(held)


def test_objects_of_another_library_stay_in_their_places_in_a_tuple() -> None:
    import pandas as pd

    first, second = pd.DataFrame(), pd.DataFrame()
    holder = Namespace(pair=(first, 1, (second, [2])), number=1)
    keeper = Keeper(lambda: {"holder": holder})
    keeper.begin()
    holder.pair[2][1].append(3)
    document, arrays = keeper.read()
    holder.pair, holder.number = (first, 7, (second, holder.pair[2][1])), 8
    keeper.write_now(document, arrays)
    table, number, (inner, numbers) = holder.pair
    assert table is first
    assert inner is second
    assert (number, numbers, holder.number) == (1, [2, 3], 1)


def test_long_chains_have_short_ways() -> None:
    chain: dict[str, Any] = {}
    for number in range(2000):
        chain = {"next": chain, "number": [number]}
    keeper = Keeper(lambda: {"chain": chain})
    keeper.begin()
    document, arrays = keeper.read()
    assert len(json.dumps(document)) < 2_000_000
    chain["next"]["number"].append(7)
    assert keeper.write_now(document, arrays) == []
    assert chain["next"]["number"] == [1998]


def test_unusual_containers() -> None:
    records = np.zeros(2, dtype=[("a", "i4"), ("b", "f8")])
    objects = np.array([[1], {"x": 1}], dtype=object)
    holder = Namespace(
        records=records, objects=objects, user=UserDict(a=1), proxy=MappingProxyType({"a": [1]})
    )
    keeper = Keeper(lambda: {"holder": holder})
    assert keeper.begin() == []
    document, arrays = keeper.read()
    records["a"], holder.user["b"] = 7, 2
    objects[0].append(3)
    holder.proxy["a"].append(3)
    assert keeper.write_now(document, arrays) == []
    assert records["a"].tolist() == [0, 0]
    assert (objects[0], dict(holder.user), holder.proxy["a"]) == ([1], {"a": 1}, [1])


def test_what_cannot_be_made_takes_nothing_else_along() -> None:
    def training() -> Namespace:
        return Namespace(function=None, number=0)

    olds, news = training(), training()
    old, new = (Keeper(lambda one=one: {"holder": one}) for one in (olds, news))
    old.begin()
    olds.function, olds.number = (lambda: 1), 5
    document, arrays = old.read()
    new.write_then(document, arrays)
    assert new.write_now(document, arrays) == ["Namespace.function"]
    assert news.number == 5


@pytest.mark.parametrize("steps", [1, 6])
def test_a_cycle_goes_on_in_its_first_and_in_a_later_round(steps: int) -> None:
    olds, news = (Namespace(rounds=itertools.cycle([1, 2, 3, 4])) for _ in range(2))
    old, new = (Keeper(lambda one=one: {"holder": one}) for one in (olds, news))
    old.begin()
    for _ in range(steps):
        next(olds.rounds)
    document, arrays = old.read()
    new.write_then(document, arrays)
    assert new.write_now(document, arrays) == []
    assert [next(news.rounds) for _ in range(5)] == [next(olds.rounds) for _ in range(5)]


def test_what_is_too_large_for_a_snapshot_is_said_once_it_has_changed() -> None:
    holder = Namespace(names=list(range(MUCH + 1)))
    keeper = Keeper(lambda: {"holder": holder})
    keeper.begin()
    keeper.read()
    assert keeper.lost == []
    holder.names[0] = -1
    keeper.read()
    assert keeper.lost == ["Namespace.names (too large for a snapshot)"]


def test_attributes_named_as_those_of_an_array_are_no_array() -> None:
    thing = Namespace(shape=(2, 3), dtype="float32")
    keeper = Keeper(lambda: {"thing": thing})
    keeper.begin()
    thing.shape = (4, 3)
    _, arrays = keeper.read()
    assert not keeper.lost
    assert not arrays


def test_too_many_objects_are_said_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Graph, "most_objects", 5)
    holder = Namespace(lists=[[[number]] for number in range(9)], number=1)
    keeper = Keeper(lambda: {"holder": holder})
    (said,) = keeper.begin()
    assert said.startswith("More Python objects than fitguard looks at")
    document, arrays = keeper.read()
    keeper.write_then(document, arrays)
    assert keeper.write_now(document, arrays) == []
    assert holder.number == 1
