"""`DataLoader` of torch and datasets of Grain, with Keras 3, where they are installed."""

import random
from typing import Any

import numpy as np
import pytest


class Samples:
    """Augments with a generator of its own, or with torch's."""

    def __init__(self, torch: Any = None) -> None:
        self.torch = torch
        self.source = np.random.default_rng(5)

    def __len__(self) -> int:
        return 20

    def __getitem__(self, number: int) -> Any:
        drawn = self.source.random() if self.torch is None else float(self.torch.rand(()))
        return np.float32([number + drawn]), np.float32(number)


class Backwards:
    """A sampler that begins elsewhere in each epoch."""

    def __init__(self) -> None:
        self.source = random.Random(2)

    def __len__(self) -> int:
        return 20

    def __iter__(self) -> Any:
        first = self.source.randrange(20)
        return iter([(first - number) % 20 for number in range(20)])


def torch_loader(kind: str) -> Any:
    torch = pytest.importorskip("torch")
    torch.manual_seed(4)
    options: dict[str, Any] = {"shuffle": True}
    if kind == "seeded":
        options["generator"] = torch.Generator().manual_seed(3)
    elif kind == "own sampler":
        options = {"sampler": Backwards()}
    elif kind == "persistent":
        options.update(num_workers=1, persistent_workers=True)
    samples = Samples(torch if kind == "draws from torch" else None)
    return torch.utils.data.DataLoader(samples, batch_size=4, **options)


@pytest.mark.parametrize("kind", ["seeded", "torch's generator", "own sampler", "draws from torch"])
def test_torch_comes_back(player: Any, comes_back: Any, kind: str) -> None:
    make = lambda: ((torch_loader(kind),), {"shuffle": False})  # noqa: E731
    whole = comes_back(player(make), [(0, 2), (1, 0), (2, 1)])
    assert whole.position.inexact == []
    assert whole.position.draws_random


def test_a_torch_loader_that_two_fits_share(assert_two_fits_can_share: Any) -> None:
    assert_two_fits_can_share(lambda: torch_loader("seeded"))


def test_workers_that_live_on_are_said_to_be_inexact() -> None:
    from types import SimpleNamespace

    from fitguard.keras.position.exactness import Exactness, _assess_torch

    loader = torch_loader("persistent")
    exactness = Exactness()
    _assess_torch(loader, exactness)
    assert ["persistent_workers=True" in sentence for sentence in exactness.inexact] == [True]
    alone, calm = SimpleNamespace(num_workers=0), Exactness()
    _assess_torch(alone, calm)
    assert calm.inexact == []


def grain_data(kind: str) -> Any:
    grain = pytest.importorskip("grain")
    rows = [(np.float32([number]), np.float32(number)) for number in range(20)]
    if kind == "loader":
        sampler = grain.samplers.IndexSampler(20, shuffle=True, seed=1, num_epochs=1)
        return grain.DataLoader(
            data_source=rows, sampler=sampler, operations=[grain.transforms.Batch(4)]
        )
    data = grain.MapDataset.source(rows).seed(3).shuffle()
    if kind == "endless":
        return data.repeat().to_iter_dataset().batch(4)
    if kind == "python state":
        source = np.random.default_rng(2)
        data = data.map(lambda row: (row[0] + np.float32(source.random()), row[1]))
        options = grain.ReadOptions(num_threads=0, prefetch_buffer_size=0)
        return data.to_iter_dataset(options).batch(4)
    return data.batch(4) if kind == "map" else data.to_iter_dataset().batch(4)


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.parametrize("kind", ["map", "iter", "loader", "endless", "python state"])
def test_grain_comes_back(player: Any, comes_back: Any, kind: str) -> None:
    named: dict[str, Any] = {"shuffle": False}
    if kind == "endless":
        named["steps_per_epoch"] = 4
    whole = comes_back(player(lambda: ((grain_data(kind),), named)), [(0, 2), (1, 0), (2, 1)])
    assert whole.position.inexact == []
